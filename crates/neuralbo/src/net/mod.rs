//! The network: a fully connected `h(x; θ) = √m · W_L φ(W_{L-1} φ(… φ(W_1 x)))`, its training and its tangent operators.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `d` | inputs, the constant coordinate included |
//! | `m` | width of every hidden layer |
//! | `L` | layers (`L − 1` hidden ones and the output) |
//! | `p` | parameters |
//! | `θ`, `θ₀` | parameters, and their initial values |
//! | `g(x)` | `∇_θ h(x; θ)`, never formed: see [`Features`] |

mod activation;
mod backprop;
mod hidden;
mod init;
mod lanes;
mod mlp;
mod pullback;
mod tangent;
mod train;

pub use activation::Activation;
pub use hidden::HiddenFeatures;
pub use init::Init;
pub(crate) use lanes::{axpy, dot, vectorized};
pub use mlp::{Architecture, ArchitectureError, Mlp};
pub use pullback::FeatureAdjoints;
pub use tangent::Features;
pub use train::{
    AdamState, LossScale, Optimizer, TrainError, Trainer, TrainingData, TrainingReport,
};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
