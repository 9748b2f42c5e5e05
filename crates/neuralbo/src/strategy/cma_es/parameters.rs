//! The constants of one CMA-ES run, after Hansen's tutorial (arXiv:1604.00772, table 1) and Ros & Hansen (2008) for the diagonal
//! variant.
//!
//! Symbols: `n` dimension, `λ` population, `μ` parents, `w_i` recombination weights (negative for the worse half), `μ_eff` the
//! variance-effective number of parents, `c_σ`, `d_σ` of the step size, `c_c` of the evolution path, `c_1`, `c_μ` of the covariance.

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
        let raw: Vec<f64> = (1..=population)
            .map(|i| ((population as f64 + 1.0) / 2.0).ln() - (i as f64).ln())
            .collect();
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
        (1.0 / (10.0 * dim.max(1) as f64 * (self.c_1 + self.c_mu)))
            .floor()
            .max(1.0) as usize
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
    raw.iter()
        .map(|&w| {
            if w >= 0.0 {
                w / positive_sum
            } else {
                negative_scale * w / negative_sum
            }
        })
        .collect()
}
