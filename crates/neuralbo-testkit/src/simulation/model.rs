//! What must be stored: the contract of [`Store`], as plainly as it can be written.

use std::collections::BTreeMap;
use std::fmt::Debug;

use neuralbo::record::{Ending, FailureKind, Report, State, Token, Trial};
use neuralbo::space::Params;
use neuralbo::store::{
    Claimed, Lease, NewTrial, Proposal, Proposed, Store, StoreError, StudyRecord, Told, all_trials,
};

/// Who has a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holder {
    /// Nobody: it waits for a worker.
    Nobody,
    /// A worker, until this time.
    Until(i64),
    /// It has finished.
    Finished,
}

#[derive(Clone, Debug)]
struct ModelTrial {
    attempt: u64,
    lost_attempts: u64,
    holder: Holder,
    token: Token,
    params: Option<Params>,
    ending: Option<Ending>,
    reports: BTreeMap<i64, f64>,
}

/// A study as it must be.
pub(super) struct Model {
    pub(super) record: StudyRecord,
    pub(super) now: i64,
    pub(super) order: Vec<u64>,
    pub(super) taken_over: u64,
    pub(super) too_late: u64,
    limit: Option<u64>,
    attempts: u64,
    trials: BTreeMap<u64, ModelTrial>,
    /// One more than the largest number ever given.
    numbers: u64,
}

pub(super) type Checked = Result<(), String>;

pub(super) fn must(holds: bool, text: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(text()) }
}

/// Whether something is as expected.
fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Checked {
    must(found == expected, || {
        format!("{what}: {found:?} instead of {expected:?}")
    })
}

impl Model {
    pub(super) fn new(record: StudyRecord, now: i64) -> Self {
        let limit = record.limits.trials;
        let attempts = record.definition.retries.attempts;
        Self {
            record,
            now,
            order: Vec::new(),
            taken_over: 0,
            too_late: 0,
            limit,
            attempts,
            trials: BTreeMap::new(),
            numbers: 0,
        }
    }

    /// The trials with points, as an export has them: the finished ones in their order, then the others.
    pub(super) fn exported(&self, store: &dyn Store) -> Result<Vec<NewTrial>, String> {
        let id = self.record.id;
        let mut trials = all_trials(store, id).map_err(|error| error.to_string())?;
        trials.retain(|trial| trial.params.is_some() || !trial.is_running());
        trials.sort_by_key(|trial| (trial.seq.unwrap_or(u64::MAX), trial.number));
        let with_reports = |trial: Trial| {
            let reports = store.reports(id, trial.number);
            let reports = reports.map_err(|error| error.to_string())?;
            Ok(NewTrial { trial, reports })
        };
        trials.into_iter().map(with_reports).collect()
    }

    /// The study that such an export becomes: running trials wait, and nobody holds them.
    pub(super) fn imported(&self, record: StudyRecord) -> Self {
        let mut copy = Self::new(record, self.now);
        copy.order = self.order.clone();
        let taken = |entry: &ModelTrial| entry.params.is_some() || entry.holder == Holder::Finished;
        for (number, entry) in self.trials.iter().filter(|(_, entry)| taken(entry)) {
            let mut entry = entry.clone();
            (entry.token, entry.lost_attempts) = (Token::NONE, 0);
            if entry.holder != Holder::Finished {
                entry.holder = Holder::Nobody;
            }
            copy.numbers = number + 1;
            copy.trials.insert(*number, entry);
        }
        copy
    }

    /// Waits for a worker, or its worker is dead and it may be tried once more.
    fn is_free(&self, entry: &ModelTrial) -> bool {
        match entry.holder {
            Holder::Nobody => true,
            Holder::Until(until) => until <= self.now && entry.lost_attempts + 1 < self.attempts,
            Holder::Finished => false,
        }
    }

    /// The running trial of this lease.
    fn leased(&mut self, lease: &Lease) -> Option<&mut ModelTrial> {
        self.trials
            .get_mut(&lease.number)
            .filter(|entry| entry.holder != Holder::Finished && entry.token == lease.token)
    }

    pub(super) fn claimed(&mut self, token: Token, lease: i64, answer: &Claimed) -> Checked {
        let is_same = |entry: &ModelTrial| entry.token == token && entry.holder != Holder::Finished;
        let before = self.trials.iter().find(|(_, entry)| is_same(entry));
        let before = before.map(|(number, _)| *number);
        let any_free = self.trials.values().any(|entry| self.is_free(entry));
        let room = self
            .limit
            .is_none_or(|limit| (self.trials.len() as u64) < limit);
        let Claimed::Trial(trial) = answer else {
            return must(before.is_none() && !any_free && !room, || {
                "there was a trial to be had, and none was given".to_owned()
            });
        };
        if let Some(before) = before {
            return same("the trial of the token", &trial.number, &before);
        }
        let until = Holder::Until(self.now + lease);
        let free = self.trials.get(&trial.number);
        let free = free.is_some_and(|entry| self.is_free(entry));
        match self.trials.get_mut(&trial.number) {
            Some(entry) => {
                must(free, || {
                    format!(
                        "trial {} is {:?} and was given away",
                        trial.number, entry.holder
                    )
                })?;
                same("the attempt", &trial.attempt, &(entry.attempt + 1))?;
                same("the point", &trial.params, &entry.params)?;
                self.taken_over += u64::from(entry.holder != Holder::Nobody);
                entry.lost_attempts += u64::from(entry.holder != Holder::Nobody);
                entry.attempt += 1;
                entry.reports.clear();
                (entry.holder, entry.token) = (until, token);
            }
            None => {
                must(!any_free, || {
                    "a new trial was made while one waits for a worker".to_owned()
                })?;
                must(room, || "the study has more trials than it may".to_owned())?;
                let largest = self.trials.keys().next_back();
                let largest = largest.map_or(0, |number| number + 1);
                must((largest..=self.numbers).contains(&trial.number), || {
                    format!("the next number is {}", trial.number)
                })?;
                same(
                    "attempt and point",
                    &(trial.attempt, &trial.params),
                    &(1, &None),
                )?;
                self.numbers = trial.number + 1;
                let entry = ModelTrial {
                    attempt: 1,
                    lost_attempts: 0,
                    holder: until,
                    token,
                    params: None,
                    ending: None,
                    reports: BTreeMap::new(),
                };
                self.trials.insert(trial.number, entry);
            }
        }
        Ok(())
    }

    pub(super) fn proposed(
        &mut self,
        lease: &Lease,
        proposal: &Proposal,
        answer: Result<Proposed, StoreError>,
    ) -> Checked {
        let Some(entry) = self.leased(lease) else {
            return Err("the model has lost a trial".to_owned());
        };
        entry.params = Some(proposal.params.clone());
        same("a new point", &answer, &Ok(Proposed::Accepted))
    }

    pub(super) fn released(&mut self, lease: &Lease, answer: Result<(), StoreError>) -> Checked {
        same("giving back", &answer, &Ok(()))?;
        match self.leased(lease) {
            Some(entry) if entry.params.is_some() => entry.holder = Holder::Nobody,
            Some(_) => _ = self.trials.remove(&lease.number),
            None => {}
        }
        Ok(())
    }

    pub(super) fn expired(&mut self, lease: &Lease, answer: Result<(), StoreError>) -> Checked {
        same("ending a lease", &answer, &Ok(()))?;
        let now = self.now;
        if let Some(entry) = self.leased(lease)
            && let Holder::Until(until) = entry.holder
        {
            entry.holder = Holder::Until(until.min(now));
        }
        Ok(())
    }

    pub(super) fn renewed(
        &mut self,
        lease: &Lease,
        time: i64,
        answer: Result<Vec<Lease>, StoreError>,
    ) -> Checked {
        let until = Holder::Until(self.now + time);
        let entry = self
            .leased(lease)
            .filter(|entry| entry.holder != Holder::Nobody);
        let expected = if entry.is_some() {
            vec![]
        } else {
            vec![*lease]
        };
        entry.into_iter().for_each(|entry| entry.holder = until);
        same("renewing", &answer, &Ok(expected))
    }

    pub(super) fn reported(
        &mut self,
        lease: &Lease,
        report: &Report,
        answer: Result<(), StoreError>,
    ) -> Checked {
        match self.leased(lease) {
            Some(entry) => {
                entry.reports.insert(report.step, report.value);
                same("a report", &answer, &Ok(()))
            }
            None => must(answer.as_ref().is_err_and(StoreError::is_too_late), || {
                format!("a report of a lost trial was answered by {answer:?}")
            }),
        }
    }

    pub(super) fn told(
        &mut self,
        lease: &Lease,
        ending: &Ending,
        answer: Result<Told, StoreError>,
    ) -> Checked {
        let expected = self.tell(lease, ending);
        let matches = match (&expected, &answer) {
            (Some(expected), Ok(told)) => expected == told,
            (None, Err(error)) => {
                error.is_too_late() || matches!(error, StoreError::UnknownTrial { .. })
            }
            _ => false,
        };
        self.too_late += u64::from(expected.is_none());
        must(matches, || {
            format!(
                "a tell must be answered by {expected:?} (too late if none) and was by {answer:?}"
            )
        })
    }

    /// What a tell does; `None` if it comes too late.
    fn tell(&mut self, lease: &Lease, ending: &Ending) -> Option<Told> {
        let attempts = self.attempts;
        if let Some(entry) = self.leased(lease) {
            let retried = matches!(&ending.state, State::Failed { failure } if failure.kind == FailureKind::Signal);
            // A trial that waits was told so before: the same news twice costs one attempt.
            if retried && (entry.holder == Holder::Nobody || entry.lost_attempts + 1 < attempts) {
                entry.lost_attempts += u64::from(entry.holder != Holder::Nobody);
                entry.holder = Holder::Nobody;
                return Some(Told::Retried);
            }
            self.finish(lease.number, ending);
            return Some(Told::Finished);
        }
        let entry = self.trials.get(&lease.number);
        let entry = entry.filter(|entry| entry.token == lease.token)?;
        let same = entry
            .ending
            .as_ref()
            .is_some_and(|told| told.state == ending.state && told.values == ending.values);
        same.then_some(Told::Already)
    }

    fn finish(&mut self, number: u64, ending: &Ending) {
        if let Some(entry) = self.trials.get_mut(&number) {
            (entry.holder, entry.ending) = (Holder::Finished, Some(ending.clone()));
            self.order.push(number);
        }
    }

    pub(super) fn failed_expired(&mut self, answer: Result<Vec<u64>, StoreError>) -> Checked {
        let dead = |entry: &ModelTrial| {
            matches!(entry.holder, Holder::Until(until) if until <= self.now)
                && entry.lost_attempts + 1 >= self.attempts
        };
        let expected = self.trials.iter().filter(|(_, entry)| dead(entry));
        let expected: Vec<u64> = expected.map(|(number, _)| *number).collect();
        let failure = neuralbo::record::Failure::worker_died(self.attempts);
        let ending = self.record.definition.ending(failure.into());
        let ending = ending.ok_or("a failure says nothing")?;
        let given = answer.map_err(|error| error.to_string())?;
        let mut sorted = given.clone();
        sorted.sort_unstable();
        same("the lost trials", &sorted, &expected)?;
        // In the order of the store: the contract says nothing about it.
        given
            .iter()
            .for_each(|number| self.finish(*number, &ending));
        Ok(())
    }

    /// Compares everything that is stored.
    pub(super) fn compare(&self, store: &dyn Store) -> Checked {
        let wrong = |error: StoreError| error.to_string();
        let stored = all_trials(store, self.record.id).map_err(wrong)?;
        let numbers: Vec<u64> = stored.iter().map(|trial| trial.number).collect();
        let expected: Vec<u64> = self.trials.keys().copied().collect();
        same("the trials", &numbers, &expected)?;
        for (trial, (number, entry)) in stored.iter().zip(&self.trials) {
            let (state, values) = match &entry.ending {
                Some(ending) => (ending.state.clone(), ending.values.clone()),
                None => (State::Running, Default::default()),
            };
            let waits = entry.holder == Holder::Nobody;
            let found = (&trial.state, &trial.values, trial.attempt, &trial.params);
            let expected = (&state, &values, entry.attempt, &entry.params);
            same(&format!("trial {number}"), &found, &expected)?;
            same(
                &format!("trial {number} waits"),
                &trial.is_waiting(),
                &waits,
            )?;
        }
        let finished = store
            .finished_since(self.record.id, 0, u64::MAX / 4)
            .map_err(wrong)?;
        let found = finished
            .iter()
            .map(|finished| (finished.seq, finished.number));
        let expected = (1..).zip(self.order.iter().copied());
        same("the order", &found.collect(), &expected.collect::<Vec<_>>())?;
        self.compare_counts(store)
    }

    fn compare_counts(&self, store: &dyn Store) -> Checked {
        let wrong = |error: StoreError| error.to_string();
        let counts = store.counts(self.record.id).map_err(wrong)?;
        let finished = self.order.len() as u64;
        let running = self.trials.len() as u64 - finished;
        same(
            "the counts",
            &(counts.running, counts.finished()),
            &(running, finished),
        )?;
        let value =
            |number: &u64| Some((self.trials.get(number)?.ending.as_ref()?.value?, *number));
        let smaller =
            |best: (f64, u64), next: (f64, u64)| if next.0 < best.0 { next } else { best };
        let best = self.order.iter().filter_map(value).reduce(smaller);
        let best = best.map(|(_, number)| number);
        let stored = store.best(self.record.id).map_err(wrong)?;
        let stored = stored.map(|trial| trial.number);
        same("the best trial", &stored, &best)
    }

    /// Compares the intermediate values.
    pub(super) fn compare_reports(&self, store: &dyn Store) -> Checked {
        for (number, entry) in &self.trials {
            let stored = store
                .reports(self.record.id, *number)
                .map_err(|error| error.to_string())?;
            let stored = stored.iter().map(|report| (report.step, report.value));
            let what = format!("the reports of trial {number}");
            same(&what, &stored.collect(), &entry.reports)?;
        }
        Ok(())
    }
}
