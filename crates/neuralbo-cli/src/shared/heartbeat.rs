//! Signs of life: leases are renewed while their programs run.

use std::collections::HashMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use neuralbo_store::{Lease, Store};

use crate::process::Stopper;

/// The leases this process holds, renewed by a thread of its own three times per lease.
pub struct Heartbeat {
    held: Held,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Held = Arc<Mutex<HashMap<Lease, Stopper>>>;

impl Heartbeat {
    /// Starts to renew; a program whose lease was lost is stopped, because its result is not wanted.
    pub fn start(store: Arc<dyn Store>, lease: Duration) -> Self {
        let held: Held = Arc::default();
        let (end, ended) = channel();
        let leases = Arc::clone(&held);
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(lease / 3) == Err(RecvTimeoutError::Timeout) {
                beat(store.as_ref(), &leases, lease);
            }
        });
        Self { held, end: Some(end), thread: Some(thread) }
    }

    /// Keeps a lease.
    pub fn hold(&self, lease: Lease, stopper: Stopper) {
        lock(&self.held).insert(lease, stopper);
    }

    /// Forgets a lease that is told or given back.
    pub fn drop_lease(&self, lease: &Lease) {
        lock(&self.held).remove(lease);
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // A heartbeat that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

fn beat(store: &dyn Store, held: &Held, lease: Duration) {
    let leases: Vec<Lease> = lock(held).keys().copied().collect();
    if leases.is_empty() {
        return;
    }
    // A storage that cannot be reached is reported by the next tell, which waits for it.
    for lost in store.renew(&leases, lease).unwrap_or_default() {
        if let Some(stopper) = lock(held).remove(&lost) {
            stopper.stop();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
