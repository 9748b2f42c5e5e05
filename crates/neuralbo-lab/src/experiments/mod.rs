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

pub use synthetic::SYNTHETIC;

use crate::report::Reported;

/// All experiments in the order of the paper, then our own.
pub static EXPERIMENTS: &[&Reported] = &[
    &SYNTHETIC,
    &bbob::BBOB,
    &sensitive::SENSITIVE,
    &retrieval::RETRIEVAL,
    &push::PUSHING,
    &memory::MEMORY,
    &controls::CONTROLS[0],
    &controls::CONTROLS[1],
    &controls::CONTROLS[2],
    &controls::CONTROLS[3],
    &controls::CONTROLS[4],
    &controls::CONTROLS[5],
    &controls::CONTROLS[6],
    &controls::CONTROLS[7],
    &controls::CONTROLS[8],
    &controls::CONTROLS[9],
    &controls::CONTROLS[10],
    &objectives::OBJECTIVES,
    &outcome_constraints::OUTCOME_CONSTRAINTS,
    &finite::FINITE,
];

/// The experiment of this name.
///
/// ```
/// use neuralbo_lab::experiments::find;
///
/// assert_eq!(find("bbob")?.run.name, "bbob");
/// assert!(find("synthetics").is_err_and(|error| error.contains("synthetic, bbob, sensitive")));
/// # Ok::<(), String>(())
/// ```
pub fn find(name: &str) -> Result<&'static Reported, String> {
    let mut known = EXPERIMENTS.iter().copied();
    known.find(|known| known.run.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|known| known.run.name).collect();
        let names = names.join(", ");
        format!("experiment = `{name}` is unknown; it must be one of {names}")
    })
}

#[cfg(test)]
mod conformance;
