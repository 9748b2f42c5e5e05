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
const MARKERS: [Marker; 8] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
    Marker::Plus,
    Marker::Circle,
    Marker::Wedge,
];
/// Half the size of a marker.
const RADIUS: f64 = 3.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Disc,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
    Circle,
    Wedge,
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

    /// Draws the marker around a point.
    pub fn draw_marker(&self, svg: &mut Svg, x: f64, y: f64) {
        let r = RADIUS;
        let polygon = |corners: &[(f64, f64)]| {
            let steps: Vec<String> = corners
                .iter()
                .map(|(dx, dy)| format!("{},{}", px(x + dx * r), px(y + dy * r)))
                .collect();
            format!("M{}Z", steps.join("L"))
        };
        let strokes = |(ax, ay): (f64, f64), (bx, by): (f64, f64)| {
            let at = |dx: f64, dy: f64| format!("{},{}", px(x + dx * r), px(y + dy * r));
            format!(
                "M{}L{}M{}L{}",
                at(-ax, -ay),
                at(ax, ay),
                at(-bx, -by),
                at(bx, by)
            )
        };
        let path = match self.marker {
            Marker::Disc | Marker::Circle => {
                let fill = if self.marker == Marker::Disc {
                    self.colour
                } else {
                    "#ffffff"
                };
                let (x, y, r) = (px(x), px(y), px(0.9 * r));
                return svg.empty(
                    "circle",
                    &[
                        ("cx", &x),
                        ("cy", &y),
                        ("r", &r),
                        ("fill", fill),
                        ("stroke", self.colour),
                    ],
                );
            }
            Marker::Square => polygon(&[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]),
            Marker::Triangle => polygon(&[(0.0, -1.1), (1.0, 0.7), (-1.0, 0.7)]),
            Marker::Diamond => polygon(&[(0.0, -1.2), (1.0, 0.0), (0.0, 1.2), (-1.0, 0.0)]),
            Marker::Wedge => polygon(&[(0.0, 1.1), (1.0, -0.7), (-1.0, -0.7)]),
            Marker::Cross => strokes((0.9, 0.9), (0.9, -0.9)),
            Marker::Plus => strokes((1.1, 0.0), (0.0, 1.1)),
        };
        svg.empty(
            "path",
            &[
                ("d", &path),
                ("fill", self.colour),
                ("stroke", self.colour),
                ("stroke-width", "1.4"),
            ],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn more_methods_than_any_lab_has_look_different_in_black_and_white() {
        let looks: BTreeSet<String> = (0..50)
            .map(|i| format!("{} {:?}", Style::new(i).dash, Style::new(i).marker))
            .collect();
        assert_eq!(looks.len(), 50);
    }

    #[test]
    fn nine_methods_have_nine_colours() {
        assert_eq!(
            (0..9)
                .map(|i| Style::new(i).colour)
                .collect::<BTreeSet<_>>()
                .len(),
            9
        );
    }
}
