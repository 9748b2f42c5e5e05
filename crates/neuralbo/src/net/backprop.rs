//! The gradient of the squared loss over a tile of points, with buffers that are reused from step to step.
//!
//! Symbols as in the [module's table](super); `r_j = h(x_j; θ) − y_j` the residual, `E_l = ∂loss/∂Z_l` the error of layer `l`.

use super::Activation;
use super::mlp::{LayerShape, Mlp};
use super::tangent::dot;
use crate::linalg::{Real, add_product, product_into};
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// Points handled at once: the hidden activations of a tile stay in cache.
const TILE: usize = 128;
/// Partial gradients of a large batch; fixed, so that the sum does not depend on the number of threads.
const GROUPS: usize = 4;

/// Activations and errors of one tile.
pub(super) struct Workspace<T> {
    layers: Vec<LayerShape>,
    activations: Vec<Mat<T>>,
    slopes: Vec<Mat<T>>,
    errors: Vec<Mat<T>>,
}

impl<T: Real> Workspace<T> {
    pub(super) fn new(net: &Mlp<T>, columns: usize) -> Self {
        let layers = net.architecture().layer_list();
        let width = net.architecture().width;
        let buffers = || (1..layers.len()).map(|_| Mat::zeros(width, columns)).collect::<Vec<_>>();
        Self { activations: buffers(), slopes: buffers(), errors: buffers(), layers }
    }

    /// Adds the gradient of `½ Σ_j r_j²` over the columns of `x` to `gradient` and returns `½ Σ_j r_j²`.
    fn accumulate(&mut self, net: &Mlp<T>, x: MatRef<'_, T>, y: &[T], gradient: &mut [T]) -> f64 {
        let columns = x.ncols();
        self.forward(net, x);
        let hidden = self.layers.len() - 1;
        let residuals = self.residuals(net, y);
        let last = self.layers[hidden];
        let scale = net.architecture().output_scale::<T>();
        let mut output_gradient = vec![T::zero(); last.cols];
        for (j, &r) in residuals.iter().enumerate() {
            axpy(scale * r, self.activations[hidden - 1].col_as_slice(j), &mut output_gradient);
        }
        axpy(T::one(), &output_gradient, &mut gradient[last.offset..last.offset + last.cols]);
        if let Some(range) = last.bias_range() {
            gradient[range.start] += scale * residuals.iter().copied().sum::<T>();
        }
        self.output_errors(net, scale, &residuals);
        for l in (0..hidden).rev() {
            self.layer_gradient(l, x, columns, gradient);
            if l > 0 {
                self.propagate(net, l, columns);
            }
        }
        residuals.iter().map(|r| 0.5 * r.widen() * r.widen()).sum()
    }

    fn forward(&mut self, net: &Mlp<T>, x: MatRef<'_, T>) {
        let columns = x.ncols();
        for l in 0..self.layers.len() - 1 {
            let layer = self.layers[l];
            let (before, rest) = self.activations.split_at_mut(l);
            let input = if l == 0 { x } else { before[l - 1].subcols(0, columns) };
            product_into(rest[0].subcols_mut(0, columns), layer.weights(net.theta()), input);
            let bias = layer.bias_range().map(|range| &net.theta()[range]);
            activate(net.architecture().activation, bias, &mut rest[0], &mut self.slopes[l], columns);
        }
    }

    fn residuals(&self, net: &Mlp<T>, y: &[T]) -> Vec<T> {
        let hidden = self.layers.len() - 1;
        let last = self.layers[hidden];
        let weights = &net.theta()[last.offset..last.offset + last.cols];
        let bias = last.bias_range().map_or(T::zero(), |range| net.theta()[range.start]);
        let scale = net.architecture().output_scale::<T>();
        let output = |j: usize| scale * (dot(weights, self.activations[hidden - 1].col_as_slice(j)) + bias);
        y.iter().enumerate().map(|(j, &y)| output(j) - y).collect()
    }

    /// `E_{L−1} = (√m W_Lᵀ r) ∘ φ′(Z_{L−1})`.
    fn output_errors(&mut self, net: &Mlp<T>, scale: T, residuals: &[T]) {
        let hidden = self.layers.len() - 1;
        let last = self.layers[hidden];
        let weights = &net.theta()[last.offset..last.offset + last.cols];
        for (j, &r) in residuals.iter().enumerate() {
            let (r, slopes) = (scale * r, self.slopes[hidden - 1].col_as_slice(j));
            for ((e, &w), &s) in self.errors[hidden - 1].col_as_slice_mut(j).iter_mut().zip(weights).zip(slopes) {
                *e = r * w * s;
            }
        }
    }

    /// `∂loss/∂W_l = E_l A_{l−1}ᵀ`.
    fn layer_gradient(&self, l: usize, x: MatRef<'_, T>, columns: usize, gradient: &mut [T]) {
        let layer = self.layers[l];
        let input = if l == 0 { x } else { self.activations[l - 1].subcols(0, columns) };
        let slot = &mut gradient[layer.offset..layer.offset + layer.rows * layer.cols];
        let target = MatMut::from_column_major_slice_mut(slot, layer.rows, layer.cols);
        add_product(target, T::one(), self.errors[l].subcols(0, columns), input.transpose());
        if let Some(range) = layer.bias_range() {
            for j in 0..columns {
                axpy(T::one(), self.errors[l].col_as_slice(j), &mut gradient[range.clone()]);
            }
        }
    }

    /// `E_{l−1} = (W_lᵀ E_l) ∘ φ′(Z_{l−1})`.
    fn propagate(&mut self, net: &Mlp<T>, l: usize, columns: usize) {
        let (below, above) = self.errors.split_at_mut(l);
        let weights = self.layers[l].weights(net.theta());
        product_into(below[l - 1].subcols_mut(0, columns), weights.transpose(), above[0].subcols(0, columns));
        for j in 0..columns {
            let slopes = self.slopes[l - 1].col_as_slice(j);
            below[l - 1].col_as_slice_mut(j).iter_mut().zip(slopes).for_each(|(e, &s)| *e = *e * s);
        }
    }
}

/// Adds the gradient of `½ Σ r²` over all columns of `x` to `gradient`; large batches run in parallel tiles.
pub(super) fn loss_gradient<T: Real>(
    net: &Mlp<T>,
    x: MatRef<'_, T>,
    y: &[T],
    work: &mut Workspace<T>,
    gradient: &mut [T],
) -> f64 {
    if y.len() <= TILE {
        return work.accumulate(net, x, y, gradient);
    }
    let tiles = y.len().div_ceil(TILE);
    let per_group = tiles.div_ceil(GROUPS);
    let partial: Vec<(f64, Vec<T>)> = (0..GROUPS)
        .into_par_iter()
        .map(|group| {
            let mut work = Workspace::new(net, TILE);
            let mut sum = vec![T::zero(); net.theta().len()];
            let mut loss = 0.0;
            for tile in group * per_group..((group + 1) * per_group).min(tiles) {
                let (start, end) = (tile * TILE, ((tile + 1) * TILE).min(y.len()));
                loss += work.accumulate(net, x.subcols(start, end - start), &y[start..end], &mut sum);
            }
            (loss, sum)
        })
        .collect();
    partial.iter().for_each(|(_, sum)| axpy(T::one(), sum, gradient));
    partial.iter().map(|(loss, _)| loss).sum()
}

/// Number of columns a workspace for batches of `batch` points needs.
pub(super) fn workspace_columns(batch: usize) -> usize {
    batch.min(TILE)
}

fn activate<T: Real>(activation: Activation, bias: Option<&[T]>, z: &mut Mat<T>, slope: &mut Mat<T>, columns: usize) {
    for j in 0..columns {
        let z = z.col_as_slice_mut(j);
        if let Some(bias) = bias {
            axpy(T::one(), bias, z);
        }
        activation.apply_with_derivatives(z, slope.col_as_slice_mut(j), None);
    }
}

/// `y += a x`.
pub(super) fn axpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y += a * x);
}
