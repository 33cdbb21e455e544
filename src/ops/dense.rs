//! Parts of matrices as the linear algebra sees them: where they lie, if their columns or rows are contiguous, and
//! otherwise as copies.

use crate::tape::{Adjoint, Operand, Part};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// `rows * cols` values, column by column.
pub fn dense(values: &[f64], rows: usize, cols: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(values, rows, cols)
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

/// The values of an operand. `copy` holds them where they cannot be seen as they lie.
pub fn values<'a>(operand: &'a Operand, copy: &'a mut Vec<f64>) -> MatRef<'a, f64> {
    let Part { rows, cols, row_step, col_step, offset } = *operand.part();
    let seen = operand.values();
    match lie(rows, cols, row_step, col_step) {
        Lie::Columns(step) => MatRef::from_column_major_slice_with_stride(seen, rows, cols, step),
        Lie::Rows(step) => MatRef::from_row_major_slice_with_stride(seen, rows, cols, step),
        Lie::Scattered => {
            copy.extend(operand.part().places().map(|k| seen[k - offset]));
            dense(copy, rows, cols)
        }
    }
}

/// Direction `k` of `width`, column by column.
pub fn direction(adjoints: &[f64], width: usize, k: usize) -> Vec<f64> {
    adjoints.iter().skip(k).step_by(width).copied().collect()
}

/// Adds `a * b` to direction `k` of the adjoints of a part.
pub fn add_product(
    to: &mut Adjoint<'_>,
    (width, k): (usize, usize),
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
) {
    let (rows, cols) = (a.nrows(), b.ncols());
    let Adjoint { values, row_step, col_step } = to;
    let there = match lie(rows, cols, *row_step, *col_step) {
        _ if width > 1 => None,
        Lie::Columns(step) => {
            Some(MatMut::from_column_major_slice_with_stride_mut(values, rows, cols, step))
        }
        // Not by faer's function for rows, which in 0.24 makes columns of them.
        Lie::Rows(step) => {
            let columns = MatMut::from_column_major_slice_with_stride_mut(values, cols, rows, step);
            Some(columns.transpose_mut())
        }
        Lie::Scattered => None,
    };
    if let Some(there) = there {
        matmul(there, Accum::Add, a, b, 1.0, Par::Seq);
        return;
    }
    let mut product = vec![0.0; rows * cols];
    let apart = MatMut::from_column_major_slice_mut(&mut product, rows, cols);
    matmul(apart, Accum::Replace, a, b, 1.0, Par::Seq);
    for (at, value) in product.iter().enumerate() {
        values[at % rows * *row_step + at / rows * *col_step + k] += value;
    }
}
