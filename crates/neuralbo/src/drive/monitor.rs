//! Work beside the evaluations: leases are renewed, intermediate values are stored.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::{Cancel, CancelReason, DriveOptions, Reporter};
use crate::store::{Lease, Store};
use crate::strategy::CancelFlag;

/// The interval of clock checks: leases may have ended while the machine slept.
const LOOK: Duration = Duration::from_secs(1);
/// The shortest interval between writes of intermediate values.
const PAUSE: Duration = Duration::from_millis(100);

/// The evaluations of a run, as seen by the monitoring thread.
pub(super) struct Monitor {
    store: Arc<dyn Store>,
    lease: Duration,
    state: Mutex<MonitorState>,
    changed: Condvar,
}

#[derive(Default)]
struct MonitorState {
    held: HashMap<Lease, (Reporter, Cancel)>,
    /// Whether something was reported since the last check.
    reported: bool,
    ended: bool,
}

/// The age of an event by two clocks: one stands still while the machine sleeps, the other may be set.
struct Age {
    ticks: Instant,
    time: SystemTime,
}

impl Default for Age {
    fn default() -> Self {
        Self {
            ticks: Instant::now(),
            time: SystemTime::now(),
        }
    }
}

impl Age {
    fn reaches(&self, limit: Duration) -> bool {
        self.ticks.elapsed() >= limit || self.time.elapsed().is_ok_and(|elapsed| elapsed >= limit)
    }
}

impl Monitor {
    pub(super) fn new(store: Arc<dyn Store>, lease: Duration) -> Arc<Self> {
        Arc::new(Self {
            store,
            lease,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Keeps a lease and stores what its trial reports.
    pub(super) fn hold(&self, lease: Lease, reporter: Reporter, cancel: Cancel) {
        self.lock().held.insert(lease, (reporter, cancel));
    }

    /// Forgets a trial that is told or returned.
    pub(super) fn drop_lease(&self, lease: &Lease) {
        self.lock().held.remove(lease);
    }

    /// Ends all evaluations, also one on the loop's own thread.
    pub(super) fn cancel_all(&self) {
        let held: Vec<Cancel> = self
            .lock()
            .held
            .values()
            .map(|(_, cancel)| cancel.clone())
            .collect();
        held.iter()
            .for_each(|cancel| cancel.cancel(CancelReason::Interrupted));
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
        let mut renewed = Age::default();
        while self.wait(&renewed) {
            if renewed.reaches(self.lease / 3) {
                self.renew();
                renewed = Age::default();
            }
            self.flush();
        }
    }

    /// Waits until there is something to do; `false` when the run has ended.
    fn wait(&self, renewed: &Age) -> bool {
        let mut state = self.lock();
        while !state.ended && !state.reported {
            if renewed.reaches(self.lease / 3) {
                return true;
            }
            let pause = (self.lease / 3)
                .saturating_sub(renewed.ticks.elapsed())
                .clamp(Duration::from_millis(1), LOOK);
            state = self
                .changed
                .wait_timeout(state, pause)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if !state.ended {
            // Reports in quick succession are stored together.
            state = self
                .changed
                .wait_timeout_while(state, PAUSE, |state| !state.ended)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            state.reported = false;
        }
        !state.ended
    }

    /// Errors are ignored: the next tell waits for an unreachable storage.
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

    /// Reports that cannot be stored now stay in their reporter, and are stored before the trial is told.
    fn flush(&self) {
        let reporters: Vec<Reporter> = self
            .lock()
            .held
            .values()
            .map(|(reporter, _)| reporter.clone())
            .collect();
        reporters.iter().for_each(|reporter| _ = reporter.flush());
    }

    fn lock(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the monitor with the loop, also after a panic of a strategy or an observer.
pub(super) struct Cleanup<'a> {
    pub(super) monitor: &'a Monitor,
    pub(super) options: &'a DriveOptions,
    pub(super) asking: CancelFlag,
}

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        self.monitor.end();
        self.options.stop.forget();
        self.asking.lower();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_are_renewed_when_a_machine_wakes_up() {
        let third = Duration::from_secs(20);
        let slept = Age {
            ticks: Instant::now(),
            time: SystemTime::now() - Duration::from_secs(100),
        };
        assert!(slept.reaches(third));
        assert!(!Age::default().reaches(third));
        let set_back = Age {
            ticks: Instant::now(),
            time: SystemTime::now() + Duration::from_secs(100),
        };
        assert!(!set_back.reaches(third) && set_back.reaches(Duration::ZERO));
    }
}
