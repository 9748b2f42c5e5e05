//! The tangent model before it has seen data, and its fit.

use super::Hyper;
use super::evidence::{Evidence, amplitude, correlations, mean_diagonal};
use super::kernel::{Frame, TangentKernel};
use super::noise::Gaps;
use super::posterior::{Fitted, TangentPosterior};
use super::trend::TrendProducts;
use crate::linalg::Cholesky;
use crate::surrogate::{Dataset, FitError, Standardizer};
use faer::{Mat, Scale};

/// First addition to a diagonal that is not positive definite, relative to its mean, and how often it is raised a hundredfold.
const SMALLEST_JITTER: f64 = 1e-14;
const JITTER_TRIES: usize = 5;
/// Largest standard deviation of an estimate, in standard units.
const MOST_DOUBT: f64 = 100.0;

/// A kernel's network with hyper-parameters and a frame: everything but the data.
///
/// ```
/// use neuralbo::linalg::{Points, Purpose, Streams};
/// use neuralbo::surrogate::tangent::{Frame, TangentKernel, TangentModel};
/// use neuralbo::surrogate::{Dataset, Posterior};
///
/// let rows = Points::from_rows(1, [[-0.8], [-0.3], [0.1], [0.6], [0.9]]);
/// let rewards = rows.rows().map(|x| -(x[0] - 0.2_f64).powi(2)).collect();
/// let data = Dataset::from_parts(rows, rewards);
/// let kernel = TangentKernel::new(1, 64, &mut Streams::new(1).stream(0, Purpose::NetworkInit))?;
/// let model = TangentModel::new(kernel, Frame::new(vec![0.0], 1.0)).tuned(&data);
/// let at = model.fit(&data)?.predict(&Points::from_rows(1, [[0.2]]));
/// assert!(at.mean[0].abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TangentModel {
    pub(super) kernel: TangentKernel,
    pub(super) hyper: Hyper,
    pub(super) frame: Frame,
    focus: Option<f64>,
}

impl TangentModel {
    /// The model before it has seen data.
    pub fn new(kernel: TangentKernel, frame: Frame) -> Self {
        Self {
            hyper: Hyper::start(frame.center.len()),
            kernel,
            frame,
            focus: None,
        }
    }

    /// The same with given hyper-parameters.
    pub fn with_hyper(self, hyper: Hyper) -> Self {
        Self { hyper, ..self }
    }

    /// The same with a fit that is most precise where rewards are near to `level` instead of the best: e.g. where a limit is met.
    pub fn focused(self, level: f64) -> Self {
        Self {
            focus: Some(level),
            ..self
        }
    }

    /// The hyper-parameters.
    pub fn hyper(&self) -> &Hyper {
        &self.hyper
    }

    #[cfg(test)]
    pub(super) fn kernel_net(&self) -> &crate::net::Mlp<f64> {
        self.kernel.net()
    }

    /// The same with the hyper-parameters of largest evidence on `data`.
    pub fn tuned(self, data: &Dataset) -> Self {
        let (y, gaps) = self.targets(data);
        let local = self.frame.local(data.rows());
        let hyper = Evidence::new(&self.kernel, &local, (&y, gaps), self.hyper).maximize();
        Self { hyper, ..self }
    }

    /// The same by a short search from hyper-parameters that are nearly right, e.g. those of the same data in another frame.
    pub fn tuned_from(self, hyper: &Hyper, data: &Dataset) -> Self {
        let (y, gaps) = self.targets(data);
        let local = self.frame.local(data.rows());
        let hyper =
            Evidence::new(&self.kernel, &local, (&y, gaps), self.hyper).maximize_from(*hyper);
        Self { hyper, ..self }
    }

    /// Rewards in standard units, and their gaps.
    fn targets(&self, data: &Dataset) -> (Vec<f64>, Gaps) {
        let units = Standardizer::of(data.rewards());
        let y = units.forward_all(data.rewards());
        let gaps = Gaps::of(&y, self.focus.map(|level| units.forward(level)))
            .with_doubts(&in_units(&units, data.doubts()));
        (y, gaps)
    }

    /// The posterior given `data`.
    pub fn fit(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        if data.is_empty() {
            return Err(FitError::TooFewObservations {
                needed: 1,
                found: 0,
            });
        }
        let units = Standardizer::of(data.rewards());
        let (y, gaps) = self.targets(data);
        let local = self.frame.local(data.rows());
        let features = self.kernel.features(&local, &self.hyper);
        let mut network = features.kernel(&features);
        let kappa = mean_diagonal(&network);
        network *= Scale(1.0 / kappa);
        let noises = gaps.noises(&self.hyper);
        let c = correlations(
            network,
            &TrendProducts::of(&local, &local),
            &self.hyper,
            &noises,
        );
        let factor = factor_with_jitter(c)?;
        let weights = factor.solve_vec(&y);
        let amplitude = amplitude(&y, &weights);
        let (model, widening) = (self.clone(), 1.0);
        let fitted = Fitted {
            model,
            local,
            features,
            kappa,
            factor,
            y,
            weights,
            amplitude,
            units,
            gaps,
            noises,
            widening,
        };
        Ok(TangentPosterior::new(fitted))
    }
}

/// Standard deviations of rewards in standard units; those of estimates that know nothing are as large as makes no difference.
fn in_units(units: &Standardizer, sds: &[f64]) -> Vec<f64> {
    sds.iter()
        .map(|sd| (sd / units.backward_scale(1.0)).min(MOST_DOUBT))
        .collect()
}

/// The factor of `c`, its diagonal raised by as little as makes it positive definite in floating point.
fn factor_with_jitter(mut c: Mat<f64>) -> Result<Cholesky, FitError> {
    let mut jitter = SMALLEST_JITTER * mean_diagonal(&c);
    for _ in 0..JITTER_TRIES {
        if let Ok(factor) = Cholesky::factor(c.as_ref()) {
            return Ok(factor);
        }
        (0..c.nrows()).for_each(|i| c[(i, i)] += jitter);
        jitter *= 100.0;
    }
    Err(FitError::NotPositiveDefinite { size: c.nrows() })
}
