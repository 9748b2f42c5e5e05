//! Figure 2: the 24 noiseless functions of COCO.

use neuralbo::space::{Point, Space};
use neuralbo::study::Direction;
use serde_json::{Value, json};

use super::task::{Objective, Task, coordinates, seed_of};
use super::{Experiment, LabError};
use crate::Problem;
use crate::problems::bbob::Bbob;

/// The BBOB functions; a run is an instance.
pub struct BbobSuite {
    /// Evaluations per dimension.
    pub evaluations_per_dim: u64,
}

/// Function and dimension of `bbob-f07-d05`; `f7-d5` will do.
pub fn parse(name: &str) -> Option<(u32, usize)> {
    let name = name.strip_prefix("bbob-").unwrap_or(name);
    let (function, dim) = name.split_once('-')?;
    Some((function.strip_prefix('f')?.parse().ok()?, dim.strip_prefix('d')?.parse().ok()?))
}

impl Experiment for BbobSuite {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let (function, dim) = parse(problem).ok_or_else(|| LabError::UnknownProblem {
            problem: problem.to_owned(),
            experiment: "bbob",
            allowed: "write bbob-f<function>-d<dim>, such as bbob-f07-d05".into(),
        })?;
        let function = Bbob::new(function, run, dim).map_err(crate::problems::ProblemError::from)?;
        let impossible = |error: neuralbo::space::SpaceError| LabError::Impossible(error.to_string());
        Ok(Task {
            problem: format!("bbob-f{:02}-d{dim:02}", function.function()),
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
        Ok(json!({ "noise": "none", "initial": "each method's own", "recorded": "gap to the optimal value", "run": "instance" }))
    }
}

/// Methods see values; the gap to the optimum is recorded.
struct Gap(Bbob);

impl Objective for Gap {
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
    fn names_state_function_and_dimension() {
        assert_eq!(parse("bbob-f07-d05"), Some((7, 5)));
        assert_eq!(parse("f24-d40"), Some((24, 40)));
        for name in ["bbob-f07", "f7", "7-5", "bbob-f1-i1-d2"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
