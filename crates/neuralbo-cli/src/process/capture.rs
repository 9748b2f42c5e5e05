//! Reading a program's output while it runs, so that it never waits for us.

use std::convert::Infallible;
use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::tail::{Tail, drain};

/// The end of a stream, collected by a thread of its own.
#[derive(Debug)]
pub struct Capture {
    tail: Arc<Mutex<Tail>>,
    open: Receiver<Infallible>,
}

impl Capture {
    /// Starts to read `stream`, keeping its last `limit` bytes.
    pub fn start(stream: impl Read + Send + 'static, limit: usize) -> Self {
        let tail = Arc::new(Mutex::new(Tail::new(limit)));
        let (alive, open) = channel();
        let shared = Arc::clone(&tail);
        thread::spawn(move || {
            drain(stream, |piece| shared.lock().unwrap_or_else(PoisonError::into_inner).push(piece));
            drop(alive);
        });
        Self { tail, open }
    }

    /// Waits until the stream ends, but no longer than `grace`.
    ///
    /// A stream stays open as long as any process that inherited it lives, so its end must not be waited for without a limit.
    pub fn wait_for_end(&self, grace: Duration) {
        // Nothing is ever sent: the answer is the end of the reading thread or the end of the grace.
        let _ = self.open.recv_timeout(grace);
    }

    /// What has been read so far.
    pub fn text(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}
