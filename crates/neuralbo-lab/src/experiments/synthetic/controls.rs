//! Originals and controls side by side.

use crate::problems::Control;
use crate::report::average::{Shown, finals, runs_of};
use crate::report::format::{number, p_value};
use crate::report::{Cell, Table};
use crate::stats::{mean, mean_is_larger};

/// Below this p the control is the harder one.
const HARDER: f64 = 0.05;

/// Every original that has a control: the final values of all methods on both.
pub fn table(shown: &Shown<'_>) -> Table {
    let mut table = Table::new(
        "Originals and controls: final best true values, mean of the runs, original → control, and after it p of the one-sided t-test \
         (Welch) that the control is the harder one for the method. Bold: significantly harder (p < 0.05).",
        ["problem", "control"]
            .into_iter()
            .map(String::from)
            .chain(shown.methods.iter().cloned()),
    );
    for (problem, on_control) in &shown.problems {
        let Ok((original, Some(control))) = Control::split(problem) else {
            continue;
        };
        let Some((_, on_original)) = shown.problems.iter().find(|(name, _)| *name == original)
        else {
            continue;
        };
        let restoring = Control::restoring(problem).unwrap_or(f64::NAN);
        let cell =
            |method: &String| match (runs_of(on_original, method), runs_of(on_control, method)) {
                (Some(before), Some(after)) => pair(
                    &finals(before),
                    &finals(after)
                        .iter()
                        .map(|v| v + restoring)
                        .collect::<Vec<_>>(),
                ),
                _ => "–".into(),
            };
        let mut row = vec![Cell::from(original), control.name().into()];
        row.extend(shown.methods.iter().map(cell));
        table.row(row);
    }
    table
}

/// Final values of functions that are minimized.
fn pair(original: &[f64], control: &[f64]) -> Cell {
    let p = mean_is_larger(control, original).map_or(f64::NAN, |test| test.p);
    let text = format!(
        "{} → {} ({})",
        number(mean(original)),
        number(mean(control)),
        p_value(p)
    );
    Cell::marked(text, p < HARDER)
}
