//! The network's shape and its forward pass.
//!
//! A batch of `B` inputs is a `d × B` matrix, one column a point. All parameters live in one flat vector: for each layer the
//! column-major weights `W_l`, then (optionally) the biases `b_l`.

use super::lanes;
use super::{Activation, Init};
use crate::linalg::{Real, Rng, SettingError, at_least_one, product, require};
use faer::{Mat, MatRef};

/// Shape of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Architecture {
    /// Number of inputs `d`.
    pub inputs: usize,
    /// Width `m` of the hidden layers.
    pub width: usize,
    /// Number of layers `L`, at least two.
    pub depth: usize,
    /// Activation φ of the hidden layers.
    pub activation: Activation,
    /// Whether layers have biases.
    pub biases: bool,
}

/// Place of one layer's parameters in the flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerShape {
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// Index of the first weight; weights are stored by columns, the biases after them.
    pub offset: usize,
    /// Whether the layer has biases.
    pub biases: bool,
}

impl LayerShape {
    /// The matrix `W` of weights.
    pub fn weights<'a, T>(&self, theta: &'a [T]) -> MatRef<'a, T> {
        let weights = &theta[self.offset..self.offset + self.rows * self.cols];
        MatRef::from_column_major_slice(weights, self.rows, self.cols)
    }

    /// Where the biases are.
    pub fn bias_range(&self) -> Option<std::ops::Range<usize>> {
        let start = self.offset + self.rows * self.cols;
        self.biases.then_some(start..start + self.rows)
    }

    /// Number of parameters.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.rows * self.cols + if self.biases { self.rows } else { 0 }
    }

    /// `out = W a (+ b)`.
    pub fn apply<T: Real>(&self, theta: &[T], a: MatRef<'_, T>) -> Mat<T> {
        let mut out = product(self.weights(theta), a);
        if let Some(range) = self.bias_range() {
            let bias = &theta[range];
            for j in 0..out.ncols() {
                lanes::axpy(T::one(), bias, out.col_as_slice_mut(j));
            }
        }
        out
    }
}

impl Architecture {
    /// Checks the shape.
    pub fn check(&self) -> Result<(), SettingError> {
        at_least_one("inputs", self.inputs)?;
        at_least_one("width", self.width)?;
        require("depth", self.depth, self.depth >= 2, "at least 2")
    }

    /// Number of parameters `p`; without biases `md + m²(L−2) + m`.
    pub fn parameters(&self) -> usize {
        self.layers().map(|layer| layer.len()).sum()
    }

    /// `√m`, the factor of the output.
    pub fn output_scale<T: Real>(&self) -> T {
        T::from_f64((self.width as f64).sqrt())
    }

    /// The layers from the inputs to the output.
    pub fn layers(&self) -> impl Iterator<Item = LayerShape> + use<> {
        let (inputs, width, depth, biases) = (self.inputs, self.width, self.depth, self.biases);
        let mut offset = 0;
        (0..depth).map(move |l| {
            let rows = if l + 1 == depth { 1 } else { width };
            let cols = if l == 0 { inputs } else { width };
            let layer = LayerShape {
                rows,
                cols,
                offset,
                biases,
            };
            offset += layer.len();
            layer
        })
    }

    /// The same as a list.
    pub fn layer_list(&self) -> Vec<LayerShape> {
        self.layers().collect()
    }
}

/// A network: its shape and its parameters θ.
///
/// ```
/// use faer::mat;
/// use neuralbo::linalg::{Purpose, Streams};
/// use neuralbo::net::{Activation, Architecture, Init, Mlp};
///
/// let shape = Architecture { inputs: 2, width: 64, depth: 2, activation: Activation::Relu, biases: false };
/// let mut rng = Streams::new(1).stream(0, Purpose::NetworkInit);
/// let net = Mlp::<f64>::new(shape, Init::Antisymmetric, &mut rng)?;
/// assert!(net.forward(mat![[0.3], [1.0]].as_ref())[0].abs() < 1e-12);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp<T> {
    architecture: Architecture,
    theta: Vec<T>,
}

/// What the forward pass leaves for the passes after it.
pub struct Tape<T> {
    /// `A_0 … A_{L−1}`: the inputs and the outputs of the hidden layers.
    pub activations: Vec<Mat<T>>,
    /// `φ′(Z_1) … φ′(Z_{L−1})`.
    pub slopes: Vec<Mat<T>>,
    /// `φ″(Z_l)`, only where second derivatives were asked for.
    pub curvatures: Vec<Mat<T>>,
}

impl<T: Real> Mlp<T> {
    /// A network with fresh parameters θ₀.
    pub fn new(
        architecture: Architecture,
        init: Init,
        rng: &mut Rng,
    ) -> Result<Self, SettingError> {
        architecture.check()?;
        let theta = init.draw(&architecture, rng)?.into_iter();
        Ok(Self {
            architecture,
            theta: theta.map(T::from_f64).collect(),
        })
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The parameters θ.
    pub fn theta(&self) -> &[T] {
        &self.theta
    }

    /// The parameters θ, to change.
    pub fn theta_mut(&mut self) -> &mut [T] {
        &mut self.theta
    }

    /// `h(x; θ)` for every column of `x`.
    pub fn forward(&self, x: MatRef<'_, T>) -> Vec<T> {
        let layers = self.architecture.layer_list();
        let mut a = x.to_owned();
        for layer in &layers[..layers.len() - 1] {
            let mut z = layer.apply(&self.theta, a.as_ref());
            for j in 0..z.ncols() {
                self.architecture.activation.apply(z.col_as_slice_mut(j));
            }
            a = z;
        }
        self.output(&layers, a.as_ref())
    }

    /// The output layer on the last hidden activations.
    pub(crate) fn output(&self, layers: &[LayerShape], a: MatRef<'_, T>) -> Vec<T> {
        let scale = self.architecture.output_scale::<T>();
        let out = layers[layers.len() - 1].apply(&self.theta, a);
        (0..a.ncols()).map(|j| scale * out[(0, j)]).collect()
    }

    /// The hidden layers, keeping activations and slopes (and curvatures when `second` is set).
    pub fn tape(&self, x: MatRef<'_, T>, second: bool) -> Tape<T> {
        let layers = self.architecture.layer_list();
        let mut tape = Tape {
            activations: vec![x.to_owned()],
            slopes: Vec::new(),
            curvatures: Vec::new(),
        };
        for (l, layer) in layers[..layers.len() - 1].iter().enumerate() {
            let mut z = layer.apply(&self.theta, tape.activations[l].as_ref());
            let mut slope = Mat::zeros(z.nrows(), z.ncols());
            let mut curvature = match second {
                true => Mat::zeros(z.nrows(), z.ncols()),
                false => Mat::new(),
            };
            for j in 0..z.ncols() {
                let bend = second.then(|| curvature.col_as_slice_mut(j));
                let (z, slope) = (z.col_as_slice_mut(j), slope.col_as_slice_mut(j));
                let activation = self.architecture.activation;
                activation.apply_with_derivatives(z, slope, bend);
            }
            tape.activations.push(z);
            tape.slopes.push(slope);
            if second {
                tape.curvatures.push(curvature);
            }
        }
        tape
    }

    /// `Δ_1 … Δ_L` with `Δ_l = ∂h/∂Z_l`, by one backward pass from `Δ_L = √m`.
    pub(crate) fn deltas(&self, tape: &Tape<T>) -> Vec<Mat<T>> {
        let layers = self.architecture.layer_list();
        let scale = self.architecture.output_scale::<T>();
        let mut deltas = vec![Mat::from_fn(1, tape.activations[0].ncols(), |_, _| scale)];
        for l in (0..tape.slopes.len()).rev() {
            let (above, slopes) = (layers[l + 1], &tape.slopes[l]);
            let delta = if above.rows == 1 {
                let mut delta = Mat::zeros(slopes.nrows(), slopes.ncols());
                let weights = &self.theta[above.offset..above.offset + above.cols];
                for j in 0..slopes.ncols() {
                    let (slopes, out) = (slopes.col_as_slice(j), delta.col_as_slice_mut(j));
                    lanes::scaled_product(scale, weights, slopes, out);
                }
                delta
            } else {
                let last = deltas[deltas.len() - 1].as_ref();
                let mut delta = product(above.weights(&self.theta).transpose(), last);
                multiply_entries(&mut delta, slopes);
                delta
            };
            deltas.push(delta);
        }
        deltas.reverse();
        deltas
    }

    /// Whether the output layer's weights are all zero: then `Δ_l = 0` below it.
    pub fn has_zero_output(&self) -> bool {
        let last = self.output_layer();
        let weights = &self.theta[last.offset..last.offset + last.cols];
        weights.iter().all(|w| *w == T::zero())
    }

    /// The network whose output layer is that of `direction`. With a zero output layer here it answers `g(x)ᵀ direction`.
    pub fn with_output(&self, direction: &[T]) -> Self {
        let from = self.output_layer().offset;
        let mut net = self.clone();
        net.theta[from..].copy_from_slice(&direction[from..]);
        net
    }

    fn output_layer(&self) -> LayerShape {
        let layers = self.architecture.layer_list();
        layers[layers.len() - 1]
    }

    /// `Δ_1 … Δ_L` of a network with a zero output layer: empty below the last.
    pub(crate) fn output_delta(&self, tape: &Tape<T>) -> Vec<Mat<T>> {
        let points = tape.activations[0].ncols();
        let scale = self.architecture.output_scale::<T>();
        let below = tape.slopes.iter().map(|_| Mat::zeros(0, points));
        let last = Mat::from_fn(1, points, |_, _| scale);
        below.chain([last]).collect()
    }

    /// `h(x; θ)` and its gradient in `x` for every column.
    pub fn forward_with_input_gradient(&self, x: MatRef<'_, T>) -> (Vec<T>, Mat<T>) {
        let layers = self.architecture.layer_list();
        let tape = self.tape(x, false);
        let values = self.output(&layers, tape.activations[layers.len() - 1].as_ref());
        let weights = layers[0].weights(&self.theta).transpose();
        let gradient = product(weights, self.deltas(&tape)[0].as_ref());
        (values, gradient)
    }
}

/// `a ∘= b`.
pub fn multiply_entries<T: Real>(a: &mut Mat<T>, b: &Mat<T>) {
    for j in 0..a.ncols() {
        lanes::multiply(a.col_as_slice_mut(j), b.col_as_slice(j));
    }
}
