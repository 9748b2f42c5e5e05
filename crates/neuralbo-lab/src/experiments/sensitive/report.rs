//! Figure 3.

use super::{DETECTION, IMAGES};
use crate::figure::{Axis, Figure, Panel, Series};
use crate::method::MethodSpec;
use crate::report::Results;
use crate::report::average::{self, Shown};
use crate::report::curves::{self, Middle};
use crate::report::format::number;
use crate::report::methods::{PAPER_BEST, grid_nu, looks, mean_loss};
use crate::report::{Cell, Document, Section, Table};

/// Detection rates with 1, 2, … samples.
type Rates = Vec<(String, Vec<f64>)>;

/// Adds the section.
pub fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let shown = Shown::new(results, mean_loss);
    let rates = rates(results);
    document.figure(
        "figure-3-detection",
        "Figure 3. Share of tampered classifiers that the first N samples detect; each sample is the best image of one run.",
        detection(&rates, note),
    );
    document.table(rate_table(&rates));
    let figure = Figure::new("Sensitivity found against evaluations").note(note);
    let svg = curves::figure(figure, &shown, str::to_owned, "norm of the Jacobian", Middle::Mean);
    document.figure(
        "figure-3-sensitivity",
        "The value that is maximized; mean of the runs, bands of one standard deviation.",
        svg,
    );
    document.table(average::table("Final norms, mean ± sd of the runs (larger is better; bold: best mean).", &shown));
    document.table(average::nu_table(results));
    images(document, results, &rates);
}

/// The rates that `lab run` has computed, the exploration grid replaced by its best.
fn rates(results: &Results) -> Rates {
    let best = best_nu(results);
    let mut rates: Rates = Vec::new();
    for (method, rate) in table(results) {
        let label = match grid_nu(&method) {
            Some(_) if best.as_ref() == Some(&method) => PAPER_BEST.to_owned(),
            Some(_) if best.is_some() => continue,
            _ => method,
        };
        match rates.iter_mut().find(|(name, _)| *name == label) {
            Some((_, values)) => values.push(rate),
            None => rates.push((label, vec![rate])),
        }
    }
    rates.sort_by_key(|(name, _)| looks(name).unwrap_or(usize::MAX));
    rates
}

/// The method of the grid whose samples are the most sensitive; none where there is no grid.
fn best_nu(results: &Results) -> Option<String> {
    let problem = *results.problems().first()?;
    let grid: Vec<_> = results.of_problem(problem).into_iter().filter(|(method, _)| grid_nu(method).is_some()).collect();
    let best = grid.iter().min_by(|(_, a), (_, b)| mean_loss(a).total_cmp(&mean_loss(b)))?;
    (grid.len() > 1).then(|| best.0.clone())
}

/// Method and rate, line by line.
fn table(results: &Results) -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(results.folder.join(DETECTION)).unwrap_or_default();
    let read = |line: &str| {
        let (rest, rate) = line.rsplit_once(',')?;
        let (method, _) = rest.rsplit_once(',')?;
        let method =
            method.strip_prefix('"').and_then(|m| m.strip_suffix('"')).map_or(method.to_owned(), |m| m.replace("\"\"", "\""));
        Some((method, rate.parse().ok()?))
    };
    text.lines().skip(1).filter_map(read).collect()
}

fn detection(rates: &Rates, note: &str) -> String {
    let panel = Panel::new("", Axis::linear("number of samples"), Axis::linear("detection rate").range(0.0, 1.0));
    let series = |(label, values): &(String, Vec<f64>)| {
        let line = Series::line(label, values.iter().zip(1..).map(|(rate, n)| (f64::from(n), *rate)).collect());
        looks(label).map_or(line.clone(), |number| line.with_looks(number))
    };
    let panel = rates.iter().map(series).fold(panel, Panel::with);
    Figure::new("Detection rate against number of samples").with(panel).note(note).to_svg()
}

fn rate_table(rates: &Rates) -> Table {
    let most = rates.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let mut table = Table::new(
        "Detection rates with N samples (published for NeuralBO: about 0.9 with 8).",
        ["method".to_owned()].into_iter().chain((1..=most).map(|n| n.to_string())),
    );
    for (method, values) in rates {
        let mut row = vec![Cell::from(method.as_str())];
        row.extend((0..most).map(|i| values.get(i).map_or(Cell::from("–"), |rate| number(*rate).into())));
        table.row(row);
    }
    table
}

/// The found images of the methods shown.
fn images(document: &mut Document, results: &Results, rates: &Rates) {
    let best = best_nu(results);
    for (label, _) in rates {
        let method = if label == PAPER_BEST { best.as_deref().unwrap_or(label) } else { label };
        let Ok(spec) = method.parse::<MethodSpec>() else { continue };
        let path = results.folder.join(IMAGES).join(format!("{}.svg", spec.slug()));
        if let Ok(svg) = std::fs::read_to_string(path) {
            document.figure(&format!("samples-{}", spec.slug()), format!("Samples found by {label}, one a run."), svg);
        }
    }
}
