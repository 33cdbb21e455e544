//! Matrices against scalars: random programs with assignments to elements in every way, sweeps, nests and resets.

use super::block::{Block, Ids};
use super::id::STALE;
use super::runs::MOST;
use super::{Adjoint, ElementBuffer, Id, Operand, Owned, Part, View};
use crate::error::{Code, Result};
use crate::tape::{Event, Outside, Position, Sweep, Tape, Var, activate};

/// Adds `of(i, j, k)` to the adjoint of element (i, j) in direction k.
fn add_each(
    adjoint: Adjoint<'_>,
    x: &Operand,
    width: usize,
    of: impl Fn(usize, usize, usize) -> f64,
) {
    for j in 0..x.part().cols {
        for i in 0..x.part().rows {
            let at = i * adjoint.row_step + j * adjoint.col_step;
            for (k, into) in adjoint.values[at..at + width].iter_mut().enumerate() {
                *into += of(i, j, k);
            }
        }
    }
}

/// y = x^2, an element at a time: reads the values when it is reversed.
struct Square {
    x: Operand,
    first: u32,
}

impl Event for Square {
    const NAME: &'static str = "square";
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (x, part, width) = (self.x, *self.x.part(), sweep.width());
        let (mut operands, out) = sweep.split(self.first, part.len());
        operands.add(&x, |adjoint| {
            add_each(adjoint, &x, width, |i, j, k| {
                let value = x.values()[i * part.row_step + j * part.col_step];
                2.0 * value * out[(i + j * part.rows) * width + k]
            });
        })?;
        out.fill(0.0);
        Ok(())
    }
}

/// The sum of all elements: reads no values.
struct Sum {
    x: Operand,
    first: u32,
}

impl Event for Sum {
    const NAME: &'static str = "sum";
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (x, width) = (self.x, sweep.width());
        let (mut operands, out) = sweep.split(self.first, 1);
        operands.add(&x, |adjoint| add_each(adjoint, &x, width, |_, _, k| out[k]))?;
        out.fill(0.0);
        Ok(())
    }
}

fn square(tape: &mut Tape, x: &View) -> Owned {
    // SAFETY: the view's matrix lives; what the event needs is kept.
    let x = unsafe { Tape::operand(Some(tape), "x", x) }.unwrap();
    let part = *x.part();
    let mut y = tape.matrix(part.rows, part.cols).unwrap();
    let values: Vec<f64> = part.places().map(|k| x.values()[k - part.offset].powi(2)).collect();
    y.fresh_values().copy_from_slice(&values);
    if tape.recording() && x.is_active() {
        tape.keep_operand(&x, true).unwrap();
        let first = tape.record(part.len(), |first, _| Square { x, first }).unwrap();
        tape.activate(&y, first);
    }
    y
}

fn sum(tape: &mut Tape, x: &View) -> Var {
    // SAFETY: as above.
    let x = unsafe { Tape::operand(Some(tape), "x", x) }.unwrap();
    let part = *x.part();
    let value = part.places().map(|k| x.values()[k - part.offset]).sum();
    if !x.is_active() {
        return Var { value, id: 0, tag: 0 };
    }
    tape.keep_operand(&x, false).unwrap();
    let id = tape.record(1, |first, _| Sum { x, first }).unwrap();
    tape.value(value, id, 0)
}

fn statement(tape: &mut Tape, value: f64, arguments: &[(f64, Var)]) -> Var {
    let (partials, operands): (Vec<f64>, Vec<Var>) = arguments.iter().copied().unzip();
    let id = tape.precomputed(&operands, &partials).unwrap();
    tape.value(value, id, 0)
}

fn mul(tape: &mut Tape, a: Var, b: Var) -> Var {
    statement(tape, a.value * b.value, &[(b.value, a), (a.value, b)])
}

fn recording() -> Box<Tape> {
    let mut tape = Box::new(Tape::new());
    tape.start();
    tape
}

fn reverse(tape: &mut Tape) {
    // SAFETY: a live tape.
    unsafe { Tape::reverse(tape) }.unwrap();
}

fn range(tape: &mut Tape, from: &Position, to: &Position) {
    // SAFETY: a live tape.
    unsafe { Tape::reverse_range(tape, from, to) }.unwrap();
}

fn adjoint(tape: &Tape, x: &Var) -> f64 {
    tape.adjoint(x, 0).unwrap()
}

fn elements(a: &Owned) -> Vec<Var> {
    // SAFETY: live.
    unsafe { Tape::elements("a", &a.view()) }.unwrap()
}

fn values(a: &Owned) -> Vec<f64> {
    elements(a).iter().map(|x| x.value).collect()
}

fn set(tape: &mut Tape, a: &Owned, k: usize, x: Var) {
    let offset = i64::try_from(k).unwrap();
    let view = View { offset, rows: 1, cols: 1, ..a.view() };
    // SAFETY: live.
    unsafe { Tape::assign_element(Some(tape), "a", &view, &x) }.unwrap();
}

fn assign(tape: &mut Tape, to: &View, from: &View) {
    // SAFETY: live.
    unsafe { Tape::assign_view(Some(tape), to, from) }.unwrap();
}

fn input(tape: &mut Tape, rows: usize, values: &[f64]) -> Owned {
    let a = Owned::passive(rows, values.len() / rows, values.iter().copied()).unwrap();
    tape.input_matrix(&a).unwrap();
    a
}

fn part(a: &Owned, offset: i64, rows: i64, cols: i64) -> View {
    View { offset, rows, cols, ..a.view() }
}

/// `n` elements side by side as the buffer of a message.
fn received(a: &Owned, from: usize, n: usize) -> ElementBuffer {
    let all = View { rows: a.view().rows * a.view().cols, cols: 1, ..a.view() };
    // SAFETY: live.
    unsafe { ElementBuffer::new("buf", all, i64::try_from(from).unwrap(), n) }.unwrap()
}

/// Calls `f` while the tape is the thread's.
fn current<R>(tape: &mut Tape, f: impl FnOnce() -> R) -> R {
    // SAFETY: live, and nobody else uses it meanwhile.
    unsafe {
        let before = activate(tape).unwrap();
        let result = f();
        activate(before).unwrap();
        result
    }
}

/// A message brings `x`, which have consecutive ids.
fn arrive(tape: &mut Tape, buffer: &mut ElementBuffer, x: &[Var]) {
    let values: Vec<f64> = x.iter().map(|x| x.value).collect();
    let id = x.first().map_or(Id::default(), |x| Id { id: x.id, tag: x.tag });
    current(tape, || match buffer.place() {
        Some(place) => {
            // SAFETY: room for as many.
            unsafe { place.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
            buffer.settle(values.len(), id)
        }
        None => buffer.put(0, &values, id),
    })
    .unwrap();
}

fn block(a: &Owned) -> &Block {
    // SAFETY: live.
    unsafe { &*(*a.0).block }
}

/// Numbers of elements with consecutive ids, or none where they are listed.
fn lengths(a: &Owned) -> Vec<usize> {
    let block = block(a);
    match block.ids() {
        Ids::Range => vec![block.n],
        Ids::Runs(runs) => runs.each(0..block.n).map(|(n, _)| n).collect(),
        Ids::Listed(_) => Vec::new(),
    }
}

/// 4 columns of 10 elements, and some others.
fn columns(tape: &mut Tape) -> (Owned, Owned) {
    let numbers: Vec<f64> = (1..=40).map(f64::from).collect();
    (input(tape, 10, &numbers), input(tape, 10, &numbers))
}

fn column(a: &Owned, j: i64) -> View {
    part(a, 10 * j, 10, 1)
}

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
fn messages_arrive_in_their_columns() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Meanwhile {
        Nothing,
        Marked,
        Rebound,
        Copied,
        Refused,
        Spoiled,
    }
    use Meanwhile::*;
    for arrived in [10, 4] {
        for meanwhile in [Nothing, Marked, Rebound, Copied, Refused, Spoiled] {
            for read in [false, true] {
                let mut tape = recording();
                let (a, b) = columns(&mut tape);
                let (x, y) = (elements(&a), elements(&b));
                let squares = read.then(|| square(&mut tape, &part(&a, 0, 11, 1)));
                let sent = square(&mut tape, &column(&b, 2));
                let mut buffer = received(&a, 0, 10);
                current(&mut tape, || buffer.lend(false)).unwrap();
                // In place, unless a sweep needs what is there.
                assert_eq!(buffer.is_lent(), !read);
                let mut others = x[10..].to_vec();
                let mut copy = None;
                let mut place = None;
                match meanwhile {
                    Marked => place = Some(tape.mark()),
                    Rebound => {
                        a.rebind(&b);
                        others = y[10..].to_vec();
                    }
                    Copied => copy = Some(a.copy()),
                    Nothing | Refused | Spoiled => {}
                }
                let before = elements(&a);
                let z = elements(&sent);
                match meanwhile {
                    Refused => drop(buffer),
                    Spoiled => current(&mut tape, || buffer.spoil()),
                    _ => arrive(&mut tape, &mut buffer, &z[..arrived]),
                }
                let now = elements(&a);
                assert_eq!(now[10..], others, "{meanwhile:?}");
                match meanwhile {
                    Refused => assert_eq!(now, before),
                    Spoiled if read => assert_eq!(now, before),
                    Spoiled => assert!(now[..10].iter().all(|x| x.id == 0)),
                    _ => assert_eq!(now[..10], [&z[..arrived], &before[arrived..10]].concat()),
                }
                let runs = if arrived == 10 { vec![10, 30] } else { vec![4, 36] };
                if meanwhile == Nothing {
                    assert_eq!((lengths(&a), tape.mutating_count()), (runs, usize::from(read)));
                }
                if let Some(copy) = copy {
                    // What arrived there is no value of the program's; the rest is as it was.
                    let copied = elements(&copy);
                    assert_eq!(copied[10..], x[10..]);
                    assert!(copied.iter().zip(&x).all(|(now, then)| now == then || now.id == 0));
                }
                if let Some(place) = place {
                    // SAFETY: live.
                    unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap();
                    let then = elements(&a);
                    assert_eq!((&then[10..], read && then != x), (&x[10..], false));
                    assert!(then.iter().zip(&x).all(|(now, then)| now == then || now.id == 0));
                }
                if let Some(squares) = squares {
                    tape.clear_adjoints().unwrap();
                    elements(&squares).iter().for_each(|y| tape.seed(y, 1.0, 0).unwrap());
                    reverse(&mut tape);
                    x[..11].iter().for_each(|x| assert_eq!(adjoint(&tape, x), 2.0 * x.value));
                }
            }
        }
    }
}

#[test]
fn what_a_message_is_arriving_in_is_not_forgotten() {
    let mut tape = recording();
    let place = tape.mark();
    let (a, _) = columns(&mut tape);
    let mut buffer = received(&a, 0, 10);
    current(&mut tape, || buffer.lend(false)).unwrap();
    // SAFETY: live.
    let error = unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap_err();
    assert_eq!(error.code, Code::Nest);
    drop(buffer);
    // SAFETY: live.
    unsafe { Tape::reset_to(&mut *tape, &place) }.unwrap();
}

#[test]
fn gaps_are_what_a_part_leaves() {
    let parts = [
        Part { offset: 5, rows: 3, cols: 2, row_step: 1, col_step: 4 },
        Part { offset: 5, rows: 2, cols: 3, row_step: 4, col_step: 1 },
        Part { offset: 0, rows: 3, cols: 2, row_step: 2, col_step: 8 },
        Part { offset: 1, rows: 1, cols: 4, row_step: 1, col_step: 5 },
        Part { offset: 3, rows: 6, cols: 1, row_step: 3, col_step: 1 },
        Part::whole(4, 5),
    ];
    for part in parts {
        let mut seen = vec![0; 20];
        part.places().for_each(|k| seen[k] += 1);
        part.gaps(20, |gap| {
            gap.for_each(|k| seen[k] += 1);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [1; 20], "{part:?}");
    }
}

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
fn a_copy_is_apart_and_views_see_what_is_assigned() {
    let mut tape = recording();
    let a = input(&mut tape, 3, &[1.0, 2.0, 3.0]);
    let x = elements(&a);
    let view = part(&a, 1, 2, 1);
    let b = a.copy();
    let events = tape.event_count();
    set(&mut tape, &b, 1, x[0]);
    assert_eq!((values(&a), values(&b)), (vec![1.0, 2.0, 3.0], vec![1.0, 1.0, 3.0]));
    set(&mut tape, &a, 2, x[0]);
    assert_eq!((values(&a), values(&b)), (vec![1.0, 2.0, 1.0], vec![1.0, 1.0, 3.0]));
    assert_eq!(tape.event_count(), events);
    // SAFETY: live.
    let seen = unsafe { Tape::elements("view", &view) }.unwrap();
    assert_eq!(seen, [x[1], x[0]]);
    a.rebind(&b);
    // SAFETY: live.
    let seen = unsafe { Tape::elements("view", &view) }.unwrap();
    assert_eq!(seen, [x[0], x[2]]);
    drop(b);
    set(&mut tape, &a, 0, x[2]);
    assert_eq!(elements(&a), [x[2], x[0], x[2]]);
}

#[test]
fn a_passive_operand_is_held_and_apart() {
    let mut tape = recording();
    let a = Owned::passive(2, 1, [3.0, 4.0]).unwrap();
    // SAFETY: live.
    let x = unsafe { Tape::operand(Some(&*tape), "a", &a.view()) }.unwrap();
    for _ in 0..3 {
        tape.keep_operand(&x, true).unwrap();
    }
    assert_eq!(tape.event_count(), 1);
    set(&mut tape, &a, 0, Var { value: 7.0, id: 0, tag: 0 });
    assert_eq!((values(&a), x.values()), (vec![7.0, 4.0], &[3.0, 4.0][..]));
    drop(a);
    assert_eq!(x.values(), [3.0, 4.0]);
}

#[test]
fn what_outlives_its_tape_keeps_its_values() {
    let mut tape = recording();
    let a = input(&mut tape, 2, &[3.0, 4.0]);
    let b = square(&mut tape, &a.view());
    let c = b.copy();
    let constant = tape.matrix(1, 1).map(|mut m| {
        m.fresh_values()[0] = 8.0;
        m
    });
    let constant = constant.unwrap();
    // SAFETY: live.
    unsafe { Tape::reset(&mut *tape) }.unwrap();
    assert_eq!(
        (values(&b), values(&c), values(&constant)),
        (vec![9.0, 16.0], vec![9.0, 16.0], vec![8.0])
    );
    assert_eq!(elements(&constant)[0].id, 0);
    assert_eq!(elements(&b)[1].id, STALE);
    // SAFETY: live.
    unsafe {
        assert_eq!(Tape::operand(Some(&*tape), "b", &b.view()).unwrap_err().code, Code::Stale);
        let one = part(&b, 0, 1, 1);
        let error = Tape::assign(Some(&mut *tape), "b", &one, false, |_| (1.0, Id::default()));
        assert_eq!(error.unwrap_err().code, Code::Stale);
    }
    let fresh = input(&mut tape, 1, &[1.0]);
    b.rebind(&fresh);
    assert_eq!(values(&c), [9.0, 16.0]);
    drop(tape);
    assert_eq!((values(&a), values(&b)), (vec![3.0, 4.0], vec![1.0]));
    assert_eq!(elements(&b)[0].id, STALE);
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

/// Numbers that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

const ROWS: usize = 3;
const N: usize = 12;

/// A program on matrices and, beside it, the same on scalars of a tape of its own.
struct Twins {
    random: Random,
    tape: Box<Tape>,
    matrices: Vec<Owned>,
    plain: Box<Tape>,
    scalars: Vec<Vec<Var>>,
    places: Vec<(Position, Position)>,
    inputs: [Vec<Var>; 2],
}

impl Twins {
    fn new(seed: u64, width: usize) -> Self {
        let (mut tape, mut plain) = (recording(), recording());
        tape.set_width(width).unwrap();
        plain.set_width(width).unwrap();
        let mut matrices = Vec::new();
        let mut scalars = Vec::new();
        for m in 0..3 {
            let start: Vec<f64> = (0..N).map(|k| 0.3 + 0.05 * (k * (m + 2) % 13) as f64).collect();
            matrices.push(input(&mut tape, ROWS, &start));
            let first = plain.input_ids(N).unwrap();
            scalars.push((0..N).map(|k| plain.value(start[k], first, k)).collect::<Vec<_>>());
        }
        let inputs = [matrices.iter().flat_map(elements).collect(), scalars.concat()];
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self { random, tape, matrices, plain, scalars, places: Vec::new(), inputs }
    }

    /// A random part of matrix `m`, transposed or with steps, and its places.
    fn part(&mut self, m: usize, rows: usize, cols: usize) -> (View, Vec<usize>) {
        let col_step = ROWS * (1 + self.random.below(if cols <= 2 { 2 } else { 1 }));
        let row_step = 1 + self.random.below(if rows <= 2 { 2 } else { 1 });
        let last = (rows - 1) * row_step + (cols - 1) * col_step;
        let offset = self.random.below(N - last);
        let as_c = |n: usize| i64::try_from(n).unwrap();
        let view = View {
            of: self.matrices[m].view().of,
            offset: as_c(offset),
            rows: as_c(rows),
            cols: as_c(cols),
            row_step: as_c(row_step),
            col_step: as_c(col_step),
        };
        // SAFETY: live.
        let part = unsafe { view.part("part") }.unwrap();
        (view, part.places().collect())
    }

    fn matrix(&mut self) -> usize {
        self.random.below(self.matrices.len())
    }

    fn element(&mut self) -> (Var, Var) {
        let (m, k) = (self.matrix(), self.random.below(N));
        (elements(&self.matrices[m])[k], self.scalars[m][k])
    }

    /// Something that keeps all matrices, assigned in part.
    fn assign(&mut self) {
        let (to, k) = (self.matrix(), self.random.below(N));
        match self.random.below(9) {
            0 => {
                let (x, y) = self.element();
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = y;
            }
            1 | 2 => {
                let ((a, b), (c, d)) = (self.element(), self.element());
                let x = mul(&mut self.tape, a, c);
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = mul(&mut self.plain, b, d);
            }
            3 => {
                let x = Var { value: 0.9, id: 0, tag: 0 };
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = x;
            }
            4 => {
                // All elements anew, from those of two matrices.
                let pairs: Vec<_> = (0..N).map(|_| self.element()).collect();
                let (x, y): (Vec<Var>, Vec<Var>) = pairs.into_iter().unzip();
                let whole = self.matrices[to].view();
                // SAFETY: live.
                unsafe { Tape::assign_vars(Some(&mut *self.tape), "to", &whole, &x) }.unwrap();
                self.scalars[to] = y;
            }
            5 => {
                let from = self.matrix();
                let (rows, cols) = (1 + self.random.below(ROWS), 1 + self.random.below(3));
                let (target, places) = self.part(to, rows, cols);
                let (source, sources) = self.part(from, rows, cols);
                assign(&mut self.tape, &target, &source);
                let read: Vec<Var> = sources.iter().map(|&k| self.scalars[from][k]).collect();
                for (k, x) in places.into_iter().zip(read) {
                    self.scalars[to][k] = x;
                }
            }
            6 | 7 => self.receive(to),
            _ => {
                let (rows, cols) = (1 + self.random.below(ROWS), 1 + self.random.below(3));
                let (source, places) = self.part(to, rows, cols);
                let x = sum(&mut self.tape, &source);
                let arguments: Vec<_> =
                    places.iter().map(|&k| (1.0, self.scalars[to][k])).collect();
                let value = arguments.iter().map(|(_, x)| x.value).sum();
                let y = statement(&mut self.plain, value, &arguments);
                let (x, y) = (mul(&mut self.tape, x, x), mul(&mut self.plain, y, y));
                // Kept small, so that nothing overflows.
                let scale = 1.0 / (1.0 + y.value.abs());
                let x = statement(&mut self.tape, scale * x.value, &[(scale, x)]);
                let y = statement(&mut self.plain, scale * y.value, &[(scale, y)]);
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = y;
            }
        }
    }

    /// Elements side by side get what a message brings: squares of others, or only the first of them.
    fn receive(&mut self, to: usize) {
        // A nest that is closed does not take back what becomes of a matrix as a whole.
        let nested = self.tape.base() != Position::BOTTOM;
        let n = 1 + self.random.below(N - usize::from(nested));
        let (at, from, start) =
            (self.random.below(N + 1 - n), self.matrix(), self.random.below(N + 1 - n));
        let as_c = |n: usize| i64::try_from(n).unwrap();
        let sent = part(&self.matrices[from], as_c(start), as_c(n), 1);
        let sent = square(&mut self.tape, &sent);
        let squares: Vec<Var> = (start..start + n)
            .map(|k| mul(&mut self.plain, self.scalars[from][k], self.scalars[from][k]))
            .collect();
        let mut buffer = received(&self.matrices[to], at, n);
        current(&mut self.tape, || buffer.lend(self.random.below(2) == 0)).unwrap();
        if !nested && self.random.below(4) == 0 {
            self.matrices[to].rebind(&self.matrices[from].copy());
            self.scalars[to] = self.scalars[from].clone();
        } else if at > 0 {
            let (k, (x, y)) = (self.random.below(at), self.element_but(to));
            set(&mut self.tape, &self.matrices[to], k, x);
            self.scalars[to][k] = y;
        }
        let arrived = 1 + self.random.below(n);
        arrive(&mut self.tape, &mut buffer, &elements(&sent)[..arrived]);
        self.scalars[to][at..at + arrived].copy_from_slice(&squares[..arrived]);
    }

    /// An element of another matrix.
    fn element_but(&mut self, m: usize) -> (Var, Var) {
        let (m, k) = ((m + 1) % self.matrices.len(), self.random.below(N));
        (elements(&self.matrices[m])[k], self.scalars[m][k])
    }

    /// Squares of a part, and where they go; in a nest nowhere.
    fn square(&mut self, to: Option<usize>) {
        let from = self.matrix();
        let whole = self.random.below(2) == 0;
        let (rows, cols) = if whole { (ROWS, N / ROWS) } else { (2, 2) };
        let (source, places) = if whole {
            (self.matrices[from].view(), (0..N).collect())
        } else {
            self.part(from, rows, cols)
        };
        let squares = square(&mut self.tape, &source);
        let plain: Vec<Var> = places
            .iter()
            .map(|&k| mul(&mut self.plain, self.scalars[from][k], self.scalars[from][k]))
            .collect();
        let Some(to) = to else { return };
        if whole {
            self.matrices[to].rebind(&squares);
            self.scalars[to] = plain;
        } else {
            let (target, places) = self.part(to, rows, cols);
            assign(&mut self.tape, &target, &squares.view());
            for (k, x) in places.into_iter().zip(plain) {
                self.scalars[to][k] = x;
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=4 => self.assign(),
            5 | 6 => {
                let to = self.matrix();
                self.square(Some(to));
            }
            7 => {
                let (to, from) = (self.matrix(), self.matrix());
                let copy = self.matrices[from].copy();
                self.matrices[to].rebind(&copy);
                self.scalars[to] = self.scalars[from].clone();
            }
            8 => self.places.push((self.tape.mark(), self.plain.mark())),
            _ => self.nest(),
        }
        self.compare();
    }

    /// Assignments that are forgotten, with a sweep or without.
    fn nest(&mut self) {
        let tokens = (
            self.tape.start_nested(Outside::Added).unwrap(),
            self.plain.start_nested(Outside::Added).unwrap(),
        );
        let before: Vec<_> = self.matrices.iter().map(elements).collect();
        let scalars = self.scalars.clone();
        for _ in 0..self.random.below(6) {
            self.assign();
            self.square(None);
        }
        if self.random.below(2) == 0 {
            reverse(&mut self.tape);
        }
        // SAFETY: live.
        unsafe {
            Tape::recover_nested(&mut *self.tape, tokens.0).unwrap();
            Tape::recover_nested(&mut *self.plain, tokens.1).unwrap();
        }
        self.scalars = scalars;
        let after: Vec<_> = self.matrices.iter().map(elements).collect();
        assert_eq!(before, after);
    }

    fn compare(&self) {
        for (matrix, scalars) in self.matrices.iter().zip(&self.scalars) {
            for (x, y) in elements(matrix).iter().zip(scalars) {
                assert!((x.value - y.value).abs() <= 1e-14 * y.value.abs());
            }
        }
    }

    /// The adjoints of all inputs after a sweep that starts from elements of the matrices.
    fn gradients(&mut self, in_pieces: bool) -> [Vec<f64>; 2] {
        let before: Vec<_> = self.matrices.iter().map(elements).collect();
        self.tape.clear_adjoints().unwrap();
        self.plain.clear_adjoints().unwrap();
        let width = self.tape.width();
        for (m, matrix) in self.matrices.iter().enumerate() {
            for (k, x) in elements(matrix).iter().enumerate() {
                let weight = 0.1 * ((k * 7 + m) % 5) as f64 - 0.2;
                for direction in 0..width {
                    let weight = weight * (1.0 + direction as f64);
                    self.tape.seed(x, weight, direction).unwrap();
                    self.plain.seed(&self.scalars[m][k], weight, direction).unwrap();
                }
            }
        }
        if in_pieces {
            let mut from = self.tape.position();
            for (place, _) in self.places.iter().rev() {
                range(&mut self.tape, &from, place);
                from = *place;
            }
            let bottom = self.tape.base();
            range(&mut self.tape, &from, &bottom);
        } else {
            reverse(&mut self.tape);
        }
        reverse(&mut self.plain);
        let after: Vec<_> = self.matrices.iter().map(elements).collect();
        assert_eq!(before, after, "a sweep leaves the elements as they were");
        let read = |tape: &Tape, inputs: &[Var]| {
            inputs
                .iter()
                .flat_map(|x| (0..width).map(move |k| (x, k)))
                .map(|(x, k)| tape.adjoint(x, k).unwrap())
                .collect()
        };
        [read(&self.tape, &self.inputs[0]), read(&self.plain, &self.inputs[1])]
    }
}

#[test]
fn random_programs_agree_with_scalars() {
    for seed in 1..=300 {
        let mut twins = Twins::new(seed, [1, 4][usize::from(seed % 5 == 0)]);
        for _ in 0..60 {
            twins.step();
        }
        for in_pieces in [false, true, false] {
            let [matrices, scalars] = twins.gradients(in_pieces);
            for (k, (got, expected)) in matrices.iter().zip(&scalars).enumerate() {
                assert!(
                    (got - expected).abs() <= 1e-10 * expected.abs().max(1.0),
                    "seed {seed}, input {k}: {got}, expected {expected}"
                );
            }
        }
        // Back to a marked place, and on from there: what was assigned before it is as it was.
        if let Some((place, plain)) = twins.places.first().copied() {
            // SAFETY: live.
            unsafe {
                Tape::reset_to(&mut *twins.tape, &place).unwrap();
                Tape::reset_to(&mut *twins.plain, &plain).unwrap();
            }
        }
    }
}
