//! What can be asked of an experiment: how much it runs, in which units, with which methods, and which part of it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Experiment;
use super::NoiseLevel;
use crate::method::{MethodSpec, registry};
use crate::problems::DEFAULT_DIM;

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

/// The values of ν among which the paper searched.
pub const NU_GRID: [&str; 3] = ["0.1", "1", "10"];

/// How much one experiment runs, in its own [`SizeUnits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The problems.
    pub problems: Vec<String>,
    /// Runs of every method on every problem.
    pub runs: u32,
    /// Evaluations of a run after the initial design.
    pub evaluations: u64,
}

impl Size {
    /// So many runs and evaluations on each of the problems.
    pub fn new<P: Into<String>>(
        problems: impl IntoIterator<Item = P>,
        runs: u32,
        evaluations: u64,
    ) -> Self {
        Self {
            problems: problems.into_iter().map(Into::into).collect(),
            runs,
            evaluations,
        }
    }
}

/// What a run of a problem asks of a method; its cost follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Encoded dimension.
    pub dim: usize,
    /// Points of the shared initial design.
    pub initial: usize,
    /// Evaluations after it.
    pub evaluations: u64,
    /// Whether one of a pool of rows is sought.
    pub pool: bool,
}

impl Workload {
    /// A box of so many coordinates, with a shared initial design of one point more.
    pub fn of_box(dim: usize, evaluations: u64) -> Self {
        Self {
            dim,
            initial: dim + 1,
            evaluations,
            pool: false,
        }
    }

    /// The same without an initial design: each method has its own.
    pub fn without_design(dim: usize, evaluations: u64) -> Self {
        Self {
            initial: 0,
            ..Self::of_box(dim, evaluations)
        }
    }

    /// A box of as many coordinates as the name of a problem ends with.
    pub fn of_name(problem: &str, evaluations: u64) -> Self {
        let original = problem.split('@').next().unwrap_or(problem);
        let dim = original.rsplit('-').next().and_then(|dim| dim.parse().ok());
        Self::of_box(dim.unwrap_or(DEFAULT_DIM), evaluations)
    }
}

/// What runs and evaluations count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeUnits {
    /// Whether evaluations are counted per dimension.
    pub per_dimension: bool,
    /// What a run is called, in the plural.
    pub runs: &'static str,
}

impl SizeUnits {
    /// Runs, and evaluations whatever the dimension.
    pub const PLAIN: Self = Self {
        per_dimension: false,
        runs: "runs",
    };

    /// Evaluations of a run in a space of `dim` coordinates.
    pub fn total(self, evaluations: u64, dim: usize) -> u64 {
        let times = if self.per_dimension { dim as u64 } else { 1 };
        evaluations * times
    }

    /// What follows a number of evaluations.
    pub fn evaluations(self) -> &'static str {
        if self.per_dimension {
            "·D evaluations"
        } else {
            " evaluations"
        }
    }
}

/// The methods of the paper, as far as the library has them.
pub fn paper_methods() -> Vec<MethodSpec> {
    let grid = NU_GRID.iter().map(|nu| format!("neuralbo-paper:nu={nu}"));
    let ours = ["neuralbo", "neuralbo-faithful"].map(String::from);
    let others = "gp-ucb gp-ts gp-ei rf dngo neural-greedy random".split(' ');
    known_methods(ours.into_iter().chain(grid).chain(others.map(String::from)))
}

/// Those of some methods that the library has.
pub fn known_methods<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<MethodSpec> {
    let registry = registry();
    let known = |text: &str| {
        registry
            .find(text.split(':').next()?)
            .is_ok()
            .then(|| text.parse().ok())?
    };
    texts
        .into_iter()
        .filter_map(|text| known(text.as_ref()))
        .collect()
}

/// Parts at most.
const MOST: u32 = 10_000;

/// One of several parts of an experiment, written `2/16`.
///
/// ```
/// use neuralbo_lab::runner::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.of(vec!['a', 'b', 'c', 'd', 'e']), ['b', 'e']);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// From 1.
    index: u32,
    count: u32,
}

impl Shard {
    /// Its part of a list: every so many-th item. What is sorted by cost is dealt out evenly.
    pub fn of<T>(self, items: Vec<T>) -> Vec<T> {
        let items = items.into_iter().skip(self.index as usize - 1);
        items.step_by(self.count as usize).collect()
    }

    /// As part of a file name.
    pub fn slug(self) -> String {
        format!("{:02}-of-{:02}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            |(index, count): (&str, &str)| Some((index.parse().ok()?, count.parse().ok()?));
        let parts = text.split_once('/').and_then(numbers);
        let part = parts.filter(|(index, count)| (1..=*count).contains(index) && *count <= MOST);
        part.map(|(index, count)| Self { index, count }).ok_or_else(|| {
            format!(
                "shard = `{text}` is no part; write i/n with n from 1 to {MOST} and i from 1 to n, such as 2/16"
            )
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
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

    #[test]
    fn the_parts_are_the_whole_without_repetition() {
        let whole: Vec<u32> = (0..23).collect();
        let part = |i| format!("{i}/5").parse::<Shard>().unwrap().of(whole.clone());
        let mut together: Vec<u32> = (1..=5).flat_map(part).collect();
        together.sort_unstable();
        assert_eq!(together, whole);
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ", 3, 0/4, 5/4, 1/0, -1/4, a/b, 1/4/2, 1/99999".split(", ") {
            let refusal = text.parse::<Shard>().unwrap_err();
            assert!(refusal.contains(&format!("`{text}`")), "{refusal}");
            assert!(refusal.contains("i/n"), "{refusal}");
        }
        let found = serde_json::to_string(&"3/16".parse::<Shard>().unwrap()).unwrap();
        assert_eq!(found, "\"3/16\"");
    }
}
