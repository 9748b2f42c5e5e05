//! Figure 3.

use super::picture;
use super::rates::{FILE, RULES, RUNS, Rates, from_csv};
use crate::figure::{Figure, Panel, PlotAxis, PlotSeries};
use crate::report::Results;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::format::number;
use crate::report::methods::{PAPER_BEST, best_nu, grid_nu, looks, mean_loss};
use crate::report::{Document, ReportTable, Section, TableCell};

/// Number of samples of the published rate.
const PUBLISHED_SAMPLES: usize = 8;

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let shown = Shown::new(results, mean_loss);
    let rates = rates(results);
    document.figure(
        "figure-3-detection",
        "Figure 3. Share of tampered classifiers that the first N samples detect; each sample is the best image of one run.",
        detection(results, &rates, note),
    );
    for problem in results.problems() {
        document.table(rate_table(problem, &rates));
    }
    document.table(rule_table(results, &rates));
    let panels = curves::panels(&shown, str::to_owned, "norm", Middle::Mean);
    let figure = Figure::new("Sensitivity found against evaluations", panels, note);
    let caption = "The value that is maximized; mean of the runs, bands of one standard deviation.";
    document.figure("figure-3-sensitivity", caption, figure.to_svg());
    let caption = "Final norms, mean ± sd of the runs (larger is better; bold: best mean).";
    document.table(average::table(caption, &shown));
    document.table(average::nu_table(results));
    images(document, results, &rates);
}

/// The rates that `lab run` has computed, the exploration grid replaced by its best, each with the method that found the samples.
fn rates(results: &Results) -> Vec<(Rates, String)> {
    let text = std::fs::read_to_string(results.folder.join(FILE)).unwrap_or_default();
    let mut rates = Vec::new();
    for mut entry in from_csv(&text) {
        let runs = results.of_problem(&entry.problem);
        let (best, method) = (best_nu(&runs, |runs| mean_loss(runs)), entry.method.clone());
        match grid_nu(&method) {
            Some(_) if best.as_ref() == Some(&method) => entry.method = PAPER_BEST.to_owned(),
            Some(_) if best.is_some() => continue,
            _ => {}
        }
        rates.push((entry, method));
    }
    rates.sort_by_key(|(entry, _)| looks(&entry.method).unwrap_or(usize::MAX));
    rates
}

/// The rates of a problem by one rule.
fn of<'a>(
    rates: &'a [(Rates, String)],
    problem: &'a str,
    rule: &'a str,
) -> impl Iterator<Item = &'a Rates> {
    let entries = rates.iter().map(|(entry, _)| entry);
    entries.filter(move |entry| entry.problem == problem && entry.rule == rule)
}

fn detection(results: &Results, rates: &[(Rates, String)], note: &str) -> String {
    let series = |entry: &Rates| {
        let counted = entry.values.iter().zip(1..);
        let points = counted.map(|(rate, n)| (f64::from(n), *rate)).collect();
        PlotSeries::line(&entry.method, points).with_looks(looks(&entry.method))
    };
    let panel = |problem: &str| {
        let y = PlotAxis::linear("detection rate").range(0.0, 1.0);
        let curves = of(rates, problem, RUNS).map(series);
        Panel::new(problem, PlotAxis::linear("number of samples"), y, curves)
    };
    let panels = results.problems().into_iter().map(panel);
    Figure::new("Detection rate against number of samples", panels, note).to_svg()
}

fn rate_table(problem: &str, rates: &[(Rates, String)]) -> ReportTable {
    let counts = of(rates, problem, RUNS).map(|entry| entry.values.len());
    let most = counts.max().unwrap_or(0);
    let caption = format!(
        "{problem}: detection rates with N samples (published for NeuralBO: about 0.9 with 8)."
    );
    let counts = (1..=most).map(|n| n.to_string());
    let mut table = ReportTable::new(caption, &["method"]).with(counts);
    for Rates { method, values, .. } in of(rates, problem, RUNS) {
        table.row(&[method], (0..most).map(|i| rate(values.get(i))));
    }
    table
}

fn rate(value: Option<&f64>) -> TableCell {
    value.map_or("–".into(), |rate| number(*rate).into())
}

/// The rates with as many samples as the published one, or with all where there are fewer, by each rule.
fn rule_table(results: &Results, rates: &[(Rates, String)]) -> ReportTable {
    let mut table = ReportTable::new(
        "Detection rates with 8 samples by the way they are taken: those of the first runs; drawn anew for every tampered classifier, \
         with replacement; chosen one after the other on other tampered copies.",
        &["problem", "method"],
    )
    .with(RULES);
    for problem in results.problems() {
        for Rates { method, .. } in of(rates, problem, RUNS) {
            let with = |rule| of(rates, problem, rule).find(|entry| entry.method == *method);
            let last = |entry: &'_ Rates| {
                let mut rates = entry.values.iter().take(PUBLISHED_SAMPLES);
                rates.next_back().copied()
            };
            let cell = |rule| rate(with(rule).and_then(last).as_ref());
            table.row(&[problem, method], RULES.map(cell));
        }
    }
    table
}

/// The found images of the methods shown.
fn images(document: &mut Document, results: &Results, rates: &[(Rates, String)]) {
    for (entry, method) in rates.iter().filter(|(entry, _)| entry.rule == RUNS) {
        let (problem, shown) = (&entry.problem, &entry.method);
        let path = picture(problem, method);
        if let Ok(svg) = std::fs::read_to_string(results.folder.join(&path)) {
            let slug = path.file_stem().unwrap_or_default().to_string_lossy();
            let caption = format!("Samples found by {shown} for {problem}, one per run.");
            document.figure(&format!("samples-{problem}-{slug}"), caption, svg);
        }
    }
}
