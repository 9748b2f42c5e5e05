//! What a fitted neural surrogate answers.

use super::covariance::FeatureCovariance;
use super::function::TILE;
use super::pool::PoolFeatures;
use super::{InputMap, TangentFunction};
use neuralbo::linalg::{Points, Real, Rng};
use neuralbo::net::{Features, Mlp};
use neuralbo::surrogate::tiles::over_ranges;
use neuralbo::surrogate::{Function, Posterior, Prediction, Standardizer};
use std::sync::Arc;

/// `N(h(x; θ_t) + g(x)ᵀ v, ν² σ²(x))`: with a trained mean `v = 0`, in closed form `v` is the ridge solution.
#[derive(Clone)]
pub struct NeuralPosterior<T> {
    pub(super) inputs: Arc<InputMap>,
    pub(super) mean: Option<Arc<Mlp<T>>>,
    pub(super) subtracted: Option<Arc<Mlp<T>>>,
    pub(super) features: Arc<Mlp<T>>,
    /// Features at θ₀ that are known.
    pub(super) pool: Option<Arc<PoolFeatures<T>>>,
    pub(super) ridge: Arc<Vec<f64>>,
    pub(super) covariance: Arc<FeatureCovariance<T>>,
    pub(super) nu: f64,
    pub(super) units: Standardizer,
}

impl<T: Real> NeuralPosterior<T> {
    /// The mean as a function.
    pub fn mean_function(&self) -> TangentFunction<T> {
        self.function(self.ridge.iter().map(|&v| T::from_f64(v)).collect())
    }

    /// `mean − subtracted + g(x)ᵀ direction`. Where θ₀ has a zero output layer the last part is a network as well, which is quicker
    /// unless the features are known.
    fn function(&self, direction: Vec<T>) -> TangentFunction<T> {
        let terms = [(&self.mean, 1.0), (&self.subtracted, -1.0)];
        let mut networks: Vec<(Arc<Mlp<T>>, f64)> = terms
            .into_iter()
            .filter_map(|(net, factor)| Some((net.clone()?, factor)))
            .collect();
        let tangent = if self.features.has_zero_output() && self.pool.is_none() {
            networks.push((Arc::new(self.features.with_output(&direction)), 1.0));
            None
        } else {
            Some((self.features.clone(), direction))
        };
        TangentFunction {
            inputs: self.inputs.clone(),
            networks,
            tangent,
            pool: self.pool.clone(),
            units: self.units,
        }
    }

    fn features_of(&self, rows: &Points, range: std::ops::Range<usize>) -> Features<T> {
        Features::of(&self.features, self.inputs.apply::<T>(rows, range).as_ref())
    }

    fn sd(&self, rows: &Points) -> Vec<f64> {
        let scale = self.units.backward_scale(self.nu);
        let variances = over_ranges(rows.len(), TILE, |range| {
            let pool = self.pool.as_ref();
            match pool.and_then(|pool| pool.tile(rows, range.clone())) {
                Some(features) => self.covariance.variance(features),
                None => self.covariance.variance(&self.features_of(rows, range)),
            }
        });
        let sd = |variance: f64| scale * variance.max(0.0).sqrt();
        variances.concat().into_iter().map(sd).collect()
    }
}

impl<T: Real> Posterior for NeuralPosterior<T> {
    fn predict(&self, rows: &Points) -> Prediction {
        Prediction {
            mean: self.mean_function().value(rows),
            sd: self.sd(rows),
        }
    }

    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        let root_m = (self.features.architecture().width as f64).sqrt();
        let w = self.covariance.sample(rng);
        let move_of = |(v, w): (&f64, f64)| T::from_f64(v + self.nu * w / root_m);
        let direction = self.ridge.iter().zip(w).map(move_of).collect();
        Some(Box::new(self.function(direction)))
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let mut posterior = self.clone();
        let features = self.features_of(rows, 0..rows.len());
        Arc::make_mut(&mut posterior.covariance)
            .append(&features)
            .ok()?;
        Some(Box::new(posterior))
    }
}
