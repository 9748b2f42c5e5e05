//! The result of a stored study.

use std::time::Duration;

use neuralbo::study::StopReason;
use neuralbo_store::{Store, StudyRecord};

use super::args::storage_error;
use super::output::named;
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK};
use crate::run::summary::{Best, Summary};

/// The best trial of a study.
pub fn best(store: &dyn Store, record: &StudyRecord) -> Result<Option<Best>, CommandError> {
    let Some(trial) = store.best(record.id).map_err(storage_error)? else { return Ok(None) };
    let params = named(&record.definition.space, &trial);
    Ok(trial.state.value().map(|value| Best { trial: trial.number, value, true_value: None, params }))
}

/// The state of a study at the end of a worker.
pub fn summary(store: &dyn Store, record: &StudyRecord, stop: StopReason, elapsed: Duration) -> Result<Summary, CommandError> {
    let counts = store.counts(record.id).map_err(storage_error)?;
    Ok(Summary {
        study: record.name.clone(),
        method: record.definition.method.clone(),
        seed: record.definition.seed,
        direction: record.definition.direction,
        trials: counts.finished() as usize,
        failed: counts.failed,
        best: best(store, record)?,
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
