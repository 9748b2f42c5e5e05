//! Figure 3.

use super::picture;
use super::rates::{FILE, Rates, Rule, from_csv};
use crate::figure::{Axis, Figure, Panel, Series};
use crate::report::Results;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::format::number;
use crate::report::methods::{PAPER_BEST, best_nu, grid_nu, looks, mean_loss};
use crate::report::{Cell, Document, Section, Table};

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
    let figure = Figure::new("Sensitivity found against evaluations").note(note);
    let svg = curves::figure(figure, &shown, str::to_owned, "norm", Middle::Mean);
    document.figure(
        "figure-3-sensitivity",
        "The value that is maximized; mean of the runs, bands of one standard deviation.",
        svg,
    );
    document.table(average::table(
        "Final norms, mean ± sd of the runs (larger is better; bold: best mean).",
        &shown,
    ));
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
    rule: Rule,
) -> impl Iterator<Item = &'a Rates> {
    rates
        .iter()
        .map(|(entry, _)| entry)
        .filter(move |entry| entry.problem == problem && entry.rule == rule.name())
}

fn detection(results: &Results, rates: &[(Rates, String)], note: &str) -> String {
    let series = |entry: &Rates| {
        let points = entry
            .values
            .iter()
            .zip(1..)
            .map(|(rate, n)| (f64::from(n), *rate))
            .collect();
        let line = Series::line(&entry.method, points);
        looks(&entry.method).map_or(line.clone(), |number| line.with_looks(number))
    };
    let panel = |problem: &str| {
        let axes = (
            Axis::linear("number of samples"),
            Axis::linear("detection rate").range(0.0, 1.0),
        );
        of(rates, problem, Rule::Runs)
            .map(series)
            .fold(Panel::new(problem, axes.0, axes.1), Panel::with)
    };
    let figure = Figure::new("Detection rate against number of samples").note(note);
    results
        .problems()
        .into_iter()
        .map(panel)
        .fold(figure, Figure::with)
        .to_svg()
}

fn rate_table(problem: &str, rates: &[(Rates, String)]) -> Table {
    let most = of(rates, problem, Rule::Runs)
        .map(|entry| entry.values.len())
        .max()
        .unwrap_or(0);
    let mut table = Table::new(
        format!(
            "{problem}: detection rates with N samples (published for NeuralBO: about 0.9 with 8)."
        ),
        ["method".to_owned()]
            .into_iter()
            .chain((1..=most).map(|n| n.to_string())),
    );
    for Rates { method, values, .. } in of(rates, problem, Rule::Runs) {
        let mut row = vec![Cell::from(method.as_str())];
        row.extend((0..most).map(|i| {
            values
                .get(i)
                .map_or(Cell::from("–"), |rate| number(*rate).into())
        }));
        table.row(row);
    }
    table
}

/// The rates with as many samples as the published one, or with all where there are fewer, by each rule.
fn rule_table(results: &Results, rates: &[(Rates, String)]) -> Table {
    let mut table = Table::new(
        "Detection rates with 8 samples by the way they are taken: those of the first runs; drawn anew for every tampered classifier, \
         with replacement; chosen one after the other on other tampered copies.",
        ["problem", "method"]
            .into_iter()
            .chain(Rule::ALL.map(Rule::name)),
    );
    for problem in results.problems() {
        for Rates { method, .. } in of(rates, problem, Rule::Runs) {
            let with = |rule| of(rates, problem, rule).find(|entry| entry.method == *method);
            let last = |entry: &Rates| {
                entry.values[..PUBLISHED_SAMPLES.min(entry.values.len())]
                    .last()
                    .copied()
            };
            let cell = |rule| {
                with(rule)
                    .and_then(last)
                    .map_or(Cell::from("–"), |rate| number(rate).into())
            };
            table.row(
                [Cell::from(problem), method.as_str().into()]
                    .into_iter()
                    .chain(Rule::ALL.map(cell))
                    .collect(),
            );
        }
    }
    table
}

/// The found images of the methods shown.
fn images(document: &mut Document, results: &Results, rates: &[(Rates, String)]) {
    for (entry, method) in rates
        .iter()
        .filter(|(entry, _)| entry.rule == Rule::Runs.name())
    {
        let path = picture(&entry.problem, method);
        if let Ok(svg) = std::fs::read_to_string(results.folder.join(&path)) {
            let slug = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let caption = format!(
                "Samples found by {} for {}, one a run.",
                entry.method, entry.problem
            );
            document.figure(&format!("samples-{}-{slug}", entry.problem), caption, svg);
        }
    }
}
