//! Ending evaluations from outside.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why an evaluation is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The pruner says that the trial is not worth finishing, or good as it is.
    Pruned,
    /// The lease was lost: somebody else has the trial, and its result is not wanted.
    LeaseLost,
    /// Somebody asked the whole run to end at once.
    Interrupted,
}

type Wake = Box<dyn FnOnce(CancelReason) + Send>;

/// Tells one evaluation that it is to end; the first reason counts. Clones share it.
///
/// ```
/// use neuralbo::drive::{Cancel, CancelReason};
///
/// let cancel = Cancel::default();
/// assert_eq!(cancel.reason(), None);
/// cancel.cancel(CancelReason::Pruned);
/// cancel.cancel(CancelReason::Interrupted);
/// assert_eq!(cancel.reason(), Some(CancelReason::Pruned));
/// ```
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    reason: Option<CancelReason>,
    wake: Option<Wake>,
}

impl Cancel {
    /// Ends the evaluation.
    pub fn cancel(&self, reason: CancelReason) {
        let mut inner = self.lock();
        if inner.reason.is_some() {
            return;
        }
        inner.reason = Some(reason);
        let wake = inner.wake.take();
        drop(inner);
        if let Some(wake) = wake {
            wake(reason);
        }
    }

    /// Why the evaluation is to end, if it is.
    pub fn reason(&self) -> Option<CancelReason> {
        self.lock().reason
    }

    /// Calls `wake` once when the evaluation is to end; at once if it is already. A later call takes the place of an earlier one.
    pub fn on_cancel(&self, wake: impl FnOnce(CancelReason) + Send + 'static) {
        let mut inner = self.lock();
        match inner.reason {
            None => inner.wake = Some(Box::new(wake)),
            Some(reason) => {
                drop(inner);
                wake(reason);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a run that it is to end, in two steps: finish what runs, or end what runs. Clones share it.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<StopInner>>);

#[derive(Default)]
struct StopInner {
    level: StopLevel,
    wake: Option<Box<dyn Fn(StopLevel) + Send>>,
}

/// How urgently a run is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// It goes on.
    #[default]
    Run,
    /// What runs is finished, nothing new is begun.
    Finish,
    /// What runs is ended: it says nothing about its trials.
    Kill,
}

impl Stop {
    /// Begins no more trials and waits for those that run.
    pub fn finish(&self) {
        self.raise(StopLevel::Finish);
    }

    /// Ends the trials that run, too.
    pub fn kill(&self) {
        self.raise(StopLevel::Kill);
    }

    /// How urgently the run is to end.
    pub fn level(&self) -> StopLevel {
        self.lock().level
    }

    fn raise(&self, level: StopLevel) {
        let mut inner = self.lock();
        inner.level = inner.level.max(level);
        if let Some(wake) = &inner.wake {
            wake(inner.level);
        }
    }

    pub(super) fn on_raise(&self, wake: impl Fn(StopLevel) + Send + 'static) {
        self.lock().wake = Some(Box::new(wake));
    }

    pub(super) fn forget(&self) {
        self.lock().wake = None;
    }

    fn lock(&self) -> MutexGuard<'_, StopInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
