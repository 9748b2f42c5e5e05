//! Outcome constraints: the best feasible value on engineering problems and small test functions.

use neuralbo::record::Values;
use neuralbo::space::Point;
use serde_json::{Value, json};

use crate::Problem;
use crate::method::MethodSpec;
use crate::problems::{by_name, names};
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Published, Reported, Section};
use crate::runner::{
    BoxEvaluator, Case, CaseEvaluator, Experiment, LabError, LabSettings, Profile, Size, Suite,
    Workload, known_methods, seed_of,
};

/// Problems with limits on what is measured.
pub struct Outcomes;

impl Experiment for Outcomes {
    fn name(&self) -> &'static str {
        "outcomes"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(["gardner1"], 1, 6),
            Profile::Standard => Size::new(constrained(), 3, 100),
            Profile::Paper => Size::new(constrained(), 10, 100),
        }
    }

    fn methods(&self) -> Vec<MethodSpec> {
        known_methods(["neuralbo", "gp-ei", "random"])
    }

    fn open(&self, settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
        Ok(Box::new(Constraints {
            evaluations: settings.size().evaluations,
        }))
    }

    fn load(&self, problem: &str, evaluations: u64) -> Workload {
        let dim = by_name(problem, None).map_or(1, |problem| problem.dim());
        Workload {
            initial: 0,
            ..Workload::of_box(dim, evaluations)
        }
    }
}

impl Reported for Outcomes {
    fn title(&self) -> &'static str {
        "Outcome constraints"
    }

    fn published(&self) -> Option<Published> {
        None
    }

    fn differences(&self, _: &Value) -> Vec<String> {
        vec!["gap of the best point that keeps every limit to the best known value".into()]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        PlainSection {
            figure: "figure-outcomes",
            title: "Best feasible gap against evaluations",
            caption: "Median of the runs, bands from the first to the third quartile.".into(),
            values: "gap to the best known value",
            middle: Middle::Median,
            finals: "Final gaps, mean ± sd of the runs with a feasible point (smaller is better; bold: best mean).",
        }
        .write(document, section);
    }
}

/// The names of all problems with outcome constraints.
fn constrained() -> Vec<String> {
    let is_constrained =
        |name: &&str| by_name(name, None).is_ok_and(|problem| !problem.constraints().is_empty());
    names()
        .into_iter()
        .filter(is_constrained)
        .map(str::to_owned)
        .collect()
}

struct Constraints {
    evaluations: u64,
}

impl Suite for Constraints {
    fn case(&self, problem: &str, run: u32) -> Result<Case, LabError> {
        let function = by_name(problem, None)?;
        if function.constraints().is_empty() {
            return Err(LabError::unknown(problem, "outcomes", &constrained()));
        }
        let (seen, seed) = (
            by_name(problem, None)?,
            seed_of(&["outcomes", problem], run),
        );
        let evaluator = FeasibleGap {
            best: function.optimum().map_or(0.0, |best| best.value),
            inner: BoxEvaluator {
                problem: by_name(problem, None)?,
                observation: Box::new(move |x, _| seen.value(x)),
            },
        };
        Ok(Case {
            evaluations: self.evaluations,
            ..Case::on_box(problem, run, seed, &function, Box::new(evaluator))?
        })
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
struct FeasibleGap {
    inner: BoxEvaluator<Box<dyn Problem>>,
    best: f64,
}

impl CaseEvaluator for FeasibleGap {
    fn observe(&self, point: &Point, index: u64) -> f64 {
        self.inner.observe(point, index)
    }

    fn truth(&self, point: &Point) -> f64 {
        self.inner.truth(point) - self.best
    }

    fn values(&self, point: &Point) -> Option<Values> {
        self.inner.values(point)
    }
}
