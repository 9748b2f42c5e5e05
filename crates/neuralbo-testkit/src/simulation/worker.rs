//! A worker as the store sees it.

use std::sync::Arc;
use std::time::Duration;

use super::model::Model;
use super::schedule::{Action, LEASE, ScheduledStep};
use neuralbo::record::{Failure, FailureKind, Outcome, Provenance, Report};
use neuralbo::space::{Params, Value};
use neuralbo::store::{Claim, Claimed, Lease, Proposal, Store};

/// One worker: a handle to the store and what it remembers.
pub(super) struct SimulatedWorker {
    pub(super) number: usize,
    store: Arc<dyn Store>,
    held: Option<Lease>,
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

    /// Does its step if it can; whether it could. The error says what the store answered and what it should have.
    pub(super) fn act(&mut self, step: &ScheduledStep, model: &mut Model) -> Result<bool, String> {
        let value = fresh_value(model);
        match (step.action, self.held) {
            (Action::Ask, None) => self.ask(model, false)?,
            (Action::AskTwice, None) => self.ask(model, true)?,
            (Action::AskAndRelease, None) => self.ask_and_release(model)?,
            (Action::Report, Some(lease)) => self.report(model, &lease)?,
            (Action::Renew, Some(lease)) => {
                model.renewed(&lease, LEASE, self.store.renew(&[lease], duration()))?
            }
            (Action::Tell, Some(lease)) => self.tell(model, &lease, value.into(), 1)?,
            (Action::TellTwice, Some(lease)) => self.tell(model, &lease, value.into(), 2)?,
            (Action::TellSignal, Some(lease)) => {
                self.tell(model, &lease, failed(FailureKind::Signal), 1)?
            }
            (Action::TellFailure, Some(lease)) => {
                self.tell(model, &lease, failed(FailureKind::Exit), 1)?
            }
            (Action::Release, Some(lease)) => {
                model.released(&lease, self.store.release(&lease))?;
                self.let_go();
            }
            (Action::TellOld, _) if !self.old.is_empty() => {
                let lease = self.old[step.worker % self.old.len()];
                self.tell_once(model, &lease, &value.into())?;
            }
            (Action::Kill, Some(_)) => self.held = None,
            (Action::Restart, _) => {}
            (Action::Expire, Some(lease)) => {
                model.expired(&lease, self.store.expire(&lease))?;
                self.let_go();
            }
            (Action::FailExpired, _) => model.failed_expired(self.store.fail_expired(model.id))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn let_go(&mut self) {
        self.old.extend(self.held.take());
    }

    fn claim(
        &self,
        model: &mut Model,
        token: &str,
    ) -> Result<Option<(Lease, Option<Params>)>, String> {
        let claim = Claim {
            worker: format!("worker {}", self.number),
            token: token.to_owned(),
            lease: duration(),
        };
        let answer = self.store.claim(model.id, &claim);
        let answer = answer.map_err(|error| format!("a claim failed: {error}"))?;
        model.claimed(token, LEASE, &answer)?;
        Ok(match answer {
            Claimed::Trial(trial) => Some((Lease::of(model.id, &trial), trial.params)),
            Claimed::Full { .. } => None,
        })
    }

    fn ask(&mut self, model: &mut Model, twice: bool) -> Result<(), String> {
        let token = model.token();
        let first = self.claim(model, &token)?;
        if twice && self.claim(model, &token)? != first {
            return Err("a claim repeated with its token got another trial".to_owned());
        }
        let Some((lease, params)) = first else {
            return Ok(());
        };
        if params.is_none() {
            let params: Params = [("x0", Value::from(fresh_value(model)))]
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
                model.proposed(&lease, &proposal, self.store.propose(&lease, &proposal))?;
            }
        }
        self.held = Some(lease);
        Ok(())
    }

    fn ask_and_release(&mut self, model: &mut Model) -> Result<(), String> {
        let token = model.token();
        if let Some((lease, _)) = self.claim(model, &token)? {
            model.released(&lease, self.store.release(&lease))?;
        }
        Ok(())
    }

    fn report(&mut self, model: &mut Model, lease: &Lease) -> Result<(), String> {
        self.reported += 1;
        let report = Report {
            step: self.reported % 3,
            name: "loss".to_owned(),
            value: fresh_value(model),
        };
        model.reported(
            lease,
            &report,
            self.store.report(lease, std::slice::from_ref(&report)),
        )
    }

    fn tell(
        &mut self,
        model: &mut Model,
        lease: &Lease,
        outcome: Outcome,
        times: usize,
    ) -> Result<(), String> {
        (0..times).try_for_each(|_| self.tell_once(model, lease, &outcome))?;
        self.let_go();
        Ok(())
    }

    fn tell_once(&self, model: &mut Model, lease: &Lease, outcome: &Outcome) -> Result<(), String> {
        let ending = model.definition.ending(outcome.clone());
        let ending = ending.ok_or("the outcome says nothing")?;
        model.told(lease, &ending, self.store.tell(lease, &ending))
    }
}

fn duration() -> Duration {
    Duration::from_millis(LEASE.unsigned_abs())
}

/// A number that was never used before: what is stored shows who told it.
fn fresh_value(model: &mut Model) -> f64 {
    model.drawn += 1;
    // All over the unit interval, and different for a long time: multiples of the golden ratio.
    (model.drawn as f64 * 0.618_033_988_749_894_9).fract()
}

fn failed(kind: FailureKind) -> Outcome {
    Failure::new(kind, "no").into()
}
