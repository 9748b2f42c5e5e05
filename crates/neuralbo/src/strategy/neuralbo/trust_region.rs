//! The trust region: a box around the best point that grows with success and shrinks with failure (as TuRBO's, Eriksson et
//! al. 2019). A region that has collapsed has nothing left to find: the search descends anew, from points of its own and with
//! observations of its own.

use crate::strategy::{History, Outcome};

/// How the region moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrustRegionSettings {
    /// Side of the box at the start; 2 is the whole encoded box.
    pub start: f64,
    /// Side below which the region has collapsed and the next descent begins; zero for a single descent.
    pub smallest: f64,
    /// Space-filling points that a descent begins with, but for the first one.
    pub restart: usize,
    /// Improvements in a row that double the side.
    pub successes: usize,
    /// Trials in a row without improvement that halve it.
    pub failures: usize,
}

impl TrustRegionSettings {
    /// Patience grows with the dimension: a trial says less about a box of many coordinates.
    pub fn for_dim(dim: usize) -> Self {
        let (failures, restart) = ((dim * dim / 20).clamp(3, 30), (dim / 2).max(3));
        Self { start: 1.4, smallest: 1e-3, restart, successes: 2, failures }
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
    descent: Descent,
}

/// Where in the history a descent begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Descent {
    /// Finished trials before it.
    pub(super) trials: usize,
    /// Observations before it.
    pub(super) observations: usize,
}

impl TrustRegion {
    /// The region before any trial.
    pub fn new(settings: TrustRegionSettings) -> Self {
        Self {
            settings,
            side: settings.start,
            successes: 0,
            failures: 0,
            best: f64::NEG_INFINITY,
            seen: 0,
            descent: Descent::default(),
        }
    }

    /// Takes in the trials finished since the last call; those that a descent begins with, `initial` of the first one, only set
    /// the best reward.
    pub fn update(&mut self, history: &History, initial: usize) {
        for i in self.seen..history.len() {
            let reward = match history.outcomes()[i] {
                Outcome::Observed(k) => history.observed().rewards()[k],
                Outcome::Failed(_) => f64::NEG_INFINITY,
            };
            let improves = reward > self.best;
            self.best = self.best.max(reward);
            if i >= self.descent.trials + self.beginning(initial) {
                self.count(improves);
            }
            if self.side < self.settings.smallest {
                *self = Self { descent: after(history, i), ..Self::new(self.settings) };
            }
        }
        self.seen = history.len();
    }

    /// How many trials the present descent begins with.
    fn beginning(&self, initial: usize) -> usize {
        if self.descent.trials == 0 { initial } else { self.settings.restart }
    }

    fn count(&mut self, improves: bool) {
        (self.successes, self.failures) = if improves { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes >= self.settings.successes {
            (self.side, self.successes) = ((2.0 * self.side).min(2.0), 0);
        } else if self.failures >= self.settings.failures {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
    }

    /// Where the present descent began.
    pub(super) fn descent(&self) -> Descent {
        self.descent
    }

    /// Whether the present descent, a later one than the first, still lacks points to begin with.
    pub(super) fn is_restarting(&self) -> bool {
        self.descent.trials > 0 && self.seen < self.descent.trials + self.settings.restart
    }

    /// Side of the box.
    pub fn side(&self) -> f64 {
        self.side
    }
}

/// The descent that begins after trial `last`.
fn after(history: &History, last: usize) -> Descent {
    let observed = |outcome: &&Outcome| matches!(outcome, Outcome::Observed(_));
    Descent { trials: last + 1, observations: history.outcomes()[..=last].iter().filter(observed).count() }
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
        let settings = TrustRegionSettings { start: 0.5, smallest: 0.1, restart: 2, successes: 2, failures: 3 };
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
    fn a_region_that_has_collapsed_begins_a_descent_of_its_own() {
        let settings = TrustRegionSettings { start: 0.5, smallest: 0.1, restart: 2, successes: 2, failures: 3 };
        let mut region = TrustRegion::new(settings);
        let mut rewards = vec![9.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        region.update(&history(&rewards), 1);
        assert_eq!((region.side(), region.descent()), (0.125, Descent::default()));
        rewards.push(0.0);
        region.update(&history(&rewards), 1);
        assert_eq!((region.side(), region.descent()), (0.5, Descent { trials: 10, observations: 9 }));
        assert!(region.is_restarting());
        // Two points to begin with; then a reward of 2 improves on the descent's own best, though not on the first one's.
        rewards.extend([1.0, 0.5, 2.0, 3.0]);
        region.update(&history(&rewards), 1);
        assert_eq!((region.side(), region.is_restarting()), (1.0, false));
    }

    #[test]
    fn a_single_descent_never_ends() {
        let settings = TrustRegionSettings { smallest: 0.0, ..TrustRegionSettings::for_dim(2) };
        let mut region = TrustRegion::new(settings);
        region.update(&history(&[0.0; 300]), 1);
        assert_eq!(region.descent(), Descent::default());
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
