//! Why a trial has no value, and which failures are tried again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits;

/// What kind of failure it was, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FailureKind {
    /// The objective reported an error of its own.
    Error,
    /// The value was NaN or infinite.
    NonFinite,
    /// The program could not be started.
    Start,
    /// The program ended with a non-zero exit status.
    Exit,
    /// The program was ended by a signal.
    Signal,
    /// The evaluation took longer than it may.
    Timeout,
    /// No value could be read from what the program printed.
    Parse,
    /// The evaluation was cut short from outside; it says nothing about the point.
    Interrupted,
    /// Its workers died, as often as the study allows; the point may be the cause.
    Lost,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Error,
        Self::NonFinite,
        Self::Start,
        Self::Exit,
        Self::Signal,
        Self::Timeout,
        Self::Parse,
        Self::Interrupted,
        Self::Lost,
    ];

    /// The word by which the kind is written and read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::NonFinite => "nonfinite",
            Self::Start => "start",
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::Timeout => "timeout",
            Self::Parse => "parse",
            Self::Interrupted => "interrupted",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No failure kind has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "failure kind `{0}` is unknown; known kinds: error, nonfinite, start, exit, signal, timeout, parse, interrupted, lost"
)]
pub struct UnknownFailureKind(String);

impl FromStr for FailureKind {
    type Err = UnknownFailureKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut kinds = Self::ALL.into_iter();
        let kind = kinds.find(|kind| kind.name() == text);
        kind.ok_or_else(|| UnknownFailureKind(text.to_owned()))
    }
}

/// Why a trial has no value.
///
/// ```
/// use neuralbo::record::{Failure, FailureKind};
///
/// let failure = Failure::new(FailureKind::Timeout, "no result after 60 s");
/// assert_eq!(failure.to_string(), "timeout: no result after 60 s");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind, for programs.
    pub kind: FailureKind,
    /// The details, for people.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// The failure without what not every database can hold: a NUL becomes U+FFFD, and the message is cut at 16 KiB.
    pub(super) fn storable(self) -> Self {
        Self {
            message: storable(&self.message, limits::MESSAGE),
            ..self
        }
    }

    /// The failure of a trial whose workers died as often as the study allows.
    pub fn worker_died(attempts: u64) -> Self {
        let message = format!("its worker died in each of {attempts} attempts");
        Self::new(FailureKind::Lost, message)
    }

    /// The failure of a trial whose stored record cannot be read.
    pub fn unreadable(reason: &str) -> Self {
        Self::new(FailureKind::Error, format!("unreadable record: {reason}"))
    }

    /// The failure of a value that is no number to compare with.
    pub(crate) fn nonfinite(name: &str, value: f64) -> Self {
        let message = format!("{name} = {value} is not finite");
        Self::new(FailureKind::NonFinite, message)
    }
}

/// The text without NUL and with at most `limit` bytes.
///
/// ```
/// assert_eq!(neuralbo::record::storable("a\0bc", 5), "a\u{fffd}b");
/// ```
pub fn storable(text: &str, limit: usize) -> String {
    let cut = |text: &str| {
        let mut ends = (0..=limit.min(text.len())).rev();
        ends.find(|&i| text.is_char_boundary(i)).unwrap_or(0)
    };
    let mut kept = text[..cut(text)].replace('\0', "\u{fffd}");
    kept.truncate(cut(&kept));
    kept
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// How often a trial may be tried, and after which failures.
///
/// A worker that dies always makes its trial one to be retried. `interrupted` is never a failure of the trial: it is retried
/// whatever the policy says.
///
/// ```
/// use neuralbo::record::{FailureKind, Retries};
///
/// let retries = Retries { attempts: 2, kinds: vec![FailureKind::Timeout] };
/// assert!(retries.again(FailureKind::Timeout, 1));
/// assert!(!retries.again(FailureKind::Timeout, 2));
/// assert!(!retries.again(FailureKind::Exit, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// Most attempts per trial, the first included.
    pub attempts: u64,
    /// Failures after which a trial is retried; the others finish it at once.
    pub kinds: Vec<FailureKind>,
}

/// Three attempts, for trials whose worker died or whose program was ended by a signal: both tend to come from the machine.
impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 3,
            kinds: vec![FailureKind::Signal],
        }
    }
}

impl Retries {
    /// One attempt, whatever happens: for objectives that run in the process that asks.
    pub fn never() -> Self {
        Self {
            attempts: 1,
            kinds: Vec::new(),
        }
    }

    /// Whether a trial that failed like this at this attempt is retried.
    pub fn again(&self, kind: FailureKind, attempt: u64) -> bool {
        attempt < self.attempts && self.kinds.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_name() {
        for kind in FailureKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }

    #[test]
    fn an_unknown_kind_is_answered_with_all_kinds() {
        let text = "crash".parse::<FailureKind>().unwrap_err().to_string();
        let names = FailureKind::ALL.map(FailureKind::name);
        assert!(text.contains("`crash`") && names.iter().all(|name| text.contains(name)));
    }
}
