//! `neuralbo worker`.

use clap::Args;
use neuralbo::drive::DriveOptions;
use neuralbo::limits::NUMBER;
use neuralbo::study::Study;
use neuralbo_store::Access;

use crate::interrupt::Interrupt;
use crate::output::CommandError;
use crate::run::args::{STOP, StorageArgs, WorkArgs, count};
use crate::run::evaluator::RunObjective;
use crate::run::study::{change_pruner, continue_study};
use crate::run::study_run::StudyRun;

const EXAMPLE: &str = "\
Example, on as many machines as you like:
  export NEURALBO_STORAGE=postgres://me@db.example.org/studies
  neuralbo worker tuning -- python train.py --lr={lr}";

/// Work on a stored study until it ends; start one per machine or several.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct WorkerCommand {
    /// The study, created by `neuralbo run --study` or `neuralbo import`
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Stop after this many trials of this worker
    #[arg(long, value_name = "N", value_parser = count(1..=NUMBER), help_heading = STOP)]
    trials: Option<u64>,
    #[command(flatten)]
    work: WorkArgs,
    /// The program and its arguments; {NAME} is replaced by the parameter's value, {{ and }} are literal braces
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl WorkerCommand {
    /// Works and prints the state of the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        self.work.set_threads()?;
        let interrupt = Interrupt::install()?;
        let (store, record) = self.storage.study(&self.study, Access::Write)?;
        let mut evaluator =
            RunObjective::program(&self.command, &self.work, &record.definition, &interrupt)?;
        let mut study = Study::open(store, record, neuralbo_paper::registry())?;
        change_pruner(&mut study, &self.work)?;
        evaluator.keep_checkpoints(&self.work, &mut study);
        continue_study(&study, &self.storage, self.work.quiet)?;
        let work = StudyRun {
            label: self.study,
            evaluator: &evaluator,
            options: DriveOptions {
                trials: self.trials,
                ..self.work.options(true, interrupt.stop)
            },
            storage: &self.storage,
            stored: true,
            trace: None,
            work: &self.work,
        };
        work.run(study)
    }
}
