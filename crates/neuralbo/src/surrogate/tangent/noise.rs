//! The noise of each observation: `ρ_i = ρ + γ (y_best − y_i)²`.

use super::Hyper;

/// Squared gaps of standardized targets to the best of them.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    squares: Vec<f64>,
    best: f64,
}

impl Gaps {
    pub(super) fn of(y: &[f64]) -> Self {
        let best = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { squares: y.iter().map(|y| (best - y).powi(2)).collect(), best }
    }

    /// `ρ_i` of every target.
    pub(super) fn noises(&self, hyper: &Hyper) -> Vec<f64> {
        let (noise, gap) = (hyper.log_noise.exp(), hyper.log_gap.exp());
        self.squares.iter().map(|square| noise + gap * square).collect()
    }

    /// The noise that a further target `y` would have.
    pub(super) fn noise_at(&self, y: f64, hyper: &Hyper) -> f64 {
        hyper.log_noise.exp() + hyper.log_gap.exp() * (self.best - y).max(0.0).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_has_the_least_noise() {
        let hyper = Hyper { log_noise: (0.01f64).ln(), log_gap: (0.5f64).ln(), ..Hyper::start(1) };
        let gaps = Gaps::of(&[1.0, -1.0, 0.0]);
        let noises = gaps.noises(&hyper);
        assert!(noises.iter().zip([0.01, 2.01, 0.51]).all(|(a, b)| (a - b).abs() < 1e-12), "{noises:?}");
        assert!((gaps.noise_at(0.0, &hyper) - 0.51).abs() < 1e-12);
        assert!((gaps.noise_at(3.0, &hyper) - 0.01).abs() < 1e-12);
    }
}
