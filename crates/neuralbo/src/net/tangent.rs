//! Tangent features: the operators `jvp`, `vjp` and `kernel` of `g(x) = ∇_θ h(x; θ)` without ever forming `g`.
//!
//! The gradient of layer `l` is an outer product, `∂h/∂W_l = Δ_l A_{l−1}ᵀ` with `Δ_l = ∂h/∂Z_l` and `A_{l−1}` the layer's input, so
//! `p`-long gradients reduce to the two short vectors of each layer:
//!
//! | operator | is | per layer |
//! | --- | --- | --- |
//! | `jvp(v)` | `Gᵀ v` | `Δ_l · (V_l A_{l−1})` column by column |
//! | `vjp(r)` | `G r` | `(Δ_l diag r) A_{l−1}ᵀ` |
//! | `kernel` | `GᵀG′/m` | `(A_{l−1}ᵀ A′_{l−1}) ∘ (Δ_lᵀ Δ′_l)` |
//!
//! With biases `A_{l−1}` has one more row of ones. `G` is `p × B`, one column a point. Below an output layer of zeros every `Δ_l` is
//! zero and is left empty: only the output layer's features are computed.

use super::lanes::{self, dot};
use super::mlp::{Architecture, LayerShape, Mlp, Tape};
use crate::linalg::{Real, add_product, product};
use faer::{Mat, MatMut, MatRef};

/// The tangent features of a batch of points.
///
/// ```
/// use faer::mat;
/// use neuralbo::linalg::{Purpose, Streams};
/// use neuralbo::net::{Activation, Architecture, Features, Init, Mlp};
///
/// let shape = Architecture { inputs: 2, width: 8, depth: 3, activation: Activation::Gelu, biases: false };
/// let net = Mlp::<f64>::new(shape, Init::Standard, &mut Streams::new(1).stream(0, Purpose::NetworkInit))?;
/// let features = Features::of(&net, mat![[0.3, -0.2], [1.0, 1.0]].as_ref());
/// let (v, r) = (vec![0.1; shape.parameters()], [2.0, -1.0]);
/// let mut gradient = vec![0.0; shape.parameters()];
/// features.vjp(&r, &mut gradient);
/// let left: f64 = features.jvp(&v).iter().zip(r).map(|(a, b)| a * b).sum();
/// let right: f64 = gradient.iter().zip(&v).map(|(a, b)| a * b).sum();
/// assert!((left - right).abs() < 1e-12);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Features<T> {
    architecture: Architecture,
    /// `A_0 … A_{L−1}`.
    pub(super) inputs: Vec<Mat<T>>,
    /// `Δ_1 … Δ_L`, those that are zero empty.
    pub(super) deltas: Vec<Mat<T>>,
    /// `φ′(Z_1) … φ′(Z_{L−1})`, kept for gradients in x only.
    pub(super) slopes: Vec<Mat<T>>,
    /// `φ″(Z_1) … φ″(Z_{L−1})`, kept for gradients in x only.
    pub(super) curvatures: Vec<Mat<T>>,
}

impl<T: Real> Features<T> {
    /// Features of the columns of `x` at the network's present θ.
    pub fn of(net: &Mlp<T>, x: MatRef<'_, T>) -> Self {
        let tape = net.tape(x, false);
        let deltas = match net.has_zero_output() {
            true => net.output_delta(&tape),
            false => net.deltas(&tape),
        };
        Self {
            slopes: Vec::new(),
            ..Self::from_tape(net, tape, deltas)
        }
    }

    /// Features that can also be pulled back to gradients in `x`.
    pub fn differentiable(net: &Mlp<T>, x: MatRef<'_, T>) -> Self {
        let tape = net.tape(x, true);
        let deltas = net.deltas(&tape);
        Self::from_tape(net, tape, deltas)
    }

    fn from_tape(net: &Mlp<T>, tape: Tape<T>, deltas: Vec<Mat<T>>) -> Self {
        Self {
            architecture: *net.architecture(),
            inputs: tape.activations,
            deltas,
            slopes: tape.slopes,
            curvatures: tape.curvatures,
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.inputs[0].ncols()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shape of the network the features come from.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    pub(super) fn layers(&self) -> impl Iterator<Item = (LayerShape, &Mat<T>, &Mat<T>)> + '_ {
        let both = self.inputs.iter().zip(&self.deltas);
        let layers = self.architecture.layers().zip(both);
        layers.map(|(layer, (a, delta))| (layer, a, delta))
    }

    /// The layers whose features are not zero.
    fn present_layers(&self) -> impl Iterator<Item = (LayerShape, &Mat<T>, &Mat<T>)> + '_ {
        self.layers().filter(|(_, _, delta)| delta.nrows() > 0)
    }

    /// The network's output `h(x; θ)` at the points: its last layer is linear in the last activations.
    pub fn output(&self, net: &Mlp<T>) -> Vec<T> {
        let layers = net.architecture().layer_list();
        net.output(&layers, self.inputs[layers.len() - 1].as_ref())
    }

    /// `Gᵀ v`: the derivative of every output along the parameter direction `v`.
    pub fn jvp(&self, v: &[T]) -> Vec<T> {
        let mut out = vec![T::zero(); self.len()];
        for (layer, a, delta) in self.present_layers() {
            if layer.rows == 1 {
                let (weights, bias) = (
                    &v[layer.offset..layer.offset + layer.cols],
                    layer.bias_range().map(|range| v[range.start]),
                );
                for (j, out) in out.iter_mut().enumerate() {
                    *out += (dot(weights, a.col_as_slice(j)) + bias.unwrap_or(T::zero()))
                        * delta[(0, j)];
                }
                continue;
            }
            let moved = layer.apply(v, a.as_ref());
            for (j, out) in out.iter_mut().enumerate() {
                *out += dot(moved.col_as_slice(j), delta.col_as_slice(j));
            }
        }
        out
    }

    /// `out += G r`.
    pub fn vjp(&self, r: &[T], out: &mut [T]) {
        let mut weighted = Mat::zeros(self.architecture.width, self.len());
        for (layer, a, delta) in self.present_layers() {
            let (rows, cols) = (layer.rows, layer.cols);
            if rows == 1 {
                let slot = &mut out[layer.offset..layer.offset + cols];
                (0..self.len())
                    .for_each(|j| lanes::axpy(r[j] * delta[(0, j)], a.col_as_slice(j), slot));
                if let Some(range) = layer.bias_range() {
                    (0..self.len()).for_each(|j| out[range.start] += r[j] * delta[(0, j)]);
                }
                continue;
            }
            (0..self.len()).for_each(|j| {
                lanes::scale(r[j], delta.col_as_slice(j), weighted.col_as_slice_mut(j))
            });
            let slot = &mut out[layer.offset..layer.offset + rows * cols];
            let target = MatMut::from_column_major_slice_mut(slot, rows, cols);
            add_product(target, T::one(), weighted.as_ref(), a.transpose());
            if let Some(range) = layer.bias_range() {
                let slot = &mut out[range];
                (0..self.len()).for_each(|j| lanes::axpy(T::one(), weighted.col_as_slice(j), slot));
            }
        }
    }

    /// What biases add to the inner products of inputs, and `1/m`.
    pub(super) fn kernel_constants(&self) -> (T, T) {
        let one_more = f64::from(u8::from(self.architecture.biases));
        let scale = 1.0 / self.architecture.width as f64;
        (T::from_f64(one_more), T::from_f64(scale))
    }

    /// `GᵀG′/m`, one row a point of `self`, one column a point of `other`.
    pub fn kernel(&self, other: &Self) -> Mat<T> {
        let mut sum = Mat::zeros(self.len(), other.len());
        let (one_more, scale) = self.kernel_constants();
        for ((_, a, delta), (_, other_a, other_delta)) in
            self.present_layers().zip(other.present_layers())
        {
            let inner = product(a.transpose(), other_a.as_ref());
            let outer = product(delta.transpose(), other_delta.as_ref());
            for j in 0..sum.ncols() {
                let (inner, outer) = (inner.col_as_slice(j), outer.col_as_slice(j));
                for (i, s) in sum.col_as_slice_mut(j).iter_mut().enumerate() {
                    *s += scale * (inner[i] + one_more) * outer[i];
                }
            }
        }
        sum
    }

    /// `k(x, x)` of every point.
    pub fn kernel_diagonal(&self) -> Vec<T> {
        let (one_more, scale) = self.kernel_constants();
        let mut sum = vec![T::zero(); self.len()];
        for (_, a, delta) in self.present_layers() {
            for (j, s) in sum.iter_mut().enumerate() {
                let (a, delta) = (a.col_as_slice(j), delta.col_as_slice(j));
                *s += scale * (dot(a, a) + one_more) * dot(delta, delta);
            }
        }
        sum
    }

    /// The same points with every entry of `g` squared: `Δ² (A²)ᵀ` is the square of `Δ Aᵀ` entry by entry.
    pub fn squared(&self) -> Self {
        let square = |m: &Mat<T>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * m[(i, j)]);
        Self {
            architecture: self.architecture,
            inputs: self.inputs.iter().map(square).collect(),
            deltas: self.deltas.iter().map(square).collect(),
            slopes: Vec::new(),
            curvatures: Vec::new(),
        }
    }

    /// The gradients themselves, `p × B`: only for small networks and tests.
    pub fn dense(&self) -> Mat<T> {
        let mut g = Mat::zeros(self.architecture.parameters(), self.len());
        for j in 0..self.len() {
            let mut unit = vec![T::zero(); self.len()];
            unit[j] = T::one();
            self.vjp(&unit, g.col_as_slice_mut(j));
        }
        g
    }

    /// Some of the points.
    pub fn columns(&self, range: std::ops::Range<usize>) -> Self {
        let part = |all: &Vec<Mat<T>>| {
            all.iter()
                .map(|m| m.subcols(range.start, range.len()).to_owned())
                .collect()
        };
        Self {
            architecture: self.architecture,
            inputs: part(&self.inputs),
            deltas: part(&self.deltas),
            slopes: part(&self.slopes),
            curvatures: part(&self.curvatures),
        }
    }

    /// Appends the points of `other`.
    pub fn append(&mut self, other: &Self) {
        let join = |a: &mut Mat<T>, b: &Mat<T>| {
            let old = a.ncols();
            a.resize_with(b.nrows(), old + b.ncols(), |i, j| b[(i, j - old)]);
        };
        let inputs = self.inputs.iter_mut();
        inputs.zip(&other.inputs).for_each(|(a, b)| join(a, b));
        let deltas = self.deltas.iter_mut();
        deltas.zip(&other.deltas).for_each(|(a, b)| join(a, b));
    }
}
