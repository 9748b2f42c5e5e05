//! How much room text takes.

/// Width of an average character relative to the size of the font; on the safe side for common sans-serif fonts.
const CHARACTER: f64 = 0.6;

/// About how wide a line of text is.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * CHARACTER * size
}

/// The text in lines that fit, broken between words; a word that is too long has a line of its own.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + CHARACTER * size <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 10.0, 43.0), ["one two", "three"]);
        let found = wrapped("incomprehensible", 10.0, 20.0);
        assert_eq!(found, ["incomprehensible"]);
        assert!(wrapped("  ", 10.0, 20.0).is_empty());
    }
}
