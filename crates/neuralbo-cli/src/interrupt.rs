//! Ctrl-C: the first ends the run with its result, the second ends it at once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::exit::EXIT_INTERRUPTED;
use crate::process::Group;

/// Whether the user wants to stop, and which programs must end then.
#[derive(Default)]
pub struct Interrupt {
    raised: AtomicBool,
    groups: Mutex<HashSet<Group>>,
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Interrupt {
    /// Reacts to Ctrl-C and to the request to terminate from now on.
    pub fn install() -> Result<Arc<Self>, ctrlc::Error> {
        let interrupt = Arc::new(Self::default());
        let handler = Arc::clone(&interrupt);
        ctrlc::set_handler(move || handler.raise())?;
        Ok(interrupt)
    }

    fn raise(&self) {
        let again = self.raised.swap(true, Ordering::SeqCst);
        self.end_programs();
        if again {
            std::process::exit(EXIT_INTERRUPTED.into());
        }
        if let Some(wake) = lock(&self.wake).as_ref() {
            wake();
        }
    }

    /// Calls `wake` when the first interrupt arrives.
    pub fn on_raise(&self, wake: impl Fn() + Send + 'static) {
        *lock(&self.wake) = Some(Box::new(wake));
    }

    /// Whether an interrupt has arrived.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    /// Kills all running programs.
    pub fn end_programs(&self) {
        lock(&self.groups).iter().for_each(|group| group.kill());
    }

    /// Adds a running program, or ends it if an interrupt came first.
    pub fn enter(&self, group: Group) {
        lock(&self.groups).insert(group);
        if self.is_raised() {
            group.kill();
        }
    }

    /// Forgets a program that is about to be reaped.
    pub fn leave(&self, group: Group) {
        lock(&self.groups).remove(&group);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
