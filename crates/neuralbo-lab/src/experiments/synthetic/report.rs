//! Figure 1, Tables 1 and 2.

use super::controls;
use super::significance::{comparison, normality};
use crate::figure::Figure;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::methods::{mean_loss, ours};
use crate::report::recommended;
use crate::report::{Document, Section};

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let results = section.results;
    let shown = Shown::new(results, mean_loss);
    let caption = "Figure 1. Mean of the runs, bands of one standard deviation.";
    draw(
        document,
        "figure-1-synthetic",
        caption,
        &shown.only(|problem| !is_control(problem)),
        &section.note,
    );
    let caption = "Figure 1 with the optima moved by 0.4 of half the box in every coordinate.";
    draw(
        document,
        "figure-1-controls",
        caption,
        &shown.only(is_control),
        &section.note,
    );
    let caption =
        "Final best true values, mean ± sd of the runs (smaller is better; bold: best mean).";
    document.table(average::table(caption, &shown));
    document.table(controls::table(&shown));
    document.table(average::nu_table(results));
    document.table(recommended::table(&shown));
    document.table(normality(&shown));
    for method in ours(&shown.methods) {
        document.table(comparison(&shown, method));
    }
}

fn is_control(problem: &str) -> bool {
    problem.contains('@')
}

/// A panel a problem; nothing where there is none.
fn draw(document: &mut Document, name: &str, caption: &str, shown: &Shown<'_>, note: &str) {
    if shown.problems.is_empty() {
        return;
    }
    let figure = Figure::new("Best true value against evaluations")
        .columns(4.min(columns(shown)))
        .note(note);
    document.figure(
        name,
        caption,
        curves::figure(figure, shown, title, "best true value", Middle::Mean),
    );
}

/// As many panels in a row as a function has dimensions.
fn columns(shown: &Shown<'_>) -> usize {
    let stem = |problem: &str| {
        problem
            .split('@')
            .next()
            .unwrap_or(problem)
            .rsplit_once('-')
            .map_or(problem.to_owned(), |(stem, _)| stem.to_owned())
    };
    let first = shown.problems.first().map(|(problem, _)| stem(problem));
    let same = shown
        .problems
        .iter()
        .filter(|(problem, _)| Some(stem(problem)) == first)
        .count();
    if same > 1 { same } else { 3 }
}

/// `ackley-10` as a title.
fn title(problem: &str) -> String {
    let (original, control) = problem
        .split_once('@')
        .map_or((problem, String::new()), |(name, c)| {
            (name, format!(", {c}"))
        });
    let Some((name, dim)) = original.rsplit_once('-') else {
        return problem.to_owned();
    };
    let mut letters = name.chars();
    let first: String = letters
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}, d = {dim}{control}", letters.as_str())
}
