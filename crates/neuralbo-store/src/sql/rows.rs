//! From rows to records and back.

use neuralbo::record::{
    Attributes, Batch, Definition, Failure, KNOWN, Limits, Provenance, State, Trial, Values,
};
use neuralbo::store::{Finished, StoreError, StoredParams, StudyId, StudyRecord};

use super::cell::{Cell, Row};
use super::schema::RECORD_VERSION;

/// A row of `study_columns!`.
pub(super) fn study(row: &mut Row<'_>) -> Result<StudyRecord, StoreError> {
    row.of("a study");
    let (id, name, version) = (StudyId(row.int()?), row.text()?.to_owned(), row.count()?);
    let definition = checked_definition(row, &name)?;
    let limits = Limits {
        trials: row.maybe_count()?,
        target: row.maybe_real()?,
        patience: row.maybe_count()?,
    };
    Ok(StudyRecord {
        id,
        name,
        version,
        definition,
        limits,
        created_ms: row.int()?,
    })
}

/// The columns of a study's name, of the record version and of the definition.
pub(super) fn definition(row: &mut Row<'_>) -> Result<Definition, StoreError> {
    row.of("a study's definition");
    let name = row.text()?;
    checked_definition(row, name)
}

fn checked_definition(row: &mut Row<'_>, study: &str) -> Result<Definition, StoreError> {
    let found = row.int()?;
    if found > RECORD_VERSION {
        return Err(StoreError::NewerRecord {
            study: study.to_owned(),
            found,
            supported: RECORD_VERSION,
        });
    }
    row.json()
}

/// A row of `trial_columns!`.
pub(super) fn trial(row: &mut Row<'_>) -> Result<Trial, StoreError> {
    row.of("a trial");
    let (number, version) = (row.count()?, row.count()?);
    let params = row
        .maybe_text()?
        .map(|text| serde_json::from_str(text).map_err(|error| row.wrong(error)))
        .transpose()?;
    let (name, seq, values) = (
        row.text()?,
        row.maybe_count()?,
        row.json_or_default::<Values>()?,
    );
    let state = state(row, name)?;
    let attributes = row.json_or_default::<Attributes>()?;
    let provenance = provenance(row)?;
    Ok(Trial {
        number,
        version,
        params,
        state,
        values,
        attributes,
        provenance,
        seq,
        worker: row.text()?.to_owned(),
        attempt: row.count()?,
        lease_until_ms: row.int()?,
        asked_ms: row.int()?,
        started_ms: row.maybe_int()?,
        finished_ms: row.maybe_int()?,
    })
}

/// The columns step, failure_kind, failure_message.
fn state(row: &mut Row<'_>, name: &str) -> Result<State, StoreError> {
    let (step, kind, message) = (row.maybe_int()?, row.maybe_text()?, row.maybe_text()?);
    match name {
        "running" => Ok(State::Running),
        "complete" => Ok(State::Complete),
        "pruned" => Ok(State::Pruned { step }),
        "failed" => {
            let kind = kind
                .unwrap_or_default()
                .parse()
                .map_err(|error| row.wrong(error))?;
            Ok(State::Failed {
                failure: Failure::new(kind, message.unwrap_or_default()),
            })
        }
        other => Err(row.wrong(format!("state `{other}` is unknown"))),
    }
}

/// The cells step, failure_kind, failure_message.
pub(super) fn state_cells(state: &State) -> [Cell; 3] {
    let step = match state {
        State::Pruned { step } => *step,
        _ => None,
    };
    let failure = match state {
        State::Failed { failure } => Some(failure),
        _ => None,
    };
    [
        step.into(),
        failure.map(|failure| failure.kind.name()).into(),
        failure
            .map(|failure| failure.message.replace('\0', "\u{fffd}"))
            .into(),
    ]
}

/// The columns from origin to resumes.
fn provenance(row: &mut Row<'_>) -> Result<Option<Provenance>, StoreError> {
    let origin = row.maybe_text()?;
    let (mean, sd, suggest_ms) = (row.maybe_real()?, row.maybe_real()?, row.maybe_real()?);
    let (based_on, pending) = (row.maybe_count()?, row.json_or_default()?);
    let (first, count, resumes) = (row.maybe_count()?, row.maybe_count()?, row.maybe_count()?);
    Ok(origin.map(|origin| Provenance {
        origin: origin.to_owned(),
        mean,
        sd,
        suggest_ms: suggest_ms.unwrap_or(0.0),
        based_on: based_on.unwrap_or(0),
        pending,
        batch: first
            .zip(count)
            .map(|(first, count)| Batch { first, count }),
        resumes,
    }))
}

/// The cells from origin to resumes.
pub(super) fn provenance_cells(provenance: Option<&Provenance>) -> [Cell; 9] {
    let Some(from) = provenance else {
        return [const { Cell::Null }; 9];
    };
    let pending = serde_json::Value::from(from.pending.clone()).to_string();
    [
        from.origin.replace('\0', "\u{fffd}").into(),
        from.mean.into(),
        from.sd.into(),
        from.suggest_ms.into(),
        from.based_on.into(),
        pending.into(),
        from.batch.map(|batch| batch.first).into(),
        from.batch.map(|batch| batch.count).into(),
        from.resumes.into(),
    ]
}

/// A map as JSON; nothing for an empty one.
pub(super) fn map_cell<T: serde::Serialize>(
    map: &std::collections::BTreeMap<String, T>,
) -> Result<Cell, StoreError> {
    if map.is_empty() {
        return Ok(Cell::Null);
    }
    let text = serde_json::to_string(map);
    text.map(Cell::Text).map_err(|error| StoreError::Record {
        what: "a trial".to_owned(),
        reason: error.to_string(),
    })
}

/// A row of `FINISHED_SINCE`.
pub(super) fn finished(row: &mut Row<'_>) -> Result<Finished, StoreError> {
    row.of("a finished trial");
    let (seq, number, version) = (row.count()?, row.count()?, row.count()?);
    let params = row
        .maybe_text()?
        .map(|text| StoredParams::Json(text.to_owned()));
    let name = row.text()?;
    let state = state(row, name)?;
    let values = row.json_or_default()?;
    let known = row.maybe_text()? == Some(KNOWN);
    let (resumes, curve) = (row.maybe_count()?, Vec::new());
    Ok(Finished {
        seq,
        number,
        version,
        params,
        state,
        values,
        known,
        resumes,
        curve,
    })
}
