//! The Gaussian-process surrogate: exact inference, fitted hyper-parameters, analytic gradients and pathwise samples.
//!
//! * `kernel`: the correlation functions and their matrices, by matrix products; `arc_cosine`: the kernel of wide networks.
//! * `hyper`: the hyper-parameters, their bounds and priors; `likelihood`: log marginal likelihood and its gradient;
//!   `optimize`: their maximization; `surrogate`: when that is done.
//! * `covariance`: the process for [`gaussian`](super::gaussian); `sample`: functions of its prior.
//!
//! References: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapters 2, 4 and 5, cited as RW.

mod arc_cosine;
mod covariance;
mod hyper;
mod kernel;
mod likelihood;
mod optimize;
mod sample;
mod surrogate;
#[cfg(test)]
pub(super) mod tests;

pub use hyper::HyperParameters;
pub use kernel::Kernel;
pub use surrogate::{GaussianProcess, GpSettings};
