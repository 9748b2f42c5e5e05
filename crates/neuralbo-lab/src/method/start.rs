//! What a method is told before a run.

use neuralbo::record::{Definition, Direction, ObjectiveSpec, OutcomeConstraint, Retries};
use neuralbo::space::{Point, Space};

/// What a method is told before a run.
#[derive(Clone, Debug)]
pub struct Start {
    /// What is searched.
    pub space: Space,
    /// What is measured and which way is better.
    pub objectives: Vec<ObjectiveSpec>,
    /// Limits on measured quantities.
    pub constraints: Vec<OutcomeConstraint>,
    /// Makes the method's choices repeatable.
    pub seed: u64,
    /// How many evaluations will follow.
    pub budget: u64,
    /// The problem's name, for people.
    pub problem: String,
    /// The points whose results are known before the first ask, in order.
    pub known: Vec<Point>,
}

impl Start {
    /// Which way the first objective is better.
    pub fn direction(&self) -> Direction {
        self.objectives
            .first()
            .map_or_else(Direction::default, |objective| objective.direction)
    }

    /// A study of the run's problem.
    pub fn definition(&self) -> Definition {
        Definition {
            objectives: self.objectives.clone(),
            constraints: self.constraints.clone(),
            seed: self.seed,
            retries: Retries::never(),
            ..Definition::new(self.space.clone(), Direction::default())
        }
    }
}
