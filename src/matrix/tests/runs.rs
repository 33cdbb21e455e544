//! Ids by runs: how they split and merge, and when they become an array.

use super::*;

#[test]
fn runs_of_ids_split_and_merge() {
    let mut tape = recording();
    let (a, b) = columns(&mut tape);
    let (x, y) = (elements(&a), elements(&b));
    assign(&mut tape, &column(&a, 1), &column(&b, 1));
    assert_eq!(lengths(&a), [10, 10, 20]);
    assert_eq!(elements(&a), [&x[..10], &y[10..20], &x[20..]].concat());
    // The middle of a run, across two runs, and what follows on.
    assign(&mut tape, &part(&a, 12, 4, 1), &part(&a, 0, 4, 1));
    assert_eq!(lengths(&a), [10, 2, 4, 4, 20]);
    assign(&mut tape, &part(&a, 14, 4, 1), &part(&a, 4, 4, 1));
    assert_eq!(lengths(&a), [10, 2, 2, 4, 2, 20]);
    let expected = [&x[..10], &y[10..12], &x[..2], &x[4..8], &y[18..20], &x[20..]].concat();
    assert_eq!(elements(&a), expected);
    // All as it was.
    assign(&mut tape, &part(&a, 10, 10, 1), &part(&a.copy(), 0, 10, 1));
    assert_eq!(lengths(&a), [10, 10, 20]);
    let back = input(&mut tape, 10, &[0.0; 10]);
    assign(&mut tape, &column(&a, 1), &back.view());
    assign(&mut tape, &column(&a, 0), &column(&b, 0));
    assign(&mut tape, &column(&a, 1), &column(&b, 1));
    assign(&mut tape, &part(&a, 20, 20, 1), &part(&b, 20, 20, 1));
    assert_eq!((lengths(&a), elements(&a)), (vec![40], y.clone()));
    // A passive column is a run too.
    let threes = Owned::passive(10, 1, [3.0; 10]).unwrap();
    assign(&mut tape, &column(&a, 2), &threes.view());
    assert_eq!(lengths(&a), [20, 10, 10]);
    assert_eq!(tape.mutating_count(), 0);
    // And a part of the whole has the runs of the whole.
    // SAFETY: live.
    let copy = unsafe { Tape::matrix_of(Some(&mut *tape), "a", &part(&a, 15, 20, 1)) }.unwrap();
    assert_eq!((lengths(&copy), elements(&copy)), (vec![5, 10, 5], elements(&a)[15..35].to_vec()));
    let z = square(&mut tape, &a.view());
    elements(&z).iter().for_each(|z| tape.seed(z, 1.0, 0).unwrap());
    reverse(&mut tape);
    for (k, (x, y)) in x.iter().zip(&y).enumerate() {
        let expected = if (20..30).contains(&k) { 0.0 } else { 2.0 * y.value };
        assert_eq!((adjoint(&tape, x), adjoint(&tape, y)), (0.0, expected), "{k}");
    }
}

#[test]
fn too_many_runs_become_an_array() {
    let mut tape = recording();
    let numbers: Vec<f64> = (1..=200).map(f64::from).collect();
    let (a, b) = (input(&mut tape, 200, &numbers), input(&mut tape, 200, &numbers));
    let (mut x, y) = (elements(&a), elements(&b));
    for k in 0..10 {
        let at = 20 * k + 5;
        assign(&mut tape, &part(&a, i64::try_from(at).unwrap(), 10, 1), &part(&b, 0, 10, 1));
        x[at..at + 10].copy_from_slice(&y[..10]);
        let runs = 2 * (k + 1) + 1;
        assert_eq!(lengths(&a).len(), if runs <= MOST { runs } else { 0 }, "{k}");
        assert_eq!(elements(&a), x);
    }
    // One element wants an array at once.
    set(&mut tape, &b, 3, x[0]);
    assert_eq!((lengths(&b), elements(&b)[3]), (vec![], x[0]));
}

#[test]
fn going_back_to_runs() {
    // Whether events read the columns, and what comes last: a column, or an element, for which there is an array.
    for (read, element) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut tape = recording();
        let (a, b) = columns(&mut tape);
        let y = elements(&b);
        assign(&mut tape, &column(&a, 0), &column(&b, 0));
        let first = elements(&a);
        let squares = read.then(|| square(&mut tape, &a.view()));
        let place = tape.mark();
        for j in [1, 2] {
            assign(&mut tape, &column(&a, j), &column(&b, 3));
        }
        let second = elements(&a);
        let next = square(&mut tape, &part(&a, 5, 30, 1));
        if element {
            set(&mut tape, &a, 12, y[1]);
        }
        assign(&mut tape, &column(&a, 3), &column(&b, 0));
        let now = elements(&a);
        assert_eq!(lengths(&a).is_empty(), element);
        for _ in 0..2 {
            tape.clear_adjoints().unwrap();
            elements(&next).iter().for_each(|z| tape.seed(z, 1.0, 0).unwrap());
            if let Some(squares) = &squares {
                elements(squares).iter().for_each(|z| tape.seed(z, 100.0, 0).unwrap());
            }
            let from = tape.position();
            let middle = Position { ..place };
            range(&mut tape, &from, &middle);
            range(&mut tape, &middle, &Position::BOTTOM);
            assert_eq!(elements(&a), now);
            let mut expected = std::collections::BTreeMap::new();
            for x in &second[5..35] {
                *expected.entry(x.id).or_insert(0.0) += 2.0 * x.value;
            }
            for x in first.iter().filter(|_| read) {
                *expected.entry(x.id).or_insert(0.0) += 200.0 * x.value;
            }
            for x in [&first, &second, &y].into_iter().flatten() {
                assert_eq!(adjoint(&tape, x), expected.get(&x.id).copied().unwrap_or(0.0));
            }
        }
        // SAFETY: live.
        unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap();
        assert_eq!((elements(&a), lengths(&a)), (first, vec![10, 30]));
        assign(&mut tape, &column(&a, 1), &column(&b, 1));
        assert_eq!(
            (elements(&a)[10..20].to_vec(), lengths(&a)),
            (y[10..20].to_vec(), vec![20, 20])
        );
    }
}

#[test]
fn columns_change_places() {
    let mut tape = recording();
    let (a, _) = columns(&mut tape);
    let x = elements(&a);
    let before = square(&mut tape, &column(&a, 0));
    // SAFETY: live.
    let kept = unsafe { Tape::matrix_of(Some(&mut *tape), "a", &column(&a, 0)) }.unwrap();
    assert_eq!(lengths(&kept), [10]);
    assign(&mut tape, &column(&a, 0), &column(&a, 3));
    assign(&mut tape, &column(&a, 3), &kept.view());
    assert_eq!(lengths(&a), [10, 20, 10]);
    assert_eq!(elements(&a), [&x[30..], &x[10..30], &x[..10]].concat());
    let after = square(&mut tape, &a.view());
    for _ in 0..2 {
        tape.clear_adjoints().unwrap();
        elements(&before).iter().for_each(|y| tape.seed(y, 1.0, 0).unwrap());
        elements(&after)[..5].iter().for_each(|y| tape.seed(y, 10.0, 0).unwrap());
        reverse(&mut tape);
        for (k, x) in x.iter().enumerate() {
            let weight = if k < 10 {
                2.0
            } else if (30..35).contains(&k) {
                20.0
            } else {
                0.0
            };
            assert_eq!(adjoint(&tape, x), weight * x.value, "{k}");
        }
    }
}

#[test]
fn operands_of_runs_are_ranges() {
    let mut tape = recording();
    let (a, b) = columns(&mut tape);
    let x = [elements(&a), elements(&b)].concat();
    assign(&mut tape, &column(&a, 0), &column(&b, 0));
    let zeros = Owned::zeros(10, 1).unwrap();
    assign(&mut tape, &column(&a, 3), &zeros.view());
    for (view, range) in [
        (column(&a, 0), true),
        (part(&a, 10, 20, 1), true),
        (View { row_step: 2, ..part(&a, 11, 5, 1) }, true),
        (View { cols: 2, ..part(&a, 10, 5, 1) }, true),
        (a.view(), false),
    ] {
        // SAFETY: live.
        let seen = unsafe { Tape::operand(Some(&*tape), "a", &view) }.unwrap();
        assert_eq!((seen.is_active(), seen.is_of_range()), (true, range), "{view:?}");
        // SAFETY: live.
        let part = unsafe { view.part("a") }.unwrap();
        assert_eq!(block(&a).range(&part).is_some(), range && part.is_contiguous());
    }
    // SAFETY: live.
    let passive = unsafe { Tape::operand(Some(&*tape), "a", &column(&a, 3)) }.unwrap();
    assert!(!passive.is_active());
    // They stay what they are for an event that reads no values, and so do not keep others from being written.
    let y = sum(&mut tape, &a.view());
    assign(&mut tape, &column(&a, 1), &column(&b, 1));
    assert_eq!((lengths(&a), tape.mutating_count()), (vec![20, 10, 10], 0));
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    let expected = [vec![0.0; 10], vec![1.0; 20], vec![0.0; 10], vec![1.0; 10], vec![0.0; 30]];
    let inputs: Vec<f64> = x.iter().map(|x| adjoint(&tape, x)).collect();
    assert_eq!(inputs, expected.concat());
}

#[test]
fn seeds_of_runs_go_to_their_direction() {
    let mut tape = recording();
    let (a, b) = columns(&mut tape);
    let (x, y) = (elements(&a), elements(&b));
    assign(&mut tape, &column(&a, 1), &column(&b, 1));
    tape.set_width(4).unwrap();
    let weights: Vec<f64> = (1..=40).map(f64::from).collect();
    // SAFETY: live.
    unsafe { tape.seed_view("a", &a.view(), &weights, 2) }.unwrap();
    reverse(&mut tape);
    for (k, (x, y)) in x.iter().zip(&y).enumerate() {
        let (seeded, other) = if (10..20).contains(&k) { (y, x) } else { (x, y) };
        let of = |x| [0, 1, 2, 3].map(|direction| tape.adjoint(x, direction).unwrap());
        assert_eq!((of(seeded), of(other)), ([0.0, 0.0, weights[k], 0.0], [0.0; 4]), "{k}");
    }
}
