//! `neuralbo lab list`.

use clap::Args;
use neuralbo_lab::experiment::{Kind, Profile, default_methods, size};
use neuralbo_lab::problems::names;

use crate::commands::print;
use crate::exit::{CommandError, EXIT_OK};

/// Problems of `lab eval` beside the synthetic ones.
const OTHERS: [(&str, &str); 4] = [
    ("bbob", "COCO's 24 functions: --function 1-24 --instance N --dim D"),
    ("push", "robot pushing, 14 coordinates, maximized"),
    ("rover", "rover trajectory, 60 coordinates, maximized"),
    ("sensitive", "sensitive samples of a digit classifier, 49 coordinates, maximized; needs the MNIST files"),
];

/// List the problems and the experiments.
#[derive(Debug, Args)]
pub struct ListCommand {}

impl ListCommand {
    /// Prints the problems, then the experiments with their sizes and methods.
    pub fn execute(self) -> Result<u8, CommandError> {
        let mut text = String::from("problems (neuralbo lab eval PROBLEM):\n");
        for name in names() {
            text += &format!("  {name:16}  synthetic\n");
        }
        for (name, what) in OTHERS {
            text += &format!("  {name:16}  {what}\n");
        }
        text += "\nexperiments (neuralbo lab run EXPERIMENT --profile PROFILE):\n";
        for kind in Kind::ALL {
            for profile in Profile::ALL {
                let size = size(kind, profile);
                let (name, profile, problems) = (kind.name(), profile.name(), size.problems.len());
                text += &format!(
                    "  {name:10} {profile:9} {problems:3} problems, {:2} runs, {} evaluations\n",
                    size.runs, size.evaluations
                );
            }
        }
        let methods: Vec<String> = default_methods(Kind::Synthetic).iter().map(ToString::to_string).collect();
        text += &format!(
            "(bbob: runs are instances, evaluations are per dimension)\n\nmethods of an experiment: {}\n",
            methods.join(" ")
        );
        print(&text)?;
        Ok(EXIT_OK)
    }
}
