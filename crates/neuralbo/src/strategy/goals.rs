//! What a study wants: how many objectives, and how many limits on measured quantities.

/// How many objectives and bounds on measured quantities a study has, and from where its hypervolume is measured.
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
    /// Number of bounds on measured quantities: a constraint with two bounds has two.
    pub slacks: usize,
    /// The reference point of the hypervolume in rewards, one an objective where the user gave it; may be shorter than the
    /// number of objectives, the rest is not given.
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

    /// How many numbers a complete trial measures: one an objective, one a bound.
    pub fn quantities(&self) -> usize {
        self.objectives + self.slacks
    }

    /// Whether a method needs to know no more than the reward of the only objective.
    pub fn is_single(&self) -> bool {
        self.quantities() == 1
    }

    /// The given part of the reference point, one entry an objective.
    pub fn reference(&self) -> Vec<Option<f64>> {
        (0..self.objectives)
            .map(|k| self.reference.get(k).copied().flatten())
            .collect()
    }
}
