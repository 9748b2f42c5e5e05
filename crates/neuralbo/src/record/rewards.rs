//! Measured values in the form that strategies use: rewards, where larger is better, and slacks, at least 0 where bounds hold.

use super::{Definition, OutcomeConstraint, Values};

impl Definition {
    /// The rewards of measured values, one per objective; NaN where one was not measured.
    pub fn rewards(&self, values: &Values) -> Vec<f64> {
        let reward = |value: Option<&f64>, k: usize| {
            value.map_or(f64::NAN, |value| {
                self.objectives[k].direction.reward(*value)
            })
        };
        self.objectives
            .iter()
            .enumerate()
            .map(|(k, objective)| reward(values.get(&objective.name), k))
            .collect()
    }

    /// The slacks of measured values: for each constraint `at_most − value`, then `value − at_least`; NaN where it was not measured.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction, OutcomeConstraint, Values};
    /// use neuralbo::space::Space;
    ///
    /// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
    /// definition.constraints.push(OutcomeConstraint { name: "ph".into(), at_most: Some(8.0), at_least: Some(6.0) });
    /// assert_eq!(definition.slacks(&Values::from([("ph".to_owned(), 8.5)])), [-0.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slacks(&self, values: &Values) -> Vec<f64> {
        let of = |constraint: &OutcomeConstraint| {
            let value = values.get(&constraint.name).copied().unwrap_or(f64::NAN);
            constraint
                .at_most
                .map(|most| most - value)
                .into_iter()
                .chain(constraint.at_least.map(|least| value - least))
        };
        self.constraints.iter().flat_map(of).collect()
    }
}

impl OutcomeConstraint {
    /// How many bounds it has.
    pub fn bounds(&self) -> usize {
        usize::from(self.at_most.is_some()) + usize::from(self.at_least.is_some())
    }
}
