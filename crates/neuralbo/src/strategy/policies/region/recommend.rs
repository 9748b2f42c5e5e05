//! The models behind the recommendations of a trust region without outcome constraints. The model
//! that suggests sees the present descent alone.

use std::sync::Arc;

use super::super::constants::RELIABLE;
use super::super::neighbourhood::{best_row, farthest, nearest, neighbourhood, without_outliers};
use super::model::Tangent;
use crate::linalg::Points;
use crate::strategy::LocalModel;
use crate::surrogate::tangent::{TangentPosterior, TangentSurrogate};
use crate::surrogate::{Dataset, FitError, Posterior};

impl Tangent {
    /// The model of as many observations as allowed, wherever the trust region is.
    pub(super) fn wide_model(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        self.model_around(best_row(data)?, &self.wide_view(data)?)
    }

    fn wide_view(&self, data: &Dataset) -> Result<Dataset, FitError> {
        let near = nearest(data, best_row(data)?, self.most_neighbours);
        Ok(without_outliers(near))
    }

    /// The wide model where it sees noise: few observations can neither tell noise nor average it.
    /// Else that of as many observations as a quadratic takes, around the best one or, where
    /// rounding explains that one, around the one that the wide model relies on.
    pub(super) fn reliable_model(&self, data: &Dataset) -> Result<LocalModel, FitError> {
        let (best, seen) = (best_row(data)?, self.wide_view(data)?);
        let wide = self.model_around(best, &seen)?;
        if wide.sees_noise() {
            return Ok(LocalModel {
                posterior: Arc::new(wide),
                reach: farthest(seen.rows(), best),
                center: best.to_vec(),
                slacks: Vec::new(),
            });
        }
        let center = reliable_row(data, wide)?.to_vec();
        let seen = neighbourhood(data, &center, 0.0, self.most_neighbours);
        Ok(LocalModel {
            posterior: Arc::new(self.model_around(&center, &seen)?),
            reach: farthest(seen.rows(), &center),
            center,
            slacks: Vec::new(),
        })
    }

    /// The model of these observations, in units of their own spread.
    fn model_around(&self, center: &[f64], seen: &Dataset) -> Result<TangentPosterior, FitError> {
        let surrogate = TangentSurrogate::new(self.kernel.clone(), self.evidence_points);
        surrogate.around(center).posterior(seen)
    }
}

/// The best observation's row, unless it exceeds its prediction by more than noise explains.
fn reliable_row(data: &Dataset, wide: TangentPosterior) -> Result<&[f64], FitError> {
    let best = best_row(data)?;
    let predicted = wide.predict(&Points::from_rows(best.len(), [best])).mean[0];
    let excess = data.best().map_or(0.0, |i| data.rewards()[i]) - predicted;
    if excess <= RELIABLE * wide.noise_sd().unwrap_or(0.0) {
        return Ok(best);
    }
    let safest = LocalModel::everywhere(Arc::new(wide), best.len()).safest(data.rows());
    Ok(safest.map_or(best, |(safest, ..)| data.rows().row(safest)))
}
