//! Operations on matrices, each one event with its reverse function.
#![forbid(unsafe_code)]

mod arrange;
mod cholesky;
mod dense;
mod density;
mod diagonal;
mod gather;
mod lu;
mod multi_normal;
mod multiply;
mod operation;
mod qr;
mod scaled;
mod sparse;
mod spectral;
mod sum;
mod triangular;

pub use arrange::{concatenate, cumulative_sum, indices, scatter_add};
pub use cholesky::{cholesky, inverse_spd, log_determinant_spd, solve_spd};
pub use density::{BernoulliLogit, Density, Gamma, Normal, PoissonLog, StudentT, log_density};
pub use diagonal::{diag, diag_post_multiply, diag_pre_multiply};
pub use gather::gather;
pub use lu::{determinant, inverse, log_determinant, lu, solve};
pub use multi_normal::{Scale, multi_normal};
pub use multiply::{multiply, quad_form, tcrossprod};
pub use qr::qr;
pub use sparse::{Pattern, sparse_multiply};
pub use spectral::{eigen_sym, eigenvalues_sym, singular_values, svd};
pub use sum::{sum, trace};
pub use triangular::{Triangle, solve_triangular};
