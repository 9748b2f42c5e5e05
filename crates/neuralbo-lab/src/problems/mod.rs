//! The benchmark problems, one file each; [`PROBLEMS`] lists them all.

mod ackley;
pub mod bbob;
mod branin;
#[cfg(test)]
pub(crate) mod conformance;
mod control;
mod entry;
mod griewank;
mod hartmann6;
mod levy;
mod michalewicz;
mod outcomes;
pub mod push;
mod rastrigin;
mod registry;
pub mod retrieval;
mod rosenbrock;
pub mod rover;
pub mod sensitive;
mod sphere;
mod styblinski_tang;
pub mod wrappers;

pub use ackley::Ackley;
pub use branin::Branin;
pub use control::Control;
pub use entry::{Build, DEFAULT_DIM, Dims, Entry, ProblemError, Request};
pub use griewank::Griewank;
pub use hartmann6::Hartmann6;
pub use levy::Levy;
pub use michalewicz::Michalewicz;
pub use outcomes::Constrained;
pub use rastrigin::Rastrigin;
pub use registry::{by_name, names, open};
pub use rosenbrock::Rosenbrock;
pub use sphere::Sphere;
pub use styblinski_tang::StyblinskiTang;

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[Entry] = &[
    ackley::ENTRY,
    branin::ENTRY,
    outcomes::G04,
    outcomes::G06,
    outcomes::G07,
    outcomes::G09,
    outcomes::GARDNER1,
    outcomes::GARDNER2,
    outcomes::GRAMACY,
    griewank::ENTRY,
    hartmann6::ENTRY,
    levy::ENTRY,
    michalewicz::ENTRY,
    outcomes::PRESSURE_VESSEL,
    rastrigin::ENTRY,
    rosenbrock::ENTRY,
    outcomes::SPEED_REDUCER,
    sphere::ENTRY,
    outcomes::SPRING,
    styblinski_tang::ENTRY,
    outcomes::WELDED_BEAM,
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
