//! The policies of the default method. `presets/neuralbo.rs` puts them together, once, from the
//! space and the goals of a study:
//!
//! | policy | chooses | used for |
//! | --- | --- | --- |
//! | [`Start`] | the initial design | every study |
//! | [`Region`] | means and samples of a tangent model in a trust region | one objective |
//! | [`Pool`] | the largest upper confidence bound of all rows | a pool |
//! | [`Front`] | the largest gain in hypervolume | several objectives |
//! | [`Whole`] | the expected improvement of a Gaussian process over the whole space | every third trial of mixed spaces |
//! | [`RareValues`] | the value of a choice with the fewest trials | every sixth trial of mixed spaces |
//! | [`Alternate`] | takes turns between a policy and others | mixed spaces |
//!
//! Outcome constraints are a part of [`Region`] chosen with it, see [`Constrained`].
//! All constants are in [`constants`].

mod alternate;
pub(crate) mod constants;
mod failures;
mod front;
mod neighbourhood;
mod outcomes;
mod pool;
mod rare_values;
mod region;
mod scores;
mod search_box;
mod settings;
mod start;
mod trust_region;
mod whole;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod constrained_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(crate) use alternate::{Alternate, Turn};
pub(crate) use front::Front;
pub(crate) use pool::Pool;
pub(crate) use rare_values::RareValues;
pub(crate) use region::{Constrained, Region, Tangent, Unconstrained, rotated::cube};
pub(crate) use scores::scored;
pub(crate) use search_box::parameters;
pub(crate) use settings::{BuildError, NeuralBoSettings};
pub(crate) use start::Start;
pub(crate) use trust_region::TrustRegionSettings;
pub(crate) use whole::Whole;
