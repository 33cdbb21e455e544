//! Matrices against scalars. A file is named after what it tests; here is what they share.

mod bound;
mod element_buffer;
mod journal;
mod part;
mod random;
mod runs;

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
