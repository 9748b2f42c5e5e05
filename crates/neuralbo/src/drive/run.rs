//! The loop itself.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::monitor::Monitor;
use super::objective::cut_short;
use super::{
    Cancel, CancelReason, DriveError, DriveOptions, DriveSummary, Observer, Reporter,
    ReporterParts, RunStanding, StopLevel, Untold, Waiting,
};
use crate::record::{Ending, FailureKind, Outcome, StopReason, Trial};
use crate::store::{StoreError, Told};
use crate::study::{Asked, Study, StudyError};

/// The first and the longest pause before a busy study or an absent storage is asked again.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A run ends after this many evaluations in a row that the machine could not begin.
const MOST_NOT_STARTED: u32 = 3;

/// An event that the loop waits for.
pub(super) enum Signal {
    Evaluated(u64, Outcome),
    /// The run was asked to end.
    Stopped,
}

/// A trial under evaluation.
pub(super) struct RunningTrial {
    pub(super) trial: Trial,
    pub(super) reporter: Reporter,
    pub(super) cancel: Cancel,
    /// Whether observers know that it has ended and is not told.
    kept: bool,
}

impl RunningTrial {
    fn untold(self, outcome: Outcome) -> Untold {
        let trial = self.trial;
        Untold { trial, outcome }
    }
}

/// The state of a run.
pub(super) struct RunLoop<'a, 'o> {
    study: &'a mut Study,
    options: &'a DriveOptions,
    observers: &'a mut [&'o mut dyn Observer],
    monitor: &'a Arc<Monitor>,
    begun: Instant,
    running: HashMap<u64, RunningTrial>,
    /// Finished trials that are not told yet, in order.
    untold: VecDeque<(RunningTrial, Outcome)>,
    /// Finished trials that the store refuses.
    refused: Vec<Untold>,
    /// Trials whose programs could not be started, before any other program was.
    unstarted: Vec<(RunningTrial, Outcome)>,
    /// The reason to begin no more trials.
    ending: Option<Result<StopReason, DriveError>>,
    outage: Option<StoreError>,
    waiting: Option<Waiting>,
    pause: Duration,
    asked: u64,
    finished: u64,
    ever_started: bool,
    /// Evaluations in a row that the machine could not begin.
    not_started: u32,
    killed: bool,
}

impl<'a, 'o> RunLoop<'a, 'o> {
    pub(super) fn new(
        study: &'a mut Study,
        options: &'a DriveOptions,
        observers: &'a mut [&'o mut dyn Observer],
        monitor: &'a Arc<Monitor>,
    ) -> Self {
        Self {
            study,
            options,
            observers,
            monitor,
            begun: Instant::now(),
            running: HashMap::new(),
            untold: VecDeque::new(),
            refused: Vec::new(),
            unstarted: Vec::new(),
            ending: None,
            outage: None,
            waiting: None,
            pause: SHORTEST_PAUSE,
            asked: 0,
            finished: 0,
            ever_started: false,
            not_started: 0,
            killed: false,
        }
    }

    pub(super) fn work(
        &mut self,
        signals: &Receiver<Signal>,
        start: impl Fn(&RunningTrial),
    ) -> Result<DriveSummary, DriveError> {
        loop {
            self.tell_all();
            // After the observers were called: one of them may have stopped the run.
            self.heed_stop();
            if self.ending.is_none() {
                self.ending = self.limit().map(Ok);
            }
            if self.ending.is_none() && self.untold.is_empty() && self.unstarted.is_empty() {
                self.fill(&start);
            }
            if self.is_over() {
                return self.conclude();
            }
            match self.receive(signals) {
                Some(Signal::Evaluated(number, outcome)) => self.evaluated(number, outcome),
                Some(Signal::Stopped) => {}
                None => self.observe(|observer| observer.idle()),
            }
        }
    }

    /// Finishing and killing are both interruptions; raising the level to `Kill` ends running trials.
    fn heed_stop(&mut self) {
        let level = self.options.stop.level();
        if level >= StopLevel::Finish && !matches!(self.ending, Some(Err(_))) {
            self.ending = Some(Ok(StopReason::Interrupted));
        }
        self.killed = level == StopLevel::Kill;
    }

    fn limit(&self) -> Option<StopReason> {
        let DriveOptions {
            timeout, trials, ..
        } = self.options;
        let timeout = timeout.filter(|limit| self.begun.elapsed() >= *limit);
        let trials = trials.filter(|limit| self.asked >= *limit && self.running.is_empty());
        let own = trials.map(StopReason::Trials);
        let own = own.or(timeout.map(StopReason::Timeout));
        self.study.stop_reason().or(own)
    }

    fn is_over(&self) -> bool {
        self.ending.is_some() && self.running.is_empty() && (self.untold.is_empty() || self.killed)
    }

    fn conclude(&mut self) -> Result<DriveSummary, DriveError> {
        self.study.give_back_claimed();
        if let Some(error) = self.outage.take().filter(|_| !self.untold.is_empty()) {
            let untold = self.untold.drain(..);
            let untold = untold.map(|(held, outcome)| held.untold(outcome)).collect();
            return Err(DriveError::Untold { error, untold });
        }
        if let Some(Err(DriveError::Study(StudyError::Store(error)))) = &self.ending
            && !self.refused.is_empty()
        {
            return Err(DriveError::Untold {
                error: error.clone(),
                untold: std::mem::take(&mut self.refused),
            });
        }
        let stop = self.ending.take().unwrap_or(Ok(StopReason::Interrupted))?;
        self.observe(|observer| observer.stopped(&stop));
        Ok(DriveSummary {
            stop,
            finished: self.finished,
            elapsed: self.begun.elapsed(),
        })
    }

    /// The next signal; `None` after a pause.
    fn receive(&mut self, signals: &Receiver<Signal>) -> Option<Signal> {
        let pause = (self.outage.is_some() || self.waiting.is_some()).then_some(self.pause);
        let timeout = self.options.timeout.filter(|_| self.ending.is_none());
        let rest = timeout.map(|limit| limit.saturating_sub(self.begun.elapsed()));
        let Some(limit) = [pause, rest].into_iter().flatten().min() else {
            return signals.recv().ok();
        };
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        signals.recv_timeout(limit).ok()
    }

    /// Asks for as many trials as there are free workers.
    fn fill(&mut self, start: &impl Fn(&RunningTrial)) {
        let DriveOptions {
            workers, trials, ..
        } = self.options;
        let free = (*workers).max(1).saturating_sub(self.running.len());
        let left = trials.map_or(u64::MAX, |limit| limit.saturating_sub(self.asked));
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(free);
        if count == 0 {
            return;
        }
        match self.study.ask(&self.options.worker, count) {
            Ok(Asked::Trials(trials)) => {
                (self.waiting, self.outage, self.pause) = (None, None, SHORTEST_PAUSE);
                self.asked += trials.len() as u64;
                for trial in trials {
                    self.begin_or_return(trial, start);
                }
            }
            Ok(Asked::Wait { running, until_ms }) => {
                self.outage = None;
                self.wait_for(Waiting::Others { running, until_ms });
            }
            Ok(Asked::Ended(reason)) => self.ending = Some(Ok(reason)),
            Err(StudyError::Store(error)) if error.is_outage() => self.lose_storage(error),
            Err(error) => self.ending = Some(Err(error.into())),
        }
    }

    /// Begins a trial, unless the run was asked to end meanwhile.
    fn begin_or_return(&mut self, trial: Trial, start: &impl Fn(&RunningTrial)) {
        if self.options.stop.level() == StopLevel::Run {
            return self.begin(trial, start);
        }
        self.asked = self.asked.saturating_sub(1);
        // If this fails, the trial waits for the end of its lease.
        let _ = self.study.tell(&trial, Outcome::Interrupted);
    }

    fn begin(&mut self, trial: Trial, start: &impl Fn(&RunningTrial)) {
        let (lease, cancel) = (self.study.lease(&trial), Cancel::default());
        let (store, definition) = (Arc::clone(self.study.store()), self.study.definition());
        let parts = ReporterParts {
            store,
            lease,
            resumes: trial.resumes(),
            definition,
            cancel: cancel.clone(),
        };
        let monitor = Arc::clone(self.monitor);
        let reporter = Reporter::new(parts, move || monitor.wake());
        self.monitor.hold(lease, reporter.clone(), cancel.clone());
        self.observe(|observer| observer.started(&trial));
        let held = RunningTrial {
            trial,
            reporter,
            cancel,
            kept: false,
        };
        if self.options.stop.level() == StopLevel::Kill {
            held.cancel.cancel(CancelReason::Interrupted);
        }
        start(&held);
        self.running.insert(held.trial.number, held);
    }

    fn evaluated(&mut self, number: u64, outcome: Outcome) {
        let Some(held) = self.running.remove(&number) else {
            return;
        };
        match outcome {
            Outcome::NotStarted(reason) => self.put_off(&held, reason),
            Outcome::Failed(failure)
                if failure.kind == FailureKind::Start && !self.ever_started =>
            {
                self.unstarted.push((held, failure.into()));
            }
            outcome => {
                (self.ever_started, self.not_started) = (true, 0);
                self.ended(held, outcome);
            }
        }
        self.judge_unstarted();
    }

    /// Says nothing about the point of the trial, which waits for a better time.
    fn put_off(&mut self, held: &RunningTrial, reason: String) {
        self.release(held, &reason);
        self.not_started += 1;
        if self.not_started >= MOST_NOT_STARTED && !matches!(self.ending, Some(Err(_))) {
            let reason = format!(
                "{reason}; this happened {MOST_NOT_STARTED} times in a row, and the trials wait for a worker"
            );
            self.ending = Some(Err(DriveError::CannotStart(reason)));
        }
    }

    /// A command that never runs is most likely misspelled, and the run ends. If it runs in other
    /// trials, those that could not start have failed.
    fn judge_unstarted(&mut self) {
        if self.ever_started {
            self.untold.extend(self.unstarted.drain(..));
        } else if self.running.is_empty() {
            for (held, outcome) in std::mem::take(&mut self.unstarted) {
                if let Outcome::Failed(failure) = outcome {
                    self.ending = Some(Err(DriveError::CannotStart(failure.message)));
                }
                self.release(&held, "the program could not be started");
            }
        }
    }

    fn ended(&mut self, held: RunningTrial, outcome: Outcome) {
        match (held.cancel.reason(), cut_short(&outcome)) {
            (Some(CancelReason::Pruned), true) => {
                let stopped = held.reporter.stopped();
                self.untold.push_back((held, stopped));
            }
            (Some(CancelReason::LeaseLost), true) => {
                self.release(&held, "another worker took it over")
            }
            (_, true) => self.release(&held, "it was interrupted"),
            (_, false) => self.untold.push_back((held, outcome)),
        }
    }

    fn release(&mut self, held: &RunningTrial, why: &str) {
        self.asked = self.asked.saturating_sub(1);
        self.monitor.drop_lease(&self.study.lease(&held.trial));
        // If this fails, the trial waits for the end of its lease.
        let _ = self.study.tell(&held.trial, Outcome::Interrupted);
        self.observe(|observer| observer.released(&held.trial, why));
    }

    /// Tells finished trials in order, until the storage does not answer.
    fn tell_all(&mut self) {
        while let Some((held, outcome)) = self.untold.pop_front() {
            let Some(ending) = self.ending_of(&held, &outcome) else {
                continue;
            };
            match self.tell(&held, &ending) {
                Ok(told) => self.announce(&held, ending, told),
                Err(StudyError::Store(error)) if error.is_outage() => {
                    self.untold.push_front((held, outcome));
                    return self.lose_storage(error);
                }
                Err(StudyError::Store(error)) if error.is_too_late() => {
                    self.monitor.drop_lease(&self.study.lease(&held.trial));
                    self.observe(|observer| observer.released(&held.trial, &error.to_string()));
                }
                Err(error) => {
                    let unsaved = held.reporter.unsaved();
                    self.observe(|observer| observer.kept(&held.trial, &ending, &unsaved));
                    self.refused.push(held.untold(outcome));
                    self.ending = Some(Err(error.into()));
                }
            }
        }
    }

    /// Stores reports before the result.
    fn tell(&mut self, held: &RunningTrial, ending: &Ending) -> Result<Told, StudyError> {
        held.reporter.flush()?;
        self.study.end(&held.trial, ending)
    }

    fn announce(&mut self, held: &RunningTrial, ending: Ending, told: Told) {
        (self.outage, self.pause) = (None, SHORTEST_PAUSE);
        self.monitor.drop_lease(&self.study.lease(&held.trial));
        match told {
            // It will be asked for again, and does not count as begun here.
            Told::Retried => self.asked = self.asked.saturating_sub(1),
            Told::Finished | Told::Already => self.finished += 1,
        }
        let params = ending.params.or_else(|| held.trial.params.clone());
        let trial = Trial {
            params,
            state: ending.state,
            values: ending.values,
            ..held.trial.clone()
        };
        let standing = RunStanding::after(&trial, self.study.log());
        self.observe(|observer| observer.told(&trial, told, &standing));
    }

    fn ending_of(&self, held: &RunningTrial, outcome: &Outcome) -> Option<Ending> {
        let ending = self.study.definition().ending(outcome.clone())?;
        let params = held.reporter.params();
        Some(Ending { params, ..ending })
    }

    /// Passes results that cannot be told to the observers, which may save them.
    fn keep_untold(&mut self) {
        let mut untold = std::mem::take(&mut self.untold);
        for (held, outcome) in untold.iter_mut().filter(|(held, _)| !held.kept) {
            held.kept = true;
            let Some(ending) = self.ending_of(held, outcome) else {
                continue;
            };
            let unsaved = held.reporter.unsaved();
            self.observe(|observer| observer.kept(&held.trial, &ending, &unsaved));
        }
        self.untold = untold;
    }

    fn lose_storage(&mut self, error: StoreError) {
        self.keep_untold();
        self.wait_for(Waiting::Storage {
            error: error.clone(),
            untold: self.untold.len(),
        });
        self.outage = Some(error);
    }

    fn wait_for(&mut self, waiting: Waiting) {
        if self.waiting.as_ref() != Some(&waiting) {
            self.observe(|observer| observer.waiting(&waiting));
            self.waiting = Some(waiting);
        }
    }

    fn observe(&mut self, mut hook: impl FnMut(&mut dyn Observer)) {
        self.observers.iter_mut().for_each(|o| hook(*o));
    }
}
