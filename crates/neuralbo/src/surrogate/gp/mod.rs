//! The Gaussian-process surrogate: exact inference, fitted hyper-parameters, analytic gradients and pathwise samples.
//!
//! * `kernel`: the correlation functions and their matrices, by matrix products.
//! * `hyper`: the hyper-parameters, their bounds and priors; `likelihood`: log marginal likelihood and its gradient;
//!   `optimize`: their maximization; `schedule`: when, and on which rows, that is done.
//! * `covariance`: the process for [`gaussian`](super::gaussian); `sample`: functions of its prior.
//!
//! References: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapters 2, 4 and 5, cited as RW.

mod covariance;
mod hyper;
mod kernel;
mod likelihood;
mod optimize;
mod sample;
mod schedule;
mod settings;
mod surrogate;
#[cfg(test)]
mod tests;

pub use hyper::HyperParameters;
pub use kernel::Kernel;
pub use likelihood::{
    LikelihoodGradient, log_marginal_likelihood, log_marginal_likelihood_gradient,
};
pub use settings::GpSettings;
pub use surrogate::{FittedHyperParameters, GaussianProcess};
