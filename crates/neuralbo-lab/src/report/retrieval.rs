//! Figure 4.

use super::average::{self, Shown};
use super::curves::{self, Middle};
use super::difference::note;
use super::document::Document;
use super::methods::mean_loss;
use super::results::Results;
use crate::figure::Figure;

/// Adds the section.
pub fn report(document: &mut Document, results: &Results) {
    document.section("Unknown target document (Figure 4)");
    let shown = Shown::new(results, mean_loss);
    let note = note(results);
    document.text(&note);
    let figure = Figure::new("Best hierarchical F1 against rounds").note(&note);
    let svg = curves::figure(figure, &shown, str::to_owned, "best hierarchical F1", Middle::Mean);
    let caption = "Figure 4. Mean of runs with different targets, bands of one standard deviation.";
    document.figure("figure-4-retrieval", caption, svg);
    document
        .table(average::table("Final best hierarchical F1, mean ± sd of the runs (larger is better; bold: best mean).", &shown));
    document.table(average::nu_table(results));
}
