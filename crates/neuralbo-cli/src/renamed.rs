//! Options that have had another name: whoever writes the old one is told the new one.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// How options begin on the command line.
const DASHES: &str = "--";

/// What an option, or the key of a file, is called now; `prefix` comes before names.
pub fn advice(name: &str, prefix: &str) -> Option<String> {
    match name {
        "jobs" => Some(format!("`{prefix}jobs` is called `{prefix}workers` now")),
        "time" => Some(format!(
            "`{prefix}time` is called `{prefix}timeout` now: the time of the whole run. One trial is limited by `{prefix}trial-timeout`"
        )),
        _ => None,
    }
}

/// The same for an error of the command line.
pub fn advice_for(error: &Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => advice(word.strip_prefix(DASHES)?, DASHES),
        _ => None,
    }
}
