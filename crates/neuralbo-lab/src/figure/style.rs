//! How series are told apart.

use super::svg::{Pixel, Svg, px};

/// Okabe and Ito's colours without their yellow, which is hardly seen on white; a grey and a dark red, which differ from the others
/// in lightness, take its place.
const COLOURS: [&str; 9] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f",
    "#882255",
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
/// Paths around the point: disc, square, triangle, diamond, two crosses, circle, triangle upside down.
const MARKERS: [&str; 8] = [
    "M-2.9,0a2.9,2.9 0 1 0 5.8,0a2.9,2.9 0 1 0 -5.8,0Z",
    "M-2.6,-2.6h5.2v5.2h-5.2Z",
    "M0,-3.5L3.2,2.2H-3.2Z",
    "M0,-3.8L3.2,0L0,3.8L-3.2,0Z",
    "M-2.9,-2.9L2.9,2.9M-2.9,2.9L2.9,-2.9",
    "M-3.5,0H3.5M0,-3.5V3.5",
    "M-3,0a3,3 0 1 0 6,0a3,3 0 1 0 -6,0Z",
    "M0,3.5L3.2,-2.2H-3.2Z",
];
/// The marker that is not filled.
const CIRCLE: usize = 6;

/// The looks of one series, by number; 0 is drawn strongest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style(pub usize);

impl Style {
    pub fn colour(self) -> &'static str {
        COLOURS[self.0 % COLOURS.len()]
    }

    fn dash(self) -> &'static str {
        DASHES[self.0 % DASHES.len()]
    }

    /// The attributes of the curve.
    pub fn stroke(self) -> String {
        let width = if self.0 == 0 { 2.2 } else { 1.4 };
        let (colour, dash) = (self.colour(), self.dash());
        format!(r#"stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}""#)
    }

    /// Draws the marker around a point.
    pub fn draw_marker(self, svg: &mut Svg, (x, y): Pixel) {
        let (which, colour) = (self.0 % MARKERS.len(), self.colour());
        let fill = if which == CIRCLE { "#ffffff" } else { colour };
        let looks = format!(r#"fill="{fill}" stroke="{colour}" stroke-width="1.4""#);
        let at = format!(r#"transform="translate({} {})""#, px(x), px(y));
        svg.add(&format!(
            r#"<path class="marker" d="{}" {at} {looks}/>"#,
            MARKERS[which]
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn more_methods_than_any_lab_has_look_different_in_black_and_white() {
        let look = |i| (Style(i).dash(), MARKERS[i % MARKERS.len()]);
        assert_eq!((0..50).map(look).collect::<BTreeSet<_>>().len(), 50);
    }

    #[test]
    fn nine_methods_have_nine_colours() {
        let colours: BTreeSet<_> = (0..9).map(|i| Style(i).colour()).collect();
        assert_eq!(colours.len(), 9);
    }
}
