//! The fitted tangent model: predictions, samples and what else follows from the factor of `C`.

use super::Hyper;
use super::evidence::correlations;
use super::function::WeightFunction;
use super::model::TangentModel;
use super::noise::Gaps;
use super::trend::{Trend, TrendProducts, TrendWeights};
use crate::linalg::{Cholesky, Points, Rng};
use crate::net::Features;
use crate::surrogate::{FitError, Function, Posterior, Prediction, Standardizer};
use faer::{Mat, Scale};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// Squared influence that every coordinate is taken to have, as a part of their average.
const LEAST_INFLUENCE: f64 = 0.1;
/// Observations whose leave-one-out errors are computed: the last ones, which lie where the search is.
const MOST_LEFT_OUT: usize = 64;

/// Everything a posterior is computed from.
#[derive(Clone)]
pub(super) struct Fitted {
    pub(super) model: TangentModel,
    pub(super) local: Mat<f64>,
    pub(super) features: Features<f64>,
    pub(super) kappa: f64,
    pub(super) factor: Cholesky,
    /// Targets in standard units.
    pub(super) y: Vec<f64>,
    /// `C⁻¹ y`.
    pub(super) weights: Vec<f64>,
    /// `a`.
    pub(super) amplitude: f64,
    pub(super) units: Standardizer,
    pub(super) gaps: Gaps,
    /// `ρ_i`.
    pub(super) noises: Vec<f64>,
    /// Factor of all predicted standard deviations: the leave-one-out error where it is more than one.
    pub(super) widening: f64,
}

/// The posterior of the tangent model.
#[derive(Clone)]
pub struct TangentPosterior {
    fitted: Arc<Fitted>,
}

impl TangentPosterior {
    /// A model that is wrong by more than it says where observations are left out is made to say so.
    pub(super) fn new(mut fitted: Fitted) -> Self {
        fitted.widening = fitted.leave_one_out_error().max(1.0);
        Self {
            fitted: Arc::new(fitted),
        }
    }

    /// Factor of all predicted standard deviations by the leave-one-out errors.
    #[cfg(test)]
    pub(super) fn widening(&self) -> f64 {
        self.fitted.widening
    }

    /// The hyper-parameters it was fitted with.
    pub fn hyper(&self) -> &Hyper {
        &self.fitted.model.hyper
    }

    /// Whether the observations are explained by noise rather than by a function alone.
    pub fn sees_noise(&self) -> bool {
        self.fitted.model.hyper.is_noisy()
    }

    /// The posterior mean at the observations, in standard units: `y_i − ρ_i (C⁻¹y)_i`.
    pub fn smoothed_targets(&self) -> Vec<f64> {
        let fitted = &self.fitted;
        fitted
            .y
            .iter()
            .zip(&fitted.weights)
            .zip(&fitted.noises)
            .map(|((y, w), noise)| y - noise * w)
            .collect()
    }

    /// The posterior if `rows` had been observed at their predicted means. The mean stays as it is, and so do all
    /// hyper-parameters; the factor grows by the new rows.
    pub fn conditioned(&self, rows: &Points) -> Result<Self, FitError> {
        self.fitted.conditioned(rows).map(|fitted| Self {
            fitted: Arc::new(fitted),
        })
    }

    /// Hessian of the mean at the frame's centre in its coordinates `u`, by differences of the gradient over `step`; `None` where it
    /// is not finite.
    pub fn curvature(&self, step: f64) -> Option<Mat<f64>> {
        let frame = &self.fitted.model.frame;
        let d = frame.center.len();
        let shifted = |i: usize, step: f64| {
            frame.row(
                &(0..d)
                    .map(|j| if i == j { step } else { 0.0 })
                    .collect::<Vec<f64>>(),
            )
        };
        let rows = Points::from_rows(
            d,
            (0..d).flat_map(|i| [shifted(i, step), shifted(i, -step)]),
        );
        let (_, slopes) = self.mean_function().value_and_gradient(&rows)?;
        let slopes: Vec<Vec<f64>> = slopes
            .rows()
            .map(|slope| frame.gradient_to_local(slope))
            .collect();
        let difference =
            |i: usize, j: usize| (slopes[2 * i][j] - slopes[2 * i + 1][j]) / (2.0 * step);
        let hessian = Mat::from_fn(d, d, |i, j| 0.5 * (difference(i, j) + difference(j, i)));
        let is_finite = hessian
            .col_iter()
            .all(|column| column.iter().all(|value| value.is_finite()));
        is_finite.then_some(hessian)
    }

    /// The error with which all others predict the last observation, as a part of what it improves on the best of them; `None` where
    /// it does not.
    pub fn surprise(&self) -> Option<f64> {
        let (last, others) = self.fitted.y.split_last()?;
        let improvement = last - others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (improvement > 0.0).then(|| self.fitted.left_out(1)[0].abs() / improvement)
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
    /// let posterior = TangentModel::new(kernel, Frame::new(vec![0.0; 2], 1.0)).fit(&data)?;
    /// let influence = posterior.influence(data.rows());
    /// assert!(influence[0] > 1.5 && influence[1] < 0.7);
    /// assert!((influence[0] * influence[1] - 1.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn influence(&self, rows: &Points) -> Vec<f64> {
        let Some((_, slopes)) = self.mean_function().value_and_gradient(rows) else {
            return vec![1.0; rows.dim()];
        };
        let mut squares = vec![0.0; rows.dim()];
        for slope in slopes.rows() {
            squares
                .iter_mut()
                .zip(slope)
                .for_each(|(square, slope)| *square += slope * slope);
        }
        relative_influence(&squares, rows.len())
    }

    /// The mean as a function whose cost does not depend on the data.
    pub fn mean_function(&self) -> WeightFunction {
        self.fitted
            .weight_function(Prior::none(&self.fitted), &self.fitted.weights)
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
    let logs: Vec<f64> = squares
        .iter()
        .map(|square| 0.5 * (square / mean + floor).ln())
        .collect();
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
        Self {
            network: vec![0.0; p],
            trend: Trend::zero(fitted.local.nrows()),
        }
    }

    /// Standard normal weights times `ν`, the amplitude `a` and each part's own factor.
    fn draw(fitted: &Fitted, nu: f64, rng: &mut Rng) -> Self {
        let m = fitted.model.kernel.net().architecture().width as f64;
        let a = nu * fitted.amplitude;
        let mut normal = |factor: f64| a * factor * rng.sample::<f64, _>(StandardNormal);
        let factor = 1.0 / (m * fitted.kappa).sqrt();
        let network = (0..fitted.model.kernel.net().theta().len())
            .map(|_| normal(factor))
            .collect();
        Self {
            network,
            trend: Trend::draw(
                fitted.local.nrows(),
                &TrendWeights::of(&fitted.model.hyper),
                normal,
            ),
        }
    }
}

impl Fitted {
    /// `a` is estimated from few targets: with it integrated out a prediction is Student's t with `ν = t + 3` degrees of freedom
    /// (three are the prior's), whose standard deviation is `√(ν/(ν−2))` times as wide.
    fn predictive_amplitude(&self) -> f64 {
        let freedom = self.y.len() as f64 + 3.0;
        self.widening * self.amplitude * (freedom / (freedom - 2.0)).sqrt()
    }

    /// With observations added at their predicted means `C⁻¹y` gets a zero for each, and `yᵀC⁻¹y` stays.
    fn conditioned(&self, rows: &Points) -> Result<Self, FitError> {
        let (cross, _) = self.cross(rows);
        let local = self.model.frame.local(rows);
        let features = self.model.kernel.features(&local, &self.model.hyper);
        let mut network = features.kernel(&features);
        network *= Scale(1.0 / self.kappa);
        let mean = |j: usize| {
            cross
                .col_as_slice(j)
                .iter()
                .zip(&self.weights)
                .map(|(k, w)| k * w)
                .sum::<f64>()
        };
        let means: Vec<f64> = (0..rows.len()).map(mean).collect();
        let added: Vec<f64> = means
            .iter()
            .map(|mean| self.gaps.noise_at(*mean, &self.model.hyper))
            .collect();
        let corner = correlations(
            network,
            &TrendProducts::of(&local, &local),
            &self.model.hyper,
            &added,
        );
        let mut all = self.clone();
        all.factor
            .append(cross.as_ref(), corner.as_ref())
            .map_err(|error| FitError::NotPositiveDefinite {
                size: error.index + 1,
            })?;
        let known = self.local.ncols();
        all.local = Mat::from_fn(local.nrows(), known + local.ncols(), |i, j| {
            if j < known {
                self.local[(i, j)]
            } else {
                local[(i, j - known)]
            }
        });
        all.features = self.model.kernel.features(&all.local, &self.model.hyper);
        all.y.extend(&means);
        all.weights.resize(all.y.len(), 0.0);
        all.noises.extend(added);
        Ok(all)
    }

    /// Root mean square of the leave-one-out errors of the last observations, in units of their predicted standard deviations. One for a
    /// calibrated model.
    pub(super) fn leave_one_out_error(&self) -> f64 {
        let count = self.y.len().min(MOST_LEFT_OUT);
        let squares = self
            .precisions(count)
            .into_iter()
            .zip(&self.weights[self.y.len() - count..]);
        let mean = squares
            .map(|(precision, weight)| weight * weight / precision)
            .sum::<f64>()
            / count.max(1) as f64;
        mean.sqrt() / self.amplitude
    }

    /// The leave-one-out errors `(C⁻¹y)_i / (C⁻¹)_ii` of the last `count` observations (Sundararajan & Keerthi 2001).
    fn left_out(&self, count: usize) -> Vec<f64> {
        let errors = self
            .precisions(count)
            .into_iter()
            .zip(&self.weights[self.y.len() - count..]);
        errors
            .map(|(precision, weight)| weight / precision)
            .collect()
    }

    /// `(C⁻¹)_ii` of the last `count` observations.
    fn precisions(&self, count: usize) -> Vec<f64> {
        let size = self.y.len();
        let mut columns =
            Mat::<f64>::from_fn(
                size,
                count,
                |i, j| if i == size - count + j { 1.0 } else { 0.0 },
            );
        self.factor.solve_lower(columns.as_mut());
        (0..count)
            .map(|j| {
                columns
                    .col_as_slice(j)
                    .iter()
                    .map(|value| value * value)
                    .sum()
            })
            .collect()
    }

    /// The function with the prior's weights moved by `Σ_i α_i k(x_i, ·)`.
    fn weight_function(&self, prior: Prior, alpha: &[f64]) -> WeightFunction {
        let Prior {
            mut network,
            mut trend,
        } = prior;
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
    /// `ν f₀ + k(·, X) C⁻¹ (y − ν (f₀(X) + ε))` with `ε_i ~ N(0, a²ρ_i)`.
    fn sample(&self, nu: f64, rng: &mut Rng) -> WeightFunction {
        let prior = Prior::draw(self, nu, rng);
        let at_data = self.prior_at_data(&prior);
        let mut noise =
            |rho: &f64| nu * self.amplitude * rho.sqrt() * rng.sample::<f64, _>(StandardNormal);
        let targets = self
            .y
            .iter()
            .zip(&self.noises)
            .map(|(y, rho)| y - noise(rho));
        let misfit: Vec<f64> = targets.zip(at_data).map(|(y, f)| y - f).collect();
        let alpha = self.factor.solve_vec(&misfit);
        self.weight_function(prior, &alpha)
    }

    fn prior_at_data(&self, prior: &Prior) -> Vec<f64> {
        let network = self.features.jvp(&prior.network);
        network
            .into_iter()
            .zip(prior.trend.values(&self.local))
            .map(|(network, trend)| network + trend)
            .collect()
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
        let own =
            own.map(|(j, network)| network / self.kappa + weights.variance(local.col_as_slice(j)));
        (cross, own.collect())
    }
}

impl Posterior for TangentPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let fitted = &self.fitted;
        let (mut cross, own) = fitted.cross(rows);
        let mean = (0..rows.len())
            .map(|j| {
                cross
                    .col_as_slice(j)
                    .iter()
                    .zip(&fitted.weights)
                    .map(|(k, w)| k * w)
                    .sum::<f64>()
            })
            .map(|mean| fitted.units.backward(mean))
            .collect();
        fitted.factor.solve_lower(cross.as_mut());
        let sd = own
            .into_iter()
            .enumerate()
            .map(|(j, own)| own - cross.col_as_slice(j).iter().map(|c| c * c).sum::<f64>())
            .map(|variance| {
                fitted
                    .units
                    .backward_scale(fitted.predictive_amplitude() * variance.max(0.0).sqrt())
            })
            .collect();
        Prediction { mean, sd }
    }

    fn noise_sd(&self) -> Option<f64> {
        let noise =
            self.fitted.predictive_amplitude() * (0.5 * self.fitted.model.hyper.log_noise).exp();
        Some(self.fitted.units.backward_scale(noise))
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(self.sample(1.0, rng)))
    }
}
