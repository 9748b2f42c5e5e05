//! The options of `neuralbo run`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use neuralbo::drive::{DriveOptions, Stop};
use neuralbo::limits::{ATTEMPTS, NUMBER};
use neuralbo::record::{Direction, FailureKind, Limits, Pruner, PrunerError, Retries};
use neuralbo::store::{Store, StudyRecord};
use neuralbo::study::Worker;
use neuralbo_store::worker::this_process;
use neuralbo_store::{Access, Secret, has_password, open_for, suspicion};

use super::goals::GoalArgs;
use crate::duration;
use crate::output::{CommandError, OrCommandError, say};
use crate::process;

/// Trials of a study for which no rule to stop is given.
const DEFAULT_TRIALS: u64 = 100;
/// The storage used when none is named.
pub const DEFAULT_STORAGE: &str = "neuralbo.db";
/// The variable that names the storage.
pub const STORAGE_VARIABLE: &str = "NEURALBO_STORAGE";
/// The lease of workers of stored studies that are told no other.
const DEFAULT_LEASE: Duration = Duration::from_secs(60);

// Headings of the help.
pub const PROBLEM: &str = "Problem";
const METHOD: &str = "Method";
pub const STOP: &str = "Stop";
const PROGRAMS: &str = "Programs";
const STORAGE: &str = "Storage";
const OUTPUT: &str = "Output";

const USAGE: &str = "\
neuralbo run [OPTIONS] --param NAME=DOMAIN… -- COMMAND [ARGUMENT]…
       neuralbo run [OPTIONS] --space FILE -- COMMAND [ARGUMENT]…
       neuralbo run [OPTIONS] --function NAME
       neuralbo run FILE [OPTIONS]
       neuralbo run --study NAME [OPTIONS] -- COMMAND [ARGUMENT]…    (a study that exists)";

const EXAMPLES: &str = "\
Value: the last non-empty line the program prints on standard output, a number or a JSON object with a number `value`. With
several objectives or outcome constraints: an object with a number under each name, or the numbers in the order of the options.

Examples:
  neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}
  neuralbo run --param 'lr=float(1e-5,1e-1,log)' --param 'layers=int(1,4)' --direction maximize --timeout 2h --trial-timeout 10m \\
      --trace trace.csv -- python train.py --lr={lr} --layers={layers}
  neuralbo run --space space.toml --workers 4 --json -- ./simulate
  neuralbo run --function ackley --dim 10 --noise 0.1 --trials 200
  neuralbo run run.toml --trials 200
  neuralbo run --study tuning --param 'lr=float(1e-5,1e-1,log)' --trials 100 -- python train.py --lr={lr}
  neuralbo run --objective loss:minimize --objective latency:minimize --outcome-constraint 'memory <= 4e9' --param 'width=int(8,512,log)' \\
      -- python train.py --width={width}

Exit codes: 0 result found, 1 error or no feasible trial, 2 invalid input, 130 interrupted (the result so far is printed).";

/// Optimize a program or a built-in function.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(group = clap::ArgGroup::new("objective").required(true).multiple(true).args(["command", "function", "study"]))]
pub struct RunArgs {
    /// A run file, with the options below as keys (see `neuralbo init`); options override it
    #[arg(value_name = "FILE", help_heading = PROBLEM)]
    pub file: Option<PathBuf>,
    /// A parameter: NAME=float(LOW,HIGH[,log][,step=S]), int(LOW,HIGH[,log][,step=S]), choice(A,B,…), ordinal(A,B,…), bool or a
    /// fixed value; ` if CONDITION` at the end makes it conditional. A stored study knows its parameters
    #[arg(long = "param", value_name = "NAME=DOMAIN", conflicts_with_all = ["space", "function"], help_heading = PROBLEM)]
    pub parameters: Vec<String>,
    /// Read the parameters from a TOML or JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "function", help_heading = PROBLEM)]
    pub space: Option<PathBuf>,
    /// A constraint on the parameters, e.g. 'x + y <= 1' or 'kernel == rbf or C < 10'; may be repeated
    #[arg(long = "constraint", value_name = "EXPRESSION", allow_hyphen_values = true, help_heading = PROBLEM)]
    pub constraints: Vec<String>,
    /// Whether smaller or larger values are better [default: minimize]
    #[arg(long, value_enum, conflicts_with_all = ["function", "objectives"], help_heading = PROBLEM)]
    pub direction: Option<Way>,
    #[command(flatten)]
    pub goals: GoalArgs,
    /// Optimize a built-in function (see `neuralbo functions`) instead of a program
    #[arg(long, value_name = "NAME", conflicts_with = "trial_timeout", help_heading = PROBLEM)]
    pub function: Option<String>,
    /// Number of coordinates of the built-in function
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "command", help_heading = PROBLEM)]
    pub dim: Option<usize>,
    /// Standard deviation of the noise added to the built-in function
    #[arg(long, value_name = "SD", allow_negative_numbers = true, conflicts_with = "command", value_parser = noise, help_heading = PROBLEM)]
    pub noise: Option<f64>,
    /// Known results: a CSV file with a column per parameter and per value, such as a trace file
    #[arg(long, value_name = "FILE", help_heading = PROBLEM)]
    pub known: Option<PathBuf>,

    /// The method (see `neuralbo methods`) [default: neuralbo]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub method: Option<String>,
    /// An option of the method; may be repeated
    #[arg(long = "option", value_name = "KEY=VALUE", help_heading = METHOD)]
    pub options: Vec<String>,
    /// Seed for reproducible runs [default: random, and printed]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = METHOD)]
    pub seed: Option<u64>,

    /// Stop after this many trials [default: 100 without any other stopping rule]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=NUMBER), help_heading = STOP)]
    pub trials: Option<u64>,
    /// Stop when the best value is at least this good
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite, help_heading = STOP)]
    pub target: Option<f64>,
    /// Stop after this many trials without an improvement
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=NUMBER), help_heading = STOP)]
    pub patience: Option<u64>,

    #[command(flatten)]
    pub work: WorkArgs,
    /// Maximum attempts per trial, after lost workers or retried failures [default: 3]
    #[arg(long, value_name = "N", value_parser = count(1..=ATTEMPTS), help_heading = PROGRAMS)]
    pub attempts: Option<u64>,
    /// Kinds of failures that are retried, separated by commas [default: signal]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = PROGRAMS)]
    pub retry: Option<Vec<String>>,

    /// Store the study under this name; the same command continues it, and without COMMAND it is only created
    #[arg(long, value_name = "NAME", help_heading = STORAGE)]
    pub study: Option<String>,
    #[command(flatten)]
    pub storage: StorageArgs,
    /// Change the stored study to the given options; its trials are kept
    #[arg(long, requires = "study", help_heading = STORAGE)]
    pub force: bool,
    /// Rename a parameter of the study and of its trials; may be repeated
    #[arg(long = "rename", value_name = "OLD=NEW", requires = "study", value_parser = rename, help_heading = STORAGE)]
    pub renames: Vec<(String, String)>,

    /// Write one CSV row per finished trial
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub trace: Option<PathBuf>,

    /// The program and its arguments; {NAME} is replaced by the parameter's value, {{ and }} are literal braces
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "function")]
    pub command: Vec<String>,
}

impl RunArgs {
    /// Which way is better.
    pub fn direction(&self) -> Direction {
        match self.direction {
            Some(Way::Maximize) => Direction::Maximize,
            Some(Way::Minimize) | None => Direction::Minimize,
        }
    }

    /// The rules to stop that were given.
    pub fn limits(&self) -> Limits {
        Limits {
            trials: self.trials,
            target: self.target,
            patience: self.patience,
        }
    }

    /// The stopping rules of a new study: the given ones, or a number of trials.
    pub fn new_limits(&self) -> Limits {
        let none = self.limits() == Limits::default() && self.work.timeout.is_none();
        Limits {
            trials: self.trials.or(none.then_some(DEFAULT_TRIALS)),
            ..self.limits()
        }
    }

    /// The retry policy that was given, over `other`.
    pub fn retries(&self, other: &Retries) -> Result<Retries, CommandError> {
        let read = |kinds: &Vec<String>| -> Result<Vec<FailureKind>, CommandError> {
            let kinds = kinds.iter().filter(|kind| !kind.is_empty());
            kinds.map(|kind| kind.parse().or_usage("--retry")).collect()
        };
        let kinds = self.retry.as_ref().map_or(Ok(other.kinds.clone()), read)?;
        Ok(Retries {
            attempts: self.attempts.unwrap_or(other.attempts),
            kinds,
        })
    }

    /// Refuses what would be ignored; a storage from the environment is for the other commands.
    pub fn refuse_storage_without_study(&self) -> Result<(), CommandError> {
        if self.study.is_some() {
            return Ok(());
        }
        if self.work.lease.is_some() {
            return Err(CommandError::usage(
                "--lease",
                "it requires a stored study; add --study NAME",
            ));
        }
        if self.storage.is_given() {
            return Err(CommandError::usage(
                "--storage",
                "a stored study requires a name; add --study NAME",
            ));
        }
        Ok(())
    }
}

/// How trials are evaluated, by `run` and by `worker`.
#[derive(Debug, Args)]
pub struct WorkArgs {
    /// Number of parallel programs
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = count(1..=1024), help_heading = PROGRAMS)]
    pub workers: u64,
    /// Kill a program and its descendants after this time; the trial fails
    #[arg(long, value_name = "DURATION", allow_negative_numbers = true, value_parser = duration::parse, help_heading = PROGRAMS)]
    pub trial_timeout: Option<Duration>,
    /// Pass NEURALBO_STORAGE and the PG… variables with secrets to programs; they are removed otherwise
    #[arg(long, help_heading = PROGRAMS)]
    pub keep_env: bool,
    /// Time between SIGTERM and SIGKILL
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = duration::parse, help_heading = PROGRAMS)]
    pub grace: Duration,
    /// Working folder of the programs [default: the current one, or that of the run file]
    #[arg(long, value_name = "DIR", value_parser = folder, value_hint = clap::ValueHint::DirPath, help_heading = PROGRAMS)]
    pub cwd: Option<PathBuf>,
    /// Memory limit per process of a program, such as 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = process::bytes, help_heading = PROGRAMS)]
    pub memory: Option<u64>,
    /// Number of processors per program
    #[arg(long, value_name = "N", value_parser = count(1..=1024), help_heading = PROGRAMS)]
    pub cpus: Option<u64>,
    /// Pruner by intermediate values: median, percentile:25, asha:min=1,factor=3, hyperband:max=81,
    /// patience:steps=10, threshold:5, target:0.1 or none; stored with the study
    #[arg(long, value_name = "PRUNER", value_parser = pruner, help_heading = PROGRAMS)]
    pub prune: Option<Prune>,
    /// Folder for checkpoints, passed to programs as {checkpoint} and NEURALBO_CHECKPOINT; asha then
    /// resumes pruned trials that are promoted
    #[arg(long, value_name = "DIR", help_heading = PROGRAMS)]
    pub checkpoints: Option<PathBuf>,
    /// Start no more trials after this time, such as 90, 60s, 10m, 1.5h
    #[arg(long, value_name = "DURATION", allow_negative_numbers = true, value_parser = duration::parse, help_heading = STOP)]
    pub timeout: Option<Duration>,
    /// Threads of the method; does not affect the points [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=1024), help_heading = METHOD)]
    pub threads: Option<u64>,
    /// Lease of a trial, after which an unreachable worker loses it [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, help_heading = STORAGE)]
    pub lease: Option<Duration>,
    /// Print the result as one JSON object
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short, help_heading = OUTPUT)]
    pub quiet: bool,
}

impl WorkArgs {
    /// How the trials of a study are driven; those of one in a storage have leases.
    pub fn options(&self, stored: bool, stop: Stop) -> DriveOptions {
        let leased = || Worker {
            name: this_process(),
            lease: self.lease.unwrap_or(DEFAULT_LEASE),
        };
        DriveOptions {
            workers: self.workers as usize,
            trials: None,
            timeout: self.timeout,
            worker: if stored { leased() } else { Worker::default() },
            stop,
        }
    }

    /// Limits the threads of the method's computations.
    pub fn set_threads(&self) -> Result<(), CommandError> {
        let Some(threads) = self.threads else {
            return Ok(());
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads as usize)
            .build_global();
        pool.or_failure("--threads")
    }
}

/// The pruner that was given, or that there is to be none.
#[derive(Clone, Debug, PartialEq)]
pub struct Prune(pub Option<Pruner>);

/// Where studies live.
#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Storage: sqlite:///PATH, postgres://…, host=… dbname=…, memory:// or the path of an SQLite file
    #[arg(long, value_name = "URL", env = STORAGE_VARIABLE, default_value = DEFAULT_STORAGE, hide_env_values = true, help_heading = STORAGE)]
    pub storage: Secret,
}

impl StorageArgs {
    /// Whether it is neither the default nor the one that the environment names.
    pub fn is_given(&self) -> bool {
        let ambient = std::env::var(STORAGE_VARIABLE).unwrap_or_default();
        ![DEFAULT_STORAGE, &ambient].contains(&self.url())
    }

    /// Its address, with a password if it has one.
    pub fn url(&self) -> &str {
        self.storage.reveal()
    }

    /// Opens the storage, after warnings.
    pub fn open(&self, access: Access) -> Result<Arc<dyn Store>, CommandError> {
        self.warn();
        Ok(open_for(self.url(), access)?)
    }

    /// Prints warnings about the storage.
    pub fn warn(&self) {
        if self.is_given() && has_password(self.url()) {
            say(
                "--storage: the password is visible in the process list; use PGPASSWORD, ~/.pgpass or NEURALBO_STORAGE instead",
            );
        }
        if let Some(suspicion) = suspicion(self.url()) {
            say(&format!("warning: {suspicion}"));
        }
    }

    /// Opens a storage that exists and finds a study in it.
    pub fn study(
        &self,
        name: &str,
        access: Access,
    ) -> Result<(Arc<dyn Store>, StudyRecord), CommandError> {
        let store = self.open(access)?;
        let record = store.study(name)?;
        Ok((store, record))
    }
}

/// A direction on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Way {
    /// Smaller is better.
    Minimize,
    /// Larger is better.
    Maximize,
}

pub fn count(allowed: std::ops::RangeInclusive<u64>) -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(allowed)
}

pub fn finite(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| "it must be a finite number".to_owned())
}

fn folder(text: &str) -> Result<PathBuf, String> {
    let path = std::path::absolute(text).map_err(|error| error.to_string())?;
    if path.is_dir() {
        Ok(path)
    } else {
        Err("it must be an existing folder".to_owned())
    }
}

fn noise(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|sd| *sd >= 0.0)
        .ok_or_else(|| "it must be a number of at least 0".to_owned())
}

fn pruner(text: &str) -> Result<Prune, PrunerError> {
    if text == "none" {
        Ok(Prune(None))
    } else {
        text.parse().map(Some).map(Prune)
    }
}

fn rename(text: &str) -> Result<(String, String), String> {
    let names = text
        .split_once('=')
        .map(|(old, new)| (old.trim().to_owned(), new.trim().to_owned()));
    names
        .filter(|(old, new)| !old.is_empty() && !new.is_empty())
        .ok_or_else(|| "it must be OLD=NEW".to_owned())
}
