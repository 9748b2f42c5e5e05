//! Signals that ask this process to end.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::platform::Interruption;

/// Those signals, as they come.
pub struct Interruptions(Signals);

impl Interruptions {
    /// Takes them from now on.
    pub fn new() -> io::Result<Self> {
        let mut wanted = vec![SIGINT, SIGTERM];
        if !is_ignored(SIGHUP) {
            wanted.push(SIGHUP);
        }
        Signals::new(wanted).map(Self)
    }
}

impl Iterator for Interruptions {
    type Item = Interruption;

    fn next(&mut self) -> Option<Interruption> {
        let signal = self.0.forever().next()?;
        Some(if signal == SIGINT {
            Interruption::Asked
        } else {
            Interruption::Terminated
        })
    }
}

/// Whether this signal is ignored, as under `nohup`; `false` if unknown.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
