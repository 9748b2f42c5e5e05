//! Studies: trials, ask and tell.

mod direction;

pub use direction::Direction;
