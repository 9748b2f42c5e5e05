//! Settings of the default method, the same for every problem of a dimension.

use super::TrustRegionSettings;
use crate::acquisition::maximize::{Maximizer, MaximizerSettings};

/// What the default method is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeuralBoSettings {
    /// Width `m` of the network.
    pub width: usize,
    /// Points to begin with: the centre of the box, steps along the parameters, then a scrambled Sobol sequence. Where nothing is
    /// said, the centre and one step a parameter.
    pub initial: Option<usize>,
    /// Exploration ν: how far a sampled function strays from the mean.
    pub nu: f64,
    /// Most observations the model sees; the cost of a suggestion is bounded by it.
    pub most_neighbours: usize,
    /// Most observations the evidence is computed from.
    pub evidence_points: usize,
    /// The trust region.
    pub region: TrustRegionSettings,
    /// How the mean and a sampled function are maximized.
    pub maximizer: Maximizer,
    /// How a sampled function is maximized while others run, and the mean in regions of other sides.
    pub batch_maximizer: Maximizer,
}

impl NeuralBoSettings {
    /// The settings for `dim` encoded coordinates.
    pub fn for_dim(dim: usize) -> Self {
        let maximizer = MaximizerSettings {
            candidates: 512,
            local_share: 0.5,
            starts: 4,
            steps: 40,
            perturbed: 20,
        };
        let quick = MaximizerSettings {
            candidates: 64,
            starts: 1,
            steps: 10,
            ..maximizer
        };
        Self {
            width: 256,
            initial: None,
            nu: 1.0,
            most_neighbours: 512,
            evidence_points: 160,
            region: TrustRegionSettings::for_dim(dim),
            maximizer: Maximizer::new(maximizer).unwrap_or_default(),
            batch_maximizer: Maximizer::new(quick).unwrap_or_default(),
        }
    }
}
