//! `neuralbo lab run`: one of the paper's experiments.

use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::experiment::{
    Campaign, Experiment, LabError, NoiseLevel, Profile, Results, Settings, Shard,
};
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::method::MethodSpec;

use super::progress::CampaignProgress;
use crate::commands::print;
use crate::invocation;
use crate::output::{CommandError, EXIT_OK};

const EXAMPLES: &str = "\
Each run of a method on a problem is one file, written when the run ends: stop the command at any time and start it again to go
on. A method that fails is reported and does not stop the rest.

Examples:
  neuralbo lab run synthetic --profile quick
  neuralbo lab run bbob --problems f1-d5,f8-d5 --runs 3 --methods neuralbo,gp-ei,random
  neuralbo lab run push --methods \"ext:python examples/external_method.py\" --evals 100
  neuralbo lab run synthetic --profile paper --shard 2/16 --out part-2
  neuralbo lab report lab-results";

/// Run one of the paper's experiments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabRunCommand {
    #[arg(help = experiments())]
    experiment: &'static dyn Experiment,
    /// How much is run: quick, standard or paper (see `neuralbo lab list`)
    #[arg(long, value_name = "PROFILE", default_value_t = Profile::Standard)]
    profile: Profile,
    /// Methods: NAME, NAME:KEY=VALUE,… or ext:COMMAND (takes the rest), separated by commas; may be repeated
    #[arg(long, value_name = "LIST")]
    methods: Vec<String>,
    /// Problems, separated by commas, such as ackley-10 or bbob-f08-d05
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    problems: Option<Vec<String>>,
    /// Number of runs; of bbob the number of instances
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000))]
    runs: Option<u32>,
    /// Evaluations of a run after the initial design; of bbob per dimension
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
    /// Noise of the synthetic functions: code (0.1 standard deviations) or text (variance 1 % of the range)
    #[arg(long, value_name = "LEVEL", default_value_t = NoiseLevel::Code)]
    noise: NoiseLevel,
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
    /// Makes the runs and says what came of them.
    pub fn execute(self) -> Result<u8, CommandError> {
        let workers = self.workers.map_or_else(cores, |workers| workers as usize);
        let folder = self.out.join(self.experiment.name());
        let (retry, quiet) = (self.retry_failed, self.quiet);
        let campaign = Campaign::new(self.settings()?, folder.clone(), workers)
            .map_err(lab_error)?
            .retry_failed(retry);
        let words = invocation::arguments()
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let progress = CampaignProgress::new(workers, quiet);
        let results = campaign.execute(words, &progress).map_err(lab_error)?;
        progress.close();
        print(&summary(&results, &folder))?;
        Ok(EXIT_OK)
    }

    fn settings(self) -> Result<Settings, CommandError> {
        let methods: Result<Vec<Vec<MethodSpec>>, _> = self
            .methods
            .iter()
            .map(|text| MethodSpec::parse_list(text))
            .collect();
        let methods = methods
            .map_err(|error| CommandError::usage("--methods", error))?
            .concat();
        Ok(Settings {
            methods: (!methods.is_empty()).then_some(methods),
            problems: self.problems,
            runs: self.runs,
            evaluations: self.evals,
            noise: self.noise,
            data: self.data,
            shard: self.shard,
            server: invocation::again(),
            commit: crate::COMMIT.to_owned(),
            ..Settings::new(self.experiment, self.profile)
        })
    }
}

/// All names, as a sentence has them.
fn experiments() -> String {
    let names: Vec<&str> = EXPERIMENTS
        .iter()
        .map(|experiment| experiment.name())
        .collect();
    names.split_last().map_or(String::new(), |(last, others)| {
        format!("{} or {last}", others.join(", "))
    })
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

fn summary(results: &Results, folder: &std::path::Path) -> String {
    let failed: Vec<_> = results
        .traces
        .iter()
        .filter(|trace| trace.header.error.is_some())
        .collect();
    let (all, fresh) = (results.traces.len(), results.fresh);
    let mut text = format!(
        "{all} runs in {} ({fresh} made now, {} failed)\n",
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
    text
}
