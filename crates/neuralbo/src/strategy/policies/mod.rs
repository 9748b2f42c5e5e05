//! The policies of the default method. `presets/neuralbo.rs` puts them together, once, from the
//! space and the goals of a study:
//!
//! | policy | chooses | used for |
//! | --- | --- | --- |
//! | [`InitialSteps`] | the initial design | every study |
//! | [`RegionSearch`] | means and samples of a tangent model in a trust region | one objective |
//! | [`Screening`] | two-level designs and a separable quadratic, then the region | eight or more numbers, under noise |
//! | [`PoolSearch`] | the largest upper confidence bound of all rows | a pool |
//! | [`FrontSearch`] | the largest gain in hypervolume | several objectives |
//! | [`Whole`] | the expected improvement of a Gaussian process over the whole space | every third trial of mixed spaces |
//! | [`RareValues`] | the value of a choice with the fewest trials | every sixth trial of mixed spaces |
//! | [`Alternate`](super::smbo::Alternate) | takes turns between a policy and others | mixed spaces |
//!
//! Outcome constraints are a part of [`RegionSearch`] chosen with it, see [`ConstrainedModels`].
//! All constants are in [`constants`].

pub(crate) mod constants;
mod failures;
mod front;
mod neighbourhood;
mod pool;
mod rare_values;
mod region;
mod scores;
mod screening;
mod search_box;
mod slacks;
mod start;
mod trust_region;
mod whole;

#[cfg(test)]
mod constrained_tests;
#[cfg(test)]
mod tests;

pub(crate) use front::FrontSearch;
pub(crate) use neighbourhood::NO_OBSERVATIONS;
pub(crate) use pool::PoolSearch;
pub(crate) use rare_values::RareValues;
pub(crate) use region::{
    ConstrainedModels, RegionModels, RegionSearch, Tangent, UnconstrainedModels, rotated::cube,
};
pub(crate) use scores::scored;
pub(crate) use screening::{Factors, Screening};
pub(crate) use search_box::parameters;
pub(crate) use start::InitialSteps;
pub(crate) use trust_region::TrustRegionSettings;
pub(crate) use whole::Whole;
