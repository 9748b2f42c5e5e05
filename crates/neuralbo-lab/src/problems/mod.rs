//! The benchmark problems, one file each.

mod ackley;
pub mod bbob;
mod branin;
#[cfg(test)]
pub(crate) mod conformance;
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
pub use griewank::Griewank;
pub use hartmann6::Hartmann6;
pub use levy::Levy;
pub use michalewicz::Michalewicz;
pub use rastrigin::Rastrigin;
pub use registry::{DEFAULT_DIM, ProblemError, by_name, names};
pub use rosenbrock::Rosenbrock;
pub use sphere::Sphere;
pub use styblinski_tang::StyblinskiTang;
