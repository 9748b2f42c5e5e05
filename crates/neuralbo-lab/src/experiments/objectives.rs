//! Several objectives: ZDT, DTLZ and pairs of BBOB functions, by their hypervolume.

use neuralbo::record::{Direction, ObjectiveSpec, Values};
use neuralbo::space::{Point, Space};
use serde_json::{Value, json};

use crate::problems::{OBJECTIVES_NAMES, PAIRED, SeveralObjectives};
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Reported, Section};
use crate::runner::{
    CaseEvaluator, Experiment, FrontMeasure, LabCase, LabError, Profile, Size, SizeUnits, Suite,
    Workload, coordinates, known_methods, seed_of,
};

/// Problems of two and three objectives.
pub static OBJECTIVES: Reported = Reported::new(
    Experiment {
        units: SizeUnits {
            per_dimension: true,
            ..SizeUnits::PLAIN
        },
        methods: || known_methods(["neuralbo", "nsga2", "random", "sobol"]),
        load,
        ..Experiment::new("objectives", size, |_| Ok(Box::new(Fronts)))
    },
    "Several objectives",
    |_| {
        vec!["hypervolume as a share of the true front's; pairs of BBOB functions between ideal point and nadir".into()]
    },
    report,
);

fn size(profile: Profile) -> Size {
    let formulas = |zdt: usize, dtlz: usize| {
        let zdt = (1..=3).map(move |which| format!("zdt{which}-{zdt}"));
        zdt.chain([2, 7].map(|which| format!("dtlz{which}-{dtlz}")))
    };
    match profile {
        Profile::Quick => Size::new(formulas(3, 4).take(1), 1, 3),
        Profile::Standard => Size::new(formulas(10, 6).chain(pairs(&[2, 5])), 3, 20),
        Profile::Paper => Size::new(formulas(10, 6).chain(pairs(&[2, 3, 5, 10])), 10, 20),
    }
}

fn load(problem: &str, evaluations: u64) -> Workload {
    let dim = SeveralObjectives::by_name(problem, 1).map_or(1, |problem| problem.bounds.len());
    Workload::without_design(dim, evaluations * dim as u64)
}

fn report(document: &mut Document, section: &Section<'_>) {
    PlainSection {
        figure: "figure-objectives",
        title: "Hypervolume against evaluations",
        caption: "Mean of the runs, bands of one standard deviation.".into(),
        values: "share of the hypervolume",
        middle: Middle::Mean,
        finals: "Final shares of the hypervolume, mean ± sd of the runs (larger is better; bold: best mean).",
    }
    .write(document, section);
}

/// Every fifth pair of functions in some dimensions.
fn pairs(dims: &[usize]) -> Vec<String> {
    let all =
        (0..PAIRED.len()).flat_map(|i| (i..PAIRED.len()).map(move |j| (PAIRED[i], PAIRED[j])));
    let some: Vec<(u32, u32)> = all.step_by(5).collect();
    let named = |dim: &usize| {
        let name = |(f, g): &(u32, u32)| format!("bi-f{f:02}-f{g:02}-d{dim:02}");
        some.iter().map(name).collect::<Vec<_>>()
    };
    dims.iter().flat_map(named).collect()
}

struct Fronts;

impl Suite for Fronts {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let function = SeveralObjectives::by_name(problem, run)?;
        let seed = seed_of(&["objectives", problem], run);
        let (space, best) = (Space::from_bounds(&function.bounds), function.best);
        let reference = function.reference.clone();
        let objective = |k| ObjectiveSpec::new(format!("f{k}"), Direction::Minimize);
        Ok(LabCase {
            objectives: (1..=reference.len()).map(objective).collect(),
            front: Some(FrontMeasure { reference, best }),
            ..LabCase::new(problem, run, seed, space, Box::new(function))?
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": "each method's own",
            "recorded": "share of the hypervolume",
            "problems": OBJECTIVES_NAMES,
        }))
    }
}

impl CaseEvaluator for SeveralObjectives {
    fn truth(&self, point: &Point) -> f64 {
        (self.values)(&coordinates(point))[0]
    }

    fn values(&self, point: &Point) -> Option<Values> {
        let values = (self.values)(&coordinates(point)).into_iter().zip(1..);
        Some(values.map(|(value, k)| (format!("f{k}"), value)).collect())
    }
}
