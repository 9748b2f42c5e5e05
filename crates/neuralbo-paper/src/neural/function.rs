//! A Thompson sample is a network: `f̃(x) = h(x; θ_t) + g(x)ᵀ v`, one forward pass and one jvp whatever `t` is.

use super::InputMap;
use super::pool::PoolFeatures;
use neuralbo::linalg::{Points, Real};
use neuralbo::net::{Features, Mlp};
use neuralbo::surrogate::tiles::over_ranges;
use neuralbo::surrogate::{Function, Standardizer};
use std::sync::Arc;

/// Rows evaluated at once on one thread.
pub(super) const TILE: usize = 128;

/// A sum of networks and of `g(x)ᵀ v`, in the units of the rewards.
#[derive(Clone)]
pub struct TangentFunction<T> {
    /// From rows to inputs.
    pub inputs: Arc<InputMap>,
    /// Networks whose outputs are added, with their factors.
    pub networks: Vec<(Arc<Mlp<T>>, f64)>,
    /// The network whose tangent features are used and the direction `v` in its parameters.
    pub tangent: Option<(Arc<Mlp<T>>, Vec<T>)>,
    /// Tangent features that are known.
    pub(super) pool: Option<Arc<PoolFeatures<T>>>,
    /// Units of the rewards.
    pub units: Standardizer,
}

impl<T: Real> TangentFunction<T> {
    /// A sum of networks.
    pub fn of_networks(
        inputs: Arc<InputMap>,
        networks: Vec<(Arc<Mlp<T>>, f64)>,
        units: Standardizer,
    ) -> Self {
        Self {
            inputs,
            networks,
            tangent: None,
            pool: None,
            units,
        }
    }

    fn tile_value(&self, rows: &Points, range: std::ops::Range<usize>) -> Vec<f64> {
        let inputs = || self.inputs.apply::<T>(rows, range.clone());
        let pool = self.pool.as_ref();
        let known = || pool.and_then(|pool| pool.tile(rows, range.clone()));
        let mut values = match &self.tangent {
            Some((net, direction)) => match known() {
                Some(features) => features.jvp(direction),
                None => Features::of(net, inputs().as_ref()).jvp(direction),
            },
            None => vec![T::zero(); range.len()],
        };
        if !self.networks.is_empty() {
            let x = inputs();
            for (net, factor) in &self.networks {
                add(&mut values, *factor, net.forward(x.as_ref()));
            }
        }
        self.in_rewards(values)
    }

    fn in_rewards(&self, values: Vec<T>) -> Vec<f64> {
        let backward = |v: T| self.units.backward(v.widen());
        values.into_iter().map(backward).collect()
    }

    fn tile_gradient(&self, rows: &Points, range: std::ops::Range<usize>) -> (Vec<f64>, Vec<f64>) {
        let x = self.inputs.apply::<T>(rows, range.clone());
        let mut values = vec![T::zero(); range.len()];
        let mut gradient = vec![0.0; range.len() * rows.dim()];
        let scale = self.units.backward_scale(1.0);
        if let Some((net, direction)) = &self.tangent {
            let features = Features::differentiable(net, x.as_ref());
            values = features.jvp(direction);
            self.inputs.pull_back(
                &features.pullback(net, features.adjoints_of_jvp(direction)),
                scale,
                &mut gradient,
            );
        }
        for (net, factor) in &self.networks {
            let (outputs, slopes) = net.forward_with_input_gradient(x.as_ref());
            add(&mut values, *factor, outputs);
            self.inputs
                .pull_back(&slopes, factor * scale, &mut gradient);
        }
        (self.in_rewards(values), gradient)
    }
}

fn add<T: Real>(values: &mut [T], factor: f64, outputs: Vec<T>) {
    let factor = T::from_f64(factor);
    let pairs = values.iter_mut().zip(outputs);
    pairs.for_each(|(value, h)| *value += factor * h);
}

impl<T: Real> Function for TangentFunction<T> {
    fn value(&self, rows: &Points) -> Vec<f64> {
        over_ranges(rows.len(), TILE, |range| self.tile_value(rows, range)).concat()
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let tiles = over_ranges(rows.len(), TILE, |range| self.tile_gradient(rows, range));
        let (values, gradients): (Vec<_>, Vec<_>) = tiles.into_iter().unzip();
        let mut all = Points::zeros(rows.dim(), rows.len());
        all.as_mut_slice().copy_from_slice(&gradients.concat());
        Some((values.concat(), all))
    }
}
