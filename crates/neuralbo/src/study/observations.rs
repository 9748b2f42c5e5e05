//! What was measured of one quantity, for statements about the whole space.

use super::{Study, StudyError};
use crate::importance::Observations;
use crate::linalg::Points;
use crate::record::{Direction, State};
use crate::store::each_finished;

impl Study {
    /// The complete trials with a value of an objective or of the quantity of an outcome constraint, by its name; without one of
    /// the first objective. Trials that violate constraints are among them, pruned and unreadable ones are not.
    pub fn observations(&self, name: Option<&str>) -> Result<Observations, StudyError> {
        let definition = self.definition();
        let name = name.unwrap_or_else(|| definition.objective());
        let direction = self.direction_of(name)?;
        let (mut rows, mut values) = (Points::new(definition.space.encoded_dim()), Vec::new());
        each_finished(self.store.as_ref(), self.record.id, 0, None, |finished| {
            let value = finished
                .values
                .get(name)
                .filter(|_| finished.state == State::Complete);
            if let (Some(value), Some(row)) = (value, self.log.row(finished).unwrap_or(None)) {
                rows.push(&row);
                values.push(*value);
            }
            Ok::<(), StudyError>(())
        })?;
        Ok(Observations::new(
            name,
            &definition.space,
            direction,
            &rows,
            &values,
        ))
    }

    /// Which way a measured quantity is better: that of the objective, or towards the bound of the constraint.
    fn direction_of(&self, name: &str) -> Result<Direction, StudyError> {
        let definition = self.definition();
        let objective = definition
            .objectives
            .iter()
            .find(|objective| objective.name == name);
        let constraint = definition
            .outcome_constraints
            .iter()
            .find(|constraint| constraint.name == name);
        match (objective, constraint) {
            (Some(objective), _) => Ok(objective.direction),
            (None, Some(constraint)) if constraint.at_most.is_some() => Ok(Direction::Minimize),
            (None, Some(_)) => Ok(Direction::Maximize),
            (None, None) => Err(StudyError::Unmeasured {
                name: name.to_owned(),
                known: definition.measured().join(", "),
            }),
        }
    }
}
