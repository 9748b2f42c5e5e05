//! The output of a program, read by a thread of its own: the program never waits for us.

use std::io::{ErrorKind, PipeReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::platform::{Platform, System};

/// The longest line passed on.
const LONGEST_LINE: usize = 64 * 1024;

/// The end of a stream, collected as it arrives.
pub struct Stream {
    pipe: Arc<PipeReader>,
    shared: Arc<SharedState>,
}

#[derive(Default)]
struct SharedState {
    state: Mutex<StreamState>,
    changed: Condvar,
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct StreamState {
    tail: Tail,
    /// The number of bytes read.
    total: u64,
    /// The number of bytes whose lines were passed on.
    seen: u64,
    ended: bool,
}

impl Stream {
    /// Starts reading and keeps the last `limit` bytes. `look` gets every complete line and must not
    /// block.
    pub fn start(pipe: PipeReader, limit: usize, look: impl FnMut(&str) + Send + 'static) -> Self {
        let (pipe, shared) = (Arc::new(pipe), Arc::<SharedState>::default());
        shared.lock().tail.limit = limit;
        let stream = Self {
            pipe: Arc::clone(&pipe),
            shared: Arc::clone(&shared),
        };
        thread::spawn(move || {
            drain(&pipe, &shared, look);
            shared.lock().ended = true;
            shared.changed.notify_all();
        });
        stream
    }

    /// The end of the output, after everything now in the pipe was read and passed on.
    pub fn printed(&self) -> Printed {
        let mut state = self.shared.lock();
        // The thread reads while it holds the lock: what is not counted is in the pipe.
        let due = state.total + System::unread(&self.pipe);
        while !state.ended && state.seen < due {
            let waited = self.shared.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.tail.printed()
    }
}

fn drain(mut pipe: &PipeReader, shared: &SharedState, look: impl FnMut(&str)) {
    let line = Vec::new();
    let mut lines = Lines { line, look };
    let mut buffer = [0; 16 * 1024];
    loop {
        if System::wait_for_input(pipe).is_err() {
            return;
        }
        let mut locked = shared.lock();
        let count = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        locked.tail.push(&buffer[..count]);
        locked.total += count as u64;
        drop(locked);
        lines.push(&buffer[..count]);
        shared.lock().seen += count as u64;
        shared.changed.notify_all();
    }
}

/// Joins pieces to lines.
struct Lines<F> {
    line: Vec<u8>,
    look: F,
}

impl<F: FnMut(&str)> Lines<F> {
    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() <= LONGEST_LINE {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                (self.look)(String::from_utf8_lossy(&self.line).trim());
                self.line.clear();
            }
        }
    }
}

/// The end of a program's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// As text.
    pub text: String,
    /// Whether earlier output was dropped, so that the first line may be incomplete.
    pub is_cut: bool,
    /// The number of bytes kept.
    pub limit: usize,
}

/// A buffer for the end of the output, of at most twice its limit.
#[derive(Default)]
struct Tail {
    limit: usize,
    bytes: Vec<u8>,
    dropped: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * self.limit {
            self.bytes.drain(..self.bytes.len() - self.limit);
            self.dropped = true;
        }
    }

    fn printed(&self) -> Printed {
        let start = self.bytes.len().saturating_sub(self.limit);
        let text = String::from_utf8_lossy(&self.bytes[start..]).into_owned();
        Printed {
            text,
            is_cut: self.dropped || start > 0,
            limit: self.limit,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    #[test]
    fn lines_are_passed_on_complete() {
        let text = format!("one\ntwo\r\n{}\nlast without end", "x".repeat(LONGEST_LINE));
        let mut seen = Vec::new();
        let mut lines = Lines {
            line: Vec::new(),
            look: |line: &str| seen.push(line.to_owned()),
        };
        text.as_bytes()
            .chunks(7)
            .for_each(|piece| lines.push(piece));
        assert_eq!(
            (seen.len(), seen[0].as_str(), seen[1].as_str()),
            (3, "one", "two")
        );
    }

    #[test]
    fn earlier_output_is_in_the_text_while_the_pipe_is_open() {
        for _ in 0..200 {
            let (reader, mut writer) = std::io::pipe().unwrap();
            let stream = Stream::start(reader, 100, |_| thread::sleep(Duration::from_micros(50)));
            for i in 0..50 {
                writeln!(writer, "{i}").unwrap();
            }
            assert!(stream.printed().text.ends_with("\n49\n"));
        }
    }

    #[test]
    fn all_lines_of_the_text_were_passed_on() {
        for _ in 0..50 {
            let (reader, mut writer) = std::io::pipe().unwrap();
            let looked = Arc::new(Mutex::new(0));
            let count = Arc::clone(&looked);
            let stream = Stream::start(reader, 100, move |_| {
                thread::sleep(Duration::from_millis(1));
                *count.lock().unwrap() += 1;
            });
            writer.write_all(b"one\ntwo\nthree\n").unwrap();
            assert_eq!(
                (stream.printed().text.as_str(), *looked.lock().unwrap()),
                ("one\ntwo\nthree\n", 3)
            );
        }
    }

    #[test]
    fn the_end_is_kept() {
        let all: Vec<u8> = (0..10_000u32).map(|i| b'a' + (i % 26) as u8).collect();
        for piece in [1, 7, 99, 100, 101, 5000] {
            let mut tail = Tail {
                limit: 100,
                ..Tail::default()
            };
            all.chunks(piece).for_each(|chunk| tail.push(chunk));
            assert_eq!(
                (tail.printed().text.as_bytes(), tail.printed().is_cut),
                (&all[all.len() - 100..], true)
            );
            assert!(tail.bytes.len() <= 200);
        }
    }
}
