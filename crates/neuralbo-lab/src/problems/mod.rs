//! The benchmark problems: test functions in one table, others in a file each; [`PROBLEMS`] lists
//! them all.

pub mod bbob;
#[cfg(test)]
pub(crate) mod conformance;
mod control;
mod entry;
mod functions;
mod objectives;
mod outcomes;
pub mod push;
mod registry;
pub mod retrieval;
pub mod rover;
pub mod sensitive;
pub mod wrappers;

pub use control::Control;
pub use entry::{Build, DEFAULT_DIM, Dims, Entry, ProblemError, Request};
pub use functions::{
    ACKLEY, BRANIN, Formula, GRIEWANK, HARTMANN6, LEVY, MICHALEWICZ, RASTRIGIN, ROSENBROCK, SPHERE,
    STYBLINSKI_TANG, TestFunction,
};
pub use objectives::{OBJECTIVES_NAMES, PAIRED, SeveralObjectives};
pub use outcomes::Constrained;
use registry::wrong_name;
pub use registry::{by_name, names, open};

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[Entry] = &[
    Entry::formula(ACKLEY),
    Entry::formula(BRANIN),
    outcomes::G04,
    outcomes::G06,
    outcomes::G07,
    outcomes::G09,
    outcomes::GARDNER1,
    outcomes::GARDNER2,
    outcomes::GRAMACY,
    Entry::formula(GRIEWANK),
    Entry::formula(HARTMANN6),
    Entry::formula(LEVY),
    Entry::formula(MICHALEWICZ),
    outcomes::PRESSURE_VESSEL,
    Entry::formula(RASTRIGIN),
    Entry::formula(ROSENBROCK),
    outcomes::SPEED_REDUCER,
    Entry::formula(SPHERE),
    outcomes::SPRING,
    Entry::formula(STYBLINSKI_TANG),
    outcomes::WELDED_BEAM,
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
