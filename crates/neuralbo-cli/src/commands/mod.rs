//! The commands, one file each.

pub mod ask;
pub mod backup;
pub mod best;
pub mod check;
pub mod completions;
#[cfg(feature = "dashboard")]
pub mod dashboard;
pub mod delete;
pub mod export;
#[cfg(feature = "lab")]
pub mod functions;
pub mod import;
pub mod importance;
pub mod init;
#[cfg(feature = "lab")]
pub mod lab;
pub mod man;
pub mod methods;
pub mod recover;
pub mod replay;
#[cfg(feature = "dashboard")]
pub mod report;
pub mod restore;
pub mod run;
pub mod studies;
pub mod tell;
pub mod trials;
pub mod worker;

#[cfg(feature = "lab")]
pub use crate::output::print;
