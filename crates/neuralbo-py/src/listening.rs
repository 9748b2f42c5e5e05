//! Work of the engine while the interpreter listens: Ctrl-C is heard however long it takes.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::guard::guarded;

/// How often the interpreter looks for signals while it waits.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs `work` beside the interpreter. If it is interrupted, `work` goes on, and its result is dropped.
pub fn listening<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, mut ended) = channel();
    let answer = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&answer);
    thread::spawn(move || {
        let found = guarded(work);
        *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        // Nobody listens any more after an interrupt.
        let _ = done.send(());
    });
    listen(py, &mut ended)?;
    let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = || Err("the engine's thread ended without an answer".to_owned());
    let found = answer.take().unwrap_or_else(missing);
    found.map_err(PyRuntimeError::new_err)
}

/// Waits until something comes through or its sender is gone; the error is what a signal's handler raised.
pub fn listen(py: Python<'_>, ended: &mut Receiver<()>) -> PyResult<()> {
    loop {
        let receiver = &mut *ended;
        let waited = py.detach(move || receiver.recv_timeout(GLANCE));
        match waited {
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
