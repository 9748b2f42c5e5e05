//! Reading what a program prints, by a thread that does nothing else: the program never waits for us, and what it printed is
//! known whatever else is going on.

use std::io::{ErrorKind, PipeReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::printed::{Printed, Tail};
use crate::platform::{Platform, System};

/// Longest line that is shown to whoever looks at the lines.
const LONGEST_LINE: usize = 64 * 1024;

/// The end of a stream, collected as it arrives.
pub struct Stream {
    pipe: Arc<PipeReader>,
    state: Arc<(Mutex<State>, Condvar)>,
}

struct State {
    tail: Tail,
    /// How many bytes were read.
    total: u64,
    /// How many of them whoever looks at the lines has seen.
    seen: u64,
    ended: bool,
}

impl Stream {
    /// Starts to read, keeping the last `limit` bytes; `look` sees every whole line and must not wait.
    pub fn start(pipe: PipeReader, limit: usize, look: impl FnMut(&str) + Send + 'static) -> Self {
        let state = Arc::new((
            Mutex::new(State {
                tail: Tail::new(limit),
                total: 0,
                seen: 0,
                ended: false,
            }),
            Condvar::new(),
        ));
        let stream = Self {
            pipe: Arc::new(pipe),
            state,
        };
        let (pipe, state) = (Arc::clone(&stream.pipe), Arc::clone(&stream.state));
        thread::spawn(move || {
            drain(&pipe, &state, look);
            lock(&state.0).ended = true;
            state.1.notify_all();
        });
        stream
    }

    /// The last bytes as text, once everything that is in the pipe now has been read and looked at.
    pub fn printed(&self) -> Printed {
        let (state, changed) = &*self.state;
        let mut state = lock(state);
        // The reader reads while it holds the lock: what it has not counted is in the pipe.
        let due = state.total + System::unread(&self.pipe);
        while !state.ended && state.seen < due {
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.tail.printed()
    }
}

fn drain(mut pipe: &PipeReader, state: &(Mutex<State>, Condvar), look: impl FnMut(&str)) {
    let mut lines = Lines {
        line: Vec::new(),
        look,
    };
    let mut buffer = [0; 16 * 1024];
    loop {
        if System::wait_for_input(pipe).is_err() {
            return;
        }
        let mut locked = lock(&state.0);
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
        lock(&state.0).seen += count as u64;
        state.1.notify_all();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pieces put together to lines.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    #[test]
    fn lines_are_seen_whole_whatever_the_pieces() {
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
    fn what_was_written_before_is_in_the_text_while_the_pipe_stays_open() {
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
    fn what_is_in_the_text_has_been_looked_at() {
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
}
