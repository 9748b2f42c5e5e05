//! From derivatives with respect to tangent features back to gradients in the inputs.
//!
//! Any scalar `s` built from the features (a Thompson sample `g(x)ᵀv`, a kernel row, the evidence) has adjoints `Ā_l = ∂s/∂A_l` and
//! `Δ̄_l = ∂s/∂Δ_l`. The features are the network's forward and backward pass, so `∂s/∂x` is the reverse of both:
//!
//! * backward pass reversed, `l = 1 … L−1`, with `u_l = W_{l+1}ᵀ Δ_{l+1}` and `Δ_l = φ′(Z_l) ∘ u_l`:
//!   `Z̄_l += φ″(Z_l) ∘ u_l ∘ Δ̄_l` and `Δ̄_{l+1} += W_{l+1} (φ′(Z_l) ∘ Δ̄_l)`;
//! * forward pass reversed, `l = L−1 … 1`: `Z̄_l += φ′(Z_l) ∘ Ā_l` and `Ā_{l−1} += W_lᵀ Z̄_l`.

use super::mlp::{Mlp, multiply_entries};
use super::tangent::Features;
use crate::linalg::{Real, add_product, product};
use faer::Mat;

/// Adjoints `Ā_0 … Ā_{L−1}` and `Δ̄_1 … Δ̄_L` of a scalar built from features; shapes follow [`Features`].
#[derive(Clone, Debug, Default)]
pub struct FeatureAdjoints<T> {
    /// Adjoints of the layers' inputs.
    pub inputs: Vec<Mat<T>>,
    /// Adjoints of the layers' deltas.
    pub deltas: Vec<Mat<T>>,
}

impl<T: Real> Features<T> {
    /// Adjoints of every `s_j = g(x_j)ᵀ v`: `Ā_{l−1} = V_lᵀ Δ_l` and `Δ̄_l = V_l A_{l−1}`.
    pub fn adjoints_of_jvp(&self, v: &[T]) -> FeatureAdjoints<T> {
        let mut adjoints = FeatureAdjoints::default();
        for (layer, a, delta) in self.layers() {
            let through = product(layer.weights(v).transpose(), delta.as_ref());
            adjoints.inputs.push(through);
            adjoints.deltas.push(layer.apply(v, a.as_ref()));
        }
        adjoints
    }

    /// Adjoints of every `s_j = Σ_i c_ij k(x_j, x′_i)` for the points `x′` of `other` and the weights `c` (one column a point).
    pub fn adjoints_of_kernel(&self, other: &Self, c: &Mat<T>) -> FeatureAdjoints<T> {
        let (one_more, scale) = self.kernel_constants();
        let mut adjoints = FeatureAdjoints::default();
        for ((_, a, delta), (_, other_a, other_delta)) in self.layers().zip(other.layers()) {
            if other_delta.nrows() == 0 {
                adjoints.inputs.push(Mat::zeros(a.nrows(), c.ncols()));
                adjoints.deltas.push(Mat::zeros(delta.nrows(), c.ncols()));
                continue;
            }
            let mut inner = product(other_a.transpose(), a.as_ref());
            let mut outer = product(other_delta.transpose(), delta.as_ref());
            for j in 0..c.ncols() {
                for (i, &c) in c.col_as_slice(j).iter().enumerate() {
                    inner[(i, j)] = scale * c * (inner[(i, j)] + one_more);
                    outer[(i, j)] = scale * c * outer[(i, j)];
                }
            }
            let (inputs, deltas) = (other_a.as_ref(), other_delta.as_ref());
            adjoints.inputs.push(product(inputs, outer.as_ref()));
            adjoints.deltas.push(product(deltas, inner.as_ref()));
        }
        adjoints
    }

    /// `∂s/∂x`, one column a point, of a scalar with these adjoints. The features must be [`Features::differentiable`].
    pub fn pullback(&self, net: &Mlp<T>, adjoints: FeatureAdjoints<T>) -> Mat<T> {
        debug_assert_eq!(
            self.slopes.len() + 1,
            self.inputs.len(),
            "features without slopes"
        );
        let FeatureAdjoints {
            mut inputs,
            mut deltas,
        } = adjoints;
        let layers = net.architecture().layer_list();
        let hidden = layers.len() - 1;
        let mut pre_activations = Vec::with_capacity(hidden);
        for l in 0..hidden {
            let next = layers[l + 1].weights(net.theta());
            let mut through_slope = product(next.transpose(), self.deltas[l + 1].as_ref());
            multiply_entries(&mut through_slope, &self.curvatures[l]);
            multiply_entries(&mut through_slope, &deltas[l]);
            multiply_entries(&mut deltas[l], &self.slopes[l]);
            let (done, rest) = deltas.split_at_mut(l + 1);
            add_product(rest[0].as_mut(), T::one(), next, done[l].as_ref());
            pre_activations.push(through_slope);
        }
        for l in (0..hidden).rev() {
            multiply_entries(&mut inputs[l + 1], &self.slopes[l]);
            pre_activations[l] += &inputs[l + 1];
            add_product(
                inputs[l].as_mut(),
                T::one(),
                layers[l].weights(net.theta()).transpose(),
                pre_activations[l].as_ref(),
            );
        }
        inputs.swap_remove(0)
    }
}
