//! Writing SVG: elements, attributes and escaped text.

/// An SVG document under construction.
#[derive(Debug, Default)]
pub(super) struct Svg {
    out: String,
}

/// A length or coordinate; a tenth of a pixel is finer than anybody sees.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" { "0" } else { short }.into()
}

/// Text that may stand anywhere in an XML document; characters XML does not know are dropped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

impl Svg {
    /// An element without content. `tag` is its name with attributes, which are numbers and constants and not escaped.
    pub fn empty(&mut self, tag: &str) {
        self.out += &format!("<{tag}/>\n");
    }

    /// Begins an element; see [`Self::empty`].
    pub fn open(&mut self, tag: &str) {
        self.out += &format!("<{tag}>\n");
    }

    /// Ends the element begun last.
    pub fn close(&mut self, name: &str) {
        self.out += &format!("</{name}>\n");
    }

    /// An element that holds text; see [`Self::empty`].
    pub fn text(&mut self, tag: &str, content: &str) {
        let name = tag.split(' ').next().unwrap_or(tag);
        self.out += &format!("<{tag}>{}</{name}>\n", escaped(content));
    }

    /// A text element with ten to a power.
    pub fn power_of_ten(&mut self, tag: &str, exponent: i32) {
        let exponent = exponent.to_string().replace('-', "−");
        let power = format!(r#"10<tspan dy="-4" font-size="8">{exponent}</tspan>"#);
        self.out += &format!("<{tag}>{power}</text>\n");
    }

    /// The document.
    pub fn finish(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let found = escaped("a<b & \"c\">'d'\u{1}é");
        assert_eq!(found, "a&lt;b &amp; &quot;c&quot;&gt;&#39;d&#39;é");
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 1.25, -0.01, -3.04].map(px), ["1", "1.2", "0", "-3"]);
    }
}
