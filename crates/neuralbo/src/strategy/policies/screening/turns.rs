//! How long the trust region searches before and between rounds of a screening.

use super::super::constants::{CLEARLY_WORSE, COMPARED_CENTERS, PROVEN_NOISE};
use super::super::region::Replicates;
use super::rewards::Average;
use crate::surrogate::Dataset;

/// Successive windows of trials.
pub(super) struct Windows {
    /// Observations before the present window.
    before: usize,
    /// The rewards of the window before that.
    last: Option<Average>,
}

impl Windows {
    /// The first one begins after this many observations.
    pub(super) fn after(before: usize) -> Self {
        Self { before, last: None }
    }

    /// Whether the last of `known` observations completes a window of this size that is not clearly
    /// better than the one before.
    pub(super) fn stand_still(&mut self, data: &Dataset, known: usize, size: usize) -> bool {
        if known < self.before + size {
            return false;
        }
        let present = Average::of(&data.rewards()[self.before..known]);
        self.before = known;
        let last = self.last.replace(present);
        last.is_some_and(|last| !present.exceeds(&last, CLEARLY_WORSE))
    }

    /// The rewards of the window that was completed last.
    fn completed(&self) -> Average {
        self.last.unwrap_or_default()
    }
}

/// Whether the last centres of rounds are not clearly better than as many before them.
pub(super) fn stand_still(centers: &[f64]) -> bool {
    let Some(first) = centers.len().checked_sub(2 * COMPARED_CENTERS) else {
        return false;
    };
    let (before, last) = centers[first..].split_at(COMPARED_CENTERS);
    !Average::of(last).exceeds(&Average::of(before), CLEARLY_WORSE)
}

/// A turn of the trust region: it lasts for as long as its trials get better.
pub(super) struct RegionTurn {
    /// Trials before it.
    pub(super) trials: usize,
    /// Side to begin with.
    pub(super) side: f64,
    pub(super) windows: Windows,
    /// The round after it.
    pub(super) index: u64,
    pub(super) center: Vec<f64>,
}

/// The first search of the trust region in few numbers. Without noise it never ends.
pub(super) struct FirstSearch {
    windows: Windows,
    replicates: Replicates,
}

impl FirstSearch {
    /// After the observations of the initial design.
    pub(super) fn new(initial: usize) -> Self {
        Self {
            windows: Windows::after(initial),
            replicates: Replicates::default(),
        }
    }

    /// The variance of the noise, where the search stands still and repeated evaluations have
    /// proven noise.
    pub(super) fn end(&mut self, data: &Dataset, known: usize, size: usize) -> Option<f64> {
        if !self.windows.stand_still(data, known, size) {
            return None;
        }
        self.replicates.update(&data.prefix(known));
        let least = PROVEN_NOISE.powi(2) * self.windows.completed().variance;
        self.replicates.variance().filter(|noise| *noise > least)
    }
}
