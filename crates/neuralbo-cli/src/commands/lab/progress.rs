//! How far an experiment has come, on standard error.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use neuralbo_lab::runner::{PlannedRun, RunWatch, TimeEstimate, TraceHeader};

use crate::number::duration;
use crate::output::say;

/// The interval of progress lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar on a terminal, lines every few seconds elsewhere; both with the time left.
pub struct LabProgress {
    jobs: usize,
    quiet: bool,
    state: Mutex<BarState>,
}

struct BarState {
    bar: Option<ProgressBar>,
    estimate: TimeEstimate,
    left: Vec<PlannedRun>,
    total: usize,
    failed: usize,
    evaluations: u64,
    last_line: Instant,
}

impl LabProgress {
    /// Nothing is shown before the plan is known.
    pub fn new(jobs: usize, quiet: bool) -> Self {
        let state = BarState {
            bar: None,
            estimate: TimeEstimate::default(),
            left: Vec::new(),
            total: 0,
            failed: 0,
            evaluations: 0,
            last_line: Instant::now(),
        };
        Self {
            jobs,
            quiet,
            state: Mutex::new(state),
        }
    }

    /// Removes the bar.
    pub fn close(&self) {
        if let Some(bar) = self.state().bar.take() {
            bar.finish_and_clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, BarState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &mut BarState, force: bool) {
        let message = state.message(self.jobs);
        match &state.bar {
            Some(bar) => bar.set_message(message),
            None if !self.quiet && (force || state.last_line.elapsed() >= LINE_EVERY) => {
                say(&message);
                state.last_line = Instant::now();
            }
            None => {}
        }
    }
}

impl BarState {
    /// Seconds of work left, if anything is known about it.
    fn seconds_left(&self, jobs: usize) -> Option<f64> {
        let seconds = self
            .left
            .iter()
            .map(|run| self.estimate.seconds(&run.problem, &run.method.to_string()));
        Some(seconds.sum::<Option<f64>>()? / jobs.max(1) as f64)
    }

    fn message(&self, jobs: usize) -> String {
        let left = self
            .seconds_left(jobs)
            .map_or("time left unknown".into(), |seconds| {
                format!("about {} left", duration(seconds))
            });
        let failed = if self.failed > 0 {
            format!(", {} failed", self.failed)
        } else {
            String::new()
        };
        let done = self.total - self.left.len();
        format!(
            "{done} of {} runs{failed}, {} evaluations, {left}",
            self.total, self.evaluations
        )
    }
}

impl RunWatch for LabProgress {
    fn planned(&self, runs: &[PlannedRun], finished: &[TraceHeader]) {
        let mut state = self.state();
        state.left = runs.to_vec();
        state.total = runs.len() + finished.len();
        for header in finished {
            state
                .estimate
                .learn(&header.problem, &header.method, header.seconds);
        }
        if !self.quiet && std::io::stderr().is_terminal() {
            state.bar = Some(bar(state.total as u64, finished.len() as u64));
        }
        self.show(&mut state, true);
    }

    fn evaluated(&self) {
        let mut state = self.state();
        state.evaluations += 1;
        self.show(&mut state, false);
    }

    fn finished(&self, header: &TraceHeader) {
        let mut state = self.state();
        let same = |run: &PlannedRun| {
            run.problem == header.problem
                && run.run == header.run
                && run.method.to_string() == header.method
        };
        state.left.retain(|run| !same(run));
        state
            .estimate
            .learn(&header.problem, &header.method, header.seconds);
        if let Some(bar) = &state.bar {
            bar.inc(1);
        }
        if let Some(error) = &header.error {
            state.failed += 1;
            let line = format!(
                "failed: {} on {}, run {}: {error}",
                header.method, header.problem, header.run
            );
            match &state.bar {
                Some(bar) => bar.println(line),
                None if !self.quiet => say(&line),
                None => {}
            }
        }
        self.show(&mut state, false);
    }
}

fn bar(total: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::new(total).with_position(done);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {elapsed}  {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
