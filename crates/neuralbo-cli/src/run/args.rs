//! The options of `neuralbo run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use neuralbo::strategy::presets::DEFAULT_METHOD;

use crate::duration;
use crate::shared::args::{StorageArgs, WorkArgs};

/// Trials of a run for which no rule to stop is given.
pub const DEFAULT_TRIALS: u64 = 100;

const USAGE: &str = "\
neuralbo run [OPTIONS] --param NAME=DOMAIN… -- COMMAND [ARGUMENT]…
       neuralbo run [OPTIONS] --space FILE -- COMMAND [ARGUMENT]…
       neuralbo run [OPTIONS] --function NAME";

const EXAMPLES: &str = "\
Value: the last non-empty line the program prints on standard output, a number or a JSON object with a number `value`.

Examples:
  neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}
  neuralbo run --param 'lr=float(1e-5,1e-1,log)' --param 'layers=int(1,4)' --direction maximize --time 2h --timeout 10m \\
      --trace trace.csv -- python train.py --lr={lr} --layers={layers}
  neuralbo run --space space.toml --jobs 4 --json -- ./simulate
  neuralbo run --function ackley --dim 10 --noise 0.1 --trials 200
  neuralbo run --study tuning --param 'lr=float(1e-5,1e-1,log)' --trials 100 -- python train.py --lr={lr}

Exit codes: 0 result found, 1 something went wrong, 2 wrong input, 130 interrupted (the result so far is printed).";

/// Optimize a program or a built-in function.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(group = clap::ArgGroup::new("objective").required(true).multiple(true).args(["command", "function", "study"]))]
pub struct RunArgs {
    /// A parameter: NAME=float(LOW,HIGH[,log]), int(LOW,HIGH[,log]), choice(A,B,…), bool, or a fixed value
    #[arg(long = "param", value_name = "NAME=DOMAIN", conflicts_with_all = ["space", "function"], help_heading = "Problem")]
    pub parameters: Vec<String>,
    /// Read the parameters from a TOML or JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "function", help_heading = "Problem")]
    pub space: Option<PathBuf>,
    /// Whether smaller or larger values are better [default: minimize]
    #[arg(long, value_enum, conflicts_with = "function", help_heading = "Problem")]
    pub direction: Option<Way>,
    /// Optimize a built-in function (see `neuralbo functions`) instead of a program
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub function: Option<String>,
    /// Number of coordinates of the built-in function
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "command", help_heading = "Problem")]
    pub dim: Option<usize>,
    /// Standard deviation of the noise added to the built-in function
    #[arg(long, value_name = "SD", allow_negative_numbers = true, conflicts_with = "command", value_parser = noise, help_heading = "Problem")]
    pub noise: Option<f64>,
    /// Results known already: a CSV file with a column per parameter and a column `value` (a trace file is one)
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub known: Option<PathBuf>,

    /// How to choose points (see `neuralbo methods`)
    #[arg(long, value_name = "NAME", default_value = DEFAULT_METHOD, help_heading = "Method")]
    pub method: String,
    /// An option of the method; may be repeated
    #[arg(long = "option", value_name = "KEY=VALUE", help_heading = "Method")]
    pub options: Vec<String>,
    /// Makes the run repeatable [default: random, and printed]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Method")]
    pub seed: Option<u64>,
    /// Threads for the method's own computations; never changes the points [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=1024), help_heading = "Method")]
    pub threads: Option<u64>,

    /// Stop after this many trials [default: 100 if no other rule to stop is given]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=u64::MAX), help_heading = "Stop")]
    pub trials: Option<u64>,
    /// Start no more trials after this time, such as 90, 60s, 10m, 1.5h
    #[arg(long, value_name = "DURATION", allow_negative_numbers = true, value_parser = duration::parse, help_heading = "Stop")]
    pub time: Option<Duration>,
    /// Stop when the best value is at least this good
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite, help_heading = "Stop")]
    pub target: Option<f64>,
    /// Stop after this many trials without an improvement
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count(1..=u64::MAX), help_heading = "Stop")]
    pub patience: Option<u64>,

    /// How many programs run at the same time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = count(1..=1024), help_heading = "Programs")]
    pub jobs: u64,
    /// Kill a program, and all it started, after this time; the trial has failed
    #[arg(long, value_name = "DURATION", allow_negative_numbers = true, value_parser = duration::parse, conflicts_with = "function", help_heading = "Programs")]
    pub timeout: Option<Duration>,

    /// Keep the study under this name in a storage; the same command again continues it, and without COMMAND it is only made
    #[arg(long, value_name = "NAME", help_heading = "Storage")]
    pub study: Option<String>,
    #[command(flatten)]
    pub storage: StorageArgs,
    /// Continue a study even if its space, direction or method are different now
    #[arg(long, requires = "study", help_heading = "Storage")]
    pub force: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Most attempts for a trial whose worker dies or whose failure is retried
    #[arg(long, value_name = "N", default_value_t = 3, requires = "study", value_parser = count(1..=1000), help_heading = "Storage")]
    pub attempts: u64,
    /// Kinds of failures after which a trial of a stored study is tried again, separated by commas
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "signal",
        requires = "study",
        help_heading = "Storage"
    )]
    pub retry: Vec<String>,

    /// Write one CSV row per finished trial
    #[arg(long, value_name = "FILE", conflicts_with = "study", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// The program and its arguments; {NAME} is replaced by the parameter's value, {{ and }} are literal braces
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "function")]
    pub command: Vec<String>,
}

/// A direction as it is written on the command line.
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
    text.trim().parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| "it must be a finite number".to_owned())
}

fn noise(text: &str) -> Result<f64, String> {
    finite(text).ok().filter(|sd| *sd >= 0.0).ok_or_else(|| "it must be a number, at least 0".to_owned())
}
