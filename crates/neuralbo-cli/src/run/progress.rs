//! What the user sees while a run goes on: a bar on a terminal, a few lines elsewhere. All of it goes to standard error.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use neuralbo::strategy::Origin;
use neuralbo::study::{FailureKind, Observer, StopReason, Trial};

/// How often a line is printed when nothing improves.
const LINE_EVERY: Duration = Duration::from_secs(30);

const WITH_END: &str = "{bar:30} {pos}/{len} trials  {per_sec}  eta {eta}  {wide_msg}";
const WITHOUT_END: &str = "{spinner} {pos} trials  {per_sec}  {elapsed}  {wide_msg}";

/// Shows trials as they finish.
pub struct Progress {
    bar: Option<ProgressBar>,
    last_line: Instant,
    finished: u64,
    failed: u64,
    kinds_shown: BTreeSet<FailureKind>,
}

impl Progress {
    /// A bar up to `trials` on a terminal, lines otherwise.
    pub fn new(trials: Option<u64>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| bar(trials));
        Self { bar, last_line: Instant::now(), finished: 0, failed: 0, kinds_shown: BTreeSet::new() }
    }

    fn line(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
        self.last_line = Instant::now();
    }

    /// Says why a trial failed, once for each kind of failure.
    fn explain(&mut self, trial: &Trial) {
        let Some(failure) = trial.failure() else { return };
        self.failed += 1;
        if failure.kind != FailureKind::Interrupted && self.kinds_shown.insert(failure.kind) {
            self.line(&format!("trial {} failed: {failure}", trial.number));
        }
    }

    fn state(&self, best: Option<&Trial>) -> String {
        let best = best.and_then(|trial| Some(format!("best {} (trial {})", short(trial.value()?), trial.number)));
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        best.unwrap_or_else(|| "no value yet".to_owned()) + &failed
    }
}

impl Observer for Progress {
    fn finished(&mut self, trial: &Trial, best: Option<&Trial>, improved: bool) {
        self.finished += 1;
        self.explain(trial);
        let state = self.state(best);
        match &self.bar {
            Some(bar) => {
                bar.set_message(state);
                bar.inc(u64::from(trial.origin != Origin::Known));
            }
            None if improved || self.last_line.elapsed() >= LINE_EVERY => {
                self.line(&format!("{} finished: {state}", self.finished))
            }
            None => {}
        }
    }

    fn stopped(&mut self, reason: &StopReason) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("stopped: {reason}");
    }
}

/// Six digits, with an exponent where they would not show.
pub fn short(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if plain { format!("{value:.6}") } else { format!("{value:.5e}") }
}

fn bar(trials: Option<u64>) -> ProgressBar {
    let bar = trials.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    if let Ok(style) = ProgressStyle::with_template(if trials.is_some() { WITH_END } else { WITHOUT_END }) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
