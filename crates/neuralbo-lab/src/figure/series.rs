//! A named curve, its looks, and writing SVG: elements and escaped text.

/// A point in the units of the axes.
pub type PlotPoint = (f64, f64);

/// A named curve, with or without an error band.
///
/// A point that is not finite, or not positive on a logarithmic axis, interrupts the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSeries {
    pub(super) label: String,
    pub(super) points: Vec<PlotPoint>,
    /// Lower and upper end at each point.
    pub(super) band: Vec<PlotPoint>,
    /// Level until the next point, then straight up or down; otherwise straight from point to point.
    pub(super) steps: bool,
    /// The looks asked for, by number.
    pub(super) looks: Option<usize>,
}

impl PlotSeries {
    /// Points connected by straight lines.
    pub fn line(label: impl Into<String>, points: Vec<PlotPoint>) -> Self {
        Self {
            label: label.into(),
            points,
            band: Vec::new(),
            steps: false,
            looks: None,
        }
    }

    /// A curve that stays level until the next point, such as the best value so far.
    pub fn steps(label: impl Into<String>, points: Vec<PlotPoint>) -> Self {
        Self {
            steps: true,
            ..Self::line(label, points)
        }
    }

    /// The share of values that are at most x, for x from `start` to `end`. Values that are not finite are never reached but
    /// count, such as targets that were not hit.
    ///
    /// ```
    /// use neuralbo_lab::figure::PlotSeries;
    ///
    /// // Two of three targets were hit, after 4 and 9 evaluations.
    /// let curve = PlotSeries::ecdf("random", &[9.0, f64::INFINITY, 4.0], 1.0, 20.0);
    /// assert_eq!(curve.points(), [(1.0, 0.0), (4.0, 1.0 / 3.0), (9.0, 2.0 / 3.0), (20.0, 2.0 / 3.0)]);
    /// ```
    pub fn ecdf(label: impl Into<String>, values: &[f64], start: f64, end: f64) -> Self {
        let mut reached = values.to_vec();
        reached.retain(|value| value.is_finite() && *value <= end);
        reached.sort_by(f64::total_cmp);
        let share = |count: usize| count as f64 / values.len().max(1) as f64;
        let at_start = reached.partition_point(|value| *value <= start);
        let mut points = vec![(start, share(at_start))];
        for (i, &value) in reached.iter().enumerate().skip(at_start) {
            match points.last_mut() {
                Some(last) if last.0 == value => last.1 = share(i + 1),
                _ => points.push((value, share(i + 1))),
            }
        }
        points.push((end, share(reached.len())));
        Self::steps(label, points)
    }

    /// Adds an error band: the lower and upper end at each point, in the order of the points.
    #[must_use]
    pub fn with_band(self, band: Vec<PlotPoint>) -> Self {
        Self { band, ..self }
    }

    /// Chooses colour and dashes by number, so that a method looks the same in figures that show different methods.
    /// Without one, a series has the first looks that no other series of its figure asks for.
    #[must_use]
    pub fn with_looks(self, looks: Option<usize>) -> Self {
        Self { looks, ..self }
    }

    /// The points of the curve.
    pub fn points(&self) -> &[PlotPoint] {
        &self.points
    }
}

/// Okabe and Ito's colours without their yellow, which is hardly seen on white; then a grey, darker colours of Tol's muted scheme,
/// which differ from the others in lightness, and a violet. All methods with looks of their own have a colour of their own.
pub(crate) const COLOURS: [&str; 13] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f",
    "#882255", "#332288", "#999933", "#8822dd", "#661100",
];
/// No dashes, then patterns of dash and gap lengths.
const DASHES: [&str; 7] = [
    "none",
    "7 3",
    "2 2",
    "8 3 2 3",
    "4 2",
    "11 3",
    "5 2 1 2 1 2",
];

/// The looks of one series, by number; 0 is drawn strongest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style(pub usize);

impl Style {
    pub fn colour(self) -> &'static str {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// The attributes of the curve.
    pub fn stroke(self) -> String {
        let width = if self.0 == 0 { 2.2 } else { 1.4 };
        let (colour, dash) = (self.colour(), DASHES[self.0 % DASHES.len()]);
        format!(r#"stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}""#)
    }
}

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
    use std::collections::BTreeSet;

    #[test]
    fn more_methods_than_any_lab_has_look_different() {
        let looks: BTreeSet<String> = (1..64).map(|i| Style(i).stroke()).collect();
        assert_eq!(looks.len(), 63);
    }

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
