//! How far an experiment has come, on standard error.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use neuralbo_lab::runner::{PlannedRun, RunWatch, TimeEstimate, TraceHeader};

use crate::number::duration;
use crate::output::say;

/// The interval of progress lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The interval at which the bar says something new.
const MESSAGE_EVERY: Duration = Duration::from_millis(500);

/// A bar on a terminal, lines every few seconds elsewhere; both with the time left.
pub struct LabProgress {
    jobs: usize,
    quiet: bool,
    state: Mutex<BarState>,
}

struct BarState {
    bar: Option<ProgressBar>,
    estimate: TimeEstimate,
    /// Runs to be made, by problem and method.
    left: BTreeMap<(String, String), usize>,
    total: usize,
    failed: usize,
    evaluations: u64,
    shown: Instant,
}

impl LabProgress {
    /// Nothing is shown before the plan is known.
    pub fn new(jobs: usize, quiet: bool) -> Self {
        let state = BarState {
            bar: None,
            estimate: TimeEstimate::default(),
            left: BTreeMap::new(),
            total: 0,
            failed: 0,
            evaluations: 0,
            shown: Instant::now(),
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

    /// Says how far it has come, if it is time. The time left is a sum over all problems and methods: too much for every evaluation, and
    /// all runs wait for the lock.
    fn show(&self, state: &mut BarState, force: bool) {
        let every = state.bar.as_ref().map_or(LINE_EVERY, |_| MESSAGE_EVERY);
        if self.quiet || !force && state.shown.elapsed() < every {
            return;
        }
        state.shown = Instant::now();
        let message = state.message(self.jobs);
        match &state.bar {
            Some(bar) => bar.set_message(message),
            None => say(&message),
        }
    }
}

impl BarState {
    /// Seconds of work left, if anything is known about it.
    fn seconds_left(&self, jobs: usize) -> Option<f64> {
        let seconds = self.left.iter().map(|((problem, method), runs)| {
            Some(*runs as f64 * self.estimate.seconds(problem, method)?)
        });
        Some(seconds.sum::<Option<f64>>()? / jobs.max(1) as f64)
    }

    fn message(&self, jobs: usize) -> String {
        let left = match self.seconds_left(jobs) {
            None => "time left unknown".into(),
            Some(seconds) if seconds < 1.0 => "less than a second left".into(),
            Some(seconds) => format!("about {} left", duration(seconds)),
        };
        let failed = if self.failed > 0 {
            format!(", {} failed", self.failed)
        } else {
            String::new()
        };
        let done = self.total - self.left.values().sum::<usize>();
        format!(
            "{done} of {} runs{failed}, {} evaluations, {left}",
            self.total, self.evaluations
        )
    }
}

impl RunWatch for LabProgress {
    fn planned(&self, runs: &[PlannedRun], finished: &[TraceHeader]) {
        let mut state = self.state();
        for run in runs {
            let same = (run.problem.clone(), run.method.to_string());
            *state.left.entry(same).or_default() += 1;
        }
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
        let same = (header.problem.clone(), header.method.clone());
        if let Some(runs) = state.left.get_mut(&same) {
            *runs = runs.saturating_sub(1);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_runs_left_on_all_workers() {
        let progress = LabProgress::new(2, true);
        let mut state = progress.state();
        let pair = |method: &str| ("levy-2".to_owned(), method.to_owned());
        state.left = [(pair("random"), 2), (pair("gp-ei"), 1), (pair("rf"), 0)].into();
        (state.total, state.evaluations) = (5, 7);
        assert_eq!(
            state.message(2),
            "2 of 5 runs, 7 evaluations, time left unknown"
        );
        state.estimate.learn("levy-2", "random", 3.0);
        state.estimate.learn("levy-2", "gp-ei", 14.0);
        assert_eq!(
            state.message(2),
            "2 of 5 runs, 7 evaluations, about 10 s left"
        );
        // Regression: this was "about 0 ms left".
        state.left.clear();
        assert_eq!(
            state.message(2),
            "5 of 5 runs, 7 evaluations, less than a second left"
        );
    }
}
