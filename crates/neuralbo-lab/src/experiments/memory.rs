//! Figure 6: the memory of the methods during robot pushing, each in a process of its own.

use serde_json::Value;

use super::push::Pushing;
use crate::figure::{Axis, Figure, Panel, Series};
use crate::method::MethodSpec;
use crate::report::methods::{looks, mean_loss, with_best_nu};
use crate::report::{Cell, Document, Ranking, Reported, Section, Table};
use crate::runner::{
    Experiment, LabError, LabSettings, Profile, RunTrace, Size, Suite, known_methods,
};
use crate::stats::mean;

const MIB: f64 = 1024.0 * 1024.0;
/// Points of a curve.
const POINTS: usize = 200;

/// The resident set of each method against evaluations.
pub struct Memory;

impl Experiment for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(["push-14"], 1, 4),
            Profile::Standard => Size::new(["push-14"], 1, 1000),
            Profile::Paper => Size::new(["push-14"], 1, 6000),
        }
    }

    fn methods(&self) -> Vec<MethodSpec> {
        known_methods(["neuralbo", "neuralbo-paper", "gp-ucb", "neural-greedy"])
    }

    fn own_processes(&self) -> bool {
        true
    }

    /// The cases are those of robot pushing.
    fn open(&self, settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
        Pushing.open(settings)
    }
}

impl Reported for Memory {
    fn title(&self) -> &'static str {
        "Memory (Figure 6)"
    }

    /// Memory is measured, not the values found.
    fn ranking(&self) -> Option<Ranking> {
        None
    }

    fn differences(&self, _: &Value) -> Vec<String> {
        vec!["resident set of one process per method instead of GPU memory".into()]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        let (results, note) = (section.results, &section.note);
        for problem in results.problems() {
            let methods = with_best_nu(results.of_problem(problem), |runs| mean_loss(runs));
            let panel = Panel::new(
                problem,
                Axis::linear("evaluations"),
                Axis::linear("resident set, MiB"),
            );
            let panel = methods
                .iter()
                .map(|(label, runs)| curve(label, runs))
                .fold(panel, Panel::with);
            let svg = Figure::new("Memory against evaluations")
                .with(panel)
                .note(note)
                .to_svg();
            document.figure(
                &format!("figure-6-memory-{problem}"),
                "Figure 6. Mean of the runs.",
                svg,
            );
            let mut table = Table::new(
                format!("Resident set in MiB on {problem}."),
                ["method", "at the start", "at the end", "growth per 1000"],
            );
            for (label, runs) in &methods {
                let curve = curve(label, runs);
                let (Some(first), Some(last)) = (curve.points().first(), curve.points().last())
                else {
                    continue;
                };
                let growth = 1000.0 * (last.1 - first.1) / (last.0 - first.0).max(1.0);
                let mut row = vec![Cell::from(label.as_str())];
                row.extend(
                    [first.1, last.1, growth].map(|value| Cell::from(format!("{value:.1}"))),
                );
                table.row(row);
            }
            document.table(table);
        }
    }
}

fn curve(label: &str, runs: &[&RunTrace]) -> Series {
    let last = runs.iter().map(|trace| trace.rows.len()).min().unwrap_or(0);
    let step = last.div_ceil(POINTS).max(1);
    let at = |i: usize| {
        let values: Vec<f64> = runs
            .iter()
            .filter_map(|t| Some(t.rows.get(i)?.memory? as f64 / MIB))
            .collect();
        let evaluation = runs.first()?.rows.get(i)?.evaluation;
        (!values.is_empty()).then(|| (evaluation as f64, mean(&values)))
    };
    let indices = (0..last).step_by(step).chain(last.checked_sub(1));
    let mut points: Vec<(f64, f64)> = indices.filter_map(at).collect();
    points.dedup_by(|a, b| a.0 == b.0);
    let series = Series::line(label, points);
    looks(label).map_or(series.clone(), |number| series.with_looks(number))
}
