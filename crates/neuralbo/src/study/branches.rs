//! Branches of an objective that asks for its parameters while it runs: the study learns under which values of which parameters it
//! asks for which others, so that one model sees all branches and nothing is suggested for a branch that is not taken.

use super::{Study, StudyError};
use crate::record::{Definition, State};
use crate::space::{Occurrence, Parameter, Params, Space, TrialEvidence, derived_conditions};
use crate::store::{Finished, StoreError};

/// The conditions follow from so many of the last trials.
const REMEMBERED: u64 = 512;

/// What is known about the branches of a study.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branches {
    /// Whether the study began without parameters: what a user has declared is not derived.
    grows: Option<bool>,
    /// The last finished trial that was compared with the conditions.
    compared: u64,
}

impl Study {
    /// Adapts the conditions of a study that grows to the trials that have finished since the last time.
    pub(super) fn follow_branches(&mut self) -> Result<(), StudyError> {
        if self.log.seq() == self.branches.compared || !self.grows()? {
            return Ok(());
        }
        let oldest = self.log.seq().saturating_sub(REMEMBERED);
        let new = self.evidence(self.branches.compared.max(oldest))?;
        self.branches.compared = self.log.seq();
        let space = &self.record.definition.space;
        if new
            .iter()
            .filter(|trial| trial.is_complete)
            .all(|trial| is_expected(space, &trial.params))
        {
            return Ok(());
        }
        let trials = self.evidence(oldest)?;
        match conditioned(space, &derived_conditions(space.parameters(), &trials)) {
            Some(space) if space != self.record.definition.space => self.take_over(space),
            _ => Ok(()),
        }
    }

    /// The same parameters under other conditions, unless somebody else has changed the study: then theirs count.
    fn take_over(&mut self, space: Space) -> Result<(), StudyError> {
        match self.adopt(Definition {
            space,
            ..self.record.definition.clone()
        }) {
            Err(StudyError::Store(StoreError::Redefined { .. })) => self.reload(),
            adopted => adopted,
        }
    }

    fn grows(&mut self) -> Result<bool, StudyError> {
        if let Some(grows) = self.branches.grows {
            return Ok(grows);
        }
        let first = self.store.definitions(self.record.id)?.into_iter().next();
        let grows = first.is_some_and(|first| first.space.is_empty());
        self.branches.grows = Some(grows);
        Ok(grows)
    }

    /// The trials that finished after a position, under the present names of their parameters.
    fn evidence(&self, since: u64) -> Result<Vec<TrialEvidence>, StudyError> {
        let definition = &self.record.definition;
        let count = self.log.seq().saturating_sub(since);
        let finished = self.store.finished_since(self.record.id, since, count)?;
        let evidence = |finished: &Finished| {
            let params = finished.params.as_ref()?.params().ok()?;
            let is_complete = finished.state == State::Complete && !finished.known;
            Some(TrialEvidence {
                params: definition.renamed(&params, finished.version),
                is_complete,
            })
        };
        Ok(finished.iter().filter_map(evidence).collect())
    }
}

/// Whether a trial asked for exactly the parameters that the conditions say.
fn is_expected(space: &Space, params: &Params) -> bool {
    let expected = |parameter: &Parameter| {
        let is_active = space.is_active(parameter.name(), params) == Some(true);
        is_active == params.get(parameter.name()).is_some()
    };
    space.parameters().iter().all(expected)
}

/// The space under derived conditions; what they do not explain is always active. `None` if they make no space.
fn conditioned(space: &Space, found: &[Occurrence]) -> Option<Space> {
    let with = |(parameter, occurrence): (&Parameter, &Occurrence)| {
        let condition = match occurrence {
            Occurrence::If(expression) => Some(expression.clone()),
            Occurrence::Always | Occurrence::Unexplained => None,
        };
        parameter.clone().with_condition(condition)
    };
    space
        .with_parameters(space.parameters().iter().zip(found).map(with).collect())
        .ok()
}
