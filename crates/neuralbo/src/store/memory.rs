//! Studies in the memory of one process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::kept::{Kept, finished, lease_end, lost};
use super::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, Told, check_name, check_trials, stored_name, too_late,
    unknown_study,
};
use crate::record::{
    Attributes, Definition, Ending, Failure, Limits, Outcome, Report, State, StepReport, Trial,
};

/// The time by which a store measures leases.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that is set by hand, for tests.
impl Clock for AtomicI64 {
    fn now_ms(&self) -> i64 {
        self.load(Ordering::SeqCst)
    }
}

/// Studies in the memory of one process: nothing is durable, everything else is as the contract says.
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
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    studies: BTreeMap<StudyId, Kept>,
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

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        study: StudyId,
        work: impl FnOnce(&mut Kept) -> Result<T, StoreError>,
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

impl Inner {
    fn record(&self, id: StudyId, kept: &Kept) -> StudyRecord {
        StudyRecord {
            id,
            name: kept.name.clone(),
            version: kept.version(),
            definition: kept.definition().clone(),
            limits: kept.limits,
            created_ms: kept.created_ms,
        }
    }
}

impl Store for MemoryStore {
    fn create_study(&self, study: &NewStudy) -> Result<StudyRecord, StoreError> {
        if study.definitions.is_empty() {
            return Err(StoreError::Record {
                what: "a study".to_owned(),
                reason: "it has no definition".to_owned(),
            });
        }
        check_name(&study.name)?;
        check_trials(&study.definitions, &study.trials)?;
        let mut inner = self.lock();
        if inner.studies.values().any(|kept| kept.name == study.name) {
            return Err(StoreError::NameTaken {
                name: study.name.clone(),
            });
        }
        let mut kept = Kept::new(study, self.clock.now_ms());
        study.trials.iter().for_each(|new| kept.insert(new.clone()));
        inner.made += 1;
        let id = StudyId(inner.made);
        let record = inner.record(id, &kept);
        inner.studies.insert(id, kept);
        Ok(record)
    }

    fn study(&self, name: &str) -> Result<StudyRecord, StoreError> {
        let inner = self.lock();
        let found = inner.studies.iter().find(|(_, kept)| kept.name == name);
        found
            .map(|(id, kept)| inner.record(*id, kept))
            .ok_or_else(|| {
                let mut known: Vec<&str> = inner
                    .studies
                    .values()
                    .map(|kept| kept.name.as_str())
                    .collect();
                known.sort_unstable();
                unknown_study(name, &known)
            })
    }

    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError> {
        let inner = self.lock();
        let mut records: Vec<StudyRecord> = inner
            .studies
            .iter()
            .map(|(id, kept)| inner.record(*id, kept))
            .collect();
        records.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(records)
    }

    fn definitions(&self, study: StudyId) -> Result<Vec<Definition>, StoreError> {
        self.with(study, |kept| Ok(kept.definitions.clone()))
    }

    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError> {
        self.with(study, |kept| {
            kept.limits = *limits;
            Ok(())
        })
    }

    fn redefine(
        &self,
        study: StudyId,
        from: u64,
        definition: &Definition,
    ) -> Result<u64, StoreError> {
        self.with(study, |kept| {
            if kept.version() != from {
                return Err(StoreError::Redefined {
                    found: kept.version(),
                    expected: from,
                });
            }
            kept.definitions.push(definition.clone());
            let direction = definition.direction();
            kept.best = None;
            let mut best: Option<(u64, f64)> = None;
            for number in kept.order.clone() {
                let rank = kept.rank(number);
                if let Some(slot) = kept.trials.get_mut(&number) {
                    slot.rank = rank;
                }
                if let Some(rank) = rank.filter(|rank| {
                    best.is_none_or(|(_, leader)| direction.is_better(*rank, leader))
                }) {
                    best = Some((number, rank));
                }
            }
            kept.best = best.map(|(number, _)| number);
            Ok(kept.version())
        })
    }

    fn delete_study(&self, study: StudyId) -> Result<(), StoreError> {
        self.lock()
            .studies
            .remove(&study)
            .map(|_| ())
            .ok_or_else(gone)
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        let now = self.clock.now_ms();
        self.with(study, |kept| {
            let before = kept.tokens.get(&claim.token).copied();
            match before
                .or_else(|| kept.take_over(claim, now))
                .or_else(|| kept.create(claim, now))
            {
                Some(number) => kept.claimed(number),
                None => Ok(Claimed::Full {
                    running: kept.counts.running,
                }),
            }
        })
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |kept| {
            let own = kept
                .trials
                .get(&lease.number)
                .and_then(|slot| slot.trial.params.as_ref());
            let (has_one, same) = (own.is_some(), own == Some(&proposal.params));
            let running = kept.points.entry(proposal.params.clone()).or_default();
            if !proposal.repeat_allowed && *running > u64::from(same) {
                return Ok(Proposed::Repeated);
            }
            let resumes = proposal.provenance.resumes;
            let resumed_by = resumes.and_then(|resumes| kept.resumed.get(&resumes));
            if resumed_by.is_some_and(|number| *number != lease.number) {
                return Ok(Proposed::Repeated);
            }
            let known = kept
                .trials
                .get_mut(&lease.number)
                .filter(|slot| slot.is_leased(lease));
            let slot = known
                .filter(|_| same || !has_one)
                .ok_or_else(|| lost(lease))?;
            *running += u64::from(!has_one);
            kept.changes += u64::from(!has_one);
            slot.trial.version = proposal.version;
            slot.trial.params = Some(proposal.params.clone());
            slot.trial.provenance = Some(proposal.provenance.clone());
            slot.trial.started_ms = Some(now);
            resumes
                .into_iter()
                .for_each(|resumes| _ = kept.resumed.insert(resumes, lease.number));
            Ok(Proposed::Accepted)
        })
    }

    fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.with(lease.study, |kept| {
            let Some(slot) = kept.leased(lease) else {
                return Ok(());
            };
            // Whoever released it takes it for gone; the next look at the running trials says whether it waits.
            if slot.trial.params.is_some() {
                slot.trial.lease_until_ms = 0;
                (kept.earliest, kept.changes) = (0, kept.changes + 1);
                return Ok(());
            }
            let token = std::mem::take(&mut slot.token);
            kept.tokens.remove(&token);
            kept.trials.remove(&lease.number);
            kept.running.remove(&lease.number);
            kept.counts.running -= 1;
            kept.asked -= 1;
            if kept.next_number == lease.number + 1 {
                kept.next_number -= 1;
            }
            Ok(())
        })
    }

    fn expire(&self, lease: &Lease) -> Result<(), StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |kept| {
            if let Some(slot) = kept
                .leased(lease)
                .filter(|slot| slot.trial.lease_until_ms > 0)
            {
                slot.trial.lease_until_ms = slot.trial.lease_until_ms.min(now).max(1);
                kept.earliest = kept.earliest.min(now);
            }
            Ok(())
        })
    }

    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError> {
        let until = lease_end(self.clock.now_ms(), lease);
        let mut gone = Vec::new();
        for held in leases {
            self.with(held.study, |kept| {
                kept.earliest = kept.earliest.min(until);
                match kept
                    .leased(held)
                    .filter(|slot| slot.trial.lease_until_ms > 0)
                {
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
        self.with(lease.study, |kept| {
            if kept.leased(lease).is_some() {
                if let State::Failed { failure } = &ending.state
                    && kept.is_retried(lease, failure.kind)
                {
                    return Ok(Told::Retried);
                }
                kept.finish(lease.number, ending, now);
                return Ok(Told::Finished);
            }
            let trial = &kept
                .trials
                .get(&lease.number)
                .ok_or(StoreError::UnknownTrial {
                    number: lease.number,
                })?
                .trial;
            if trial.attempt != lease.attempt || trial.is_running() {
                return Err(lost(lease));
            }
            if trial.state == ending.state && trial.values == ending.values {
                return Ok(Told::Already);
            }
            Err(StoreError::AlreadyFinished {
                number: lease.number,
                state: trial.state.name(),
            })
        })
    }

    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError> {
        let now = self.clock.now_ms();
        self.with(study, |kept| {
            if kept.earliest > now {
                return Ok(Vec::new());
            }
            let attempts = kept.definition().retries.attempts;
            let dead = |number: &&u64| {
                kept.trials.get(number).is_some_and(|slot| {
                    (1..=now).contains(&slot.trial.lease_until_ms) && slot.losses + 1 >= attempts
                })
            };
            let failed: Vec<u64> = kept.running.iter().filter(dead).copied().collect();
            let failure = Failure::worker_died(attempts);
            let outcome = Outcome::Failed(failure);
            if let Some(ending) = kept.definition().ending(outcome) {
                failed
                    .iter()
                    .for_each(|number| kept.finish(*number, &ending, now));
            }
            Ok(failed)
        })
    }

    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
        self.with(lease.study, |kept| {
            if kept.leased(lease).is_none() {
                let trial = kept.trials.get(&lease.number).map(|slot| &slot.trial);
                return Err(too_late(lease, trial));
            }
            kept.report(lease.number, reports);
            Ok(())
        })
    }

    fn set_attributes(
        &self,
        study: StudyId,
        number: u64,
        attributes: &Attributes,
    ) -> Result<(), StoreError> {
        self.with(study, |kept| {
            let slot = kept
                .trials
                .get_mut(&number)
                .ok_or(StoreError::UnknownTrial { number })?;
            slot.trial.attributes.extend(attributes.clone());
            Ok(())
        })
    }

    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError> {
        self.with(study, |kept| {
            let next = kept.next_number;
            let number = |(place, new): (u64, &NewTrial)| {
                let trial = Trial {
                    number: next + place,
                    version: kept.version(),
                    ..new.trial.clone()
                };
                NewTrial {
                    trial,
                    reports: new.reports.clone(),
                }
            };
            let numbered: Vec<NewTrial> = (0..).zip(trials).map(number).collect();
            check_trials(&kept.definitions, &numbered)?;
            let numbers = numbered.iter().map(|new| new.trial.number).collect();
            numbered.into_iter().for_each(|new| kept.insert(new));
            Ok(numbers)
        })
    }

    fn trial(&self, study: StudyId, number: u64) -> Result<Trial, StoreError> {
        self.with(study, |kept| {
            kept.trials
                .get(&number)
                .map(|slot| slot.trial.clone())
                .ok_or(StoreError::UnknownTrial { number })
        })
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.with(study, |kept| {
            Ok(kept
                .trials
                .range(first..)
                .take(count)
                .map(|(_, slot)| slot.trial.clone())
                .collect())
        })
    }

    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError> {
        self.with(study, |kept| {
            Ok(kept
                .running
                .iter()
                .filter_map(|number| kept.trials.get(number))
                .map(|slot| slot.trial.clone())
                .collect())
        })
    }

    fn finished_since(
        &self,
        study: StudyId,
        seq: u64,
        count: u64,
    ) -> Result<Vec<Finished>, StoreError> {
        self.with(study, |kept| {
            let first = usize::try_from(seq)
                .unwrap_or(usize::MAX)
                .min(kept.order.len());
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let numbers = kept.order[first..].iter().take(count);
            Ok(numbers
                .filter_map(|number| kept.trials.get(number))
                .map(|slot| finished(&slot.trial))
                .collect())
        })
    }

    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError> {
        self.with(study, |kept| {
            Ok(kept
                .best
                .and_then(|number| kept.trials.get(&number))
                .map(|slot| slot.trial.clone()))
        })
    }

    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.with(study, |kept| Ok(kept.counts))
    }

    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.with(study, |kept| {
            let slot = kept
                .trials
                .get(&number)
                .ok_or(StoreError::UnknownTrial { number })?;
            let report = |((step, name), value): (&(i64, String), &f64)| Report {
                step: *step,
                name: name.clone(),
                value: *value,
            };
            Ok(slot.reports.iter().map(report).collect())
        })
    }

    fn reports_at(
        &self,
        study: StudyId,
        step: i64,
        name: &str,
    ) -> Result<Vec<StepReport>, StoreError> {
        self.with(study, |kept| Ok(kept.reports_at(step, &stored_name(name))))
    }

    fn changes(&self, study: StudyId) -> Option<u64> {
        self.with(study, |kept| Ok(kept.changes)).ok()
    }

    fn url(&self) -> &str {
        "memory://"
    }
}
