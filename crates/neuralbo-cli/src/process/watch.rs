//! Looking at a program's output while it runs, and stopping it.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Group;

/// Longest line that is looked at; longer ones are no intermediate values.
const LONGEST_LINE: usize = 64 * 1024;

type Lines = Arc<dyn Fn(&str) + Send + Sync>;

/// Who looks at a program's standard output, line by line, and may stop the program.
#[derive(Clone, Default)]
pub struct Watch {
    /// Is shown every line as it arrives.
    pub lines: Option<Lines>,
    /// Stops the program.
    pub stopper: Stopper,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("lines", &self.lines.is_some()).finish_non_exhaustive()
    }
}

impl Watch {
    /// The stream, with its lines shown to whoever looks at them.
    pub(super) fn reader<R: Read + Send + 'static>(&self, stream: R) -> Box<dyn Read + Send> {
        match &self.lines {
            Some(lines) => Box::new(Shown { stream, lines: Arc::clone(lines), line: Vec::new() }),
            None => Box::new(stream),
        }
    }
}

struct Shown<R> {
    stream: R,
    lines: Lines,
    line: Vec<u8>,
}

impl<R: Read> Read for Shown<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.stream.read(buffer)?;
        for piece in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() <= LONGEST_LINE {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                (self.lines)(String::from_utf8_lossy(&self.line).trim());
                self.line.clear();
            }
        }
        Ok(count)
    }
}

/// Ends a program and everything it started, whether it has begun or not.
#[derive(Clone, Default)]
pub struct Stopper(Arc<Mutex<Program>>);

#[derive(Default)]
struct Program {
    group: Option<Group>,
    stopped: bool,
}

impl Stopper {
    /// Ends the program now, or as soon as it starts.
    pub fn stop(&self) {
        let mut program = self.lock();
        program.stopped = true;
        program.group.iter().for_each(|group| group.kill());
    }

    pub(super) fn enter(&self, group: Group) {
        let mut program = self.lock();
        program.group = Some(group);
        if program.stopped {
            group.kill();
        }
    }

    /// Forgets a program that is about to be reaped.
    pub(super) fn leave(&self) {
        self.lock().group = None;
    }

    fn lock(&self) -> MutexGuard<'_, Program> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_whole_whatever_the_pieces() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let watch = Watch { lines: Some(Arc::new(move |line| sink.lock().unwrap().push(line.to_owned()))), ..Watch::default() };
        let text = format!("one\ntwo\r\n{}\nlast without end", "x".repeat(LONGEST_LINE));
        let mut reader = watch.reader(std::io::Cursor::new(text.clone()));
        let mut buffer = [0; 7];
        let mut all = Vec::new();
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            all.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(all, text.as_bytes());
        let seen = seen.lock().unwrap();
        assert_eq!((seen.len(), seen[0].as_str(), seen[1].as_str()), (3, "one", "two"));
    }
}
