//! All runs of an experiment, some of them at the same time.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::json;

use super::checkpoint::{Checkpoint, ChosenPoint};
use super::manifest::{LabSession, Machine, Manifest};
use super::run::run;
use super::trace::{RunTrace, TraceHeader};
use super::{Contender, LabCase, LabError, LabSettings, Size, Suite, run_seconds};
use crate::method::{MethodSpec, RunError, RunStart};

/// Told what happens; called from many threads.
pub trait RunWatch: Sync {
    /// Before the first run: how many runs there are, and those finished in earlier sessions.
    fn planned(&self, runs: &[PlannedRun], finished: &[TraceHeader]);
    /// An evaluation has ended.
    fn evaluated(&self);
    /// A run has ended.
    fn finished(&self, header: &TraceHeader);
}

/// A run that is still to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// The problem.
    pub problem: String,
    /// The method.
    pub method: MethodSpec,
    /// The run, from 1.
    pub run: u32,
}

/// The runs of an experiment.
#[derive(Clone, Debug)]
pub struct RunnerResults {
    /// All runs of the folder that were asked for, those of earlier sessions included.
    pub traces: Vec<RunTrace>,
    /// How many of them were made now.
    pub fresh: usize,
}

/// An experiment, its folder and its plan.
pub struct Runner {
    settings: LabSettings,
    folder: PathBuf,
    jobs: usize,
    retry_failed: bool,
    suite: Box<dyn Suite>,
    methods: Vec<MethodSpec>,
    size: Size,
}

impl Runner {
    /// Checks what is asked for and makes the experiment ready; `folder` is that of this experiment alone.
    pub fn new(settings: LabSettings, folder: PathBuf, jobs: usize) -> Result<Self, LabError> {
        let experiment = settings.experiment;
        let suite = (experiment.open)(&settings)?;
        let mut size = settings.size();
        // A case knows the problem's full name.
        let named = size
            .problems
            .iter()
            .map(|problem| Ok(suite.case(problem, 1)?.problem));
        size.problems = distinct(named.collect::<Result<Vec<_>, LabError>>()?);
        let methods = settings.methods.clone();
        let methods = distinct(methods.unwrap_or_else(experiment.methods));
        Ok(Self {
            settings,
            folder,
            jobs: jobs.max(1),
            retry_failed: false,
            suite,
            methods,
            size,
        })
    }

    /// Runs failed in earlier sessions are made again.
    pub fn retry_failed(mut self, retry: bool) -> Self {
        self.retry_failed = retry;
        self
    }

    /// Makes all runs that are not there yet.
    pub fn execute(
        &self,
        command: Vec<String>,
        watch: &dyn RunWatch,
    ) -> Result<RunnerResults, LabError> {
        let started = std::time::Instant::now();
        let mut manifest = self
            .manifest(command)?
            .merged(&self.folder, self.settings.shard)?;
        manifest.write(&self.folder, self.settings.shard)?;
        let (finished, waiting) = self.divide();
        let headers: Vec<TraceHeader> = finished.iter().map(|trace| trace.header.clone()).collect();
        watch.planned(&waiting, &headers);
        let made = self.work(waiting, watch)?;
        let fresh = made.len();
        let mut traces = [finished, made].concat();
        traces.sort_by(|a, b| a.header.key().cmp(&b.header.key()));
        if self.settings.shard.is_none() {
            self.suite.conclude(&self.folder, &traces)?;
        }
        if let Some(launch) = manifest.sessions.last_mut() {
            launch.seconds = Some(started.elapsed().as_secs_f64());
        }
        manifest.write(&self.folder, self.settings.shard)?;
        Ok(RunnerResults { traces, fresh })
    }

    fn manifest(&self, command: Vec<String>) -> Result<Manifest, LabError> {
        let launch = LabSession {
            started: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: self.settings.commit.clone(),
            machine: Machine::this(),
            command,
            jobs: self.jobs,
            shard: self.settings.shard,
            seconds: None,
        };
        Ok(Manifest {
            experiment: self.settings.experiment.name.to_owned(),
            profile: self.settings.profile,
            evaluations: self.size.evaluations,
            facts: self.suite.facts(&self.size.problems)?,
            problems: self.size.problems.clone(),
            methods: self.methods.iter().map(ToString::to_string).collect(),
            runs: self.size.runs,
            sessions: vec![launch],
        })
    }

    /// The runs that are there and those that are not; a damaged file counts as not there.
    fn divide(&self) -> (Vec<RunTrace>, Vec<PlannedRun>) {
        let (mut finished, mut waiting) = (Vec::new(), Vec::new());
        for planned in self.plan() {
            let there = RunTrace::read(&self.path(&planned)).ok();
            match there.filter(|trace| !(self.retry_failed && trace.header.error.is_some())) {
                Some(trace) => finished.push(trace),
                None => waiting.push(planned),
            }
        }
        (finished, waiting)
    }

    /// The runs of this part of the experiment. First runs of everything come before second runs, so that an experiment cut short has
    /// something of all; the parts of a split are dealt out by cost, so that all take about the same time.
    fn plan(&self) -> Vec<PlannedRun> {
        let mut plan = Vec::new();
        for run in self.settings.first_run..=self.size.runs {
            for problem in &self.size.problems {
                plan.extend(self.methods.iter().map(|method| PlannedRun {
                    problem: problem.clone(),
                    method: method.clone(),
                    run,
                }));
            }
        }
        let Some(shard) = self.settings.shard else {
            return plan;
        };
        plan.sort_by(|a, b| self.cost(b).total_cmp(&self.cost(a)));
        let mut part = shard.of(plan);
        part.sort_by_key(|planned| planned.run);
        part
    }

    /// Seconds that a run will take; nothing of what was never measured.
    fn cost(&self, planned: &PlannedRun) -> f64 {
        let load = (self.settings.experiment.load)(&planned.problem, self.size.evaluations);
        run_seconds(&planned.method.to_string(), load).unwrap_or(0.0)
    }

    fn path(&self, planned: &PlannedRun) -> PathBuf {
        let name = format!("run-{:03}.csv.gz", planned.run);
        let problem = self.folder.join("traces").join(&planned.problem);
        problem.join(planned.method.slug()).join(name)
    }

    fn work(
        &self,
        waiting: Vec<PlannedRun>,
        watch: &dyn RunWatch,
    ) -> Result<Vec<RunTrace>, LabError> {
        let (queue, done) = (Mutex::new(VecDeque::from(waiting)), Mutex::new(Vec::new()));
        let failure: Mutex<Option<LabError>> = Mutex::new(None);
        // A closure of its own, so that the queue is unlocked again before the run begins.
        let next = || lock(&queue).pop_front();
        let worker = || {
            while let Some(planned) = next() {
                match self.run_one(&planned, watch) {
                    Ok(trace) => lock(&done).push(trace),
                    Err(error) => {
                        // Without its files an experiment is worth nothing: stop all.
                        lock(&queue).clear();
                        *lock(&failure) = Some(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            (0..self.jobs).for_each(|_| drop(scope.spawn(|| alone(worker))))
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn run_one(&self, planned: &PlannedRun, watch: &dyn RunWatch) -> Result<RunTrace, LabError> {
        let mut case = self.suite.case(&planned.problem, planned.run)?;
        let units = self.settings.experiment.units;
        case.evaluations = units.total(self.size.evaluations, case.space.encoded_dim());
        if let Some(seed) = self.settings.seed {
            case.method_seed = case.method_seed.wrapping_add(seed << 32);
        }
        let method = planned.method.to_string();
        let experiment = self.settings.experiment.name;
        let begin = |start: &RunStart| self.begin(&planned.method, &case, start);
        let (mut checkpoint, earlier) = self.checkpoint(planned, &case)?;
        let mut failure = None;
        let mut evaluated = |chosen: &ChosenPoint| {
            if self.is_repeatable(&planned.method) {
                failure = failure.take().or(checkpoint.add(chosen).err());
            }
            watch.evaluated();
        };
        let trace = run(&case, experiment, &method, &begin, &earlier, &mut evaluated);
        failure.map_or(Ok(()), Err)?;
        trace.write(&self.path(planned))?;
        checkpoint.remove()?;
        watch.finished(&trace.header);
        Ok(trace)
    }

    /// The file with a run's points until it ends, and those that are there.
    fn checkpoint(
        &self,
        planned: &PlannedRun,
        case: &LabCase,
    ) -> Result<(Checkpoint, Vec<ChosenPoint>), LabError> {
        let run = json!({
            "commit": self.settings.commit,
            "experiment": self.settings.experiment.name,
            "problem": planned.problem,
            "method": planned.method.to_string(),
            "run": planned.run,
            "seed": case.method_seed,
            "initial": case.initial.len(),
            "evaluations": case.evaluations,
        });
        Checkpoint::open(self.path(planned).with_extension("unfinished"), &run)
    }

    /// Whether a method can be told the points that it chose in an earlier session: one in a process of its own cannot.
    fn is_repeatable(&self, method: &MethodSpec) -> bool {
        matches!(method, MethodSpec::Native { .. }) && !self.settings.experiment.own_processes
    }

    fn begin(
        &self,
        method: &MethodSpec,
        case: &LabCase,
        start: &RunStart,
    ) -> Result<Contender, RunError> {
        let method = method.fitted(case.initial.len(), case.evaluations);
        match (&method, self.settings.server.split_first()) {
            (MethodSpec::Native { .. }, Some((server, words)))
                if self.settings.experiment.own_processes =>
            {
                let mut command = Command::new(server);
                command
                    .args(words)
                    .args(["lab", "serve", "--method", &method.to_string()])
                    .env("RAYON_NUM_THREADS", "1");
                Contender::program(command, start)
            }
            _ => Contender::begin(&method, start),
        }
    }
}

/// The first of each.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Runs `work` with a thread pool of one thread, so that a run uses no more than its own.
fn alone(work: impl FnOnce() + Send) {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Condvar;
    use std::thread::{ThreadId, current};
    use std::time::Duration;

    use super::*;
    use crate::experiments::SYNTHETIC;
    use crate::runner::Profile;

    /// Lets nobody past its first evaluation before two threads have come to theirs.
    #[derive(Default)]
    struct Meeting {
        there: Mutex<HashSet<ThreadId>>,
        come: Condvar,
    }

    impl RunWatch for Meeting {
        fn planned(&self, _: &[PlannedRun], _: &[TraceHeader]) {}
        fn evaluated(&self) {
            let mut there = lock(&self.there);
            there.insert(current().id());
            self.come.notify_all();
            let alone = |there: &mut HashSet<ThreadId>| there.len() < 2;
            drop(
                self.come
                    .wait_timeout_while(there, Duration::from_secs(20), alone),
            );
        }
        fn finished(&self, _: &TraceHeader) {}
    }

    /// Regression: the queue stayed locked while a run was made, so that all others waited.
    #[test]
    fn jobs_run_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = LabSettings::new(&SYNTHETIC.run, Profile::Quick);
        settings.methods = Some(vec!["random".parse().unwrap()]);
        (settings.problems, settings.runs, settings.evaluations) =
            (Some(vec!["ackley-2".into()]), Some(2), Some(1));
        let meeting = Meeting::default();
        let runner = Runner::new(settings, folder.path().to_owned(), 2).unwrap();
        let outcome = runner.execute(Vec::new(), &meeting).unwrap();
        assert_eq!((outcome.fresh, lock(&meeting.there).len()), (2, 2));
    }
}
