//! A connection whose writes time out.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long a peer may take to read [`PACE`] bytes that wait for it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
const PACE: usize = 64 * 1024;
/// A pause between two writes after which the earlier ones no longer count.
const PAUSE: Duration = Duration::from_secs(1);

/// A stream whose writes fail when the peer reads too slowly.
pub(super) struct WriteTimeout {
    stream: TcpStream,
    /// Since the first write that waited.
    waiting: Option<Pin<Box<Sleep>>>,
    written: usize,
    /// The time of the last write that did not wait.
    last: Option<Instant>,
}

impl WriteTimeout {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Detects peers that are gone; without this option only the timeout of writes does.
        #[cfg(target_os = "linux")]
        let _ =
            rustix::net::sockopt::set_tcp_user_timeout(&stream, WRITE_TIMEOUT.as_millis() as u32);
        Self {
            stream,
            waiting: None,
            written: 0,
            last: None,
        }
    }

    fn timed(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = &outcome {
            self.written += written.as_ref().map_or(0, |bytes| *bytes);
            self.last = Some(Instant::now());
            return outcome;
        }
        let paused = self.last.take().is_some_and(|last| last.elapsed() > PAUSE);
        if self.written >= PACE || paused {
            self.written = 0;
            self.waiting = None;
        }
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        waiting
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.timed(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
