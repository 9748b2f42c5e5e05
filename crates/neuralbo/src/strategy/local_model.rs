//! A model of what lies around the best points.

use std::sync::Arc;

use crate::acquisition::ProbabilityOfFeasibility;
use crate::linalg::{Points, squared_distance};
use crate::surrogate::{Function, Posterior, Prediction};

/// What rounding may add to a distance, relatively.
const ROUNDING: f64 = 1e-9;

/// A model and the ball of encoded rows about which it may be asked.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{History, presets};
///
/// let space = Space::from_bounds(&[(0.0, 1.0)])?;
/// let mut strategy = presets::build("neuralbo", &space, 1, &presets::Options::new())?;
/// let mut history = History::new(1);
/// for x in [-0.9, -0.4, 0.0, 0.3, 0.8] {
///     history.push_observed(&[x], -(x - 0.3_f64).powi(2));
/// }
/// let model = strategy.local_model(&history)?;
/// let (safest, mean, _) = model.safest(history.observed().rows()).ok_or("no row")?;
/// assert_eq!(safest, 3);
/// assert!(mean.abs() < 0.05);
/// assert_eq!(model.safest(&Points::from_rows(1, [[5.0]])), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LocalModel {
    /// The model.
    pub posterior: Arc<dyn Posterior>,
    /// The ball's centre.
    pub center: Vec<f64>,
    /// Its radius.
    pub reach: f64,
    /// The models of the slacks of outcome constraints that are measured with noise.
    pub slacks: Vec<Arc<dyn Posterior>>,
    /// Factor of the deviation at a row that is chosen because its prediction is good.
    pub widening: f64,
    /// Standard deviation of the noise of one evaluation; 0 where the model sees none.
    pub noise_sd: f64,
}

impl LocalModel {
    /// A model that may be asked about every row of dimension `dim`.
    pub(crate) fn everywhere(posterior: Arc<dyn Posterior>, dim: usize) -> Self {
        Self {
            noise_sd: posterior.noise_sd().unwrap_or(0.0),
            posterior,
            center: vec![0.0; dim],
            reach: f64::INFINITY,
            slacks: Vec::new(),
            widening: 1.0,
        }
    }

    /// Chance that all outcome constraints hold of what is relied on.
    pub const LEVEL: f64 = 0.9;

    /// Of some rows the one whose reward is best when it is one standard deviation worse than predicted, the first of equals;
    /// with its mean and standard deviation. `None` when the model may be asked about none of them.
    ///
    /// Where outcome constraints are measured with noise only rows count that satisfy them with a chance of [`LocalModel::LEVEL`],
    /// or those with the largest chance where no row does.
    pub fn safest(&self, rows: &Points) -> Option<(usize, f64, f64)> {
        let near = (0..rows.len()).filter(|i| self.reaches(rows.row(*i)));
        let near = self.probably_feasible(rows, near.collect());
        // Most rows of a long study are far away: predicting them would cost more than everything else.
        let Prediction { mean, sd } = self.posterior.predict(&rows.select(&near));
        let safe = |i: &usize| mean[*i] - sd[*i];
        let asked = (0..near.len()).filter(|i| safe(i).is_finite());
        let best = asked.max_by(|a, b| safe(a).total_cmp(&safe(b)).then(b.cmp(a)))?;
        Some((near[best], mean[best], self.widening * sd[best]))
    }

    /// Of these rows those that are feasible with enough chance.
    fn probably_feasible(&self, rows: &Points, near: Vec<usize>) -> Vec<usize> {
        if self.slacks.is_empty() {
            return near;
        }
        let (inner, slacks) = (None, self.slacks.clone());
        let chances = ProbabilityOfFeasibility { inner, slacks }.value(&rows.select(&near));
        let largest = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let enough = largest.min(Self::LEVEL.ln());
        let pairs = near.into_iter().zip(chances);
        pairs
            .filter_map(|(row, chance)| (chance >= enough).then_some(row))
            .collect()
    }

    /// Whether the model may be asked about a row.
    pub(crate) fn reaches(&self, row: &[f64]) -> bool {
        squared_distance(row, &self.center).sqrt() <= self.reach * (1.0 + ROUNDING)
    }
}
