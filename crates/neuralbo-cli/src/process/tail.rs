//! The last bytes of a stream.

use std::io::Read;

/// Remembers the end of what was written, never more than twice its limit.
#[derive(Debug)]
pub struct Tail {
    limit: usize,
    bytes: Vec<u8>,
}

impl Tail {
    /// Keeps at least the last `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new() }
    }

    /// Appends bytes and forgets the oldest ones.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * self.limit {
            self.bytes.drain(..self.bytes.len() - self.limit);
        }
    }

    /// What is remembered, as text.
    pub fn text(&self) -> String {
        let start = self.bytes.len().saturating_sub(self.limit);
        String::from_utf8_lossy(&self.bytes[start..]).into_owned()
    }
}

/// Reads a stream to its end, passing each piece to `sink`.
pub fn drain(mut stream: impl Read, mut sink: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => sink(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end_whatever_the_pieces() {
        let all: Vec<u8> = (0..10_000u32).map(|i| b'a' + (i % 26) as u8).collect();
        for piece in [1, 7, 99, 100, 101, 5000] {
            let mut tail = Tail::new(100);
            all.chunks(piece).for_each(|chunk| tail.push(chunk));
            assert_eq!(tail.text().as_bytes(), &all[all.len() - 100..]);
            assert!(tail.bytes.len() <= 200);
        }
    }

    #[test]
    fn drains_a_stream_to_its_end() {
        let mut seen = Vec::new();
        drain(&b"hello"[..], |piece| seen.extend_from_slice(piece));
        assert_eq!(seen, b"hello");
    }
}
