//! A separable quadratic with noise: `y = b + Σ g_i z_i + Σ (c/d + h_i) z_i² + Σ e_k v_k + ε`.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `z_i` | number `i` as a distance from the centre, in units of the reach; there are `d` |
//! | `v_k` | change of a choice's coordinate from the centre, 0 or ±1 |
//! | `b`, `c` | value at the centre and common curvature, with flat priors |
//! | `g_i, e_k ~ N(0, τ)` | slopes and effects |
//! | `h_i ~ N(0, η)` | differences between the curvatures |
//! | `ε_j ~ N(0, σ²/w_j)` | noise; observations beyond the reach have smaller weights `w_j` |
//!
//! `τ, η, σ²` are the values of largest evidence, by expectation maximization.

use super::super::constants::{WEIGHT_DECAY, WEIGHT_REACH};
use super::Factors;
use crate::linalg::{Cholesky, NotPositiveDefinite, product};
use crate::surrogate::{Dataset, Standardizer};
use faer::Mat;

/// Precision of the flat priors.
const FLAT: f64 = 1e-8;
/// Smallest variance of a prior, relative to the noise.
const LEAST_VARIANCE: f64 = 1e-9;
/// Observations of a smaller weight are left out.
const LEAST_WEIGHT: f64 = 1e-3;

/// Variances of slopes, of differences between curvatures, and of the noise, in standard units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variances {
    slope: f64,
    curvature: f64,
    noise: f64,
}

impl Variances {
    /// A third of the variance explained by slopes, little by curvatures.
    pub(super) fn start(numbers: usize) -> Self {
        Self {
            slope: 0.3 / numbers as f64,
            curvature: 0.03 / numbers as f64,
            noise: 0.7,
        }
    }
}

/// Means of the coefficients in standard units, and the variance of the residuals.
pub(super) struct Quadratic {
    pub(super) slopes: Vec<f64>,
    pub(super) curvatures: Vec<f64>,
    /// Of the coordinates of all choices, one after the other.
    pub(super) effects: Vec<f64>,
    /// In units of the rewards, squared.
    pub(super) residual: f64,
    pub(super) variances: Variances,
}

/// The frame of a fit.
pub(super) struct View<'a> {
    pub(super) factors: &'a Factors,
    pub(super) center: &'a [f64],
    pub(super) reach: f64,
    /// Most observations that are used.
    pub(super) most: usize,
}

/// WeightedSums over the weighted observations: `AᵀWA`, `AᵀWy`, `yᵀWy` and `Σ w`.
struct WeightedSums {
    squares: Mat<f64>,
    products: Vec<f64>,
    target: f64,
    weight: f64,
}

impl View<'_> {
    /// The quadratic of largest evidence by some iterations from these variances.
    pub(super) fn fit(
        &self,
        data: &Dataset,
        start: Variances,
        iterations: usize,
    ) -> Result<Quadratic, NotPositiveDefinite> {
        let (near, weights) = self.weighted(data);
        let units = Standardizer::of(near.rewards());
        let sums = self.sums(&near, &weights, &units.forward_all(near.rewards()));
        let mut variances = start;
        let mut mean = Vec::new();
        for _ in 0..iterations {
            (mean, variances) = self.improved(&sums, variances)?;
        }
        let d = self.factors.numbers.len();
        let differences = &mean[d + 1..2 * d + 1];
        let common = (mean[2 * d + 1] - differences.iter().sum::<f64>()) / d as f64;
        Ok(Quadratic {
            slopes: mean[1..=d].to_vec(),
            curvatures: differences.iter().map(|h| common + h).collect(),
            effects: mean[2 * d + 2..].to_vec(),
            residual: units.backward_scale(variances.noise.sqrt()).powi(2),
            variances,
        })
    }

    /// The nearest observations with their weights.
    fn weighted(&self, data: &Dataset) -> (Dataset, Vec<f64>) {
        let weight = |row: &[f64]| {
            let beyond = (self.mean_square(row) - WEIGHT_REACH).max(0.0);
            (-WEIGHT_DECAY * beyond).exp()
        };
        let weights: Vec<f64> = data.rows().rows().map(weight).collect();
        let mut chosen: Vec<usize> = (0..weights.len()).collect();
        chosen.retain(|&i| weights[i] > LEAST_WEIGHT);
        // Of equal ones the last.
        chosen.sort_by(|&i, &j| weights[j].total_cmp(&weights[i]).then(j.cmp(&i)));
        chosen.truncate(self.most);
        chosen.sort_unstable();
        let kept = chosen.iter().map(|&i| weights[i]).collect();
        (data.select(&chosen), kept)
    }

    fn level(&self, row: &[f64], i: usize) -> f64 {
        (row[i] - self.center[i]) / self.reach
    }

    fn mean_square(&self, row: &[f64]) -> f64 {
        let numbers = &self.factors.numbers;
        let squares = numbers.iter().map(|&i| self.level(row, i).powi(2));
        squares.sum::<f64>() / numbers.len() as f64
    }

    /// The regressors of a row: constant, levels, squares less their mean, that mean, choices.
    fn regressors(&self, row: &[f64]) -> Vec<f64> {
        let levels = || self.factors.numbers.iter().map(|&i| self.level(row, i));
        let mean = self.mean_square(row);
        let choices = self.factors.choices.iter().flat_map(Clone::clone);
        let mut regressors = vec![1.0];
        regressors.extend(levels());
        regressors.extend(levels().map(|z| z * z - mean));
        regressors.push(mean);
        regressors.extend(choices.map(|k| 0.5 * (row[k] - self.center[k])));
        regressors
    }

    fn sums(&self, data: &Dataset, weights: &[f64], y: &[f64]) -> WeightedSums {
        let rows: Vec<Vec<f64>> = data.rows().rows().map(|row| self.regressors(row)).collect();
        let size = rows.first().map_or(0, Vec::len);
        let design = Mat::from_fn(size, rows.len(), |i, j| weights[j].sqrt() * rows[j][i]);
        let mut products = vec![0.0; size];
        for ((row, w), y) in rows.iter().zip(weights).zip(y) {
            let both = products.iter_mut().zip(row);
            both.for_each(|(p, x)| *p += w * x * y);
        }
        WeightedSums {
            squares: product(design.as_ref(), design.transpose()),
            products,
            target: weights.iter().zip(y).map(|(w, y)| w * y * y).sum(),
            weight: weights.iter().sum(),
        }
    }

    /// One iteration: the posterior of the coefficients, then the variances of largest expected
    /// likelihood under it.
    fn improved(
        &self,
        sums: &WeightedSums,
        variances: Variances,
    ) -> Result<(Vec<f64>, Variances), NotPositiveDefinite> {
        let (d, size) = (self.factors.numbers.len(), sums.products.len());
        let is_slope = |i: usize| (1..=d).contains(&i) || i > 2 * d + 1;
        let is_curvature = |i: usize| (d + 1..=2 * d).contains(&i);
        let prior = |i: usize| match () {
            () if is_slope(i) => 1.0 / variances.slope,
            () if is_curvature(i) => 1.0 / variances.curvature,
            () => FLAT,
        };
        let precision = Mat::from_fn(size, size, |i, j| {
            let data = sums.squares[(i, j)] / variances.noise;
            if i == j { data + prior(i) } else { data }
        });
        let factor = Cholesky::factor(precision.as_ref())?;
        let mut mean = factor.solve_vec(&sums.products);
        mean.iter_mut().for_each(|m| *m /= variances.noise);
        let covariance = factor.inverse();
        let average = |of: &dyn Fn(usize) -> bool| {
            let second = |i: usize| mean[i] * mean[i] + covariance[(i, i)];
            let (sum, count) = (0..size)
                .filter(|&i| of(i))
                .fold((0.0, 0.0), |(sum, count), i| (sum + second(i), count + 1.0));
            sum / count
        };
        let least = LEAST_VARIANCE * variances.noise;
        let next = Variances {
            slope: average(&is_slope).max(least),
            curvature: average(&is_curvature).max(least),
            noise: (sums.expected_residual(&mean, &covariance) / sums.weight).max(f64::EPSILON),
        };
        Ok((mean, next))
    }
}

impl WeightedSums {
    /// `E (y − Aβ)ᵀW(y − Aβ)` over `β ~ N(mean, covariance)`.
    fn expected_residual(&self, mean: &[f64], covariance: &Mat<f64>) -> f64 {
        let mut sum = self.target;
        for (j, m) in mean.iter().enumerate() {
            let (squares, covariances) = (self.squares.col_as_slice(j), covariance.col_as_slice(j));
            let terms = squares.iter().zip(mean).zip(covariances);
            sum += terms.map(|((s, n), c)| s * (m * n + c)).sum::<f64>();
            sum -= 2.0 * m * self.products[j];
        }
        sum
    }
}

/// The best row with every number within `reach` of the centre.
pub(super) fn best_row(
    quadratic: &Quadratic,
    factors: &Factors,
    center: &[f64],
    reach: f64,
) -> Vec<f64> {
    let mut row = center.to_vec();
    let shape = quadratic.slopes.iter().zip(&quadratic.curvatures);
    for (&i, (&slope, &curvature)) in factors.numbers.iter().zip(shape) {
        let level = if curvature < 0.0 {
            (slope / (-2.0 * curvature)).clamp(-1.0, 1.0)
        } else {
            slope.signum()
        };
        row[i] = (center[i] + reach * level).clamp(-1.0, 1.0);
    }
    let mut effects = quadratic.effects.as_slice();
    for range in &factors.choices {
        let (own, others) = effects.split_at(range.len());
        effects = others;
        let largest = (0..own.len()).max_by(|&a, &b| own[a].total_cmp(&own[b]));
        if let Some(value) = largest.filter(|_| is_one_hot(&center[range.clone()])) {
            row[range.clone()].fill(-1.0);
            row[range.start + value] = 1.0;
        }
    }
    row
}

/// The codewords of large choices also have other entries than one.
fn is_one_hot(coordinates: &[f64]) -> bool {
    coordinates.iter().filter(|x| **x > 0.0).count() == 1
}
