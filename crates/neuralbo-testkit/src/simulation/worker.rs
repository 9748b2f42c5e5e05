//! A worker as the store sees it.

use std::sync::Arc;
use std::time::Duration;

use super::model::must;
use super::schedule::{Action, LEASE, ScheduledStep};
use super::studies::ScheduledStudies;
use neuralbo::record::{Failure, FailureKind, Outcome, Provenance, Report, Token, Trial};
use neuralbo::space::{Params, Value};
use neuralbo::store::{Claim, Claimed, Lease, Proposal, Store, StudyId};

/// One worker: a handle to the store and what it remembers.
pub(super) struct SimulatedWorker {
    pub(super) number: usize,
    pub(super) store: Arc<dyn Store>,
    held: Option<(StudyId, Trial)>,
    /// Trials that it has told or lost.
    old: Vec<Lease>,
    reported: i64,
}

impl SimulatedWorker {
    pub(super) fn new(number: usize, store: Arc<dyn Store>) -> Self {
        Self {
            number,
            store,
            held: None,
            old: Vec::new(),
            reported: 0,
        }
    }

    /// Which of the two names it works on.
    fn name(&self) -> usize {
        self.number % 2
    }

    /// Does its step if it can; whether it could. The error says what the store answered and what it should have.
    pub(super) fn act(
        &mut self,
        step: &ScheduledStep,
        all: &mut ScheduledStudies,
    ) -> Result<bool, String> {
        let value = all.fresh_value();
        let held = self.held.as_ref();
        let lease = held.map(|(study, trial)| Lease::of(*study, trial));
        match (step.action, lease) {
            (Action::Ask, None) => return self.ask(all, false),
            (Action::AskTwice, None) => return self.ask(all, true),
            (Action::AskAndRelease, None) => return self.ask_and_release(all),
            (Action::Report, Some(lease)) => self.report(all, &lease)?,
            (Action::Renew, Some(lease)) => {
                let answer = self.store.renew(&[lease], duration());
                match all.living(&lease) {
                    Some(model) => model.renewed(&lease, LEASE, answer)?,
                    None => must(
                        answer.as_ref().map_or(true, |lost| lost == &[lease]),
                        || format!("renewing a lease of a study that is gone: {answer:?}"),
                    )?,
                }
            }
            (Action::Tell, Some(lease)) => self.tell(all, &lease, value.into(), 1)?,
            (Action::TellTwice, Some(lease)) => self.tell(all, &lease, value.into(), 2)?,
            (Action::TellSignal, Some(lease)) => {
                self.tell(all, &lease, failed(FailureKind::Signal), 1)?
            }
            (Action::TellFailure, Some(lease)) => {
                self.tell(all, &lease, failed(FailureKind::Exit), 1)?
            }
            (Action::Release, Some(lease)) => {
                all.released(&lease, self.store.release(&lease))?;
                self.let_go();
            }
            (Action::TellOld, _) if !self.old.is_empty() => {
                let lease = self.old[step.worker % self.old.len()];
                self.tell_once(all, &lease, &value.into())?;
            }
            (Action::Kill, Some(_)) => self.held = None,
            (Action::Keep, Some(_)) => {
                if let Some((_, trial)) = self.held.take() {
                    all.keep(&trial, value.into())?;
                }
            }
            (Action::TellKept, _) => return all.tell_kept(step.worker, self.store.as_ref()),
            (Action::Expire, Some(lease)) => {
                let answer = self.store.expire(&lease);
                if let Some(model) = all.living(&lease) {
                    model.expired(&lease, answer)?;
                }
                self.let_go();
            }
            (Action::FailExpired, _) => {
                let Some(model) = all.named(self.name()) else {
                    return Ok(false);
                };
                model.failed_expired(self.store.fail_expired(model.record.id))?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn let_go(&mut self) {
        let held = self.held.take();
        self.old
            .extend(held.map(|(study, trial)| Lease::of(study, &trial)));
    }

    fn claim(
        &self,
        all: &mut ScheduledStudies,
        study: StudyId,
        token: Token,
    ) -> Result<Option<Trial>, String> {
        let claim = Claim {
            worker: format!("worker {}", self.number),
            token,
            lease: duration(),
        };
        let answer = self.store.claim(study, &claim);
        let answer = answer.map_err(|error| format!("a claim failed: {error}"))?;
        all.claimed(self.name(), token, LEASE, &answer)?;
        Ok(match answer {
            Claimed::Trial(trial) => Some(*trial),
            Claimed::Full { .. } => None,
        })
    }

    fn ask(&mut self, all: &mut ScheduledStudies, twice: bool) -> Result<bool, String> {
        let Some(study) = all.named(self.name()).map(|model| model.record.id) else {
            return Ok(false);
        };
        let token = all.token();
        let first = self.claim(all, study, token)?;
        if twice && self.claim(all, study, token)? != first {
            return Err("a claim repeated with its token got another trial".to_owned());
        }
        let Some(trial) = first else {
            return Ok(true);
        };
        let lease = Lease::of(study, &trial);
        if trial.params.is_none() {
            let params: Params = [("x0", Value::from(all.fresh_value()))]
                .into_iter()
                .collect();
            let provenance = Provenance {
                origin: "sampled".to_owned(),
                ..Provenance::default()
            };
            let proposal = Proposal {
                version: 1,
                params,
                provenance,
                repeat_allowed: false,
            };
            for _ in 0..if twice { 2 } else { 1 } {
                let answer = self.store.propose(&lease, &proposal);
                let model = all.living(&lease).ok_or("the model has lost a study")?;
                model.proposed(&lease, &proposal, answer)?;
            }
        }
        self.held = Some((study, trial));
        Ok(true)
    }

    fn ask_and_release(&mut self, all: &mut ScheduledStudies) -> Result<bool, String> {
        let Some(study) = all.named(self.name()).map(|model| model.record.id) else {
            return Ok(false);
        };
        let token = all.token();
        if let Some(trial) = self.claim(all, study, token)? {
            let lease = Lease::of(study, &trial);
            all.released(&lease, self.store.release(&lease))?;
        }
        Ok(true)
    }

    fn report(&mut self, all: &mut ScheduledStudies, lease: &Lease) -> Result<(), String> {
        self.reported += 1;
        let report = Report {
            step: self.reported % 3,
            name: "loss".to_owned(),
            value: all.fresh_value(),
        };
        let answer = self.store.report(lease, std::slice::from_ref(&report));
        match all.living(lease) {
            Some(model) => model.reported(lease, &report, answer),
            None => must(answer.is_err(), || {
                "a report of a study that is gone was taken".to_owned()
            }),
        }
    }

    fn tell(
        &mut self,
        all: &mut ScheduledStudies,
        lease: &Lease,
        outcome: Outcome,
        times: usize,
    ) -> Result<(), String> {
        (0..times).try_for_each(|_| self.tell_once(all, lease, &outcome))?;
        self.let_go();
        Ok(())
    }

    fn tell_once(
        &self,
        all: &mut ScheduledStudies,
        lease: &Lease,
        outcome: &Outcome,
    ) -> Result<(), String> {
        let ending = all.ending(outcome.clone())?;
        all.told(lease, &ending, self.store.tell(lease, &ending))
    }
}

fn duration() -> Duration {
    Duration::from_millis(LEASE.unsigned_abs())
}

fn failed(kind: FailureKind) -> Outcome {
    Failure::new(kind, "no").into()
}
