//! The only place where a study meets time.

use std::time::{Duration, Instant};

/// Time since the study began.
///
/// Time decides when a study stops and how long a suggestion took, never what is suggested.
pub trait Clock: Send {
    /// Time since the clock was started; never goes back.
    fn elapsed(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
