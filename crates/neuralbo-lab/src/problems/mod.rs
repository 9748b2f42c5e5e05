//! The benchmark problems: test functions in one table, others in a file each; [`PROBLEMS`] lists
//! them all.

pub mod bbob;
#[cfg(test)]
pub(crate) mod conformance;
mod control;
mod functions;
pub mod noise;
mod objectives;
mod outcome_constraints;
pub mod push;
mod registry;
pub(crate) mod retrieval;
pub mod rover;
pub(crate) mod sensitive;

pub use control::Control;
pub use functions::{
    ACKLEY, BRANIN, Formula, GRIEWANK, HARTMANN6, LEVY, MICHALEWICZ, RASTRIGIN, ROSENBROCK, SPHERE,
    STYBLINSKI_TANG, TestFunction,
};
pub use objectives::{OBJECTIVES_NAMES, PAIRED, SeveralObjectives};
use registry::wrong_name;
pub use registry::{
    BuildProblem, DEFAULT_DIM, Dims, ProblemEntry, ProblemError, ProblemRequest, by_name, names,
    open,
};

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[ProblemEntry] = &[
    ProblemEntry::formula(ACKLEY),
    ProblemEntry::formula(BRANIN),
    ProblemEntry::formula(outcome_constraints::G04),
    ProblemEntry::formula(outcome_constraints::G06),
    ProblemEntry::formula(outcome_constraints::G07),
    ProblemEntry::formula(outcome_constraints::G09),
    ProblemEntry::formula(outcome_constraints::GARDNER1),
    ProblemEntry::formula(outcome_constraints::GARDNER2),
    ProblemEntry::formula(outcome_constraints::GRAMACY),
    ProblemEntry::formula(GRIEWANK),
    ProblemEntry::formula(HARTMANN6),
    ProblemEntry::formula(LEVY),
    ProblemEntry::formula(MICHALEWICZ),
    ProblemEntry::formula(outcome_constraints::PRESSURE_VESSEL),
    ProblemEntry::formula(RASTRIGIN),
    ProblemEntry::formula(ROSENBROCK),
    ProblemEntry::formula(outcome_constraints::SPEED_REDUCER),
    ProblemEntry::formula(SPHERE),
    ProblemEntry::formula(outcome_constraints::SPRING),
    ProblemEntry::formula(STYBLINSKI_TANG),
    ProblemEntry::formula(outcome_constraints::WELDED_BEAM),
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
