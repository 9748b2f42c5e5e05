//! Studies in the memory of one process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, Store, StoreError, StoredParams, StudyId,
    StudyRecord, Told, check_name, check_trials, stored_name, unknown_study,
};
use crate::record::{Attributes, Definition, Ending, Failure, FailureKind, Limits, Outcome, Report, Retries, State, Trial};
use crate::space::Params;

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
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
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

/// One study.
struct Kept {
    name: String,
    definitions: Vec<Definition>,
    limits: Limits,
    created_ms: i64,
    trials: BTreeMap<u64, Slot>,
    running: BTreeSet<u64>,
    /// The finished trials in order.
    order: Vec<u64>,
    best: Option<u64>,
    /// The intermediate values of complete trials.
    reported: HashMap<(i64, String), Vec<f64>>,
    counts: Counts,
    asked: u64,
    next_number: u64,
    /// The running trials by the token of their claim, and how many of them have a point.
    tokens: HashMap<String, u64>,
    points: HashMap<Params, u64>,
    /// No lease of a running trial ends before this; 0 as long as one may wait for a worker.
    earliest: i64,
    changes: u64,
}

/// One trial with what only the store needs to know.
struct Slot {
    trial: Trial,
    token: String,
    losses: u64,
    reports: BTreeMap<(i64, String), f64>,
    /// The value by which the best trial is found; `None` if it cannot be the best.
    rank: Option<f64>,
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
        Self { clock, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, study: StudyId, work: impl FnOnce(&mut Kept) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut inner = self.lock();
        work(inner.studies.get_mut(&study).ok_or_else(gone)?)
    }
}

fn gone() -> StoreError {
    StoreError::UnknownStudy { name: "(deleted)".to_owned(), known: String::new() }
}

fn lost(lease: &Lease) -> StoreError {
    StoreError::LeaseLost { number: lease.number, attempt: lease.attempt }
}

/// When a lease ends; never 0, which means that a trial waits.
fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)).max(1)
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

impl Kept {
    fn new(study: &NewStudy, created_ms: i64) -> Self {
        Self {
            name: study.name.clone(),
            definitions: study.definitions.clone(),
            limits: study.limits,
            created_ms,
            trials: BTreeMap::new(),
            running: BTreeSet::new(),
            order: Vec::new(),
            best: None,
            reported: HashMap::new(),
            counts: Counts::default(),
            asked: 0,
            next_number: 0,
            tokens: HashMap::new(),
            points: HashMap::new(),
            earliest: i64::MAX,
            changes: 0,
        }
    }

    fn version(&self) -> u64 {
        self.definitions.len() as u64
    }

    fn definition(&self) -> &Definition {
        // A study has at least one definition: `create_study` refuses one without.
        &self.definitions[self.definitions.len() - 1]
    }

    /// The running trial of this lease.
    fn leased(&mut self, lease: &Lease) -> Option<&mut Slot> {
        self.trials.get_mut(&lease.number).filter(|slot| slot.is_leased(lease))
    }

    fn insert(&mut self, new: NewTrial) {
        let (number, worker) = (new.trial.number, stored_name(&new.trial.worker));
        let trial = Trial { seq: None, lease_until_ms: 0, worker, ..new.trial };
        let known = trial.is_known();
        let reports = storable_reports(&new.reports).collect();
        self.place(number, Slot { trial, reports, ..Slot::empty() }, known);
    }

    fn place(&mut self, number: u64, slot: Slot, known: bool) {
        let finished = !slot.trial.is_running();
        if !finished {
            self.earliest = self.earliest.min(slot.trial.lease_until_ms);
            slot.trial.params.iter().for_each(|params| self.add_point(params));
        }
        self.trials.insert(number, slot);
        self.counts.known += u64::from(known);
        self.asked += u64::from(!known);
        self.next_number = self.next_number.max(number + 1);
        if finished {
            self.count_finished(number);
        } else {
            self.running.insert(number);
            self.counts.running += 1;
        }
    }

    /// Gives a trial that has ended its position, and counts it.
    fn count_finished(&mut self, number: u64) {
        self.order.push(number);
        let (seq, direction) = (self.order.len() as u64, self.definition().direction());
        let rank = self.rank(number);
        let leader = self.best.and_then(|best| self.trials.get(&best)?.rank);
        let Some(slot) = self.trials.get_mut(&number) else { return };
        slot.trial.seq = Some(seq);
        slot.rank = rank;
        match slot.trial.state {
            State::Complete => {
                self.counts.complete += 1;
                for ((step, name), value) in &slot.reports {
                    self.reported.entry((*step, name.clone())).or_default().push(*value);
                }
            }
            State::Failed { .. } => self.counts.failed += 1,
            State::Pruned { .. } => self.counts.pruned += 1,
            State::Running => {}
        }
        if rank.is_some_and(|rank| leader.is_none_or(|leader| direction.is_better(rank, leader))) {
            self.best = Some(number);
        }
    }

    fn rank(&self, number: u64) -> Option<f64> {
        let (trial, definition) = (&self.trials.get(&number)?.trial, self.definition());
        let ranked = trial.state == State::Complete && definition.is_feasible(&trial.values);
        trial.value(definition.objective()).filter(|_| ranked)
    }

    /// A running trial has this point.
    fn add_point(&mut self, params: &Params) {
        self.changes += 1;
        *self.points.entry(params.clone()).or_default() += 1;
    }

    /// A running trial has its point no more.
    fn forget_point(&mut self, number: u64) {
        let Some(params) = self.trials.get(&number).and_then(|slot| slot.trial.params.as_ref()) else { return };
        if let Some(count) = self.points.get_mut(params) {
            *count -= 1;
            if *count == 0 {
                self.points.remove(params);
            }
        }
    }

    fn finish(&mut self, number: u64, ending: &Ending, now: i64) {
        self.forget_point(number);
        self.changes += 1;
        if let Some(slot) = self.trials.get_mut(&number) {
            self.tokens.remove(&slot.token);
            slot.trial.state = ending.state.clone();
            slot.trial.values = ending.values.clone();
            slot.trial.finished_ms = Some(now);
            slot.trial.lease_until_ms = 0;
            slot.token = String::new();
            slot.trial.attributes.extend(ending.attributes.clone());
            if let Some(params) = &ending.params {
                slot.trial.params = Some(params.clone());
            }
        }
        self.running.remove(&number);
        self.counts.running -= 1;
        self.count_finished(number);
    }

    fn is_retried(&mut self, lease: &Lease, kind: FailureKind) -> bool {
        let retries = self.definition().retries.clone();
        let retried = self.leased(lease).is_some_and(|slot| slot.is_retried(kind, &retries));
        self.earliest = if retried { 0 } else { self.earliest };
        retried
    }

    /// A trial that waits, or whose worker is dead and that may be tried once more.
    fn take_over(&mut self, claim: &Claim, now: i64) -> Option<u64> {
        if self.earliest > now {
            return None;
        }
        let until = |number: &u64| self.trials.get(number).map_or(i64::MAX, |slot| slot.trial.lease_until_ms);
        self.earliest = self.running.iter().map(until).min().unwrap_or(i64::MAX);
        let attempts = self.definition().retries.attempts;
        let free = |number: &&u64| {
            let Some(slot) = self.trials.get(number) else { return false };
            let until = slot.trial.lease_until_ms;
            until == 0 || (until <= now && slot.losses + 1 < attempts)
        };
        let key = |number: &&u64| (self.trials.get(number).map(|slot| slot.trial.lease_until_ms), **number);
        let number = *self.running.iter().filter(free).min_by_key(key)?;
        let slot = self.trials.get_mut(&number)?;
        slot.losses += u64::from(slot.trial.lease_until_ms > 0);
        slot.trial.attempt += 1;
        slot.reports.clear();
        self.tokens.remove(&slot.token);
        slot.lease_to(claim, now);
        self.tokens.insert(claim.token.clone(), number);
        Some(number)
    }

    fn create(&mut self, claim: &Claim, now: i64) -> Option<u64> {
        if self.limits.trials.is_some_and(|limit| self.asked >= limit) {
            return None;
        }
        let number = self.next_number;
        let mut slot = Slot { trial: Trial::claimed(number, "", now), ..Slot::empty() };
        slot.trial.version = self.version();
        slot.lease_to(claim, now);
        self.tokens.insert(claim.token.clone(), number);
        self.place(number, slot, false);
        Some(number)
    }

    fn claimed(&mut self, number: u64) -> Result<Claimed, StoreError> {
        let version = self.version();
        let slot = self.trials.get_mut(&number).ok_or(StoreError::UnknownTrial { number })?;
        if slot.trial.params.is_none() {
            slot.trial.version = version;
        }
        Ok(Claimed::Trial(Box::new(slot.trial.clone())))
    }
}

impl Slot {
    /// Whether the trial runs and is the lease's.
    fn is_leased(&self, lease: &Lease) -> bool {
        self.trial.is_running() && self.trial.attempt == lease.attempt
    }

    fn empty() -> Self {
        Self { trial: Trial::claimed(0, "", 0), token: String::new(), losses: 0, reports: BTreeMap::new(), rank: None }
    }

    /// Makes the trial wait for another attempt, if the policy says so. One that waits already was told so before: the same news
    /// twice costs one attempt.
    fn is_retried(&mut self, kind: FailureKind, retries: &Retries) -> bool {
        if self.trial.is_waiting() && retries.kinds.contains(&kind) {
            return true;
        }
        let again = retries.again(kind, self.losses + 1);
        if again {
            self.losses += 1;
            self.trial.lease_until_ms = 0;
        }
        again
    }

    fn lease_to(&mut self, claim: &Claim, now: i64) {
        self.trial.worker = stored_name(&claim.worker);
        self.token = claim.token.clone();
        self.trial.lease_until_ms = lease_end(now, claim.lease);
    }
}

/// Reports by step and name, without what cannot be compared.
fn storable_reports(reports: &[Report]) -> impl Iterator<Item = ((i64, String), f64)> + '_ {
    let finite = reports.iter().filter(|report| report.value.is_finite());
    finite.map(|report| ((report.step, stored_name(&report.name)), report.value))
}

impl Store for MemoryStore {
    fn create_study(&self, study: &NewStudy) -> Result<StudyRecord, StoreError> {
        if study.definitions.is_empty() {
            return Err(StoreError::Record { what: "a study".to_owned(), reason: "it has no definition".to_owned() });
        }
        check_name(&study.name)?;
        check_trials(&study.definitions, &study.trials)?;
        let mut inner = self.lock();
        if inner.studies.values().any(|kept| kept.name == study.name) {
            return Err(StoreError::NameTaken { name: study.name.clone() });
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
        found.map(|(id, kept)| inner.record(*id, kept)).ok_or_else(|| {
            let mut known: Vec<&str> = inner.studies.values().map(|kept| kept.name.as_str()).collect();
            known.sort_unstable();
            unknown_study(name, &known)
        })
    }

    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError> {
        let inner = self.lock();
        let mut records: Vec<StudyRecord> = inner.studies.iter().map(|(id, kept)| inner.record(*id, kept)).collect();
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

    fn redefine(&self, study: StudyId, from: u64, definition: &Definition) -> Result<u64, StoreError> {
        self.with(study, |kept| {
            if kept.version() != from {
                return Err(StoreError::Redefined { found: kept.version(), expected: from });
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
                if let Some(rank) = rank.filter(|rank| best.is_none_or(|(_, leader)| direction.is_better(*rank, leader))) {
                    best = Some((number, rank));
                }
            }
            kept.best = best.map(|(number, _)| number);
            Ok(kept.version())
        })
    }

    fn delete_study(&self, study: StudyId) -> Result<(), StoreError> {
        self.lock().studies.remove(&study).map(|_| ()).ok_or_else(gone)
    }

    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError> {
        let now = self.clock.now_ms();
        self.with(study, |kept| {
            let before = kept.tokens.get(&claim.token).copied();
            match before.or_else(|| kept.take_over(claim, now)).or_else(|| kept.create(claim, now)) {
                Some(number) => kept.claimed(number),
                None => Ok(Claimed::Full { running: kept.counts.running }),
            }
        })
    }

    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError> {
        let now = self.clock.now_ms();
        self.with(lease.study, |kept| {
            let own = kept.trials.get(&lease.number).and_then(|slot| slot.trial.params.as_ref());
            let (has_one, same) = (own.is_some(), own == Some(&proposal.params));
            let running = kept.points.entry(proposal.params.clone()).or_default();
            if !proposal.repeat_allowed && *running > u64::from(same) {
                return Ok(Proposed::Repeated);
            }
            let known = kept.trials.get_mut(&lease.number).filter(|slot| slot.is_leased(lease));
            let slot = known.filter(|_| same || !has_one).ok_or_else(|| lost(lease))?;
            *running += u64::from(!has_one);
            kept.changes += u64::from(!has_one);
            slot.trial.version = proposal.version;
            slot.trial.params = Some(proposal.params.clone());
            slot.trial.provenance = Some(proposal.provenance.clone());
            slot.trial.started_ms = Some(now);
            Ok(Proposed::Accepted)
        })
    }

    fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.with(lease.study, |kept| {
            let Some(slot) = kept.leased(lease) else { return Ok(()) };
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
            if let Some(slot) = kept.leased(lease).filter(|slot| slot.trial.lease_until_ms > 0) {
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
                match kept.leased(held).filter(|slot| slot.trial.lease_until_ms > 0) {
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
            let trial = &kept.trials.get(&lease.number).ok_or(StoreError::UnknownTrial { number: lease.number })?.trial;
            if trial.attempt != lease.attempt || trial.is_running() {
                return Err(lost(lease));
            }
            if trial.state == ending.state && trial.values == ending.values {
                return Ok(Told::Already);
            }
            Err(StoreError::AlreadyFinished { number: lease.number, state: trial.state.name() })
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
                kept.trials
                    .get(number)
                    .is_some_and(|slot| (1..=now).contains(&slot.trial.lease_until_ms) && slot.losses + 1 >= attempts)
            };
            let failed: Vec<u64> = kept.running.iter().filter(dead).copied().collect();
            let failure = Failure::worker_died(attempts);
            let outcome = Outcome::Failed(failure);
            if let Some(ending) = kept.definition().ending(outcome) {
                failed.iter().for_each(|number| kept.finish(*number, &ending, now));
            }
            Ok(failed)
        })
    }

    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError> {
        self.with(lease.study, |kept| {
            let slot = kept.leased(lease).ok_or_else(|| lost(lease))?;
            slot.reports.extend(storable_reports(reports));
            Ok(())
        })
    }

    fn set_attributes(&self, study: StudyId, number: u64, attributes: &Attributes) -> Result<(), StoreError> {
        self.with(study, |kept| {
            let slot = kept.trials.get_mut(&number).ok_or(StoreError::UnknownTrial { number })?;
            slot.trial.attributes.extend(attributes.clone());
            Ok(())
        })
    }

    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError> {
        self.with(study, |kept| {
            let next = kept.next_number;
            let number = |(place, new): (u64, &NewTrial)| {
                let trial = Trial { number: next + place, version: kept.version(), ..new.trial.clone() };
                NewTrial { trial, reports: new.reports.clone() }
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
            kept.trials.get(&number).map(|slot| slot.trial.clone()).ok_or(StoreError::UnknownTrial { number })
        })
    }

    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.with(study, |kept| Ok(kept.trials.range(first..).take(count).map(|(_, slot)| slot.trial.clone()).collect()))
    }

    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError> {
        self.with(study, |kept| {
            Ok(kept.running.iter().filter_map(|number| kept.trials.get(number)).map(|slot| slot.trial.clone()).collect())
        })
    }

    fn finished_since(&self, study: StudyId, seq: u64, count: u64) -> Result<Vec<Finished>, StoreError> {
        self.with(study, |kept| {
            let first = usize::try_from(seq).unwrap_or(usize::MAX).min(kept.order.len());
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let numbers = kept.order[first..].iter().take(count);
            Ok(numbers.filter_map(|number| kept.trials.get(number)).map(|slot| finished(&slot.trial)).collect())
        })
    }

    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError> {
        self.with(study, |kept| Ok(kept.best.and_then(|number| kept.trials.get(&number)).map(|slot| slot.trial.clone())))
    }

    fn counts(&self, study: StudyId) -> Result<Counts, StoreError> {
        self.with(study, |kept| Ok(kept.counts))
    }

    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError> {
        self.with(study, |kept| {
            let slot = kept.trials.get(&number).ok_or(StoreError::UnknownTrial { number })?;
            let report =
                |((step, name), value): (&(i64, String), &f64)| Report { step: *step, name: name.clone(), value: *value };
            Ok(slot.reports.iter().map(report).collect())
        })
    }

    fn reports_at(&self, study: StudyId, step: i64, name: &str) -> Result<Vec<f64>, StoreError> {
        self.with(study, |kept| Ok(kept.reported.get(&(step, name.to_owned())).cloned().unwrap_or_default()))
    }

    fn changes(&self, study: StudyId) -> Option<u64> {
        self.with(study, |kept| Ok(kept.changes)).ok()
    }

    fn url(&self) -> &str {
        "memory://"
    }
}

fn finished(trial: &Trial) -> Finished {
    Finished {
        seq: trial.seq.unwrap_or(0),
        number: trial.number,
        version: trial.version,
        params: trial.params.clone().map(StoredParams::Params),
        state: trial.state.clone(),
        values: trial.values.clone(),
        known: trial.is_known(),
    }
}
