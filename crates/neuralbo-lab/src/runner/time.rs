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
        assert!(
            read.is_ok_and(|read| read.duration_until(Timestamp::now()).abs().as_secs() < 60),
            "{text}"
        );
        assert_eq!(
            (text.len(), &text[10..11], &text[19..]),
            (20, "T", "Z"),
            "{text}"
        );
    }
}
