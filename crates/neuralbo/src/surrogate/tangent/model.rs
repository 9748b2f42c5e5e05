//! The fitted tangent model.

use super::Hyper;
use super::evidence::{Evidence, amplitude, correlations, mean_diagonal};
use super::function::WeightFunction;
use super::kernel::{CONSTANT_WEIGHT, Frame, TangentKernel, add_trend, inner_products};
use crate::linalg::{Cholesky, Points, Rng, add_product, product};
use crate::net::Features;
use crate::surrogate::{Dataset, FitError, Function, Posterior, Prediction, Standardizer};
use faer::{Mat, Scale};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// First addition to a diagonal that is not positive definite, relative to its mean, and how often it is raised a hundredfold.
const SMALLEST_JITTER: f64 = 1e-14;
const JITTER_TRIES: usize = 5;

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
/// let model = TangentModel::new(kernel, Frame { center: vec![0.0], unit: 1.0 }).tuned(&data);
/// let at = model.fit(&data)?.predict(&Points::from_rows(1, [[0.2]]));
/// assert!(at.mean[0].abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TangentModel {
    kernel: TangentKernel,
    hyper: Hyper,
    frame: Frame,
}

impl TangentModel {
    /// The model before it has seen data.
    pub fn new(kernel: TangentKernel, frame: Frame) -> Self {
        Self { hyper: Hyper::start(frame.center.len()), kernel, frame }
    }

    /// The same with given hyper-parameters.
    pub fn with_hyper(self, hyper: Hyper) -> Self {
        Self { hyper, ..self }
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
        let y = Standardizer::of(data.rewards()).forward_all(data.rewards());
        let local = self.frame.local(data.rows());
        let hyper = Evidence::new(&self.kernel, &local, &y, self.hyper).maximize();
        Self { hyper, ..self }
    }

    /// The posterior given `data`.
    pub fn fit(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        if data.is_empty() {
            return Err(FitError::TooFewObservations { needed: 1, found: 0 });
        }
        let units = Standardizer::of(data.rewards());
        let y = units.forward_all(data.rewards());
        let local = self.frame.local(data.rows());
        let features = self.kernel.features(&local, &self.hyper);
        let mut network = features.kernel(&features);
        let kappa = mean_diagonal(&network);
        network *= Scale(1.0 / kappa);
        let c = correlations(network, &inner_products(&local, &local), &self.hyper);
        let factor = factor_with_jitter(c)?;
        let weights = factor.solve_vec(&y);
        let amplitude = amplitude(&y, &weights);
        let fitted = Fitted { model: self.clone(), local, features, kappa, factor, y, weights, amplitude, units };
        Ok(TangentPosterior { fitted: Arc::new(fitted) })
    }
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

struct Fitted {
    model: TangentModel,
    local: Mat<f64>,
    features: Features<f64>,
    kappa: f64,
    factor: Cholesky,
    /// Targets in standard units.
    y: Vec<f64>,
    /// `C⁻¹ y`.
    weights: Vec<f64>,
    /// `a`.
    amplitude: f64,
    units: Standardizer,
}

/// The posterior of the tangent model.
#[derive(Clone)]
pub struct TangentPosterior {
    fitted: Arc<Fitted>,
}

impl TangentPosterior {
    /// The posterior mean at the observations, in standard units: `y − ρ C⁻¹y`.
    pub fn smoothed_targets(&self) -> Vec<f64> {
        let (fitted, noise) = (&self.fitted, self.fitted.model.hyper.log_noise.exp());
        fitted.y.iter().zip(&fitted.weights).map(|(y, w)| y - noise * w).collect()
    }

    /// A function drawn from the posterior, its deviation from the mean widened `nu` times.
    pub fn sample(&self, nu: f64, rng: &mut Rng) -> WeightFunction {
        self.fitted.sample(nu, rng)
    }

    /// The mean as a function whose cost does not depend on the data.
    pub fn mean_function(&self) -> WeightFunction {
        self.fitted.weight_function(Prior::none(&self.fitted), &self.fitted.weights)
    }
}

/// Weights drawn from the prior, before the data moves them.
struct Prior {
    network: Vec<f64>,
    constant: f64,
    linear: Vec<f64>,
    quadratic: Mat<f64>,
}

impl Prior {
    fn none(fitted: &Fitted) -> Self {
        let d = fitted.local.nrows();
        let p = fitted.model.kernel.net().theta().len();
        Self { network: vec![0.0; p], constant: 0.0, linear: vec![0.0; d], quadratic: Mat::zeros(d, d) }
    }

    /// Standard normal weights times `ν`, the amplitude `a` and each part's own factor.
    fn draw(fitted: &Fitted, nu: f64, rng: &mut Rng) -> Self {
        let d = fitted.local.nrows();
        let m = fitted.model.kernel.net().architecture().width as f64;
        let hyper = &fitted.model.hyper;
        let a = nu * fitted.amplitude;
        let (tau1, tau2) = ((0.5 * hyper.log_linear).exp(), (0.5 * hyper.log_quadratic).exp());
        let mut normal = |factor: f64| factor * rng.sample::<f64, _>(StandardNormal);
        Self {
            network: (0..fitted.model.kernel.net().theta().len()).map(|_| normal(a / (m * fitted.kappa).sqrt())).collect(),
            constant: normal(a * CONSTANT_WEIGHT.sqrt()),
            linear: (0..d).map(|_| normal(a * tau1)).collect(),
            quadratic: Mat::from_fn(d, d, |_, _| normal(a * tau2)),
        }
    }
}

impl Fitted {
    /// `a √ρ`, in standard units.
    fn noise_sd(&self) -> f64 {
        self.amplitude * (0.5 * self.model.hyper.log_noise).exp()
    }

    /// The function with the prior's weights moved by `Σ_i α_i k(x_i, ·)`.
    fn weight_function(&self, prior: Prior, alpha: &[f64]) -> WeightFunction {
        let Prior { mut network, mut constant, mut linear, mut quadratic } = prior;
        let m = self.model.kernel.net().architecture().width as f64;
        let scaled: Vec<f64> = alpha.iter().map(|a| a / (m * self.kappa)).collect();
        self.features.vjp(&scaled, &mut network);
        constant += CONSTANT_WEIGHT * alpha.iter().sum::<f64>();
        let (tau1, tau2) = (self.model.hyper.log_linear.exp(), self.model.hyper.log_quadratic.exp());
        let mut weighted = self.local.clone();
        for (j, a) in alpha.iter().enumerate() {
            let column = weighted.col_as_slice_mut(j);
            linear.iter_mut().zip(column.iter()).for_each(|(l, u)| *l += tau1 * a * u);
            column.iter_mut().for_each(|u| *u *= tau2 * a);
        }
        add_product(quadratic.as_mut(), 1.0, weighted.as_ref(), self.local.transpose());
        WeightFunction {
            kernel: self.model.kernel.clone(),
            hyper: self.model.hyper,
            frame: self.model.frame.clone(),
            units: self.units,
            network,
            constant,
            linear,
            quadratic,
        }
    }

    /// Pathwise conditioning (Matheron), its deviation from the mean widened `nu` times:
    /// `ν f₀ + k(·, X) C⁻¹ (y − ν (f₀(X) + ε))` with `ε ~ N(0, a²ρ)`.
    fn sample(&self, nu: f64, rng: &mut Rng) -> WeightFunction {
        let prior = Prior::draw(self, nu, rng);
        let noise_sd = nu * self.noise_sd();
        let at_data = self.prior_at_data(&prior);
        let misfit: Vec<f64> =
            self.y.iter().zip(at_data).map(|(y, f)| y - f - noise_sd * rng.sample::<f64, _>(StandardNormal)).collect();
        let alpha = self.factor.solve_vec(&misfit);
        self.weight_function(prior, &alpha)
    }

    fn prior_at_data(&self, prior: &Prior) -> Vec<f64> {
        let mut values = self.features.jvp(&prior.network);
        let bent = product(prior.quadratic.as_ref(), self.local.as_ref());
        for (j, value) in values.iter_mut().enumerate() {
            let u = self.local.col_as_slice(j);
            let trend: f64 = u.iter().zip(&prior.linear).zip(bent.col_as_slice(j)).map(|((u, l), b)| u * (l + b)).sum();
            *value += prior.constant + trend;
        }
        values
    }

    /// Correlations between the data and rows, and the rows' own variances.
    fn cross(&self, rows: &Points) -> (Mat<f64>, Vec<f64>) {
        let local = self.model.frame.local(rows);
        let features = self.model.kernel.features(&local, &self.model.hyper);
        let mut cross = self.features.kernel(&features);
        cross *= Scale(1.0 / self.kappa);
        add_trend(&mut cross, &inner_products(&self.local, &local), &self.model.hyper);
        let (tau1, tau2) = (self.model.hyper.log_linear.exp(), self.model.hyper.log_quadratic.exp());
        let own = features.kernel_diagonal().into_iter().enumerate().map(|(j, k)| {
            let square: f64 = local.col_as_slice(j).iter().map(|u| u * u).sum();
            k / self.kappa + CONSTANT_WEIGHT + square * (tau1 + tau2 * square)
        });
        (cross, own.collect())
    }
}

impl Posterior for TangentPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let fitted = &self.fitted;
        let (mut cross, own) = fitted.cross(rows);
        let mean = (0..rows.len())
            .map(|j| cross.col_as_slice(j).iter().zip(&fitted.weights).map(|(k, w)| k * w).sum::<f64>())
            .map(|mean| fitted.units.backward(mean))
            .collect();
        fitted.factor.solve_lower(cross.as_mut());
        let sd = own
            .into_iter()
            .enumerate()
            .map(|(j, own)| own - cross.col_as_slice(j).iter().map(|c| c * c).sum::<f64>())
            .map(|variance| fitted.units.backward_scale(fitted.amplitude * variance.max(0.0).sqrt()))
            .collect();
        Prediction { mean, sd }
    }

    fn noise_sd(&self) -> Option<f64> {
        Some(self.fitted.units.backward_scale(self.fitted.noise_sd()))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(self.sample(1.0, rng)))
    }
}
