//! Every suggestion derived once more from the log and the seed.

use neuralbo::linalg::Points;
use neuralbo::strategy::{Request, Strategy};

use crate::stored::{Log, read_point, read_row, strategy, write_point};
use crate::{Provenance, Store, StoreError, StudyRecord, TrialRecord};

/// A suggestion that came out differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The trial.
    pub number: u64,
    /// Its parameters as they are stored.
    pub stored: String,
    /// Its parameters as they were derived now; `None` if nothing was left to suggest.
    pub derived: Option<String>,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// How many suggestions were derived, up to the first difference.
    pub derived: u64,
    /// How many of them were made while other trials were running.
    pub parallel: u64,
    /// The first difference.
    pub mismatch: Option<Mismatch>,
}

/// Derives all suggestions of a study again, in the order in which they were made.
///
/// The log says of every suggestion which trials had finished and which were running, so a parallel study can be replayed like
/// a sequential one.
pub fn replay(store: &dyn Store, record: &StudyRecord) -> Result<Replay, StoreError> {
    let trials = all_trials(store, record)?;
    let finished = all_finished(store, record)?;
    let mut suggested: Vec<(&TrialRecord, &Provenance)> = trials.iter().filter_map(suggestion).collect();
    // A strategy sees a history that only grows.
    suggested.sort_by_key(|(trial, provenance)| (provenance.based_on, trial.number));
    let mut strategy = strategy(record)?;
    let mut log = Log::new(&record.definition);
    let mut finished = finished.iter().peekable();
    let mut replay = Replay { derived: 0, parallel: 0, mismatch: None };
    for (trial, provenance) in suggested {
        while let Some(next) = finished.next_if(|next| next.seq <= provenance.based_on) {
            log.push(&record.definition, next);
        }
        replay.derived += 1;
        replay.parallel += u64::from(!provenance.pending.is_empty());
        replay.mismatch = differs(record, strategy.as_mut(), &log, &trials, trial, provenance);
        if replay.mismatch.is_some() {
            break;
        }
    }
    Ok(replay)
}

fn suggestion(trial: &TrialRecord) -> Option<(&TrialRecord, &Provenance)> {
    let provenance = trial.proposal.as_ref().filter(|provenance| provenance.origin != "known")?;
    trial.params.as_ref().map(|_| (trial, provenance))
}

fn differs(
    record: &StudyRecord,
    strategy: &mut dyn Strategy,
    log: &Log,
    trials: &[TrialRecord],
    trial: &TrialRecord,
    provenance: &Provenance,
) -> Option<Mismatch> {
    let definition = &record.definition;
    let find = |number: &u64| trials.binary_search_by_key(number, |trial| trial.number).ok().map(|i| &trials[i]);
    let rows = provenance.pending.iter().filter_map(|number| read_row(definition, find(number)?.params.as_deref()));
    let pending = Points::from_rows(definition.space.encoded_dim(), rows);
    let request = Request { history: &log.history, pending: &pending, number: trial.number, count: 1 };
    let derived = strategy.suggest(&request).ok().and_then(|mut suggestions| suggestions.pop());
    let stored = trial.params.clone().unwrap_or_default();
    if derived.as_ref().map(|suggestion| &suggestion.point) == read_point(&stored).as_ref() {
        return None;
    }
    Some(Mismatch { number: trial.number, stored, derived: derived.map(|suggestion| write_point(&suggestion.point)) })
}

const PORTION: u64 = 10_000;

/// All trials by number.
pub(crate) fn all_trials(store: &dyn Store, record: &StudyRecord) -> Result<Vec<TrialRecord>, StoreError> {
    let mut trials: Vec<TrialRecord> = Vec::new();
    loop {
        let first = trials.last().map_or(0, |trial| trial.number + 1);
        let portion = store.trials(record.id, first, PORTION)?;
        let last = (portion.len() as u64) < PORTION;
        trials.extend(portion);
        if last {
            return Ok(trials);
        }
    }
}

/// All finished trials in the order of the store.
pub(crate) fn all_finished(store: &dyn Store, record: &StudyRecord) -> Result<Vec<crate::Finished>, StoreError> {
    let mut finished = Vec::new();
    loop {
        let portion = store.finished_since(record.id, finished.len() as u64, PORTION)?;
        let last = (portion.len() as u64) < PORTION;
        finished.extend(portion);
        if last {
            return Ok(finished);
        }
    }
}
