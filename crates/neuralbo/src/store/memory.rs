//! Studies in the memory of one process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::memory_study::{MemoryStudy, Slot, lease_end, lease_lost};
use super::{
    Claim, Claimed, Clock, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, SystemClock, Told, check_definition, check_name, check_study,
    check_trials, merged_attributes, stored_name, too_late, unknown_study,
};
use crate::record::{
    Attributes, Definition, Ending, Failure, Limits, Outcome, Report, State, StepReport, Trial,
};

/// Studies in the memory of one process: not durable, otherwise as the contract requires.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits};
/// use neuralbo::space::Space;
/// use neuralbo::store::{MemoryStore, NewStudy, Store};
///
/// let store = MemoryStore::new();
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// store.create_study(&NewStudy::new("tuning", definition, Limits::default()))?;
/// assert_eq!(store.study("tuning")?.version, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    inner: Mutex<MemoryState>,
}

#[derive(Default)]
struct MemoryState {
    studies: BTreeMap<StudyId, MemoryStudy>,
    made: i64,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store without studies.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// A store whose leases are measured by this clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            inner: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        study: StudyId,
        work: impl FnOnce(&mut MemoryStudy) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut inner = self.lock();
        work(inner.studies.get_mut(&study).ok_or_else(gone)?)
    }
}

fn gone() -> StoreError {
    StoreError::UnknownStudy {
        name: "(deleted)".to_owned(),
        known: String::new(),
    }
}

impl Store for MemoryStore {
    fn create_study(&self, study: &NewStudy) -> Result<StudyRecord, StoreError> {
        check_study(study)?;
        let mut inner = self.lock();
        if inner.studies.values().any(|other| other.name == study.name) {
            return Err(StoreError::NameTaken {
                name: study.name.clone(),
            });
        }
        let mut made = MemoryStudy::new(study, self.clock.now_ms());
        study.trials.iter().for_each(|new| made.insert(new.clone()));
        inner.made += 1;
        let id = StudyId(inner.made);
        let record = made.record(id);
        inner.studies.insert(id, made);
        Ok(record)
    }

    fn study(&self, name: &str) -> Result<StudyRecord, StoreError> {
        let inner = self.lock();
        let found = inner.studies.iter().find(|(_, study)| study.name == name);
        found.map(|(id, study)| study.record(*id)).ok_or_else(|| {
            let mut known: Vec<&str> = inner.studies.values().map(|s| s.name.as_str()).collect();
            known.sort_unstable();
            unknown_study(name, &known)
        })
    }

    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError> {
        let inner = self.lock();
        let mut records: Vec<_> = inner.studies.iter().map(|(id, s)| s.record(*id)).collect();
        records.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(records)
    }

    fn definitions(&self, study: StudyId) -> Result<Vec<Definition>, StoreError> {
        self.with(study, |study| Ok(study.definitions.clone()))
    }

    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError> {
        self.with(study, |study| {
            study.limits = *limits;
            Ok(())
        })
    }

    fn redefine(
        &self,
        study: StudyId,
        from: u64,
        definition: &Definition,
    ) -> Result<u64, StoreError> {
        self.with(study, |study| {
            if study.version() != from {
                return Err(StoreError::Redefined {
                    found: study.version(),
                    expected: from,
                });
            }
            check_definition(from + 1, definition)?;
            study.definitions.push(definition.clone());
            study.rank_again();
            Ok(study.version())
        })
    }

    fn rename_study(&self, study: StudyId, name: &str) -> Result<(), StoreError> {
        check_name(name)?;
        let mut inner = self.lock();
        let mut others = inner.studies.iter().filter(|(id, _)| **id != study);
        if others.any(|(_, other)| other.name == name) {
            let name = name.to_owned();
            return Err(StoreError::NameTaken { name });
        }
        name.clone_into(&mut inner.studies.get_mut(&study).ok_or_else(gone)?.name);
        Ok(())
    }

    fn set_study_attributes(
        &self,
        study: StudyId,
        attributes: &Attributes,
    ) -> Result<(), StoreError> {
        self.with(study, |study| {
            study.attributes = merged_attributes(None, &study.attributes, attributes)?;
            Ok(())
        })
    }

    fn delete_study(&self, study: StudyId) -> Result<(), StoreError> {
        let removed = self.lock().studies.remove(&study);
        removed.map(|_| ()).ok_or_else(gone)
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        let now = self.clock.now_ms();
        self.with(study, |study| {
            let before = study.tokens.get(&claim.token).copied();
            let taken = before.or_else(|| study.take_over(claim, now));
            let running = study.counts.running;
            match taken.or_else(|| study.create(claim, now)) {
                Some(number) => study.claimed(number),
                None => Ok(Claimed::Full { running }),
            }
        })
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |study| {
            let slot = study.trials.get(&lease.number);
            let own = slot.and_then(|slot| slot.trial.params.as_ref());
            let (has_one, same) = (own.is_some(), own == Some(&proposal.params));
            let running = study.points.entry(proposal.params.clone()).or_default();
            if !proposal.repeat_allowed && *running > u64::from(same) {
                return Ok(Proposed::Repeated);
            }
            let resumes = proposal.provenance.resumes;
            let resumed_by = resumes.and_then(|resumes| study.resumed.get(&resumes));
            if resumed_by.is_some_and(|number| *number != lease.number) {
                return Ok(Proposed::Repeated);
            }
            let slot = study.trials.get_mut(&lease.number);
            let slot = slot.filter(|slot| slot.is_leased(lease) && (same || !has_one));
            let slot = slot.ok_or_else(|| lease_lost(lease))?;
            *running += u64::from(!has_one);
            study.changes += u64::from(!has_one);
            slot.trial.version = proposal.version;
            slot.trial.params = Some(proposal.params.clone());
            slot.trial.provenance = Some(proposal.provenance.clone());
            slot.trial.started_ms = Some(now);
            let resumed = resumes.map(|resumes| (resumes, lease.number));
            study.resumed.extend(resumed);
            Ok(Proposed::Accepted)
        })
    }

    fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.with(lease.study, |study| {
            let Some(slot) = study.leased(lease) else {
                return Ok(());
            };
            if slot.trial.params.is_some() {
                slot.trial.lease_until_ms = 0;
                (study.earliest, study.changes) = (0, study.changes + 1);
                return Ok(());
            }
            study.forget(lease.number);
            Ok(())
        })
    }

    fn expire(&self, lease: &Lease) -> Result<(), StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |study| {
            if let Some(slot) = study.leased(lease).filter(|s| s.trial.lease_until_ms > 0) {
                slot.trial.lease_until_ms = slot.trial.lease_until_ms.min(now).max(1);
                study.earliest = study.earliest.min(now);
            }
            Ok(())
        })
    }

    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
        let until = lease_end(self.clock.now_ms(), lease);
        let mut gone = Vec::new();
        for held in leases {
            self.with(held.study, |study| {
                study.earliest = study.earliest.min(until);
                match study.leased(held).filter(|s| s.trial.lease_until_ms > 0) {
                    Some(slot) => slot.trial.lease_until_ms = until,
                    None => gone.push(*held),
                }
                Ok(())
            })?;
        }
        Ok(gone)
    }

    fn tell(&self, lease: &Lease, ending: &Ending) -> Result<Told, StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |study| {
            if let Some(slot) = study.leased(lease) {
                merged_attributes(
                    Some(lease.number),
                    &slot.trial.attributes,
                    &ending.attributes,
                )?;
                if let State::Failed { failure } = &ending.state
                    && study.is_retried(lease, failure.kind)
                {
                    return Ok(Told::Retried);
                }
                study.finish(lease.number, ending, now);
                return Ok(Told::Finished);
            }
            let trial = &study.slot(lease.number)?.trial;
            if trial.token != lease.token || trial.is_running() {
                return Err(lease_lost(lease));
            }
            if trial.state == ending.state && trial.values == ending.values {
                return Ok(Told::Already);
            }
            Err(too_late(lease, Some(trial)))
        })
    }

    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
        let now = self.clock.now_ms();
        self.with(study, |study| {
            if study.earliest > now {
                return Ok(Vec::new());
            }
            let attempts = study.definition().retries.attempts;
            let dead = |slot: &Slot| {
                let expired = (1..=now).contains(&slot.trial.lease_until_ms);
                expired && slot.lost_attempts + 1 >= attempts
            };
            let dead = |number: &&u64| study.trials.get(number).is_some_and(dead);
            let failed: Vec<u64> = study.running.iter().filter(dead).copied().collect();
            let outcome = Outcome::Failed(Failure::worker_died(attempts));
            if let Some(ending) = study.definition().ending(outcome) {
                failed.iter().for_each(|n| study.finish(*n, &ending, now));
            }
            Ok(failed)
        })
    }

    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
        self.with(lease.study, |study| {
            if study.leased(lease).is_none() {
                let trial = study.trials.get(&lease.number).map(|slot| &slot.trial);
                return Err(too_late(lease, trial));
            }
            study.report(lease.number, reports);
            Ok(())
        })
    }

    fn set_attributes(
        &self,
        study: StudyId,
        number: u64,
        attributes: &Attributes,
    ) -> Result<(), StoreError> {
        self.with(study, |study| {
            let slot = study.slot_mut(number)?;
            slot.trial.attributes =
                merged_attributes(Some(number), &slot.trial.attributes, attributes)?;
            Ok(())
        })
    }

    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError> {
        self.with(study, |study| {
            let next = study.next_number;
            let mut numbered = trials.to_vec();
            for (number, new) in (next..).zip(&mut numbered) {
                (new.trial.number, new.trial.version) = (number, study.version());
            }
            check_trials(&study.definitions, &numbered)?;
            let numbers = numbered.iter().map(|new| new.trial.number).collect();
            numbered.into_iter().for_each(|new| study.insert(new));
            Ok(numbers)
        })
    }

    fn trial(&self, study: StudyId, number: u64) -> Result<Trial, StoreError> {
        self.with(study, |study| Ok(study.slot(number)?.trial.clone()))
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.with(study, |study| {
            let slots = study.trials.range(first..).take(count);
            Ok(slots.map(|(_, slot)| slot.trial.clone()).collect())
        })
    }

    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError> {
        self.with(study, |study| {
            let slots = study.running.iter().map(|number| study.slot(*number));
            slots.map(|slot| Ok(slot?.trial.clone())).collect()
        })
    }

    fn finished_since(
        &self,
        study: StudyId,
        seq: u64,
        count: u64,
    ) -> Result<Vec<Finished>, StoreError> {
        self.with(study, |study| {
            let first = usize::try_from(seq).unwrap_or(usize::MAX);
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let numbers = study.order.iter().skip(first).take(count);
            let finished = |number: &u64| Ok(Finished::from(&study.slot(*number)?.trial));
            numbers.map(finished).collect()
        })
    }

    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError> {
        self.with(study, |study| {
            let best = study.best.map(|(number, _)| study.slot(number));
            let best = best.transpose()?;
            Ok(best.map(|slot| slot.trial.clone()))
        })
    }

    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.with(study, |study| Ok(study.counts))
    }

    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.with(study, |study| {
            let reports = study.slot(number)?.reports.iter();
            let report = |((step, name), value): (&(i64, String), &f64)| Report {
                step: *step,
                name: name.clone(),
                value: *value,
            };
            Ok(reports.map(report).collect())
        })
    }

    fn reports_at(
        &self,
        study: StudyId,
        step: i64,
        name: &str,
    ) -> Result<Vec<StepReport>, StoreError> {
        self.with(study, |s| Ok(s.reports_at(step, &stored_name(name))))
    }

    fn changes(&self, study: StudyId) -> Option<u64> {
        self.with(study, |study| Ok(study.changes)).ok()
    }

    fn url(&self) -> &str {
        "memory://"
    }
}
