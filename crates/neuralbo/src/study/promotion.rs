//! Promotion: pruned trials that are now among the best of their rung are resumed.
//!
//! The rule of successive halving stops a trial by what was known when it came to a rung. Once enough others have come there and
//! most were worse, it deserves to go on: a new trial with the same parameters resumes it from its checkpoint. What a finished
//! trial was told never changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Study, StudyError};
use crate::record::{Halving, Provenance, RESUMED, State, Trial};
use crate::store::{Finished, Proposal};

/// The finished trials at each rung.
#[derive(Clone, Debug)]
pub(super) struct Rungs {
    halving: Halving,
    /// Rung by rung the rewards and numbers of those who came there, the best first.
    came: Vec<Vec<(f64, u64)>>,
    /// The rung at which a trial was stopped.
    stopped: BTreeMap<u64, usize>,
    resumed: BTreeSet<u64>,
}

impl Rungs {
    pub(super) fn new(halving: &Halving) -> Self {
        Self {
            halving: *halving,
            came: Vec::new(),
            stopped: BTreeMap::new(),
            resumed: BTreeSet::new(),
        }
    }

    /// Takes in a trial with its reports as rewards by step.
    pub(super) fn learn(&mut self, finished: &Finished, reports: &[(i64, f64)]) {
        self.resumed.extend(finished.resumes);
        let last = reports.last().map_or(i64::MIN, |(step, _)| *step);
        let mut highest = None;
        for (rung, step) in self
            .halving
            .rungs(0)
            .take_while(|step| *step <= last)
            .enumerate()
        {
            let Some((_, reward)) = reports.iter().find(|(at, _)| *at >= step) else {
                break;
            };
            if self.came.len() <= rung {
                self.came.push(Vec::new());
            }
            // A resumed trial reached the earlier rungs as its predecessor.
            if finished.resumes.is_none()
                || reports.first().is_some_and(|(first, _)| *first <= step)
            {
                let place = self.came[rung].partition_point(|(other, _)| other >= reward);
                self.came[rung].insert(place, (*reward, finished.number));
                highest = Some(rung);
            }
        }
        if let (State::Pruned { .. }, Some(rung)) = (&finished.state, highest) {
            self.stopped.insert(finished.number, rung);
        }
    }

    /// The best of those that may go on from the highest rung possible, without `except`.
    fn next(&self, except: &BTreeSet<u64>) -> Option<u64> {
        let factor = usize::try_from(self.halving.factor).unwrap_or(usize::MAX);
        (0..self.came.len()).rev().find_map(|rung| {
            let best = self.came[rung]
                .iter()
                .take(self.came[rung].len() / factor)
                .map(|(_, number)| *number);
            let is_free = |number: &u64| !self.resumed.contains(number) && !except.contains(number);
            best.into_iter()
                .find(|number| self.stopped.get(number) == Some(&rung) && is_free(number))
        })
    }
}

/// Whether and what this process promotes.
#[derive(Clone, Debug, Default)]
pub(super) struct Promotion {
    on: bool,
    /// Trials that this process has resumed, or found to be resumed by others.
    resumed: BTreeSet<u64>,
}

impl Study {
    /// From now on, asks go on with stopped trials that have come to be among the best of their rung, before they suggest new
    /// points; only where the study's pruner is `asha`. For workers whose evaluations can go on from a checkpoint.
    pub fn promote_stopped(&mut self, on: bool) {
        self.promotion.on = on;
    }

    /// Gives claimed trials the points of stopped ones that go on. Of workers that try at once, the store lets one.
    pub(super) fn promote(&mut self) -> Result<(), StudyError> {
        if !self.promotion.on || self.log.rungs().is_none() {
            return Ok(());
        }
        let mut skipped = self.promotion.resumed.clone();
        for trial in self.claimed.fresh() {
            while let Some(number) = self.log.rungs().and_then(|rungs| rungs.next(&skipped)) {
                skipped.insert(number);
                let stopped = self.store.trial(self.record.id, number)?;
                if !self.deserves_promotion(&stopped)? {
                    continue;
                }
                self.promotion.resumed.insert(number);
                if self.propose(trial.number, self.resuming(&stopped))? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether a pruned trial is among the best of its rung, running trials included.
    fn deserves_promotion(&self, stopped: &Trial) -> Result<bool, StudyError> {
        let definition = &self.record.definition;
        let (State::Pruned { step: Some(step) }, Some(halving)) = (
            &stopped.state,
            definition
                .pruner
                .as_ref()
                .and_then(|pruner| pruner.halving()),
        ) else {
            return Ok(false);
        };
        let all = self
            .store
            .reports_at(self.record.id, *step, definition.objective())?;
        let Some(own) = all.iter().find(|report| report.number == stopped.number) else {
            return Ok(false);
        };
        let better = all
            .iter()
            .filter(|report| definition.direction().is_better(report.value, own.value))
            .count();
        let factor = usize::try_from(halving.factor).unwrap_or(usize::MAX);
        Ok(better < all.len() / factor && stopped.version == self.record.version)
    }

    fn resuming(&self, stopped: &Trial) -> Option<Proposal> {
        let provenance = Provenance {
            origin: RESUMED.to_owned(),
            based_on: self.log.seq(),
            resumes: Some(stopped.number),
            ..Provenance::default()
        };
        let params = stopped.params.clone()?;
        Some(Proposal {
            version: self.record.version,
            params,
            provenance,
            repeat_allowed: true,
        })
    }
}
