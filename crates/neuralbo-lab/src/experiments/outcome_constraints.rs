//! Outcome constraints: the best feasible value on engineering problems and small test functions.

use serde_json::{Value, json};

use crate::Problem;
use crate::problems::{by_name, names};
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Reported, Section};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, Profile, Size, Suite, Workload, feasible_value,
    known_methods, seed_of,
};

/// Its name.
const NAME: &str = "outcome-constraints";

/// Problems with limits on what is measured.
pub static OUTCOME_CONSTRAINTS: Reported = Reported::new(
    Experiment {
        methods: || known_methods(["neuralbo", "gp-ei", "random"]),
        load,
        ..Experiment::new(NAME, size, |_| Ok(Box::new(Constrained)))
    },
    "Outcome constraints",
    |_| vec!["gap of the best point that keeps every limit to the best known value".into()],
    report,
);

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(["gardner1"], 1, 6),
        Profile::Standard => Size::new(constrained(), 3, 100),
        Profile::Paper => Size::new(constrained(), 10, 100),
    }
}

fn load(problem: &str, evaluations: u64) -> Workload {
    let dim = by_name(problem, None).map_or(1, |problem| problem.dim());
    Workload::without_design(dim, evaluations)
}

fn report(document: &mut Document, section: &Section<'_>) {
    PlainSection {
        figure: "figure-outcome-constraints",
        title: "Best feasible gap against evaluations",
        caption: "Median of the runs, bands from the first to the third quartile.".into(),
        values: "gap to the best known value",
        middle: Middle::Median,
        finals: "Final gaps, mean ± sd of the runs with a feasible point (smaller is better; bold: best mean).",
    }
    .write(document, section);
}

/// The names of all problems with outcome constraints.
fn constrained() -> Vec<&'static str> {
    let constrained = |problem: Box<dyn Problem>| !problem.outcome_constraints().is_empty();
    let mut names = names();
    names.retain(|name| by_name(name, None).is_ok_and(constrained));
    names
}

struct Constrained;

impl Suite for Constrained {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let function = by_name(problem, None)?;
        if function.outcome_constraints().is_empty() {
            return Err(LabError::unknown(problem, NAME, &constrained()));
        }
        // The word is part of the seeds: another one would change the points of every run.
        let seed = seed_of(&["outcomes", problem], run);
        let evaluator = BoxEvaluator {
            truth: feasible_gap,
            ..BoxEvaluator::exact(function)
        };
        LabCase::on_box(problem, run, seed, evaluator)
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": "each method's own",
            "recorded": "feasible gap to the best known value",
        }))
    }
}

/// Methods see values; the gap of feasible points is recorded.
fn feasible_gap(problem: &dyn Problem, x: &[f64]) -> f64 {
    feasible_value(problem, x) - problem.optimum().map_or(0.0, |best| best.value)
}
