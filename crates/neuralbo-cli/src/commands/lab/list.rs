//! `neuralbo lab list`.

use clap::Args;
use neuralbo_lab::experiment::{Profile, Units, paper_methods};
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::problems::PROBLEMS;

use crate::commands::print;
use crate::exit::{CommandError, EXIT_OK};

/// List the problems and the experiments.
#[derive(Debug, Args)]
pub struct ListCommand {}

impl ListCommand {
    /// Prints the problems, then the experiments with their sizes and methods.
    pub fn execute(self) -> Result<u8, CommandError> {
        let mut text = String::from("problems (neuralbo lab eval PROBLEM):\n");
        for entry in PROBLEMS {
            text += &format!("  {:16}  {}\n", entry.name, entry.about);
        }
        text += "\nexperiments (neuralbo lab run EXPERIMENT --profile PROFILE):\n";
        for experiment in EXPERIMENTS {
            for profile in Profile::ALL {
                let size = experiment.size(profile);
                let (name, profile, problems) = (experiment.name(), profile.name(), size.problems.len());
                text += &format!(
                    "  {name:10} {profile:9} {problems:3} problems, {:2} runs, {} evaluations\n",
                    size.runs, size.evaluations
                );
            }
        }
        for experiment in EXPERIMENTS {
            text += &units(experiment.name(), experiment.units());
        }
        let methods: Vec<String> = paper_methods().iter().map(ToString::to_string).collect();
        text += &format!("\nmethods of an experiment: {}\n", methods.join(" "));
        print(&text)?;
        Ok(EXIT_OK)
    }
}

/// What the numbers of an experiment count, where that is not plain.
fn units(name: &str, units: Units) -> String {
    if units == Units::PLAIN {
        return String::new();
    }
    let evaluations = if units.per_dimension { ", evaluations are per dimension" } else { "" };
    format!("({name}: runs are {}{evaluations})\n", units.runs)
}
