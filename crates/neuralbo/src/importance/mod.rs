//! What matters: how much of the variation of an objective each parameter explains, and how the objective depends on them.
//!
//! All statements are about a *model* of the trials, and say how sure the model is. The method's own model would be the wrong one:
//! the default's sees the observations around the best point, has one scale for all coordinates, and is a quadratic far away. Here a
//! Gaussian process with the Matérn-5/2 kernel and a length scale for each coordinate sees up to 512 observations spread over the
//! region in question, each the farthest from those before it; a parameter without influence gets a length scale that says so.
//! Values whose gap to the best is more than ten times that of nine tenths of them count as just that bad.
//!
//! [`RegionModel::whole`] is about the whole space, [`RegionModel::near_best`] about where the best trials lie. The model's own
//! honesty is [`Importance::explained`]: what it predicts of each trial when that one is left out. The rest is noise or structure that it
//! misses; [`Importance::noise`] is the part of the noise, where repeated evaluations tell it.

mod analysis;
mod dependence;
mod frame;
mod indices;
mod model;
mod noise;
mod observations;
mod options;
mod region;
mod subset;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use analysis::{ChoiceEffect, ChoiceEffects, Importance, Interaction, ParameterImportance};
pub use dependence::{DependenceCurve, Surface};
pub use model::{MOST_SEEN, RegionModel};
pub use observations::Observations;
pub use options::{Estimate, ImportanceOptions};
pub use region::ImportanceRegion;
