//! An ensemble of walkers that samples a density by affine-invariant stretch moves (Goodman & Weare 2010).
//!
//! Symbols: `N` coordinates, `a` the largest stretch, `z ∈ [1/a, a]` a stretch with density `g(z) ∝ 1/√z`, `X_k` the moved walker
//! and `X_j` its partner from the other half.

use neuralbo::linalg::Rng;
use rand::RngExt;

/// The largest stretch `a`, at its usual value.
const STRETCH: f64 = 2.0;

/// Walkers and their log densities.
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
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};

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
