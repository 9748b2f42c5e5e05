//! Penalty for points at which trials are likely to fail.

use super::constants::{LEAST_PENALTY, MOST_PENALTY, PENALTY_DECAY, PENALTY_GROWTH};
use crate::acquisition::maximize::{score, value_spread};
use crate::acquisition::{Avoid, Feasibility};
use crate::linalg::Points;
use crate::strategy::{Entry, History};
use crate::surrogate::Function;

/// What the penalty of a search around a point depends on.
pub(super) struct FailurePenalty<'a> {
    pub(super) history: &'a History,
    pub(super) center: &'a [f64],
    /// Slope of the penalty beyond even odds, in units of the function's spread.
    pub(super) border_slope: f64,
}

impl FailurePenalty<'_> {
    /// The function less the penalty: its gain over the centre counts only where trials succeed.
    /// `probe` draws rows of the region, in whose spread of values the penalty is measured.
    pub(super) fn subtract(
        &self,
        function: Box<dyn Function>,
        probe: impl FnOnce() -> Points,
    ) -> Box<dyn Function> {
        let history = self.history;
        if history.failed().is_empty() {
            return function;
        }
        let spread = value_spread(&score(&*function, &probe()));
        let center = Points::from_rows(self.center.len(), [self.center]);
        Box::new(Avoid {
            reference: score(&*function, &center)[0],
            inner: function,
            chance: Box::new(Feasibility::new(
                history.failed(),
                history.observed().rows(),
            )),
            penalty: penalty(history.outcomes()) * spread,
            wall: self.border_slope * spread,
        })
    }
}

/// Grows with every failed trial and decays with every other one, so that a search that keeps
/// running into a border turns back. In units of the function's spread.
pub(super) fn penalty(outcomes: &[Entry]) -> f64 {
    outcomes.iter().fold(LEAST_PENALTY, |penalty, outcome| {
        let factor = match outcome {
            Entry::Failed(_) => PENALTY_GROWTH,
            Entry::Observed(_) => PENALTY_DECAY,
        };
        (penalty * factor).clamp(LEAST_PENALTY, MOST_PENALTY)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_raise_the_penalty_and_successes_lower_it() {
        let (ok, failed) = (Entry::Observed(0), Entry::Failed(0));
        assert_eq!(
            (penalty(&[]), penalty(&[ok; 5])),
            (LEAST_PENALTY, LEAST_PENALTY)
        );
        assert!((penalty(&[failed, failed, ok]) - 0.1 * 1.5 * 1.5 * 0.75).abs() < 1e-12);
        assert_eq!(penalty(&[failed; 50]), MOST_PENALTY);
    }
}
