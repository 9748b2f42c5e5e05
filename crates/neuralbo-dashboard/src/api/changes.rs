//! Changes of a study, for open pages.

use neuralbo::store::{Counts, StudyId};
use serde::Serialize;

use super::{ApiError, App};
use crate::cache::JsonNumber;

/// Every tenth poll looks the study up by name: it may have been recreated or redefined.
const LOOK_UP: u64 = 10;

/// Sent to open pages when a study changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangeEvent {
    pub(crate) seq: u64,
    counts: Counts,
    best: Option<BestValue>,
    version: u64,
    #[serde(skip)]
    study: StudyId,
    #[serde(skip)]
    polls: u64,
}

impl PartialEq for ChangeEvent {
    fn eq(&self, other: &Self) -> bool {
        (self.study, self.version, self.counts) == (other.study, other.version, other.counts)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct BestValue {
    pub(super) number: u64,
    pub(super) value: JsonNumber,
}

impl App {
    /// The state of a study; cheap while nothing changes.
    pub(crate) fn change(
        &self,
        name: &str,
        before: Option<&ChangeEvent>,
    ) -> Result<ChangeEvent, ApiError> {
        if let Some(before) = before.filter(|before| before.polls % LOOK_UP != 0)
            && self.store.counts(before.study)? == before.counts
        {
            return Ok(ChangeEvent {
                polls: before.polls + 1,
                ..before.clone()
            });
        }
        let record = self.store.study(name)?;
        let counts = self.store.counts(record.id)?;
        let best = self.store.best(record.id)?;
        Ok(ChangeEvent {
            seq: counts.finished(),
            counts,
            best: best.map(|trial| BestValue {
                number: trial.number,
                value: trial.value(record.definition.objective()).into(),
            }),
            version: record.version,
            study: record.id,
            polls: before.map_or(1, |before| before.polls + 1),
        })
    }
}
