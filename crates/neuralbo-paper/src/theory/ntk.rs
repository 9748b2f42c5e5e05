//! The analytic tangent kernel of Definition 1.
//!
//! # Glossary
//! * `L` — number of weight matrices, `m` — width, `c` — weight variance factor: hidden entries are drawn from N(0, c/m).
//! * `Σ⁽ˡ⁾`, `H̃⁽ˡ⁾` — the recursion of Definition 1 with `c` in the place of its 2:
//!   `Σ⁽¹⁾ = H̃⁽¹⁾ = ⟨x, x′⟩`, `Σ⁽ˡ⁺¹⁾ = c E φ(u)φ(v)`, `H̃⁽ˡ⁺¹⁾ = c H̃⁽ˡ⁾ E φ′(u)φ′(v) + Σ⁽ˡ⁺¹⁾` with (u, v) ~ N(0, A⁽ˡ⁾).
//! * `g` — gradient of `h(x) = √m W_L φ(W_{L−1} … φ(W_1 x))` with respect to all weights.
//!
//! # What ⟨g, g′⟩/m of a finite network tends to as m grows
//! Write `a_l` for the output of hidden layer `l` (`a_0 = x`) and `b_l` for the gradient of `W_L a_{L−1}` with respect to the
//! input of φ in layer `l` (`b_L = 1`). The gradient with respect to `W_l` is `√m b_l a_{l−1}ᵀ`, hence
//! `⟨g, g′⟩/m = Σ_l ⟨b_l, b_l′⟩ ⟨a_{l−1}, a_{l−1}′⟩`.
//!
//! *ReLU, hidden weights N(0, c/m), last layer N(0, c_L/m).* The input of φ in layer `l` has covariance `(c/m) Σ⁽ˡ⁾`; since φ is
//! positively homogeneous, the small factor leaves φ and `⟨a_l, a_l′⟩ → m · (c/m) · E φφ = Σ⁽ˡ⁺¹⁾`. Backwards,
//! `⟨b_{L−1}, b_{L−1}′⟩ → c_L E φ′φ′` and each further layer multiplies by `c E φ′φ′`. All terms but that of `W_L`
//! carry `c_L` once:
//!
//! `⟨g, g′⟩/m → Σ⁽ᴸ⁾ + (c_L/c) (H̃⁽ᴸ⁾ − Σ⁽ᴸ⁾)`.
//!
//! So c_L = c gives `H̃⁽ᴸ⁾`; c_L = c/2 gives `H = (H̃⁽ᴸ⁾ + Σ⁽ᴸ⁾)/2` of Definition 1 — with c = 2, hidden N(0, 2/m) and last
//! N(0, 1/m); and a zero last layer (the paper's initialization) gives `Σ⁽ᴸ⁾`. Halving c multiplies `Σ⁽ᴸ⁾` and `H̃⁽ᴸ⁾` by
//! 2^{−(L−1)}.

use faer::Mat;
use neuralbo::linalg::{Points, SettingError, at_least_one, positive};
use std::f64::consts::PI;

/// The kernel of a ReLU network of `L` layers.
///
/// ```
/// use neuralbo::linalg::Points;
/// use neuralbo_paper::theory::NeuralTangentKernel;
///
/// // With He's factor 2, Σ stays at ‖x‖² and H̃ gains it once a layer.
/// let kernel = NeuralTangentKernel::new(3, 2.0)?;
/// let matrices = kernel.matrices(&Points::from_rows(2, [[0.6, 0.8]]));
/// assert!((matrices.tangent[(0, 0)] - 3.0).abs() < 1e-12);
/// assert!((matrices.definition()[(0, 0)] - 2.0).abs() < 1e-12);
/// # Ok::<(), neuralbo::linalg::SettingError>(())
/// ```
pub struct NeuralTangentKernel {
    layers: usize,
    weight_variance: f64,
}

/// The last step of the recursion.
#[derive(Clone, Debug)]
pub struct KernelMatrices {
    /// `Σ⁽ᴸ⁾`.
    pub covariance: Mat<f64>,
    /// `H̃⁽ᴸ⁾`.
    pub tangent: Mat<f64>,
}

impl KernelMatrices {
    /// `H = (H̃⁽ᴸ⁾ + Σ⁽ᴸ⁾)/2` of Definition 1.
    pub fn definition(&self) -> Mat<f64> {
        self.network_limit(0.5)
    }

    /// `Σ⁽ᴸ⁾ + ratio · (H̃⁽ᴸ⁾ − Σ⁽ᴸ⁾)`: the limit of ⟨g, g′⟩/m for a ReLU network whose last layer has `ratio` times the weight
    /// variance of the others, 0 for a zero last layer.
    pub fn network_limit(&self, ratio: f64) -> Mat<f64> {
        let (sigma, tangent) = (&self.covariance, &self.tangent);
        Mat::from_fn(sigma.nrows(), sigma.ncols(), |i, j| {
            sigma[(i, j)] + ratio * (tangent[(i, j)] - sigma[(i, j)])
        })
    }
}

impl NeuralTangentKernel {
    /// The kernel of `layers` weight matrices (at least 1) with weight variance factor `c`, 2 in Definition 1.
    pub fn new(layers: usize, weight_variance: f64) -> Result<Self, SettingError> {
        at_least_one("layers", layers)?;
        positive("weight_variance", weight_variance)?;
        Ok(Self {
            layers,
            weight_variance,
        })
    }

    /// `Σ⁽ᴸ⁾` and `H̃⁽ᴸ⁾` at the rows.
    pub fn matrices(&self, rows: &Points) -> KernelMatrices {
        let gram = rows.as_mat().transpose() * rows.as_mat();
        let mut matrices = KernelMatrices {
            covariance: gram.clone(),
            tangent: gram,
        };
        for _ in 1..self.layers {
            matrices = self.next_layer(&matrices);
        }
        matrices
    }

    fn next_layer(&self, last: &KernelMatrices) -> KernelMatrices {
        let (size, sigma) = (last.covariance.nrows(), &last.covariance);
        let mut next = KernelMatrices {
            covariance: Mat::zeros(size, size),
            tangent: Mat::zeros(size, size),
        };
        for j in 0..size {
            for i in 0..=j {
                let [value, slope] = moments(sigma[(i, i)], sigma[(j, j)], sigma[(i, j)]);
                let value = self.weight_variance * value;
                let tangent = self.weight_variance * last.tangent[(i, j)] * slope + value;
                for (row, column) in [(i, j), (j, i)] {
                    next.covariance[(row, column)] = value;
                    next.tangent[(row, column)] = tangent;
                }
            }
        }
        next
    }
}

/// `E φ(u)φ(v)` and `E φ′(u)φ′(v)` of (u, v) with variances `p`, `q` and covariance `k`: the arc-cosine kernels of degree 1 and 0
/// (Cho and Saul, 2009), halved. The angle of u and v has the cosine k/√(pq), which does not matter where a variance vanishes.
pub(super) fn moments(p: f64, q: f64, k: f64) -> [f64; 2] {
    let scale = p.sqrt() * q.sqrt();
    let cosine = if scale > 0.0 {
        (k / scale).clamp(-1.0, 1.0)
    } else {
        0.0
    };
    let angle = cosine.acos();
    let value = scale * (angle.sin() + (PI - angle) * cosine) / (2.0 * PI);
    [value, (PI - angle) / (2.0 * PI)]
}
