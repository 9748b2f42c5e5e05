//! The legend: one entry a series, in as many rows as are needed.

use super::style::Style;
use super::text;
use super::writer::{Svg, px};

const SIZE: f64 = 11.0;
const ROW: f64 = 18.0;
/// Length of the sample of the line, and the gaps beside it.
const SAMPLE: f64 = 34.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 16.0;

/// A series as the legend names it.
pub(super) struct LegendEntry {
    pub label: String,
    pub style: Style,
}

/// The legend's entries, placed.
pub(super) struct Legend<'a> {
    /// Each with its left end and the height of its line.
    entries: Vec<(&'a LegendEntry, f64, f64)>,
    pub height: f64,
}

impl<'a> Legend<'a> {
    /// Columns of equal width in as few rows as fit into `room`, filled evenly.
    pub fn new(all: &'a [LegendEntry], room: f64) -> Self {
        let widest = all.iter().map(|entry| text::width(&entry.label, SIZE));
        let widest = widest.fold(0.0, f64::max);
        let column = SAMPLE + GAP + widest + BETWEEN;
        let most = ((room / column) as usize).max(1);
        let rows = all.len().div_ceil(most).max(1);
        let columns = all.len().div_ceil(rows).max(1);
        let left = ((room - column * columns as f64 + BETWEEN) / 2.0).max(0.0);
        let place = |(i, entry): (usize, &'a LegendEntry)| {
            let (row, position) = (i / columns, i % columns);
            (
                entry,
                left + position as f64 * column,
                (row as f64 + 0.5) * ROW,
            )
        };
        let entries: Vec<_> = all.iter().enumerate().map(place).collect();
        Self {
            height: rows as f64 * ROW,
            entries,
        }
    }

    pub fn draw(&self, svg: &mut Svg, left: f64, top: f64) {
        let at = format!("translate({} {})", px(left), px(top));
        svg.open(&format!(r#"g class="legend" transform="{at}""#));
        for (LegendEntry { label, style }, x, y) in &self.entries {
            let (x1, x2, at) = (px(*x), px(x + SAMPLE), px(*y));
            let ends = format!(r#"x1="{x1}" y1="{at}" x2="{x2}" y2="{at}""#);
            svg.empty(&format!("line {ends} {}", style.stroke()));
            style.draw_marker(svg, x + SAMPLE / 2.0, *y);
            let (x, y, size) = (px(x + SAMPLE + GAP), px(y + 0.35 * SIZE), px(SIZE));
            svg.text(
                &format!(r#"text x="{x}" y="{y}" font-size="{size}""#),
                label,
            );
        }
        svg.close("g");
    }
}
