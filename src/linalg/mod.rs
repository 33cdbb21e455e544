//! Linear algebra: operations on matrices, each one event with its reverse function.
#![forbid(unsafe_code)]

mod arrange;
mod cholesky;
mod dense;
mod diagonal;
mod elementwise;
mod lu;
mod multiply;
mod operation;
mod qr;
mod scaled;
mod sparse;
mod spectral;
mod sum;
mod triangular;

pub use arrange::{concatenate, cumulative_sum, scatter_add};
pub use cholesky::{
    cholesky, factored_as, inverse_of, inverse_spd, log_determinant_spd, solve_spd,
};
pub use dense::{dense, values};
pub use diagonal::{diag, diag_post_multiply, diag_pre_multiply};
pub use elementwise::{map, map_all, map2};
pub use lu::{determinant, inverse, log_determinant, lu, solve};
pub use multiply::{multiply, quad_form, tcrossprod};
pub use operation::{Recorder, vector};
pub use qr::qr;
pub use sparse::sparse_multiply;
pub use spectral::{eigen_sym, eigenvalues_sym, singular_values, svd};
pub use sum::{sum, total, trace};
pub use triangular::{solve_lower, solve_upper};
