//! The section of an experiment whose problems are shown by their best values.

use super::Section;
use super::average::{self, Shown};
use super::curves::{self, Middle};
use super::document::Document;
use super::methods::mean_loss;
use super::recommended;
use crate::figure::Figure;

/// The words of such a section.
pub struct PlainSection<'a> {
    /// The figure's file name without extension.
    pub figure: &'a str,
    /// The figure's title.
    pub title: &'a str,
    /// What the figure shows.
    pub caption: String,
    /// What the best values are.
    pub values: &'a str,
    /// What a curve shows of several runs.
    pub middle: Middle,
    /// The caption of the table of final values.
    pub finals: &'a str,
}

impl PlainSection<'_> {
    /// Best values against evaluations, final values, the grid over ν and recommended points.
    pub fn write(&self, document: &mut Document, section: &Section<'_>) {
        let shown = Shown::new(section.results, mean_loss);
        let frame = Figure::new(self.title).note(&section.note);
        let svg = curves::figure(frame, &shown, str::to_owned, self.values, self.middle);
        document.figure(self.figure, &self.caption, svg);
        document.table(average::table(self.finals, &shown));
        document.table(average::nu_table(section.results));
        document.table(recommended::table(&shown));
    }
}
