//! `neuralbo lab run`: an experiment of the lab.

use std::path::{Path, PathBuf};

use clap::Args;
use neuralbo_lab::experiments::{self, EXPERIMENTS};
use neuralbo_lab::method::MethodSpec;
use neuralbo_lab::report::Reported;
use neuralbo_lab::runner::{
    LabError, LabSettings, NoiseLevel, Profile, Runner, RunnerResults, Shard,
};

use super::progress::LabProgress;
use crate::commands::print;
use crate::invocation;
use crate::output::{CommandError, EXIT_OK, OrCommandError};

const EXAMPLES: &str = "\
Each run of a method on a problem is one file, written when the run ends: stop the command at any time and start it again to
continue. A method that fails is reported and does not stop the rest.

Examples:
  neuralbo lab run synthetic --profile quick
  neuralbo lab run bbob --problems f1-d5,f8-d5 --runs 3 --methods neuralbo,gp-ei,random
  neuralbo lab run push --methods \"ext:python examples/external_method.py\" --evals 100
  neuralbo lab run bbob --problems f1..24-d5 --runs 1-5 --noise 0.1mad --methods neuralbo
  neuralbo lab run synthetic --problems levy-100@shifted --initial 20 --noise 0.01range
  neuralbo lab run objectives --problems zdt1-10,bi-f01-f08-d05 --methods neuralbo,nsga2
  neuralbo lab run synthetic --profile paper --shard 2/16 --out part-2
  neuralbo lab report lab-results";

/// Run an experiment: methods on problems.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabRunCommand {
    #[arg(help = names(), value_parser = experiments::find)]
    experiment: &'static Reported,
    /// How much is run: quick, standard or paper (see `neuralbo lab list`)
    #[arg(long, value_name = "PROFILE", default_value_t = Profile::Standard)]
    profile: Profile,
    /// Methods: NAME, NAME:KEY=VALUE,… or ext:COMMAND (takes the rest), separated by commas; may be repeated
    #[arg(long, value_name = "LIST")]
    methods: Vec<String>,
    /// Problems, separated by commas, such as ackley-10, bbob-f08-d05 or f1..24-d5
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    problems: Option<Vec<String>>,
    /// Number of runs, or the first and the last one as A-B; of bbob instances
    #[arg(long, value_name = "N", value_parser = runs)]
    runs: Option<(u32, u32)>,
    /// Evaluations of a run after the initial design; of bbob and objectives per dimension
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    evals: Option<u64>,
    /// Runs at the same time; each uses one thread [default: all cores]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Option<u64>,
    /// The part of the runs to make, such as 2/16: for several machines, whose folders are copied together afterwards
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The folder for the results; each experiment has its own in it
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    out: PathBuf,
    /// Noise of synthetic and bbob: none, code (0.1 standard deviations), text (variance 1 % of the range), or a share of the
    /// function's range, sd or mad (median absolute deviation), such as 0.1sd [default: code, of bbob none]
    #[arg(long, value_name = "LEVEL")]
    noise: Option<NoiseLevel>,
    /// Points of the shared initial design of synthetic; 0: every method starts by itself [default: one more than coordinates]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    initial: Option<u64>,
    /// Other choices of the methods on the same problems, designs and noise
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(0..1 << 32))]
    seed: Option<u64>,
    /// Where the data is [default: the variable NEURALBO_DATA, ../shared/data or data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Make runs again that failed before
    #[arg(long)]
    retry_failed: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl LabRunCommand {
    /// Makes the runs and prints a summary.
    pub fn execute(self) -> Result<u8, CommandError> {
        let workers = self.workers.map_or_else(cores, |workers| workers as usize);
        let folder = self.out.join(self.experiment.run.name);
        let (retry, quiet) = (self.retry_failed, self.quiet);
        let out = self.out.clone();
        let runner = Runner::new(self.settings()?, folder.clone(), workers)
            .map_err(lab_error)?
            .retry_failed(retry);
        let words = invocation::arguments()
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let progress = LabProgress::new(workers, quiet);
        let results = runner.execute(words, &progress).map_err(lab_error)?;
        progress.close();
        print(&summary(&results, &folder, &out))?;
        Ok(EXIT_OK)
    }

    fn settings(self) -> Result<LabSettings, CommandError> {
        let methods: Result<Vec<Vec<MethodSpec>>, _> = self
            .methods
            .iter()
            .map(|text| MethodSpec::parse_list(text))
            .collect();
        let methods = methods.or_usage("--methods")?.concat();
        Ok(LabSettings {
            methods: (!methods.is_empty()).then_some(methods),
            problems: self.problems,
            first_run: self.runs.map_or(1, |(first, _)| first),
            runs: self.runs.map(|(_, last)| last),
            evaluations: self.evals,
            noise: self.noise,
            initial: self.initial.map(|count| count as usize),
            seed: self.seed,
            data: self.data,
            shard: self.shard,
            server: invocation::again(),
            commit: crate::COMMIT.to_owned(),
            ..LabSettings::new(&self.experiment.run, self.profile)
        })
    }
}

/// All names, as a sentence has them.
fn names() -> String {
    let names: Vec<&str> = EXPERIMENTS
        .iter()
        .map(|experiment| experiment.run.name)
        .collect();
    names.split_last().map_or(String::new(), |(last, others)| {
        format!("{} or {last}", others.join(", "))
    })
}

/// `3` for runs 1 to 3, `6-15` for those.
fn runs(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or(("1", text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if (1..=last).contains(&first) && last <= 200_000 => {
            Ok((first, last))
        }
        _ => Err("write a number from 1 to 200000, or the first and the last run as 6-15".into()),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Wrong input is told from what goes wrong while running.
fn lab_error(error: LabError) -> CommandError {
    match error {
        LabError::UnknownProblem { .. } | LabError::Problem(_) => {
            CommandError::usage("--problems", error)
        }
        LabError::OtherSettings { .. } => CommandError::usage("--out", error),
        LabError::Data(_) => CommandError::usage("--data", error),
        LabError::File { .. } | LabError::Impossible(_) => CommandError::Failure(error.to_string()),
    }
}

fn summary(results: &RunnerResults, folder: &Path, out: &Path) -> String {
    let failed: Vec<_> = results
        .traces
        .iter()
        .filter(|trace| trace.header.error.is_some())
        .collect();
    let (all, fresh) = (results.traces.len(), results.fresh);
    let runs = if all == 1 { "run" } else { "runs" };
    let mut text = format!(
        "{all} {runs} in {} ({fresh} made now, {} failed)\n",
        folder.display(),
        failed.len()
    );
    for trace in failed {
        let header = &trace.header;
        let error = header.error.as_deref().unwrap_or_default();
        text += &format!(
            "failed: {} on {}, run {}: {error}\n",
            header.method, header.problem, header.run
        );
    }
    text + &format!(
        "figures and tables: neuralbo lab report {}\n",
        out.display()
    )
}
