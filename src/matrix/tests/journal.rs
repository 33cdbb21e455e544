//! Assignments to elements that events read: saved, taken back, and done again.

use super::*;

#[test]
fn swap_of_two_elements() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[3.0, 5.0]);
    let x = elements(&a);
    let y = square(&mut tape, &a.view());
    set(&mut tape, &a, 0, x[1]);
    set(&mut tape, &a, 1, x[0]);
    let z = square(&mut tape, &a.view());
    assert_eq!((values(&y), values(&z)), (vec![9.0, 25.0], vec![25.0, 9.0]));
    for _ in 0..2 {
        tape.clear_adjoints().unwrap();
        tape.seed(&elements(&y)[0], 1.0, 0).unwrap();
        tape.seed(&elements(&z)[0], 100.0, 0).unwrap();
        reverse(&mut tape);
        assert_eq!((adjoint(&tape, &x[0]), adjoint(&tape, &x[1])), (6.0, 1000.0));
        assert_eq!(values(&a), [5.0, 3.0]);
    }
}

#[test]
fn an_element_is_assigned_twice_between_readings() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[3.0, 5.0]);
    let x = elements(&a);
    let mut results = vec![square(&mut tape, &a.view())];
    for _ in 0..3 {
        let twice = [mul(&mut tape, elements(&a)[0], x[1]), mul(&mut tape, x[0], x[0])];
        set(&mut tape, &a, 0, twice[1]);
        set(&mut tape, &a, 0, twice[0]);
        results.push(square(&mut tape, &a.view()));
    }
    // Element 0 of the k-th is (x0 x1^k)^2.
    for (k, result) in (0..).zip(&results) {
        tape.clear_adjoints().unwrap();
        tape.seed(&elements(result)[0], 1.0, 0).unwrap();
        reverse(&mut tape);
        let (p, q) = (5f64.powi(2 * k), f64::from(2 * k) * 5f64.powi(2 * k - 1));
        assert_eq!((adjoint(&tape, &x[0]), adjoint(&tape, &x[1])), (6.0 * p, 9.0 * q), "{k}");
    }
    // One event for the assignments between two readings, whatever their number.
    assert_eq!(tape.mutating_count(), 3);
}

#[test]
fn filling_a_fresh_matrix_saves_nothing() {
    let mut tape = recording();
    let x = input(&mut tape, 1, &[2.0]);
    let x = elements(&x)[0];
    let a = Owned::zeros(10, 10).unwrap();
    for k in 0..100 {
        let y = mul(&mut tape, x, Var { value: k as f64, ..Var::default() });
        set(&mut tape, &a, k, y);
    }
    assert_eq!(tape.mutating_count(), 0);
    let events = tape.event_count();
    // A reading of the first half concerns the first half only.
    let lower = square(&mut tape, &part(&a, 0, 50, 1));
    set(&mut tape, &a, 50, x);
    assert_eq!((tape.mutating_count(), tape.event_count()), (0, events + 1));
    set(&mut tape, &a, 49, x);
    assert_eq!(tape.mutating_count(), 1);
    tape.seed(&elements(&lower)[49], 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 2.0 * 2.0 * 49.0 * 49.0);
}

#[test]
fn columns_are_saved_as_runs() {
    let (n, rows) = (1000, 1000);
    let numbers: Vec<f64> = (1..=2000).map(f64::from).collect();
    let mut tape = recording();
    let a = input(&mut tape, n, &numbers);
    let x = elements(&a);
    let (left, right) = (part(&a, 0, rows, 1), part(&a, rows, rows, 1));
    let before = square(&mut tape, &a.view());
    assign(&mut tape, &left, &right);
    let between = square(&mut tape, &left);
    set(&mut tape, &a, 7, x[3]);
    let marked = tape.mark();
    let saved = tape.position().payload;
    assign(&mut tape, &left, &part(&a, 1, rows, 1));
    // Value and id of each.
    let saved = tape.position().payload - saved;
    assert!(saved < 16 * n as u64 + 400, "{saved}");
    let after = square(&mut tape, &left);
    let now = elements(&a);
    for _ in 0..2 {
        for (result, places) in [(&before, 0..2 * n), (&between, n..2 * n)] {
            tape.clear_adjoints().unwrap();
            for y in elements(result) {
                tape.seed(&y, 1.0, 0).unwrap();
            }
            reverse(&mut tape);
            for (k, x) in x.iter().enumerate() {
                let expected = if places.contains(&k) { 2.0 * x.value } else { 0.0 };
                assert_eq!(adjoint(&tape, x), expected, "{k}");
            }
        }
        tape.clear_adjoints().unwrap();
        tape.seed(&elements(&after)[6], 1.0, 0).unwrap();
        tape.seed(&elements(&after)[n - 1], 1.0, 0).unwrap();
        reverse(&mut tape);
        assert_eq!((adjoint(&tape, &x[3]), adjoint(&tape, &x[n])), (8.0, 2.0 * x[n].value));
        assert!(elements(&a) == now);
    }
    // SAFETY: live.
    unsafe { Tape::reset_to(&mut *tape, &marked) }.unwrap();
    let then: Vec<Var> = (0..n).map(|k| if k == 7 { x[3] } else { x[n + k] }).collect();
    assert!(elements(&a) == [&then, &x[n..]].concat());
}

#[test]
fn overlapping_views() {
    for shift_up in [false, true] {
        let mut tape = recording();
        let a = input(&mut tape, 5, &[1.0, 2.0, 3.0, 4.0, 5.0]);
        let x = elements(&a);
        let before = square(&mut tape, &a.view());
        let (low, high) = (part(&a, 0, 4, 1), part(&a, 1, 4, 1));
        let (to, from) = if shift_up { (high, low) } else { (low, high) };
        assign(&mut tape, &to, &from);
        let expected = if shift_up { [0, 0, 1, 2, 3] } else { [1, 2, 3, 4, 4] };
        for (element, k) in elements(&a).iter().zip(expected) {
            assert_eq!(*element, x[k]);
        }
        let after = square(&mut tape, &a.view());
        for k in 0..5 {
            tape.clear_adjoints().unwrap();
            tape.seed(&elements(&before)[k], 1.0, 0).unwrap();
            tape.seed(&elements(&after)[k], 10.0, 0).unwrap();
            reverse(&mut tape);
            let mut adjoints = [0.0; 5];
            adjoints[k] += 2.0 * x[k].value;
            adjoints[expected[k]] += 20.0 * x[expected[k]].value;
            assert_eq!(x.iter().map(|x| adjoint(&tape, x)).collect::<Vec<_>>(), adjoints);
        }
    }
}

#[test]
fn transpose_in_place() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[1.0, 2.0, 3.0, 4.0]);
    let x = elements(&a);
    let all = a.view();
    let transposed = View { row_step: all.col_step, col_step: all.row_step, ..all };
    assign(&mut tape, &all, &transposed);
    assert_eq!(elements(&a), [x[0], x[2], x[1], x[3]]);
}

#[test]
fn going_back_takes_assignments_back() {
    for nested in [false, true] {
        for read in [false, true] {
            let mut tape = recording();
            let a = input(&mut tape, 3, &[1.0, 2.0, 3.0]);
            let b = a.copy();
            let c = square(&mut tape, &a.view());
            let (x, y) = (elements(&a), elements(&c));
            let squares = read.then(|| square(&mut tape, &c.view()));
            let place = tape.mark();
            let nest = nested.then(|| tape.start_nested(Outside::Dropped).unwrap());
            let inner = mul(&mut tape, x[0], x[1]);
            set(&mut tape, &a, 0, inner);
            set(&mut tape, &c, 2, inner);
            set(&mut tape, &c, 2, y[0]);
            set(&mut tape, &c, 1, y[2]);
            assert_eq!((values(&a)[0], values(&c)), (2.0, vec![1.0, 9.0, 1.0]));
            // SAFETY: live.
            unsafe {
                match nest {
                    Some(nest) => Tape::recover_nested(&mut *tape, nest).unwrap(),
                    None => Tape::reset_to(&mut *tape, &place).unwrap(),
                }
            }
            assert_eq!(
                (elements(&a), elements(&b), elements(&c)),
                (x.clone(), x.clone(), y.clone())
            );
            // And again, with ids where the forgotten ones were.
            set(&mut tape, &c, 0, x[2]);
            assert_eq!(elements(&c), [x[2], y[1], y[2]]);
            if let Some(squares) = squares {
                tape.seed(&elements(&squares)[0], 1.0, 0).unwrap();
                tape.seed(&elements(&squares)[1], 1.0, 0).unwrap();
                reverse(&mut tape);
                let adjoints: Vec<f64> = x.iter().map(|x| adjoint(&tape, x)).collect();
                assert_eq!(adjoints, [4.0, 32.0, 0.0]);
            }
        }
    }
}

#[test]
fn elements_know_their_nest() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[1.0, 2.0]);
    let outer = elements(&a);
    let _nest = tape.start_nested(Outside::Dropped).unwrap();
    let inner = mul(&mut tape, outer[0], outer[1]);
    set(&mut tape, &a, 0, inner);
    tape.check_vars("a", &elements(&a)).unwrap();
    assert_ne!(inner.tag, outer[0].tag);
}

#[test]
fn a_closed_nest_leaves_the_adjoints_outside_alone() {
    for outside in [Outside::Dropped, Outside::Added] {
        for listed in [false, true] {
            let mut tape = recording();
            let a = input(&mut tape, 2, &[3.0, 4.0]);
            let x = elements(&a);
            if listed {
                set(&mut tape, &a, 0, x[1]);
            }
            let nest = tape.start_nested(outside).unwrap();
            let inner = input(&mut tape, 2, &[5.0, 6.0]);
            let z = elements(&inner);
            if listed {
                set(&mut tape, &inner, 0, x[0]);
            }
            for y in [square(&mut tape, &a.view()), square(&mut tape, &inner.view())] {
                tape.seed(&elements(&y)[0], 1.0, 0).unwrap();
                tape.seed(&elements(&y)[1], 1.0, 0).unwrap();
            }
            reverse(&mut tape);
            let expected = if listed { [0.0, 12.0] } else { [10.0, 12.0] };
            assert_eq!([adjoint(&tape, &z[0]), adjoint(&tape, &z[1])], expected);
            // SAFETY: live.
            unsafe { Tape::recover_nested(&mut *tape, nest) }.unwrap();
            let expected = match (outside, listed) {
                (Outside::Dropped | Outside::Refused, _) => [0.0, 0.0],
                (Outside::Added, false) => [6.0, 8.0],
                (Outside::Added, true) => [6.0, 16.0],
            };
            assert_eq!([adjoint(&tape, &x[0]), adjoint(&tape, &x[1])], expected);
        }
    }
}

#[test]
fn assignment_during_a_sweep() {
    struct Assigns {
        a: Owned,
        x: Var,
        tape: *mut Tape,
        code: Option<Code>,
    }
    impl Event for Assigns {
        const NAME: &'static str = "assigns";
        fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
            // SAFETY: live, and nobody else has a reference to it, as in a callback of the user's.
            let tape = unsafe { &mut *self.tape };
            // SAFETY: live.
            let outside =
                unsafe { Tape::assign_vars(Some(tape), "a", &part(&self.a, 0, 1, 1), &[self.x]) };
            self.code = outside.err().map(|error| error.code);
            assert_eq!(self.code, Some(Code::Nest));
            let nest = tape.start_nested(Outside::Dropped).unwrap();
            set(tape, &self.a, 0, self.x);
            // SAFETY: live.
            unsafe { Tape::recover_nested(tape, nest) }
        }
    }
    let mut tape = recording();
    let a = input(&mut tape, 2, &[3.0, 4.0]);
    let x = elements(&a);
    let shared = a.view();
    // SAFETY: live.
    let a_too = unsafe { Owned::share(shared.of) };
    let (events, y) = (x[1], square(&mut tape, &a.view()));
    let this = &raw mut *tape;
    tape.record(0, |_, _| Assigns { a: a_too, x: events, tape: this, code: None }).unwrap();
    set(&mut tape, &a, 0, x[1]);
    for sweep in 1..=2 {
        tape.seed(&elements(&y)[0], 1.0, 0).unwrap();
        reverse(&mut tape);
        assert_eq!((values(&a), adjoint(&tape, &x[0])), (vec![4.0, 4.0], 6.0 * f64::from(sweep)));
    }
}
