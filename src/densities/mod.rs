//! Log densities, each one event: of independent observations, and of vectors that are normally distributed.
#![forbid(unsafe_code)]

mod independent;
mod multi_normal;

pub use independent::{BernoulliLogit, Density, Gamma, Normal, PoissonLog, StudentT, log_density};
pub use multi_normal::{Scale, multi_normal};
