//! The tangent model as a surrogate of whatever data it is given.

use super::kernel::{Frame, TangentKernel};
use super::model::TangentModel;
use super::posterior::TangentPosterior;
use crate::linalg::Streams;
use crate::surrogate::nearest::{nearest, spread};
use crate::surrogate::{Dataset, FitError, Posterior, Surrogate};

/// Unit of length where all observations lie at one point.
const SMALLEST_UNIT: f64 = 1e-6;

/// The tangent model in the frame of the data: around a centre, in units of the observations' spread, with the hyper-parameters of
/// largest evidence. Every fit is made anew.
///
/// ```
/// use neuralbo::linalg::{Points, Purpose, Streams};
/// use neuralbo::surrogate::tangent::{TangentKernel, TangentSurrogate};
/// use neuralbo::surrogate::{Dataset, Surrogate};
///
/// let rows = Points::from_rows(1, [[-0.8], [-0.3], [0.1], [0.6], [0.9]]);
/// let rewards = rows.rows().map(|x| -(x[0] - 0.2_f64).powi(2)).collect();
/// let streams = Streams::new(1);
/// let kernel = TangentKernel::new(1, 64, &mut streams.stream(0, Purpose::NetworkInit))?;
/// let posterior = TangentSurrogate::new(kernel, 160).fit(&Dataset::from_parts(rows, rewards), &streams)?;
/// assert!(posterior.means(&Points::from_rows(1, [[0.2]]))[0].abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TangentSurrogate {
    kernel: TangentKernel,
    evidence_points: usize,
    center: Option<Vec<f64>>,
    replicate_variance: Option<f64>,
}

impl TangentSurrogate {
    /// The surrogate around the best observation; the evidence is computed from the `evidence_points` nearest to it.
    pub fn new(kernel: TangentKernel, evidence_points: usize) -> Self {
        Self {
            kernel,
            evidence_points,
            center: None,
            replicate_variance: None,
        }
    }

    /// The same where repeated evaluations have shown this variance of the noise.
    pub fn with_replicate_variance(self, variance: Option<f64>) -> Self {
        Self {
            replicate_variance: variance,
            ..self
        }
    }

    /// The same around another point.
    pub fn around(self, center: &[f64]) -> Self {
        Self {
            center: Some(center.to_vec()),
            ..self
        }
    }
}

impl Surrogate for TangentSurrogate {
    fn fit(&mut self, data: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        Ok(Box::new(self.posterior(data)?))
    }
}

impl TangentSurrogate {
    /// The posterior given `data`, as what it is.
    pub fn posterior(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        let best = data.best().ok_or(FitError::TooFewObservations {
            needed: 1,
            found: 0,
        })?;
        let center = self.center.as_deref().unwrap_or(data.rows().row(best));
        let frame = Frame::new(center.to_vec(), spread(data, center).max(SMALLEST_UNIT));
        let near = nearest(data, center, self.evidence_points);
        let model = TangentModel::new(self.kernel.clone(), frame)
            .with_replicate_variance(self.replicate_variance);
        model.tuned(&near).fit(data)
    }
}
