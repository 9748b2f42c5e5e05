//! Final values: mean and standard deviation by problem and method.

use super::document::{Cell, Table};
use super::format::mean_sd;
use super::methods::{final_loss, grid_nu, mean_loss};
use super::results::{MethodRuns, Results};
use crate::runner::RunTrace;

/// All problems with their methods, the exploration grid replaced by its best.
pub struct Shown<'a> {
    /// The problems.
    pub problems: Vec<(&'a str, MethodRuns<'a>)>,
    /// All methods that appear, in order.
    pub methods: Vec<String>,
}

impl<'a> Shown<'a> {
    /// Collects them; `loss` chooses ν.
    pub fn new(results: &'a Results, loss: impl Fn(&[&RunTrace]) -> f64 + Copy) -> Self {
        let of = |problem: &'a str| {
            (
                problem,
                super::methods::with_best_nu(results.of_problem(problem), |runs| loss(runs)),
            )
        };
        let problems: Vec<_> = results.problems().into_iter().map(of).collect();
        let mut methods: Vec<String> = Vec::new();
        for (name, _) in problems.iter().flat_map(|(_, runs)| runs) {
            if !methods.contains(name) {
                methods.push(name.clone());
            }
        }
        Self { problems, methods }
    }

    /// The same with some of the problems.
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let problems = self
            .problems
            .iter()
            .filter(|(problem, _)| keep(problem))
            .cloned()
            .collect();
        Self {
            problems,
            methods: self.methods.clone(),
        }
    }
}

/// The runs of a method, if it has any.
pub fn runs_of<'a, 'b>(methods: &'b MethodRuns<'a>, name: &str) -> Option<&'b Vec<&'a RunTrace>> {
    methods
        .iter()
        .find(|(method, _)| method == name)
        .map(|(_, runs)| runs)
}

/// Final values of all methods on all problems; the best mean of a problem stands out.
pub fn table(caption: &str, shown: &Shown<'_>) -> Table {
    let mut table = Table::new(
        caption,
        ["problem"]
            .into_iter()
            .map(String::from)
            .chain(shown.methods.iter().cloned()),
    );
    for (problem, methods) in &shown.problems {
        let best = methods
            .iter()
            .map(|(_, runs)| mean_loss(runs))
            .fold(f64::INFINITY, f64::min);
        let cell = |name: &String| match runs_of(methods, name) {
            Some(runs) => Cell::marked(mean_sd(&finals(runs)), mean_loss(runs) == best),
            None => "–".into(),
        };
        let mut row = vec![Cell::from(*problem)];
        row.extend(shown.methods.iter().map(cell));
        table.row(row);
    }
    table
}

/// The final best values of some runs.
pub fn finals(runs: &[&RunTrace]) -> Vec<f64> {
    runs.iter().filter_map(|trace| trace.last_best()).collect()
}

/// The final losses of some runs.
pub fn losses(runs: &[&RunTrace]) -> Vec<f64> {
    runs.iter().map(|trace| final_loss(trace)).collect()
}

/// The exploration grid: final values for every ν, the best marked.
pub fn nu_table(results: &Results) -> Table {
    let mut table = Table::new(
        "neuralbo-paper for every ν of the paper's grid: final values, mean ± sd. The other tables and figures show the best (bold).",
        ["problem", "ν = 0.1", "ν = 1", "ν = 10"],
    );
    for problem in results.problems() {
        let grid: MethodRuns<'_> = results
            .of_problem(problem)
            .into_iter()
            .filter(|(method, _)| grid_nu(method).is_some())
            .collect();
        if grid.len() < 2 {
            continue;
        }
        let best = grid
            .iter()
            .map(|(_, runs)| mean_loss(runs))
            .fold(f64::INFINITY, f64::min);
        // Of equals the first is the one that is shown elsewhere.
        let chosen = grid
            .iter()
            .find(|(_, runs)| mean_loss(runs) == best)
            .map(|(method, _)| method);
        let cell = |nu: &&str| match grid.iter().find(|(method, _)| grid_nu(method) == Some(nu)) {
            Some((method, runs)) => Cell::marked(mean_sd(&finals(runs)), Some(method) == chosen),
            None => "–".into(),
        };
        let mut row = vec![Cell::from(problem)];
        row.extend(crate::runner::NU_GRID.iter().map(cell));
        table.row(row);
    }
    table
}
