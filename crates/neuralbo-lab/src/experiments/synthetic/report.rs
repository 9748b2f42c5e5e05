//! Figure 1, Tables 1 and 2.

use super::significance::{comparison, normality};
use crate::figure::Figure;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::methods::{mean_loss, ours};
use crate::report::recommended;
use crate::report::{Document, Section};

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let shown = Shown::new(results, mean_loss);
    let figure = Figure::new("Best true value against evaluations").columns(4.min(columns(&shown))).note(note);
    let svg = curves::figure(figure, &shown, title, "best true value", Middle::Mean);
    let caption = "Figure 1. Mean of the runs, bands of one standard deviation.";
    document.figure("figure-1-synthetic", caption, svg);
    let caption = "Final best true values, mean ± sd of the runs (smaller is better; bold: best mean).";
    document.table(average::table(caption, &shown));
    document.table(average::nu_table(results));
    document.table(recommended::table(&shown));
    document.table(normality(&shown));
    for method in ours(&shown.methods) {
        document.table(comparison(&shown, method));
    }
}

/// As many panels in a row as a function has dimensions.
fn columns(shown: &Shown<'_>) -> usize {
    let stem = |problem: &str| problem.rsplit_once('-').map_or(problem.to_owned(), |(stem, _)| stem.to_owned());
    let first = shown.problems.first().map(|(problem, _)| stem(problem));
    let same = shown.problems.iter().filter(|(problem, _)| Some(stem(problem)) == first).count();
    if same > 1 { same } else { 3 }
}

/// `ackley-10` as a title.
fn title(problem: &str) -> String {
    let Some((name, dim)) = problem.rsplit_once('-') else { return problem.to_owned() };
    let mut letters = name.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}, d = {dim}", letters.as_str())
}
