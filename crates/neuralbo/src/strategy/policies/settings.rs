//! Settings of the default method, the same for all problems of a dimension.

use super::TrustRegionSettings;
use super::constants::{BATCH_MAXIMIZER, MAXIMIZER};
use crate::acquisition::maximize::Maximizer;
use crate::linalg::SettingError;

/// Settings of the default method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeuralBoSettings {
    /// Width `m` of the network.
    pub width: usize,
    /// Points of the initial design: the centre of the box, steps along the parameters, then a
    /// scrambled Sobol sequence. `None`: the centre and one step per parameter.
    pub initial: Option<usize>,
    /// Exploration ν: factor of the deviation of a sampled function from the mean.
    pub nu: f64,
    /// Most observations the model sees; bounds the cost of a suggestion.
    pub most_neighbours: usize,
    /// Most observations the evidence is computed from.
    pub evidence_points: usize,
    /// The trust region.
    pub region: TrustRegionSettings,
    /// Maximizes the mean and a sampled function.
    pub maximizer: Maximizer,
    /// Maximizes a sampled function while trials run, and the mean in regions of other sides.
    pub batch_maximizer: Maximizer,
}

impl NeuralBoSettings {
    /// The settings for `dim` encoded coordinates.
    pub fn for_dim(dim: usize) -> Result<Self, SettingError> {
        Ok(Self {
            width: 256,
            initial: None,
            nu: 1.0,
            most_neighbours: 512,
            evidence_points: 160,
            region: TrustRegionSettings::for_dim(dim),
            maximizer: Maximizer::new(MAXIMIZER)?,
            batch_maximizer: Maximizer::new(BATCH_MAXIMIZER)?,
        })
    }

    /// The maximizer of a sampled function: each is one of many while others run.
    pub(crate) fn sample_maximizer(&self, alone: bool) -> &Maximizer {
        match alone {
            true => &self.maximizer,
            false => &self.batch_maximizer,
        }
    }
}
