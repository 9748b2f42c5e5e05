//! Writing SVG: elements and escaped text.

/// Across and down.
pub(super) type Pixel = (f64, f64);

/// Width of an average character relative to the size of the font; on the safe side for common sans-serif fonts.
const CHARACTER: f64 = 0.6;

/// A length or coordinate; a tenth of a pixel is finer than anybody sees.
pub(super) fn px(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// Text that may stand anywhere in an XML document; characters XML does not know are dropped.
pub(crate) fn escaped(text: &str) -> String {
    let unknown = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.replace(|c| unknown(c) || matches!(c, '\u{fffe}' | '\u{ffff}'), "")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// About how wide a line of text is.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * CHARACTER * size
}

/// The text in lines that fit, broken between words; a word that is too long has a line of its own.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if text_width(line, size) + text_width(word, size) + CHARACTER * size <= room =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// An SVG document under construction.
#[derive(Debug, Default)]
pub(super) struct Svg(pub String);

impl Svg {
    /// Adds tags as they are.
    pub fn add(&mut self, tags: &str) {
        self.0 += tags;
        self.0.push('\n');
    }

    /// `content` is markup.
    pub fn text(&mut self, at: Pixel, size: f64, looks: &str, content: &str) {
        let (x, y) = (px(at.0), px(at.1));
        self.add(&format!(
            r#"<text x="{x}" y="{y}" font-size="{size:.1}" {looks}>{content}</text>"#
        ));
    }

    /// An element whose points are these corners.
    pub fn shape(&mut self, element: &str, corners: &[Pixel], looks: &str) {
        let corners = corners.iter().map(|&(x, y)| format!("{},{}", px(x), px(y)));
        let points = corners.collect::<Vec<_>>().join(" ");
        self.add(&format!(r#"<{element} points="{points}" {looks}/>"#));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let found = escaped("a<b & \"c\">'d'\u{1}é");
        assert_eq!(found, "a&lt;b &amp; &quot;c&quot;&gt;'d'é");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 10.0, 43.0), ["one two", "three"]);
        let found = wrapped("incomprehensible", 10.0, 20.0);
        assert_eq!(found, ["incomprehensible"]);
        assert!(wrapped("  ", 10.0, 20.0).is_empty());
    }
}
