//! How series are told apart.

use super::writer::{Svg, px};

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
/// Filled shapes by their corners and strokes by their ends, in radii around the point.
const MARKERS: [Marker; 8] = [
    Marker::Disc,
    Marker::Filled(&[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]),
    Marker::Filled(&[(0.0, -1.1), (1.0, 0.7), (-1.0, 0.7)]),
    Marker::Filled(&[(0.0, -1.2), (1.0, 0.0), (0.0, 1.2), (-1.0, 0.0)]),
    Marker::Strokes([[(-0.9, -0.9), (0.9, 0.9)], [(-0.9, 0.9), (0.9, -0.9)]]),
    Marker::Strokes([[(-1.1, 0.0), (1.1, 0.0)], [(0.0, -1.1), (0.0, 1.1)]]),
    Marker::Circle,
    Marker::Filled(&[(0.0, 1.1), (1.0, -0.7), (-1.0, -0.7)]),
];
/// Half the size of a marker.
const RADIUS: f64 = 3.2;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Marker {
    Disc,
    Circle,
    Filled(&'static [(f64, f64)]),
    Strokes([[(f64, f64); 2]; 2]),
}

/// The looks of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Position in the legend, from 0.
    pub index: usize,
    pub colour: &'static str,
    pub dash: &'static str,
    pub width: f64,
    marker: Marker,
}

impl Style {
    /// The looks of the series at a position in the legend; the first is drawn strongest.
    pub fn new(index: usize) -> Self {
        Self {
            index,
            colour: COLOURS[index % COLOURS.len()],
            dash: DASHES[index % DASHES.len()],
            width: if index == 0 { 2.2 } else { 1.4 },
            marker: MARKERS[index % MARKERS.len()],
        }
    }

    /// The attributes of the curve.
    pub fn stroke(&self) -> String {
        let (colour, width, dash) = (self.colour, self.width, self.dash);
        format!(r#"stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}""#)
    }

    /// Draws the marker around a point.
    pub fn draw_marker(&self, svg: &mut Svg, x: f64, y: f64) {
        let (r, colour) = (RADIUS, self.colour);
        let along = |corners: &[(f64, f64)]| {
            let at = |(dx, dy): &(f64, f64)| format!("{},{}", px(x + dx * r), px(y + dy * r));
            format!("M{}", corners.iter().map(at).collect::<Vec<_>>().join("L"))
        };
        let path = match self.marker {
            Marker::Disc => return self.draw_circle(svg, x, y, colour),
            Marker::Circle => return self.draw_circle(svg, x, y, "#ffffff"),
            Marker::Filled(corners) => along(corners) + "Z",
            Marker::Strokes([one, two]) => along(&one) + &along(&two),
        };
        let looks = format!(r#"fill="{colour}" stroke="{colour}" stroke-width="1.4""#);
        svg.empty(&format!(r#"path d="{path}" {looks}"#));
    }

    fn draw_circle(&self, svg: &mut Svg, x: f64, y: f64, fill: &str) {
        let (x, y, r, colour) = (px(x), px(y), px(0.9 * RADIUS), self.colour);
        svg.empty(&format!(
            r#"circle cx="{x}" cy="{y}" r="{r}" fill="{fill}" stroke="{colour}""#
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn more_methods_than_any_lab_has_look_different_in_black_and_white() {
        let look = |i| format!("{} {:?}", Style::new(i).dash, Style::new(i).marker);
        assert_eq!((0..50).map(look).collect::<BTreeSet<_>>().len(), 50);
    }

    #[test]
    fn nine_methods_have_nine_colours() {
        let colours: BTreeSet<_> = (0..9).map(|i| Style::new(i).colour).collect();
        assert_eq!(colours.len(), 9);
    }
}
