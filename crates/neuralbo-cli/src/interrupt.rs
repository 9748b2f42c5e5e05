//! Ctrl-C in steps: finish what runs, end what runs, end at once. Requests to terminate begin at the second step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use neuralbo::drive::{Stop, StopLevel};

use crate::output::{CommandError, EXIT_INTERRUPTED, OrCommandError, counted, say};
use crate::platform::{Interruption, Platform, System};

/// What signals do to a run.
#[derive(Clone, Default)]
pub struct Interrupt {
    /// Ends the run.
    pub stop: Stop,
    running: Arc<AtomicU64>,
}

/// A trial under evaluation, until it is dropped.
pub struct RunningGuard(Arc<AtomicU64>);

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Interrupt {
    /// Reacts to signals from now on.
    pub fn install() -> Result<Self, CommandError> {
        let interruptions = System::interruptions().or_failure("signals")?;
        let interrupt = Self::default();
        let handler = interrupt.clone();
        let work = move || interruptions.for_each(|interruption| handler.raise(interruption));
        let thread = thread::Builder::new().name("signals".to_owned());
        thread.spawn(work).or_failure("signals")?;
        Ok(interrupt)
    }

    /// Counts a trial under evaluation.
    pub fn running(&self) -> RunningGuard {
        self.running.fetch_add(1, Ordering::SeqCst);
        RunningGuard(Arc::clone(&self.running))
    }

    fn raise(&self, interruption: Interruption) {
        match self.stop.level() {
            StopLevel::Run if interruption == Interruption::Asked => {
                say(&format!(
                    "finishing {}",
                    what_runs(self.running.load(Ordering::SeqCst))
                ));
                self.stop.finish();
            }
            StopLevel::Run | StopLevel::Finish => self.stop.kill(),
            StopLevel::Kill => std::process::exit(EXIT_INTERRUPTED.into()),
        }
    }
}

fn what_runs(running: u64) -> String {
    match running {
        0 => "the current step; press Ctrl-C again to end it".to_owned(),
        1 => "1 running trial; press Ctrl-C again to end it".to_owned(),
        _ => format!(
            "{}; press Ctrl-C again to end them",
            counted(running, "running trial")
        ),
    }
}
