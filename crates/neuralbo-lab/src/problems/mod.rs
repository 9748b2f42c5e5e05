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
pub use entry::{BuildProblem, DEFAULT_DIM, Dims, ProblemEntry, ProblemError, ProblemRequest};
pub use functions::{
    ACKLEY, BRANIN, Formula, GRIEWANK, HARTMANN6, LEVY, MICHALEWICZ, RASTRIGIN, ROSENBROCK, SPHERE,
    STYBLINSKI_TANG, TestFunction,
};
pub use objectives::{OBJECTIVES_NAMES, PAIRED, SeveralObjectives};
pub use outcomes::ConstrainedProblem;
use registry::wrong_name;
pub use registry::{by_name, names, open};

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[ProblemEntry] = &[
    ProblemEntry::formula(ACKLEY),
    ProblemEntry::formula(BRANIN),
    outcomes::G04,
    outcomes::G06,
    outcomes::G07,
    outcomes::G09,
    outcomes::GARDNER1,
    outcomes::GARDNER2,
    outcomes::GRAMACY,
    ProblemEntry::formula(GRIEWANK),
    ProblemEntry::formula(HARTMANN6),
    ProblemEntry::formula(LEVY),
    ProblemEntry::formula(MICHALEWICZ),
    outcomes::PRESSURE_VESSEL,
    ProblemEntry::formula(RASTRIGIN),
    ProblemEntry::formula(ROSENBROCK),
    outcomes::SPEED_REDUCER,
    ProblemEntry::formula(SPHERE),
    outcomes::SPRING,
    ProblemEntry::formula(STYBLINSKI_TANG),
    outcomes::WELDED_BEAM,
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
