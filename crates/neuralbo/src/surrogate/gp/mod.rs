//! The Gaussian-process surrogate: exact inference, fitted hyper-parameters, analytic gradients and pathwise samples.
//!
//! * `kernel`: the correlation functions and their matrices, by matrix products.
//! * `hyper`: the hyper-parameters, their bounds and priors; `likelihood`: log marginal likelihood and its gradient;
//!   `optimize`: their maximization; `schedule`: when, and on which rows, that is done.
//! * `condition`: the growing factor; `posterior` and `sample`: what is predicted and drawn.
//!
//! References: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapters 2, 4 and 5, cited as RW.

mod condition;
mod hyper;
mod kernel;
mod likelihood;
mod optimize;
mod posterior;
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
pub use settings::{GpSettings, GpSettingsError};
pub use surrogate::{FittedHyperParameters, GaussianProcess};
