//! The runner: what an experiment is, how its runs are made and how their results are kept;
//! [`crate::experiments`] lists all experiments.
//!
//! All methods of a run get the same initial points and the same noise. What is recorded is the best
//! true value after every evaluation, from the initial design on. Everything follows from the names of
//! problem, method and run, so a run can be repeated on any machine, in any order, on any number of
//! threads.

mod case;
mod contender;
mod cost;
mod error;
mod estimate;
mod location;
mod manifest;
mod noise;
mod run;
// The room is named after what it does, and this is what does it.
#[allow(clippy::module_inception)]
mod runner;
mod settings;
mod shard;
mod size;
mod trace;

/// A short trace for tests of what reads traces.
#[cfg(test)]
pub(crate) use trace::tests as testing;

pub use case::{
    BoxEvaluator, CaseEvaluator, FrontMeasure, LabCase, coordinates, feasible_value, seed_of,
    uniform_design,
};
pub use contender::Contender;
pub use cost::run_seconds;
pub use error::LabError;
pub use estimate::TimeEstimate;
pub use location::BoxLocation;
pub use manifest::{LabSession, MANIFEST, Machine, Manifest};
pub use noise::NoiseLevel;
pub(crate) use runner::distinct;
pub use runner::{PlannedRun, RunWatch, Runner, RunnerResults};
pub use settings::{LabSettings, Profile};
pub use shard::Shard;
pub use size::{NU_GRID, Size, SizeUnits, Workload, known_methods, paper_methods};
pub use trace::{RunTrace, TraceHeader, TraceRow};

use std::path::Path;

use serde_json::Value;

use crate::method::MethodSpec;

/// One experiment: a type without state that answers every question the runner has.
///
/// It is known by its name on the command line and in manifests. All answers are constants, so that
/// results written by earlier versions keep their meaning; what needs data, time or settings is done
/// by [`Experiment::open`].
pub trait Experiment: Sync {
    /// The word on the command line, in manifests and of the folder; never changed once results exist.
    fn name(&self) -> &'static str;

    /// How much a profile runs.
    fn size(&self, profile: Profile) -> Size;

    /// What runs and evaluations count.
    fn units(&self) -> SizeUnits {
        SizeUnits::PLAIN
    }

    /// The problems that a text on the command line stands for; most name one.
    fn expand(&self, text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    /// The methods when none are named.
    fn methods(&self) -> Vec<MethodSpec> {
        paper_methods()
    }

    /// Whether each method runs in a process of its own, whose memory is recorded.
    fn own_processes(&self) -> bool {
        false
    }

    /// Makes it ready: reads its data and trains what has to be trained.
    fn open(&self, settings: &LabSettings) -> Result<Box<dyn Suite>, LabError>;

    /// What a run of one of its problems asks of a method, by the problem's full name: its dimension
    /// is the number after the last dash.
    fn load(&self, problem: &str, evaluations: u64) -> Workload {
        let original = problem.split('@').next().unwrap_or(problem);
        let dim = original.rsplit('-').next().and_then(|dim| dim.parse().ok());
        Workload::of_box(dim.unwrap_or(crate::problems::DEFAULT_DIM), evaluations)
    }
}

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
