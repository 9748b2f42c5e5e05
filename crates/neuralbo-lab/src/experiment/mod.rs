//! What an experiment is, how it is run and how its results are kept; [`crate::experiments`] lists them all.
//!
//! All methods of a run get the same initial points and the same noise; what is recorded is the best true value after every
//! evaluation, from the initial design on. Everything follows from the names of problem, method and run, so a run can be made
//! again on any machine, in any order, on any number of threads.

mod campaign;
mod cost;
mod error;
mod estimate;
mod manifest;
mod place;
mod reference;
mod run;
mod settings;
mod shard;
mod size;
mod task;
mod time;
mod trace;

/// A short trace for tests of what reads traces.
#[cfg(test)]
pub(crate) use trace::tests as testing;

pub use campaign::{Campaign, PlannedRun, Results, Watch};
pub use cost::run_seconds;
pub use error::LabError;
pub use estimate::Estimate;
pub use manifest::{MANIFEST, Machine, Manifest, Session};
pub use place::Place;
pub use settings::{NoiseLevel, Profile, Settings};
pub use shard::Shard;
pub use size::{Load, NU_GRID, Published, Size, Units, known_methods, paper_methods};
pub use task::{BoxEvaluator, Evaluator, Task, coordinates, seed_of, uniform_design};
pub use trace::{Trace, TraceHeader, TraceRow};

use std::path::Path;

use serde_json::Value;

use crate::method::MethodSpec;
use crate::report::{Claim, Document, Section, mean_loss};

/// One experiment: a type without state that answers every question about it.
///
/// It is listed in [`crate::experiments::EXPERIMENTS`] and known by its name there, on the command line and in manifests. All
/// answers are constants, so that results written by earlier versions keep their meaning; what needs data, time or settings is
/// done by [`Experiment::open`].
pub trait Experiment: Sync {
    /// The word on the command line, in manifests and of the folder; never changed once results exist.
    fn name(&self) -> &'static str;

    /// The heading of its section in the report.
    fn title(&self) -> &'static str;

    /// What it is called within a sentence.
    fn short_title(&self) -> &'static str {
        self.name()
    }

    /// How much a profile runs.
    fn size(&self, profile: Profile) -> Size;

    /// What runs and evaluations count.
    fn units(&self) -> Units {
        Units::PLAIN
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
    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError>;

    /// How methods are ranked; none where final values are not compared.
    fn ranking(&self) -> Option<Ranking> {
        Some(Ranking {
            loss: mean_loss,
            remark: "",
            group: None,
        })
    }

    /// Whether the report shows times per suggestion; those of another process include the conversation with it.
    fn timed(&self) -> bool {
        !self.own_processes()
    }

    /// What the paper ran; none of an experiment of our own.
    fn published(&self) -> Option<Published> {
        Some(Published::of(self.size(Profile::Paper)))
    }

    /// What a run of one of its problems asks of a method, by the problem's full name: its dimension is the number after the last
    /// dash.
    fn load(&self, problem: &str, evaluations: u64) -> Load {
        let original = problem.split('@').next().unwrap_or(problem);
        let dim = original
            .rsplit_once('-')
            .and_then(|(_, dim)| dim.parse().ok());
        Load::of_box(dim.unwrap_or(crate::problems::DEFAULT_DIM), evaluations)
    }

    /// What the paper claims of it.
    fn claims(&self) -> &'static [Claim] {
        &[]
    }

    /// What differs from the paper by its nature, from the facts that [`Tasks::facts`] recorded.
    fn differences(&self, facts: &Value) -> Vec<String>;

    /// Writes the figures and tables of its section, whose heading and first sentence are there.
    fn report(&self, document: &mut Document, section: &Section<'_>);
}

/// How the methods of an experiment are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    /// How bad a method's runs on one problem are; smaller is better.
    pub loss: fn(&[&Trace]) -> f64,
    /// A sentence where this is not the mean of the final values.
    pub remark: &'static str,
    /// The group of a problem where problems are compared in groups, run by run; else each is compared by itself.
    pub group: Option<fn(&str) -> String>,
}

/// An experiment made ready; asked from many threads.
pub trait Tasks: Send + Sync {
    /// One of its problems in one run.
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError>;

    /// What a reader of the results must know: noise, initial design, data.
    fn facts(&self, problems: &[String]) -> Result<Value, LabError>;

    /// What is computed from all runs together and kept beside them.
    fn conclude(&self, _folder: &Path, _traces: &[Trace]) -> Result<(), LabError> {
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
