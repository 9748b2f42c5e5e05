//! What a method is told before a run.

use neuralbo::record::{Definition, Direction, ObjectiveSpec, OutcomeConstraint, Retries};
use neuralbo::space::Space;
use neuralbo::study::{Study, StudyError, strategy_of};
use serde::{Deserialize, Serialize};

use super::registry;

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
