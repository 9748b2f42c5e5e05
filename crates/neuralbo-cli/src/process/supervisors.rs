//! The supervisors of a run: one for every program that runs at the same time, used again for the next.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::limits;
use crate::platform::{Limits, Platform, Supervisor, System};

type OfThisSystem = <System as Platform>::Supervisor;

/// The supervisors of a run.
pub struct Supervisors {
    memory: Option<u64>,
    cpus: Option<usize>,
    /// Where programs run, if not where we do.
    folder: Option<PathBuf>,
    all_cpus: Vec<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: Vec<OfThisSystem>,
    started: usize,
}

impl Supervisors {
    /// Supervisors whose programs have these limits and run in this folder.
    pub fn new(memory: Option<u64>, cpus: Option<usize>, folder: Option<PathBuf>) -> Self {
        Self {
            memory,
            cpus,
            folder,
            all_cpus: System::cpus(),
            state: Mutex::default(),
        }
    }

    /// One that has nothing to do.
    pub fn take(&self) -> io::Result<OfThisSystem> {
        let mut state = self.lock();
        if let Some(supervisor) = state.idle.pop() {
            return Ok(supervisor);
        }
        let number = state.started;
        state.started += 1;
        drop(state);
        let cpus = self.cpus.map_or(Vec::new(), |count| {
            limits::share(&self.all_cpus, count, number)
        });
        Supervisor::start(
            &Limits {
                memory: self.memory,
                cpus,
            },
            self.folder.as_deref(),
        )
    }

    /// Keeps one for the next program.
    pub fn give_back(&self, supervisor: OfThisSystem) {
        self.lock().idle.push(supervisor);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
