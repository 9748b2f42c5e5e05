//! What a failed trial costs, and keeping the search from where trials fail.

use super::{Area, RegionPolicy};
use crate::acquisition::maximize::{score, value_spread};
use crate::acquisition::{Penalty, avoiding_failures};
use crate::linalg::{Points, Rng};
use crate::strategy::{Entry, History};
use crate::surrogate::Function;

/// Smallest and largest price of a failure, in units of the function's spread in the region.
const CHEAPEST: f64 = 0.1;
const DEAREST: f64 = 0.3;
/// How steeply the wall rises beyond even odds, in the same units.
const WALL: f64 = 10.0;
/// What a failed and a successful trial multiply the price by.
const DEARER: f64 = 1.5;
const CHEAPER: f64 = 0.75;

impl RegionPolicy {
    /// The function less what failures cost: what it promises beyond the centre is gained only where the trial succeeds.
    pub(super) fn steered(
        &self,
        function: Box<dyn Function>,
        (area, center): (&Area<'_>, &[f64]),
        history: &History,
        rng: &mut Rng,
    ) -> Box<dyn Function> {
        let penalty = |function: &dyn Function| {
            let spread = value_spread(&score(function, &area.probe(&self.settings.maximizer, rng)));
            Penalty {
                reference: score(function, &Points::from_rows(center.len(), [center]))[0],
                loss: price(history.outcomes()) * spread,
                steepness: WALL * spread,
            }
        };
        let succeeded = history.observed().rows();
        avoiding_failures(function, history.failed(), succeeded, penalty)
    }
}

/// Rises with every failed trial and falls with every other, so that a search that runs into a border again and again turns back.
pub(super) fn price(outcomes: &[Entry]) -> f64 {
    outcomes.iter().fold(CHEAPEST, |price, outcome| {
        let factor = if matches!(outcome, Entry::Failed(_)) {
            DEARER
        } else {
            CHEAPER
        };
        (price * factor).clamp(CHEAPEST, DEAREST)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_raise_the_price_and_successes_lower_it() {
        let (ok, failed) = (Entry::Observed(0), Entry::Failed(0));
        assert_eq!((price(&[]), price(&[ok; 5])), (CHEAPEST, CHEAPEST));
        assert!((price(&[failed, failed, ok]) - 0.1 * 1.5 * 1.5 * 0.75).abs() < 1e-12);
        assert_eq!(price(&[failed; 50]), DEAREST);
    }
}
