//! The runner: how the runs of an experiment are made and how their results are kept; [`crate::experiments`] has
//! all of them.
//!
//! All methods of a run get the same initial points and the same noise. What is recorded is the best
//! true value after every evaluation, from the initial design on. Everything follows from the names of
//! problem, method and run, so a run can be repeated on any machine, in any order, on any number of
//! threads.

mod case;
mod checkpoint;
mod contender;
mod cost;
mod manifest;
mod run;

use std::path::PathBuf;

use crate::data::DataError;
use crate::problems::ProblemError;

// The room is named after what it does, and this is what does it.
#[allow(clippy::module_inception)]
mod runner;
mod settings;
mod trace;

#[cfg(test)]
pub(crate) use manifest::tests as manifests;
/// A short trace for tests of what reads traces.
#[cfg(test)]
pub(crate) use trace::tests as testing;

pub use case::{
    BoxEvaluator, CaseEvaluator, FrontMeasure, LabCase, NoiseLevel, coordinates, feasible_value,
    seed_of, uniform_design,
};
pub use contender::Contender;
pub use cost::{TimeEstimate, run_seconds};
pub use manifest::{LabSession, MANIFEST, Machine, Manifest};
pub(crate) use runner::distinct;
pub use runner::{PlannedRun, RunWatch, Runner, RunnerResults};
pub use settings::{
    LabSettings, NU_GRID, Profile, Shard, Size, SizeUnits, Workload, known_methods, paper_methods,
};
pub use trace::{BoxLocation, RunTrace, TraceHeader, TraceRow};

use std::path::Path;

use serde_json::Value;

use crate::method::MethodSpec;

/// One experiment: everything that the runner has to know about it.
///
/// It is known by its name on the command line and in manifests. What needs data, time or settings is
/// done by `open`.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// The word on the command line, in manifests and of the folder; never changed once results exist.
    pub name: &'static str,
    /// How much a profile runs.
    pub size: fn(Profile) -> Size,
    /// What runs and evaluations count.
    pub units: SizeUnits,
    /// The problems that a text on the command line stands for; most name one.
    pub expand: fn(&str) -> Vec<String>,
    /// The methods when none are named.
    pub methods: fn() -> Vec<MethodSpec>,
    /// Whether each method runs in a process of its own, whose memory is recorded.
    pub own_processes: bool,
    /// Makes it ready: reads its data and trains what has to be trained.
    pub open: OpenSuite,
    /// What a run of one of its problems asks of a method, by the problem's full name.
    pub load: fn(&str, u64) -> Workload,
}

impl Experiment {
    /// An experiment with the methods of the paper and a shared initial design, on problems whose
    /// dimension is the number after the last dash of their names.
    pub const fn new(name: &'static str, size: fn(Profile) -> Size, open: OpenSuite) -> Self {
        Self {
            name,
            size,
            units: SizeUnits::PLAIN,
            expand: |text| vec![text.to_owned()],
            methods: paper_methods,
            own_processes: false,
            open,
            load: Workload::of_name,
        }
    }
}

/// Makes an experiment ready.
pub type OpenSuite = fn(&LabSettings) -> Result<Box<dyn Suite>, LabError>;

/// An experiment made ready; asked from many threads.
pub trait Suite: Send + Sync {
    /// One of its problems in one run.
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError>;

    /// What a reader of the results must know: noise, initial design, data.
    fn facts(&self, problems: &[String]) -> Result<Value, LabError>;

    /// What is computed from all runs together and kept beside them.
    fn conclude(&self, _folder: &Path, _traces: &[RunTrace]) -> Result<(), LabError> {
        Ok(())
    }
}

/// Writes a file in one step: it is there as a whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    use std::io::Write;
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let unfinished = path.with_extension("partial");
        let mut file = std::fs::File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)
    };
    write().map_err(|error: std::io::Error| LabError::file(path, error))
}

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The experiment has no such problem.
    #[error("{0}")]
    UnknownProblem(String),
    /// A problem cannot be made.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A data file is missing or damaged.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The folder holds another experiment: which settings differ, and how.
    #[error("{path}: holds results of other settings: {1}; name another folder", path = .0.display())]
    OtherSettings(PathBuf, String),
    /// A file cannot be read or written, and why.
    #[error("{path}: {1}", path = .0.display())]
    File(PathBuf, String),
    /// Something about a run that cannot be.
    #[error("{0}")]
    Impossible(String),
}

impl LabError {
    /// A problem that an experiment does not have.
    pub fn unknown(problem: &str, experiment: &str, names: &[impl AsRef<str>]) -> Self {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let allowed = format!("its problems: {}", names.join(", "));
        Self::stranger(problem, experiment, &allowed)
    }

    pub(crate) fn stranger(problem: &str, experiment: &str, allowed: &str) -> Self {
        let wrong = format!("problem `{problem}` does not belong to experiment {experiment}");
        Self::UnknownProblem(format!("{wrong}; {allowed}"))
    }

    /// Something about a run that cannot be.
    pub fn impossible(reason: impl std::fmt::Display) -> Self {
        Self::Impossible(reason.to_string())
    }

    /// A file that cannot be read or written.
    pub fn file(path: &std::path::Path, reason: impl std::fmt::Display) -> Self {
        Self::File(path.to_owned(), reason.to_string())
    }
}
