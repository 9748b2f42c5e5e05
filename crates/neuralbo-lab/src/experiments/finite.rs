//! Large finite spaces: one choice of 10,000 values, alone and with two floats.

use neuralbo::record::{Direction, ObjectiveSpec, VALUE};
use neuralbo::space::{Domain, Parameter, Point, Space, SpaceError, Value};
use serde_json::json;

use crate::problems::retrieval::TERMS;
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Reported, Section};
use crate::runner::{
    CaseEvaluator, Experiment, LabCase, LabError, Profile, Size, Suite, Workload, known_methods,
    seed_of,
};

/// Values of the large choice.
const VALUES: usize = 10_000;
const PROBLEMS: [&str; 2] = ["choice-10000", "mixed-10000"];

/// Spaces with very many unordered values; `retrieval` is a pool of documents.
pub static FINITE: Reported = Reported::new(
    Experiment {
        methods: || known_methods(["neuralbo", "gp-ei", "random"]),
        load,
        ..Experiment::new("finite", size, |_| Ok(Box::new(Choices)))
    },
    "Large finite spaces",
    |_| vec![format!("a choice of {VALUES} values in no order")],
    report,
);

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(PROBLEMS, 1, 3),
        Profile::Standard => Size::new(PROBLEMS, 3, 50),
        Profile::Paper => Size::new(PROBLEMS, 10, 50),
    }
}

/// About as much as a pool of documents asks.
fn load(_: &str, evaluations: u64) -> Workload {
    Workload {
        pool: true,
        ..Workload::without_design(TERMS, evaluations)
    }
}

fn report(document: &mut Document, section: &Section<'_>) {
    PlainSection {
        figure: "figure-finite",
        title: "Best reward against evaluations",
        caption: "Mean of the runs, bands of one standard deviation.".into(),
        values: "best reward",
        middle: Middle::Mean,
        finals: "Final best rewards, mean ± sd of the runs (larger is better; bold: best mean).",
    }
    .write(document, section);
}

struct Choices;

impl Suite for Choices {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        if !PROBLEMS.contains(&problem) {
            return Err(LabError::unknown(problem, "finite", &PROBLEMS));
        }
        let seed = seed_of(&["finite", problem], run);
        let space = space(problem == PROBLEMS[1]);
        Ok(LabCase {
            objectives: vec![ObjectiveSpec::new(VALUE, Direction::Maximize)],
            ..LabCase::new(problem, run, seed, space, Box::new(Hashed))?
        })
    }

    fn facts(&self, _: &[String]) -> Result<serde_json::Value, LabError> {
        Ok(json!({ "noise": "none", "initial": "each method's own" }))
    }
}

fn space(with_floats: bool) -> Result<Space, SpaceError> {
    let choices = (0..VALUES).map(|i| Value::Text(format!("value-{i}")));
    let choices = Domain::Choice {
        choices: choices.collect(),
    };
    let mut parameters = vec![Parameter::new("c", choices)?];
    if with_floats {
        parameters.extend(["x=float(0,1)".parse()?, "y=float(0,1)".parse()?]);
    }
    Space::new(parameters)
}

/// A hash of the choice from 0 to 1, less the distance of the floats from 0.7.
struct Hashed;

impl CaseEvaluator for Hashed {
    fn truth(&self, point: &Point) -> f64 {
        let Some((choice, floats)) = point.values().split_first() else {
            return f64::NAN;
        };
        let hash = format!("{choice:?}").bytes().fold(17_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let floats = floats.iter().flatten().filter_map(Value::as_f64);
        (hash >> 20) as f64 % 1000.0 / 1000.0 - floats.map(|x| (x - 0.7).powi(2)).sum::<f64>()
    }
}
