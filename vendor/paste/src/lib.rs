//! The macros of `pastey` under the name of `paste`.
#![forbid(unsafe_code)]

pub use pastey::paste;
