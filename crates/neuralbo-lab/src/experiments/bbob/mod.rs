//! Figure 2: the 24 noiseless functions of COCO, and the runtimes on them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::Problem;
use crate::figure::{Figure, Panel, PlotAxis, PlotSeries};
use crate::problems::ProblemError;
use crate::problems::bbob::Bbob;
use crate::problems::bbob::score::{GapCurve, RUNTIMES, Score, score, targets};
use crate::problems::noise::GaussianNoise;
use crate::report::methods::{NU_RUNS, best_nu, grid_nu, looks, with_nu};
use crate::report::{
    Document, Published, Ranking, ReportTable, Reported, Results, Section, TableCell,
};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, LabSettings, NU_GRID, NoiseLevel, Profile,
    RunTrace, Size, SizeUnits, Suite, Workload, distinct, seed_of,
};
use crate::stats::mean;

/// The dimensions of Figure 2.
const DIMS: [usize; 4] = [2, 3, 5, 10];
/// Gaps below this are equal.
const SMALLEST_GAP: f64 = 1e-8;

/// The BBOB functions; a run is an instance.
pub static BBOB: Reported = Reported {
    short_title: "BBOB",
    ranking: Some(Ranking {
        loss: mean_log_gap,
        remark: "On BBOB the mean logarithm of the final gap is ranked.",
    }),
    published: || Some(Published::of(size(Profile::Paper))),
    ..Reported::new(
        Experiment {
            expand,
            units: SizeUnits {
                per_dimension: true,
                runs: "instances",
            },
            load,
            ..Experiment::new("bbob", size, open)
        },
        "COCO / BBOB (Figure 2)",
        |_| vec!["instances 1, 2, … of the suite".into()],
        report,
    )
};

fn size(profile: Profile) -> Size {
    let all = 1..=Bbob::FUNCTIONS;
    match profile {
        Profile::Quick => Size::new(problems([1, 8, 21], &[2]), 1, 5),
        Profile::Standard => Size::new(problems(all, &DIMS), 3, 20),
        Profile::Paper => Size::new(problems(all, &DIMS), 15, 20),
    }
}

/// `f1..24-d5` stands for 24 problems.
fn expand(text: &str) -> Vec<String> {
    let range = || {
        let (functions, dim) = text.strip_prefix("bbob-").unwrap_or(text).split_once('-')?;
        let (first, last) = functions.strip_prefix('f')?.split_once("..")?;
        let functions = first.parse::<u32>().ok()?..=last.parse().ok()?;
        let name = |function| format!("f{function}-{dim}");
        Some(functions.map(name).collect())
    };
    range().unwrap_or_else(|| vec![text.to_owned()])
}

fn load(problem: &str, evaluations: u64) -> Workload {
    let dim = parse(problem).map_or(1, |(_, dim)| dim);
    Workload::without_design(dim, evaluations * dim as u64)
}

fn open(settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    Ok(Box::new(BbobFunctions {
        noise: settings.noise.unwrap_or(NoiseLevel::None),
        seeded: settings.seed.is_some(),
    }))
}

fn problems(functions: impl IntoIterator<Item = u32> + Clone, dims: &[usize]) -> Vec<String> {
    let of_dim = |dim: &usize| {
        let functions = functions.clone().into_iter();
        functions
            .map(|function| full_name(function, *dim))
            .collect()
    };
    dims.iter().flat_map::<Vec<_>, _>(of_dim).collect()
}

fn full_name(function: u32, dim: usize) -> String {
    format!("bbob-f{function:02}-d{dim:02}")
}

/// The mean decimal logarithm of the final gaps.
fn mean_log_gap(runs: &[&RunTrace]) -> f64 {
    let log_gap = |trace: &&RunTrace| Some(trace.last_best()?.max(SMALLEST_GAP).log10());
    mean(&runs.iter().filter_map(log_gap).collect::<Vec<_>>())
}

/// The functions with their noise. Methods see values; the gap to the optimum is recorded.
struct BbobFunctions {
    noise: NoiseLevel,
    /// Whether the seeds of methods are 1000·function + instance, to which the asked one is added.
    seeded: bool,
}

/// Function and dimension of `bbob-f07-d05`; `f7-d5` will do.
fn parse(name: &str) -> Option<(u32, usize)> {
    let name = name.strip_prefix("bbob-").unwrap_or(name);
    let (function, dim) = name.split_once('-')?;
    Some((
        function.strip_prefix('f')?.parse().ok()?,
        dim.strip_prefix('d')?.parse().ok()?,
    ))
}

impl Suite for BbobFunctions {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let allowed = "write bbob-f<function>-d<dim>, such as bbob-f07-d05";
        let unknown = || LabError::stranger(problem, "bbob", allowed);
        let (function, dim) = parse(problem).ok_or_else(unknown)?;
        let function = Bbob::new(function, run, dim).map_err(ProblemError::from)?;
        let name = full_name(function.function(), dim);
        let method_seed = if self.seeded {
            u64::from(function.function() * 1000 + run)
        } else {
            seed_of(&["method", &name], run)
        };
        let sd = self.noise.sd(&function);
        let noise =
            GaussianNoise::new(sd, method_seed.wrapping_add(1)).map_err(LabError::impossible)?;
        let observe = move |problem: &Bbob, x: &[f64], i| problem.value(x) + noise.at(i);
        let evaluator = BoxEvaluator {
            truth: Bbob::gap,
            ..BoxEvaluator::new(Box::new(function), observe)
        };
        Ok(LabCase {
            method_seed,
            noisy: sd > 0.0,
            ..LabCase::on_box(&name, run, seed_of(&["bbob", problem], run), evaluator)?
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": self.noise,
            "initial": "each method's own",
            "recorded": "gap to the optimal value",
            "run": "instance",
        }))
    }
}

/// The runs of a method in one dimension.
type Runs = Vec<GapCurve>;
/// Methods with their runs, in order.
type BbobMethods = Vec<(String, Runs)>;

/// Adds the section.
fn report(document: &mut Document, section: &Section<'_>) {
    let (results, note) = (section.results, &section.note);
    let of_dim = |dim| (dim, methods(results, dim));
    let dims: BTreeMap<usize, BbobMethods> = dims(results).into_iter().map(of_dim).collect();
    let targets = format!("Targets: 51 gaps from 10² to 10⁻⁸. {note}");
    let svg = ecdf_figure(&dims, &targets);
    let caption = "Figure 2. Share of (function, instance, target) reached against evaluations/D.";
    document.figure("figure-2-bbob", caption, svg);
    let caption = "Area under the curves of Figure 2 over log10(evaluations/D) from 0.5 to 20, normalized (larger is better), and the mean log10 of \
         the final gap, clipped at 1e-8 (smaller is better).";
    document.table(score_table(caption, &dims));
    document.table(nu_table(results));
}

/// The dimensions that were run.
fn dims(results: &Results) -> BTreeSet<usize> {
    let dim = |problem| Some(parse(problem)?.1);
    results.problems().into_iter().filter_map(dim).collect()
}

/// All methods of a dimension with their runs up to the last one wanted, the grid over ν as it is.
fn all_methods(results: &Results, dim: usize, last_run: u32) -> BbobMethods {
    let methods = results.methods().into_iter();
    let mut methods: BbobMethods = methods.map(|name| (name.clone(), Runs::new())).collect();
    let wanted = |trace: &&RunTrace| {
        let of_dim = parse(&trace.header.problem).is_some_and(|(_, d)| d == dim);
        of_dim && trace.header.run <= last_run
    };
    for trace in results.finished().filter(wanted) {
        let mut run = GapCurve::new(dim);
        for row in &trace.rows {
            run.record(row.evaluation, row.best);
        }
        let own = |(name, _): &&mut (String, Runs)| *name == trace.header.method;
        if let Some((_, runs)) = methods.iter_mut().find(own) {
            runs.push(run);
        }
    }
    methods.retain(|(_, runs)| !runs.is_empty());
    methods
}

/// All methods of a dimension, the grid over ν replaced by its chosen member.
fn methods(results: &Results, dim: usize) -> BbobMethods {
    with_nu(all_methods(results, dim, u32::MAX), chosen_nu(results, dim))
}

/// The member of the exploration grid with the largest area on the first instances.
fn chosen_nu(results: &Results, dim: usize) -> Option<String> {
    let area = |runs: &Runs| score(runs).map_or(0.0, |score| score.auc);
    best_nu(&all_methods(results, dim, NU_RUNS), |runs| -area(runs))
}

/// One panel per dimension.
fn ecdf_figure(dims: &BTreeMap<usize, BbobMethods>, note: &str) -> String {
    let panel = |(dim, methods): (&usize, &BbobMethods)| {
        let x = PlotAxis::log("evaluations / D").range(RUNTIMES.0, RUNTIMES.1);
        let y = PlotAxis::linear("share of targets reached");
        Panel::new(format!("D = {dim}"), x, y, methods.iter().map(ecdf))
    };
    let figure = Figure::new(
        "Runtime distributions on BBOB",
        dims.iter().map(panel),
        note,
    );
    figure.columns(2).to_svg()
}

fn ecdf((name, runs): &(String, Runs)) -> PlotSeries {
    let runtime = |run: &GapCurve, target| run.runtime(target).unwrap_or(f64::INFINITY);
    let of_run = |run| targets().map(move |target| runtime(run, target));
    let runtimes: Vec<f64> = runs.iter().flat_map(of_run).collect();
    PlotSeries::ecdf(name, &runtimes, RUNTIMES.0, RUNTIMES.1).with_looks(looks(name))
}

/// Methods by dimension; the best of each column stands out.
fn score_table(caption: &str, dims: &BTreeMap<usize, BbobMethods>) -> ReportTable {
    let titles = |dim| ["area", "gap", "runs"].map(|title| format!("D={dim} {title}"));
    let mut table = ReportTable::new(caption, &["method"]).with(dims.keys().flat_map(titles));
    for name in distinct(dims.values().flatten().map(|(name, _)| name)) {
        let cells = dims.values().flat_map(|methods| score_cells(name, methods));
        table.row(&[name], cells);
    }
    table
}

fn score_cells(name: &str, methods: &BbobMethods) -> [TableCell; 3] {
    let scores: Vec<Score> = methods.iter().filter_map(|(_, runs)| score(runs)).collect();
    let own = methods.iter().find(|(method, _)| method == name);
    let Some((score, count)) = own.and_then(|(_, runs)| Some((score(runs)?, runs.len()))) else {
        return ["–"; 3].map(TableCell::from);
    };
    let largest = scores.iter().map(|s| s.auc).fold(0.0, f64::max);
    let smallest = scores.iter().map(|s| s.gap).fold(f64::INFINITY, f64::min);
    [
        TableCell::marked(format!("{:.4}", score.auc), score.auc == largest),
        TableCell::marked(format!("{:.3}", score.gap), score.gap == smallest),
        count.to_string().into(),
    ]
}

fn nu_table(results: &Results) -> ReportTable {
    let mut table = ReportTable::new(
        format!(
            "neuralbo-paper for every ν of the paper's grid: area / mean log10 gap. Bold: the largest area on the first {NU_RUNS} \
             instances, which is shown elsewhere."
        ),
        &["dimension", "ν = 0.1", "ν = 1", "ν = 10"],
    );
    for dim in dims(results) {
        let (all, chosen) = (all_methods(results, dim, u32::MAX), chosen_nu(results, dim));
        let Some(chosen) = chosen else {
            continue;
        };
        let with = |nu| all.iter().find(|(name, _)| grid_nu(name) == Some(nu));
        let scored = |nu| with(nu).and_then(|(name, runs)| Some((name, score(runs)?)));
        let cell = |nu| match scored(nu) {
            Some((name, s)) => {
                TableCell::marked(format!("{:.4} / {:.3}", s.auc, s.gap), *name == chosen)
            }
            None => "–".into(),
        };
        table.row(&[&dim.to_string()], NU_GRID.map(cell));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_functions_stands_for_all_of_them() {
        assert_eq!(expand("f8..10-d5"), ["f8-d5", "f9-d5", "f10-d5"]);
        assert_eq!(expand("bbob-f08-d05"), ["bbob-f08-d05"]);
    }

    #[test]
    fn names_state_function_and_dimension() {
        assert_eq!(parse("bbob-f07-d05"), Some((7, 5)));
        assert_eq!(parse("f24-d40"), Some((24, 40)));
        for name in ["bbob-f07", "f7", "7-5", "bbob-f1-i1-d2"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
