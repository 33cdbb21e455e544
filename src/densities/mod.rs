//! Log densities, each one event: of independent observations, of such with a linear predictor, and of vectors that are
//! normally distributed.
#![forbid(unsafe_code)]

mod glm;
mod independent;
mod multi_normal;

pub use glm::{bernoulli_logit_glm, normal_id_glm, poisson_log_glm};
pub use independent::{BernoulliLogit, Density, Gamma, Normal, PoissonLog, StudentT, log_density};
pub use multi_normal::{Scale, multi_normal};
