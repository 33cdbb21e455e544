//! Operations on matrices, each one event with its reverse function.
#![forbid(unsafe_code)]

mod arrange;
mod dense;
mod gather;
mod product;

pub use arrange::{concatenate, cumulative_sum, indices, scatter_add};
pub use gather::gather;
pub use product::multiply;
