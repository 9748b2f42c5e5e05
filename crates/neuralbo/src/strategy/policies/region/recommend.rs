//! The models behind the recommendations of a trust region without outcome constraints. The model
//! that suggests sees the present descent alone.

use std::sync::Arc;

use super::super::constants::{
    EVIDENCE_POINTS, MOST_NEIGHBOURS, RELIABLE, RELIED_ON_FACTOR, SMALLEST_UNIT,
};
use super::super::neighbourhood::{best_row, farthest, neighbourhood, without_outliers};
use super::model::Tangent;
use crate::linalg::Points;
use crate::strategy::LocalModel;
use crate::surrogate::tangent::{Frame, TangentPosterior};
use crate::surrogate::{Dataset, FitError, Posterior};

impl Tangent {
    /// The model of as many observations as allowed, wherever the trust region is.
    pub(super) fn wide_model(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        self.model_around(best_row(data)?, &self.wide_view(data)?)
    }

    fn wide_view(&self, data: &Dataset) -> Result<Dataset, FitError> {
        let near = data.nearest(best_row(data)?, MOST_NEIGHBOURS);
        Ok(without_outliers(near))
    }

    /// The wide model where it sees noise: few observations can neither tell noise nor average it.
    /// Else that of as many observations as a quadratic takes, around the best one or, where
    /// rounding explains that one, around the one that the wide model relies on.
    pub(super) fn reliable_model(&self, data: &Dataset) -> Result<LocalModel, FitError> {
        let (best, seen) = (best_row(data)?, self.wide_view(data)?);
        let wide = self.model_around(best, &seen)?;
        if wide.sees_noise() {
            let reach = farthest(seen.rows(), best);
            return Ok(relied_on(wide, best.to_vec(), reach));
        }
        let center = reliable_row(data, wide)?.to_vec();
        let seen = neighbourhood(data, &center, 0.0);
        let posterior = self.model_around(&center, &seen)?;
        let reach = farthest(seen.rows(), &center);
        Ok(relied_on(posterior, center, reach))
    }

    /// The model around a row that another policy relies on, for the rows within `reach` of it.
    pub(super) fn model_of_row(
        &self,
        data: &Dataset,
        row: &[f64],
        reach: f64,
    ) -> Result<LocalModel, FitError> {
        let seen = without_outliers(data.nearest(row, MOST_NEIGHBOURS));
        let posterior = self.model_around(row, &seen)?;
        Ok(relied_on(posterior, row.to_vec(), reach))
    }

    /// The model of these observations, in units of their own spread.
    fn model_around(&self, center: &[f64], seen: &Dataset) -> Result<TangentPosterior, FitError> {
        seen.check_finite()?;
        let frame = Frame::new(center.to_vec(), seen.spread(center).max(SMALLEST_UNIT));
        let near = seen.nearest(center, EVIDENCE_POINTS);
        self.informed(frame).tuned(&near).fit(seen)
    }
}

/// A model about the rows within `reach` of a centre.
fn relied_on(posterior: TangentPosterior, center: Vec<f64>, reach: f64) -> LocalModel {
    LocalModel {
        widening: if posterior.sees_noise() {
            RELIED_ON_FACTOR
        } else {
            1.0
        },
        noise_sd: seen_noise(&posterior),
        posterior: Arc::new(posterior),
        center,
        reach,
        slacks: Vec::new(),
    }
}

/// The noise of one evaluation; without noise the model estimates what rounding needs, which is none.
pub(super) fn seen_noise(posterior: &TangentPosterior) -> f64 {
    let noise = posterior.noise_sd().filter(|_| posterior.sees_noise());
    noise.unwrap_or(0.0)
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
