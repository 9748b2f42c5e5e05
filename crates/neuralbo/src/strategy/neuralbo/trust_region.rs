//! The trust region: a box around the best point that grows with success and shrinks with failure.

use crate::strategy::{History, Outcome};

/// How the region moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrustRegionSettings {
    /// Side of the box at the start; 2 is the whole encoded box.
    pub start: f64,
    /// Side below which the search starts over.
    pub smallest: f64,
    /// Improvements in a row that double the side.
    pub successes: usize,
    /// Trials in a row without improvement that halve it.
    pub failures: usize,
    /// Factor on growth.
    pub grow: f64,
    /// Factor on shrinking.
    pub shrink: f64,
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
    /// How often the search started over.
    pub restarts: usize,
}

impl TrustRegion {
    /// The region before any trial.
    pub fn new(settings: TrustRegionSettings) -> Self {
        Self { settings, side: settings.start, successes: 0, failures: 0, best: f64::NEG_INFINITY, seen: 0, restarts: 0 }
    }

    /// Takes in the trials finished since the last call; the first `initial` ones only set the best reward.
    pub fn update(&mut self, history: &History, initial: usize) {
        for i in self.seen..history.len() {
            let reward = match history.outcomes()[i] {
                Outcome::Observed(k) => history.observed().rewards()[k],
                Outcome::Failed(_) => f64::NEG_INFINITY,
            };
            if i < initial {
                self.best = self.best.max(reward);
            } else {
                self.step(reward);
            }
        }
        self.seen = history.len();
    }

    fn step(&mut self, reward: f64) {
        if reward > self.best {
            self.best = reward;
            (self.successes, self.failures) = (self.successes + 1, 0);
        } else {
            (self.successes, self.failures) = (0, self.failures + 1);
        }
        if self.successes >= self.settings.successes {
            self.side = (self.side * self.settings.grow).min(2.0);
            self.successes = 0;
        } else if self.failures >= self.settings.failures {
            self.side *= self.settings.shrink;
            self.failures = 0;
        }
        if self.side < self.settings.smallest {
            self.side = self.settings.start;
            self.restarts += 1;
        }
    }

    /// Side of the box.
    pub fn side(&self) -> f64 {
        self.side
    }
}
