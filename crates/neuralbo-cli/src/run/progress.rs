//! Progress of a run on standard error: a bar on a terminal, a few lines otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use neuralbo::drive::{Observer, RunStanding, Waiting};
use neuralbo::record::{Failure, FailureKind, Limits, StopReason, Trial};
use neuralbo::store::{Counts, Told};
use unicode_width::UnicodeWidthStr;

use crate::number::{duration, number};
use crate::output::{counted, say, set_bar, time_of_day};
use crate::platform::{Platform, System};

/// How often a line is printed when nothing improves.
const LINE_EVERY: Duration = Duration::from_secs(30);

const WITH_END: &str = "{bar:20} {pos}/{len} trials  {msg}";
const WITHOUT_END: &str = "{spinner} {pos} trials in {elapsed}  {msg}";
/// Without the bar, for terminals narrower than usual: the best value matters more.
const NARROW: &str = "{pos}/{len} trials  {msg}";
/// What these take besides the numbers, and the longest time.
const AROUND_COUNTS: usize = "12345678901234567890 / trials  ".len();
const AROUND_NARROW: usize = "/ trials  ".len();
/// The width of a terminal that does not tell it.
const USUAL_WIDTH: usize = 80;

/// Shows trials as they finish.
pub struct RunProgress {
    quiet: bool,
    bar: Option<ProgressBar>,
    /// What the bar takes of the line.
    around: usize,
    last_line: Instant,
    /// The best as the last line showed it.
    last_best: String,
    /// How many trials failed in this run, by kind.
    failures: BTreeMap<FailureKind, u64>,
    last_failure: Option<Failure>,
    start: Start,
    /// Trials that this run evaluates, and how many of others it said to wait for.
    own: BTreeSet<u64>,
    waiting_for: Option<u64>,
}

impl RunProgress {
    /// A bar up to the limit of trials on a terminal, lines otherwise, nothing when `quiet`.
    pub fn new(limits: &Limits, own_limit: Option<u64>, counts: &Counts, quiet: bool) -> Self {
        let (template, around) = match limits.trials {
            None => (WITHOUT_END, AROUND_COUNTS),
            Some(_) if width() < USUAL_WIDTH => (NARROW, AROUND_NARROW),
            Some(_) => (WITH_END, AROUND_COUNTS),
        };
        let bar = (!quiet && std::io::stderr().is_terminal())
            .then(|| bar(template, limits.trials, evaluated(counts)));
        set_bar(bar.clone());
        Self {
            quiet,
            bar,
            around,
            last_line: Instant::now(),
            last_best: String::new(),
            failures: BTreeMap::new(),
            last_failure: None,
            start: Start {
                at: Instant::now(),
                before: evaluated(counts),
                limit: limits.trials,
                own_limit,
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
        let (evaluated, best) = (evaluated(&standing.counts), best(standing));
        // An improvement that the digits do not show is not said again.
        let is_news = standing.improved && best != self.last_best;
        match &self.bar {
            Some(bar) => {
                let room = room(evaluated, self.start.limit, self.around);
                bar.set_position(evaluated);
                bar.set_message(fitted(&self.parts(standing), room));
            }
            None if is_news || self.last_line.elapsed() >= LINE_EVERY => {
                let text = fitted(&self.parts(standing), usize::MAX);
                let finished = standing.counts.finished();
                self.line(&format!("{finished} finished: {text}"));
                self.last_best = best;
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
        let reason = match reason {
            StopReason::Trials(count) if self.start.is_own(*count) => {
                format!("{} of this worker done", counted(*count, "trial"))
            }
            reason => reason.to_string(),
        };
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

    /// What there is to say, the most important first.
    fn parts(&self, standing: &RunStanding) -> Vec<String> {
        let counts = &standing.counts;
        let here = self.own.len() as u64;
        let running = match counts.running.saturating_sub(here) {
            0 if here < 2 => None,
            0 => Some(format!("{here} running")),
            others => Some(format!("{here} running here and {others} elsewhere")),
        };
        let some = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let Pace { rate, left } = self.start.at(evaluated(counts));
        let kinds: Vec<String> = self
            .failures
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let failed_here = (!kinds.is_empty()).then(|| format!("({})", kinds.join(", ")));
        let parts = [
            Some(best(standing)),
            some(counts.failed, "failed"),
            some(counts.pruned, "pruned"),
            left,
            running,
            rate,
            failed_here,
        ];
        parts.into_iter().flatten().collect()
    }
}

/// As many of the parts as there is room for, each whole: a number that is cut is another number.
fn fitted(parts: &[String], room: usize) -> String {
    let mut text = String::new();
    for part in parts {
        let separator = if text.is_empty() { "" } else { ", " };
        if text.width() + separator.len() + part.width() <= room {
            text += separator;
            text += part;
        }
    }
    text
}

/// The room beside the bar, if there is one, and the counts.
fn room(evaluated: u64, limit: Option<u64>, around: usize) -> usize {
    let counts = [Some(evaluated), limit].into_iter().flatten();
    let digits: usize = counts.map(|count| count.to_string().len()).sum();
    // A line that fills the terminal wraps.
    width().saturating_sub(around + digits + 1)
}

fn width() -> usize {
    System::terminal_size().map_or(USUAL_WIDTH, |(columns, _)| columns)
}

fn best(standing: &RunStanding) -> String {
    let best = match standing.front {
        None => standing
            .best
            .map(|(trial, value)| format!("best {} (trial {trial})", number(value))),
        Some(front) => (front.size > 0).then(|| {
            let trials = counted(front.size as u64, "trial");
            let volume = front.hypervolume.map(number);
            let volume = volume.map_or(String::new(), |volume| format!(", hypervolume {volume}"));
            format!("{trials} on the front{volume}")
        }),
    };
    let none = if standing.counts.complete > 0 {
        "no feasible trial yet"
    } else {
        "no value yet"
    };
    best.unwrap_or_else(|| none.to_owned())
}

/// Since when trials of a run are counted.
struct Start {
    at: Instant,
    /// Trials that had finished before it.
    before: u64,
    limit: Option<u64>,
    /// The limit of this process alone.
    own_limit: Option<u64>,
}

/// How fast a run goes, and how long the rest takes.
#[derive(Default)]
struct Pace {
    rate: Option<String>,
    left: Option<String>,
}

impl Start {
    /// Whether so many trials are the limit of this process and not of the study.
    fn is_own(&self, count: u64) -> bool {
        self.own_limit == Some(count) && self.limit != Some(count)
    }

    /// Nothing before a second has passed.
    fn at(&self, evaluated: u64) -> Pace {
        let seconds = self.at.elapsed().as_secs_f64();
        let done = evaluated.saturating_sub(self.before);
        if seconds < 1.0 || done == 0 {
            return Pace::default();
        }
        let rate = done as f64 / seconds;
        let left = self.limit.map(|limit| limit.saturating_sub(evaluated));
        let left = left.filter(|left| *left > 0);
        Pace {
            rate: Some(pace(rate)),
            left: left.map(|left| format!("about {} left", duration(left as f64 / rate))),
        }
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

fn bar(template: &str, trials: Option<u64>, position: u64) -> ProgressBar {
    let bar = trials.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position(position);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_width_cuts_a_number() {
        let parts = [
            "best 8.03137e-8 (trial 1234)",
            "7 failed",
            "189 pruned",
            "about 4 min 5 s left",
        ]
        .map(str::to_owned);
        for room in 0..100 {
            let text = fitted(&parts, room);
            assert!(text.len() <= room, "{text}");
            let mut shown = text.split(", ").filter(|part| !part.is_empty());
            assert!(shown.all(|part| parts.contains(&part.to_owned())), "{text}");
        }
        // Beside the bar on 80 columns, after trial 16 of 60.
        let room = USUAL_WIDTH - AROUND_COUNTS - 5;
        assert_eq!(fitted(&parts, room), parts[..2].join(", "));
        assert_eq!(fitted(&parts, usize::MAX), parts.join(", "));
    }
}
