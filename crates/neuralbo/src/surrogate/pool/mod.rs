//! The tangent model of a pool: the kernel of an infinitely wide network, which needs inner products of rows alone.
//!
//! A pool is a list of rows, thousands of them in hundreds of coordinates, and only they exist: no gradient is needed, and a trust
//! region has no meaning. What is left of the network is a kernel that is a function of the angle between two rows:
//!
//! ```text
//! k(x, x′) = a² (κ₁(c) + c κ₀(c)) / 2,    c = (s² z·z′ + 1) / √((s²|z|² + 1)(s²|z′|² + 1))
//! κ₀(c) = (π − arccos c)/π,    κ₁(c) = (c (π − arccos c) + √(1 − c²))/π
//! ```
//!
//! the tangent kernel of two layers of ReLU units (Jacot, Gabriel & Hongler 2018; Cho & Saul 2009) with a constant input, scaled to
//! one on the diagonal. `z` are the standardized rows. A small scale `s` compares rows by their distance, a large one by their
//! direction alone, which is what suits counts of words; the evidence chooses.
//!
//! The products of an observed row with all others are computed once, with sparse rows in time of their non-zero entries.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `a` | amplitude, by its closed form |
//! | `s`, `ρ` | scale, and noise variance relative to `a²`: by the evidence, on a grid |
//! | `C` | correlation matrix of the data, `K/a² + ρI` |

mod covariance;
mod model;
mod rows;

pub use covariance::{PoolCovariance, PoolPoints};
pub use model::{PoolModel, PoolPosterior};
