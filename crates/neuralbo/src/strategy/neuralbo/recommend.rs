//! The models behind what the default method recommends: not the one that suggests, which sees the present descent alone.

use std::sync::Arc;

use super::merits::merits;
use super::neighbourhood::{nearest, neighbourhood, neighbours, without_outliers};
use super::{LocalModel, RegionPolicy, best_row, spread};
use crate::linalg::{Points, squared_distance};
use crate::strategy::History;
use crate::surrogate::tangent::TangentSurrogate;
use crate::surrogate::{Dataset, FitError, Posterior, Surrogate};

/// Standard deviations of the noise by which an observation may be better than predicted without being taken for luck.
const LUCK: f64 = 3.0;
/// Unit of length where all observations lie at one point.
const SMALLEST_UNIT: f64 = 1e-6;

impl RegionPolicy {
    /// Sees as many observations as it may, wherever the trust region is: who looks at a model asks about the whole box.
    pub(super) fn wide_model(&self, data: &Dataset) -> Result<Arc<dyn Posterior>, FitError> {
        let best = best_row(data)?;
        self.model_around(
            best,
            &without_outliers(nearest(data, best, self.settings.most_neighbours)),
        )
    }

    /// Sees what a quadratic takes around the best observation, or, where that one was lucky, around the one the model of the whole
    /// box relies on.
    pub(super) fn model_to_rely_on(&self, data: &Dataset) -> Result<LocalModel, FitError> {
        let center = self.reliable_row(data)?.to_vec();
        let seen = neighbourhood(data, &center, 0.0, self.settings.most_neighbours);
        let farthest = seen
            .rows()
            .rows()
            .map(|row| squared_distance(row, &center))
            .fold(0.0, f64::max);
        let posterior = self.model_around(&center, &seen)?;
        Ok(LocalModel {
            posterior,
            center,
            reach: farthest.sqrt(),
            slacks: Vec::new(),
        })
    }

    /// The same under outcome constraints, around the best feasible observation, with the models of the slacks that are noisy.
    pub(super) fn limited_model_to_rely_on(
        &self,
        history: &History,
    ) -> Result<LocalModel, FitError> {
        let merits = merits(history);
        let best = merits.best().ok_or(FitError::TooFewObservations {
            needed: 1,
            found: 0,
        })?;
        let center = merits.rows().row(best).to_vec();
        let near = neighbours(merits.rows(), &center, 0.0, self.settings.most_neighbours);
        let rows = merits.rows().select(&near);
        let unit = spread(&merits.select(&near), &center).max(SMALLEST_UNIT);
        let (posterior, slacks) = self.limited_models(history, &near, best, unit)?;
        let farthest = rows
            .rows()
            .map(|row| squared_distance(row, &center))
            .fold(0.0, f64::max);
        let noisy = slacks
            .posteriors()
            .iter()
            .filter(|slack| slack.sees_noise());
        let slacks = noisy
            .map(|slack| Arc::new(slack.clone()) as Arc<dyn Posterior>)
            .collect();
        Ok(LocalModel {
            posterior: Arc::new(posterior),
            center,
            reach: farthest.sqrt(),
            slacks,
        })
    }

    /// The model of these observations, in units of their own spread.
    fn model_around(&self, center: &[f64], seen: &Dataset) -> Result<Arc<dyn Posterior>, FitError> {
        let surrogate = TangentSurrogate::new(self.kernel.clone(), self.settings.evidence_points);
        surrogate
            .around(center)
            .fit(seen, &self.setup.streams)
            .map(Arc::from)
    }

    /// The best observation's row, unless it is so much better than the model of the whole box predicts that it was luck.
    fn reliable_row<'a>(&self, data: &'a Dataset) -> Result<&'a [f64], FitError> {
        let best = best_row(data)?;
        let posterior = self.wide_model(data)?;
        let predicted = posterior
            .predict(&Points::from_rows(best.len(), [best]))
            .mean;
        let surprise = data.best().map_or(0.0, |i| data.rewards()[i])
            - predicted.first().copied().unwrap_or(0.0);
        if surprise <= LUCK * posterior.noise_sd().unwrap_or(0.0) {
            return Ok(best);
        }
        let wide = LocalModel {
            posterior,
            center: best.to_vec(),
            reach: f64::INFINITY,
            slacks: Vec::new(),
        };
        Ok(wide
            .safest(data.rows())
            .map_or(best, |(safest, ..)| data.rows().row(safest)))
    }
}
