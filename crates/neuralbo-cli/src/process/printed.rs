//! The end of what a program printed.

/// The end of what a program printed, and whether that is all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// As text.
    pub text: String,
    /// Whether something before it was not kept: its first line has no beginning.
    pub is_cut: bool,
    /// How many bytes are kept.
    pub limit: usize,
}

/// Remembers the end of what was written, never more than twice its limit.
pub struct Tail {
    limit: usize,
    bytes: Vec<u8>,
    dropped: bool,
}

impl Tail {
    /// Nothing so far; the last `limit` bytes are kept.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            bytes: Vec::new(),
            dropped: false,
        }
    }

    /// Adds what came next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * self.limit {
            self.bytes.drain(..self.bytes.len() - self.limit);
            self.dropped = true;
        }
    }

    /// What is kept, as text.
    pub fn printed(&self) -> Printed {
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
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_whatever_the_pieces() {
        let all: Vec<u8> = (0..10_000u32).map(|i| b'a' + (i % 26) as u8).collect();
        for piece in [1, 7, 99, 100, 101, 5000] {
            let mut tail = Tail::new(100);
            all.chunks(piece).for_each(|chunk| tail.push(chunk));
            assert_eq!(
                (tail.printed().text.as_bytes(), tail.printed().is_cut),
                (&all[all.len() - 100..], true)
            );
            assert!(tail.bytes.len() <= 200);
        }
    }
}
