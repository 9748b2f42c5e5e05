//! What a strategy knows of its study: the space, the random streams, the goals.

use std::sync::Arc;

use super::{Origin, Suggestion};
use crate::linalg::Streams;
use crate::space::Space;

/// What every strategy needs to know about a study.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The space searched.
    pub space: Arc<Space>,
    /// The study's random streams.
    pub streams: Streams,
    /// Whether a point that was evaluated or is running may be proposed again, e.g. under noise.
    pub replicates: bool,
    /// The number of objectives and of outcome constraints.
    pub goals: Goals,
}

impl Setup {
    /// A study of one objective without replicates.
    pub fn new(space: Arc<Space>, streams: Streams) -> Self {
        Self {
            space,
            streams,
            replicates: false,
            goals: Goals::default(),
        }
    }

    /// The suggestion of a row, repaired where it violates a constraint of the space.
    pub(crate) fn suggestion(&self, mut row: Vec<f64>, origin: Origin) -> Suggestion {
        if !self.space.is_feasible(&row) {
            self.space.repair(&mut row);
        }
        Suggestion {
            point: self.space.decode(&row),
            row,
            origin,
            mean: None,
            sd: None,
        }
    }
}

/// The number of objectives and of outcome constraint bounds, and the reference point of the
/// hypervolume.
///
/// ```
/// use neuralbo::strategy::Goals;
///
/// assert_eq!(Goals::default(), Goals { objectives: 1, slacks: 0, reference: Vec::new() });
/// assert_eq!(Goals::objectives(2).quantities(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Goals {
    /// Number of objectives, at least 1.
    pub objectives: usize,
    /// Number of bounds on measured quantities: an outcome constraint with two bounds counts twice.
    pub slacks: usize,
    /// The user's reference point of the hypervolume in rewards, one entry per objective; entries
    /// that are `None` or missing are not given.
    pub reference: Vec<Option<f64>>,
}

/// One objective without outcome constraints.
impl Default for Goals {
    fn default() -> Self {
        Self::objectives(1)
    }
}

impl Goals {
    /// This many objectives, without outcome constraints or a reference point.
    pub fn objectives(objectives: usize) -> Self {
        Self {
            objectives,
            slacks: 0,
            reference: Vec::new(),
        }
    }

    /// Numbers that a complete trial measures: one per objective and one per bound.
    pub fn quantities(&self) -> usize {
        self.objectives + self.slacks
    }

    /// Whether the study has one objective and no outcome constraint.
    pub fn is_single(&self) -> bool {
        self.quantities() == 1
    }

    /// The reference point, one entry per objective.
    pub fn reference(&self) -> Vec<Option<f64>> {
        (0..self.objectives)
            .map(|k| self.reference.get(k).copied().flatten())
            .collect()
    }
}
