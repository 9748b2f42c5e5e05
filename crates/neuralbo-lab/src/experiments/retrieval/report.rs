//! Figure 4.

use crate::figure::Figure;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::methods::mean_loss;
use crate::report::{Document, Section};

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let shown = Shown::new(results, mean_loss);
    let figure = Figure::new("Best hierarchical F1 against rounds").note(note);
    let svg = curves::figure(
        figure,
        &shown,
        str::to_owned,
        "best hierarchical F1",
        Middle::Mean,
    );
    let caption = "Figure 4. Mean of runs with different targets, bands of one standard deviation.";
    document.figure("figure-4-retrieval", caption, svg);
    document.table(average::table(
        "Final best hierarchical F1, mean ± sd of the runs (larger is better; bold: best mean).",
        &shown,
    ));
    document.table(average::nu_table(results));
}
