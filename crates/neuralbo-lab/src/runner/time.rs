//! Dates, for people.

use jiff::Timestamp;

/// Now, as `2026-11-15T06:30:00Z`.
pub fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second())
        .unwrap_or(now)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_whole_seconds_of_universal_time() {
        let text = now();
        let read: Result<Timestamp, _> = text.parse();
        let recent = |read: Timestamp| read.duration_until(Timestamp::now()).abs().as_secs() < 60;
        assert!(read.is_ok_and(recent), "{text}");
        let found = (text.len(), &text[10..11], &text[19..]);
        assert_eq!(found, (20, "T", "Z"), "{text}");
    }
}
