//! The models of objective and slacks under outcome constraints.
//!
//! Both are fitted around the observation of most merit: the best feasible one or, while there is none, the one of least violation.
//! Trials maximize in turn the means and samples of the objective where the slacks' means and samples allow it; the means keep a
//! margin of a standard deviation, so that borders are approached from inside.

use std::sync::OnceLock;

use super::local::{Local, Shape, admissible};
use super::neighbourhood::{nearest, neighbours};
use super::slacks::{SlackModels, tempered, usual};
use super::{RegionPolicy, best_row, spread};
use crate::linalg::Points;
use crate::strategy::History;
use crate::surrogate::tangent::{Frame, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

impl RegionPolicy {
    /// The models of the present descent around its best observation.
    pub(super) fn fit_limited(
        &self,
        history: &History,
        merits: &Dataset,
    ) -> Result<Local, FitError> {
        let before = self.descents.observations_before();
        let own = merits.since(before);
        let best = best_row(&own)?;
        let near = neighbours(
            own.rows(),
            best,
            self.descents.side(),
            self.settings.most_neighbours,
        );
        let near: Vec<usize> = near.into_iter().map(|i| before + i).collect();
        let unit = self.unit(spread(&merits.select(&near), best));
        let place = before + own.best().unwrap_or(0);
        let (posterior, slacks) = self.limited_models(history, &near, place, unit)?;
        let stretch = stretch(&posterior, &slacks, &merits.rows().select(&near));
        let center = admissible(&self.setup.space, best.to_vec());
        Ok(Local {
            posterior,
            center,
            shape: Shape::Axes(stretch),
            slacks: Some(slacks),
            mean_maximum: OnceLock::new(),
            foreseen: false,
        })
    }

    /// The models of the reward and of all slacks by the observations `near`, precise around the reward of the observation `center`
    /// and around the borders.
    pub(super) fn limited_models(
        &self,
        history: &History,
        near: &[usize],
        center: usize,
        unit: f64,
    ) -> Result<(TangentPosterior, SlackModels), FitError> {
        let observed = history.observed();
        let (row, level) = (observed.rows().row(center), observed.rewards()[center]);
        let seen = observed.select(near);
        let rewards = tempered(seen.rewards(), level, usual(seen.rewards(), level));
        let seen = seen.with_rewards(rewards);
        let model = self.untuned(Frame::new(row.to_vec(), unit));
        let points = self.settings.evidence_points;
        let posterior = model
            .clone()
            .focused(level)
            .tuned(&nearest(&seen, row, points))
            .fit(&seen)?;
        let slacks = Points::from_rows(
            history.constraints(),
            near.iter().map(|i| history.slacks(*i)),
        );
        Ok((
            posterior,
            SlackModels::fit(&model, (seen.rows(), &slacks), row, points)?,
        ))
    }
}

/// Factors of the region's side along each coordinate: the inverse of its influence on the objective and all slacks.
fn stretch(posterior: &TangentPosterior, slacks: &SlackModels, rows: &Points) -> Vec<f64> {
    let mut squares = vec![0.0; rows.dim()];
    for model in std::iter::once(posterior).chain(slacks.posteriors()) {
        squares
            .iter_mut()
            .zip(model.influence(rows))
            .for_each(|(square, influence)| *square += influence * influence);
    }
    let mean = squares.iter().map(|square| square.ln()).sum::<f64>() / squares.len().max(1) as f64;
    squares
        .iter()
        .map(|square| (0.5 * (mean - square.ln())).exp())
        .collect()
}
