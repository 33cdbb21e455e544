//! Operations that move elements: running sums, matrices side by side, and sums to indexed places.

use crate::error::{Code, Error, Result};
use crate::tape::{Adjoint, Event, Operand, Owned, Stored, Sweep, Tape};

/// The values of an operand, column by column.
fn values(operand: &Operand) -> impl Iterator<Item = f64> {
    let seen = operand.values();
    operand.part().places().map(move |k| seen[k - operand.part().offset])
}

/// Where the adjoints of an operand's elements begin, column by column.
fn places(
    operand: &Operand,
    adjoint: &Adjoint<'_>,
) -> impl DoubleEndedIterator<Item = usize> + use<> {
    let (rows, row_step, col_step) = (operand.part().rows, adjoint.row_step, adjoint.col_step);
    (0..operand.part().len()).map(move |k| k % rows * row_step + k / rows * col_step)
}

/// A matrix of `rows` x `cols` elements whose values `fill` writes; `event` makes the event if it is to be recorded.
fn operation<E: Event>(
    tape: Option<&mut Tape>,
    (rows, cols): (usize, usize),
    operands: &[Operand],
    fill: impl FnOnce(&mut [f64]),
    event: impl FnOnce(&mut Tape) -> Result<Box<dyn FnOnce(u32) -> E>>,
) -> Result<Owned> {
    let Some(tape) = tape.filter(|tape| tape.recording()) else {
        let mut result = Owned::zeros(rows, cols);
        fill(result.fresh_values());
        return Ok(result);
    };
    let mut result = tape.matrix(rows, cols)?;
    fill(result.fresh_values());
    if operands.iter().any(Operand::is_active) {
        for operand in operands {
            tape.keep_operand(operand, false)?;
        }
        let event = event(tape)?;
        let first = tape.record(rows * cols, |first, _| event(first))?;
        tape.activate(&result, first);
    }
    Ok(result)
}

struct Cumulated {
    a: Operand,
    first: u32,
}

impl Event for Cumulated {
    const NAME: &'static str = "cumulative_sum";

    /// Each element is in all sums from its own on.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let (mut operands, out) = sweep.split(self.first, self.a.part().len());
        operands.add(&self.a, |adjoint| {
            let mut sums = [0.0; 16];
            for (w, place) in out.chunks_exact(width).rev().zip(places(&self.a, &adjoint).rev()) {
                let adjoints = &mut adjoint.values[place..place + width];
                for ((sum, w), adjoint) in sums.iter_mut().zip(w).zip(adjoints) {
                    *sum += w;
                    *adjoint += *sum;
                }
            }
        })?;
        out.fill(0.0);
        Ok(())
    }
}

/// The sums of the elements up to each, column by column.
pub fn cumulative_sum(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let fill = |out: &mut [f64]| {
        let mut sum = 0.0;
        for (out, x) in out.iter_mut().zip(values(&a)) {
            sum += x;
            *out = sum;
        }
    };
    let shape = (a.part().rows, a.part().cols);
    operation(tape, shape, &[a], fill, |_| Ok(Box::new(move |first| Cumulated { a, first })))
}

/// A part of a result that was taken from an operand: its first row and column.
#[derive(Clone, Copy)]
struct Piece {
    operand: Operand,
    row: usize,
    col: usize,
}

struct Joined {
    pieces: Vec<Piece>,
    rows: usize,
    cols: usize,
    first: u32,
}

impl Piece {
    /// The places of its elements in a result of `rows` rows, column by column.
    fn places(self, rows: usize) -> impl Iterator<Item = usize> {
        let part = *self.operand.part();
        (0..part.cols)
            .flat_map(move |j| (0..part.rows).map(move |i| self.row + i + (self.col + j) * rows))
    }
}

impl Event for Joined {
    const NAME: &'static str = "concatenate";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let (mut operands, out) = sweep.split(self.first, self.rows * self.cols);
        for piece in &self.pieces {
            operands.add(&piece.operand, |adjoint| {
                let to = places(&piece.operand, &adjoint);
                for (from, to) in piece.places(self.rows).zip(to) {
                    let w = &out[from * width..(from + 1) * width];
                    for (adjoint, w) in adjoint.values[to..to + width].iter_mut().zip(w) {
                        *adjoint += w;
                    }
                }
            })?;
        }
        out.fill(0.0);
        Ok(())
    }
}

/// Matrices below each other, or side by side.
pub fn concatenate(tape: Option<&mut Tape>, parts: &[Operand], below: bool) -> Result<Owned> {
    let (mut rows, mut cols) = (0, 0);
    let mut pieces = Vec::with_capacity(parts.len());
    for (k, &operand) in parts.iter().enumerate() {
        let part = operand.part();
        let (own, common, what) =
            if below { (part.cols, &mut cols, "columns") } else { (part.rows, &mut rows, "rows") };
        if k == 0 {
            *common = own;
        } else if *common != own {
            return Err(Error::new(
                Code::Argument,
                format!("part[{k}] has {own} {what}, and those before it have {common}"),
            ));
        }
        let place = if below { (rows, 0) } else { (0, cols) };
        pieces.push(Piece { operand, row: place.0, col: place.1 });
        *(if below { &mut rows } else { &mut cols }) += if below { part.rows } else { part.cols };
    }
    let fill = |out: &mut [f64]| {
        for piece in &pieces {
            for (place, value) in piece.places(rows).zip(values(&piece.operand)) {
                out[place] = value;
            }
        }
    };
    operation(tape, (rows, cols), parts, fill, |_| {
        let pieces = pieces.clone();
        Ok(Box::new(move |first| Joined { pieces, rows, cols, first }))
    })
}

struct Scattered {
    a: Operand,
    b: Operand,
    places: Stored<u64>,
    first: u32,
}

impl Event for Scattered {
    const NAME: &'static str = "scatter_add";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let index: Vec<usize> =
            sweep.stored(&self.places).iter().map(|&k| crate::count::wide(k)).collect();
        let (mut operands, out) = sweep.split(self.first, self.a.part().len());
        let mut add = |operand: &Operand, from: &mut dyn Iterator<Item = usize>| {
            operands.add(operand, |adjoint| {
                for (from, to) in from.zip(places(operand, &adjoint)) {
                    let w = &out[from * width..(from + 1) * width];
                    for (adjoint, w) in adjoint.values[to..to + width].iter_mut().zip(w) {
                        *adjoint += w;
                    }
                }
            })
        };
        add(&self.a, &mut (0..self.a.part().len()))?;
        add(&self.b, &mut index.iter().copied())?;
        out.fill(0.0);
        Ok(())
    }
}

/// The places that are named, each below `n`.
pub fn indices(name: &str, index: &[i64], n: usize) -> Result<Vec<usize>> {
    let check = |(k, &place): (usize, &i64)| {
        usize::try_from(place).ok().filter(|&place| place < n).ok_or_else(|| {
            Error::new(
                Code::Range,
                format!("{name}[{k}] = {place} is not a place among {n} elements"),
            )
        })
    };
    index.iter().enumerate().map(check).collect()
}

/// A copy of `a`, to whose elements at `index`, column by column, those of `b` are added; places may repeat.
pub fn scatter_add(
    tape: Option<&mut Tape>,
    a: Operand,
    index: &[i64],
    b: Operand,
) -> Result<Owned> {
    let places = indices("index", index, a.part().len())?;
    if places.len() != b.part().len() {
        return Err(Error::new(
            Code::Argument,
            format!("n = {}, but b has {} elements", places.len(), b.part().len()),
        ));
    }
    let fill = |out: &mut [f64]| {
        for (out, x) in out.iter_mut().zip(values(&a)) {
            *out = x;
        }
        for (&place, x) in places.iter().zip(values(&b)) {
            out[place] += x;
        }
    };
    operation(tape, (a.part().rows, a.part().cols), &[a, b], fill, |tape| {
        let kept: Vec<u64> = places.iter().map(|&place| place as u64).collect();
        let places = tape.store_from(&kept)?;
        Ok(Box::new(move |first| Scattered { a, b, places, first }))
    })
}
