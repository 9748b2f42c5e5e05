//! The tangent model: a Gaussian prior over the weights of a linearized network and of a quadratic trend, in closed form.
//!
//! With `v ~ N(0, I)` in the tangent space of a network at θ₀ and normal weights on the trend, the reward is
//!
//! ```text
//! f(x) = a · ( g(s∘u)ᵀ v / √(mκ)  +  √τ₀ b  +  √τ₁ cᵀu  +  √τ₂ uᵀS u  +  √τ₃ Σ_i e_i u_i²  +  √τ₄ q |u|² ),   u = W(x − x_c)/unit
//! ```
//!
//! so that `k = a² ( k_NTK/κ + τ₀ + τ₁ u·u′ + τ₂ (u·u′)² + τ₃ Σ_i u_i² u_i′² + τ₄ |u|²|u′|² )`. Starting from zero instead of `h(x; θ₀)` is what an antisymmetric
//! network of twice the width does. Sample functions are drawn in weight space: their cost does not depend on the data.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `x_c`, `unit`, `W` | the frame: centre, unit of length and metric |
//! | `a` | amplitude, by its closed form |
//! | `κ` | mean of `k_NTK(x,x)` over the data |
//! | `s` | scale of each coordinate before the first layer |
//! | `τ₀, τ₁` | weights of the constant and linear trend |
//! | `τ₂, τ₃, τ₄` | weights of the quadratic trend: all products, the squares, their sum |
//! | `ρ` | noise variance relative to `a²` |
//! | `γ` | weight of the squared gap: without noise observation `i` has the variance `ρ_i = ρ + γ (y_best − y_i)²`, so that far, bad values do not dictate the fit around the best; with noise `γ = 0` |
//! | `C` | correlation matrix of the data, `K/a² + diag(ρ_i)` |

mod covariance;
mod evidence;
mod hyper;
mod kernel;
mod metric;
mod model;
mod posterior;
mod surrogate;
#[cfg(test)]
mod tests;
mod trend;

pub use covariance::{TangentCovariance, TangentInputs};
pub use hyper::Hyper;
pub use kernel::{Frame, TangentKernel};
pub use metric::Metric;
pub use model::TangentModel;
pub use posterior::{TangentPosterior, WeightFunction};
pub use surrogate::TangentSurrogate;
