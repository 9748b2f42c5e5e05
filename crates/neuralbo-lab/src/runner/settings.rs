//! What can be asked of an experiment.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Experiment, NoiseLevel, Shard, Size};
use crate::method::MethodSpec;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// About a minute for all experiments together.
    Quick,
    /// Hours on a small machine.
    Standard,
    /// The paper's sizes.
    Paper,
}

/// What is asked for; `None` leaves it to the profile or the experiment.
#[derive(Clone)]
pub struct LabSettings {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// How much is run.
    pub profile: Profile,
    /// The methods.
    pub methods: Option<Vec<MethodSpec>>,
    /// The problems by name.
    pub problems: Option<Vec<String>>,
    /// The first run, from 1.
    pub first_run: u32,
    /// The last run, in the units of the experiment.
    pub runs: Option<u32>,
    /// The number of evaluations after the initial design, in the units of the experiment.
    pub evaluations: Option<u64>,
    /// The noise of functions that have none of their own.
    pub noise: Option<NoiseLevel>,
    /// Points of the shared initial design.
    pub initial: Option<usize>,
    /// Other choices of the methods on the same problems, designs and noise.
    pub seed: Option<u64>,
    /// Where the data is.
    pub data: Option<PathBuf>,
    /// The part of the runs that is made; none for all.
    pub shard: Option<Shard>,
    /// The commit of the program, for the manifest.
    pub commit: String,
    /// The words that start the program whose `lab serve` command runs a method in a process of its
    /// own, where an experiment wants that; empty for none.
    pub server: Vec<OsString>,
}

impl LabSettings {
    /// An experiment in the sizes of a profile.
    pub fn new(experiment: &'static Experiment, profile: Profile) -> Self {
        Self {
            experiment,
            profile,
            methods: None,
            problems: None,
            first_run: 1,
            runs: None,
            evaluations: None,
            noise: None,
            initial: None,
            seed: None,
            data: None,
            shard: None,
            commit: "unknown".to_owned(),
            server: Vec::new(),
        }
    }

    /// What is asked for, and the profile's where nothing is.
    pub fn size(&self) -> Size {
        let mut size = (self.experiment.size)(self.profile);
        if let Some(problems) = &self.problems {
            let expand = |text: &String| (self.experiment.expand)(text);
            size.problems = problems.iter().flat_map(expand).collect();
        }
        size.evaluations = self.evaluations.unwrap_or(size.evaluations);
        size.runs = self.runs.unwrap_or(size.runs);
        size
    }
}

impl Profile {
    /// All profiles, the smallest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Paper];

    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Paper => "paper",
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|profile| profile.name() == text);
        known.ok_or_else(|| {
            let allowed = Self::ALL.map(Self::name).join(", ");
            format!("profile = `{text}` is unknown; it must be one of {allowed}")
        })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_and_others_are_refused_with_all_words() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        let text = "fast".parse::<Profile>().unwrap_err();
        assert!(text.contains("`fast`") && text.contains("quick, standard, paper"));
    }
}
