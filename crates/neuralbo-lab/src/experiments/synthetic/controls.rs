//! Originals and controls side by side.

use crate::problems::Control;
use crate::report::average::{Shown, finals, runs_of};
use crate::report::format::{number, p_value};
use crate::report::{ReportTable, TableCell};
use crate::stats::{mean, mean_is_larger};

/// Below this p the control is the harder one.
const HARDER: f64 = 0.05;

/// Every original that has a control: the final values of all methods on both.
pub fn table(shown: &Shown<'_>) -> ReportTable {
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
