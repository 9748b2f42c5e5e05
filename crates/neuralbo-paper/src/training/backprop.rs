//! The gradient of the squared loss over a batch of points, with buffers that are reused from step to step.
//!
//! Symbols as in [`neuralbo::net`]; `r_j = h(x_j; θ) − y_j` the residual, `E_l = ∂loss/∂Z_l` the error of layer `l`.

use faer::{Mat, MatMut, MatRef};
use neuralbo::linalg::{Real, add_product, product_into};
use neuralbo::net::{Activation, LayerShape, Mlp, lanes};
use rayon::prelude::*;

/// Points handled at once: the hidden activations of a tile stay in cache.
const TILE: usize = 128;
/// Partial gradients of a large batch; fixed, so that the sum does not depend on the number of threads.
const GROUPS: usize = 4;

/// Buffers for batches of up to a given size: one tile, or a group of tiles for each partial gradient.
pub(super) struct Workspace<T> {
    tile: Tile<T>,
    groups: Vec<TileGroup<T>>,
}

/// The tiles that one partial gradient sums over.
struct TileGroup<T> {
    tile: Tile<T>,
    gradient: Vec<T>,
    loss: f64,
}

/// Activations and errors of one tile.
struct Tile<T> {
    layers: Vec<LayerShape>,
    activation: Activation,
    activations: Vec<Mat<T>>,
    slopes: Vec<Mat<T>>,
    errors: Vec<Mat<T>>,
}

impl<T: Real> Workspace<T> {
    /// Buffers for batches of up to `batch` points.
    pub(super) fn new(net: &Mlp<T>, batch: usize) -> Self {
        let group = |_| TileGroup {
            tile: Tile::new(net, TILE),
            gradient: vec![T::zero(); net.theta().len()],
            loss: 0.0,
        };
        let groups = if batch > TILE { GROUPS } else { 0 };
        Self {
            tile: Tile::new(net, batch.min(TILE)),
            groups: (0..groups).map(group).collect(),
        }
    }

    /// Writes the gradient of `½ Σ r²` over the columns of `x` and returns `½ Σ r²`; large batches run in parallel tiles.
    pub(super) fn loss_gradient(
        &mut self,
        net: &Mlp<T>,
        x: MatRef<'_, T>,
        y: &[T],
        gradient: &mut [T],
    ) -> f64 {
        if y.len() <= TILE {
            return self.tile.gradient(net, x, y, gradient, Sum::Fresh);
        }
        let tiles = y.len().div_ceil(TILE);
        let per_group = tiles.div_ceil(GROUPS);
        let groups = self.groups.par_iter_mut().enumerate();
        groups.for_each(|(group, work)| {
            let range = group * per_group..((group + 1) * per_group).min(tiles);
            work.run(net, x, y, range);
        });
        gradient.fill(T::zero());
        let add = |group: &TileGroup<T>| lanes::axpy(T::one(), &group.gradient, gradient);
        self.groups.iter().for_each(add);
        self.groups.iter().map(|group| group.loss).sum()
    }
}

impl<T: Real> TileGroup<T> {
    fn run(&mut self, net: &Mlp<T>, x: MatRef<'_, T>, y: &[T], tiles: std::ops::Range<usize>) {
        self.loss = 0.0;
        if tiles.is_empty() {
            self.gradient.fill(T::zero());
        }
        for tile in tiles.clone() {
            let (start, end) = (tile * TILE, ((tile + 1) * TILE).min(y.len()));
            let (x, y) = (x.subcols(start, end - start), &y[start..end]);
            let sum = if tile > tiles.start {
                Sum::Continued
            } else {
                Sum::Fresh
            };
            self.loss += self.tile.gradient(net, x, y, &mut self.gradient, sum);
        }
    }
}

/// Whether a gradient replaces what its slot holds or is added to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Fresh,
    Continued,
}

impl<T: Real> Tile<T> {
    fn new(net: &Mlp<T>, columns: usize) -> Self {
        let layers = net.architecture().layer_list();
        let width = net.architecture().width;
        let buffers = || vec![Mat::zeros(width, columns); layers.len() - 1];
        let activation = net.architecture().activation;
        Self {
            activations: buffers(),
            slopes: buffers(),
            errors: buffers(),
            layers,
            activation,
        }
    }

    /// The gradient of `½ Σ_j r_j²` over the columns of `x`, and `½ Σ_j r_j²`.
    fn gradient(
        &mut self,
        net: &Mlp<T>,
        x: MatRef<'_, T>,
        y: &[T],
        gradient: &mut [T],
        sum: Sum,
    ) -> f64 {
        let (columns, hidden) = (x.ncols(), self.layers.len() - 1);
        self.forward(net, x);
        let last = self.layers[hidden];
        let output = &mut gradient[last.offset..last.offset + last.len()];
        if sum == Sum::Fresh {
            output.fill(T::zero());
        }
        let loss = (0..columns)
            .map(|j| self.output(net, j, y[j], output))
            .sum();
        for l in (0..hidden).rev() {
            self.layer_gradient(l, x, columns, gradient, sum);
            if l > 0 {
                self.propagate(net, l, columns);
            }
        }
        loss
    }

    /// The hidden layers; the last one is left before its activation, which [`Tile::output`] does.
    fn forward(&mut self, net: &Mlp<T>, x: MatRef<'_, T>) {
        let columns = x.ncols();
        let hidden = self.layers.len() - 1;
        for l in 0..hidden {
            let layer = self.layers[l];
            let (before, rest) = self.activations.split_at_mut(l);
            let input = if l == 0 {
                x
            } else {
                before[l - 1].subcols(0, columns)
            };
            let weights = layer.weights(net.theta());
            product_into(rest[0].subcols_mut(0, columns), weights, input);
            let bias = layer.bias_range().map(|range| &net.theta()[range]);
            for j in 0..columns {
                let z = rest[0].col_as_slice_mut(j);
                if let Some(bias) = bias {
                    lanes::axpy(T::one(), bias, z);
                }
                if l + 1 < hidden {
                    let slopes = self.slopes[l].col_as_slice_mut(j);
                    self.activation.apply_with_derivatives(z, slopes, None);
                }
            }
        }
    }

    /// The way of one point from the last hidden layer to its loss and back, while its column is in cache: adds `√m r_j A_{L−1,j}`
    /// to the output layer's gradient, leaves `E_{L−1} = (√m W_Lᵀ r) ∘ φ′(Z_{L−1})` and returns `½ r_j²`.
    fn output(&mut self, net: &Mlp<T>, j: usize, y: T, gradient: &mut [T]) -> f64 {
        let hidden = self.layers.len() - 1;
        let (last, scale) = (self.layers[hidden], net.architecture().output_scale::<T>());
        let weights = &net.theta()[last.offset..last.offset + last.cols];
        let bias = last
            .bias_range()
            .map_or(T::zero(), |range| net.theta()[range.start]);
        let a = self.activations[hidden - 1].col_as_slice_mut(j);
        let e = self.errors[hidden - 1].col_as_slice_mut(j);
        let residual;
        if self.activation == Activation::Relu {
            residual = scale * (lanes::relu_dot(a, weights) + bias) - y;
            lanes::relu_output(scale * residual, a, weights, &mut gradient[..last.cols], e);
        } else {
            let slopes = self.slopes[hidden - 1].col_as_slice_mut(j);
            self.activation.apply_with_derivatives(a, slopes, None);
            residual = scale * (lanes::dot(weights, a) + bias) - y;
            lanes::axpy(scale * residual, a, &mut gradient[..last.cols]);
            lanes::scaled_product(scale * residual, weights, slopes, e);
        }
        if last.biases {
            gradient[last.cols] += scale * residual;
        }
        0.5 * residual.widen() * residual.widen()
    }

    /// `∂loss/∂W_l = E_l A_{l−1}ᵀ`.
    fn layer_gradient(
        &self,
        l: usize,
        x: MatRef<'_, T>,
        columns: usize,
        gradient: &mut [T],
        sum: Sum,
    ) {
        let layer = self.layers[l];
        let input = if l == 0 {
            x
        } else {
            self.activations[l - 1].subcols(0, columns)
        };
        let slot = &mut gradient[layer.offset..layer.offset + layer.rows * layer.cols];
        let target = MatMut::from_column_major_slice_mut(slot, layer.rows, layer.cols);
        let errors = self.errors[l].subcols(0, columns);
        match sum {
            Sum::Fresh => product_into(target, errors, input.transpose()),
            Sum::Continued => add_product(target, T::one(), errors, input.transpose()),
        }
        if let Some(range) = layer.bias_range() {
            let slot = &mut gradient[range];
            if sum == Sum::Fresh {
                slot.fill(T::zero());
            }
            (0..columns).for_each(|j| lanes::axpy(T::one(), self.errors[l].col_as_slice(j), slot));
        }
    }

    /// `E_{l−1} = (W_lᵀ E_l) ∘ φ′(Z_{l−1})`.
    fn propagate(&mut self, net: &Mlp<T>, l: usize, columns: usize) {
        let (below, above) = self.errors.split_at_mut(l);
        let (weights, errors) = (self.layers[l].weights(net.theta()), &mut below[l - 1]);
        let from = above[0].subcols(0, columns);
        product_into(errors.subcols_mut(0, columns), weights.transpose(), from);
        for j in 0..columns {
            lanes::multiply(
                errors.col_as_slice_mut(j),
                self.slopes[l - 1].col_as_slice(j),
            );
        }
    }
}
