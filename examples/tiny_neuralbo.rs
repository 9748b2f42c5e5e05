//! NeuralBO in one short file: `cargo run --release -p neuralbo-paper --example tiny_neuralbo`.
//!
//! The whole of Algorithm 1 of "NeuralBO: A black-box optimization algorithm using deep neural networks" with plain loops and the
//! dense matrix `U`, to read and to check the library against. It maximizes; symbols are the paper's: `m` width, `p` parameters,
//! `h(x; θ) = √m w·φ(W x)` with φ = ReLU, `g(x) = ∇h(x; θ₀)`, `U = λI + Σ g gᵀ/m`, `σ²(x) = λ g(x)ᵀU⁻¹g(x)/m`,
//! `f̃(x) ~ N(h(x; θ_t), ν²σ²(x))`.

use neuralbo::linalg::{Purpose, Rng, Streams};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A network of one hidden layer; θ holds W column by column, then w.
pub struct Network {
    /// Number of inputs, the constant included.
    pub inputs: usize,
    /// Hidden units `m`.
    pub width: usize,
    /// Parameters θ.
    pub theta: Vec<f64>,
}

impl Network {
    /// Every weight N(0, 1/m).
    pub fn new(inputs: usize, width: usize, rng: &mut Rng) -> Self {
        let sd = 1.0 / (width as f64).sqrt();
        let theta = (0..width * inputs + width)
            .map(|_| sd * normal(rng))
            .collect();
        Self {
            inputs,
            width,
            theta,
        }
    }

    /// The inputs of the hidden units, `W x`.
    fn hidden(&self, x: &[f64]) -> Vec<f64> {
        (0..self.width)
            .map(|i| {
                (0..self.inputs)
                    .map(|j| self.theta[j * self.width + i] * x[j])
                    .sum()
            })
            .collect()
    }

    /// `h(x; θ)`.
    pub fn output(&self, x: &[f64]) -> f64 {
        let last = &self.theta[self.width * self.inputs..];
        let sum: f64 = self
            .hidden(x)
            .iter()
            .zip(last)
            .map(|(z, w)| w * z.max(0.0))
            .sum();
        (self.width as f64).sqrt() * sum
    }

    /// `∇_θ h(x; θ)`.
    pub fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let (m, root) = (self.width, (self.width as f64).sqrt());
        let mut g = vec![0.0; self.theta.len()];
        for (i, z) in self.hidden(x).into_iter().enumerate() {
            if z > 0.0 {
                (0..self.inputs)
                    .for_each(|j| g[j * m + i] = root * self.theta[m * self.inputs + i] * x[j]);
                g[m * self.inputs + i] = root * z;
            }
        }
        g
    }

    /// TrainNN (Algorithm 2): `steps` of descent from θ₀ on `½ Σ(h − y)² + ½ mλ‖θ − θ₀‖²`, both over the number of points.
    pub fn train(
        &mut self,
        initial: &[f64],
        data: &[(Vec<f64>, f64)],
        lambda: f64,
        rate: f64,
        steps: usize,
    ) {
        let (m, t) = (self.width as f64, data.len() as f64);
        self.theta.copy_from_slice(initial);
        for _ in 0..steps {
            let mut step: Vec<f64> = self
                .theta
                .iter()
                .zip(initial)
                .map(|(a, b)| m * lambda * (a - b))
                .collect();
            for (x, y) in data {
                let residual = self.output(x) - y;
                step.iter_mut()
                    .zip(self.gradient(x))
                    .for_each(|(s, g)| *s += residual * g);
            }
            self.theta
                .iter_mut()
                .zip(step)
                .for_each(|(w, s)| *w -= rate * s / t);
        }
    }
}

/// The inverse of `U`, row by row, under rank-one updates.
pub struct Posterior {
    /// `U⁻¹`.
    pub inverse: Vec<Vec<f64>>,
    /// Regularizer λ.
    pub lambda: f64,
    /// Hidden units `m`.
    pub width: usize,
}

impl Posterior {
    /// `U = λI`.
    pub fn new(parameters: usize, lambda: f64, width: usize) -> Self {
        let row = |i| {
            (0..parameters)
                .map(|j| if i == j { 1.0 / lambda } else { 0.0 })
                .collect()
        };
        Self {
            inverse: (0..parameters).map(row).collect(),
            lambda,
            width,
        }
    }

    fn times(&self, g: &[f64]) -> Vec<f64> {
        self.inverse.iter().map(|row| dot(row, g)).collect()
    }

    /// `U += g gᵀ/m` by Sherman and Morrison: `U⁻¹ −= (U⁻¹g)(U⁻¹g)ᵀ / (m + gᵀU⁻¹g)`.
    pub fn observe(&mut self, g: &[f64]) {
        let image = self.times(g);
        let scale = 1.0 / (self.width as f64 + dot(g, &image));
        for (row, a) in self.inverse.iter_mut().zip(&image) {
            row.iter_mut()
                .zip(&image)
                .for_each(|(u, b)| *u -= scale * a * b);
        }
    }

    /// `σ²(x) = λ gᵀU⁻¹g/m`.
    pub fn variance(&self, g: &[f64]) -> f64 {
        self.lambda * dot(g, &self.times(g)) / self.width as f64
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// What Algorithm 1 is told.
pub struct Settings {
    /// Hidden units `m`.
    pub width: usize,
    /// Regularizer λ.
    pub lambda: f64,
    /// Exploration ν.
    pub nu: f64,
    /// Random points scored in a round.
    pub candidates: usize,
    /// Random points to begin with.
    pub initial: usize,
    /// Evaluations.
    pub rounds: usize,
}

/// Algorithm 1 on the box [−1, 1]^d: the best point and its value.
pub fn maximize(
    f: impl Fn(&[f64]) -> f64,
    dim: usize,
    settings: &Settings,
    rng: &mut Rng,
) -> (Vec<f64>, f64) {
    let mut network = Network::new(dim + 1, settings.width, rng);
    let initial = network.theta.clone();
    let features = Network {
        theta: initial.clone(),
        ..network
    };
    let mut posterior = Posterior::new(initial.len(), settings.lambda, settings.width);
    let mut data: Vec<(Vec<f64>, f64)> = Vec::new();
    for round in 0..settings.rounds {
        let x = if round < settings.initial {
            random_point(dim, rng)
        } else {
            network.train(&initial, &standardized(&data), settings.lambda, 0.05, 300);
            let candidates: Vec<Vec<f64>> = (0..settings.candidates)
                .map(|_| random_point(dim, rng))
                .collect();
            let sampled = |x: &Vec<f64>, rng: &mut Rng| {
                let sd = posterior.variance(&features.gradient(x)).max(0.0).sqrt();
                network.output(x) + settings.nu * sd * normal(rng)
            };
            let values: Vec<f64> = candidates.iter().map(|x| sampled(x, rng)).collect();
            let best = (0..values.len())
                .max_by(|&a, &b| values[a].total_cmp(&values[b]))
                .unwrap_or(0);
            candidates[best].clone()
        };
        posterior.observe(&features.gradient(&x));
        let y = f(&x[..dim]);
        data.push((x, y));
    }
    let best = data.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or((Vec::new(), f64::NEG_INFINITY), |(x, y)| {
        (x[..dim].to_vec(), y)
    })
}

/// A uniform point with the constant input that keeps ‖x‖ away from 0.
fn random_point(dim: usize, rng: &mut Rng) -> Vec<f64> {
    (0..dim)
        .map(|_| rng.random_range(-1.0..=1.0))
        .chain([1.0])
        .collect()
}

/// The same points with values of mean 0 and standard deviation 1.
fn standardized(data: &[(Vec<f64>, f64)]) -> Vec<(Vec<f64>, f64)> {
    let mean = data.iter().map(|(_, y)| y).sum::<f64>() / data.len() as f64;
    let variance = data.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>() / data.len() as f64;
    let spread = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    data.iter()
        .map(|(x, y)| (x.clone(), (y - mean) / spread))
        .collect()
}

#[allow(dead_code)]
fn main() {
    let hill = |x: &[f64]| (-4.0 * ((x[0] - 0.3).powi(2) + (x[1] + 0.5).powi(2))).exp();
    let settings = Settings {
        width: 40,
        lambda: 0.01,
        nu: 0.1,
        candidates: 200,
        initial: 3,
        rounds: 40,
    };
    let (x, value) = maximize(
        hill,
        2,
        &settings,
        &mut Streams::new(1).stream(0, Purpose::Sample),
    );
    println!(
        "best value {value:.4} of at most 1, at ({:.3}, {:.3}); the top is at (0.3, -0.5)",
        x[0], x[1]
    );
}
