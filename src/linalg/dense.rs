//! Parts of matrices as faer sees them: where they lie, if their columns or rows are contiguous, and otherwise as copies.

use crate::error::{Code, Error, Result};
use crate::matrix::{Adjoint, Operand, Part};
use faer::dyn_stack::{MemBuffer, StackReq};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::array;

/// `rows * cols` values, column by column.
pub fn dense(values: &[f64], rows: usize, cols: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(values, rows, cols)
}

/// The same, to be written to.
pub fn dense_mut(values: &mut [f64], rows: usize, cols: usize) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(values, rows, cols)
}

/// A matrix of a function's own, with `f(i, j)` as element (i, j).
pub fn filled(rows: usize, cols: usize, f: impl FnMut(usize, usize) -> f64) -> Result<Mat<f64>> {
    let mut made = Mat::new();
    made.try_reserve(rows, cols).map_err(|_| {
        let what = format!("no memory for {rows} x {cols} elements of 8 bytes");
        Error::new(Code::Memory, what)
    })?;
    made.resize_with(rows, cols, f);
    Ok(made)
}

pub fn zeros(rows: usize, cols: usize) -> Result<Mat<f64>> {
    filled(rows, cols, |_, _| 0.0)
}

pub fn identity(n: usize) -> Result<Mat<f64>> {
    filled(n, n, |i, j| f64::from(u8::from(i == j)))
}

pub fn copy(a: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let mut made = zeros(a.nrows(), a.ncols())?;
    made.copy_from(a);
    Ok(made)
}

/// What a function of faer needs beside its arguments.
pub fn workspace(needed: StackReq) -> Result<MemBuffer> {
    MemBuffer::try_new(needed).map_err(|_| {
        let what =
            format!("no memory for the {} bytes that a factorization needs", needed.size_bytes());
        Error::new(Code::Memory, what)
    })
}

/// How the elements of a part lie.
enum Lie {
    Columns(usize),
    Rows(usize),
    Scattered,
}

fn lie(rows: usize, cols: usize, row_step: usize, col_step: usize) -> Lie {
    if (rows <= 1 || row_step == 1) && (cols <= 1 || col_step >= rows) {
        Lie::Columns(col_step.max(rows))
    } else if (cols <= 1 || col_step == 1) && (rows <= 1 || row_step >= cols) {
        Lie::Rows(row_step.max(cols))
    } else {
        Lie::Scattered
    }
}

/// The values of an operand.
pub enum Values<'a> {
    There(MatRef<'a, f64>),
    Copied(Mat<f64>),
}

impl Values<'_> {
    pub fn mat(&self) -> MatRef<'_, f64> {
        match self {
            Self::There(there) => *there,
            Self::Copied(copy) => copy.as_ref(),
        }
    }
}

pub fn values(operand: &Operand) -> Values<'_> {
    let Part { rows, cols, row_step, col_step, .. } = *operand.part();
    let seen = operand.values();
    match lie(rows, cols, row_step, col_step) {
        Lie::Columns(step) => {
            Values::There(MatRef::from_column_major_slice_with_stride(seen, rows, cols, step))
        }
        Lie::Rows(step) => {
            Values::There(MatRef::from_row_major_slice_with_stride(seen, rows, cols, step))
        }
        Lie::Scattered => {
            let element = |i: usize, j: usize| seen[i * row_step + j * col_step];
            Values::Copied(Mat::from_fn(rows, cols, element))
        }
    }
}

/// From how many rows and columns on a second factor that lies by rows is copied. faer takes it four columns at a time, for
/// which it goes through all pages (bench_linalg).
const WORTH_COPYING: usize = 200;

/// A large matrix that lies by rows, column by column. None of another, and none without memory for it.
fn by_columns(a: MatRef<'_, f64>) -> Option<Mat<f64>> {
    // Eight columns are written side by side, from a line of the cache of each of two rows.
    const COLS: usize = 8;
    const ROWS: usize = 2;
    let groups = |n: usize, of: usize| (0..n).step_by(of).map(move |first| first.min(n - of));
    if a.row_stride() == 1 {
        return None;
    }
    let rows = a.transpose().try_as_col_major()?;
    let mut copy = zeros(a.nrows(), a.ncols()).ok()?;
    for j in groups(a.ncols(), COLS) {
        for i in groups(a.nrows(), ROWS) {
            let from: [&[f64]; ROWS] = array::from_fn(|p| &rows.col(i + p).as_slice()[j..j + COLS]);
            for q in 0..COLS {
                let to = &mut copy.col_as_slice_mut(j + q)[i..i + ROWS];
                to.copy_from_slice(&from.map(|row| row[q]));
            }
        }
    }
    Some(copy)
}

/// `to += factor * a * b`, or `to = factor * a * b`. Of a triangle only that is written.
#[inline]
pub fn product(
    to: MatMut<'_, f64>,
    triangle: BlockStructure,
    accum: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    factor: f64,
) {
    const ALL: BlockStructure = BlockStructure::Rectangular;
    let least = a.nrows().min(b.nrows()).min(b.ncols());
    let copy = if least < WORTH_COPYING { None } else { by_columns(b) };
    let b = copy.as_ref().map_or(b, Mat::as_ref);
    match triangle {
        ALL => faer::linalg::matmul::matmul(to, accum, a, b, factor, Par::Seq),
        _ => triangular::matmul(to, triangle, accum, a, ALL, b, ALL, factor, Par::Seq),
    }
}

/// `a * b`.
pub fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let mut c = zeros(a.nrows(), b.ncols())?;
    product(c.as_mut(), BlockStructure::Rectangular, Accum::Replace, a, b, 1.0);
    Ok(c)
}

/// Lets `f` add to direction `k` of the adjoints of a part with this many rows and columns: there, or, where they cannot be
/// seen as a matrix, to zeros that are added afterwards.
pub fn add_to(
    to: Adjoint<'_>,
    (width, k): (usize, usize),
    (rows, cols): (usize, usize),
    f: impl FnOnce(MatMut<'_, f64>),
) -> Result<()> {
    let Adjoint { values, row_step, col_step } = to;
    match lie(rows, cols, row_step, col_step) {
        Lie::Columns(step) if width == 1 => {
            f(MatMut::from_column_major_slice_with_stride_mut(values, rows, cols, step));
        }
        // Not by faer's function for rows, which in 0.24 makes columns of them.
        Lie::Rows(step) if width == 1 => {
            let columns = MatMut::from_column_major_slice_with_stride_mut(values, cols, rows, step);
            f(columns.transpose_mut());
        }
        _ => {
            let mut apart = zeros(rows, cols)?;
            f(apart.as_mut());
            for j in 0..cols {
                for (i, value) in apart.col_as_slice(j).iter().enumerate() {
                    values[i * row_step + j * col_step + k] += value;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_factors_that_lie_by_rows_are_copied() {
        let (m, k, n) = (WORTH_COPYING, WORTH_COPYING + 3, WORTH_COPYING + 13);
        let a = Mat::from_fn(m, k, |i, j| ((7 * i + 3 * j) % 11) as f64);
        let room = Mat::from_fn(n + 5, k + 2, |i, j| ((i * i + 5 * j) % 17) as f64);
        // Of a larger matrix, and whole.
        for lying in [room.submatrix(2, 1, n, k), room.as_ref()] {
            let b = lying.transpose().subrows(0, k);
            let copy = by_columns(b).unwrap();
            assert_eq!(copy, b);
            let mut c = Mat::full(m, b.ncols(), 0.5);
            product(c.as_mut(), BlockStructure::Rectangular, Accum::Add, a.as_ref(), b, 2.0);
            for (i, j) in [(0, 0), (m - 1, b.ncols() - 1), (m / 2, b.ncols() / 3), (3, 201)] {
                let sum: f64 = (0..k).map(|l| a[(i, l)] * b[(l, j)]).sum();
                assert_eq!(c[(i, j)], 0.5 + 2.0 * sum, "element ({i}, {j})");
            }
        }
        assert!(by_columns(room.as_ref()).is_none());
    }
}
