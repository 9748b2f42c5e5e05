//! The engine's threads belong to the process that made them.
//!
//! A fork copies one thread only: in the child the threads of rayon's global pool are gone, and waiting for them lasts for
//! ever. So a child works with a pool of its own.

use std::sync::{Arc, Mutex, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

static HOME: OnceLock<u32> = OnceLock::new();
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process that imported the engine.
pub fn remember() {
    HOME.get_or_init(std::process::id);
}

/// Whether this process was forked off the one that imported the engine.
pub fn is_forked() -> bool {
    HOME.get().is_some_and(|home| *home != std::process::id())
}

/// Runs `work` where its threads live: at once in the process that imported the engine, in a pool of its own in a forked one.
///
/// The caller must not wait inside of `work` for a lock that other callers hold while they compute.
pub fn here<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match is_forked().then(pool).flatten() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The pool of this process; `None` where the system has no threads left.
fn pool() -> Option<Arc<ThreadPool>> {
    // Another thread may have held the lock when this process was forked off; then nobody will ever let go of it.
    let Ok(mut kept) = POOL.try_lock() else {
        return made();
    };
    let id = std::process::id();
    if let Some((_, pool)) = kept.as_ref().filter(|(owner, _)| *owner == id) {
        return Some(Arc::clone(pool));
    }
    let pool = made()?;
    // The threads of a pool of the parent do not exist here; waiting for them to end would never end.
    std::mem::forget(kept.replace((id, Arc::clone(&pool))));
    Some(pool)
}

fn made() -> Option<Arc<ThreadPool>> {
    ThreadPoolBuilder::new().build().ok().map(Arc::new)
}
