//! What the region policy asks of the fitted tangent model beside predictions and samples, and functions of its weight space:
//! `g(u)ᵀ v + b + cᵀu + uᵀS u`, with gradients.

use super::covariance::TangentCovariance;
use super::trend::Trend;
use super::{Hyper, TangentModel};
use crate::linalg::Points;
use crate::net::Features;
use crate::surrogate::gaussian::Gaussian;
use crate::surrogate::tiles::{joined_values, over_tiles};
use crate::surrogate::{Function, Standardizer};
use faer::Mat;

/// Squared influence that every coordinate is taken to have, as a part of their average.
const LEAST_INFLUENCE: f64 = 0.1;

/// The posterior of the tangent model.
pub type TangentPosterior = Gaussian<TangentCovariance>;

impl TangentPosterior {
    fn model(&self) -> &TangentModel {
        &self.conditioned.covariance.model
    }

    /// The hyper-parameters it was fitted with.
    pub fn hyper(&self) -> &Hyper {
        &self.model().hyper
    }

    /// Whether the observations are explained by noise rather than by a function alone.
    pub fn sees_noise(&self) -> bool {
        self.model().hyper.is_noisy()
    }

    /// The leave-one-out error of the last observation as a part of its improvement on the best of the others; `None` where it
    /// is not an improvement.
    pub fn last_improvement_error(&self) -> Option<f64> {
        let (last, others) = self.targets.split_last()?;
        let improvement = last - others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (improvement > 0.0).then(|| self.leave_one_out_errors(1)[0].abs() / improvement)
    }

    /// The mean as a function whose cost does not depend on the data.
    pub fn mean_function(&self) -> WeightFunction {
        TangentCovariance::mean_function(self)
    }

    /// Hessian of the mean at the frame's centre in its coordinates `u`, by differences of the gradient over `step`; `None` where it
    /// is not finite.
    pub fn curvature(&self, step: f64) -> Option<Mat<f64>> {
        let frame = &self.model().frame;
        let d = frame.center.len();
        let shifted = |i: usize, step: f64| {
            let mut u = vec![0.0; d];
            u[i] = step;
            frame.row(&u)
        };
        let rows = (0..d).flat_map(|i| [shifted(i, step), shifted(i, -step)]);
        let rows = Points::from_rows(d, rows);
        let (_, slopes) = self.mean_function().value_and_gradient(&rows)?;
        let slopes = slopes.rows().map(|slope| frame.gradient_to_local(slope));
        let slopes: Vec<Vec<f64>> = slopes.collect();
        let difference =
            |i: usize, j: usize| (slopes[2 * i][j] - slopes[2 * i + 1][j]) / (2.0 * step);
        let hessian = Mat::from_fn(d, d, |i, j| 0.5 * (difference(i, j) + difference(j, i)));
        let is_finite = |j| {
            hessian
                .col_as_slice(j)
                .iter()
                .all(|value| value.is_finite())
        };
        (0..d).all(is_finite).then_some(hessian)
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
            let pairs = squares.iter_mut().zip(slope);
            pairs.for_each(|(square, slope)| *square += slope * slope);
        }
        relative_influence(&squares, rows.len())
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
    let log = |square: &f64| 0.5 * (square / mean + floor).ln();
    let logs: Vec<f64> = squares.iter().map(log).collect();
    let center = logs.iter().sum::<f64>() / dim;
    logs.iter().map(|log| (log - center).exp()).collect()
}

/// Rows evaluated at once on one thread.
const TILE: usize = 128;

/// Weights of a sample or of the mean, with all factors folded in.
pub struct WeightFunction {
    pub(super) model: TangentModel,
    pub(super) units: Standardizer,
    /// `v`, p-long.
    pub(super) network: Vec<f64>,
    pub(super) trend: Trend,
}

impl WeightFunction {
    fn tile_value(&self, rows: &Points) -> Vec<f64> {
        let local = self.model.frame.local(rows);
        self.values(
            &local,
            &self.model.kernel.features(&local, &self.model.hyper),
        )
    }

    fn tile_gradient(&self, rows: &Points) -> (Vec<f64>, Points) {
        let (model, local) = (&self.model, self.model.frame.local(rows));
        let features = model.kernel.differentiable_features(&local, &model.hyper);
        let adjoints = features.adjoints_of_jvp(&self.network);
        let slopes = features.pullback(model.kernel.net(), adjoints);
        let factor = self.units.backward_scale(1.0);
        let gradient = model.to_rows(factor, &slopes, &self.trend.gradients(&local));
        (self.values(&local, &features), gradient)
    }

    fn values(&self, local: &Mat<f64>, features: &Features<f64>) -> Vec<f64> {
        let network = features.jvp(&self.network).into_iter();
        let parts = network.zip(self.trend.values(local));
        parts
            .map(|(network, trend)| self.units.backward(network + trend))
            .collect()
    }
}

impl Function for WeightFunction {
    fn value(&self, rows: &Points) -> Vec<f64> {
        over_tiles(rows, TILE, |tile| self.tile_value(tile)).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let tiles = over_tiles(rows, TILE, |tile| self.tile_gradient(tile));
        Some(joined_values(rows.dim(), tiles))
    }
}
