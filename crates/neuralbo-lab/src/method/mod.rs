//! The methods that are compared: ours by name, anybody's as a program.

mod contender;
mod native;
mod spec;

pub use contender::{Asked, Contender, ContenderError, Start};
pub use native::Native;
pub use spec::{MethodSpec, SpecError};
