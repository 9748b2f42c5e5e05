//! The fitted tangent model.

use super::Hyper;
use super::evidence::{Evidence, amplitude, correlations, mean_diagonal};
use super::function::WeightFunction;
use super::kernel::{Frame, TangentKernel};
use super::trend::{Trend, TrendProducts, TrendWeights};
use crate::linalg::{Cholesky, Points, Rng};
use crate::net::Features;
use crate::surrogate::{Dataset, FitError, Function, Posterior, Prediction, Standardizer};
use faer::{Mat, Scale};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// First addition to a diagonal that is not positive definite, relative to its mean, and how often it is raised a hundredfold.
const SMALLEST_JITTER: f64 = 1e-14;
const JITTER_TRIES: usize = 5;

/// Squared influence that every coordinate is taken to have, as a part of their average.
const LEAST_INFLUENCE: f64 = 0.1;

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
        let c = correlations(network, &TrendProducts::of(&local, &local), &self.hyper);
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

    /// How much the mean varies along each coordinate, relative to the geometric mean of all: root mean squares of its slopes
    /// at `rows`, each raised by a part of their average so that no coordinate seems to be without influence.
    ///
    /// ```
    /// # use neuralbo::linalg::{Points, Purpose, Streams};
    /// # use neuralbo::surrogate::tangent::{Frame, TangentKernel, TangentModel};
    /// # use neuralbo::surrogate::Dataset;
    /// let rows = Points::from_rows(2, (0..30).map(|i| [(0.7 * i as f64).sin(), (1.1 * i as f64).cos()]));
    /// let rewards = rows.rows().map(|x| 10.0 * x[0] + x[1]).collect();
    /// let data = Dataset::from_parts(rows, rewards);
    /// let kernel = TangentKernel::new(2, 64, &mut Streams::new(1).stream(0, Purpose::NetworkInit))?;
    /// let posterior = TangentModel::new(kernel, Frame { center: vec![0.0; 2], unit: 1.0 }).fit(&data)?;
    /// let influence = posterior.influence(data.rows());
    /// assert!(influence[0] > 1.5 && influence[1] < 0.7);
    /// assert!((influence[0] * influence[1] - 1.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn influence(&self, rows: &Points) -> Vec<f64> {
        let Some((_, slopes)) = self.mean_function().value_and_gradient(rows) else { return vec![1.0; rows.dim()] };
        let mut squares = vec![0.0; rows.dim()];
        for slope in slopes.rows() {
            squares.iter_mut().zip(slope).for_each(|(square, slope)| *square += slope * slope);
        }
        relative_influence(&squares, rows.len())
    }

    /// The mean as a function whose cost does not depend on the data.
    pub fn mean_function(&self) -> WeightFunction {
        self.fitted.weight_function(Prior::none(&self.fitted), &self.fitted.weights)
    }
}

/// Roots of `squares`, the sums of squared slopes at `rows` points, with a geometric mean of one. The fewer points there are for a
/// coordinate, the more equal its influence is made to the others'.
fn relative_influence(squares: &[f64], rows: usize) -> Vec<f64> {
    let dim = squares.len() as f64;
    let mean = squares.iter().sum::<f64>() / dim;
    if !(mean.is_finite() && mean > 0.0) {
        return vec![1.0; squares.len()];
    }
    let floor = LEAST_INFLUENCE + dim / rows as f64;
    let logs: Vec<f64> = squares.iter().map(|square| 0.5 * (square / mean + floor).ln()).collect();
    let center = logs.iter().sum::<f64>() / dim;
    logs.iter().map(|log| (log - center).exp()).collect()
}

/// Weights drawn from the prior, before the data moves them.
struct Prior {
    network: Vec<f64>,
    trend: Trend,
}

impl Prior {
    fn none(fitted: &Fitted) -> Self {
        let p = fitted.model.kernel.net().theta().len();
        Self { network: vec![0.0; p], trend: Trend::zero(fitted.local.nrows()) }
    }

    /// Standard normal weights times `ν`, the amplitude `a` and each part's own factor.
    fn draw(fitted: &Fitted, nu: f64, rng: &mut Rng) -> Self {
        let m = fitted.model.kernel.net().architecture().width as f64;
        let a = nu * fitted.amplitude;
        let mut normal = |factor: f64| a * factor * rng.sample::<f64, _>(StandardNormal);
        let factor = 1.0 / (m * fitted.kappa).sqrt();
        let network = (0..fitted.model.kernel.net().theta().len()).map(|_| normal(factor)).collect();
        Self { network, trend: Trend::draw(fitted.local.nrows(), &TrendWeights::of(&fitted.model.hyper), normal) }
    }
}

impl Fitted {
    /// `a √ρ`, in standard units.
    fn noise_sd(&self) -> f64 {
        self.amplitude * (0.5 * self.model.hyper.log_noise).exp()
    }

    /// `a` is estimated from few targets: with it integrated out a prediction is Student's t with `ν = t + 3` degrees of freedom
    /// (three are the prior's), whose standard deviation is `√(ν/(ν−2))` times as wide.
    fn predictive_amplitude(&self) -> f64 {
        let freedom = self.y.len() as f64 + 3.0;
        self.amplitude * (freedom / (freedom - 2.0)).sqrt()
    }

    /// The function with the prior's weights moved by `Σ_i α_i k(x_i, ·)`.
    fn weight_function(&self, prior: Prior, alpha: &[f64]) -> WeightFunction {
        let Prior { mut network, mut trend } = prior;
        let m = self.model.kernel.net().architecture().width as f64;
        let scaled: Vec<f64> = alpha.iter().map(|a| a / (m * self.kappa)).collect();
        self.features.vjp(&scaled, &mut network);
        trend.add_kernels(&self.local, alpha, &TrendWeights::of(&self.model.hyper));
        WeightFunction {
            kernel: self.model.kernel.clone(),
            hyper: self.model.hyper,
            frame: self.model.frame.clone(),
            units: self.units,
            network,
            trend,
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
        let network = self.features.jvp(&prior.network);
        network.into_iter().zip(prior.trend.values(&self.local)).map(|(network, trend)| network + trend).collect()
    }

    /// Correlations between the data and rows, and the rows' own variances.
    fn cross(&self, rows: &Points) -> (Mat<f64>, Vec<f64>) {
        let local = self.model.frame.local(rows);
        let features = self.model.kernel.features(&local, &self.model.hyper);
        let mut cross = self.features.kernel(&features);
        cross *= Scale(1.0 / self.kappa);
        let weights = TrendWeights::of(&self.model.hyper);
        TrendProducts::of(&self.local, &local).add_to(&mut cross, &weights);
        let own = features.kernel_diagonal().into_iter().enumerate();
        let own = own.map(|(j, network)| network / self.kappa + weights.variance(local.col_as_slice(j)));
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
            .map(|variance| fitted.units.backward_scale(fitted.predictive_amplitude() * variance.max(0.0).sqrt()))
            .collect();
        Prediction { mean, sd }
    }

    fn noise_sd(&self) -> Option<f64> {
        let noise = self.fitted.predictive_amplitude() * (0.5 * self.fitted.model.hyper.log_noise).exp();
        Some(self.fitted.units.backward_scale(noise))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(self.sample(1.0, rng)))
    }
}
