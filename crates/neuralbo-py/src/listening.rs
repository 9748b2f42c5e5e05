//! Work of the engine while the interpreter listens: Ctrl-C is heard however long it takes.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

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
    let (done, mut answer) = channel();
    // Nobody listens any more after an interrupt.
    thread::spawn(move || _ = done.send(guarded(work)));
    let missing = || Err("the engine's thread ended without an answer".to_owned());
    let found = listen(py, &mut answer)?.unwrap_or_else(missing);
    found.map_err(PyRuntimeError::new_err)
}

/// Waits until something comes through, or its sender is gone; the error is what a signal's handler raised.
pub fn listen<T: Send>(py: Python<'_>, answer: &mut Receiver<T>) -> PyResult<Option<T>> {
    loop {
        let receiver = &mut *answer;
        let waited = py.detach(move || receiver.recv_timeout(GLANCE));
        match waited {
            Ok(answer) => return Ok(Some(answer)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}
