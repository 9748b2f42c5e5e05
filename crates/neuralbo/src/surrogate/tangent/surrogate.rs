//! The tangent model as a surrogate of whatever data it is given.

use super::kernel::{Frame, TangentKernel};
use super::model::TangentModel;
use crate::linalg::Streams;
use crate::surrogate::{Dataset, FitError, Posterior, Surrogate};

/// Unit of length where all observations lie at one point.
const SMALLEST_UNIT: f64 = 1e-6;

/// The tangent model in the frame of the data: around the best observation, in units of the observations' spread, with the hyper-parameters of
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
}

impl TangentSurrogate {
    /// The surrogate whose evidence is computed from the `evidence_points` observations nearest to the best one.
    pub fn new(kernel: TangentKernel, evidence_points: usize) -> Self {
        Self {
            kernel,
            evidence_points,
        }
    }
}

impl Surrogate for TangentSurrogate {
    fn fit(&mut self, data: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let center = data.rows().row(data.best().unwrap_or(0));
        let frame = Frame::new(center.to_vec(), data.spread(center).max(SMALLEST_UNIT));
        let near = data.nearest(center, self.evidence_points);
        let model = TangentModel::new(self.kernel.clone(), frame).tuned(&near);
        Ok(Box::new(model.fit(data)?))
    }
}
