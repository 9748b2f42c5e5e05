//! Figure 5.

use super::average::{self, Shown};
use super::curves::{self, Middle};
use super::difference::note;
use super::document::Document;
use super::methods::mean_loss;
use super::recommended;
use super::results::Results;
use crate::figure::Figure;
use crate::problems::push::RobotPushing;

/// Adds the section.
pub fn report(document: &mut Document, results: &Results) {
    document.section("Robot pushing (Figure 5)");
    let shown = Shown::new(results, mean_loss);
    let note = note(results);
    document.text(&note);
    let figure = Figure::new("Best reward against evaluations").note(&note);
    let svg = curves::figure(figure, &shown, str::to_owned, "best reward", Middle::Median);
    let caption = format!(
        "Figure 5. Median of the runs, bands from the first to the third quartile. The ceiling of push-14 is {:.4}.",
        RobotPushing::ceiling()
    );
    document.figure("figure-5-push", caption, svg);
    document.table(average::table("Final best rewards, mean ± sd of the runs (larger is better; bold: best mean).", &shown));
    document.table(average::nu_table(results));
    document.table(recommended::table(&shown));
}
