//! The paper's experiments: what is run, with which methods, and how it is kept.
//!
//! All methods of a run get the same initial points and the same noise; what is recorded is the best true value after every
//! evaluation, from the initial design on. Everything follows from the names of problem, method and run, so a run can be made
//! again on any machine, in any order, on any number of threads.

pub mod bbob;
mod campaign;
mod error;
mod estimate;
mod manifest;
mod push;
mod retrieval;
mod run;
pub mod sensitive;
mod settings;
mod size;
mod synthetic;
mod task;
mod time;
mod trace;

/// A short trace for tests of what reads traces.
#[cfg(test)]
pub(crate) use trace::tests as testing;

pub use campaign::{Campaign, Outcome, PlannedRun, Watch};
pub use error::LabError;
pub use estimate::Estimate;
pub use manifest::{MANIFEST, Machine, Manifest, Session};
pub use settings::{Kind, NoiseLevel, Profile, Settings};
pub use size::{NU_GRID, Size, default_methods, size};
pub use task::{Objective, Task, seed_of};
pub use trace::{Trace, TraceHeader, TraceRow};

use std::path::Path;

use serde_json::Value;

use crate::data;

/// What one experiment consists of.
pub trait Experiment: Send + Sync {
    /// One of its problems in one run.
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError>;

    /// What a reader of the results must know: noise, initial design, data.
    fn facts(&self, problems: &[String]) -> Result<Value, LabError>;

    /// What is computed from all runs together and kept beside them.
    fn conclude(&self, _folder: &Path, _traces: &[Trace]) -> Result<(), LabError> {
        Ok(())
    }
}

/// Makes an experiment ready: reads its data and trains what has to be trained.
pub fn open(settings: &Settings) -> Result<Box<dyn Experiment>, LabError> {
    let evaluations = settings.evaluations.unwrap_or_else(|| size(settings.kind, settings.profile).evaluations);
    let data = || data::directory(settings.data.as_deref());
    Ok(match settings.kind {
        Kind::Synthetic => Box::new(synthetic::Synthetic { noise: settings.noise, evaluations }),
        Kind::Bbob => Box::new(bbob::BbobSuite { evaluations_per_dim: evaluations }),
        Kind::Sensitive => Box::new(sensitive::Samples::open(&data()?, evaluations)?),
        Kind::Retrieval => Box::new(retrieval::Documents::open(&data()?, evaluations)?),
        Kind::Push | Kind::Memory => Box::new(push::Robots { evaluations }),
    })
}

/// Writes a file in one step: it is there as a whole or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
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
