//! `neuralbo run`.

use clap::Args;
use neuralbo::record::Limits;
use serde_json::json;

use crate::interrupt::Interrupt;
use crate::number::number;
use crate::output::{CommandError, EXIT_OK, counted, print, print_json};
use crate::run::args::RunArgs;
use crate::run::evaluator::RunObjective;
use crate::run::study::{StudyRequest, continue_study};
use crate::run::study_run::StudyRun;
use crate::run::trace;

/// Optimize a program or a built-in function.
#[derive(Debug, Args)]
pub struct RunCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl RunCommand {
    /// Makes or continues the study, works on it and prints the result. Everything given is checked before anything is made.
    pub fn execute(self) -> Result<u8, CommandError> {
        let args = &self.args;
        args.refuse_storage_without_study()?;
        args.work.set_threads()?;
        let wanted = StudyRequest::new(args)?;
        args.trace.as_deref().map_or(Ok(()), trace::check_file)?;
        let interrupt = Interrupt::install()?;
        let (mut study, new) = wanted.open()?;
        if args.command.is_empty() && args.function.is_none() {
            return self.announce(&study, new);
        }
        if !new {
            continue_study(&study, &args.storage, args.work.quiet)?;
        }
        // The stored seed, not a new one: programs and noise must see the same one after a restart.
        let mut evaluator = RunObjective::new(args, study.definition(), &interrupt)?;
        evaluator.keep_checkpoints(&args.work, &mut study);
        let work = StudyRun {
            label: wanted.label,
            evaluator: &evaluator,
            options: args.work.options(args.study.is_some(), interrupt.stop),
            storage: &args.storage,
            stored: args.study.is_some(),
            trace: args.trace.as_deref(),
            json: args.work.json,
            quiet: args.work.quiet,
        };
        work.run(study)
    }

    /// Nothing is to be run: the study waits for `neuralbo worker` and `neuralbo ask`.
    fn announce(&self, study: &neuralbo::study::Study, new: bool) -> Result<u8, CommandError> {
        let record = study.record();
        if self.args.work.json {
            print_json(
                &json!({ "study": record.name, "new": new, "limits": record.limits, "version": record.version }),
            )?;
        } else {
            let state = if new { "created" } else { "exists" };
            let limits = limits_text(&record.limits);
            print(&format!("study `{}` {state}; {limits}\n", record.name))?;
        }
        Ok(EXIT_OK)
    }
}

/// When a study ends.
fn limits_text(limits: &Limits) -> String {
    let rules: Vec<String> = [
        limits.trials.map(|count| counted(count, "trial")),
        limits.patience.map(|count| format!("patience {count}")),
        limits
            .target
            .map(|target| format!("target {}", number(target))),
    ]
    .into_iter()
    .flatten()
    .collect();
    match rules.is_empty() {
        true => "no limit".to_owned(),
        false => format!("limits: {}", rules.join(", ")),
    }
}
