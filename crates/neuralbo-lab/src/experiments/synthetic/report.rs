//! Figure 1, Tables 1 and 2.

use super::significance::{comparison, normality};
use crate::figure::Figure;
use crate::problems::Control;
use crate::report::average::{self, Shown, finals, runs_of};
use crate::report::curves::{self, Middle};
use crate::report::format::{number, p_value};
use crate::report::methods::{mean_loss, ours};
use crate::report::{Document, ReportTable, Section, TableCell, recommended};
use crate::stats::{mean, mean_is_larger};

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
    document.table(side_by_side(&shown));
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
    let panels = curves::panels(shown, title, "best true value", Middle::Mean);
    let figure = Figure::new("Best true value against evaluations", panels, note);
    figure.columns(4.min(columns(shown))).to_svg()
}

/// As many panels in a row as a function has dimensions.
fn columns(shown: &Shown<'_>) -> usize {
    fn stem(problem: &str) -> &str {
        let original = problem.split('@').next().unwrap_or(problem);
        original.rsplit_once('-').map_or(problem, |(stem, _)| stem)
    }
    let mut stems = shown.problems.iter().map(|(problem, _)| stem(problem));
    let first = stems.next();
    let same = 1 + stems.filter(|stem| Some(*stem) == first).count();
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

/// Below this p the control is the harder one.
const HARDER: f64 = 0.05;

/// Every original that has a control: the final values of all methods on both.
fn side_by_side(shown: &Shown<'_>) -> ReportTable {
    let mut table = ReportTable::new(
        "Originals and controls: final best true values, mean of the runs, original → control, and after it p of the one-sided t-test \
         (Welch) that the control is the harder one for the method. Bold: significantly harder (p < 0.05).",
        &["problem", "control"],
    )
    .with(&shown.methods);
    for (problem, on_control) in &shown.problems {
        let Ok((original, Some(control))) = Control::split(problem) else {
            continue;
        };
        let Some((_, on_original)) = shown.problems.iter().find(|(name, _)| *name == original)
        else {
            continue;
        };
        let restoring = Control::restoring(problem).unwrap_or(f64::NAN);
        let both = |method: &String| {
            let mut after = finals(runs_of(on_control, method)?);
            after.iter_mut().for_each(|value| *value += restoring);
            Some(pair(&finals(runs_of(on_original, method)?), &after))
        };
        let cell = |method| both(method).unwrap_or_else(|| "–".into());
        table.row(&[original, control.name()], shown.methods.iter().map(cell));
    }
    table
}

/// Final values of functions that are minimized.
fn pair(original: &[f64], control: &[f64]) -> TableCell {
    let p = mean_is_larger(control, original).unwrap_or(f64::NAN);
    let [before, after] = [original, control].map(|values| number(mean(values)));
    TableCell::marked(format!("{before} → {after} ({})", p_value(p)), p < HARDER)
}
