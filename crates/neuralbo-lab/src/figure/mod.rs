//! Figures as vector graphics: curves with error bands in a grid of panels that share one legend.
//!
//! Every series has its own colour (Okabe and Ito's, safe for the colour-blind) and dash pattern. An SVG is complete in itself and
//! has no identifiers, so that many fit on one page.

mod axis;
mod page;
mod panel;
mod series;
#[cfg(test)]
mod tests;

pub use axis::PlotAxis;
pub use panel::Panel;
#[cfg(test)]
pub(crate) use series::COLOURS;
pub(crate) use series::escaped;
pub use series::{PlotPoint, PlotSeries};

/// A titled grid of panels.
///
/// Series with the same label look the same in all panels and are named once, in the legend, in the order of their first
/// appearance.
///
/// ```
/// use neuralbo_lab::figure::{PlotAxis, Figure, Panel, PlotSeries};
///
/// let curve = PlotSeries::line("neuralbo", vec![(0.0, 9.0), (50.0, 2.0), (100.0, 0.5)])
///     .with_band(vec![(8.0, 10.0), (1.0, 3.0), (0.2, 0.8)]);
/// let panel = Panel::new("Ackley, d = 10", PlotAxis::linear("evaluations"), PlotAxis::log("best value"), [curve]);
/// let svg = Figure::new("Best value found", [panel], "Mean ± sd of 10 runs.").to_svg();
/// assert!(svg.starts_with("<svg") && svg.contains("Ackley, d = 10"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    title: String,
    note: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Figure {
    /// Panels that fill rows from left to right, and the text below the legend: what the reader has to know, such as what
    /// differs from the paper.
    pub fn new(
        title: impl Into<String>,
        panels: impl IntoIterator<Item = Panel>,
        note: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            note: note.into(),
            columns: 3,
            panels: panels.into_iter().collect(),
        }
    }

    /// Sets the number of panels in a row (3 unless told; at least 1).
    #[must_use]
    pub fn columns(self, columns: usize) -> Self {
        let columns = columns.max(1);
        Self { columns, ..self }
    }

    /// The figure as an SVG document.
    pub fn to_svg(&self) -> String {
        page::render(self)
    }
}
