//! Steps without MPI: events that double what goes in.

use super::{Argument, Format, Given, Place, Steps, Told};
use crate::error::{Code, Result};
use crate::tape::{self, Event, Ids, Sweep, Var};
use std::ffi::CStr;
use std::ops::Range;

const CALL: &CStr = c"AMPI_Double";
const WAIT: &CStr = c"AMPI_Wait";

struct Doubled {
    operand: Ids,
    first: u32,
    n: usize,
}

impl Event for Doubled {
    const NAME: &'static str = "double";
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut t = sweep.scratch(self.n);
        sweep.take(self.first, self.n, &mut t);
        t.iter_mut().for_each(|t| *t *= 2.0);
        sweep.add(&self.operand, &t);
        sweep.recycle(t);
        Ok(())
    }
}

/// What a call of communication would do: `y = 2 x` for some of the numbers, and the others left alone.
unsafe fn double(x: *const Var, y: *mut Var, which: Range<usize>) {
    let Range { start, end } = which;
    // SAFETY: there are as many. They may be the same.
    let x = unsafe { std::slice::from_raw_parts(x, end) }[start..].to_vec();
    // SAFETY: as above.
    let y = &mut unsafe { std::slice::from_raw_parts_mut(y, end) }[start..];
    let n = x.len();
    let made = tape::current(|tape| {
        let operand = Ids::Range { first: x[0].id, n: u32::try_from(n).unwrap() };
        let first = tape.record(n, |first, _| Doubled { operand, first, n }).unwrap();
        (first, tape.tag())
    });
    let (first, tag) = made.expect("the companion tape is the thread's");
    for (i, (x, y)) in (0u32..).zip(x.iter().zip(y)) {
        *y = Var { value: 2.0 * x.value, id: first + i, tag };
    }
}

fn argument(numbers: &mut [f64], reads: bool, writes: bool) -> Argument {
    let (base, n) = (numbers.as_mut_ptr().cast(), numbers.len());
    let place = Place::Array { base, format: Format::Double };
    Argument { name: c"buf", n, place, reads, writes, turned: false, lent: false }
}

/// # Safety
/// As for `Steps::argument`.
unsafe fn open(steps: &mut Steps, arguments: &[Argument; 2]) -> [*mut Var; 2] {
    steps.open(CALL).unwrap();
    // SAFETY: the caller's promise.
    arguments.clone().map(|argument| unsafe { steps.argument(argument) }.unwrap().cast())
}

/// A step of a call that finds `x` and `y` staged.
fn record(steps: &mut Steps, x: &mut [f64], y: &mut [f64], call: impl FnOnce([*mut Var; 2])) {
    let arguments = [argument(x, true, false), argument(y, false, true)];
    // SAFETY: both arrays are there.
    call(unsafe { open(steps, &arguments) });
    // SAFETY: as above.
    unsafe { steps.close(false) }.unwrap();
}

fn forward(steps: &mut Steps, x: &mut [f64], y: &mut [f64]) {
    let n = x.len();
    // SAFETY: as many are staged.
    record(steps, x, y, |[x, y]| unsafe { double(x, y, 0..n - 1) });
}

const NONE: Given<'static> = Given { adjoints: &[], completed: std::ptr::null_mut() };

fn told(numbers: &mut [f64]) -> Told {
    Told { base: numbers.as_mut_ptr().cast(), shape: None }
}

fn given(adjoints: &[Told]) -> Given<'_> {
    Given { adjoints, ..NONE }
}

fn backward(steps: &mut Steps, xb: &mut [f64], yb: &mut [f64]) -> Result<()> {
    // SAFETY: both arrays are there.
    unsafe { steps.reverse(CALL, &given(&[told(xb), told(yb)])) }
}

#[test]
fn test_steps_take_sweep_and_add() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0, 2.0, 3.0], [7.0; 3]);
    forward(&mut steps, &mut x, &mut y);
    assert_eq!(y, [2.0, 4.0, 7.0]);
    let (mut xb, mut yb) = ([0.5; 3], [1.0, 10.0, 100.0]);
    backward(&mut steps, &mut xb, &mut yb).unwrap();
    // What was not written keeps its adjoint.
    assert_eq!((xb, yb), ([2.5, 20.5, 0.5], [0.0, 0.0, 100.0]));
    assert!(steps.is_empty());
}

#[test]
fn test_steps_of_calls_that_write_the_end_of_a_buffer() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0, 2.0, 3.0], [7.0; 3]);
    // SAFETY: as many are staged.
    record(&mut steps, &mut x, &mut y, |[x, y]| unsafe { double(x, y, 1..3) });
    assert_eq!(y, [7.0, 4.0, 6.0]);
    let (mut xb, mut yb) = ([0.5; 3], [1.0, 10.0, 100.0]);
    backward(&mut steps, &mut xb, &mut yb).unwrap();
    assert_eq!((xb, yb), ([0.5, 20.5, 200.5], [1.0, 0.0, 0.0]));
}

#[test]
fn test_steps_of_calls_that_write_nothing() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0, 2.0, 3.0], [7.0; 3]);
    record(&mut steps, &mut x, &mut y, |_| ());
    let (mut xb, mut yb) = ([0.5; 3], [1.0, 10.0, 100.0]);
    backward(&mut steps, &mut xb, &mut yb).unwrap();
    assert_eq!((y, xb, yb), ([7.0; 3], [0.5; 3], [1.0, 10.0, 100.0]));
}

#[test]
fn test_steps_of_calls_that_write_in_place() {
    for which in [0..3, 0..2, 1..3] {
        let mut steps = Steps::default();
        let mut x = [1.0, 2.0, 3.0];
        // SAFETY: the array is there.
        unsafe {
            steps.open(CALL).unwrap();
            let staged = steps.argument(argument(&mut x, true, true)).unwrap().cast::<Var>();
            double(staged, staged, which.clone());
            steps.close(false).unwrap();
        }
        let mut xb = [1.0, 10.0, 100.0];
        // SAFETY: as above.
        unsafe { steps.reverse(CALL, &given(&[told(&mut xb)])) }.unwrap();
        let (mut y, mut yb) = ([1.0, 2.0, 3.0], [1.0, 10.0, 100.0]);
        y[which.clone()].iter_mut().for_each(|y| *y *= 2.0);
        yb[which].iter_mut().for_each(|yb| *yb *= 2.0);
        assert_eq!((x, xb), (y, yb));
    }
}

#[test]
fn test_steps_are_reversed_from_the_last_one_on() {
    let mut steps = Steps::default();
    let (mut x, mut y, mut z) = ([1.0, 2.0], [0.0; 2], [0.0; 2]);
    forward(&mut steps, &mut x, &mut y);
    forward(&mut steps, &mut y, &mut z);
    let (mut xb, mut yb, mut zb) = ([0.0; 2], [0.0; 2], [1.0; 2]);
    backward(&mut steps, &mut yb, &mut zb).unwrap();
    backward(&mut steps, &mut xb, &mut yb).unwrap();
    assert_eq!(xb, [4.0, 0.0]);
    let error = backward(&mut steps, &mut xb, &mut yb).unwrap_err();
    assert_eq!(error.code, Code::Range);
    assert!(error.message.contains("no call is recorded"), "{error}");
}

#[test]
fn test_steps_of_another_call_are_refused_and_stay() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0, 2.0], [0.0; 2]);
    forward(&mut steps, &mut x, &mut y);
    // SAFETY: no adjoints are touched.
    let error = unsafe { steps.reverse(WAIT, &NONE) }.unwrap_err();
    assert!(error.message.contains("FW_AMPI_Double"), "{error}");
    assert_eq!(steps.len(), 1);
}

#[test]
fn test_steps_leave_nothing_behind() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0; 50], [0.0; 50]);
    forward(&mut steps, &mut x, &mut y);
    let (mut xb, mut yb) = ([0.0; 50], [1.0; 50]);
    let mut last = 0;
    for _ in 0..1000 {
        forward(&mut steps, &mut x, &mut y);
        backward(&mut steps, &mut xb, &mut yb).unwrap();
        last = steps.statistics().ids;
    }
    assert_eq!((last, steps.len()), (99, 1));
    assert!(steps.segments() < 5, "{} segments", steps.segments());
    // The first of them took the adjoints of y.
    assert_eq!((xb[0], xb[49]), (2.0, 0.0));
}

#[test]
fn test_steps_that_failed_leave_nothing_behind() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0; 3], [5.0; 3]);
    let arguments = [argument(&mut x, true, false), argument(&mut y, false, true)];
    // SAFETY: both arrays are there.
    unsafe {
        let staged = open(&mut steps, &arguments);
        double(staged[0], staged[1], 0..2);
        steps.close(true).unwrap();
    }
    assert_eq!((steps.len(), steps.statistics().ids, y), (0, 0, [5.0; 3]));
}

#[test]
fn test_steps_find_by_address_what_a_later_call_completes() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.0, 2.0, 3.0], [0.0; 6]);
    let arguments = [argument(&mut x, true, false), argument(&mut y[2..5], false, true)];
    // SAFETY: both arrays are there.
    unsafe {
        let staged = open(&mut steps, &arguments);
        let number = steps.close_started(std::ptr::null_mut()).unwrap();
        steps.open(WAIT).unwrap();
        double(staged[0], staged[1], 0..2);
        steps.completed(number).unwrap();
        steps.close(false).unwrap();
        assert_eq!(steps.started(number).unwrap_err().code, Code::Argument);
    }
    assert_eq!(y, [0.0, 0.0, 2.0, 4.0, 0.0, 0.0]);
    let (mut xb, mut yb) = ([0.0; 3], [1.0; 6]);
    // SAFETY: both arrays are there.
    unsafe {
        steps.turn(y.as_ptr().addr() + 8, 40, yb[1..].as_mut_ptr().cast());
        steps.reverse(WAIT, &NONE).unwrap();
        assert_eq!(yb, [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
        steps.reverse(CALL, &given(&[told(&mut xb), Told::default()])).unwrap();
    }
    // They came home with the completion, and are added where the start is reversed.
    assert_eq!(xb, [2.0, 2.0, 0.0]);
}

#[test]
fn test_steps_without_adjoints_say_which() {
    let mut steps = Steps::default();
    let mut y = [0.0; 3];
    let mut x = [1.0; 3];
    let arguments = [argument(&mut x, true, false), argument(&mut y, false, true)];
    // SAFETY: both arrays are there.
    let error = unsafe {
        let staged = open(&mut steps, &arguments);
        let number = steps.close_started(std::ptr::null_mut()).unwrap();
        steps.turn(y.as_ptr().addr(), 0, std::ptr::null_mut());
        steps.open(WAIT).unwrap();
        double(staged[0], staged[1], 0..2);
        steps.completed(number).unwrap();
        steps.close(false).unwrap();
        // What was turned before the call is of the steps before.
        steps.reverse(WAIT, &NONE).unwrap_err()
    };
    assert!(
        error.message.contains("buf (address 0x") && error.message.contains("ADTOOL_AMPI_Turn"),
        "{error}"
    );
}

#[test]
fn test_steps_of_floats() {
    let mut steps = Steps::default();
    let (mut x, mut y) = ([1.5f32, 2.5], [0.0f32; 2]);
    let of = |numbers: &mut [f32], reads| {
        let (base, n) = (numbers.as_mut_ptr().cast(), numbers.len());
        let place = Place::Array { base, format: Format::Float };
        Argument { name: c"buf", n, place, reads, writes: !reads, turned: false, lent: false }
    };
    let arguments = [of(&mut x, true), of(&mut y, false)];
    let (mut xb, mut yb) = ([1.0f32; 2], [4.0f32; 2]);
    // SAFETY: the arrays are there.
    unsafe {
        let staged = open(&mut steps, &arguments);
        double(staged[0], staged[1], 0..1);
        steps.close(false).unwrap();
        let told = |numbers: &mut [f32]| Told { base: numbers.as_mut_ptr().cast(), shape: None };
        steps.reverse(CALL, &given(&[told(&mut xb), told(&mut yb)])).unwrap();
    }
    assert_eq!((y, xb, yb), ([3.0, 0.0], [9.0, 1.0], [0.0, 4.0]));
}
