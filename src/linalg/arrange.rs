//! Operations that move elements: running sums, matrices side by side, and sums to indexed places.

use super::dense::{dense_mut, values};
use super::operation::{Operation, Recorder, Weights};
use crate::error::{Code, Error, Result};
use crate::matrix::{Operand, Owned, indices};
use crate::tape::Tape;

struct CumulativeSum {
    a: Operand,
}

impl Operation<1> for CumulativeSum {
    const NAME: &'static str = "cumulative_sum";

    /// Each element is in all sums from its own on.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        sweep.each(|[w], to| {
            to.add_to(&self.a, |mut adjoint| {
                let mut sum = 0.0;
                for j in (0..w.ncols()).rev() {
                    for i in (0..w.nrows()).rev() {
                        sum += w[(i, j)];
                        adjoint[(i, j)] += sum;
                    }
                }
            })
        })
    }
}

/// The sums of the elements up to each, column by column.
pub fn cumulative_sum(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let (m, n) = (a.part().rows, a.part().cols);
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut c = recorder.matrix(m, n)?;
    let (seen, mut to, mut sum) = (values(&a), dense_mut(c.fresh_values(), m, n), 0.0);
    for j in 0..n {
        for i in 0..m {
            sum += seen.mat()[(i, j)];
            to[(i, j)] = sum;
        }
    }
    recorder.keep(&a, false)?;
    recorder.record([&c], CumulativeSum { a })?;
    Ok(c)
}

/// A part of a result that was taken from an operand: its first row and column.
struct Placed {
    operand: Operand,
    row: usize,
    col: usize,
}

struct Concatenation {
    placed: Vec<Placed>,
}

impl Operation<1> for Concatenation {
    const NAME: &'static str = "concatenate";

    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        sweep.each(|[w], to| {
            self.placed.iter().try_for_each(|&Placed { ref operand, row, col }| {
                to.add(operand, |i, j| w[(row + i, col + j)])
            })
        })
    }
}

/// Matrices below each other, or side by side.
pub fn concatenate(tape: Option<&mut Tape>, parts: &[Operand], below: bool) -> Result<Owned> {
    let (mut rows, mut cols) = (0usize, 0usize);
    let mut placed = Vec::with_capacity(parts.len());
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
        let (row, col) = if below { (rows, 0) } else { (0, cols) };
        placed.push(Placed { operand, row, col });
        let (end, more, what) =
            if below { (&mut rows, part.rows, "rows") } else { (&mut cols, part.cols, "columns") };
        // Parts of no elements may have any number of them.
        *end = end.checked_add(more).filter(|&n| i64::try_from(n).is_ok()).ok_or_else(|| {
            Error::new(Code::Argument, format!("the {what} up to part[{k}] are past 2^63"))
        })?;
    }
    let operands: Vec<&Operand> = parts.iter().collect();
    let mut recorder = Recorder::new(tape, &operands);
    let mut c = recorder.matrix(rows, cols)?;
    let mut to = dense_mut(c.fresh_values(), rows, cols);
    for Placed { operand, row, col } in &placed {
        let (m, n) = (operand.part().rows, operand.part().cols);
        to.as_mut().submatrix_mut(*row, *col, m, n).copy_from(values(operand).mat());
    }
    for operand in parts {
        recorder.keep(operand, false)?;
    }
    recorder.record([&c], Concatenation { placed })?;
    Ok(c)
}

struct ScatterAdd {
    a: Operand,
    b: Operand,
    places: Box<[usize]>,
}

impl Operation<1> for ScatterAdd {
    const NAME: &'static str = "scatter_add";

    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let (rows, rows_of_b) = (self.a.part().rows, self.b.part().rows);
        sweep.each(|[w], to| {
            to.add(&self.a, |i, j| w[(i, j)])?;
            to.add(&self.b, |i, j| {
                let place = self.places[i + j * rows_of_b];
                w[(place % rows, place / rows)]
            })
        })
    }
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
    let (m, n) = (a.part().rows, a.part().cols);
    let mut recorder = Recorder::new(tape, &[&a, &b]);
    let mut c = recorder.matrix(m, n)?;
    let to = c.fresh_values();
    dense_mut(to, m, n).copy_from(values(&a).mat());
    let (seen, rows_of_b) = (values(&b), b.part().rows);
    for (k, &place) in places.iter().enumerate() {
        to[place] += seen.mat()[(k % rows_of_b, k / rows_of_b)];
    }
    recorder.keep(&a, false)?;
    recorder.keep(&b, false)?;
    recorder.record([&c], ScatterAdd { a, b, places: places.into() })?;
    Ok(c)
}
