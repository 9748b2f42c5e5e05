//! The error type that the included files of the command line use.

/// Why a command could not do its work.
#[derive(Debug)]
pub enum CommandError {
    /// The user's input is wrong.
    Usage(#[allow(dead_code)] String),
}
