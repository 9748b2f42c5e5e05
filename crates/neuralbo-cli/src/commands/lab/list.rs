//! `neuralbo lab list`.

use std::collections::BTreeMap;

use clap::Args;
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::method::BASELINES;
use neuralbo_lab::problems::{Control, PROBLEMS};
use neuralbo_lab::report::Reported;
use neuralbo_lab::runner::{Profile, SizeUnits, paper_methods, run_seconds};

use crate::commands::print;
use crate::output::{CommandError, EXIT_OK};

/// List the problems and the experiments.
#[derive(Debug, Args)]
pub struct ListCommand {
    /// Print the processor time that each experiment needs, by profile and method, from measured times of suggestions
    #[arg(long)]
    cost: bool,
}

impl ListCommand {
    /// Prints the problems, then the experiments with their sizes and methods; or what they cost.
    pub fn execute(self) -> Result<u8, CommandError> {
        print(&if self.cost { costs() } else { contents() })?;
        Ok(EXIT_OK)
    }
}

fn contents() -> String {
    let mut text = String::from("problems (neuralbo lab eval PROBLEM):\n");
    for entry in PROBLEMS {
        text += &format!("  {:16}  {}\n", entry.name, entry.about);
    }
    text +=
        "controls (PROBLEM@CONTROL, such as ackley-50@moved; in doses @moved-0.05, @offset-0.5):\n";
    for control in Control::ALL {
        text += &format!("  @{:15}  {}\n", control.name(), control.about());
    }
    text += "\nexperiments (neuralbo lab run EXPERIMENT --profile PROFILE):\n";
    for experiment in EXPERIMENTS {
        for profile in Profile::ALL {
            let size = (experiment.run.size)(profile);
            let (name, profile, problems) =
                (experiment.run.name, profile.name(), size.problems.len());
            text += &format!(
                "  {name:10} {profile:9} {problems:3} {}, {:2} {}, {} evaluations\n",
                if problems == 1 { "problem" } else { "problems" },
                size.runs,
                if size.runs == 1 { "run" } else { "runs" },
                size.evaluations
            );
        }
    }
    for experiment in EXPERIMENTS {
        text += &units(experiment.run.name, experiment.run.units);
    }
    let methods: Vec<String> = paper_methods().iter().map(ToString::to_string).collect();
    text += &format!("\nmethods of an experiment: {}\n", methods.join(" "));
    text += "baselines that only the lab has:\n";
    for method in BASELINES {
        text += &format!("  {:16}  {}\n", method.name, method.summary);
    }
    text
}

/// The units of an experiment's numbers, if not obvious.
fn units(name: &str, units: SizeUnits) -> String {
    if units == SizeUnits::PLAIN {
        return String::new();
    }
    let evaluations = if units.per_dimension {
        ", evaluations are per dimension"
    } else {
        ""
    };
    format!("({name}: runs are {}{evaluations})\n", units.runs)
}

/// Processor hours by experiment, method and profile.
fn costs() -> String {
    let mut text = format!(
        "{:40} {:>10} {:>10} {:>10}\n",
        "processor hours", "quick", "standard", "paper"
    );
    let mut totals = [0.0; 3];
    for experiment in EXPERIMENTS {
        let by_profile = Profile::ALL.map(|profile| hours(experiment, profile));
        let sums = by_profile
            .each_ref()
            .map(|hours| hours.values().sum::<f64>());
        totals
            .iter_mut()
            .zip(sums)
            .for_each(|(total, sum)| *total += sum);
        text += &line(experiment.run.name, sums);
        for method in by_profile[0].keys() {
            text += &line(
                &format!("  {method}"),
                by_profile.each_ref().map(|hours| hours[method]),
            );
        }
    }
    text + &line("all experiments", totals)
        + "Each run uses one thread; the time of evaluations is not counted.\n"
}

fn line(name: &str, hours: [f64; 3]) -> String {
    let [quick, standard, paper] = hours.map(|hours| format!("{hours:.3}"));
    format!("{name:40} {quick:>10} {standard:>10} {paper:>10}\n")
}

/// By method; what was never measured costs NaN.
fn hours(experiment: &Reported, profile: Profile) -> BTreeMap<String, f64> {
    let size = (experiment.run.size)(profile);
    let of = |method: &neuralbo_lab::method::MethodSpec| {
        let runs = f64::from(size.runs);
        let seconds = size.problems.iter().map(|problem| {
            let load = (experiment.run.load)(problem, size.evaluations);
            run_seconds(&method.to_string(), load).unwrap_or(f64::NAN)
        });
        (method.to_string(), runs * seconds.sum::<f64>() / 3600.0)
    };
    (experiment.run.methods)().iter().map(of).collect()
}
