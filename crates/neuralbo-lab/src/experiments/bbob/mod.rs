//! Figure 2: the 24 noiseless functions of COCO.

mod claims;
mod peers;
mod report;

use neuralbo::record::Direction;
use neuralbo::space::{Point, Space};
use serde_json::{Value, json};

use crate::Problem;
use crate::experiment::{
    Evaluator, Experiment, LabError, Load, Profile, Ranking, Settings, Size, Task, Tasks, Trace,
    Units, coordinates, seed_of,
};
use crate::problems::bbob::Bbob;
use crate::report::{Claim, Document, Section};
use crate::stats::mean;

/// The dimensions of Figure 2.
const DIMS: [usize; 4] = [2, 3, 5, 10];
/// Gaps below this are equal.
const SMALLEST_GAP: f64 = 1e-8;

/// The BBOB functions; a run is an instance.
pub struct BbobSuite;

impl Experiment for BbobSuite {
    fn name(&self) -> &'static str {
        "bbob"
    }

    fn title(&self) -> &'static str {
        "COCO / BBOB (Figure 2)"
    }

    fn short_title(&self) -> &'static str {
        "BBOB"
    }

    fn size(&self, profile: Profile) -> Size {
        let all = 1..=Bbob::FUNCTIONS;
        match profile {
            Profile::Quick => Size::new(problems([1, 8, 21], &[2]), 1, 5),
            Profile::Standard => Size::new(problems(all, &DIMS), 3, 20),
            Profile::Paper => Size::new(problems(all, &DIMS), 15, 20),
        }
    }

    fn units(&self) -> Units {
        Units {
            per_dimension: true,
            runs: "instances",
        }
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Ok(Box::new(Suite {
            evaluations_per_dim: settings.planned_evaluations(),
        }))
    }

    fn load(&self, problem: &str, evaluations: u64) -> Load {
        let dim = parse(problem).map_or(1, |(_, dim)| dim);
        Load {
            initial: 0,
            ..Load::of_box(dim, evaluations * dim as u64)
        }
    }

    fn ranking(&self) -> Option<Ranking> {
        let remark = "On BBOB the mean logarithm of the final gap is ranked.";
        Some(Ranking {
            loss: mean_log_gap,
            remark,
            group: Some(group),
        })
    }

    fn claims(&self) -> &'static [Claim] {
        &claims::CLAIMS
    }

    fn differences(&self, _: &Value) -> Vec<String> {
        vec!["instances 1, 2, … of the suite".into()]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

fn problems(functions: impl IntoIterator<Item = u32> + Clone, dims: &[usize]) -> Vec<String> {
    dims.iter()
        .flat_map(|dim| {
            functions
                .clone()
                .into_iter()
                .map(move |function| full_name(function, *dim))
        })
        .collect()
}

fn full_name(function: u32, dim: usize) -> String {
    format!("bbob-f{function:02}-d{dim:02}")
}

/// The last functions of COCO's groups: separable, moderate, ill-conditioned, multi-modal, weakly structured.
const GROUP_ENDS: [u32; 5] = [5, 9, 14, 19, 24];

/// The group and the dimension of a problem.
fn group(problem: &str) -> String {
    let Some((function, dim)) = parse(problem) else {
        return problem.to_owned();
    };
    let number = GROUP_ENDS.partition_point(|end| *end < function) + 1;
    format!("group {number}, D = {dim}")
}

/// The mean decimal logarithm of the final gaps.
fn mean_log_gap(runs: &[&Trace]) -> f64 {
    mean(
        &runs
            .iter()
            .filter_map(|trace| Some(trace.last_best()?.max(SMALLEST_GAP).log10()))
            .collect::<Vec<_>>(),
    )
}

/// The functions with their budget.
struct Suite {
    evaluations_per_dim: u64,
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

impl Tasks for Suite {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let (function, dim) = parse(problem).ok_or_else(|| LabError::UnknownProblem {
            problem: problem.to_owned(),
            experiment: "bbob",
            allowed: "write bbob-f<function>-d<dim>, such as bbob-f07-d05".into(),
        })?;
        let function =
            Bbob::new(function, run, dim).map_err(crate::problems::ProblemError::from)?;
        let impossible =
            |error: neuralbo::space::SpaceError| LabError::Impossible(error.to_string());
        Ok(Task {
            problem: full_name(function.function(), dim),
            run,
            seed: seed_of(&["bbob", problem], run),
            space: Space::from_bounds(&function.bounds()).map_err(impossible)?,
            direction: Direction::Minimize,
            initial: Vec::new(),
            objective: Box::new(Gap(function)),
            noisy: false,
            evaluations: self.evaluations_per_dim * dim as u64,
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(
            json!({ "noise": "none", "initial": "each method's own", "recorded": "gap to the optimal value", "run": "instance" }),
        )
    }
}

/// Methods see values; the gap to the optimum is recorded.
struct Gap(Bbob);

impl Evaluator for Gap {
    fn observe(&self, point: &Point, _: u64) -> f64 {
        self.0.value(&coordinates(point))
    }

    fn truth(&self, point: &Point) -> f64 {
        self.0.gap(&coordinates(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_belong_to_the_groups_of_coco() {
        let names = [
            "bbob-f01-d02",
            "bbob-f05-d02",
            "bbob-f06-d03",
            "bbob-f10-d05",
            "bbob-f19-d10",
            "bbob-f24-d10",
        ]
        .map(group);
        assert_eq!(
            names.map(|name| name[6..7].to_owned()),
            ["1", "1", "2", "3", "4", "5"]
        );
        assert_eq!(group("bbob-f06-d03"), "group 2, D = 3");
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
