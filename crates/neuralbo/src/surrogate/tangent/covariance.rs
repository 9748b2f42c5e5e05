//! The covariance `k_NTK/κ + trend` on centred rows, in units of the amplitude.

use super::evidence::correlations;
use super::hyper::Gaps;
use super::model::TangentModel;
use super::posterior::WeightFunction;
use super::trend::{Trend, TrendProducts, TrendWeights};
use crate::linalg::{Points, Rng};
use crate::net::Features;
use crate::surrogate::Function;
use crate::surrogate::gaussian::{Covariance, Gaussian, Inputs, Path};
use faer::{Mat, Scale};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::ops::Range;

/// The model with what its data decide.
#[derive(Clone)]
pub struct TangentCovariance {
    pub(super) model: TangentModel,
    pub(super) kappa: f64,
    pub(super) gaps: Gaps,
}

/// Local rows and their tangent features.
#[derive(Clone)]
pub struct TangentInputs {
    pub(super) local: Mat<f64>,
    pub(super) features: Features<f64>,
}

impl TangentInputs {
    pub(super) fn of(model: &TangentModel, rows: &Points) -> Self {
        let local = model.frame.local(rows);
        Self {
            features: model.kernel.features(&local, &model.hyper),
            local,
        }
    }
}

impl Inputs for TangentInputs {
    fn len(&self) -> usize {
        self.local.ncols()
    }

    fn slice(&self, range: Range<usize>) -> Self {
        Self {
            local: self.local.subcols(range.start, range.len()).to_owned(),
            features: self.features.columns(range),
        }
    }

    fn append(&mut self, other: &Self) {
        let old = self.len();
        let more = |i: usize, j: usize| other.local[(i, j - old)];
        self.local
            .resize_with(other.local.nrows(), old + other.len(), more);
        self.features.append(&other.features);
    }
}

impl TangentCovariance {
    fn trend(&self) -> TrendWeights {
        TrendWeights::of(&self.model.hyper)
    }

    /// Number of the network's weights, and the factor `1/√(mκ)` of each feature.
    fn weights(&self) -> (usize, f64) {
        let net = self.model.kernel.net();
        let width = net.architecture().width as f64;
        (net.theta().len(), 1.0 / (width * self.kappa).sqrt())
    }

    /// The prior's weights moved by `Σ_i α_i k(x_i, ·)`.
    fn moved(gaussian: &Gaussian<Self>, prior: TangentPrior, alpha: &[f64]) -> WeightFunction {
        let data = &gaussian.conditioned;
        let Self { model, kappa, .. } = &data.covariance;
        let TangentPrior {
            mut network,
            mut trend,
        } = prior;
        let m = model.kernel.net().architecture().width as f64;
        let scaled: Vec<f64> = alpha.iter().map(|a| a / (m * kappa)).collect();
        data.inputs.features.vjp(&scaled, &mut network);
        trend.add_kernels(&data.inputs.local, alpha, &data.covariance.trend());
        WeightFunction {
            model: model.clone(),
            units: gaussian.units,
            network,
            trend,
        }
    }

    /// The posterior mean as a function of weights.
    pub(super) fn mean_function(gaussian: &Gaussian<Self>) -> WeightFunction {
        let covariance = &gaussian.conditioned.covariance;
        let prior = TangentPrior {
            network: vec![0.0; covariance.weights().0],
            trend: Trend::zero(gaussian.conditioned.inputs.local.nrows()),
        };
        Self::moved(gaussian, prior, &gaussian.weights)
    }
}

impl Covariance for TangentCovariance {
    type Inputs = TangentInputs;
    type Slopes = Features<f64>;

    /// All rows at once: their features are computed at once.
    const TILE: usize = usize::MAX;

    fn inputs(&self, rows: &Points) -> TangentInputs {
        TangentInputs::of(&self.model, rows)
    }

    fn within(&self, data: &TangentInputs) -> Mat<f64> {
        let network = data.features.kernel(&data.features) * Scale(1.0 / self.kappa);
        let products = TrendProducts::of(&data.local, &data.local);
        correlations(network, &products, &self.model.hyper, &[])
    }

    fn between(&self, data: &TangentInputs, points: &TangentInputs) -> Mat<f64> {
        let network = data.features.kernel(&points.features) * Scale(1.0 / self.kappa);
        let products = TrendProducts::of(&data.local, &points.local);
        correlations(network, &products, &self.model.hyper, &[])
    }

    fn variances(&self, points: &TangentInputs) -> Vec<f64> {
        let network = points.features.kernel_diagonal().into_iter().enumerate();
        let trend = self.trend();
        let own =
            |(j, network)| network / self.kappa + trend.variance(points.local.col_as_slice(j));
        network.map(own).collect()
    }

    fn noise_at(&self, target: f64) -> f64 {
        self.gaps.noise_at(target, &self.model.hyper)
    }

    fn noise_sd(&self) -> f64 {
        (0.5 * self.model.hyper.log_noise).exp()
    }

    fn between_with_slopes(
        &self,
        data: &TangentInputs,
        points: &TangentInputs,
    ) -> Option<(Mat<f64>, Features<f64>)> {
        let TangentModel { kernel, hyper, .. } = &self.model;
        let slopes = kernel.differentiable_features(&points.local, hyper);
        Some((self.between(data, points), slopes))
    }

    fn gradient(
        &self,
        data: &TangentInputs,
        points: &TangentInputs,
        slopes: &Features<f64>,
        weight: impl Fn(usize, usize) -> f64,
    ) -> Points {
        let weights = Mat::from_fn(data.len(), points.len(), weight);
        let adjoints =
            slopes.adjoints_of_kernel(&data.features, &(&weights * Scale(1.0 / self.kappa)));
        let network = slopes.pullback(self.model.kernel.net(), adjoints);
        let trend = self.trend().gradients(&data.local, &points.local, &weights);
        self.model.to_rows(1.0, &network, &trend)
    }

    fn variance_gradient(&self, points: &TangentInputs, slopes: &Features<f64>) -> Option<Points> {
        // ∂k(x, x) is twice the derivative by one argument.
        let weight = |i: usize, j: usize| if i == j { 2.0 } else { 0.0 };
        Some(self.gradient(points, points, slopes, weight))
    }

    fn sample(gaussian: &Gaussian<Self>, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(gaussian.sample(1.0, rng)))
    }
}

/// Weights drawn from the prior, before the data moves them.
pub struct TangentPrior {
    network: Vec<f64>,
    trend: Trend,
}

impl Path for TangentCovariance {
    type Prior = TangentPrior;
    type Function = WeightFunction;

    /// Standard normal weights times the amplitude and each part's own factor.
    fn draw_prior(&self, amplitude: f64, rng: &mut Rng) -> TangentPrior {
        let mut normal = |factor: f64| amplitude * factor * rng.sample::<f64, _>(StandardNormal);
        let (count, factor) = self.weights();
        TangentPrior {
            network: (0..count).map(|_| normal(factor)).collect(),
            trend: Trend::draw(self.model.frame.center.len(), &self.trend(), normal),
        }
    }

    fn prior_values(prior: &TangentPrior, points: &TangentInputs) -> Vec<f64> {
        let network = points.features.jvp(&prior.network);
        let trend = prior.trend.values(&points.local);
        let both = network.into_iter().zip(trend);
        both.map(|(network, trend)| network + trend).collect()
    }

    fn function(gaussian: &Gaussian<Self>, prior: TangentPrior, alpha: Vec<f64>) -> WeightFunction {
        Self::moved(gaussian, prior, &alpha)
    }
}
