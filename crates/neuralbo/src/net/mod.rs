//! The network: a fully connected `h(x; θ) = √m · W_L φ(W_{L-1} φ(… φ(W_1 x)))` and its tangent operators.
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
mod init;
pub mod lanes;
mod mlp;
mod pullback;
mod tangent;

pub use activation::Activation;
pub use init::Init;
pub use mlp::{Architecture, LayerShape, Mlp, Tape, multiply_entries};
pub use pullback::FeatureAdjoints;
pub use tangent::Features;

#[cfg(test)]
mod tests;
