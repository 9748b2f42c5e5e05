//! Conjugate gradients on `K + λI` through `jvp` and `vjp`: no t×t and no p×p matrix, only the inputs and a thin preconditioner.

use super::dual::widen;
use super::nystrom::{Data, Nystrom};
use super::relu::{ActiveUnits, ReluKernel};
use crate::linalg::{CgSettings, NotPositiveDefinite, Real, Rng, conjugate_gradients};
use crate::net::{Features, Mlp};
use faer::{Mat, MatRef};
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Points whose features are held at once.
const TILE: usize = 256;
/// Partial sums of `vjp` over tiles; fixed, so that the sum does not depend on the number of threads.
const GROUPS: usize = 4;

/// Accuracy of the iterative solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSettings {
    /// When to stop.
    pub stop: CgSettings,
    /// Landmarks `r` of the preconditioner; zero switches it off.
    pub landmarks: usize,
}

impl Default for SolveSettings {
    /// Enough for a Thompson sample, whose own spread is far larger than the error left.
    fn default() -> Self {
        Self {
            stop: CgSettings {
                tolerance: 1e-3,
                max_iterations: 200,
            },
            landmarks: 256,
        }
    }
}

/// The inputs of the data and the network at θ₀.
#[derive(Clone, Debug)]
pub struct Iterative<T> {
    net: Mlp<T>,
    lambda: f64,
    solve: SolveSettings,
    inputs: Mat<T>,
    /// For networks whose kernel has a shorter way.
    active: Option<ActiveUnits>,
    preconditioner: OnceLock<Option<Nystrom<T>>>,
    /// The preconditioner of fewer data.
    old: Option<Nystrom<T>>,
}

impl<T: Real> Iterative<T> {
    /// No observations; `net` gives the features.
    pub fn new(net: Mlp<T>, lambda: f64, solve: SolveSettings) -> Self {
        let inputs = Mat::zeros(net.architecture().inputs, 0);
        Self {
            active: ActiveUnits::of(&net),
            net,
            lambda,
            solve,
            inputs,
            preconditioner: OnceLock::new(),
            old: None,
        }
    }

    pub(super) fn append(&mut self, features: &Features<T>) -> Result<(), NotPositiveDefinite> {
        let (old, new) = (self.inputs.ncols(), features.network_inputs());
        self.inputs
            .resize_with(new.nrows(), old + new.ncols(), |i, j| new[(i, j - old)]);
        if let Some(active) = &mut self.active {
            active.append(&self.net, new);
        }
        self.old = self.preconditioner.take().flatten().or(self.old.take());
        Ok(())
    }

    /// `k(x,x) − k_tᵀ (K + λI)⁻¹ k_t`, one solve a point.
    pub(super) fn variance(&self, points: &Features<T>) -> Vec<f64> {
        let mut variance: Vec<f64> = points
            .kernel_diagonal()
            .into_iter()
            .map(Real::widen)
            .collect();
        if self.inputs.ncols() == 0 {
            return variance;
        }
        let cross = self.cross_kernel(points);
        variance.par_iter_mut().enumerate().for_each(|(j, v)| {
            let column = cross.col_as_slice(j);
            let explained: f64 = self
                .solve(column)
                .iter()
                .zip(column)
                .map(|(a, b)| a * b)
                .sum();
            *v = (*v - explained).max(0.0);
        });
        variance
    }

    /// As the dual's sample, the solve done by conjugate gradients.
    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let root_m = (self.net.architecture().width as f64).sqrt();
        let mut w: Vec<f64> = (0..self.net.theta().len())
            .map(|_| rng.sample::<f64, _>(StandardNormal))
            .collect();
        let mut r: Vec<f64> = self.jvp(&w).into_iter().map(|x| x / root_m).collect();
        r.iter_mut()
            .for_each(|r| *r += self.lambda.sqrt() * rng.sample::<f64, _>(StandardNormal));
        let moved = self.vjp(&self.solve(&r));
        w.iter_mut().zip(moved).for_each(|(w, x)| *w -= x / root_m);
        w
    }

    pub(super) fn ridge(&self, residuals: &[f64]) -> Vec<f64> {
        let m = self.net.architecture().width as f64;
        self.vjp(&self.solve(residuals))
            .into_iter()
            .map(|x| x / m)
            .collect()
    }

    /// `(K + λI)⁻¹ b`.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let apply = |v: &[f64]| {
            self.kernel_product(v)
                .iter()
                .zip(v)
                .map(|(k, v)| k + self.lambda * v)
                .collect()
        };
        let data = Data {
            net: &self.net,
            inputs: self.inputs.as_ref(),
            lambda: self.lambda,
        };
        let preconditioner = self
            .preconditioner
            .get_or_init(|| Nystrom::new(data, self.solve.landmarks, self.old.as_ref()));
        let precondition = |v: &[f64]| {
            preconditioner
                .as_ref()
                .map_or_else(|| v.to_vec(), |nystrom| nystrom.apply(v))
        };
        conjugate_gradients(apply, precondition, b, self.solve.stop)
    }

    /// `K v`.
    fn kernel_product(&self, v: &[f64]) -> Vec<f64> {
        if let Some(active) = &self.active {
            return ReluKernel {
                net: &self.net,
                inputs: self.inputs.as_ref(),
                active,
            }
            .apply(v);
        }
        let m = self.net.architecture().width as f64;
        self.jvp(&self.vjp(v)).into_iter().map(|k| k / m).collect()
    }

    /// `Gᵀ v`.
    fn jvp(&self, v: &[f64]) -> Vec<f64> {
        let v: Vec<T> = v.iter().map(|&x| T::from_f64(x)).collect();
        let tiles: Vec<Vec<T>> = self
            .tiles()
            .into_par_iter()
            .map(|tile| Features::of(&self.net, tile).jvp(&v))
            .collect();
        tiles.into_iter().flatten().map(Real::widen).collect()
    }

    /// `G r`.
    fn vjp(&self, r: &[f64]) -> Vec<f64> {
        let tiles = self.tiles();
        let per_group = tiles.len().div_ceil(GROUPS).max(1);
        let partial: Vec<Vec<T>> = tiles
            .par_chunks(per_group)
            .enumerate()
            .map(|(group, tiles)| {
                let mut sum = vec![T::zero(); self.net.theta().len()];
                for (k, tile) in tiles.iter().enumerate() {
                    let start = (group * per_group + k) * TILE;
                    let r: Vec<T> = r[start..start + tile.ncols()]
                        .iter()
                        .map(|&x| T::from_f64(x))
                        .collect();
                    Features::of(&self.net, *tile).vjp(&r, &mut sum);
                }
                sum
            })
            .collect();
        let mut total = vec![0.0; self.net.theta().len()];
        partial
            .iter()
            .for_each(|sum| total.iter_mut().zip(sum).for_each(|(t, s)| *t += s.widen()));
        total
    }

    fn tiles(&self) -> Vec<MatRef<'_, T>> {
        let t = self.inputs.ncols();
        (0..t)
            .step_by(TILE)
            .map(|start| self.inputs.subcols(start, TILE.min(t - start)))
            .collect()
    }

    /// `K(X, points)`, t×B.
    fn cross_kernel(&self, points: &Features<T>) -> Mat<f64> {
        let mut cross = Mat::zeros(self.inputs.ncols(), points.len());
        for (k, tile) in self.tiles().into_iter().enumerate() {
            let block = widen(&Features::of(&self.net, tile).kernel(points));
            cross.subrows_mut(k * TILE, tile.ncols()).copy_from(block);
        }
        cross
    }
}
