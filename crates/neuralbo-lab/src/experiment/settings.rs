//! What can be asked of an experiment.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Experiment, Shard, Size};
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

/// How large the noise of the synthetic functions is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoiseLevel {
    /// As in the authors' code: standard deviation 0.1·std(f) over random points.
    #[default]
    Code,
    /// As in the paper's text: variance 1 % of the function's range.
    Text,
}

/// What is asked for; `None` leaves it to the profile.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The experiment.
    pub experiment: &'static dyn Experiment,
    /// How much is run.
    pub profile: Profile,
    /// The methods.
    pub methods: Option<Vec<MethodSpec>>,
    /// The problems by name.
    pub problems: Option<Vec<String>>,
    /// The number of runs, in the units of the experiment.
    pub runs: Option<u32>,
    /// The number of evaluations after the initial design, in the units of the experiment.
    pub evaluations: Option<u64>,
    /// The noise of the synthetic functions.
    pub noise: NoiseLevel,
    /// Where the data is.
    pub data: Option<PathBuf>,
    /// The part of the runs that is made; none for all.
    pub shard: Option<Shard>,
    /// The commit of the program, for the manifest.
    pub commit: String,
    /// The words that start the program whose `lab serve` command runs a method in a process of its own, where an experiment wants
    /// that; empty for none.
    pub server: Vec<OsString>,
}

impl Settings {
    /// An experiment in the sizes of a profile.
    pub fn new(experiment: &'static dyn Experiment, profile: Profile) -> Self {
        Self {
            experiment,
            profile,
            methods: None,
            problems: None,
            runs: None,
            evaluations: None,
            noise: NoiseLevel::Code,
            data: None,
            shard: None,
            commit: "unknown".to_owned(),
            server: Vec::new(),
        }
    }

    /// What is asked for, and the profile's where nothing is.
    pub fn size(&self) -> Size {
        let mut size = self.experiment.size(self.profile);
        size.problems = self.problems.clone().unwrap_or(size.problems);
        size.evaluations = self.evaluations.unwrap_or(size.evaluations);
        if let Some(runs) = self.runs {
            (size.runs, size.default_runs) = (runs, runs);
        }
        size
    }

    /// The evaluations that are asked for, or else the profile's.
    pub fn planned_evaluations(&self) -> u64 {
        self.size().evaluations
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

impl NoiseLevel {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Code, Self::Text];

    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Text => "text",
        }
    }
}

/// Reads one of the words of `all`.
pub(super) fn word<T: Copy>(
    what: &str,
    text: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let allowed = || {
        all.iter()
            .map(|value| name(*value))
            .collect::<Vec<_>>()
            .join(", ")
    };
    all.iter()
        .copied()
        .find(|value| name(*value) == text)
        .ok_or_else(|| {
            format!(
                "{what} = `{text}` is unknown; it must be one of {}",
                allowed()
            )
        })
}

macro_rules! words {
    ($($type:ty: $what:literal),*) => {$(
        impl FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                word($what, text, &Self::ALL, Self::name)
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

words!(Profile: "profile", NoiseLevel: "noise");

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_and_others_are_refused_with_all_words() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        let text = "fast".parse::<Profile>().unwrap_err();
        assert!(
            text.contains("`fast`") && text.contains("quick, standard, paper"),
            "{text}"
        );
    }
}
