//! Where everything is on the page.

use super::Figure;
use super::legend::{Legend, LegendEntry};
use super::panel::{Panel, PanelFrame};
use super::style::Style;
use super::text::wrapped;
use super::writer::{Svg, px};

/// Size of a panel's frame.
const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 170.0;
/// Around the page.
const MARGIN: f64 = 12.0;
/// Above a frame (title) and below it (ticks and label).
const ABOVE: f64 = 26.0;
const BELOW: f64 = 42.0;
/// Left of a frame, in addition to its tick labels, and right of it.
const LABEL: f64 = 18.0;
const RIGHT: f64 = 14.0;
const TITLE: f64 = 14.0;
const NOTE: f64 = 10.0;
/// Distance of lines of text relative to their size.
const LEADING: f64 = 1.35;
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

pub(super) fn render(figure: &Figure) -> String {
    let entries = entries(&figure.panels);
    let columns = figure.columns.min(figure.panels.len()).max(1);
    let rows = figure.panels.len().div_ceil(columns);
    let room = figure.panels.iter().map(Panel::tick_room);
    let left = LABEL + room.fold(0.0, f64::max);
    let (column, row) = (left + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW);
    // A single panel would leave too little room for title, legend and note.
    let content = (columns as f64 * column).max(460.0);
    let indent = (content - columns as f64 * column) / 2.0;
    let title = wrapped(&figure.title, TITLE, content);
    let note = wrapped(&figure.note, NOTE, content);
    let legend = Legend::new(&entries, content);

    let panels_top = MARGIN + title.len() as f64 * TITLE * LEADING;
    let legend_top = panels_top + rows as f64 * row;
    let note_top = legend_top + legend.height + 4.0;
    let width = content + 2.0 * MARGIN;
    let height = note_top + note.len() as f64 * NOTE * LEADING + MARGIN;

    let mut svg = Svg::default();
    open_page(&mut svg, &figure.title, px(width), px(height));
    let looks = r#"text-anchor="middle" font-weight="bold""#;
    lines(&mut svg, &title, width / 2.0, MARGIN, TITLE, looks);
    for (i, panel) in figure.panels.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * column, (i / columns) as f64 * row);
        let frame = PanelFrame {
            left: MARGIN + indent + x + left,
            top: panels_top + y + ABOVE,
            width: WIDTH,
            height: HEIGHT,
        };
        panel.draw(&mut svg, frame, &styles(panel, &entries));
    }
    legend.draw(&mut svg, MARGIN, legend_top);
    lines(
        &mut svg,
        &note,
        MARGIN,
        note_top,
        NOTE,
        r##"fill="#333333""##,
    );
    svg.close("svg");
    svg.finish()
}

/// The legend: all labels in the order of their first appearance, with the looks of that.
fn entries(panels: &[Panel]) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = Vec::new();
    for series in panels.iter().flat_map(|panel| &panel.series) {
        if !entries.iter().any(|entry| entry.label == series.label) {
            let style = Style::new(series.looks.unwrap_or(entries.len()));
            entries.push(LegendEntry {
                label: series.label.clone(),
                style,
            });
        }
    }
    entries
}

fn styles(panel: &Panel, entries: &[LegendEntry]) -> Vec<Style> {
    let entry = |label: &String| entries.iter().find(|entry| entry.label == *label);
    let shown = panel
        .series
        .iter()
        .filter_map(|series| entry(&series.label));
    shown.map(|entry| entry.style).collect()
}

fn open_page(svg: &mut Svg, title: &str, width: String, height: String) {
    let size = format!(r#"width="{width}" height="{height}""#);
    let looks = format!(r#"viewBox="0 0 {width} {height}" font-family="{FONT}" role="img""#);
    svg.open(&format!(
        r#"svg xmlns="http://www.w3.org/2000/svg" {size} {looks}"#
    ));
    svg.text("title", title);
    svg.empty(&format!(r##"rect class="page" {size} fill="#ffffff""##));
}

fn lines(svg: &mut Svg, lines: &[String], x: f64, top: f64, size: f64, looks: &str) {
    for (i, line) in lines.iter().enumerate() {
        let (x, y, size) = (px(x), px(top + (i as f64 * LEADING + 1.0) * size), px(size));
        svg.text(
            &format!(r#"text x="{x}" y="{y}" font-size="{size}" {looks}"#),
            line,
        );
    }
}
