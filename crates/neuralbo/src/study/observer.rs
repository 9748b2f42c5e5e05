//! Watching a study from outside.

use super::{StopReason, Trial};

/// Is told what happens in a study; every hook does nothing unless it is written.
///
/// # Contract
/// Hooks are called on the thread that asks and tells, in the order of events, after the study has changed. They cannot change
/// the study.
pub trait Observer: Send {
    /// A trial was suggested.
    fn asked(&mut self, _trial: &Trial) {}

    /// A trial has finished; `best` is the best one including it, and `improved` says whether it is this one.
    fn finished(&mut self, _trial: &Trial, _best: Option<&Trial>, _improved: bool) {}

    /// The study has ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}
