//! Final values: mean and standard deviation by problem and method; and the section of an experiment that is shown by them.

use super::curves::{self, Middle};
use super::document::{Document, ReportTable, TableCell};
use super::format::mean_sd;
use super::methods::{NU_RUNS, best_nu, choosing, final_loss, grid_nu, mean_loss, with_nu};
use super::results::{MethodRuns, Results};
use super::{Section, recommended};
use crate::figure::Figure;
use crate::runner::{NU_GRID, RunTrace, distinct};

/// All problems with their methods, the exploration grid replaced by its best.
pub struct Shown<'a> {
    /// The problems.
    pub problems: Vec<(&'a str, MethodRuns<'a>)>,
    /// All methods that appear, in order.
    pub methods: Vec<String>,
}

impl<'a> Shown<'a> {
    /// Collects them; ν is chosen by `loss`.
    pub fn new(results: &'a Results, loss: impl Fn(&[&RunTrace]) -> f64 + Copy) -> Self {
        let shown = |problem| {
            with_nu(
                results.of_problem(problem),
                chosen_nu(results, problem, loss),
            )
        };
        let with_methods = |problem| (problem, shown(problem));
        let problems: Vec<_> = results.problems().into_iter().map(with_methods).collect();
        let names = problems.iter().flat_map(|(_, methods)| methods);
        let methods = distinct(names.map(|(name, _)| name.clone()));
        Self { problems, methods }
    }

    /// A table with a row per problem and a column per method, a dash where a method was not run.
    pub fn table(
        &self,
        caption: &str,
        cell: impl Fn(&MethodRuns<'_>, &[&RunTrace]) -> TableCell,
    ) -> ReportTable {
        let mut table = ReportTable::new(caption, &["problem"]).with(&self.methods);
        for (problem, methods) in &self.problems {
            let cell = |name: &String| match runs_of(methods, name) {
                Some(runs) => cell(methods, runs),
                None => "–".into(),
            };
            table.row(&[problem], self.methods.iter().map(cell));
        }
        table
    }

    /// The same with some of the problems.
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let (mut problems, methods) = (self.problems.clone(), self.methods.clone());
        problems.retain(|(problem, _)| keep(problem));
        Self { problems, methods }
    }
}

/// The member of the exploration grid that the first runs of the original choose for a problem; those of the problem itself where
/// the original was not run.
fn chosen_nu(
    results: &Results,
    problem: &str,
    loss: impl Fn(&[&RunTrace]) -> f64 + Copy,
) -> Option<String> {
    let original = problem.split('@').next().unwrap_or(problem);
    let of = |problem| best_nu(&choosing(&results.of_problem(problem)), |runs| loss(runs));
    of(original).or_else(|| of(problem))
}

/// The runs of a method, if it has any.
pub fn runs_of<'a, 'b>(methods: &'b MethodRuns<'a>, name: &str) -> Option<&'b Vec<&'a RunTrace>> {
    let own = methods.iter().find(|(method, _)| method == name);
    own.map(|(_, runs)| runs)
}

/// Final values of all methods on all problems; the best mean of a problem stands out.
pub fn table(caption: &str, shown: &Shown<'_>) -> ReportTable {
    shown.table(caption, |methods, runs| {
        let best = mean_loss(runs) == smallest_loss(methods);
        TableCell::marked(mean_sd(&finals(runs)), best)
    })
}

fn smallest_loss(methods: &MethodRuns<'_>) -> f64 {
    let losses = methods.iter().map(|(_, runs)| mean_loss(runs));
    losses.fold(f64::INFINITY, f64::min)
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
pub fn nu_table(results: &Results) -> ReportTable {
    let mut table = ReportTable::new(
        format!(
            "neuralbo-paper for every ν of the paper's grid: final values, mean ± sd. Bold: the best on the first {NU_RUNS} runs of the \
             original, which the other tables and figures show."
        ),
        &["problem", "ν = 0.1", "ν = 1", "ν = 10"],
    );
    for problem in results.problems() {
        let mut grid = results.of_problem(problem);
        grid.retain(|(method, _)| grid_nu(method).is_some());
        if grid.len() < 2 {
            continue;
        }
        let chosen = chosen_nu(results, problem, mean_loss);
        let chosen = grid
            .iter()
            .position(|(method, _)| Some(method) == chosen.as_ref());
        let cell = |nu: &&str| match grid
            .iter()
            .position(|(method, _)| grid_nu(method) == Some(nu))
        {
            Some(i) => TableCell::marked(mean_sd(&finals(&grid[i].1)), Some(i) == chosen),
            None => "–".into(),
        };
        table.row(&[problem], NU_GRID.iter().map(cell));
    }
    table
}

/// The words of such a section.
pub struct PlainSection<'a> {
    /// The figure's file name without extension.
    pub figure: &'a str,
    /// The figure's title.
    pub title: &'a str,
    /// What the figure shows.
    pub caption: String,
    /// What the best values are.
    pub values: &'a str,
    /// What a curve shows of several runs.
    pub middle: Middle,
    /// The caption of the table of final values.
    pub finals: &'a str,
}

impl PlainSection<'_> {
    /// Best values against evaluations, final values, the grid over ν and recommended points.
    pub fn write(&self, document: &mut Document, section: &Section<'_>) {
        let shown = Shown::new(section.results, mean_loss);
        let panels = curves::panels(&shown, str::to_owned, self.values, self.middle);
        let figure = Figure::new(self.title, panels, &section.note);
        document.figure(self.figure, &self.caption, figure.to_svg());
        document.table(table(self.finals, &shown));
        document.table(nu_table(section.results));
        document.table(recommended::table(&shown));
    }
}
