//! Which failures are tried again.

use serde::{Deserialize, Serialize};

use super::FailureKind;

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
