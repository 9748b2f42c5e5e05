//! The worker: asks, evaluates and tells until the study ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use neuralbo::study::{FailureKind, StopReason};
use neuralbo_store::{Asked, LeasedTrial, Outcome, Store, StoreError, StoredStudy, Told};

use super::args::{WorkArgs, storage_error, worker_name};
use super::heartbeat::Heartbeat;
use super::reports::Reporter;
use crate::exit::CommandError;
use crate::interrupt::Interrupt;
use crate::run::engine::check_start;
use crate::run::objective::{Evaluation, Objective, Task};

/// How long a worker waits before it asks again, at first and at most.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Everything a worker needs.
pub struct Worker<'a> {
    /// What is evaluated.
    pub objective: &'a dyn Objective,
    /// How many evaluations run at the same time.
    pub jobs: u64,
    /// How it works.
    pub args: &'a WorkArgs,
    /// When it starts no more trials.
    pub time: Option<Duration>,
    /// Whether it says what happens.
    pub quiet: bool,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

/// What the jobs of a worker share.
struct Shared<'a> {
    worker: &'a Worker<'a>,
    store: Arc<dyn Store>,
    study: Mutex<StoredStudy>,
    heartbeat: Heartbeat,
    name: String,
    started: Instant,
    ever_ran: AtomicBool,
    ending: Mutex<Option<Result<StopReason, CommandError>>>,
}

impl Worker<'_> {
    /// Works until the study ends, the time is over or somebody interrupts.
    pub fn work(&self, study: StoredStudy) -> Result<StopReason, CommandError> {
        let store = Arc::clone(study.store());
        let shared = Shared {
            worker: self,
            heartbeat: Heartbeat::start(Arc::clone(&store), self.args.lease()),
            store,
            study: Mutex::new(study),
            name: worker_name(),
            started: Instant::now(),
            ever_ran: AtomicBool::new(false),
            ending: Mutex::new(None),
        };
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| shared.job());
            }
        });
        let ending = lock(&shared.ending).take().unwrap_or(Ok(StopReason::Interrupted));
        if let (Ok(reason), false) = (&ending, self.quiet) {
            eprintln!("stopped: {reason}");
        }
        ending
    }
}

impl Shared<'_> {
    fn job(&self) {
        let mut pause = SHORTEST_PAUSE;
        while lock(&self.ending).is_none() {
            match self.step() {
                Ok(Step::Worked) => pause = SHORTEST_PAUSE,
                Ok(Step::Wait) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Ok(Step::End(reason)) => self.end(Ok(reason)),
                Err(error) => self.end(Err(error)),
            }
        }
    }

    /// The first end counts; an error also ends the other jobs' programs.
    fn end(&self, ending: Result<StopReason, CommandError>) {
        let mut slot = lock(&self.ending);
        if ending.is_err() {
            self.worker.interrupt.end_programs();
        }
        if slot.is_none() {
            *slot = Some(ending);
        }
    }

    fn step(&self) -> Result<Step, CommandError> {
        if self.worker.interrupt.is_raised() {
            return Ok(Step::End(StopReason::Interrupted));
        }
        if let Some(limit) = self.worker.time.filter(|limit| self.started.elapsed() >= *limit) {
            return Ok(Step::End(StopReason::Time(limit)));
        }
        let asked = lock(&self.study).ask(&self.name, self.worker.args.lease()).map_err(storage_error)?;
        match asked {
            Asked::Ended(reason) => Ok(Step::End(reason)),
            Asked::Wait { .. } => Ok(Step::Wait),
            Asked::Trial(trial) => self.evaluate(&trial).map(|()| Step::Worked),
        }
    }

    fn evaluate(&self, trial: &LeasedTrial) -> Result<(), CommandError> {
        let direction = lock(&self.study).record().definition.direction;
        let reporter = Reporter::new(Arc::clone(&self.store), trial.lease, direction, self.worker.args.prune);
        let watch = reporter.watch();
        self.heartbeat.hold(trial.lease, watch.stopper.clone());
        let evaluation = self.worker.objective.evaluate(&Task { number: trial.lease.number, point: &trial.point, watch });
        let told = self.conclude(trial, &evaluation, &reporter);
        self.heartbeat.drop_lease(&trial.lease);
        told
    }

    fn conclude(&self, trial: &LeasedTrial, evaluation: &Evaluation, reporter: &Reporter) -> Result<(), CommandError> {
        let started = check_start(evaluation, self.ever_ran.load(Ordering::SeqCst));
        if started.is_err() || is_interrupted(evaluation) {
            // It says nothing about the trial, so the trial is left to others.
            self.store.release(&trial.lease).map_err(storage_error)?;
            return started.map(|_| ());
        }
        self.ever_ran.fetch_or(started?, Ordering::SeqCst);
        let outcome = outcome(evaluation, reporter);
        let told = reporter.flush().and_then(|()| self.store.tell(&trial.lease, &outcome));
        self.announce(trial.lease.number, &outcome, &told);
        match told {
            Ok(_) | Err(StoreError::LeaseLost { .. } | StoreError::AlreadyFinished { .. }) => Ok(()),
            Err(error) => Err(storage_error(error)),
        }
    }

    fn announce(&self, number: u64, outcome: &Outcome, told: &Result<Told, StoreError>) {
        if self.worker.quiet {
            return;
        }
        let (direction, best) = {
            let study = lock(&self.study);
            (study.record().definition.direction, study.best())
        };
        match (outcome, told) {
            (_, Err(error)) => eprintln!("{error}"),
            (Outcome::Failed(failure), Ok(Told::Retried)) => eprintln!("trial {number} is tried again: {failure}"),
            (Outcome::Failed(failure), Ok(_)) => eprintln!("trial {number} failed: {failure}"),
            (Outcome::Pruned(value), Ok(_)) => eprintln!("trial {number} was stopped early at {value}"),
            (Outcome::Value(value), Ok(_)) if best.is_none_or(|(_, best)| direction.is_better(*value, best)) => {
                eprintln!("trial {number}: best {value}");
            }
            (Outcome::Value(_), Ok(_)) => {}
        }
    }
}

enum Step {
    Worked,
    Wait,
    End(StopReason),
}

fn is_interrupted(evaluation: &Evaluation) -> bool {
    matches!(&evaluation.result, Err(failure) if failure.kind == FailureKind::Interrupted)
}

fn outcome(evaluation: &Evaluation, reporter: &Reporter) -> Outcome {
    match (&evaluation.result, reporter.pruned()) {
        (Ok(value), _) => Outcome::Value(*value),
        (Err(_), Some(value)) => Outcome::Pruned(value),
        (Err(failure), None) => Outcome::Failed(failure.clone()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
