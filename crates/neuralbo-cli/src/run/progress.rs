//! Progress of a run on standard error: a bar on a terminal, a few lines otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use neuralbo::drive::{Observer, RunStanding, Waiting};
use neuralbo::record::{Failure, FailureKind, Limits, StopReason, Trial};
use neuralbo::store::{Counts, Told};

use crate::number::{duration, number};
use crate::output::{counted, say, set_bar, time_of_day};

/// How often a line is printed when nothing improves.
const LINE_EVERY: Duration = Duration::from_secs(30);

const WITH_END: &str = "{bar:30} {pos}/{len} trials  {wide_msg}";
const WITHOUT_END: &str = "{spinner} {pos} trials in {elapsed}  {wide_msg}";

/// Shows trials as they finish.
pub struct RunProgress {
    quiet: bool,
    bar: Option<ProgressBar>,
    last_line: Instant,
    /// How many trials failed in this run, by kind.
    failures: BTreeMap<FailureKind, u64>,
    last_failure: Option<Failure>,
    pace: Pace,
    /// Trials that this run evaluates, and how many of others it said to wait for.
    own: BTreeSet<u64>,
    waiting_for: Option<u64>,
}

impl RunProgress {
    /// A bar up to the limit of trials on a terminal, lines otherwise, nothing when `quiet`.
    pub fn new(limits: &Limits, counts: &Counts, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal())
            .then(|| bar(limits.trials, evaluated(counts)));
        set_bar(bar.clone());
        Self {
            quiet,
            bar,
            last_line: Instant::now(),
            failures: BTreeMap::new(),
            last_failure: None,
            pace: Pace {
                start: Instant::now(),
                before: evaluated(counts),
                limit: limits.trials,
            },
            own: BTreeSet::new(),
            waiting_for: None,
        }
    }

    /// The last failure that was told.
    pub fn last_failure(&self) -> Option<&Failure> {
        self.last_failure.as_ref()
    }

    fn line(&mut self, text: &str) {
        if !self.quiet {
            say(text);
            self.last_line = Instant::now();
        }
    }

    /// Says what the run waits for: in the bar, and in a line that stays.
    fn wait(&mut self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
        self.line(text);
    }

    /// Says why a trial failed, once for each kind of failure.
    fn explain(&mut self, trial: &Trial, told: Told) {
        let Some(failure) = trial.failure() else {
            return;
        };
        let count = self.failures.entry(failure.kind).or_default();
        *count += 1;
        if *count == 1 {
            let consequence = if told == Told::Retried {
                "is retried"
            } else {
                "failed"
            };
            self.line(&format!("trial {} {consequence}: {failure}", trial.number));
        }
        self.last_failure = Some(failure.clone());
    }
}

impl Observer for RunProgress {
    fn started(&mut self, trial: &Trial) {
        self.own.insert(trial.number);
    }

    fn told(&mut self, trial: &Trial, told: Told, standing: &RunStanding) {
        self.own.remove(&trial.number);
        self.explain(trial, told);
        let (state, pace) = (
            self.state(standing),
            self.pace.text(evaluated(&standing.counts)),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(if pace.is_empty() {
                    state
                } else {
                    format!("{pace}  {state}")
                });
                bar.set_position(evaluated(&standing.counts));
            }
            None if standing.improved || self.last_line.elapsed() >= LINE_EVERY => {
                let pace = if pace.is_empty() {
                    pace
                } else {
                    format!(" ({pace})")
                };
                let finished = standing.counts.finished();
                self.line(&format!("{finished} finished{pace}: {state}"));
            }
            None => {}
        }
    }

    fn released(&mut self, trial: &Trial, why: &str) {
        self.own.remove(&trial.number);
        self.line(&format!("trial {} is returned: {why}", trial.number));
    }

    fn waiting(&mut self, waiting: &Waiting) {
        match waiting {
            Waiting::Others { running, until_ms } => {
                let others = running.saturating_sub(self.own.len() as u64);
                let again = self.waiting_for.replace(others) == Some(others);
                if others > 0 && (!again || self.last_line.elapsed() >= LINE_EVERY) {
                    let until = until_ms.map(time_of_day).map_or(String::new(), |end| {
                        format!("; the first lease ends at {end} UTC unless it is renewed")
                    });
                    let others = counted(others, "running trial");
                    self.wait(&format!("waiting for {others} of other workers{until}"));
                }
            }
            Waiting::Storage { error, untold } => {
                let kept = counted(*untold as u64, "result");
                self.wait(&format!(
                    "waiting for the storage: {error}; {kept} kept meanwhile"
                ));
            }
        }
    }

    fn stopped(&mut self, reason: &StopReason) {
        self.clear();
        self.line(&format!("stopped: {reason}"));
    }
}

impl RunProgress {
    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            set_bar(None);
            bar.finish_and_clear();
        }
    }

    /// The best so far, what runs and what failed.
    fn state(&self, standing: &RunStanding) -> String {
        let counts = &standing.counts;
        let others = counts.running.saturating_sub(self.own.len() as u64);
        let running = match others {
            0 if self.own.len() < 2 => String::new(),
            0 => format!(", {} running", self.own.len()),
            others => format!(", {} running here and {others} elsewhere", self.own.len()),
        };
        best(standing) + &running + &self.failed(counts.failed)
    }

    /// How many trials of the study failed, and of which kinds those of this run were.
    fn failed(&self, all: u64) -> String {
        let kinds: Vec<String> = self
            .failures
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        match (all, kinds.is_empty()) {
            (0, true) => String::new(),
            (_, true) => format!(", {all} failed"),
            _ => format!(", {all} failed ({})", kinds.join(", ")),
        }
    }
}

fn best(standing: &RunStanding) -> String {
    let best = match standing.front {
        None => standing
            .best
            .map(|(trial, value)| format!("best {} (trial {trial})", number(value))),
        Some(front) => front.hypervolume.map(|volume| {
            let trials = counted(front.size as u64, "trial");
            format!("{trials} on the front, hypervolume {}", number(volume))
        }),
    };
    let none = if standing.counts.complete > 0 {
        "no feasible trial yet"
    } else {
        "no value yet"
    };
    best.unwrap_or_else(|| none.to_owned())
}

/// How fast a run goes.
struct Pace {
    start: Instant,
    /// Trials that had finished before it.
    before: u64,
    limit: Option<u64>,
}

impl Pace {
    /// Trials a second or a minute, and how long the rest takes; nothing before a second has passed.
    fn text(&self, evaluated: u64) -> String {
        let seconds = self.start.elapsed().as_secs_f64();
        let done = evaluated.saturating_sub(self.before);
        if seconds < 1.0 || done == 0 {
            return String::new();
        }
        let rate = done as f64 / seconds;
        let left = self.limit.map(|limit| limit.saturating_sub(evaluated));
        let left = left.filter(|left| *left > 0);
        let left = left.map_or(String::new(), |left| {
            format!(", about {} left", duration(left as f64 / rate))
        });
        format!("{}{left}", pace(rate))
    }
}

/// Trials a second, or a minute where there is less than one.
pub fn pace(rate: f64) -> String {
    if rate >= 1.0 {
        format!("{rate:.1}/s")
    } else {
        format!("{:.1}/min", 60.0 * rate)
    }
}

/// The finished trials that count for a limit.
fn evaluated(counts: &Counts) -> u64 {
    counts.finished().saturating_sub(counts.known)
}

fn bar(trials: Option<u64>, position: u64) -> ProgressBar {
    let bar = trials.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let template = trials.map_or(WITHOUT_END, |_| WITH_END);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position(position);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
