//! Figure 5.

use crate::figure::Figure;
use crate::problems::push::RobotPushing;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::methods::mean_loss;
use crate::report::recommended;
use crate::report::{Document, Section};

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let shown = Shown::new(results, mean_loss);
    let figure = Figure::new("Best reward against evaluations").note(note);
    let svg = curves::figure(figure, &shown, str::to_owned, "best reward", Middle::Median);
    let caption = format!(
        "Figure 5. Median of the runs, bands from the first to the third quartile. The ceiling of push-14 is {:.4}.",
        RobotPushing::ceiling()
    );
    document.figure("figure-5-push", caption, svg);
    document.table(average::table(
        "Final best rewards, mean ± sd of the runs (larger is better; bold: best mean).",
        &shown,
    ));
    document.table(average::nu_table(results));
    document.table(recommended::table(&shown));
}
