//! The tape from the inside: what C and C++ programs cannot reach, and properties of random programs.

use super::*;
use crate::error::Code;
use std::cell::RefCell;
use std::rc::Rc;

/// A statement as an inline recorder writes it.
fn statement(tape: &mut Tape, value: f64, arguments: &[(f64, Var)]) -> Var {
    let active = arguments.iter().filter(|(_, x)| x.id != 0).count();
    if active == 0 || tape.grow(MAX_ARGUMENTS).unwrap() == Room::NotRecording {
        return Var { value, id: 0, tag: 0 };
    }
    for &(partial, x) in arguments.iter().filter(|(_, x)| x.id != 0) {
        tape.push_argument(partial, x.id);
    }
    let id = tape.finish_statement(u8::try_from(active).unwrap());
    tape.value(value, id, 0)
}

fn mul(tape: &mut Tape, a: Var, b: Var) -> Var {
    statement(tape, a.value * b.value, &[(b.value, a), (a.value, b)])
}

fn input(tape: &mut Tape, value: f64) -> Var {
    let id = tape.input_ids(1).unwrap();
    tape.value(value, id, 0)
}

fn recording() -> Tape {
    let mut tape = Tape::new();
    tape.start();
    tape
}

fn reverse(tape: &mut Tape) {
    // SAFETY: a live tape.
    unsafe { Tape::reverse(tape) }.unwrap();
}

fn range(tape: &mut Tape, from: &Position, to: &Position) -> Result<()> {
    // SAFETY: a live tape.
    unsafe { Tape::reverse_range(tape, from, to) }
}

fn reset(tape: &mut Tape) -> Result<()> {
    // SAFETY: a live tape.
    unsafe { Tape::reset(tape) }
}

fn reset_to(tape: &mut Tape, position: &Position) -> Result<()> {
    // SAFETY: a live tape.
    unsafe { Tape::reset_to(tape, position) }
}

fn recover(tape: &mut Tape, nest: NestToken) -> Result<()> {
    // SAFETY: a live tape.
    unsafe { Tape::recover_nested(tape, nest) }
}

fn adjoint(tape: &Tape, x: &Var) -> f64 {
    tape.adjoint(x, 0).unwrap()
}

#[test]
fn sweep_takes_and_repeats() {
    let mut tape = recording();
    let (x, y) = (input(&mut tape, 3.0), input(&mut tape, 5.0));
    let z = mul(&mut tape, x, y);
    let w = mul(&mut tape, z, z);
    for sweep in 1..=3 {
        tape.seed(&w, 1.0, 0).unwrap();
        reverse(&mut tape);
        assert_eq!(adjoint(&tape, &x), f64::from(sweep) * 2.0 * 15.0 * 5.0);
        assert_eq!(adjoint(&tape, &y), f64::from(sweep) * 2.0 * 15.0 * 3.0);
        assert_eq!((adjoint(&tape, &z), adjoint(&tape, &w)), (0.0, 0.0));
    }
    tape.clear_adjoints().unwrap();
    assert_eq!(adjoint(&tape, &x), 0.0);
}

#[test]
fn keep_holds_an_intermediate_over_sweeps() {
    let mut tape = recording();
    let x = input(&mut tape, 2.0);
    let y = mul(&mut tape, x, x);
    let z = mul(&mut tape, y, y);
    let u = mul(&mut tape, z, z);
    tape.keep(&z).unwrap();
    tape.keep(&y).unwrap();
    for sweep in 1..=2 {
        tape.seed(&u, 1.0, 0).unwrap();
        reverse(&mut tape);
        let n = f64::from(sweep);
        assert_eq!(adjoint(&tape, &z), n * 2.0 * z.value);
        assert_eq!(adjoint(&tape, &y), n * 4.0 * y.value.powi(3));
        assert_eq!(adjoint(&tape, &x), n * 8.0 * x.value.powi(7));
    }
}

#[test]
fn widths_carry_independent_directions() {
    for width in [1, 2, 4, 8, 16] {
        let mut tape = recording();
        tape.set_width(width).unwrap();
        let (x, y) = (input(&mut tape, 3.0), input(&mut tape, -2.0));
        let z = mul(&mut tape, x, y);
        let w = mul(&mut tape, z, x);
        tape.keep(&z).unwrap();
        for k in 0..width {
            tape.seed(&w, 1.0 + k as f64, k).unwrap();
        }
        reverse(&mut tape);
        for k in 0..width {
            let seed = 1.0 + k as f64;
            assert_eq!(tape.adjoint(&x, k).unwrap(), seed * 2.0 * 3.0 * -2.0);
            assert_eq!(tape.adjoint(&y, k).unwrap(), seed * 9.0);
            assert_eq!(tape.adjoint(&z, k).unwrap(), seed * 3.0);
        }
        assert_eq!(tape.adjoint(&x, width).unwrap_err().code, Code::Argument);
    }
    assert_eq!(Tape::new().set_width(3).unwrap_err().code, Code::Argument);
}

#[test]
fn ranges_resume_to_the_same_adjoints() {
    let mut tape = recording();
    let x = input(&mut tape, 1.1);
    let mut y = x;
    let mut positions = vec![tape.position()];
    for i in 0..40 {
        y = if i % 3 == 0 { mul(&mut tape, y, x) } else { mul(&mut tape, y, y) };
        y = statement(&mut tape, y.value.sin(), &[(y.value.cos(), y)]);
        positions.push(tape.position());
    }
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    let whole = adjoint(&tape, &x);
    tape.clear_adjoints().unwrap();
    tape.seed(&y, 1.0, 0).unwrap();
    for pair in positions.windows(2).rev() {
        range(&mut tape, &pair[1], &pair[0]).unwrap();
    }
    assert_eq!(adjoint(&tape, &x).to_bits(), whole.to_bits());
    let (low, high) = (positions[1], positions[2]);
    assert_eq!(range(&mut tape, &low, &high).unwrap_err().code, Code::Range);
}

#[test]
fn partial_sweep_leaves_adjoints_that_reset_to_clears() {
    let mut tape = recording();
    let x = input(&mut tape, 2.0);
    let y = mul(&mut tape, x, x);
    let here = tape.position();
    let z = mul(&mut tape, y, y);
    tape.seed(&z, 1.0, 0).unwrap();
    let top = tape.position();
    range(&mut tape, &top, &here).unwrap();
    assert_eq!(adjoint(&tape, &y), 8.0);
    reset_to(&mut tape, &here).unwrap();
    let z = mul(&mut tape, y, y);
    tape.clear_adjoints().unwrap();
    tape.seed(&z, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 32.0);
}

#[test]
fn stale_values_and_positions_are_told() {
    let mut tape = recording();
    let x = input(&mut tape, 2.0);
    let here = tape.position();
    let y = mul(&mut tape, x, x);
    let above = tape.position();
    reset_to(&mut tape, &here).unwrap();
    assert_eq!(tape.seed(&y, 1.0, 0).unwrap_err().code, Code::Stale);
    let z = mul(&mut tape, x, x);
    assert_eq!(z.id, y.id);
    assert!(tape.check_var("y", &y).is_err());
    assert!(tape.check_var("z", &z).is_ok() && tape.check_var("x", &x).is_ok());
    assert_eq!(tape.check_position("p", &above).unwrap_err().code, Code::Range);
    for _ in 0..5 {
        reset_to(&mut tape, &here).unwrap();
    }
    reset(&mut tape).unwrap();
    assert!(tape.check_var("x", &x).is_err());
    assert!(tape.check_position("p", &here).is_err());
    let other = recording();
    assert_ne!(other.tag(), tape.tag());
}

#[test]
fn nest_is_closed_unless_asked() {
    for outside in [Outside::Dropped, Outside::Added] {
        let mut tape = recording();
        let x = input(&mut tape, 3.0);
        let y = mul(&mut tape, x, x);
        let nest = tape.start_nested(outside).unwrap();
        let inner = input(&mut tape, 7.0);
        let z = mul(&mut tape, y, inner);
        tape.seed(&z, 1.0, 0).unwrap();
        reverse(&mut tape);
        assert_eq!(adjoint(&tape, &inner), 9.0);
        assert_eq!(adjoint(&tape, &y), if outside == Outside::Added { 7.0 } else { 0.0 });
        recover(&mut tape, nest).unwrap();
        assert!(tape.check_var("z", &z).is_err());
        assert!(tape.check_var("y", &y).is_ok());
        let w = mul(&mut tape, y, y);
        tape.seed(&w, 1.0, 0).unwrap();
        reverse(&mut tape);
        let from_nest = if outside == Outside::Added { 7.0 * 6.0 } else { 0.0 };
        assert_eq!(adjoint(&tape, &x), 4.0 * 27.0 + from_nest);
    }
}

/// Wherever it stands, and whether or not most statements pass nothing on.
#[test]
fn one_value_from_outside_among_many_is_left_alone() {
    const N: usize = 5000;
    for at in [0, 1, 1022, 1023, 1024, 2500, N - 1] {
        for seeded in [at, N - 1] {
            let mut tape = recording();
            let x = input(&mut tape, 3.0);
            let y = mul(&mut tape, x, x);
            tape.start_nested(Outside::Dropped).unwrap();
            let (inner, unit) = (input(&mut tape, 7.0), input(&mut tape, 1.0));
            let mut z = inner;
            let mut all = Vec::new();
            for k in 0..N {
                z = mul(&mut tape, z, if k == at { y } else { unit });
                all.push(z);
            }
            tape.seed(&all[seeded], 1.0, 0).unwrap();
            reverse(&mut tape);
            let found = [inner, y, unit].map(|x| adjoint(&tape, &x));
            assert_eq!(found, [9.0, 0.0, seeded as f64 * 63.0], "{at}, {seeded}");
        }
    }
}

#[test]
fn values_are_seeded_together() {
    let mut tape = recording();
    let xs: Vec<Var> = (0..5).map(|k| input(&mut tape, f64::from(k))).collect();
    assert_eq!(xs[0].id, 1);
    let passive = Var { value: 2.0, id: 0, tag: 0 };
    // A passive one before the first id, one twice, one out of its order.
    let ys = [passive, xs[0], xs[1], xs[1], xs[4], passive, xs[2], xs[3]];
    let weights = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    tape.seed_each("ys", &ys, &weights, 0..1).unwrap();
    reverse(&mut tape);
    let adjoints: Vec<f64> = xs.iter().map(|x| adjoint(&tape, x)).collect();
    assert_eq!(adjoints, [2.0, 12.0, 64.0, 128.0, 16.0]);
}

#[test]
fn nests_close_in_order() {
    let mut tape = recording();
    let a = tape.start_nested(Outside::Dropped).unwrap();
    let b = tape.start_nested(Outside::Dropped).unwrap();
    assert_eq!(recover(&mut tape, a).unwrap_err().code, Code::Nest);
    assert_eq!(reset(&mut tape).unwrap_err().code, Code::Nest);
    recover(&mut tape, b).unwrap();
    recover(&mut tape, a).unwrap();
    assert_eq!(recover(&mut tape, a).unwrap_err().code, Code::Nest);
}

/// Doubles its operand, counts its drops.
struct Double {
    operand: Ids,
    first: u32,
    log: Rc<RefCell<Vec<&'static str>>>,
}

impl Event for Double {
    const NAME: &'static str = "double";
    const MUTATES: bool = true;
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        self.log.borrow_mut().push("reverse");
        let mut t = sweep.scratch(sweep.width());
        sweep.take(self.first, 1, &mut t);
        t.iter_mut().for_each(|t| *t *= 2.0);
        sweep.add(&self.operand, &t);
        sweep.recycle(t);
        Ok(())
    }
    fn undo(&mut self, _: &mut Sweep<'_>) {
        self.log.borrow_mut().push("undo");
    }
    fn redo(&mut self, _: &mut Sweep<'_>) {
        self.log.borrow_mut().push("redo");
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.log.borrow_mut().push("drop");
    }
}

#[test]
fn events_interleave_with_statements_and_are_undone_and_dropped() {
    let log = Rc::default();
    let mut tape = recording();
    let x = input(&mut tape, 3.0);
    let double = |tape: &mut Tape, x: Var| {
        let operand = tape.ids(1, std::iter::once(x.id)).unwrap();
        let log = Rc::clone(&log);
        let id = tape.record(1, |first, _| Double { operand, first, log }).unwrap();
        tape.value(2.0 * x.value, id, 0)
    };
    let y = double(&mut tape, x);
    let z = mul(&mut tape, y, y);
    let middle = tape.position();
    let w = double(&mut tape, z);
    tape.keep(&w).unwrap();
    tape.seed(&w, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 2.0 * 8.0 * 3.0);
    assert_eq!(adjoint(&tape, &w), 1.0);
    assert_eq!(
        log.borrow_mut().split_off(0),
        ["reverse", "undo", "reverse", "undo", "redo", "redo"]
    );
    // A sweep that starts in the middle first undoes what lies above.
    let bottom = tape.base();
    range(&mut tape, &middle, &bottom).unwrap();
    assert_eq!(log.borrow_mut().split_off(0), ["undo", "reverse", "undo", "redo", "redo"]);
    reset_to(&mut tape, &middle).unwrap();
    assert_eq!(log.borrow_mut().split_off(0), ["drop"]);
    drop(tape);
    assert_eq!(log.borrow_mut().split_off(0), ["drop"]);
}

#[test]
fn tape_after_another_has_no_adjoints() {
    let end_with: [fn(&mut Tape, Var); 4] = [
        |tape, y| tape.seed(&y, 1.0, 0).unwrap(),
        |tape, y| {
            tape.seed(&y, 1.0, 0).unwrap();
            reverse(tape);
        },
        |tape, y| {
            tape.set_width(4).unwrap();
            tape.seed(&y, 1.0, 3).unwrap();
            reverse(tape);
            tape.seed(&y, 1.0, 2).unwrap();
        },
        // A sweep that stops on its way.
        |tape, y| {
            let foreign = Var { id: 1 << 30, ..y };
            let bad = statement(tape, 1.0, &[(1.0, y), (1.0, foreign)]);
            let z = mul(tape, bad, y);
            tape.seed(&z, 1.0, 0).unwrap();
            let (top, bottom) = (tape.position(), tape.base());
            assert!(range(tape, &top, &bottom).is_err());
        },
    ];
    for end in end_with {
        let mut tape = recording();
        let x = input(&mut tape, 3.0);
        let mut y = x;
        for _ in 0..100 {
            y = mul(&mut tape, y, x);
        }
        end(&mut tape, y);
        let base = tape.adjoint.base();
        drop(tape);
        let mut next = recording();
        let z = input(&mut next, 1.0);
        next.seed(&z, 0.0, 0).unwrap();
        assert_eq!(next.adjoint.base(), base, "the memory of the tape before");
        assert!(next.committed_adjoints(usize::MAX).iter().all(|&adjoint| adjoint == 0.0));
    }
}

#[test]
fn failed_sweep_redoes_what_it_has_undone() {
    // The sweep stops at a statement of a foreign operand, right below or right above an event.
    for below in [true, false] {
        let log = Rc::default();
        let mut tape = recording();
        let x = input(&mut tape, 3.0);
        let foreign = Var { value: 1.0, id: 1 << 30, tag: x.tag };
        let bad = |tape: &mut Tape, x: Var| statement(tape, 1.0, &[(1.0, x), (1.0, foreign)]);
        let mut y = if below { bad(&mut tape, x) } else { x };
        let operand = tape.ids(1, std::iter::once(y.id)).unwrap();
        let held = Rc::clone(&log);
        let id = tape.record(1, |first, _| Double { operand, first, log: held }).unwrap();
        y = tape.value(2.0, id, 0);
        let from = tape.position();
        if !below {
            y = bad(&mut tape, y);
        }
        let operand = tape.ids(1, std::iter::once(y.id)).unwrap();
        let held = Rc::clone(&log);
        let id = tape.record(1, |first, _| Double { operand, first, log: held }).unwrap();
        let top = tape.position();
        tape.seed(&tape.value(2.0, id, 0), 1.0, 0).unwrap();
        let bottom = tape.base();
        assert_eq!(range(&mut tape, &top, &bottom).unwrap_err().code, Code::Stale);
        let log_of = |log: &Rc<RefCell<Vec<&'static str>>>| log.borrow_mut().split_off(0);
        let expected: &[&str] = if below {
            &["reverse", "undo", "reverse", "undo", "redo", "redo"]
        } else {
            &["reverse", "undo", "redo"]
        };
        assert_eq!(log_of(&log), expected);
        if below {
            // From the middle: the upper event is undone before anything is swept.
            tape.clear_adjoints().unwrap();
            tape.seed(&tape.value(2.0, from.id - 1, 0), 1.0, 0).unwrap();
            assert!(range(&mut tape, &from, &bottom).is_err());
            assert_eq!(log_of(&log), ["undo", "reverse", "undo", "redo", "redo"]);
        }
    }
}

#[test]
fn ids_are_compressed_and_scattered() {
    let mut tape = recording();
    let first = tape.input_ids(10).unwrap();
    assert!(matches!(tape.ids(4, first..first + 4).unwrap(), Ids::Range { n: 4, .. }));
    assert!(matches!(tape.ids(3, [0, 0, 0].into_iter()).unwrap(), Ids::Passive(3)));
    assert!(tape.ids(0, std::iter::empty()).unwrap().is_empty());
    let scattered = [first + 2, first + 3, 0, first + 2, first];
    let Ids::List(list) = tape.ids(5, scattered.into_iter()).unwrap() else { panic!("a list") };
    assert_eq!(tape.stored(&list), scattered);
    let leading = [0, 0, first, first + 1];
    let Ids::List(list) = tape.ids(4, leading.into_iter()).unwrap() else { panic!("a list") };
    assert_eq!(tape.stored(&list), leading);
}

#[test]
fn id_space_and_limit_are_errors_with_the_tape_still_valid() {
    let mut tape = recording();
    tape.id_limit = 600;
    let x = input(&mut tape, 1.0);
    let mut y = x;
    let failure = loop {
        if tape.cursors.next_id > 100 {
            match tape.grow(MAX_ARGUMENTS) {
                Ok(_) => {}
                Err(error) => break error,
            }
        }
        y = mul(&mut tape, y, x);
    };
    assert_eq!(failure.code, Code::Ids);
    assert_eq!(tape.input_ids(1000).unwrap_err().code, Code::Ids);
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), f64::from(tape.statements()) + 1.0);

    let mut tape = recording();
    let x = input(&mut tape, 1.0);
    tape.set_limit(tape.statistics().committed_bytes);
    assert_eq!(tape.grow(1).unwrap_err().code, Code::Limit);
    tape.set_limit(0);
    let y = mul(&mut tape, x, x);
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 2.0);
}

#[test]
fn operand_from_the_future_is_an_error_not_a_wild_write() {
    let mut tape = recording();
    let x = input(&mut tape, 1.0);
    let foreign = Var { value: 1.0, id: 1 << 30, tag: x.tag };
    let y = statement(&mut tape, 1.0, &[(1.0, x), (1.0, foreign)]);
    assert_eq!(tape.precomputed(&[foreign], &[1.0]).unwrap_err().code, Code::Stale);
    for width in [1, 4] {
        tape.set_width(width).unwrap();
        tape.seed(&y, 1.0, 0).unwrap();
        // SAFETY: a live tape.
        let error = unsafe { Tape::reverse(&raw mut tape) }.unwrap_err();
        assert_eq!(error.code, Code::Stale);
        assert!(error.message.contains("1073741824"), "{error}");
    }
}

#[test]
fn precomputed_chains_any_number_of_operands() {
    for n in [0, 1, 2, 253, 254, 255, 507, 508, 5000] {
        let mut tape = recording();
        let first = tape.input_ids(n).unwrap();
        let x: Vec<Var> =
            (0..n).map(|i| tape.value(i as f64, if n == 0 { 0 } else { first }, i)).collect();
        let partials: Vec<f64> = (0..n).map(|i| 0.5 + i as f64).collect();
        let id = tape.precomputed(&x, &partials).unwrap();
        assert_eq!(id == 0, n == 0);
        if n == 0 {
            continue;
        }
        let y = tape.value(1.0, id, 0);
        tape.seed(&y, 2.0, 0).unwrap();
        reverse(&mut tape);
        for (x, partial) in x.iter().zip(&partials) {
            assert_eq!(adjoint(&tape, x), 2.0 * partial);
        }
    }
}

#[test]
fn trim_gives_memory_back_and_keeps_the_recording() {
    let mut tape = recording();
    let x = input(&mut tape, 1.0);
    let here = tape.position();
    let mut y = x;
    for _ in 0..1_000_000 {
        y = mul(&mut tape, y, x);
    }
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 1e6 + 1.0);
    let full = tape.statistics().committed_bytes;
    reset_to(&mut tape, &here).unwrap();
    tape.trim();
    assert!(tape.statistics().committed_bytes < full / 3);
    let y = mul(&mut tape, x, x);
    tape.clear_adjoints().unwrap();
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 2.0);
}

/// Many statements without an adjoint lie between those that have one: runs of every length around those that a sweep
/// goes past at once, statements of 1 to 3 arguments, and a zero with a sign.
#[test]
fn test_sweeps_go_past_statements_without_an_adjoint() {
    for width in [1, 4] {
        for run in (0..40).chain([100, 1000]) {
            let mut tape = recording();
            tape.set_width(width).unwrap();
            let x = [input(&mut tape, 1.0), input(&mut tape, 2.0), input(&mut tape, 3.0)];
            let mut used = x[0];
            for i in 0..6 {
                for n in 0..run {
                    let idle = &[(5.0, x[0]), (6.0, x[1]), (7.0, x[2])][..1 + n % 3];
                    let y = statement(&mut tape, 0.0, idle);
                    if n % 29 == 28 {
                        tape.seed(&y, -0.0, 0).unwrap();
                    }
                }
                used = statement(&mut tape, 0.0, &[(2.0, used), (1.0, x[i % 3])]);
            }
            for sweep in 1..=2 {
                for k in 0..width {
                    tape.seed(&used, 1.0 + k as f64, k).unwrap();
                }
                reverse(&mut tape);
                for k in 0..width {
                    let seed = f64::from(sweep) * (1.0 + k as f64);
                    let adjoint = |x: &Var| tape.adjoint(x, k).unwrap();
                    assert_eq!(adjoint(&x[0]), seed * (64.0 + 32.0 + 4.0), "run {run}");
                    assert_eq!(adjoint(&x[1]), seed * (16.0 + 2.0), "run {run}");
                    assert_eq!(adjoint(&x[2]), seed * (8.0 + 1.0), "run {run}");
                }
            }
            for id in 4..tape.position().id {
                let made = Var { value: 0.0, id, tag: used.tag };
                for k in 0..width {
                    assert_eq!(tape.adjoint(&made, k).unwrap().to_bits(), 0, "id {id}, run {run}");
                }
            }
        }
    }
}

#[test]
fn chain_in_registers_agrees_with_wide_sweep() {
    // The scalar loop passes the adjoint of the value made last in a register; widths do not.
    let mut tape = recording();
    let x = input(&mut tape, 1.0);
    let y = input(&mut tape, 1.0);
    let mut values = vec![x, y];
    let mut state = 12345u32;
    let mut random = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    for _ in 0..5000 {
        let last = values[values.len() - 1];
        let other = values[random(values.len())];
        let arguments = [(0.5, last), (0.25, other), (-0.75, last), (0.125, y)];
        let n = 1 + random(4);
        let from = random(5 - n);
        values.push(statement(&mut tape, 1.0, &arguments[from..from + n]));
    }
    let mut results = Vec::new();
    for width in [1, 2] {
        tape.set_width(width).unwrap();
        for value in values.iter().skip(4000) {
            tape.seed(value, 1.0, 0).unwrap();
        }
        reverse(&mut tape);
        results.push([adjoint(&tape, &x).to_bits(), adjoint(&tape, &y).to_bits()]);
        tape.clear_adjoints().unwrap();
    }
    assert_eq!(results[0], results[1]);
}

/// A companion that counts the sweeps that it takes part in, and one that refuses them.
#[derive(Default)]
struct Counting {
    begun: usize,
    ended: usize,
}

#[derive(Default)]
struct Refusing {
    begins: bool,
    ends: bool,
}

fn refusal(refuses: bool) -> Result<()> {
    if refuses { Err(Error::new(Code::Mismatch, "refused")) } else { Ok(()) }
}

impl Companion for Counting {
    fn begin(&mut self, _: &Position, _: &Position, _: &Position, _: bool, _: bool) -> Result<()> {
        self.begun += 1;
        Ok(())
    }
    fn withdraw(&mut self) {
        self.begun -= 1;
    }
    fn end(&mut self, _: bool) -> Result<()> {
        self.ended += 1;
        Ok(())
    }
}

impl Companion for Refusing {
    fn begin(&mut self, _: &Position, _: &Position, _: &Position, _: bool, _: bool) -> Result<()> {
        refusal(self.begins)
    }
    fn withdraw(&mut self) {
        panic!("it has not begun");
    }
    fn end(&mut self, _: bool) -> Result<()> {
        refusal(self.ends)
    }
}

#[test]
fn test_companions_begin_and_end_together() {
    let mut tape = recording();
    let x = input(&mut tape, 3.0);
    let y = mul(&mut tape, x, x);
    tape.companion::<Counting>();
    tape.companion::<Refusing>().begins = true;
    let (top, bottom) = (tape.position(), tape.base());

    let refused = range(&mut tape, &top, &bottom).expect_err("it refuses to begin");
    assert_eq!(refused.code, Code::Mismatch);
    let Counting { begun, ended } = *tape.companion::<Counting>();
    assert_eq!((begun, ended), (0, 0));

    *tape.companion::<Refusing>() = Refusing::default();
    tape.seed(&y, 1.0, 0).unwrap();
    reverse(&mut tape);
    assert_eq!(adjoint(&tape, &x), 6.0);
    let Counting { begun, ended } = *tape.companion::<Counting>();
    assert_eq!((begun, ended), (1, 1));
}

#[test]
fn test_companions_all_end() {
    let mut tape = recording();
    let x = input(&mut tape, 3.0);
    mul(&mut tape, x, x);
    tape.companion::<Refusing>().ends = true;
    tape.companion::<Counting>();
    let (top, bottom) = (tape.position(), tape.base());

    let refused = range(&mut tape, &top, &bottom).expect_err("it refuses to end");
    assert_eq!(refused.code, Code::Mismatch);
    let Counting { begun, ended } = *tape.companion::<Counting>();
    assert_eq!((begun, ended), (1, 1));
}

#[test]
fn test_a_width_that_no_sweep_has_is_refused() {
    let mut tape = recording();
    let x = input(&mut tape, 3.0);
    let y = mul(&mut tape, x, x);
    assert!(tape.set_width(2 * WIDEST).is_err());
    tape.width = 2 * WIDEST;
    tape.seed(&y, 1.0, 0).unwrap();
    let (top, bottom) = (tape.position(), tape.base());
    let refused = range(&mut tape, &top, &bottom).expect_err("no loop is as wide");
    assert_eq!((refused.code, refused.message.contains("width = 32")), (Code::Argument, true));
}

#[test]
fn test_precomputed_chains_statements_that_are_full() {
    let mut tape = recording();
    let most = wide32(MAX_ARGUMENTS);
    for n in [most - 1, most, most + 1, 2 * most - 1, 2 * most] {
        let before = tape.statistics();
        let operands: Vec<Var> = (0..n).map(|_| input(&mut tape, 1.0)).collect();
        let partials: Vec<f64> = (1..).map(f64::from).take(n).collect();
        let id = tape.precomputed(&operands, &partials).unwrap();
        let y = tape.value(0.0, id, 0);
        let statements = tape.statistics().statements - before.statements;
        let arguments = tape.statistics().arguments - before.arguments;
        // Each but the first begins with the sum of those before.
        assert_eq!(arguments - statements + 1, n as u64);
        assert_eq!(wide(statements), (n - 1).div_ceil(most - 1));
        tape.seed(&y, 1.0, 0).unwrap();
        reverse(&mut tape);
        let adjoints = operands.iter().map(|x| adjoint(&tape, x));
        assert!(adjoints.eq(partials.iter().copied()));
    }
}
