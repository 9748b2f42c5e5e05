//! Ending a long choice of points from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the choice of a batch early, with the points chosen so far. Clones share it.
///
/// ```
/// use neuralbo::strategy::CancelFlag;
///
/// let flag = CancelFlag::default();
/// flag.clone().raise();
/// assert!(flag.is_raised());
/// flag.lower();
/// assert!(!flag.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// No further points are wanted.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Points are wanted again.
    pub fn lower(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether no further points are wanted.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
