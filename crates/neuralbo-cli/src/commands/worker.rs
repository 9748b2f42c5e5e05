//! `neuralbo worker`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use neuralbo::space::Parameter;
use neuralbo_store::{StoredStudy, StudyRecord};

use super::run::set_threads;
use super::stored::show;
use crate::duration;
use crate::exit::CommandError;
use crate::interrupt::Interrupt;
use crate::run::args::count;
use crate::run::objective::Program;
use crate::shared::args::{StorageArgs, WorkArgs, storage_error};
use crate::shared::summary;
use crate::shared::worker::Worker;
use crate::template::Template;

const EXAMPLE: &str = "\
Example, on as many machines as you like:
  export NEURALBO_STORAGE=postgres://me@db.example.org/studies
  neuralbo worker tuning -- python train.py --lr={lr}";

/// Work on a stored study until it ends; start it k times on k machines.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct WorkerCommand {
    /// The study, made by `neuralbo run --study` or `neuralbo import`
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    #[command(flatten)]
    work: WorkArgs,
    /// How many programs run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=1024), help_heading = "Programs")]
    jobs: u64,
    /// Kill a program, and all it started, after this time; the trial has failed
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, help_heading = "Programs")]
    timeout: Option<Duration>,
    /// Start no more trials after this time
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    time: Option<Duration>,
    /// Threads for the method's own computations; never changes the points [default: all cores]
    #[arg(long, value_name = "N", value_parser = count(1..=1024))]
    threads: Option<u64>,
    /// Print the state of the study at the end as one JSON object
    #[arg(long)]
    json: bool,
    /// Say nothing while working
    #[arg(long, short)]
    quiet: bool,
    /// The program and its arguments; {NAME} is replaced by the parameter's value, {{ and }} are literal braces
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl WorkerCommand {
    /// Works and prints the state of the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let started = Instant::now();
        set_threads(self.threads)?;
        let interrupt = Interrupt::install().map_err(|error| CommandError::failure("Ctrl-C", error))?;
        let (store, record) = self.storage.study(&self.study)?;
        let program = self.program(&record, &interrupt)?;
        let worker = Worker {
            objective: &program,
            jobs: self.jobs,
            args: &self.work,
            time: self.time,
            quiet: self.quiet,
            interrupt: &interrupt,
        };
        let study = StoredStudy::open(store.clone(), record.clone()).map_err(storage_error)?;
        let stop = worker.work(study)?;
        let summary = summary::summary(&store, &record, stop, started.elapsed())?;
        show(&summary, self.json)?;
        Ok(summary::code(&summary))
    }

    fn program(&self, record: &StudyRecord, interrupt: &Arc<Interrupt>) -> Result<Program, CommandError> {
        let space = record.definition.space.clone();
        let names: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
        let template = Template::parse(&self.command, &names).map_err(|error| CommandError::usage("command", error))?;
        Ok(Program { template, space, seed: record.definition.seed, timeout: self.timeout, interrupt: Arc::clone(interrupt) })
    }
}
