//! The loop: ask, evaluate in parallel, tell.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};

use neuralbo::study::{FailureKind, StopReason, StopRules, Study, TellError, Trial};

use super::objective::{Evaluation, Objective, Task};
use super::recorder::Recorder;
use crate::exit::CommandError;
use crate::interrupt::Interrupt;

/// What the loop waits for.
enum Event {
    Finished(u64, Evaluation),
    Interrupted,
}

/// Everything one run needs.
pub struct Engine<'a> {
    /// What is evaluated.
    pub objective: &'a dyn Objective,
    /// When to stop.
    pub rules: &'a StopRules,
    /// How many evaluations run at the same time.
    pub jobs: usize,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

impl<'a> Engine<'a> {
    /// Runs trials until a rule says stop, and waits for those that are still running then.
    pub fn drive(&self, study: &mut Study, recorder: &mut Recorder) -> Result<StopReason, CommandError> {
        let (sender, events) = channel();
        let wake = sender.clone();
        self.interrupt.on_raise(move || _ = wake.send(Event::Interrupted));
        let outcome = thread::scope(|scope| {
            let outcome = self.steps(study, recorder, &events, |trial| self.start(scope, &sender, trial));
            if outcome.is_err() {
                self.interrupt.end_programs();
            }
            outcome
        });
        if let Ok(reason) = &outcome {
            study.announce_stop(reason);
        }
        outcome
    }

    fn start<'s>(&self, scope: &'s Scope<'s, '_>, sender: &Sender<Event>, trial: Trial)
    where
        'a: 's,
    {
        let (objective, sender) = (self.objective, sender.clone());
        // The receiver is gone only when the run has been given up, and then nobody wants the result.
        scope.spawn(move || _ = sender.send(Event::Finished(trial.number, objective.evaluate(&Task::unwatched(&trial)))));
    }

    fn steps(
        &self,
        study: &mut Study,
        recorder: &mut Recorder,
        events: &Receiver<Event>,
        start: impl Fn(Trial),
    ) -> Result<StopReason, CommandError> {
        let mut reason = None;
        let mut ever_started = false;
        loop {
            reason = self.interrupted().or(reason).or_else(|| study.stop_reason(self.rules)).or_else(|| self.fill(study, &start));
            if let (Some(reason), 0) = (reason, study.running().len()) {
                return Ok(reason);
            }
            match events.recv() {
                Ok(Event::Finished(number, evaluation)) => {
                    ever_started |= check_start(&evaluation, ever_started)?;
                    let trial = finish(study, number, &evaluation).map_err(|error| CommandError::failure("study", error))?;
                    recorder.record(&trial, study, evaluation.true_value)?;
                }
                Ok(Event::Interrupted) | Err(_) => reason = Some(StopReason::Interrupted),
            }
        }
    }

    fn interrupted(&self) -> Option<StopReason> {
        self.interrupt.is_raised().then_some(StopReason::Interrupted)
    }

    /// Asks for as many trials as may run; the reason to stop if there are none left.
    fn fill(&self, study: &mut Study, start: &impl Fn(Trial)) -> Option<StopReason> {
        let free = self.jobs.saturating_sub(study.running().len());
        let count = study.room(self.rules).min(free as u64) as usize;
        if count == 0 {
            return None;
        }
        match study.ask_many(count) {
            Ok(trials) => trials.into_iter().for_each(start),
            Err(_) => return Some(StopReason::Exhausted),
        }
        None
    }
}

/// Whether a program has been started; an error if the very first one could not be.
pub fn check_start(evaluation: &Evaluation, ever_started: bool) -> Result<bool, CommandError> {
    match &evaluation.result {
        Err(failure) if failure.kind == FailureKind::Start && !ever_started => {
            Err(CommandError::Failure(failure.message.clone()))
        }
        Err(failure) => Ok(failure.kind != FailureKind::Start),
        Ok(_) => Ok(true),
    }
}

fn finish(study: &mut Study, number: u64, evaluation: &Evaluation) -> Result<Trial, TellError> {
    match &evaluation.result {
        Ok(value) => study.tell(number, *value).cloned(),
        Err(failure) => study.tell_failed(number, failure.clone()).cloned(),
    }
}
