//! The tangent kernel of a two-layer ReLU network as an operator that only needs to know which units are active.
//!
//! With `h(x) = √m w·max(W x, 0)` and `a_ij` 1 where unit `i` is active at `x_j` and 0 elsewhere,
//! `g(x_j) = √m (w_i a_ij x_j ; a_ij W_i·x_j)_i`. Both parts of `G v` come from the one matrix `S_i = Σ_j v_j a_ij x_j`, and so
//!
//! `(K v)_j = Σ_i a_ij B_i·x_j` with `B_i = w_i² S_i + (W_i·S_i) W_i`:
//!
//! two thin products a tile instead of six, and one byte a unit and point in memory.

use crate::linalg::{Real, add_product, product};
use crate::net::{Activation, Mlp, axpy, select_active, sum_active};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Points of one tile.
pub(super) const TILE: usize = 256;
/// Partial sums over tiles; fixed, so that the sum does not depend on the number of threads.
const GROUPS: usize = 4;

/// Which units are active at which points: a byte a unit, point after point.
#[derive(Clone, Debug)]
pub(super) struct ActiveUnits {
    width: usize,
    bytes: Vec<u8>,
}

/// `x`, `W` and the active units: what `K` is made of.
pub(super) struct ReluKernel<'a, T> {
    pub net: &'a Mlp<T>,
    pub inputs: MatRef<'a, T>,
    pub active: &'a ActiveUnits,
}

impl ActiveUnits {
    /// No points; `None` for networks of another kind.
    pub(super) fn of<T: Real>(net: &Mlp<T>) -> Option<Self> {
        let shape = net.architecture();
        let fits = shape.depth == 2 && shape.activation == Activation::Relu && !shape.biases;
        fits.then(|| Self { width: shape.width, bytes: Vec::new() })
    }

    /// Appends the columns of `x`.
    pub(super) fn append<T: Real>(&mut self, net: &Mlp<T>, x: MatRef<'_, T>) {
        let m = net.architecture().width;
        let mut z = vec![T::zero(); m];
        for j in 0..x.ncols() {
            z.fill(T::zero());
            // One point after the other in a fixed order: a unit on the border must not depend on how the points came.
            (0..x.nrows()).for_each(|i| axpy(x[(i, j)], &net.theta()[i * m..(i + 1) * m], &mut z));
            self.bytes.extend(z.iter().map(|&z| u8::from(z > T::zero())));
        }
    }

    fn point(&self, j: usize) -> &[u8] {
        &self.bytes[j * self.width..(j + 1) * self.width]
    }
}

/// `W`, m×d.
fn first_layer<T: Real>(net: &Mlp<T>) -> MatRef<'_, T> {
    let shape = net.architecture();
    MatRef::from_column_major_slice(&net.theta()[..shape.width * shape.inputs], shape.width, shape.inputs)
}

impl<T: Real> ReluKernel<'_, T> {
    /// `K v`.
    pub(super) fn apply(&self, v: &[f64]) -> Vec<f64> {
        let b = self.between(self.gather(v));
        let tiles = self.inputs.ncols().div_ceil(TILE);
        let images: Vec<Vec<f64>> = (0..tiles).into_par_iter().map(|tile| self.spread(tile, &b)).collect();
        images.concat()
    }

    /// `S`, m×d.
    fn gather(&self, v: &[f64]) -> Mat<f64> {
        let tiles = self.inputs.ncols().div_ceil(TILE);
        let per_group = tiles.div_ceil(GROUPS).max(1);
        let group = |group: usize| {
            let shape = self.net.architecture();
            let mut sum = Mat::<T>::zeros(shape.width, shape.inputs);
            let mut weighted = Mat::<T>::zeros(shape.width, TILE);
            for tile in group * per_group..((group + 1) * per_group).min(tiles) {
                let x = self.tile(tile);
                for j in 0..x.ncols() {
                    let active = self.active.point(tile * TILE + j);
                    select_active(active, T::from_f64(v[tile * TILE + j]), weighted.col_as_slice_mut(j));
                }
                add_product(sum.as_mut(), T::one(), weighted.subcols(0, x.ncols()), x.transpose());
            }
            sum
        };
        let partial: Vec<Mat<T>> = (0..GROUPS).into_par_iter().map(group).collect();
        Mat::from_fn(partial[0].nrows(), partial[0].ncols(), |i, j| partial.iter().map(|sum| sum[(i, j)].widen()).sum())
    }

    /// From `S` to `B`.
    fn between(&self, s: Mat<f64>) -> Mat<T> {
        let w = first_layer(self.net);
        let last = &self.net.theta()[self.net.theta().len() - s.nrows()..];
        let along: Vec<f64> = (0..s.nrows()).map(|i| (0..s.ncols()).map(|j| w[(i, j)].widen() * s[(i, j)]).sum()).collect();
        let entry = |i: usize, j: usize| last[i].widen().powi(2) * s[(i, j)] + along[i] * w[(i, j)].widen();
        Mat::from_fn(s.nrows(), s.ncols(), |i, j| T::from_f64(entry(i, j)))
    }

    /// `Σ_i a_ij B_i·x_j` for the points of a tile.
    fn spread(&self, tile: usize, b: &Mat<T>) -> Vec<f64> {
        let q = product(b.as_ref(), self.tile(tile));
        (0..q.ncols()).map(|j| sum_active(self.active.point(tile * TILE + j), q.col_as_slice(j)).widen()).collect()
    }

    fn tile(&self, tile: usize) -> MatRef<'_, T> {
        let start = tile * TILE;
        self.inputs.subcols(start, TILE.min(self.inputs.ncols() - start))
    }
}
