//! The benchmark problems: test functions in one table, others in a file each; [`PROBLEMS`] lists
//! them all.

pub mod bbob;
#[cfg(test)]
pub(crate) mod conformance;
mod control;
mod entry;
mod functions;
mod objectives;
mod outcome_constraints;
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
pub use outcome_constraints::Constrained;
use registry::wrong_name;
pub use registry::{by_name, names, open};

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[Entry] = &[
    Entry::formula(ACKLEY),
    Entry::formula(BRANIN),
    outcome_constraints::G04,
    outcome_constraints::G06,
    outcome_constraints::G07,
    outcome_constraints::G09,
    outcome_constraints::GARDNER1,
    outcome_constraints::GARDNER2,
    outcome_constraints::GRAMACY,
    Entry::formula(GRIEWANK),
    Entry::formula(HARTMANN6),
    Entry::formula(LEVY),
    Entry::formula(MICHALEWICZ),
    outcome_constraints::PRESSURE_VESSEL,
    Entry::formula(RASTRIGIN),
    Entry::formula(ROSENBROCK),
    outcome_constraints::SPEED_REDUCER,
    Entry::formula(SPHERE),
    outcome_constraints::SPRING,
    Entry::formula(STYBLINSKI_TANG),
    outcome_constraints::WELDED_BEAM,
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
