//! The methods that are compared: ours by name, anybody's as a program.

mod spec;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use neuralbo::record::{Definition, Direction, ObjectiveSpec, OutcomeConstraint, Retries};
use neuralbo::space::Space;
use neuralbo::strategy::presets::{Method, MethodError, Registry};
use neuralbo::strategy::{Exhausted, Origin, RandomSearch, Request, Setup, Strategy, Suggestion};
use neuralbo::study::{Study, StudyError, strategy_of};
use serde::{Deserialize, Serialize};

pub use spec::{MethodSpec, SpecError};

/// Methods that make sense as baselines only.
pub const BASELINES: [Method; 1] = [CENTRE];

/// The methods that the lab knows: those of every front end and [`BASELINES`].
///
/// ```
/// assert!(neuralbo_lab::method::registry().find("centre").is_ok());
/// ```
pub fn registry() -> Registry {
    let known = neuralbo_paper::registry();
    Registry::of(known.methods().iter().copied().chain(BASELINES))
}

/// Why a run ended before its time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The method cannot be made, or its study refused something.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The pool is used up.
    #[error("every point of the space has been evaluated")]
    Exhausted,
    /// A program could not be started, ended early or broke the protocol.
    #[error("external method: {0}")]
    External(String),
    /// The method or the problem panicked.
    #[error("panic: {0}")]
    Panic(String),
}

/// Does `work`; a panic becomes an error.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, RunError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        RunError::Panic(text.unwrap_or("no message").to_owned())
    })
}

/// What a method is told before a run; programs are told it as the `start` of [`crate::external`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunStart {
    /// [`crate::external::PROTOCOL`].
    pub protocol: u32,
    /// The problem's name, for people.
    #[serde(default)]
    pub problem: String,
    /// What is searched.
    pub space: Space,
    /// Which way the value, or the first of several objectives, is better.
    #[serde(default)]
    pub direction: Direction,
    /// The objectives where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<ObjectiveSpec>,
    /// Limits on measured quantities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcome_constraints: Vec<OutcomeConstraint>,
    /// Makes the method's choices repeatable.
    #[serde(default)]
    pub seed: u64,
    /// How many evaluations will follow.
    #[serde(default)]
    pub budget: u64,
}

impl RunStart {
    /// A study of the run's problem.
    pub fn definition(&self) -> Definition {
        let mut definition = Definition::new(self.space.clone(), self.direction);
        if !self.objectives.is_empty() {
            definition.objectives = self.objectives.clone();
        }
        Definition {
            outcome_constraints: self.outcome_constraints.clone(),
            seed: self.seed,
            retries: Retries::never(),
            ..definition
        }
    }

    /// A study whose points one of the lab's methods chooses.
    pub fn study(&self, method: &str, options: &[String]) -> Result<Study, StudyError> {
        let definition = Definition {
            method: method.to_owned(),
            options: options.to_vec(),
            ..self.definition()
        };
        let strategy = strategy_of(&definition, &registry())?;
        Study::with_strategy(definition, strategy)
    }
}

/// Always the centre of the box: a method that is not better has found nothing.
const CENTRE: Method = Method {
    name: "centre",
    summary: "the centre of the box, then points drawn uniformly: what the place of the optimum gives away",
    options: &[],
    objectives: true,
    outcome_constraints: true,
    build: |setup, _| match setup.space.pool() {
        Some(_) => Err(MethodError::Unsuitable {
            method: "centre",
            reason: "a pool has no centre".into(),
        }),
        None => Ok(Box::new(CentreFirst::new(setup.clone()))),
    },
};

struct CentreFirst {
    space: Arc<Space>,
    rest: RandomSearch,
}

impl CentreFirst {
    fn new(setup: Setup) -> Self {
        Self {
            space: setup.space.clone(),
            rest: RandomSearch::new(setup),
        }
    }

    /// The row of the centre, or of the feasible point that stands for it.
    fn centre(&self) -> Vec<f64> {
        let mut row = vec![0.0; self.space.encoded_dim()];
        self.space.repair(&mut row);
        row
    }
}

impl Strategy for CentreFirst {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let centre = self.centre();
        let history = request.history;
        let finished = (0..history.len()).any(|i| history.row(i) == centre);
        if finished || request.pending.rows().any(|row| row == centre) {
            return self.rest.suggest(request);
        }
        let first = Suggestion {
            point: self.space.decode(&centre),
            row: centre,
            origin: Origin::Initial,
            mean: None,
            sd: None,
        };
        let others = Request {
            number: request.number + 1,
            count: request.count - 1,
            ..*request
        };
        let mut suggestions = vec![first];
        if others.count > 0 {
            suggestions.extend(self.rest.suggest(&others)?);
        }
        Ok(suggestions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Points, Streams};
    use neuralbo::strategy::History;
    use neuralbo::strategy::presets::Options;

    #[test]
    fn the_centre_comes_once_and_then_what_random_search_draws() {
        let space = Space::from_bounds(&[(0.0, 1.0), (2.0, 6.0)]).unwrap();
        let pending = Points::new(2);
        let rows = |method: &mut dyn Strategy, history: &History, number, count| -> Vec<Vec<f64>> {
            let request = Request {
                history,
                pending: &pending,
                number,
                count,
                cancel: None,
            };
            let suggestions = method.suggest(&request).unwrap().into_iter();
            suggestions.map(|suggestion| suggestion.row).collect()
        };
        let centre = || CENTRE.strategy(&space, 1, &Options::new()).unwrap();
        let mut history = History::new(2);
        history.push_observed(&[0.3, -0.2], 1.0);
        let chosen = rows(&mut *centre(), &history, 1, 3);
        assert_eq!(chosen[0], [0.0, 0.0]);
        history.push_observed(&chosen[0], 2.0);
        assert_eq!(rows(&mut *centre(), &history, 2, 2), chosen[1..]);
        let setup = Setup::new(Arc::new(space.clone()), Streams::new(1));
        let random = rows(&mut RandomSearch::new(setup), &history, 2, 1);
        assert_eq!(random, chosen[1..2]);
    }
}
