//! The benchmark problems, one file each; [`PROBLEMS`] lists them all.

mod ackley;
pub mod bbob;
mod branin;
#[cfg(test)]
pub(crate) mod conformance;
mod entry;
mod griewank;
mod hartmann6;
mod levy;
mod michalewicz;
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
pub use entry::{Build, DEFAULT_DIM, Dims, Entry, ProblemError, Request};
pub use griewank::Griewank;
pub use hartmann6::Hartmann6;
pub use levy::Levy;
pub use michalewicz::Michalewicz;
pub use rastrigin::Rastrigin;
pub use registry::{by_name, names, open};
pub use rosenbrock::Rosenbrock;
pub use sphere::Sphere;
pub use styblinski_tang::StyblinskiTang;

/// All problems on a box: the test functions in alphabetical order, then the others.
pub static PROBLEMS: &[Entry] = &[
    ackley::ENTRY,
    branin::ENTRY,
    griewank::ENTRY,
    hartmann6::ENTRY,
    levy::ENTRY,
    michalewicz::ENTRY,
    rastrigin::ENTRY,
    rosenbrock::ENTRY,
    sphere::ENTRY,
    styblinski_tang::ENTRY,
    bbob::ENTRY,
    push::ENTRY,
    rover::ENTRY,
    sensitive::ENTRY,
];
