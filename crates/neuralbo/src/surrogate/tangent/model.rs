//! The tangent model before it has seen data, and its fit.

use super::covariance::{TangentCovariance, TangentInputs};
use super::evidence::{Evidence, correlations};
use super::hyper::Gaps;
use super::kernel::{Frame, TangentKernel};
use super::trend::TrendProducts;
use super::{Hyper, TangentPosterior};
use crate::linalg::Points;
use crate::surrogate::gaussian::{Conditioned, Gaussian, mean_diagonal};
use crate::surrogate::{Dataset, FitError, Standardizer};
use faer::{Mat, Scale};

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
    replicate_variance: Option<f64>,
}

impl TangentModel {
    /// The model before it has seen data.
    pub fn new(kernel: TangentKernel, frame: Frame) -> Self {
        Self {
            hyper: Hyper::start(frame.center.len()),
            kernel,
            frame,
            focus: None,
            replicate_variance: None,
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

    /// The same where repeated evaluations of points have shown this variance of the noise.
    pub fn with_replicate_variance(self, variance: Option<f64>) -> Self {
        Self {
            replicate_variance: variance,
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
        let hyper = self.with_evidence(data, |evidence| evidence.maximize());
        Self { hyper, ..self }
    }

    /// The same by a short search from hyper-parameters that are nearly right, e.g. those of the same data in another frame.
    pub fn tuned_from(self, hyper: &Hyper, data: &Dataset) -> Self {
        let hyper = self.with_evidence(data, |evidence| evidence.maximize_from(*hyper));
        Self { hyper, ..self }
    }

    fn with_evidence(&self, data: &Dataset, search: impl Fn(&Evidence<'_>) -> Hyper) -> Hyper {
        let units = Standardizer::of(data.rewards());
        let (y, gaps) = self.targets(data, &units);
        let local = self.frame.local(data.rows());
        let sd = self.replicate_variance.map(f64::sqrt);
        let evidence = Evidence::new(&self.kernel, &local, &y, gaps, self.hyper);
        search(&evidence.with_replicate_sd(sd.map(|sd| units.forward_sd(sd))))
    }

    /// Rewards in standard units, and their gaps.
    fn targets(&self, data: &Dataset, units: &Standardizer) -> (Vec<f64>, Gaps) {
        let y = units.forward_all(data.rewards());
        let gaps = Gaps::of(&y, self.focus.map(|level| units.forward(level)));
        (y, gaps.with_estimates(data.noise_variances(units)))
    }

    /// The posterior given `data`, its deviations calibrated by leave-one-out errors.
    pub fn fit(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        data.check_finite()?;
        let units = Standardizer::of(data.rewards());
        let (y, gaps) = self.targets(data, &units);
        let inputs = TangentInputs::of(self, data.rows());
        let mut network = inputs.features.kernel(&inputs.features);
        let kappa = mean_diagonal(&network);
        network *= Scale(1.0 / kappa);
        let products = TrendProducts::of(&inputs.local, &inputs.local);
        let matrix = correlations(network, &products, &self.hyper, &[]);
        let noises = gaps.noises(&self.hyper);
        let covariance = TangentCovariance {
            model: self.clone(),
            kappa,
            gaps,
        };
        let conditioned = Conditioned::of_matrix(covariance, inputs, matrix, &noises, 0)?;
        Ok(Gaussian::with_estimated_amplitude(conditioned, y, units).calibrated())
    }

    /// Gradients in rows times `factor`, from those of the network in its inputs and those of the trend in local rows.
    pub(super) fn to_rows(&self, factor: f64, network: &Mat<f64>, trend: &Mat<f64>) -> Points {
        let scale = self.kernel.input_factor() * self.hyper.log_scale.exp();
        let slopes = Mat::from_fn(trend.nrows(), trend.ncols(), |i, j| {
            factor * (scale * network[(i, j)] + trend[(i, j)])
        });
        let gradient = self.frame.pull_back(slopes);
        let columns = (0..gradient.ncols()).map(|j| gradient.col_as_slice(j));
        Points::from_rows(gradient.nrows(), columns)
    }
}
