//! The commands, one file each.

pub mod ask;
pub mod backup;
pub mod best;
pub mod check;
pub mod completions;
pub mod dashboard;
pub mod delete;
pub mod export;
pub mod functions;
pub mod import;
pub mod importance;
pub mod init;
pub mod lab;
pub mod man;
pub mod methods;
pub mod recover;
pub mod replay;
pub mod report;
pub mod restore;
pub mod run;
pub mod studies;
pub mod tell;
pub mod trials;
pub mod watch;
pub mod worker;

pub use crate::output::print;
