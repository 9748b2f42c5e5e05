//! The sequence of descents, as a fold over the finished trials.
//!
//! A descent follows its trust region until the region has collapsed. The first descent then opens
//! it once more around its best point: noise may have closed it too soon, and most studies never
//! reach a second descent. Every later descent has observations of its own. It begins with points
//! crossed from the best of two earlier descents; if none of them is clearly better than everything
//! before (one that repeats its better parent leads nowhere new), with space-filling points.

use std::ops::Range;

use super::super::constants::CLEARLY_BETTER;
use super::super::trust_region::{TrustRegion, TrustRegionSettings};
use crate::strategy::{History, HistoryEntry};
use crate::surrogate::Dataset;

/// What a trial is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DescentStage {
    /// One of the points the study begins with.
    Initial,
    /// A point crossed from two descents.
    Crossed,
    /// A point that a later descent begins with.
    Fresh,
    /// A point of the trust region.
    Search,
}

/// All descents up to now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Descents {
    settings: TrustRegionSettings,
    region: TrustRegion,
    stage: DescentStage,
    /// Trials still to finish in this stage; a search has no such number.
    left: usize,
    /// The present descent's best reward.
    best: f64,
    /// Observations made before it.
    observations: usize,
    reopened: bool,
    /// Trials that run at once; the region counts a round of them as one, see [`Descents::new`].
    together: usize,
    /// Whether a trial of the present round of a search has improved; `None` where the round has none yet.
    round: Option<bool>,
    /// The descents before it: their observations, and their best rewards.
    ended: Vec<Range<usize>>,
    ends: Vec<f64>,
    seen: usize,
    observed: usize,
}

impl Descents {
    /// Before any trial; `initial` points belong to the initial design.
    ///
    /// Of `together` trials that run at once none knows of the others: the region grows and shrinks
    /// by rounds of that many, and a round is a success if one of its trials is.
    pub(super) fn new(settings: TrustRegionSettings, initial: usize, together: usize) -> Self {
        let rounds = |trials: usize| trials.div_ceil(together);
        let settings = TrustRegionSettings {
            successes: rounds(settings.successes),
            failures: rounds(settings.failures),
            ..settings
        };
        let stage = if initial > 0 {
            DescentStage::Initial
        } else {
            DescentStage::Search
        };
        Self {
            settings,
            region: TrustRegion::new(settings),
            stage,
            left: initial,
            best: f64::NEG_INFINITY,
            observations: 0,
            reopened: false,
            together,
            round: None,
            ended: Vec::new(),
            ends: Vec::new(),
            seen: 0,
            observed: 0,
        }
    }

    /// Takes in the trials finished since the last call.
    ///
    /// `scores` has a score for every observation; without outcome constraints its reward.
    pub(super) fn update(&mut self, history: &History, scores: &Dataset) {
        for i in self.seen..history.len() {
            match history.outcomes()[i] {
                HistoryEntry::Observed(k) => {
                    self.observed = k + 1;
                    self.take(scores.rewards()[k]);
                }
                // A failed trial says where the border is, not that the region holds nothing better.
                HistoryEntry::Failed(_) if self.stage == DescentStage::Search => {}
                HistoryEntry::Failed(_) => self.take(f64::NEG_INFINITY),
            }
            if (i + 1).is_multiple_of(self.together) {
                self.end_round();
            }
        }
        self.seen = history.len();
    }

    fn take(&mut self, reward: f64) {
        let improves = reward > self.best;
        self.best = self.best.max(reward);
        if self.stage == DescentStage::Search {
            self.round = Some(improves || self.round == Some(true));
            return;
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.begin();
        }
    }

    fn end_round(&mut self) {
        if let Some(improves) = self.round.take() {
            self.region.count(improves);
            if self.region.is_collapsed() {
                self.collapse();
            }
        }
    }

    /// All points to begin with are there.
    fn begin(&mut self) {
        if self.stage == DescentStage::Crossed && !self.is_clearly_better() {
            self.open(DescentStage::Fresh, self.settings.restart);
        } else {
            self.stage = DescentStage::Search;
        }
    }

    fn is_clearly_better(&self) -> bool {
        let best = self.ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = self.ends.iter().copied().fold(f64::INFINITY, f64::min);
        self.best > best + CLEARLY_BETTER * (best - worst)
    }

    fn collapse(&mut self) {
        if !self.reopened {
            self.reopened = true;
            self.region = TrustRegion::new(self.settings);
            return;
        }
        self.ended.push(self.observations..self.observed);
        self.ends.push(self.best);
        if self.ended.len() >= 2 && self.settings.crossed > 0 {
            self.open(DescentStage::Crossed, self.settings.crossed);
        } else {
            self.open(DescentStage::Fresh, self.settings.restart);
        }
    }

    /// The next descent, to begin with `count` points.
    fn open(&mut self, stage: DescentStage, count: usize) {
        (self.stage, self.left) = (stage, count);
        self.region = TrustRegion::new(self.settings);
        self.best = f64::NEG_INFINITY;
        self.observations = self.observed;
    }

    /// What the next trial is for.
    pub(super) fn stage(&self) -> DescentStage {
        self.stage
    }

    /// Trials that run at once.
    pub(super) fn together(&self) -> usize {
        self.together
    }

    /// Side of the trust region.
    pub(super) fn side(&self) -> f64 {
        self.region.side()
    }

    /// Observations made before the present descent.
    pub(super) fn observations_before(&self) -> usize {
        self.observations
    }

    /// The observations of each descent before the present one.
    pub(super) fn ended(&self) -> &[Range<usize>] {
        &self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: TrustRegionSettings = TrustRegionSettings {
        start: 0.5,
        smallest: 0.2,
        restart: 2,
        crossed: 3,
        successes: 2,
        failures: 2,
    };

    fn history(rewards: &[f64]) -> History {
        let mut history = History::new(1);
        for &reward in rewards {
            match reward.is_finite() {
                true => history.push_observed(&[0.0], reward),
                false => history.push_failed(&[0.0]),
            }
        }
        history
    }

    fn fold(settings: TrustRegionSettings, together: usize, rewards: &[f64]) -> Descents {
        let mut descents = Descents::new(settings, 1, together);
        let history = history(rewards);
        descents.update(&history, history.observed());
        descents
    }

    fn after(rewards: &[f64]) -> Descents {
        fold(SETTINGS, 1, rewards)
    }

    #[track_caller]
    fn assert_is(descents: &Descents, stage: DescentStage, before: usize) {
        let found = (descents.stage(), descents.observations_before());
        assert_eq!(found, (stage, before));
    }

    /// One initial point and two regions that collapse after four trials each; a failed trial does not count.
    const FIRST: [f64; 10] = [9.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// Two points and a region.
    const SECOND: [f64; 6] = [5.0, 4.0, 0.0, 0.0, 0.0, 0.0];

    fn both_and(more: &[f64]) -> Vec<f64> {
        [&FIRST[..], &SECOND, more].concat()
    }

    #[test]
    fn the_initial_design_neither_grows_nor_shrinks_the_region() {
        assert_eq!(after(&[]).stage(), DescentStage::Initial);
        assert_eq!(after(&[1.0]).stage(), DescentStage::Search);
        assert_eq!(after(&[1.0, 2.0]).side(), 0.5);
        assert_eq!(after(&[1.0, 2.0, 3.0]).side(), 1.0);
    }

    #[test]
    fn the_first_descent_opens_its_region_once_more() {
        assert_eq!(after(&FIRST[..4]).side(), 0.25);
        let reopened = after(&FIRST[..6]);
        assert_eq!(reopened.side(), 0.5);
        assert_is(&reopened, DescentStage::Search, 0);
    }

    #[test]
    fn the_second_descent_begins_with_points_and_observations_of_its_own() {
        let second = after(&FIRST);
        assert_eq!(second.side(), 0.5);
        assert_is(&second, DescentStage::Fresh, 9);
        assert_eq!(after(&both_and(&[])[..12]).stage(), DescentStage::Search);
        // A reward of 6 improves on the second descent's best, though not on the first one's.
        let improved = after(&[&FIRST[..], &[5.0, 4.0, 6.0, 7.0]].concat());
        assert_eq!(improved.side(), 1.0);
    }

    #[test]
    fn later_descents_begin_with_crossed_points() {
        let third = after(&both_and(&[]));
        assert_is(&third, DescentStage::Crossed, 15);
        assert_eq!(third.ended(), [0..9, 9..15]);
    }

    #[test]
    fn a_crossed_point_must_be_clearly_better_than_all_before() {
        // The best descent reached 9, the worst 5: a tenth of the difference is 0.4.
        let better = after(&both_and(&[0.0, 9.5, 0.0]));
        assert_is(&better, DescentStage::Search, 15);
        let equal = after(&both_and(&[0.0, 9.3, 0.0]));
        assert_is(&equal, DescentStage::Fresh, 18);
        assert_eq!(equal.ended().len(), 2);
    }

    #[test]
    fn a_single_descent_never_ends() {
        let settings = TrustRegionSettings {
            smallest: 0.0,
            ..TrustRegionSettings::for_dim(2)
        };
        assert_is(&fold(settings, 1, &[0.0; 300]), DescentStage::Search, 0);
    }

    #[test]
    fn trials_that_run_at_once_grow_and_shrink_the_region_together() {
        let side = |together: usize, rewards: &[f64]| fold(SETTINGS, together, rewards).side();
        // One initial point; in each round of four one trial improves.
        let successes = [1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0];
        assert_eq!(side(1, &successes[..4]), 0.25);
        assert_eq!(side(4, &successes[..4]), 1.0);
        assert_eq!(side(4, &successes), 2.0);
        // A round that has not ended says nothing yet, one without improvement shrinks the region once.
        let failures = [1.0, 0.0, 0.0, 0.0];
        assert_eq!(side(1, &failures[..3]), 0.25);
        assert_eq!(side(4, &failures[..3]), 0.5);
        assert_eq!(side(4, &failures), 0.25);
    }

    #[test]
    fn growing_step_by_step_is_the_same_fold() {
        let rewards = both_and(&[0.0, 9.5, 0.0, 9.6, 1.0, f64::NAN, 2.0]);
        let mut stepwise = Descents::new(SETTINGS, 1, 1);
        for known in 1..=rewards.len() {
            let history = history(&rewards[..known]);
            stepwise.update(&history, history.observed());
        }
        assert_eq!(stepwise, after(&rewards));
    }
}
