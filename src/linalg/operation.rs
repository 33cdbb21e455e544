//! What all operations of linear algebra share: one event, with what it reads again, and its reverse function.
//!
//! An operation has three steps. It computes its results in matrices that its `Recorder` makes, in the tape if the operation will be
//! recorded. It tells what its reverse function reads: operands, results, and factors, which are matrices in the tape that
//! nobody else knows; nothing of it is copied. It records. Without an active operand the last two do nothing.

use super::dense::{add_to, dense, product};
use crate::error::{Code, Error, Result};
use crate::matrix::{Adjoint, Operand, Owned, Part};
use crate::tape::{Event, Operands, Sweep, Tape, Var};
use faer::linalg::matmul::triangular::BlockStructure;
use faer::{Accum, MatMut, MatRef};
use std::borrow::Cow;

/// An operation with `R` results, as its event remembers it.
pub trait Operation<const R: usize>: 'static {
    /// The function, for messages.
    const NAME: &'static str;

    /// Adds to the adjoints of the operands. Not called where those of all results are zero.
    fn reverse(&self, sweep: &mut Weights<'_, R>) -> Result<()>;
}

struct Recorded<O, const R: usize> {
    operation: O,
    first: u32,
    shapes: [(usize, usize); R],
}

impl<O: Operation<R>, const R: usize> Event for Recorded<O, R> {
    const NAME: &'static str = O::NAME;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let n = self.shapes.iter().map(|(rows, cols)| rows * cols).sum();
        let width = sweep.width();
        let (operands, results) = sweep.split(self.first, n);
        // Infinite values are none of the business of adjoints that are zero.
        if results.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let mut weights = Weights { operands, results, shapes: self.shapes, width };
        self.operation.reverse(&mut weights)?;
        weights.results.fill(0.0);
        Ok(())
    }
}

/// The adjoints of an operation's results in a sweep, and the way to those of its operands.
pub struct Weights<'s, const R: usize> {
    operands: Operands<'s>,
    results: &'s mut [f64],
    shapes: [(usize, usize); R],
    width: usize,
}

impl<const R: usize> Weights<'_, R> {
    /// Calls `f` with the adjoints of the results in each direction where they are not all zero.
    pub fn each(
        &mut self,
        mut f: impl FnMut([MatRef<'_, f64>; R], &mut Target<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        let width = self.width;
        for k in 0..width {
            let all: Cow<'_, [f64]> = match width {
                1 => Cow::Borrowed(self.results),
                _ => self.results.iter().skip(k).step_by(width).copied().collect(),
            };
            if width > 1 && all.iter().all(|&w| w == 0.0) {
                continue;
            }
            let mut rest = &all[..];
            let weights = self.shapes.map(|(rows, cols)| {
                let (these, others) = rest.split_at(rows * cols);
                rest = others;
                dense(these, rows, cols)
            });
            f(weights, &mut Target { operands: &mut self.operands, width, k })?;
        }
        Ok(())
    }
}

/// The adjoints of the operands in one direction. Nothing is computed for those that are passive.
pub struct Target<'a, 's> {
    operands: &'a mut Operands<'s>,
    width: usize,
    k: usize,
}

impl Target<'_, '_> {
    /// Adds `factor * a * b`.
    pub fn add_product(
        &mut self,
        to: &Operand,
        a: MatRef<'_, f64>,
        b: MatRef<'_, f64>,
        factor: f64,
    ) -> Result<()> {
        self.add_triangle(to, BlockStructure::Rectangular, a, b, factor)
    }

    /// Adds a triangle of `factor * a * b`.
    pub fn add_triangle(
        &mut self,
        to: &Operand,
        triangle: BlockStructure,
        a: MatRef<'_, f64>,
        b: MatRef<'_, f64>,
        factor: f64,
    ) -> Result<()> {
        self.add_to(to, |sum| product(sum, triangle, Accum::Add, a, b, factor))
    }

    /// Lets `f` add to the adjoints.
    pub fn add_to(&mut self, to: &Operand, f: impl FnOnce(MatMut<'_, f64>)) -> Result<()> {
        let (direction, shape) = ((self.width, self.k), (to.part().rows, to.part().cols));
        let mut added = Ok(());
        self.operands.add(to, |adjoint| added = add_to(adjoint, direction, shape, f))?;
        added
    }

    /// Adds `f(i, j)` to the adjoint of element (i, j), for `i` from `first(j)` on.
    fn add_from(
        &mut self,
        to: &Operand,
        first: impl Fn(usize) -> usize,
        f: impl Fn(usize, usize) -> f64,
    ) -> Result<()> {
        let (rows, cols, k) = (to.part().rows, to.part().cols, self.k);
        self.operands.add(to, |Adjoint { values, row_step, col_step }| {
            for j in 0..cols {
                let top = first(j);
                if top >= rows {
                    break;
                }
                let column = &mut values[top * row_step + j * col_step + k..];
                // Side by side they are added many at a time.
                if row_step == 1 {
                    column.iter_mut().zip(top..rows).for_each(|(x, i)| *x += f(i, j));
                } else {
                    let column = column.iter_mut().step_by(row_step.max(1));
                    column.zip(top..rows).for_each(|(x, i)| *x += f(i, j));
                }
            }
        })
    }

    /// Adds `f(i, j)` to the adjoint of element (i, j).
    pub fn add(&mut self, to: &Operand, f: impl Fn(usize, usize) -> f64) -> Result<()> {
        self.add_from(to, |_| 0, f)
    }

    /// The same in the lower triangle.
    pub fn add_lower(&mut self, to: &Operand, f: impl Fn(usize, usize) -> f64) -> Result<()> {
        self.add_from(to, |j| j, f)
    }

    /// Adds to the adjoints of a symmetric matrix of which the lower triangle is read: `factor * s` is what both triangles
    /// would get.
    pub fn add_symmetric(&mut self, to: &Operand, factor: f64, s: MatRef<'_, f64>) -> Result<()> {
        self.add_lower(to, |i, j| factor * if i == j { s[(i, i)] } else { s[(i, j)] + s[(j, i)] })
    }
}

/// An operation on its way: makes its matrices, and records it.
pub struct Recorder<'t> {
    /// None if nothing will be recorded.
    tape: Option<&'t mut Tape>,
}

impl<'t> Recorder<'t> {
    pub fn new(tape: Option<&'t mut Tape>, operands: &[&Operand]) -> Self {
        let active = operands.iter().any(|operand| operand.is_active());
        Self { tape: tape.filter(|tape| active && tape.recording()) }
    }

    /// Whether the operation will be recorded.
    pub fn records(&self) -> bool {
        self.tape.is_some()
    }

    /// A matrix for a result or a factor, whose values are to be written.
    pub fn matrix(&mut self, rows: usize, cols: usize) -> Result<Owned> {
        match &mut self.tape {
            Some(tape) => tape.matrix(rows, cols),
            None => Owned::unwritten(rows, cols),
        }
    }

    /// Sees to it that the reverse function finds an operand's ids, and its values if it reads those.
    pub fn keep(&mut self, operand: &Operand, reads_values: bool) -> Result<()> {
        match &mut self.tape {
            Some(tape) => tape.keep_operand(operand, reads_values),
            None => Ok(()),
        }
    }

    /// A matrix that the operation has computed, for the reverse function to read. None if there will be no such function.
    pub fn keep_made(&mut self, made: &Owned) -> Result<Option<Operand>> {
        self.tape.as_mut().map(|tape| tape.keep_made(made)).transpose()
    }

    /// Records the operation, which has computed these results.
    pub fn record<O: Operation<R>, const R: usize>(
        self,
        results: [&Owned; R],
        operation: O,
    ) -> Result<()> {
        let Some(tape) = self.tape else { return Ok(()) };
        let shapes = results.map(Owned::shape);
        let n = shapes.iter().map(|(rows, cols)| rows * cols).sum();
        let mut first = tape.record(n, |first, _| Recorded { operation, first, shapes })?;
        for (result, (rows, cols)) in results.into_iter().zip(shapes) {
            tape.activate(result, first);
            first += u32::try_from(rows * cols).expect("ids that were given out");
        }
        Ok(())
    }

    /// The same for an operation whose result is a scalar.
    pub fn record_scalar<O: Operation<1>>(self, value: f64, operation: O) -> Result<Var> {
        let Some(tape) = self.tape else { return Ok(Var { value, ..Var::default() }) };
        let shapes = [(1, 1)];
        let id = tape.record(1, |first, _| Recorded { operation, first, shapes })?;
        Ok(Var { value, id, tag: tape.tag() })
    }
}

/// An error of the function `call` about an argument.
#[cold]
pub fn refuse(call: &str, what: &str) -> Error {
    Error::new(Code::Argument, format!("{call}: {what}"))
}

/// Rows of a matrix that must be square.
pub fn square(call: &str, name: &str, part: &Part) -> Result<usize> {
    if part.rows == part.cols {
        return Ok(part.rows);
    }
    Err(refuse(call, &format!("{name} is {} x {}, not square", part.rows, part.cols)))
}

/// An error if an element of what is to be factored is infinite or NaN; of its lower triangle if the other is not read.
pub fn finite(call: &str, name: &str, a: MatRef<'_, f64>, lower: bool) -> Result<()> {
    for j in 0..a.ncols() {
        let first = if lower { j } else { 0 };
        if let Some(i) = (first..a.nrows()).find(|&i| !a[(i, j)].is_finite()) {
            let what = format!("{name}({i}, {j}) = {} is not finite", a[(i, j)]);
            return Err(refuse(call, &what));
        }
    }
    Ok(())
}

/// An error unless `fit`, which names both shapes.
pub fn check_shapes(
    call: &str,
    (a, of_a): (&str, &Part),
    (b, of_b): (&str, &Part),
    fit: bool,
) -> Result<()> {
    if fit {
        return Ok(());
    }
    let what =
        format!("{a} is {} x {}, but {b} is {} x {}", of_a.rows, of_a.cols, of_b.rows, of_b.cols);
    Err(refuse(call, &what))
}

/// The operand of a vector as a column, whether it is a row or a column.
pub fn vector(call: &str, name: &str, operand: &Operand) -> Result<Operand> {
    match (operand.part().rows, operand.part().cols) {
        (_, 1) => Ok(*operand),
        (1, _) => Ok(operand.transposed()),
        (rows, cols) => Err(refuse(call, &format!("{name} is {rows} x {cols}, not a vector"))),
    }
}
