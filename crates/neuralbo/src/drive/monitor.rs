//! What goes on beside the evaluations: leases are renewed, intermediate values are stored.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Cancel, CancelReason, Reporter};
use crate::store::{Lease, Store};

/// Intermediate values are stored together, at most so often.
const PAUSE: Duration = Duration::from_millis(100);

/// The evaluations of a run, as the thread beside them sees them.
pub(super) struct Monitor {
    store: Arc<dyn Store>,
    lease: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    held: HashMap<Lease, (Reporter, Cancel)>,
    /// Something was reported since the last look.
    reported: bool,
    ended: bool,
}

impl Monitor {
    pub(super) fn new(store: Arc<dyn Store>, lease: Duration) -> Arc<Self> {
        Arc::new(Self { store, lease, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Keeps a lease and stores what its trial reports.
    pub(super) fn hold(&self, lease: Lease, reporter: Reporter, cancel: Cancel) {
        self.lock().held.insert(lease, (reporter, cancel));
    }

    /// Lets go of a trial that is told or given back.
    pub(super) fn drop_lease(&self, lease: &Lease) {
        self.lock().held.remove(lease);
    }

    /// Ends all evaluations, also the one that keeps the loop's own thread busy.
    pub(super) fn cancel_all(&self) {
        let held: Vec<Cancel> = self.lock().held.values().map(|(_, cancel)| cancel.clone()).collect();
        held.iter().for_each(|cancel| cancel.cancel(CancelReason::Interrupted));
    }

    /// Something was reported.
    pub(super) fn wake(&self) {
        self.lock().reported = true;
        self.changed.notify_all();
    }

    /// Ends [`Monitor::run`].
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Works until the run ends. Leases are renewed three times per lease.
    pub(super) fn run(&self) {
        let mut renewed = Instant::now();
        while self.wait(renewed) {
            if renewed.elapsed() >= self.lease / 3 {
                self.renew();
                renewed = Instant::now();
            }
            self.flush();
        }
    }

    /// Waits until there is something to do; `false` when the run has ended.
    fn wait(&self, renewed: Instant) -> bool {
        let mut state = self.lock();
        while !state.ended && !state.reported {
            // A lease without end needs no renewal, and an instant that far away does not exist.
            let due = renewed.checked_add(self.lease / 3).map(|due| due.saturating_duration_since(Instant::now()));
            match due {
                Some(Duration::ZERO) => return true,
                Some(due) => state = self.changed.wait_timeout(state, due).unwrap_or_else(PoisonError::into_inner).0,
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        if !state.ended {
            // What is reported in quick succession is stored together.
            state = self.changed.wait_timeout_while(state, PAUSE, |state| !state.ended).unwrap_or_else(PoisonError::into_inner).0;
            state.reported = false;
        }
        !state.ended
    }

    /// A storage that cannot be reached is reported by the next tell, which waits for it.
    fn renew(&self) {
        let leases: Vec<Lease> = self.lock().held.keys().copied().collect();
        if leases.is_empty() {
            return;
        }
        for lost in self.store.renew(&leases, self.lease).unwrap_or_default() {
            if let Some((_, cancel)) = self.lock().held.remove(&lost) {
                cancel.cancel(CancelReason::LeaseLost);
            }
        }
    }

    /// What cannot be stored now goes on waiting in its reporter, and is stored before the trial is told.
    fn flush(&self) {
        let reporters: Vec<Reporter> = self.lock().held.values().map(|(reporter, _)| reporter.clone()).collect();
        reporters.iter().for_each(|reporter| _ = reporter.flush());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
