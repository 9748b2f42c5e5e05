//! Queries of any store, in portions.

use super::{Finished, Store, StoreError, StudyId};
use crate::record::Trial;

/// The number of the trial that a chain of resumed trials began with: all of them share its checkpoint.
pub fn first_of(store: &dyn Store, study: StudyId, trial: &Trial) -> Result<u64, StoreError> {
    let resumes = |trial: &Trial| {
        trial
            .provenance
            .as_ref()
            .and_then(|provenance| provenance.resumes)
    };
    let (mut number, mut before) = (trial.number, resumes(trial));
    // Numbers only fall, so that the walk ends.
    while let Some(earlier) = before.filter(|earlier| *earlier < number) {
        number = earlier;
        before = resumes(&store.trial(study, earlier)?);
    }
    Ok(number)
}

/// Trials are fetched in portions of this many.
const PORTION: u64 = 10_000;

/// All trials of a study by number.
pub fn all_trials(store: &dyn Store, study: StudyId) -> Result<Vec<Trial>, StoreError> {
    let mut trials: Vec<Trial> = Vec::new();
    loop {
        let first = trials.last().map_or(0, |trial| trial.number + 1);
        let portion = store.trials(study, first, PORTION)?;
        let last = (portion.len() as u64) < PORTION;
        trials.extend(portion);
        if last {
            return Ok(trials);
        }
    }
}

/// Passes the finished trials after position `seq` to `each`, in order; with their intermediate values of this name, if one is given.
pub fn each_finished<E: From<StoreError>>(
    store: &dyn Store,
    study: StudyId,
    mut seq: u64,
    curves: Option<&str>,
    mut each: impl FnMut(&Finished) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let mut portion = store.finished_since(study, seq, PORTION)?;
        if let (Some(name), Some(last)) = (curves, portion.last().map(|finished| finished.seq)) {
            for (at, step, value) in store.curves(study, name, seq, last)? {
                if let Ok(place) = portion.binary_search_by_key(&at, |finished| finished.seq) {
                    portion[place].curve.push((step, value));
                }
            }
        }
        for finished in &portion {
            each(finished)?;
            seq = finished.seq;
        }
        if (portion.len() as u64) < PORTION {
            return Ok(());
        }
    }
}
