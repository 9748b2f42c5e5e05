//! What the files taken from the command line need of its errors.

/// Why a command could not do its work.
#[derive(Debug)]
pub enum CommandError {
    /// The user's input is wrong.
    Usage(#[allow(dead_code)] String),
}
