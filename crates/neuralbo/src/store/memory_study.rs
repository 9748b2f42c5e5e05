//! One study of the memory store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use super::{
    Claim, Claimed, Counts, Lease, NewStudy, NewTrial, StoreError, StudyId, StudyRecord,
    stored_name,
};
use crate::record::{
    Attributes, Definition, Ending, FailureKind, Limits, Report, Retries, State, StepReport, Token,
    Trial,
};
use crate::space::Params;

/// One study.
pub(super) struct MemoryStudy {
    pub(super) name: String,
    pub(super) definitions: Vec<Definition>,
    pub(super) limits: Limits,
    pub(super) attributes: Attributes,
    pub(super) created_ms: i64,
    pub(super) trials: BTreeMap<u64, Slot>,
    pub(super) running: BTreeSet<u64>,
    /// The finished trials in order.
    pub(super) order: Vec<u64>,
    /// The best trial, with the value by which it is.
    pub(super) best: Option<(u64, f64)>,
    /// The intermediate values by step and name, then by trial.
    pub(super) reported: HashMap<(i64, String), BTreeMap<u64, f64>>,
    pub(super) counts: Counts,
    pub(super) asked: u64,
    pub(super) next_number: u64,
    /// The running trials by the token of their claim, and their number by point.
    pub(super) tokens: HashMap<Token, u64>,
    pub(super) points: HashMap<Params, u64>,
    /// Resumed trials, with the trial that resumes each.
    pub(super) resumed: HashMap<u64, u64>,
    /// No lease of a running trial ends before this; 0 while one may be waiting.
    pub(super) earliest: i64,
    pub(super) changes: u64,
}

/// One trial with the store's own data.
pub(super) struct Slot {
    pub(super) trial: Trial,
    pub(super) lost_attempts: u64,
    pub(super) reports: BTreeMap<(i64, String), f64>,
}

pub(super) fn lease_lost(lease: &Lease) -> StoreError {
    StoreError::LeaseLost {
        number: lease.number,
        attempt: lease.attempt,
    }
}

/// The end of a lease; never 0, which marks a waiting trial.
pub(super) fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
        .max(1)
}

impl MemoryStudy {
    pub(super) fn new(study: &NewStudy, created_ms: i64) -> Self {
        Self {
            name: study.name.clone(),
            definitions: study.definitions.clone(),
            limits: study.limits,
            attributes: study.attributes.clone(),
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
            resumed: HashMap::new(),
            earliest: i64::MAX,
            changes: 0,
        }
    }

    pub(super) fn record(&self, id: StudyId) -> StudyRecord {
        StudyRecord {
            id,
            name: self.name.clone(),
            version: self.version(),
            definition: self.definition().clone(),
            limits: self.limits,
            attributes: self.attributes.clone(),
            created_ms: self.created_ms,
        }
    }

    pub(super) fn slot(&self, number: u64) -> Result<&Slot, StoreError> {
        let slot = self.trials.get(&number);
        slot.ok_or(StoreError::UnknownTrial { number })
    }

    pub(super) fn slot_mut(&mut self, number: u64) -> Result<&mut Slot, StoreError> {
        let slot = self.trials.get_mut(&number);
        slot.ok_or(StoreError::UnknownTrial { number })
    }

    /// Removes a trial that was released without a point.
    pub(super) fn forget(&mut self, number: u64) {
        if let Some(slot) = self.trials.remove(&number) {
            self.tokens.remove(&slot.trial.token);
        }
        self.running.remove(&number);
        self.counts.running -= 1;
        self.asked -= 1;
        if self.next_number == number + 1 {
            self.next_number -= 1;
        }
    }

    pub(super) fn version(&self) -> u64 {
        self.definitions.len() as u64
    }

    pub(super) fn definition(&self) -> &Definition {
        newest(&self.definitions)
    }

    /// The running trial of this lease.
    pub(super) fn leased(&mut self, lease: &Lease) -> Option<&mut Slot> {
        self.trials
            .get_mut(&lease.number)
            .filter(|slot| slot.is_leased(lease))
    }

    pub(super) fn insert(&mut self, new: NewTrial) {
        let (number, worker) = (new.trial.number, stored_name(&new.trial.worker));
        let trial = Trial {
            seq: None,
            lease_until_ms: 0,
            token: Token::NONE,
            worker,
            ..new.trial
        };
        let known = trial.is_known();
        self.resumed
            .extend(trial.resumes().map(|resumes| (resumes, number)));
        self.place(Slot::new(trial), known);
        self.report(number, &new.reports);
    }

    /// Enters intermediate values of an existing trial.
    pub(super) fn report(&mut self, number: u64, reports: &[Report]) {
        if reports.is_empty() {
            return;
        }
        let Some(slot) = self.trials.get_mut(&number) else {
            return;
        };
        for (key, value) in storable_reports(reports) {
            self.reported
                .entry(key.clone())
                .or_default()
                .insert(number, value);
            slot.reports.insert(key, value);
        }
    }

    /// All values of a step, by number.
    pub(super) fn reports_at(&self, step: i64, name: &str) -> Vec<StepReport> {
        let complete = |slot: &Slot| slot.trial.state == State::Complete;
        let report = |(number, value): (&u64, &f64)| StepReport {
            number: *number,
            value: *value,
            complete: self.trials.get(number).is_some_and(complete),
        };
        let values = self.reported.get(&(step, name.to_owned()));
        values.into_iter().flatten().map(report).collect()
    }

    fn place(&mut self, slot: Slot, known: bool) {
        let number = slot.trial.number;
        let finished = !slot.trial.is_running();
        if !finished {
            self.earliest = self.earliest.min(slot.trial.lease_until_ms);
            if let Some(params) = &slot.trial.params {
                self.changes += 1;
                *self.points.entry(params.clone()).or_default() += 1;
            }
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

    /// Counts a finished trial and assigns its position.
    fn count_finished(&mut self, number: u64) {
        let definition = newest(&self.definitions);
        let Some(slot) = self.trials.get_mut(&number) else {
            return;
        };
        self.order.push(number);
        slot.trial.seq = Some(self.order.len() as u64);
        match slot.trial.state {
            State::Complete => self.counts.complete += 1,
            State::Failed { .. } => self.counts.failed += 1,
            State::Pruned { .. } => self.counts.pruned += 1,
            State::Running => {}
        }
        self.best = better(definition, self.best, &slot.trial);
    }

    /// Finds the best trial by the newest definition.
    pub(super) fn rank_again(&mut self) {
        let definition = newest(&self.definitions);
        let trials = self
            .order
            .iter()
            .filter_map(|number| self.trials.get(number));
        self.best = trials.fold(None, |best, slot| better(definition, best, &slot.trial));
    }

    /// Uncounts the point of a running trial.
    fn forget_point(&mut self, number: u64) {
        let slot = self.trials.get(&number);
        let Some(params) = slot.and_then(|slot| slot.trial.params.as_ref()) else {
            return;
        };
        if let Some(count) = self.points.get_mut(params) {
            *count -= 1;
            if *count == 0 {
                self.points.remove(params);
            }
        }
    }

    pub(super) fn finish(&mut self, number: u64, ending: &Ending, now: i64) {
        self.forget_point(number);
        self.changes += 1;
        if let Some(slot) = self.trials.get_mut(&number) {
            self.tokens.remove(&slot.trial.token);
            slot.trial.state = ending.state.clone();
            slot.trial.values = ending.values.clone();
            slot.trial.finished_ms = Some(now);
            slot.trial.lease_until_ms = 0;
            slot.trial.attributes.extend(ending.attributes.clone());
            if let Some(params) = &ending.params {
                slot.trial.params = Some(params.clone());
            }
        }
        self.running.remove(&number);
        self.counts.running -= 1;
        self.count_finished(number);
    }

    pub(super) fn is_retried(&mut self, lease: &Lease, kind: FailureKind) -> bool {
        let retries = self.definition().retries.clone();
        let slot = self.leased(lease);
        let retried = slot.is_some_and(|slot| slot.is_retried(kind, &retries));
        self.earliest = if retried { 0 } else { self.earliest };
        retried
    }

    /// A waiting trial, or one with an expired lease and attempts left.
    pub(super) fn take_over(&mut self, claim: &Claim, now: i64) -> Option<u64> {
        if self.earliest > now {
            return None;
        }
        let slot = |number: &u64| self.trials.get(number);
        let until = |number: &u64| slot(number).map_or(i64::MAX, |s| s.trial.lease_until_ms);
        self.earliest = self.running.iter().map(until).min().unwrap_or(i64::MAX);
        let attempts = self.definition().retries.attempts;
        let has_attempts = |slot: &Slot| slot.lost_attempts + 1 < attempts;
        let free = |number: &&u64| match until(number) {
            0 => true,
            until => until <= now && slot(number).is_some_and(has_attempts),
        };
        let key = |number: &&u64| (until(number), **number);
        let number = *self.running.iter().filter(free).min_by_key(key)?;
        let slot = self.trials.get_mut(&number)?;
        slot.lost_attempts += u64::from(slot.trial.lease_until_ms > 0);
        slot.trial.attempt += 1;
        for key in std::mem::take(&mut slot.reports).into_keys() {
            self.reported.entry(key).or_default().remove(&number);
        }
        self.tokens.remove(&slot.trial.token);
        slot.lease_to(claim, now);
        self.tokens.insert(claim.token, number);
        Some(number)
    }

    pub(super) fn create(&mut self, claim: &Claim, now: i64) -> Option<u64> {
        if self.limits.trials.is_some_and(|limit| self.asked >= limit) {
            return None;
        }
        let number = self.next_number;
        let mut slot = Slot::new(Trial::claimed(number, "", now));
        slot.trial.version = self.version();
        slot.lease_to(claim, now);
        self.tokens.insert(claim.token, number);
        self.place(slot, false);
        Some(number)
    }

    pub(super) fn claimed(&mut self, number: u64) -> Result<Claimed, StoreError> {
        let version = self.version();
        let slot = self.slot_mut(number)?;
        if slot.trial.params.is_none() {
            slot.trial.version = version;
        }
        Ok(Claimed::Trial(Box::new(slot.trial.clone())))
    }
}

impl Slot {
    /// Whether the trial runs under this lease.
    pub(super) fn is_leased(&self, lease: &Lease) -> bool {
        self.trial.is_running() && self.trial.token == lease.token
    }

    fn new(trial: Trial) -> Self {
        Self {
            trial,
            lost_attempts: 0,
            reports: BTreeMap::new(),
        }
    }

    /// Returns the trial to the queue if the retry policy allows it. A trial that is waiting already
    /// was told before: telling twice costs one attempt.
    pub(super) fn is_retried(&mut self, kind: FailureKind, retries: &Retries) -> bool {
        if self.trial.is_waiting() && retries.kinds.contains(&kind) {
            return true;
        }
        let again = retries.again(kind, self.lost_attempts + 1);
        if again {
            self.lost_attempts += 1;
            self.trial.lease_until_ms = 0;
        }
        again
    }

    pub(super) fn lease_to(&mut self, claim: &Claim, now: i64) {
        self.trial.worker = stored_name(&claim.worker);
        self.trial.token = claim.token;
        self.trial.lease_until_ms = lease_end(now, claim.lease);
    }
}

/// A study has at least one definition: `create_study` checks it.
fn newest(definitions: &[Definition]) -> &Definition {
    &definitions[definitions.len() - 1]
}

/// The better of the best trial so far and one that finished later; the earlier of equals.
fn better(definition: &Definition, best: Option<(u64, f64)>, trial: &Trial) -> Option<(u64, f64)> {
    let ranked = trial.state == State::Complete && definition.is_feasible(&trial.values);
    let value = trial.value(definition.objective()).filter(|_| ranked);
    let direction = definition.direction();
    let leads = |value: &f64| best.is_none_or(|(_, best)| direction.is_better(*value, best));
    let leader = value.filter(leads).map(|value| (trial.number, value));
    leader.or(best)
}

/// Finite reports by step and name.
fn storable_reports(reports: &[Report]) -> impl Iterator<Item = ((i64, String), f64)> + '_ {
    let finite = reports.iter().filter(|report| report.value.is_finite());
    finite.map(|report| ((report.step, stored_name(&report.name)), report.value))
}
