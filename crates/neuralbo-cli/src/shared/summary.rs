//! The result of a stored study.

use std::sync::Arc;
use std::time::Duration;

use neuralbo::study::StopReason;
use neuralbo_store::{Store, StoreError, StoredStudy, StudyRecord};

use super::args::storage_error;
use super::output::named;
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK};
use crate::run::summary::{Best, Recommended, Summary};

/// The best trial of a study.
pub fn best(store: &dyn Store, record: &StudyRecord) -> Result<Option<Best>, CommandError> {
    let Some(trial) = store.best(record.id).map_err(storage_error)? else { return Ok(None) };
    let params = named(&record.definition.space, &trial);
    Ok(trial.state.value().map(|value| Best { trial: trial.number, value, true_value: None, params }))
}

/// The trial to rely on under noise, where the method has a model and it is another point than the best.
pub fn recommended(store: &Arc<dyn Store>, record: &StudyRecord, best: &Best) -> Result<Option<Recommended>, CommandError> {
    let mut study = match StoredStudy::open(store.clone(), record.clone()) {
        // A method that this version does not have: its trials can still be looked at.
        Err(StoreError::Method { .. }) => return Ok(None),
        study => study.map_err(storage_error)?,
    };
    let Some(found) = study.recommend().map_err(storage_error)? else { return Ok(None) };
    let trial = store.trials(record.id, found.number, 1).map_err(storage_error)?.pop();
    let shown = trial.filter(|trial| trial.number == found.number).and_then(|trial| {
        let (value, params) = (trial.state.value()?, named(&record.definition.space, &trial));
        Some(Recommended { trial: found.number, value, true_value: None, mean: found.mean, sd: found.sd, params })
    });
    Ok(shown.filter(|shown| shown.params != best.params))
}

/// The state of a study at the end of a worker.
pub fn summary(
    store: &Arc<dyn Store>,
    record: &StudyRecord,
    stop: StopReason,
    elapsed: Duration,
) -> Result<Summary, CommandError> {
    let counts = store.counts(record.id).map_err(storage_error)?;
    let best = best(store.as_ref(), record)?;
    let recommended = best.as_ref().map_or(Ok(None), |best| recommended(store, record, best))?;
    Ok(Summary {
        study: record.name.clone(),
        method: record.definition.method.clone(),
        seed: record.definition.seed,
        direction: record.definition.direction,
        trials: counts.finished() as usize,
        failed: counts.failed,
        best,
        recommended,
        stop,
        elapsed_s: elapsed.as_secs_f64(),
    })
}

/// The exit code of a worker whose study looks like this.
pub fn code(summary: &Summary) -> u8 {
    match (&summary.stop, &summary.best) {
        (StopReason::Interrupted, _) => EXIT_INTERRUPTED,
        (_, Some(_)) => EXIT_OK,
        (_, None) => {
            eprintln!("error: no trial of study `{}` has a value", summary.study);
            EXIT_FAILURE
        }
    }
}
