//! Where evaluations fail, learned as a border: Gaussian process classification of failed and successful trials.
//!
//! A latent function `g` with probit likelihood, `P(fails at x) = Φ(g(x))`, has the prior mean [`PRIOR_MEAN`] and the kernel
//! `k(x, x′) = a² (1 + x·x′ + exp(−|x − x′|²/2ℓ²))`: a plane, so that a border seen in a few places is continued straight on, and a
//! part that bends it. `a` and `ℓ` maximize Laplace's approximation of the evidence over a small grid: a large `a` for a sharp
//! border, a small one for failures without any pattern.
//!
//! Symbols (Rasmussen & Williams 2006, algorithms 3.1 and 3.2): `y = ±1` failed or not, `ĝ` the mode, `r = φ/Φ` at `z = yĝ`,
//! `W = r² + z r` the negated second derivative of the log likelihood, `B = I + W^½ K W^½ = LLᵀ`, `α = K⁻¹(ĝ − mean)`.

use faer::Mat;

use super::Probability;
use crate::linalg::{
    Cholesky, Points, add_scaled, dot, log_normal_cdf, mills, normal_cdf, normal_pdf,
    squared_distance,
};

/// Mean of `g` where nothing is known: most evaluations succeed.
const PRIOR_MEAN: f64 = -1.0;
/// Amplitudes `a`, and lengths `ℓ` in units of the half-diagonal `√d` of the encoded box, among which the evidence chooses.
const AMPLITUDES: [f64; 3] = [1.0, 4.0, 16.0];
const LENGTHS: [f64; 2] = [0.2, 0.6];
/// Rows of each kind that are kept, the most recent ones: bounds the cost whatever the number of trials.
const KEPT: usize = 80;
/// Newton steps to the mode, how often one is halved, and the improvement below which it is found.
const STEPS: usize = 30;
const HALVINGS: usize = 12;
const CONVERGED: f64 = 1e-9;

/// The probability that an evaluation fails.
///
/// ```
/// use neuralbo::acquisition::{Probability, FailureProbability};
/// use neuralbo::linalg::Points;
///
/// // What lies right of 0.3 fails, whatever the height.
/// let failed = Points::from_rows(2, [[0.4, -0.5], [0.5, 0.3], [0.9, 0.0]]);
/// let succeeded = Points::from_rows(2, [[0.2, -0.4], [0.1, 0.3], [-0.5, 0.0]]);
/// let chances = FailureProbability::new(&failed, &succeeded).probabilities(&Points::from_rows(2, [[0.8, 0.9], [-0.2, 0.9]]));
/// assert!(chances[0] > 0.5 && chances[1] < 0.3);
/// ```
#[derive(Clone)]
pub struct FailureProbability {
    rows: Points,
    kernel: BorderKernel,
    mode: Mode,
}

#[derive(Clone, Copy, Debug)]
struct BorderKernel {
    variance: f64,
    precision: f64,
}

/// The mode of `g` at the rows and what follows from it; without rows that is the prior.
#[derive(Clone, Default)]
struct Mode {
    /// `α`.
    alpha: Vec<f64>,
    /// `W^½`.
    roots: Vec<f64>,
    factor: Cholesky,
    evidence: f64,
}

impl FailureProbability {
    /// From the rows of failed and of successful trials, in the order they finished.
    pub fn new(failed: &Points, succeeded: &Points) -> Self {
        let (mut rows, succeeded) = (failed.last(KEPT), succeeded.last(KEPT));
        let mut labels = vec![1.0; rows.len()];
        labels.resize(rows.len() + succeeded.len(), -1.0);
        rows.extend(&succeeded);
        let half_diagonal = (rows.dim().max(1) as f64).sqrt();
        let lengths = |a: f64| LENGTHS.map(|l| BorderKernel::new(a, l * half_diagonal));
        let modes = AMPLITUDES
            .into_iter()
            .flat_map(lengths)
            .filter_map(|kernel| {
                let mode = mode(&kernel.among(&rows), &labels)?;
                Some((kernel, mode))
            });
        match modes.max_by(|(_, a), (_, b)| a.evidence.total_cmp(&b.evidence)) {
            Some((kernel, mode)) => Self { rows, kernel, mode },
            // No mode could be found: the prior.
            None => Self {
                rows: Points::new(rows.dim()),
                kernel: BorderKernel::new(1.0, 1.0),
                mode: Mode::default(),
            },
        }
    }

    /// `k(x_i, x)`, one column per row.
    fn cross(&self, rows: &Points) -> Mat<f64> {
        Mat::from_fn(self.rows.len(), rows.len(), |i, j| {
            self.kernel.of(self.rows.row(i), rows.row(j))
        })
    }

    /// Mean of the latent function, and its variance plus that of the likelihood; `cross` becomes `L⁻¹ W^½ k`.
    fn latent(&self, rows: &Points, cross: &mut Mat<f64>) -> Vec<(f64, f64)> {
        let Mode {
            alpha,
            roots,
            factor,
            ..
        } = &self.mode;
        let mean = |j: usize| PRIOR_MEAN + dot(cross.col_as_slice(j), alpha);
        let means: Vec<f64> = (0..rows.len()).map(mean).collect();
        for j in 0..rows.len() {
            let entries = cross.col_as_slice_mut(j).iter_mut().zip(roots);
            entries.for_each(|(k, root)| *k *= root);
        }
        factor.solve_lower(cross.as_mut());
        let explained = |j: usize| dot(cross.col_as_slice(j), cross.col_as_slice(j));
        let own = |j: usize| self.kernel.of(rows.row(j), rows.row(j));
        let variance = |j: usize| 1.0 + (own(j) - explained(j)).max(0.0);
        let pair = |(j, mean)| (mean, variance(j));
        means.into_iter().enumerate().map(pair).collect()
    }
}

/// `Φ(m v^−½)` of each mean and variance.
fn chances(latent: &[(f64, f64)]) -> Vec<f64> {
    let chance = |(mean, variance): &(f64, f64)| normal_cdf(mean / variance.sqrt());
    latent.iter().map(chance).collect()
}

impl Probability for FailureProbability {
    fn probabilities(&self, rows: &Points) -> Vec<f64> {
        chances(&self.latent(rows, &mut self.cross(rows)))
    }

    fn probabilities_with_gradient(&self, rows: &Points) -> (Vec<f64>, Points) {
        let mut solved = self.cross(rows);
        let latent = self.latent(rows, &mut solved);
        // β = W^½ B⁻¹ W^½ k, so that ∇v = ∇k(x,x) − 2 Σ β_i ∇k_i.
        self.mode.factor.solve_upper(solved.as_mut());
        let mut gradient = Points::zeros(rows.dim(), rows.len());
        for (j, (mean, variance)) in latent.iter().enumerate() {
            let (x, slot) = (rows.row(j), gradient.row_mut(j));
            let density = normal_pdf(mean / variance.sqrt());
            // p = Φ(m v^−½): ∇p = φ (∇m v^−½ − ½ m ∇v v^−³ᐟ²).
            let by_mean = density / variance.sqrt();
            let by_variance = -0.5 * density * mean * variance.powf(-1.5);
            add_scaled(slot, by_variance * 2.0 * self.kernel.variance, x);
            for (i, row) in self.rows.rows().enumerate() {
                let beta = self.mode.roots[i] * solved[(i, j)];
                let scale = by_mean * self.mode.alpha[i] - 2.0 * by_variance * beta;
                self.kernel.add_gradient(row, x, scale, slot);
            }
        }
        (chances(&latent), gradient)
    }
}

impl BorderKernel {
    fn new(amplitude: f64, length: f64) -> Self {
        Self {
            variance: amplitude * amplitude,
            precision: length.powi(-2),
        }
    }

    fn of(self, a: &[f64], b: &[f64]) -> f64 {
        self.variance * (1.0 + dot(a, b) + self.bend(a, b))
    }

    fn bend(self, a: &[f64], b: &[f64]) -> f64 {
        (-0.5 * self.precision * squared_distance(a, b)).exp()
    }

    fn among(self, rows: &Points) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows.len(), |i, j| {
            self.of(rows.row(i.max(j)), rows.row(i.min(j)))
        })
    }

    /// Adds `scale · ∇_x k(row, x)`.
    fn add_gradient(self, row: &[f64], x: &[f64], scale: f64, slot: &mut [f64]) {
        let bend = self.precision * self.bend(row, x);
        for ((slot, a), x) in slot.iter_mut().zip(row).zip(x) {
            *slot += scale * self.variance * (a + bend * (a - x));
        }
    }
}

/// Newton's method for the mode, its steps halved where they overshoot; `None` where a matrix is not positive definite.
fn mode(k: &Mat<f64>, labels: &[f64]) -> Option<Mode> {
    let size = labels.len();
    let mut alpha = vec![0.0; size];
    let mut at = BorderLikelihood::at(k, &alpha, labels);
    let (mut roots, mut factor);
    let mut steps = 0;
    loop {
        roots = at.curvatures.iter().map(|w| w.sqrt()).collect::<Vec<f64>>();
        let b = Mat::from_fn(size, size, |i, j| {
            roots[i] * k[(i, j)] * roots[j] + if i == j { 1.0 } else { 0.0 }
        });
        factor = Cholesky::factor(b.as_ref()).ok()?;
        let target = newton(k, &at, &roots, &factor);
        let (next, found) = halved(k, &alpha, &target, labels, at.objective);
        steps += 1;
        let gain = found.objective - at.objective;
        if gain < CONVERGED || steps == STEPS {
            break;
        }
        (alpha, at) = (next, found);
    }
    let evidence = at.objective - 0.5 * factor.log_det();
    Some(Mode {
        alpha,
        roots,
        factor,
        evidence,
    })
}

/// `α` after a whole Newton step: `b − W^½ B⁻¹ W^½ K b` with `b = W (ĝ − mean) + ∇`.
fn newton(k: &Mat<f64>, at: &BorderLikelihood, roots: &[f64], factor: &Cholesky) -> Vec<f64> {
    let b: Vec<f64> = (0..roots.len())
        .map(|i| at.curvatures[i] * (at.latent[i] - PRIOR_MEAN) + at.slopes[i])
        .collect();
    let scaled = times(k, &b).into_iter().zip(roots);
    let scaled: Vec<f64> = scaled.map(|(v, root)| v * root).collect();
    let solved = factor.solve_vec(&scaled);
    (0..b.len()).map(|i| b[i] - roots[i] * solved[i]).collect()
}

/// The longest of ever shorter steps toward `target` that improves the objective; the last one where none does.
fn halved(
    k: &Mat<f64>,
    alpha: &[f64],
    target: &[f64],
    labels: &[f64],
    objective: f64,
) -> (Vec<f64>, BorderLikelihood) {
    let mut length = 1.0;
    loop {
        let step = |(old, new): (&f64, &f64)| old + length * (new - old);
        let next: Vec<f64> = alpha.iter().zip(target).map(step).collect();
        let found = BorderLikelihood::at(k, &next, labels);
        if found.objective > objective || length < 0.5f64.powi(HALVINGS as i32) {
            return (next, found);
        }
        length *= 0.5;
    }
}

/// The log posterior of `g = mean + Kα` and the derivatives of its likelihood.
struct BorderLikelihood {
    latent: Vec<f64>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    objective: f64,
}

impl BorderLikelihood {
    fn at(k: &Mat<f64>, alpha: &[f64], labels: &[f64]) -> Self {
        let moved = times(k, alpha);
        let prior = dot(&moved, alpha);
        let latent: Vec<f64> = moved.iter().map(|g| PRIOR_MEAN + g).collect();
        let z: Vec<f64> = latent.iter().zip(labels).map(|(g, y)| g * y).collect();
        let ratios: Vec<f64> = z.iter().map(|z| mills(-z).recip()).collect();
        let slopes = ratios.iter().zip(labels).map(|(r, y)| r * y).collect();
        let curvature = |(r, z): (&f64, &f64)| (r * r + z * r).clamp(0.0, 1.0);
        let curvatures = ratios.iter().zip(&z).map(curvature).collect();
        let objective = z.iter().map(|z| log_normal_cdf(*z)).sum::<f64>() - 0.5 * prior;
        Self {
            latent,
            slopes,
            curvatures,
            objective,
        }
    }
}

fn times(k: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    (0..k.ncols()).map(|j| dot(k.col_as_slice(j), v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::assert_avoiding_gradient;

    /// The border between these rows.
    fn border<const D: usize>(failed: &[[f64; D]], succeeded: &[[f64; D]]) -> FailureProbability {
        FailureProbability::new(
            &Points::from_rows(D, failed),
            &Points::from_rows(D, succeeded),
        )
    }

    fn chance<const D: usize>(border: &FailureProbability, x: [f64; D]) -> f64 {
        border.probabilities(&Points::from_rows(D, [x]))[0]
    }

    /// A grid on [-1, 1]² whose right half fails.
    fn right_half_fails() -> FailureProbability {
        let grid = (0..100).map(|i| [(i % 10) as f64 / 4.5 - 1.0, (i / 10) as f64 / 4.5 - 1.0]);
        let (failed, succeeded): (Vec<_>, Vec<_>) = grid.partition(|x| x[0] > 0.0);
        border(&failed, &succeeded)
    }

    /// Whether the chance at `x` is what the same algorithm written with NumPy and SciPy gives.
    fn is<const D: usize>(border: &FailureProbability, x: [f64; D], expected: f64) -> bool {
        (chance(border, x) - expected).abs() < 1e-4
    }

    #[test]
    fn one_failure_says_little_about_the_far_side() {
        let border = border(&[[0.9]], &[[0.0]]);
        assert!(is(&border, [-0.9], 0.267148) && is(&border, [0.0], 0.244951));
        assert!(is(&border, [0.9], 0.597835));
    }

    #[test]
    fn learns_a_failing_half() {
        let border = right_half_fails();
        assert!(is(&border, [0.7, -0.8], 0.906321) && is(&border, [-0.7, -0.8], 0.090807));
        assert!(is(&border, [0.7, 0.6], 0.921086) && is(&border, [-0.7, 0.6], 0.076198));
    }

    #[test]
    fn a_border_seen_in_one_place_goes_straight_on() {
        // x + y = 0 is seen for |x − y| < 0.5 only.
        let near = |side: f64| [-0.2, -0.1, 0.0, 0.1, 0.2].map(|t| [t + side, side - t]);
        let border = border(&near(0.05), &near(-0.05));
        for (t, beyond, inside) in [(-0.8, 0.598293, 0.390222), (0.4, 0.820474, 0.173763)] {
            assert!(is(&border, [t + 0.15, 0.15 - t], beyond), "{t}");
            assert!(is(&border, [t - 0.15, -0.15 - t], inside), "{t}");
        }
    }

    #[test]
    fn failures_without_a_pattern_have_no_border() {
        let all: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i) / 19.5 - 1.0]).collect();
        let rows = |fails: bool| {
            let some = (0..40).filter(|i| (i % 4 == 1) == fails);
            some.map(|i| all[i]).collect::<Vec<_>>()
        };
        let border = border(&rows(true), &rows(false));
        let is_vague = |x: &[f64; 1]| (0.05..0.6).contains(&chance(&border, *x));
        assert!(all.iter().all(is_vague));
    }

    #[test]
    fn gradient_agrees_with_differences() {
        assert_avoiding_gradient(right_half_fails(), 1e-5);
    }

    #[test]
    fn only_the_most_recent_rows_are_kept() {
        let many = Points::from_rows(1, (0..1000).map(|i| [f64::from(i) / 1000.0]));
        assert_eq!(FailureProbability::new(&many, &many).rows.len(), 2 * KEPT);
    }
}
