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
    let mut draw = |name, caption, some: &Shown<'_>| {
        if !some.problems.is_empty() {
            document.figure(name, caption, figure(some, &section.note));
        }
    };
    let caption =
        "Figure 1. Mean of the runs, bands of one standard deviation within the range of the runs.";
    draw(
        "figure-1-synthetic",
        caption,
        &shown.only(|problem| !is_control(problem)),
    );
    let caption = "Figure 1 with the optima moved, or with another level.";
    draw("figure-1-controls", caption, &shown.only(is_control));
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

/// One panel per problem.
fn figure(shown: &Shown<'_>, note: &str) -> String {
    let frame = Figure::new("Best true value against evaluations")
        .note(note)
        .columns(4.min(columns(shown)));
    curves::figure(frame, shown, title, "best true value", Middle::Mean)
}

/// As many panels in a row as a function has dimensions.
fn columns(shown: &Shown<'_>) -> usize {
    fn stem(problem: &str) -> &str {
        let original = problem.split('@').next().unwrap_or(problem);
        original.rsplit_once('-').map_or(problem, |(stem, _)| stem)
    }
    let stems: Vec<&str> = shown
        .problems
        .iter()
        .map(|(problem, _)| stem(problem))
        .collect();
    let same = stems
        .iter()
        .filter(|stem| Some(*stem) == stems.first())
        .count();
    if same > 1 { same } else { 3 }
}

/// `ackley-10` as a title.
fn title(problem: &str) -> String {
    let (original, control) = problem.split_once('@').unwrap_or((problem, ""));
    let Some((name, dim)) = original.rsplit_once('-') else {
        return problem.to_owned();
    };
    let mut letters = name.chars();
    let first = letters.next().unwrap_or_default().to_uppercase();
    let comma = if control.is_empty() { "" } else { ", " };
    format!("{first}{}, d = {dim}{comma}{control}", letters.as_str())
}
