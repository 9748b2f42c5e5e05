//! Studies in the memory of one process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::memory_study::{MemoryStudy, lease_end, lease_lost};
use super::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store,
    StoreError, StudyId, StudyRecord, Told, check_name, check_trials, stored_name, too_late,
    unknown_study,
};
use crate::record::{
    Attributes, Definition, Ending, Failure, Limits, Outcome, Report, State, StepReport, Trial,
};

/// The clock of leases.
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

impl MemoryState {
    fn record(&self, id: StudyId, study: &MemoryStudy) -> StudyRecord {
        StudyRecord {
            id,
            name: study.name.clone(),
            version: study.version(),
            definition: study.definition().clone(),
            limits: study.limits,
            created_ms: study.created_ms,
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
        if inner.studies.values().any(|other| other.name == study.name) {
            return Err(StoreError::NameTaken {
                name: study.name.clone(),
            });
        }
        let mut made = MemoryStudy::new(study, self.clock.now_ms());
        study.trials.iter().for_each(|new| made.insert(new.clone()));
        inner.made += 1;
        let id = StudyId(inner.made);
        let record = inner.record(id, &made);
        inner.studies.insert(id, made);
        Ok(record)
    }

    fn study(&self, name: &str) -> Result<StudyRecord, StoreError> {
        let inner = self.lock();
        let found = inner.studies.iter().find(|(_, study)| study.name == name);
        found
            .map(|(id, study)| inner.record(*id, study))
            .ok_or_else(|| {
                let mut known: Vec<&str> = inner
                    .studies
                    .values()
                    .map(|study| study.name.as_str())
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
            .map(|(id, study)| inner.record(*id, study))
            .collect();
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
            study.definitions.push(definition.clone());
            let direction = definition.direction();
            study.best = None;
            let mut best: Option<(u64, f64)> = None;
            for number in study.order.clone() {
                let rank = study.rank(number);
                if let Some(slot) = study.trials.get_mut(&number) {
                    slot.rank = rank;
                }
                if let Some(rank) = rank.filter(|rank| {
                    best.is_none_or(|(_, leader)| direction.is_better(*rank, leader))
                }) {
                    best = Some((number, rank));
                }
            }
            study.best = best.map(|(number, _)| number);
            Ok(study.version())
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
        self.with(study, |study| {
            let before = study.tokens.get(&claim.token).copied();
            match before
                .or_else(|| study.take_over(claim, now))
                .or_else(|| study.create(claim, now))
            {
                Some(number) => study.claimed(number),
                None => Ok(Claimed::Full {
                    running: study.counts.running,
                }),
            }
        })
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |study| {
            let own = study
                .trials
                .get(&lease.number)
                .and_then(|slot| slot.trial.params.as_ref());
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
            let known = study
                .trials
                .get_mut(&lease.number)
                .filter(|slot| slot.is_leased(lease));
            let slot = known
                .filter(|_| same || !has_one)
                .ok_or_else(|| lease_lost(lease))?;
            *running += u64::from(!has_one);
            study.changes += u64::from(!has_one);
            slot.trial.version = proposal.version;
            slot.trial.params = Some(proposal.params.clone());
            slot.trial.provenance = Some(proposal.provenance.clone());
            slot.trial.started_ms = Some(now);
            resumes
                .into_iter()
                .for_each(|resumes| _ = study.resumed.insert(resumes, lease.number));
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
            let token = std::mem::take(&mut slot.token);
            study.tokens.remove(&token);
            study.trials.remove(&lease.number);
            study.running.remove(&lease.number);
            study.counts.running -= 1;
            study.asked -= 1;
            if study.next_number == lease.number + 1 {
                study.next_number -= 1;
            }
            Ok(())
        })
    }

    fn expire(&self, lease: &Lease) -> Result<(), StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |study| {
            if let Some(slot) = study
                .leased(lease)
                .filter(|slot| slot.trial.lease_until_ms > 0)
            {
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
                match study
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
        self.with(lease.study, |study| {
            if study.leased(lease).is_some() {
                if let State::Failed { failure } = &ending.state
                    && study.is_retried(lease, failure.kind)
                {
                    return Ok(Told::Retried);
                }
                study.finish(lease.number, ending, now);
                return Ok(Told::Finished);
            }
            let trial = &study
                .trials
                .get(&lease.number)
                .ok_or(StoreError::UnknownTrial {
                    number: lease.number,
                })?
                .trial;
            if trial.attempt != lease.attempt || trial.is_running() {
                return Err(lease_lost(lease));
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
        self.with(study, |study| {
            if study.earliest > now {
                return Ok(Vec::new());
            }
            let attempts = study.definition().retries.attempts;
            let dead = |number: &&u64| {
                study.trials.get(number).is_some_and(|slot| {
                    (1..=now).contains(&slot.trial.lease_until_ms)
                        && slot.lost_attempts + 1 >= attempts
                })
            };
            let failed: Vec<u64> = study.running.iter().filter(dead).copied().collect();
            let failure = Failure::worker_died(attempts);
            let outcome = Outcome::Failed(failure);
            if let Some(ending) = study.definition().ending(outcome) {
                failed
                    .iter()
                    .for_each(|number| study.finish(*number, &ending, now));
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
            let slot = study
                .trials
                .get_mut(&number)
                .ok_or(StoreError::UnknownTrial { number })?;
            slot.trial.attributes.extend(attributes.clone());
            Ok(())
        })
    }

    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError> {
        self.with(study, |study| {
            let next = study.next_number;
            let number = |(place, new): (u64, &NewTrial)| {
                let trial = Trial {
                    number: next + place,
                    version: study.version(),
                    ..new.trial.clone()
                };
                NewTrial {
                    trial,
                    reports: new.reports.clone(),
                }
            };
            let numbered: Vec<NewTrial> = (0..).zip(trials).map(number).collect();
            check_trials(&study.definitions, &numbered)?;
            let numbers = numbered.iter().map(|new| new.trial.number).collect();
            numbered.into_iter().for_each(|new| study.insert(new));
            Ok(numbers)
        })
    }

    fn trial(&self, study: StudyId, number: u64) -> Result<Trial, StoreError> {
        self.with(study, |study| {
            study
                .trials
                .get(&number)
                .map(|slot| slot.trial.clone())
                .ok_or(StoreError::UnknownTrial { number })
        })
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.with(study, |study| {
            Ok(study
                .trials
                .range(first..)
                .take(count)
                .map(|(_, slot)| slot.trial.clone())
                .collect())
        })
    }

    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError> {
        self.with(study, |study| {
            Ok(study
                .running
                .iter()
                .filter_map(|number| study.trials.get(number))
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
        self.with(study, |study| {
            let first = usize::try_from(seq)
                .unwrap_or(usize::MAX)
                .min(study.order.len());
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let numbers = study.order[first..].iter().take(count);
            Ok(numbers
                .filter_map(|number| study.trials.get(number))
                .map(|slot| Finished::from(&slot.trial))
                .collect())
        })
    }

    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError> {
        self.with(study, |study| {
            Ok(study
                .best
                .and_then(|number| study.trials.get(&number))
                .map(|slot| slot.trial.clone()))
        })
    }

    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.with(study, |study| Ok(study.counts))
    }

    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.with(study, |study| {
            let slot = study
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
        self.with(
            study,
            |study| Ok(study.reports_at(step, &stored_name(name))),
        )
    }

    fn changes(&self, study: StudyId) -> Option<u64> {
        self.with(study, |study| Ok(study.changes)).ok()
    }

    fn url(&self) -> &str {
        "memory://"
    }
}
