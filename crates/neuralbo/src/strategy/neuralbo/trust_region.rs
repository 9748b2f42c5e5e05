//! The trust region: a box around the best point that grows with success and shrinks with failure (as TuRBO's, Eriksson et
//! al. 2019).

use crate::strategy::{History, Outcome};

/// How the region moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrustRegionSettings {
    /// Side of the box at the start; 2 is the whole encoded box.
    pub start: f64,
    /// Side below which the search starts over at the first side, around the best point known.
    pub smallest: f64,
    /// Improvements in a row that double the side.
    pub successes: usize,
    /// Trials in a row without improvement that halve it.
    pub failures: usize,
}

impl TrustRegionSettings {
    /// Patience grows with the dimension: a trial says less about a box of many coordinates.
    pub fn for_dim(dim: usize) -> Self {
        Self { start: 1.4, smallest: 1e-4, successes: 2, failures: (dim * dim / 20).clamp(3, 30) }
    }
}

/// Side and counters, as a fold over the finished trials.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustRegion {
    settings: TrustRegionSettings,
    side: f64,
    successes: usize,
    failures: usize,
    best: f64,
    seen: usize,
}

impl TrustRegion {
    /// The region before any trial.
    pub fn new(settings: TrustRegionSettings) -> Self {
        Self { settings, side: settings.start, successes: 0, failures: 0, best: f64::NEG_INFINITY, seen: 0 }
    }

    /// Takes in the trials finished since the last call; the first `initial` ones only set the best reward.
    pub fn update(&mut self, history: &History, initial: usize) {
        for i in self.seen..history.len() {
            let reward = match history.outcomes()[i] {
                Outcome::Observed(k) => history.observed().rewards()[k],
                Outcome::Failed(_) => f64::NEG_INFINITY,
            };
            let improves = reward > self.best;
            self.best = self.best.max(reward);
            if i >= initial {
                self.count(improves);
            }
        }
        self.seen = history.len();
    }

    fn count(&mut self, improves: bool) {
        (self.successes, self.failures) = if improves { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes >= self.settings.successes {
            (self.side, self.successes) = ((2.0 * self.side).min(2.0), 0);
        } else if self.failures >= self.settings.failures {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
        if self.side < self.settings.smallest {
            self.side = self.settings.start;
        }
    }

    /// Side of the box.
    pub fn side(&self) -> f64 {
        self.side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(rewards: &[f64]) -> History {
        let mut history = History::new(1);
        for &reward in rewards {
            if reward.is_finite() { history.push_observed(&[0.0], reward) } else { history.push_failed(&[0.0]) }
        }
        history
    }

    fn side_after(rewards: &[f64], initial: usize) -> f64 {
        let settings = TrustRegionSettings { start: 0.5, smallest: 0.1, successes: 2, failures: 3 };
        let mut region = TrustRegion::new(settings);
        region.update(&history(rewards), initial);
        region.side()
    }

    #[test]
    fn success_doubles_and_failure_halves_the_side() {
        assert_eq!(side_after(&[1.0, 2.0], 0), 1.0);
        assert_eq!(side_after(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 0), 2.0);
        assert_eq!(side_after(&[5.0, 1.0, f64::NAN, 2.0], 1), 0.25);
    }

    #[test]
    fn the_initial_design_neither_grows_nor_shrinks_it() {
        assert_eq!(side_after(&[1.0, 2.0, 3.0, 0.0, 0.0, 0.0], 6), 0.5);
    }

    #[test]
    fn a_region_that_has_collapsed_starts_over() {
        assert_eq!(side_after(&[0.0; 10], 1), 0.5);
    }

    #[test]
    fn growing_step_by_step_is_the_same_fold() {
        let rewards = [1.0, 3.0, 2.0, 5.0, 6.0, 1.0, 1.0, 1.0, 9.0];
        let settings = TrustRegionSettings::for_dim(4);
        let (mut stepwise, mut whole) = (TrustRegion::new(settings), TrustRegion::new(settings));
        (1..=rewards.len()).for_each(|k| stepwise.update(&history(&rewards[..k]), 2));
        whole.update(&history(&rewards), 2);
        assert_eq!(stepwise, whole);
    }
}
