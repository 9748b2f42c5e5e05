//! `neuralbo run`.

use clap::Args;
use neuralbo::study::{StopReason, Study};

use super::{print, stored};
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK};
use crate::interrupt::Interrupt;
use crate::run::args::RunArgs;
use crate::run::engine::Engine;
use crate::run::progress::Progress;
use crate::run::recorder::Recorder;
use crate::run::summary::{Labels, Summary};
use crate::run::{known, setup};
use crate::shared::args::{DEFAULT_STORAGE, STORAGE_VARIABLE};

/// Optimize a program or a built-in function.
#[derive(Debug, Args)]
pub struct RunCommand {
    #[command(flatten)]
    args: RunArgs,
}

impl RunCommand {
    /// Runs the trials and prints the result.
    pub fn execute(self) -> Result<u8, CommandError> {
        let args = &self.args;
        set_threads(args.threads)?;
        if let Some(name) = &args.study {
            return stored::run(args, name);
        }
        refuse_storage_without_study(args)?;
        let interrupt = Interrupt::install().map_err(|error| CommandError::failure("Ctrl-C", error))?;
        let seed = setup::seed(args);
        let problem = setup::problem(args, seed, &interrupt)?;
        let rules = setup::rules(args);
        let strategy = setup::strategy(args, &problem.space, seed)?;
        let known = args.known.as_ref().map_or(Ok(Vec::new()), |path| known::read(path, &problem.space))?;
        let mut recorder = match &args.trace {
            Some(path) => Recorder::with_trace(path, &problem.space, problem.objective.knows_true_values())?,
            None => Recorder::default(),
        };
        let mut study = Study::new(problem.space, problem.direction, strategy);
        if !args.quiet {
            study = study.with_observer(Box::new(Progress::new(rules.trials)));
        }
        for (point, value) in known {
            let trial = study.tell_known(point, value).map_err(|error| CommandError::usage("--known", error))?.clone();
            recorder.record(&trial, &study, None)?;
        }
        let engine =
            Engine { objective: problem.objective.as_ref(), rules: &rules, jobs: args.jobs as usize, interrupt: &interrupt };
        let stop = engine.drive(&mut study, &mut recorder)?;
        let labels = Labels { study: problem.name, method: args.method.clone(), seed };
        self.conclude(&Summary::new(labels, &mut study, &recorder, stop), &study)
    }

    fn conclude(&self, summary: &Summary, study: &Study) -> Result<u8, CommandError> {
        if self.args.json {
            let json = serde_json::to_string(summary).map_err(|error| CommandError::failure("--json", error))?;
            print(&(json + "\n"))?;
        } else {
            print(&summary.text())?;
        }
        if summary.stop == StopReason::Interrupted {
            return Ok(EXIT_INTERRUPTED);
        }
        if summary.best.is_some() {
            return Ok(EXIT_OK);
        }
        let last = study.finished().last().and_then(|trial| trial.failure());
        eprintln!("error: no trial returned a value; the last failure: {}", last.map_or("none".to_owned(), ToString::to_string));
        Ok(EXIT_FAILURE)
    }
}

/// What is said about a storage would be ignored; a storage from the environment is for the other commands.
fn refuse_storage_without_study(args: &RunArgs) -> Result<(), CommandError> {
    for (option, given) in [("--prune", args.work.prune.is_some()), ("--lease", args.work.lease.is_some())] {
        if given {
            return Err(CommandError::usage(option, "it concerns a study in a storage; add --study NAME"));
        }
    }
    let storage = args.storage.storage.as_str();
    let ambient = std::env::var(STORAGE_VARIABLE).unwrap_or_default();
    if storage == DEFAULT_STORAGE || storage == ambient {
        return Ok(());
    }
    Err(CommandError::usage("--storage", "a study in a storage needs a name; add --study NAME"))
}

pub(super) fn set_threads(threads: Option<u64>) -> Result<(), CommandError> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global();
    pool.map_err(|error| CommandError::failure("--threads", error))
}
