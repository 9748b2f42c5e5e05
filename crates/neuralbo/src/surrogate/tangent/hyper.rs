//! Hyper-parameters of the tangent model, and the noise of each observation that follows from them. The amplitude is not among
//! them, it has a closed form.
//!
//! The noise is `ρ_i = ρ + γ (y_c − y_i)² + σ_i²`, with `y_c` the level around which the fit must be precise and `σ_i` the standard
//! deviation of a target that is an estimate, 0 for all others. Where the objective itself is noisy `γ = 0`: else the luckiest of
//! several observations of one point would count as the most precise.

/// First noise `ρ` and first weight `γ` of the squared gap, without noise.
const NOISE: f64 = 1e-8;
const GAP: f64 = 1e-6;
/// First noise of an objective that has some.
const NOISY: f64 = 1e-3;
/// `ln ρ` from which an objective is noisy: half-way between the two.
pub(super) const LEAST_NOISE: f64 = -12.664;

/// Scale, trend weights and noise, as natural logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyper {
    /// `ln s`.
    pub log_scale: f64,
    /// `ln τ₁`.
    pub log_linear: f64,
    /// `ln τ₂`.
    pub log_quadratic: f64,
    /// `ln τ₃`.
    pub log_diagonal: f64,
    /// `ln τ₄`.
    pub log_isotropic: f64,
    /// `ln ρ`.
    pub log_noise: f64,
    /// `ln γ`; minus infinity for a noisy objective.
    pub log_gap: f64,
}

impl Hyper {
    /// Whether they are those of a noisy objective, all of whose observations are equally precise.
    pub(super) fn is_noisy(&self) -> bool {
        self.log_gap == f64::NEG_INFINITY
    }

    /// The same with noise.
    pub(super) fn noisy(self) -> Self {
        Self {
            log_noise: NOISY.ln(),
            log_gap: f64::NEG_INFINITY,
            ..self
        }
    }

    /// Where the search for them starts and what the priors are centred at: pre-activations of order one whatever the
    /// dimension, slopes and a general quadratic as strong as the network, the quadratics of few coefficients weaker, no noise
    /// but what rounding needs.
    pub fn start(dim: usize) -> Self {
        let scale = 2.0 / (dim.max(1) as f64).sqrt();
        Self {
            log_scale: scale.ln(),
            log_linear: 0.0,
            log_quadratic: 0.0,
            log_diagonal: -2.0,
            log_isotropic: -2.0,
            log_noise: NOISE.ln(),
            log_gap: GAP.ln(),
        }
    }
}

/// Squared gaps of standardized targets to the best of them, or to a level in between.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    squares: Vec<f64>,
    level: f64,
    /// Whether targets above the level also have a gap.
    two_sided: bool,
    /// `σ_i²`.
    estimates: Vec<f64>,
}

impl Gaps {
    /// The gaps to the best target, or to `focus` (in standard units), moved to the nearest target where it lies beyond them all.
    pub(super) fn of(y: &[f64], focus: Option<f64>) -> Self {
        let best = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = y.iter().copied().fold(f64::INFINITY, f64::min);
        let level = focus.map_or(best, |focus| focus.max(worst).min(best));
        let squares = y.iter().map(|y| (level - y).powi(2)).collect();
        Self {
            squares,
            level,
            two_sided: focus.is_some(),
            estimates: vec![0.0; y.len()],
        }
    }

    /// The same with `σ_i²` of every target.
    pub(super) fn with_estimates(self, estimates: Vec<f64>) -> Self {
        Self { estimates, ..self }
    }

    /// `ρ_i` of every target.
    pub(super) fn noises(&self, hyper: &Hyper) -> Vec<f64> {
        let (noise, gap) = (hyper.log_noise.exp(), hyper.log_gap.exp());
        let terms = self.squares.iter().zip(&self.estimates);
        terms
            .map(|(square, estimate)| noise + gap * square + estimate)
            .collect()
    }

    /// The same around the best of these predictions, unless a level was given.
    pub(super) fn around_best(&self, predicted: impl Iterator<Item = f64>) -> Self {
        let best = predicted.fold(f64::NEG_INFINITY, f64::max);
        Self {
            level: if self.two_sided { self.level } else { best },
            ..self.clone()
        }
    }

    /// The noise that target `i` would be expected to have by its prediction.
    pub(super) fn expected_noise(&self, i: usize, predicted: f64, hyper: &Hyper) -> f64 {
        self.noise_at(predicted, hyper) + self.estimates[i]
    }

    /// The noise that a further target `y` would have.
    pub(super) fn noise_at(&self, y: f64, hyper: &Hyper) -> f64 {
        let gap = self.level - y;
        let counted = if self.two_sided { gap } else { gap.max(0.0) };
        hyper.log_noise.exp() + hyper.log_gap.exp() * counted.powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::assert_near;

    fn hyper() -> Hyper {
        Hyper {
            log_noise: 0.01_f64.ln(),
            log_gap: 0.5_f64.ln(),
            ..Hyper::start(1)
        }
    }

    #[test]
    fn the_best_has_the_least_noise() {
        let hyper = hyper();
        let gaps = Gaps::of(&[1.0, -1.0, 0.0], None);
        let noises = gaps.noises(&hyper);
        assert_near(&noises, &[0.01, 2.01, 0.51], 1e-12);
        assert!((gaps.noise_at(0.0, &hyper) - 0.51).abs() < 1e-12);
        let estimated = gaps.clone().with_estimates(vec![0.0, 0.25, 0.0]);
        let estimated = estimated.noises(&hyper);
        assert_near(&estimated[1..2], &[noises[1] + 0.25], 1e-12);
        assert_eq!(estimated[2], noises[2]);
        assert!((gaps.noise_at(3.0, &hyper) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn around_a_level_both_sides_have_gaps() {
        let hyper = hyper();
        let noises = |focus: f64| Gaps::of(&[1.0, -1.0, 0.0], Some(focus)).noises(&hyper);
        assert_near(&noises(0.0), &[0.51, 0.51, 0.01], 1e-12);
        assert!((Gaps::of(&[1.0, -1.0], Some(0.0)).noise_at(3.0, &hyper) - 4.51).abs() < 1e-12);
        assert_eq!(noises(-7.0), noises(-1.0));
    }
}
