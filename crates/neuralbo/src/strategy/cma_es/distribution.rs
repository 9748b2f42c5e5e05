//! The search distribution and its update by one generation (Hansen's tutorial, figure 6).
//!
//! Symbols: `m` mean, `σ` step size, `C` covariance, `p_σ`, `p_c` evolution paths, `y_i = (x_i − m)/σ`,
//! `y_w` their weighted mean.
//!
//! The constants of a run are those of Hansen's tutorial (arXiv:1604.00772, table 1) and of Ros & Hansen (2008) for the diagonal
//! variant: `n` dimension, `λ` population, `μ` parents, `w_i` recombination weights (negative for the worse half), `μ_eff` the
//! variance-effective number of parents, `c_σ`, `d_σ` of the step size, `c_c` of the evolution path, `c_1`, `c_μ` of the covariance.

use super::shape::SearchCovariance;
use crate::linalg::add_scaled;

/// First step size: a quarter of the side of the encoded box.
pub(super) const FIRST_STEP: f64 = 0.5;

/// A told member of a generation; `reward` is `None` when its evaluation failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct GenerationMember<'a> {
    pub row: &'a [f64],
    pub reward: Option<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Distribution {
    pub mean: Vec<f64>,
    pub step: f64,
    parameters: Parameters,
    shape: SearchCovariance,
    step_path: Vec<f64>,
    shape_path: Vec<f64>,
    generation: usize,
}

impl Distribution {
    pub(super) fn new(mean: Vec<f64>, population: usize) -> Self {
        let dim = mean.len();
        let parameters = Parameters::new(dim, population);
        let shape = SearchCovariance::unit(dim, parameters.diagonal);
        Self {
            mean,
            step: FIRST_STEP,
            parameters,
            shape,
            step_path: vec![0.0; dim],
            shape_path: vec![0.0; dim],
            generation: 0,
        }
    }

    pub(super) fn population(&self) -> usize {
        self.parameters.population
    }

    /// The row that the standard normal `z` stands for.
    pub(super) fn at(&self, z: &[f64]) -> Vec<f64> {
        let steps = self.mean.iter().zip(self.shape.colour(z));
        steps.map(|(m, y)| m + self.step * y).collect()
    }

    /// Whether the distribution has shrunk to where its draws cannot be told apart, or has burst.
    pub(super) fn is_spent(&self) -> bool {
        let width = self.step * self.shape.largest_scale();
        !(1e-9..1e7).contains(&width) || self.mean.iter().any(|m| !m.is_finite())
    }

    /// Learns from one generation. Failed members rank last; one that ranks among the parents counts as no displacement at all.
    pub(super) fn update(&mut self, members: &[GenerationMember<'_>]) {
        let mut order: Vec<usize> = (0..members.len()).collect();
        let rank = |i: usize| members[i].reward.unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
        let lowest = match members.iter().any(touches_a_bound) {
            true => 0.0,
            false => f64::NEG_INFINITY,
        };
        let weights = self.parameters.weights.iter().map(|w| w.max(lowest));
        let of = |(&i, weight): (&usize, f64)| self.displacement(members[i], weight);
        let displacements: Vec<Displacement> = order.iter().zip(weights).map(of).collect();
        self.generation += 1;
        let pull = self.move_mean(&displacements);
        self.adapt_step(&pull);
        self.adapt_shape(&pull, &displacements);
    }

    fn displacement(&self, member: GenerationMember<'_>, weight: f64) -> Displacement {
        let n = self.mean.len() as f64;
        let steps = member.row.iter().zip(&self.mean);
        let mut y: Vec<f64> = steps.map(|(x, m)| (x - m) / self.step).collect();
        let mut length = norm(&self.shape.whiten(&y));
        // Members drawn from an older distribution, or told from outside, may lie far away: Hansen (2011), injected solutions.
        let longest = n.sqrt() + 2.0 * n / (n + 2.0);
        let shrink = match member.reward.is_none() && weight > 0.0 {
            true => 0.0,
            false => (longest / length).min(1.0),
        };
        y.iter_mut().for_each(|v| *v *= shrink);
        length *= shrink;
        Displacement { y, length, weight }
    }

    /// Moves the mean and returns `y_w`.
    fn move_mean(&mut self, displacements: &[Displacement]) -> Vec<f64> {
        let mut pull = vec![0.0; self.mean.len()];
        for displacement in &displacements[..self.parameters.parents] {
            add_scaled(&mut pull, displacement.weight, &displacement.y);
        }
        add_scaled(&mut self.mean, self.step, &pull);
        pull
    }

    fn adapt_step(&mut self, pull: &[f64]) {
        let Parameters { c_sigma, chi, .. } = self.parameters;
        let gain = (c_sigma * (2.0 - c_sigma) * self.parameters.mu_eff).sqrt();
        for (path, white) in self.step_path.iter_mut().zip(self.shape.whiten(pull)) {
            *path = (1.0 - c_sigma) * *path + gain * white;
        }
        let growth = c_sigma / self.parameters.d_sigma * (norm(&self.step_path) / chi - 1.0);
        self.step *= growth.min(1.0).exp();
    }

    fn adapt_shape(&mut self, pull: &[f64], displacements: &[Displacement]) {
        let Parameters { c_1, c_mu, c_c, .. } = self.parameters;
        let (n, mu_eff) = (self.mean.len() as f64, self.parameters.mu_eff);
        let moving = f64::from(u8::from(!self.path_is_long()));
        let gain = moving * (c_c * (2.0 - c_c) * mu_eff).sqrt();
        for (path, y) in self.shape_path.iter_mut().zip(pull) {
            *path = (1.0 - c_c) * *path + gain * y;
        }

        let stalled = (1.0 - moving) * c_c * (2.0 - c_c);
        let total: f64 = displacements.iter().map(|d| d.weight).sum();
        let decay = 1.0 + c_1 * stalled - c_1 - c_mu * total;
        let weight = |d: &Displacement| c_mu * d.shape_weight(n);
        let terms = displacements.iter().map(|d| (weight(d), d.y.as_slice()));
        let path = (c_1, self.shape_path.as_slice());
        self.shape.update(decay, terms.chain([path]));
        let period = self.parameters.eigen_period(self.mean.len());
        if self.generation.is_multiple_of(period) && !self.shape.refresh() {
            self.shape = SearchCovariance::unit(self.mean.len(), self.parameters.diagonal);
        }
    }

    /// `h_σ = 0`: the step size is still growing fast, and the covariance must not grow with it.
    fn path_is_long(&self) -> bool {
        let Parameters { c_sigma, chi, .. } = self.parameters;
        let settled = 1.0 - (1.0 - c_sigma).powf(2.0 * self.generation as f64);
        norm(&self.step_path) / settled.sqrt() >= (1.4 + 2.0 / (self.mean.len() as f64 + 1.0)) * chi
    }
}

struct Displacement {
    y: Vec<f64>,
    /// Mahalanobis length of `y`.
    length: f64,
    weight: f64,
}

impl Displacement {
    /// Negative weights are scaled so that a far member removes no more variance than a typical one.
    fn shape_weight(&self, n: f64) -> f64 {
        if self.weight >= 0.0 {
            self.weight
        } else {
            self.weight * n / self.length.max(1e-8).powi(2)
        }
    }
}

/// Whether a member was clipped. Its displacement is then shorter than what was drawn while those of bad members are not: negative
/// weights would take away the very variance that leads to the border.
fn touches_a_bound(member: &GenerationMember<'_>) -> bool {
    member.row.iter().any(|x| x.abs() >= 1.0)
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Above this dimension the covariance is diagonal, which keeps a generation linear in the dimension.
pub(super) const LARGEST_FULL_DIM: usize = 200;

#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub population: usize,
    pub weights: Vec<f64>,
    pub parents: usize,
    pub mu_eff: f64,
    pub c_sigma: f64,
    pub d_sigma: f64,
    pub c_c: f64,
    pub c_1: f64,
    pub c_mu: f64,
    /// Expected length of a standard normal vector.
    pub chi: f64,
    pub diagonal: bool,
}

impl Parameters {
    pub(super) fn new(dim: usize, population: usize) -> Self {
        let n = dim.max(1) as f64;
        let raw = |i: usize| ((population as f64 + 1.0) / 2.0).ln() - (i as f64).ln();
        let raw: Vec<f64> = (1..=population).map(raw).collect();
        let parents = population / 2;
        let mu_eff = effective_number(&raw[..parents]);
        let diagonal = dim > LARGEST_FULL_DIM;
        let (c_1, c_mu) = covariance_rates(n, mu_eff, diagonal);
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        Self {
            population,
            weights: weights(&raw, n, c_1, c_mu),
            parents,
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_c: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            c_1,
            c_mu,
            chi: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            diagonal,
        }
    }

    /// Generations between two eigendecompositions: their cost stays a fraction of the sampling cost.
    pub(super) fn eigen_period(&self, dim: usize) -> usize {
        let period = 1.0 / (10.0 * dim.max(1) as f64 * (self.c_1 + self.c_mu));
        period.floor().max(1.0) as usize
    }
}

/// The default population of dimension `n`.
pub(super) fn default_population(dim: usize) -> usize {
    4 + (3.0 * (dim.max(1) as f64).ln()).floor() as usize
}

fn effective_number(weights: &[f64]) -> f64 {
    weights.iter().sum::<f64>().powi(2) / weights.iter().map(|w| w * w).sum::<f64>()
}

fn covariance_rates(n: f64, mu_eff: f64, diagonal: bool) -> (f64, f64) {
    let speed_up = if diagonal { (n + 2.0) / 3.0 } else { 1.0 };
    let c_1 = (speed_up * 2.0 / ((n + 1.3).powi(2) + mu_eff)).min(0.5);
    let c_mu = speed_up * 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff);
    (c_1, c_mu.min(1.0 - c_1))
}

/// Equation (53): positive weights sum to one, negative ones are bounded so that the covariance stays positive definite.
fn weights(raw: &[f64], n: f64, c_1: f64, c_mu: f64) -> Vec<f64> {
    let (parents, others) = raw.split_at(raw.len() / 2);
    let (mu_eff, mu_eff_negative) = (effective_number(parents), effective_number(others));
    let bounds = [
        1.0 + c_1 / c_mu,
        1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0),
        (1.0 - c_1 - c_mu) / (n * c_mu),
    ];
    let negative_scale = bounds.into_iter().fold(f64::INFINITY, f64::min);
    let positive_sum: f64 = raw.iter().filter(|w| **w > 0.0).sum();
    let negative_sum: f64 = -raw.iter().filter(|w| **w < 0.0).sum::<f64>();
    let scaled = |w: &f64| match *w >= 0.0 {
        true => w / positive_sum,
        false => negative_scale * w / negative_sum,
    };
    raw.iter().map(scaled).collect()
}
