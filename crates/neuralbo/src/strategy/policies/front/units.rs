//! The front of the observations, and the units in which its objectives are of equal size.

use super::super::constants::BEYOND_WORST;
use crate::linalg::Points;
use crate::pareto;
use crate::strategy::{Goals, History};
use crate::surrogate::Dataset;

/// The front of the feasible observations. In its units the worst reward on the front is 0 and the
/// best is 1 in every objective.
pub(super) struct FrontUnits {
    /// The front, as observations of the history.
    pub(super) front: Vec<usize>,
    /// Their rewards in units.
    pub(super) units: Points,
    /// The corner of the hypervolume in units.
    pub(super) corner: Vec<f64>,
    worst: Vec<f64>,
    range: Vec<f64>,
}

impl FrontUnits {
    /// `None` while no feasible observation has all rewards.
    pub(super) fn of(history: &History, goals: &Goals) -> Option<Self> {
        let rewards = history.rewards();
        let feasible: Vec<usize> = (0..rewards.len())
            .filter(|i| history.is_feasible(*i))
            .collect();
        let front: Vec<usize> = pareto::front(&rewards.select(&feasible))
            .into_iter()
            .map(|i| feasible[i])
            .collect();
        if front.is_empty() {
            return None;
        }
        let objectives = history.objectives();
        let column = |k: usize| front.iter().map(move |i| history.reward(*i, k));
        let worst: Vec<f64> = (0..objectives)
            .map(|k| column(k).fold(f64::INFINITY, f64::min))
            .collect();
        let range: Vec<f64> = (0..objectives)
            .map(|k| {
                range(
                    worst[k],
                    column(k).fold(worst[k], f64::max),
                    &history.measured(k),
                )
            })
            .collect();
        let mut found = Self {
            units: Points::new(objectives),
            front,
            corner: Vec::new(),
            worst,
            range,
        };
        found.units = Points::from_rows(
            objectives,
            found.front.iter().map(|i| found.in_units(rewards.row(*i))),
        );
        let given = goals.reference();
        let corner = |k: usize| given[k].map_or(-BEYOND_WORST, |reward| found.unit(k, reward));
        found.corner = (0..objectives).map(corner).collect();
        Some(found)
    }

    /// The observation on the front with the best reward of objective `k`, the first of equals.
    pub(super) fn end(&self, k: usize) -> usize {
        self.front[self.best_by(|row| row[k])]
    }

    /// The one whose worst objective is best.
    pub(super) fn most_balanced(&self) -> usize {
        self.front[self.best_by(|row| row.iter().copied().fold(f64::INFINITY, f64::min))]
    }

    fn best_by(&self, value: impl Fn(&[f64]) -> f64) -> usize {
        let values: Vec<f64> = self.units.rows().map(value).collect();
        (0..values.len())
            .max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)))
            .unwrap_or(0)
    }

    /// A reward of objective `k` in units; divided first, because a difference of finite numbers may
    /// be infinite.
    fn unit(&self, k: usize, reward: f64) -> f64 {
        reward / self.range[k] - self.worst[k] / self.range[k]
    }

    /// The reward of `unit`, and of a difference.
    pub(super) fn reward(&self, k: usize, unit: f64) -> f64 {
        self.worst[k] + self.range[k] * expanded(unit)
    }

    pub(super) fn difference(&self, k: usize, unit: f64) -> f64 {
        self.range[k] * unit
    }

    pub(super) fn in_units(&self, rewards: &[f64]) -> Vec<f64> {
        rewards
            .iter()
            .enumerate()
            .map(|(k, reward)| self.unit(k, *reward))
            .collect()
    }

    /// The observations of objective `k` as its model sees them: compressed below the front's worst,
    /// so that bad values do not decide the fit.
    pub(super) fn data(&self, history: &History, k: usize) -> Dataset {
        let measured = history.measured(k);
        let rewards = measured
            .rewards()
            .iter()
            .map(|reward| compressed(self.unit(k, *reward)))
            .collect();
        Dataset::from_parts(measured.rows().clone(), rewards)
    }
}

/// The front's range; where it is empty, the distance from its reward to the median of all, or the
/// reward's own size.
fn range(worst: f64, best: f64, data: &Dataset) -> f64 {
    let half = best / 2.0 - worst / 2.0;
    if half > 0.0 {
        return (2.0 * half).min(f64::MAX);
    }
    let mut sorted = data.rewards().to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = best / 2.0 - sorted.get(sorted.len() / 2).copied().unwrap_or(best) / 2.0;
    let size = if best == 0.0 { 1.0 } else { best.abs() };
    (if half > 0.0 { 2.0 * half } else { size }).clamp(f64::MIN_POSITIVE, f64::MAX)
}

fn compressed(unit: f64) -> f64 {
    if unit < 0.0 { -(-unit).ln_1p() } else { unit }
}

/// The inverse of [`compressed`].
fn expanded(unit: f64) -> f64 {
    if unit < 0.0 { -(-unit).exp_m1() } else { unit }
}
