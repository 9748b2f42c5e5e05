//! Drives a study until it ends and prints its result, for `run` and `worker`.

use std::path::Path;

use neuralbo::drive::{DriveError, DriveOptions, Observer, Untold, drive};
use neuralbo::record::{Limits, Outcome, StopReason, Values};
use neuralbo::study::Study;
use neuralbo_store::Keeper;

use super::args::{StorageArgs, WorkArgs};
use super::evaluator::RunObjective;
use super::front::NO_FEASIBLE;
use super::progress::RunProgress;
use super::summary::RunSummary;
use super::trace::TraceFile;
use crate::output::{CommandError, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, answer, say};

/// A run of a study.
pub struct StudyRun<'a> {
    /// The name of the problem.
    pub label: String,
    /// What gives values.
    pub evaluator: &'a RunObjective,
    /// How the loop goes.
    pub options: DriveOptions,
    /// Where the study lives.
    pub storage: &'a StorageArgs,
    /// Whether it lives there, and not in memory.
    pub stored: bool,
    /// Where finished trials are written down.
    pub trace: Option<&'a Path>,
    /// How it is shown.
    pub work: &'a WorkArgs,
}

impl StudyRun<'_> {
    /// Drives the study, prints its result and returns the exit code.
    pub fn run(self, mut study: Study) -> Result<u8, CommandError> {
        let mut trace = self
            .trace
            .map(|path| TraceFile::start(path, &study, self.evaluator))
            .transpose()?;
        self.remark_endless(&study);
        let counts = study.store().counts(study.record().id)?;
        let (limits, quiet) = (study.limits(), self.work.quiet);
        let mut progress = RunProgress::new(&limits, self.options.trials, &counts, quiet);
        let mut keeper = self
            .stored
            .then(|| Keeper::new(self.storage.url(), study.record(), say))
            .transpose()?;
        let mut observers: Vec<&mut dyn Observer> = vec![&mut progress];
        observers.extend(trace.as_mut().map(|trace| trace as &mut dyn Observer));
        observers.extend(keeper.as_mut().map(|keeper| keeper as &mut dyn Observer));
        let run = drive(&mut study, self.evaluator, &self.options, &mut observers);
        progress.clear();
        let run = run.map_err(|error| {
            self.explain(&study, error, keeper.and_then(|keeper| keeper.left()))
        })?;
        let summary = RunSummary::new(self.label, &mut study, self.evaluator, run)?;
        answer(self.work.json, &summary, &summary.text())?;
        let trace_lost = trace.is_some_and(|trace| trace.is_lost());
        Ok(code(&summary, &progress, trace_lost))
    }

    /// Says that nothing ends the run.
    fn remark_endless(&self, study: &Study) {
        let DriveOptions {
            trials, timeout, ..
        } = &self.options;
        let is_endless =
            study.limits() == Limits::default() && trials.is_none() && timeout.is_none();
        if is_endless && !self.work.quiet {
            say(&format!(
                "study `{}` has no limit: the run goes on until it is interrupted; --trials N or --timeout DURATION ends it",
                study.record().name
            ));
        }
    }

    fn explain(&self, study: &Study, error: DriveError, kept: Option<String>) -> CommandError {
        match error {
            DriveError::Study(error) => error.into(),
            DriveError::CannotStart(message) => CommandError::Failure(message),
            DriveError::Untold { error, untold } => {
                let commands: String = untold
                    .iter()
                    .map(|untold| format!("\n  {}", self.tell_command(study, untold)))
                    .collect();
                let kept = kept.map_or(String::new(), |kept| {
                    format!("\nor all of them by `neuralbo recover`: they are kept in `{kept}`")
                });
                CommandError::Failure(format!(
                    "{error}; these results are not stored; store them by{commands}{kept}"
                ))
            }
        }
    }

    /// The command that stores a result.
    fn tell_command(&self, study: &Study, untold: &Untold) -> String {
        let Untold { trial, outcome } = untold;
        let value = |values: &Values| {
            values
                .get(study.definition().objective())
                .copied()
                .unwrap_or(f64::NAN)
        };
        let named = |(name, value): (&String, &f64)| {
            format!("--value {}", quoted(&format!("{name}={value:?}")))
        };
        let what = match outcome {
            Outcome::Value(value) => format!("--value {value:?}"),
            Outcome::Values(values) if values.len() == 1 => format!("--value {:?}", value(values)),
            Outcome::Values(values) => values.iter().map(named).collect::<Vec<_>>().join(" "),
            Outcome::Pruned(_, values) => format!("--pruned {:?}", value(values)),
            Outcome::Failed(failure) => format!(
                "--failed {} --message {}",
                failure.kind,
                quoted(&failure.message)
            ),
            _ => "--failed interrupted".to_owned(),
        };
        let name = quoted(&study.record().name);
        let storage = match self.storage.is_given() {
            true => format!(" --storage {}", quoted(study.store().url())),
            false => String::new(),
        };
        format!(
            "neuralbo tell {name} {} --token {} {what}{storage}",
            trial.number, trial.token
        )
    }
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn code(summary: &RunSummary, progress: &RunProgress, trace_lost: bool) -> u8 {
    if trace_lost {
        return EXIT_FAILURE;
    }
    match summary.stop {
        StopReason::Interrupted => EXIT_INTERRUPTED,
        _ if summary.found.has_result() => EXIT_OK,
        _ if summary.found.has_values() => {
            say(&format!(
                "error: {NO_FEASIBLE}: no trial of `{}` satisfies the outcome constraints",
                summary.study
            ));
            EXIT_FAILURE
        }
        _ => {
            let last = progress
                .last_failure()
                .map_or("none".to_owned(), ToString::to_string);
            say(&format!(
                "error: no trial of `{}` returned a value; the last failure: {last}",
                summary.study
            ));
            EXIT_FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_program_as_they_are() {
        for (text, word) in [
            ("tuning", "tuning"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("-x", "'-x'"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
