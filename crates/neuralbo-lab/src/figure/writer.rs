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
    if short == "-0" {
        "0".into()
    } else {
        short.into()
    }
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
    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (attribute, value) in attributes {
            self.out
                .push_str(&format!(" {attribute}=\"{}\"", escaped(value)));
        }
    }

    /// An element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    /// Begins an element.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
    }

    /// Ends the element begun last.
    pub fn close(&mut self, name: &str) {
        self.out.push_str(&format!("</{name}>\n"));
    }

    /// An element that holds text.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], content: &str) {
        self.tag(name, attributes);
        self.out
            .push_str(&format!(">{}</{name}>\n", escaped(content)));
    }

    /// Ten to a power as a text element.
    pub fn power_of_ten(&mut self, attributes: &[(&str, &str)], exponent: i32) {
        self.tag("text", attributes);
        let exponent = exponent.to_string().replace('-', "−");
        self.out.push_str(&format!(
            ">10<tspan dy=\"-4\" font-size=\"8\">{exponent}</tspan></text>\n"
        ));
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
        assert_eq!(
            escaped("a<b & \"c\">'d'\u{1}é"),
            "a&lt;b &amp; &quot;c&quot;&gt;&#39;d&#39;é"
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 1.25, -0.01, -3.04].map(px), ["1", "1.2", "0", "-3"]);
    }
}
