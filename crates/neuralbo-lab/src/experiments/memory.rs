//! Figure 6: the memory of the methods during robot pushing, each in a process of its own.

use super::push;
use crate::figure::{Figure, Panel, PlotAxis, PlotSeries};
use crate::report::methods::looks;
use crate::report::{Document, Published, ReportTable, Reported, Section};
use crate::runner::{Experiment, Profile, RunTrace, Size, known_methods};
use crate::stats::mean;

const MIB: f64 = 1024.0 * 1024.0;
/// The paper's curves, with models of all observations; its own U beside the smaller equivalent form.
const METHODS: [&str; 5] = [
    "neuralbo",
    "neuralbo-paper:observations=10000",
    "neuralbo-paper:covariance=dense,observations=10000",
    "gp-ucb:observations=10000",
    "neural-greedy:observations=10000",
];
/// Points of a curve.
const POINTS: usize = 200;

/// The resident set of each method against evaluations; the cases are those of robot pushing. Memory is
/// measured, not the values found: nothing is ranked.
pub static MEMORY: Reported = Reported {
    ranking: None,
    published: || Some(Published::of(size(Profile::Paper))),
    ..Reported::new(
        Experiment {
            methods: || known_methods(METHODS),
            own_processes: true,
            ..Experiment::new("memory", size, push::open)
        },
        "Memory (Figure 6)",
        |_| vec!["resident set of one process per method instead of GPU memory".into()],
        report,
    )
};

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(["push-14"], 1, 4),
        Profile::Standard => Size::new(["push-14"], 1, 1000),
        Profile::Paper => Size::new(["push-14"], 1, 6000),
    }
}

fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    for problem in results.problems() {
        let methods = results.of_problem(problem);
        let [x, y] = ["evaluations", "resident set, MiB"].map(PlotAxis::linear);
        let curves = methods.iter().map(|(label, runs)| curve(label, runs));
        let panel = Panel::new(problem, x, y, curves);
        let figure = Figure::new("Memory against evaluations", [panel], note);
        let name = format!("figure-6-memory-{problem}");
        document.figure(&name, "Figure 6. Mean of the runs.", figure.to_svg());
        let columns = ["method", "at the start", "at the end", "growth per 1000"];
        let caption = format!("Resident set in MiB on {problem}.");
        let mut table = ReportTable::new(caption, &columns);
        for (label, runs) in &methods {
            let curve = curve(label, runs);
            let (Some(first), Some(last)) = (curve.points().first(), curve.points().last()) else {
                continue;
            };
            let growth = 1000.0 * (last.1 - first.1) / (last.0 - first.0).max(1.0);
            let cells = [first.1, last.1, growth].map(|value| format!("{value:.1}"));
            table.row(&[label], cells);
        }
        document.table(table);
    }
}

fn curve(label: &str, runs: &[&RunTrace]) -> PlotSeries {
    let last = runs.iter().map(|trace| trace.rows.len()).min().unwrap_or(0);
    let step = last.div_ceil(POINTS).max(1);
    let at = |i: usize| {
        let memory = |trace: &&RunTrace| Some(trace.rows.get(i)?.memory? as f64 / MIB);
        let values: Vec<f64> = runs.iter().filter_map(memory).collect();
        let evaluation = runs.first()?.rows.get(i)?.evaluation;
        (!values.is_empty()).then(|| (evaluation as f64, mean(&values)))
    };
    let indices = (0..last).step_by(step).chain(last.checked_sub(1));
    let mut points: Vec<(f64, f64)> = indices.filter_map(at).collect();
    points.dedup_by(|a, b| a.0 == b.0);
    PlotSeries::line(label, points).with_looks(looks(label))
}
