//! Whether anything has changed.

use neuralbo::store::{Counts, StudyId};
use serde::Serialize;

use super::{App, Problem};
use crate::cache::Number;
use crate::http::Reply;

/// A study is looked up by its name in every so-manieth pulse: it may have been deleted and made anew, or changed.
const LOOK_UP: u64 = 10;

/// What open pages are told when it changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Pulse {
    pub(crate) seq: u64,
    counts: Counts,
    best: Option<Leader>,
    version: u64,
    #[serde(skip)]
    study: StudyId,
    #[serde(skip)]
    beat: u64,
}

impl PartialEq for Pulse {
    fn eq(&self, other: &Self) -> bool {
        (self.study, self.version, self.counts) == (other.study, other.version, other.counts)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Leader {
    number: u64,
    value: Number,
}

impl App {
    /// The pulse of a study; cheap while nothing changes.
    pub(crate) fn pulse(&self, name: &str, before: Option<&Pulse>) -> Result<Pulse, Reply> {
        self.beat(name, before).map_err(Problem::reply)
    }

    fn beat(&self, name: &str, before: Option<&Pulse>) -> Result<Pulse, Problem> {
        if let Some(before) = before.filter(|before| before.beat % LOOK_UP != 0)
            && self.store.counts(before.study)? == before.counts
        {
            return Ok(Pulse {
                beat: before.beat + 1,
                ..before.clone()
            });
        }
        let record = self.store.study(name)?;
        let counts = self.store.counts(record.id)?;
        let best = self.store.best(record.id)?;
        let value = |trial: &neuralbo::record::Trial| {
            Number::from(trial.value(record.definition.objective()))
        };
        let best = best.map(|trial| Leader {
            number: trial.number,
            value: value(&trial),
        });
        let beat = before.map_or(1, |before| before.beat + 1);
        Ok(Pulse {
            seq: counts.finished(),
            counts,
            best,
            version: record.version,
            study: record.id,
            beat,
        })
    }
}
