//! How this process was started, and how it is started again.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::process::Command;
use std::sync::OnceLock;

/// How the command line was called.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The words of the command line, the program's name first.
    pub arguments: Vec<OsString>,
    /// The words that start this program again, before its arguments: supervisors, `lab serve` and measurements are processes of
    /// their own. A binary names its file; inside of an interpreter it takes more than one word.
    pub again: Vec<OsString>,
}

static INVOCATION: OnceLock<Invocation> = OnceLock::new();

/// Remembers how this process was started; the first time counts.
pub fn remember(invocation: Invocation) {
    INVOCATION.get_or_init(|| invocation);
}

/// The words of the command line.
#[cfg(feature = "lab")]
pub fn arguments() -> Vec<OsString> {
    INVOCATION
        .get()
        .map_or(Vec::new(), |invocation| invocation.arguments.clone())
}

/// The words that start this program again.
pub fn again() -> Vec<OsString> {
    INVOCATION
        .get()
        .map_or(Vec::new(), |invocation| invocation.again.clone())
}

/// A process of this program that is to be started with further arguments.
pub fn command() -> io::Result<Command> {
    let words = again();
    let (program, arguments) = words.split_first().ok_or_else(|| {
        io::Error::new(ErrorKind::NotFound, "the path of this program is unknown")
    })?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}
