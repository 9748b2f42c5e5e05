//! All experiments: what is run, and its section of the report.

mod bbob;
mod controls;
mod finite;
mod memory;
mod objectives;
mod outcome_constraints;
mod push;
mod retrieval;
mod sensitive;
mod synthetic;

pub use bbob::BbobSuite;
pub use controls::{CONTROLS, Controls};
pub use finite::Finite;
pub use memory::Memory;
pub use objectives::Objectives;
pub use outcome_constraints::OutcomeConstraints;
pub use push::Pushing;
pub use retrieval::Retrieval;
pub use sensitive::SensitiveImages;
pub use synthetic::Synthetic;

use crate::report::Reported;

/// All experiments in the order of the paper, then our own.
pub static EXPERIMENTS: &[&dyn Reported] = &[
    &Synthetic,
    &BbobSuite,
    &SensitiveImages,
    &Retrieval,
    &Pushing,
    &Memory,
    &CONTROLS[0],
    &CONTROLS[1],
    &CONTROLS[2],
    &CONTROLS[3],
    &CONTROLS[4],
    &CONTROLS[5],
    &Objectives,
    &OutcomeConstraints,
    &Finite,
];

/// The experiment of this name.
///
/// ```
/// use neuralbo_lab::experiments::find;
/// use neuralbo_lab::runner::Experiment;
///
/// assert_eq!(find("bbob")?.name(), "bbob");
/// assert!(find("synthetics").is_err_and(|error| error.contains("synthetic, bbob, sensitive")));
/// # Ok::<(), String>(())
/// ```
pub fn find(name: &str) -> Result<&'static dyn Reported, String> {
    let known = EXPERIMENTS
        .iter()
        .find(|experiment| experiment.name() == name);
    known.copied().ok_or_else(|| {
        let names = EXPERIMENTS.iter().map(|experiment| experiment.name());
        let names: Vec<&str> = names.collect();
        format!(
            "experiment = `{name}` is unknown; it must be one of {}",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod conformance;
