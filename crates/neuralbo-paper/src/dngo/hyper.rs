//! What is done about the two precisions of the regression: integrated by an ensemble sampler, or set by the evidence.
//!
//! Targets are standardized and features lie in `[−1, 1]`, so both priors are wide log-normals around ordinary values:
//! `ln α ~ N(0, 3²)` and `ln β ~ N(ln 1000, 3²)`, cut off at [`ALPHA`] and [`BETA`].

use neuralbo::linalg::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

use super::regression::{Precisions, Regression};

/// Range of α.
const ALPHA: [f64; 2] = [1e-6, 1e6];
/// Range of β; above it the evidence would drown in rounding.
const BETA: [f64; 2] = [1e-2, 1e8];
/// Center of the prior of β; that of α is one.
const BETA_CENTER: f64 = 1e3;
/// Spread of both priors in natural logarithms.
const LOG_SPREAD: f64 = 3.0;
/// Re-estimates of the evidence maximization; it converges linearly and each costs O(D).
const RE_ESTIMATES: usize = 2000;

/// How the precisions are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrecisionRule {
    /// Integrated over: predictions are averaged over the last positions of the walkers.
    Ensemble {
        /// Number of walkers.
        walkers: usize,
        /// Moves of each walker from its start in the prior.
        sweeps: usize,
    },
    /// One pair, at a maximum of the evidence.
    Evidence,
}

impl PrecisionRule {
    /// The precisions to average over.
    pub(super) fn choose(self, regression: &Regression, rng: &mut Rng) -> Vec<Precisions> {
        match self {
            Self::Ensemble { walkers, sweeps } => integrate(regression, walkers, sweeps, rng),
            Self::Evidence => vec![maximize_evidence(regression)],
        }
    }
}

fn integrate(
    regression: &Regression,
    walkers: usize,
    sweeps: usize,
    rng: &mut Rng,
) -> Vec<Precisions> {
    let log_density = |x: &[f64; 2]| {
        let prior = log_prior(x);
        let inside = prior > f64::NEG_INFINITY;
        prior
            + if inside {
                regression.log_evidence(from_logs(x))
            } else {
                0.0
            }
    };
    let start = (0..walkers).map(|_| draw_prior(rng)).collect();
    let mut ensemble = Ensemble::new(start, &log_density);
    (0..sweeps).for_each(|_| ensemble.sweep(&log_density, rng));
    ensemble.walkers().iter().map(from_logs).collect()
}

fn from_logs(x: &[f64; 2]) -> Precisions {
    Precisions {
        alpha: x[0].exp(),
        beta: x[1].exp(),
    }
}

fn log_prior(x: &[f64; 2]) -> f64 {
    let inside = |x: f64, [low, high]: [f64; 2]| x >= low.ln() && x <= high.ln();
    if !inside(x[0], ALPHA) || !inside(x[1], BETA) {
        return f64::NEG_INFINITY;
    }
    -0.5 * (x[0].powi(2) + (x[1] - BETA_CENTER.ln()).powi(2)) / LOG_SPREAD.powi(2)
}

/// A draw of the prior, moved to its range so that every walker starts where the density is positive.
fn draw_prior(rng: &mut Rng) -> [f64; 2] {
    let mut draw = |center: f64, [low, high]: [f64; 2]| {
        (center.ln() + LOG_SPREAD * rng.sample::<f64, _>(StandardNormal)).clamp(low.ln(), high.ln())
    };
    [draw(1.0, ALPHA), draw(BETA_CENTER, BETA)]
}

fn maximize_evidence(regression: &Regression) -> Precisions {
    let mut at = Precisions {
        alpha: 1.0,
        beta: BETA_CENTER,
    };
    for _ in 0..RE_ESTIMATES {
        let next = regression.re_estimate(at);
        // A vanishing mean or misfit asks for an infinite precision, 0/0 for none in particular: then the old one stays.
        let next = Precisions {
            alpha: within(next.alpha, at.alpha, ALPHA),
            beta: within(next.beta, at.beta, BETA),
        };
        let moved = (next.alpha / at.alpha).ln().abs() + (next.beta / at.beta).ln().abs();
        at = next;
        if moved < 1e-9 {
            break;
        }
    }
    at
}

fn within(value: f64, otherwise: f64, [low, high]: [f64; 2]) -> f64 {
    if value.is_nan() {
        otherwise
    } else {
        value.clamp(low, high)
    }
}

/// The largest stretch `a`, at its usual value.
const STRETCH: f64 = 2.0;

/// Walkers that sample a density of `N` coordinates by affine-invariant stretch moves (Goodman & Weare 2010): `a` the largest stretch,
/// `z ∈ [1/a, a]` a stretch with density `g(z) ∝ 1/√z`, `X_k` the moved walker and `X_j` its partner from the other half.
#[derive(Clone, Debug)]
pub(super) struct Ensemble<const N: usize> {
    walkers: Vec<[f64; N]>,
    log_density: Vec<f64>,
}

impl<const N: usize> Ensemble<N> {
    /// Starts from these walkers; there must be at least two.
    pub(super) fn new(walkers: Vec<[f64; N]>, log_density: &impl Fn(&[f64; N]) -> f64) -> Self {
        let log_density = walkers.iter().map(log_density).collect();
        Self {
            walkers,
            log_density,
        }
    }

    /// Where the walkers are.
    pub(super) fn walkers(&self) -> &[[f64; N]] {
        &self.walkers
    }

    /// Moves every walker once, each half against the other: moving both at once would break detailed balance.
    pub(super) fn sweep(&mut self, log_density: &impl Fn(&[f64; N]) -> f64, rng: &mut Rng) {
        let (half, count) = (self.walkers.len() / 2, self.walkers.len());
        for (moving, partners) in [(0..half, half..count), (half..count, 0..half)] {
            for k in moving {
                let partner = self.walkers[rng.random_range(partners.clone())];
                self.stretch(k, &partner, log_density, rng);
            }
        }
    }

    /// Proposes `X_j + z (X_k − X_j)` and accepts it with probability `min(1, z^{N−1} p(proposal) / p(X_k))`.
    fn stretch(
        &mut self,
        k: usize,
        partner: &[f64; N],
        log_density: &impl Fn(&[f64; N]) -> f64,
        rng: &mut Rng,
    ) {
        // z by inversion of the distribution function of g.
        let z = ((STRETCH - 1.0) * rng.random::<f64>() + 1.0).powi(2) / STRETCH;
        let proposal = std::array::from_fn(|i| partner[i] + z * (self.walkers[k][i] - partner[i]));
        let proposed = log_density(&proposal);
        let log_ratio = (N as f64 - 1.0) * z.ln() + proposed - self.log_density[k];
        if rng.random::<f64>().ln() < log_ratio {
            (self.walkers[k], self.log_density[k]) = (proposal, proposed);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use faer::Mat;
    use neuralbo::linalg::{Purpose, Streams};

    fn noisy_line(noise: f64) -> Regression {
        let mut rng = Streams::new(2).stream(0, Purpose::Noise);
        let features = Mat::from_fn(4, 60, |i, j| (j as f64 / 30.0 - 1.0).powi(i as i32));
        let targets: Vec<f64> = (0..60)
            .map(|j| {
                1.5 * features[(1, j)] - features[(3, j)]
                    + noise * rng.sample::<f64, _>(StandardNormal)
            })
            .collect();
        Regression::new(features.as_ref(), &targets).unwrap()
    }

    #[test]
    fn evidence_is_flat_at_its_maximum_and_finds_the_noise() {
        let regression = noisy_line(0.1);
        let best = maximize_evidence(&regression);
        let at = |a: f64, b: f64| {
            regression.log_evidence(Precisions {
                alpha: best.alpha * a,
                beta: best.beta * b,
            })
        };
        let single = [(1.05, 1.0), (0.95, 1.0), (1.0, 1.05), (1.0, 0.95)];
        for (a, b) in single.into_iter().chain([(2.0, 0.5), (0.3, 3.0)]) {
            assert!(at(a, b) < at(1.0, 1.0));
        }
        let noise = 1.0 / best.beta.sqrt();
        assert!((0.1 / noise - 1.0).abs() < 0.3, "noise {noise}");
    }

    #[test]
    fn walkers_average_what_a_grid_averages() {
        let regression = noisy_line(0.3);
        let log_posterior = |x: &[f64; 2]| log_prior(x) + regression.log_evidence(from_logs(x));
        let axis = |[low, high]: [f64; 2]| {
            (0..=300).map(move |i| low.ln() + (high / low).ln() * i as f64 / 300.0)
        };
        let top = regression.log_evidence(maximize_evidence(&regression));
        let (mut mass, mut mean) = (0.0, [0.0; 2]);
        for x in axis(ALPHA).flat_map(|a| axis(BETA).map(move |b| [a, b])) {
            let weight = (log_posterior(&x) - top).exp();
            mass += weight;
            (0..2).for_each(|i| mean[i] += weight * x[i]);
        }
        let mut rng = Streams::new(3).stream(0, Purpose::HyperParameters);
        let walkers = integrate(&regression, 2000, 150, &mut rng);
        let average = |f: fn(&Precisions) -> f64| walkers.iter().map(f).sum::<f64>() / 2000.0;
        assert!((average(|p| p.alpha.ln()) - mean[0] / mass).abs() < 0.1);
        assert!((average(|p| p.beta.ln()) - mean[1] / mass).abs() < 0.04);
    }

    #[test]
    fn constant_targets_and_perfect_fits_stay_in_range() {
        let features = Mat::from_fn(3, 2, |i, j| (i + j) as f64);
        for targets in [[0.0, 0.0], [1.0, -1.0]] {
            let at = maximize_evidence(&Regression::new(features.as_ref(), &targets).unwrap());
            assert!(
                (ALPHA[0]..=ALPHA[1]).contains(&at.alpha) && (BETA[0]..=BETA[1]).contains(&at.beta)
            );
        }
    }

    #[test]
    fn recovers_the_moments_of_a_skewed_gaussian() {
        // Mean (1, −2), sds 3 and 0.1, correlation 0.9.
        let log_density = |x: &[f64; 2]| {
            let (u, v) = ((x[0] - 1.0) / 3.0, (x[1] + 2.0) / 0.1);
            -0.5 * (u * u - 2.0 * 0.9 * u * v + v * v) / (1.0 - 0.81)
        };
        let mut rng = Streams::new(4).stream(0, Purpose::HyperParameters);
        let start = (0..20)
            .map(|_| [rng.random_range(-5.0..5.0), rng.random_range(-5.0..5.0)])
            .collect();
        let mut ensemble = Ensemble::new(start, &log_density);
        let (mut count, mut moments) = (0.0, [0.0; 5]);
        for sweep in 0..6000 {
            ensemble.sweep(&log_density, &mut rng);
            if sweep < 500 {
                continue;
            }
            for x in ensemble.walkers() {
                let (u, v) = ((x[0] - 1.0) / 3.0, (x[1] + 2.0) / 0.1);
                count += 1.0;
                let terms = [u, v, u * u, v * v, u * v];
                moments.iter_mut().zip(terms).for_each(|(sum, x)| *sum += x);
            }
        }
        for (moment, expected) in moments.iter().zip([0.0, 0.0, 1.0, 1.0, 0.9]) {
            assert!(
                (moment / count - expected).abs() < 0.05 + 0.02 * expected,
                "{moments:?}"
            );
        }
    }

    #[test]
    fn walkers_leave_impossible_starts_and_never_return() {
        let inside = |x: &[f64; 1]| (0.0..1.0).contains(&x[0]);
        let log_density = |x: &[f64; 1]| if inside(x) { 0.0 } else { f64::NEG_INFINITY };
        let mut rng = Streams::new(4).stream(1, Purpose::HyperParameters);
        let start = (0..10).map(|i| [i as f64 * 0.25 - 0.4]).collect();
        let mut ensemble = Ensemble::new(start, &log_density);
        (0..500).for_each(|_| ensemble.sweep(&log_density, &mut rng));
        assert!(ensemble.walkers().iter().all(inside));
    }
}
