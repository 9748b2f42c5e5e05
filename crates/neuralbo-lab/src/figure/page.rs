//! Where everything is on the page.

use std::collections::BTreeSet;

use super::Figure;
use super::panel::{HEIGHT, Panel, WIDTH};
use super::series::{Pixel, Style, Svg, escaped, px, text_width, wrapped};

/// Around the page.
const MARGIN: f64 = 12.0;
/// Above a frame (title) and below it (ticks and label).
const ABOVE: f64 = 26.0;
const BELOW: f64 = 42.0;
/// Left of a frame (ticks and label) and right of it.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 14.0;
const TITLE: f64 = 14.0;
const NOTE: f64 = 10.0;
/// Distance of lines of text relative to their size.
const LEADING: f64 = 1.35;
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
/// Text size and height of a row of the legend.
pub(super) const LEGEND: f64 = 11.0;
const LEGEND_ROW: f64 = 18.0;
/// Length of the sample of the line, and the gaps beside it.
const SAMPLE: f64 = 34.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 16.0;

/// A series as the legend names it.
type LegendEntry<'a> = (&'a str, Style);

pub(super) fn render(figure: &Figure) -> String {
    let entries = entries(&figure.panels);
    let columns = figure.columns.min(figure.panels.len()).max(1);
    let rows = figure.panels.len().div_ceil(columns);
    let (column, row) = (LEFT + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW);
    // A single panel would leave too little room for title, legend and note.
    let content = (columns as f64 * column).max(460.0);
    let indent = (content - columns as f64 * column) / 2.0;
    let title = wrapped(&figure.title, TITLE, content);
    let note = wrapped(&figure.note, NOTE, content);
    let legend = places(&entries, content);

    let panels_top = MARGIN + title.len() as f64 * TITLE * LEADING;
    let legend_top = panels_top + rows as f64 * row;
    let legend_height = legend.last().map_or(0.0, |place| place.1) + 0.5 * LEGEND_ROW;
    let note_top = legend_top + legend_height + 4.0;
    let width = content + 2.0 * MARGIN;
    let height = note_top + note.len() as f64 * NOTE * LEADING + MARGIN;

    let mut svg = Svg::default();
    open_page(&mut svg, &figure.title, width, height);
    let bold = r#"text-anchor="middle" font-weight="bold""#;
    lines(&mut svg, &title, (width / 2.0, MARGIN), TITLE, bold);
    for (i, panel) in figure.panels.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * column, (i / columns) as f64 * row);
        let at = (MARGIN + indent + x + LEFT, panels_top + y + ABOVE);
        panel.draw(&mut svg, at, &styles(panel, &entries));
    }
    draw_legend(&mut svg, &entries, &legend, legend_top);
    lines(
        &mut svg,
        &note,
        (MARGIN, note_top),
        NOTE,
        r##"fill="#333333""##,
    );
    svg.add("</svg>");
    svg.0
}

/// The legend: all labels in the order of their first appearance, with the looks asked for there; the others get those that are left.
fn entries(panels: &[Panel]) -> Vec<LegendEntry<'_>> {
    let series = || panels.iter().flat_map(|panel| &panel.series);
    let taken: BTreeSet<usize> = series().filter_map(|series| series.looks).collect();
    let mut free = (0..).filter(|looks| !taken.contains(looks));
    let mut entries: Vec<LegendEntry<'_>> = Vec::new();
    for series in series() {
        if !entries.iter().any(|(label, _)| *label == series.label) {
            let looks = series.looks.or_else(|| free.next());
            entries.push((&series.label, Style(looks.unwrap_or_default())));
        }
    }
    entries
}

fn styles(panel: &Panel, entries: &[LegendEntry<'_>]) -> Vec<Style> {
    let style = |label: &str| entries.iter().find(|entry| entry.0 == label);
    let shown = panel
        .series
        .iter()
        .filter_map(|series| style(&series.label));
    shown.map(|entry| entry.1).collect()
}

fn open_page(svg: &mut Svg, title: &str, width: f64, height: f64) {
    let (width, height, title) = (px(width), px(height), escaped(title));
    let size = format!(r#"width="{width}" height="{height}""#);
    let looks = format!(r#"viewBox="0 0 {width} {height}" font-family="{FONT}" role="img""#);
    svg.add(&format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" {size} {looks}>"#
    ));
    svg.add(&format!("<title>{title}</title>"));
    svg.add(&format!(r##"<rect class="page" {size} fill="#ffffff"/>"##));
}

fn lines(svg: &mut Svg, lines: &[String], (x, top): Pixel, size: f64, looks: &str) {
    for (i, line) in lines.iter().enumerate() {
        let y = top + (i as f64 * LEADING + 1.0) * size;
        svg.text((x, y), size, looks, &escaped(line));
    }
}

/// Left end and middle of each entry of the legend: columns of equal width in as few rows as fit, filled evenly.
fn places(entries: &[LegendEntry<'_>], room: f64) -> Vec<Pixel> {
    let widths = entries.iter().map(|(label, _)| text_width(label, LEGEND));
    let column = SAMPLE + GAP + widths.fold(0.0, f64::max) + BETWEEN;
    let most = ((room / column) as usize).max(1);
    let rows = entries.len().div_ceil(most).max(1);
    let columns = entries.len().div_ceil(rows).max(1);
    let left = ((room - column * columns as f64 + BETWEEN) / 2.0).max(0.0);
    let x = |i: usize| left + (i % columns) as f64 * column;
    let y = |i: usize| ((i / columns) as f64 + 0.5) * LEGEND_ROW;
    (0..entries.len()).map(|i| (x(i), y(i))).collect()
}

fn draw_legend(svg: &mut Svg, entries: &[LegendEntry<'_>], places: &[Pixel], top: f64) {
    let at = format!("translate({MARGIN} {})", px(top));
    svg.add(&format!(r#"<g class="legend" transform="{at}">"#));
    for ((label, style), &(x, y)) in entries.iter().zip(places) {
        svg.shape("polyline", &[(x, y), (x + SAMPLE, y)], &style.stroke());
        let at = (x + SAMPLE + GAP, y + 0.35 * LEGEND);
        svg.text(at, LEGEND, "", &escaped(label));
    }
    svg.add("</g>");
}
