//! The model behind statements about a region.

use std::sync::Arc;

use super::frame::{CoordinateFrame, Framed};
use super::region::ImportanceRegion;
use super::subset::{spread_subset, without_outliers};
use super::{ImportanceOptions, Observations};
use crate::linalg::{Points, Purpose, Streams};
use crate::record::Direction;
use crate::space::{Params, Space, SpaceError};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
use crate::surrogate::{Dataset, FitError, Function, Prediction, Refit, Surrogate};

/// Most observations the model sees.
pub const MOST_SEEN: usize = 512;
/// Most of them that the hyper-parameters are fitted to.
const MOST_FOR_LIKELIHOOD: usize = 300;
/// Fewest observations.
const FEWEST: usize = 4;
/// Observations of a region for each coordinate, if there are so many.
const FOR_A_COORDINATE: usize = 10;

/// A model of an objective over a region of the space, for questions about the region as a whole.
///
/// ```
/// use neuralbo::importance::{ImportanceOptions, RegionModel};
/// use neuralbo::record::{Definition, Direction};
/// use neuralbo::space::{Params, Space};
/// use neuralbo::study::Study;
///
/// let space = Space::new(vec!["x=float(-1,1)".parse()?, "y=float(-1,1)".parse()?])?;
/// let mut study = Study::new(Definition::new(space, Direction::Minimize))?;
/// for i in 0..40 {
///     let (x, y) = ((1.3 * f64::from(i)).sin(), (2.1 * f64::from(i)).cos());
///     study.add_known(Params::from_iter([("x".to_owned(), x), ("y".to_owned(), y)]), 3.0 * x)?;
/// }
/// let model = RegionModel::whole(&study.observations(None)?, 0)?;
/// let found = model.importance(&ImportanceOptions { samples: 8, ..ImportanceOptions::default() })?;
/// assert_eq!(found.parameters[0].name, "x");
/// assert!(found.parameters[0].first.value > 0.9 && found.parameters[1].total.value < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RegionModel {
    pub(super) objective: String,
    pub(super) space: Space,
    pub(super) direction: Direction,
    pub(super) region: ImportanceRegion,
    framed: Framed,
    pub(super) trials: usize,
    pub(super) seen: usize,
    pub(super) explained: f64,
    /// All observations, outliers limited.
    pub(super) observed: Dataset,
}

impl RegionModel {
    /// The model of the whole space.
    pub fn whole(observed: &Observations, seed: u64) -> Result<Self, FitError> {
        let seen = spread_subset(&observed.data, MOST_SEEN);
        Self::fit(
            observed,
            ImportanceRegion::whole(&observed.space),
            CoordinateFrame::whole(&observed.space),
            seen,
            seed,
        )
    }

    /// The model of the region of the best observations: the smallest region that holds this share of them, and no fewer than
    /// four. It sees the observations around that region.
    pub fn near_best(observed: &Observations, share: f64, seed: u64) -> Result<Self, FitError> {
        enough(observed.len(), FEWEST)?;
        let count = (share * observed.len() as f64).ceil() as usize;
        let best = observed.data.best_rows(count.max(FEWEST));
        let frame = CoordinateFrame::around(&observed.space, &best);
        let seen = frame.near(
            &observed.data,
            FOR_A_COORDINATE * observed.space.encoded_dim() + FEWEST,
        );
        Self::fit(
            observed,
            ImportanceRegion::around(&observed.space, &best),
            frame,
            seen,
            seed,
        )
    }

    fn fit(
        observed: &Observations,
        region: ImportanceRegion,
        frame: CoordinateFrame,
        seen: Dataset,
        seed: u64,
    ) -> Result<Self, FitError> {
        enough(seen.len(), FEWEST)?;
        let seen = without_outliers(&seen.with_rows(frame.local(seen.rows())));
        let settings = GpSettings {
            kernel: Kernel::Matern52,
            ard: true,
            starts: 2,
            refit: Refit {
                every_until: MOST_SEEN,
                growth: 0.0,
            },
            likelihood_rows: MOST_FOR_LIKELIHOOD,
            ..GpSettings::default()
        };
        let mut process = GaussianProcess::new(settings)?;
        let posterior = process.fit(&seen, &Streams::new(seed))?;
        Ok(Self {
            objective: observed.name.clone(),
            space: observed.space.clone(),
            direction: observed.direction,
            region,
            explained: explained(seen.rewards(), &posterior.left_out().unwrap_or_default()),
            framed: Framed {
                frame: Arc::new(frame),
                posterior: posterior.into(),
            },
            trials: observed.data.len(),
            observed: without_outliers(&observed.data),
            seen: seen.len(),
        })
    }

    /// The region that it is about.
    pub fn region(&self) -> &ImportanceRegion {
        &self.region
    }

    /// Mean and standard deviation of the noise-free value at each point.
    pub fn predict(&self, points: &[Params]) -> Result<Prediction, SpaceError> {
        let mut rows = Points::new(self.space.encoded_dim());
        for params in points {
            rows.push(&self.space.encode(&self.space.point_of(params)?)?);
        }
        Ok(self.predict_rows(&rows))
    }

    pub(super) fn predict_rows(&self, rows: &Points) -> Prediction {
        let Prediction { mean, sd } = self.framed.predict(rows);
        Prediction {
            mean: mean
                .into_iter()
                .map(|reward| self.direction.value(reward))
                .collect(),
            sd,
        }
    }

    /// The posterior mean of the reward.
    pub(super) fn mean(&self) -> &dyn Function {
        &self.framed
    }

    /// Functions drawn from the posterior.
    pub(super) fn samples(&self, options: &ImportanceOptions) -> Vec<Box<dyn Function>> {
        let streams = Streams::new(options.seed);
        let draw = |index: u64| {
            self.framed
                .sample(&mut streams.indexed(index, Purpose::Sample, 1))
        };
        (0..options.samples as u64).filter_map(draw).collect()
    }
}

pub(super) fn enough(found: usize, needed: usize) -> Result<(), FitError> {
    if found < needed {
        Err(FitError::TooFewObservations { needed, found })
    } else {
        Ok(())
    }
}

/// Share of the variance of values that their predictions explain.
fn explained(values: &[f64], predicted: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let missed: f64 = values
        .iter()
        .zip(predicted)
        .map(|(value, found)| (value - found).powi(2))
        .sum();
    if total > 0.0 {
        1.0 - missed / total
    } else {
        0.0
    }
}
