//! The benchmark problems, one file each.

pub mod push;
pub mod rover;
