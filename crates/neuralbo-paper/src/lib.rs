//! The methods of "NeuralBO: A black-box optimization algorithm using deep neural networks", to be read beside the paper.
//!
//! | in the paper | here |
//! | --- | --- |
//! | the network `h(x; θ)`, its gradient `g(x)`; the initializations of Sections 4 and 6 | [`neuralbo::net`]: `Mlp`, `Features`, `Init` |
//! | the domain `0 < a ≤ ‖x‖ ≤ b` | `neural/inputs.rs` |
//! | Algorithm 1, the loop and its initial design | [`neuralbo::strategy::ModelBased`] with the settings of [`presets`] |
//! | Algorithm 1, line 3: `σ²(x) = λ g(x)ᵀU⁻¹g(x)/m` | [`neural::covariance`]: `dense.rs` is the paper's form, `dual.rs` the same by Woodbury |
//! | Algorithm 1, lines 3–4: `f̃ ~ N(h(·; θ_t), ν²σ²)` and its maximum | `neural/{posterior,function}.rs`, [`neuralbo::acquisition`] |
//! | Algorithm 1, line 6, and Algorithm 2 (TrainNN) | `neural/surrogate.rs`; [`training`], `training/backprop.rs` for the gradient |
//! | Algorithm 1, line 7: `U ← U + g gᵀ/m` | `neural/surrogate.rs`, `covariance/dense.rs` |
//! | Definition 1, the tangent kernel; the information gain `γ` | `theory/ntk.rs`, `theory/regret.rs` |
//! | Theorem 1: ν, λ, η, J and the bound on the regret | `theory/regret.rs`; `presets/theory.rs` runs with them |
//! | Section 6: the settings of the experiments | `presets/paper.rs` |
//! | Section 6: the random forest, DNGO and NeuralGreedy | [`forest`], [`dngo`], [`greedy`], `presets/others.rs` |
//! | the authors' released code | `presets/reference.rs` |
//! | the fewest corrections that make it work off the centre of the box | `presets/faithful.rs` |
//!
//! `examples/tiny_neuralbo.rs` is the whole of Algorithm 1 in one file with dense matrices; `tests/tiny_twin.rs` compares both.
//!
//! ```
//! use neuralbo::{Definition, Direction, Space, study::strategy_of};
//!
//! let space = Space::new(vec!["x=float(-5,10)".parse()?])?;
//! let method = "neuralbo-paper".to_owned();
//! let definition = Definition { method, ..Definition::new(space, Direction::Minimize) };
//! assert!(strategy_of(&definition, &neuralbo_paper::registry()).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod dngo;
#[cfg(test)]
mod fixtures;
pub mod forest;
pub mod greedy;
pub mod neural;
pub mod presets;
pub mod theory;
pub mod training;

pub use presets::registry;
