//! The methods that are compared: ours by name, anybody's as a program.

mod contender;
mod error;
mod spec;

pub use contender::{Contender, Start};
pub(crate) use error::caught;
pub use error::{RunError, Trouble};
pub use spec::{MethodSpec, SpecError};
