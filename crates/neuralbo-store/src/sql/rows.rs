//! Values on their way to a database, rows on their way from it, and the records in them.

use neuralbo::limits;
use neuralbo::record::{
    Attributes, Batch, Definition, Failure, KNOWN, Limits, Provenance, State, Token, Trial, Values,
    storable,
};
use neuralbo::store::{Finished, Lease, StoreError, StoredParams, StudyId, StudyRecord};

/// The newest version of a study's records that this code reads.
pub(crate) const RECORD_VERSION: i64 = 1;

/// A value to be bound to a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SqlValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

macro_rules! cell_from {
    ($($from:ty: $value:ident => $cell:expr),* $(,)?) => {
        $(impl From<$from> for SqlValue {
            fn from($value: $from) -> Self {
                $cell
            }
        })*
    };
}

cell_from! {
    i64: value => Self::Int(value),
    // Numbers and positions of trials are far below 2^63.
    u64: value => Self::Int(i64::try_from(value).unwrap_or(i64::MAX)),
    bool: value => Self::Int(i64::from(value)),
    f64: value => Self::Real(value),
    &str: value => Self::Text(value.to_owned()),
    String: value => Self::Text(value),
    StudyId: study => Self::Int(study.0),
    Token: token => Self::Text(token.to_string()),
}

/// The values of a statement, each converted to a cell.
macro_rules! cells {
    ($($value:expr),* $(,)?) => {
        [$($crate::sql::rows::SqlValue::from($value)),*]
    };
}
pub(super) use cells;

/// The result of an operation on a storage.
pub(crate) type Stored<T> = Result<T, StoreError>;

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row as a client library has it; the error says what was found instead.
pub(crate) trait Fields {
    fn int(&self, at: usize) -> Result<Option<i64>, String>;
    fn real(&self, at: usize) -> Result<Option<f64>, String>;
    fn text(&self, at: usize) -> Result<Option<&str>, String>;
}

/// A row, read from left to right without copying it first.
pub(crate) struct SqlRow<'a> {
    fields: &'a dyn Fields,
    at: usize,
    what: &'static str,
}

impl<'a> SqlRow<'a> {
    pub(crate) fn new(fields: &'a dyn Fields) -> Self {
        Self {
            fields,
            at: 0,
            what: "a row",
        }
    }

    /// Names the record in errors.
    pub(crate) fn of(&mut self, what: &'static str) -> &mut Self {
        self.what = what;
        self
    }

    pub(crate) fn wrong(&self, reason: impl std::fmt::Display) -> StoreError {
        StoreError::Record {
            what: self.what.to_owned(),
            reason: reason.to_string(),
        }
    }

    fn next(&mut self) -> usize {
        self.at += 1;
        self.at - 1
    }

    pub(crate) fn maybe_int(&mut self) -> Stored<Option<i64>> {
        let at = self.next();
        self.fields.int(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn int(&mut self) -> Stored<i64> {
        self.maybe_int()?
            .ok_or_else(|| self.wrong("a whole number is missing"))
    }

    pub(crate) fn maybe_count(&mut self) -> Stored<Option<u64>> {
        self.maybe_int()?
            .map(|value| {
                u64::try_from(value).map_err(|_| self.wrong(format!("{value} is negative")))
            })
            .transpose()
    }

    pub(crate) fn count(&mut self) -> Stored<u64> {
        self.maybe_count()?
            .ok_or_else(|| self.wrong("a count is missing"))
    }

    pub(crate) fn maybe_real(&mut self) -> Stored<Option<f64>> {
        let at = self.next();
        self.fields.real(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn real(&mut self) -> Stored<f64> {
        self.maybe_real()?
            .ok_or_else(|| self.wrong("a number is missing"))
    }

    pub(crate) fn maybe_text(&mut self) -> Stored<Option<&'a str>> {
        let at = self.next();
        self.fields.text(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn text(&mut self) -> Stored<&'a str> {
        self.maybe_text()?
            .ok_or_else(|| self.wrong("a text is missing"))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Stored<T> {
        self.maybe_json()?
            .ok_or_else(|| self.wrong("a text is missing"))
    }

    pub(crate) fn maybe_json<T: serde::de::DeserializeOwned>(&mut self) -> Stored<Option<T>> {
        let text = self.maybe_text()?;
        text.map(|text| serde_json::from_str(text).map_err(|error| self.wrong(error)))
            .transpose()
    }

    /// A JSON text, or the default where there is none.
    pub(crate) fn json_or_default<T: serde::de::DeserializeOwned + Default>(
        &mut self,
    ) -> Stored<T> {
        Ok(self.maybe_json()?.unwrap_or_default())
    }
}

/// A row of `study_columns!`.
pub(super) fn study(row: &mut SqlRow<'_>) -> Stored<StudyRecord> {
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
        attributes: attributes(row)?,
        created_ms: row.int()?,
    })
}

/// The columns of a study's name, of the record version and of the definition.
pub(super) fn definition(row: &mut SqlRow<'_>) -> Stored<Definition> {
    row.of("a study's definition");
    let name = row.text()?;
    checked_definition(row, name)
}

fn checked_definition(row: &mut SqlRow<'_>, study: &str) -> Stored<Definition> {
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

/// The attribute with the text of attributes that cannot be read.
const UNREADABLE: &str = "unreadable attributes";

/// Attributes. Those that cannot be read are one attribute, their text: they do not hide their trial or study.
pub(super) fn attributes(row: &mut SqlRow<'_>) -> Stored<Attributes> {
    let read = |text: &str| {
        serde_json::from_str(text).unwrap_or_else(|_| {
            let text = storable(text, limits::VALUE / 2);
            Attributes::from([(UNREADABLE.to_owned(), text.into())])
        })
    };
    Ok(row.maybe_text()?.map_or_else(Attributes::new, read))
}

/// A row of `trial_columns!`. An unreadable record does not hide the others: with parameters, values or a state that cannot be
/// read, a finished trial has failed, and a running one waits for its point.
pub(super) fn trial(row: &mut SqlRow<'_>) -> Stored<Trial> {
    read_trial(row, DamagedFields::tolerated())
}

/// A row of `trial_columns!`, every field of which can be read.
pub(super) fn strict_trial(row: &mut SqlRow<'_>) -> Stored<Trial> {
    read_trial(row, DamagedFields::default())
}

/// What to do with a field that cannot be read.
#[derive(Default)]
struct DamagedFields {
    tolerated: bool,
    found: Option<String>,
}

impl DamagedFields {
    fn tolerated() -> Self {
        Self {
            tolerated: true,
            found: None,
        }
    }

    /// A field, or the default where damage is tolerated.
    fn field<T: Default>(&mut self, read: Stored<T>) -> Stored<T> {
        match read {
            Err(StoreError::Record { reason, .. }) if self.tolerated => {
                self.found.get_or_insert(reason);
                Ok(T::default())
            }
            read => read,
        }
    }

    /// The same for a value of several columns, one of which may end its reading early.
    fn fields<'a, T: Default>(
        &mut self,
        row: &mut SqlRow<'a>,
        columns: usize,
        read: impl FnOnce(&mut SqlRow<'a>) -> Stored<T>,
    ) -> Stored<T> {
        let first = row.at;
        let value = self.field(read(row));
        row.at = first + columns;
        value
    }

    /// The state of a trial; that of a finished one if it has a position.
    fn state(&self, read: Option<State>, seq: Option<u64>) -> State {
        let failed = || State::Failed {
            failure: Failure::unreadable(self.found.as_deref().unwrap_or_default()),
        };
        match read.filter(|_| self.found.is_none()) {
            Some(state) => state,
            None => seq.map_or(State::Running, |_| failed()),
        }
    }
}

fn read_trial(row: &mut SqlRow<'_>, mut damage: DamagedFields) -> Stored<Trial> {
    row.of("a trial");
    let (number, version) = (row.count()?, row.count()?);
    let params = damage.field(row.maybe_json())?;
    let (name, seq) = (row.text()?, row.maybe_count()?);
    let mut values: Values = damage.field(row.json_or_default())?;
    let state = damage.fields(row, 3, |row| state(row, name).map(Some))?;
    let state = damage.state(state, seq);
    values.retain(|_, _| damage.found.is_none());
    let attributes = match damage.tolerated {
        true => attributes(row)?,
        false => row.json_or_default()?,
    };
    let provenance = damage.fields(row, 9, provenance)?;
    Ok(Trial {
        number,
        version,
        params,
        state,
        values,
        attributes,
        provenance,
        seq,
        worker: damage.field(row.text().map(str::to_owned))?,
        attempt: damage.field(row.count())?,
        token: damage.field(token(row))?,
        lease_until_ms: damage.field(row.int())?,
        asked_ms: damage.field(row.int())?,
        started_ms: damage.field(row.maybe_int())?,
        finished_ms: damage.field(row.maybe_int())?,
    })
}

/// The column token.
pub(super) fn token(row: &mut SqlRow<'_>) -> Stored<Token> {
    row.text()?
        .parse()
        .map_err(|error: String| row.wrong(error))
}

/// The columns step, failure_kind, failure_message.
fn state(row: &mut SqlRow<'_>, name: &str) -> Stored<State> {
    let (step, kind, message) = (row.maybe_int()?, row.maybe_text()?, row.maybe_text()?);
    match name {
        "running" => Ok(State::Running),
        "complete" => Ok(State::Complete),
        "pruned" => Ok(State::Pruned { step }),
        "failed" => {
            let kind = kind.unwrap_or_default().parse();
            let kind = kind.map_err(|error| row.wrong(error))?;
            Ok(State::Failed {
                failure: Failure::new(kind, message.unwrap_or_default()),
            })
        }
        other => Err(row.wrong(format!("state `{other}` is unknown"))),
    }
}

/// The cells step, failure_kind, failure_message.
pub(super) fn state_cells(state: &State) -> [SqlValue; 3] {
    let step = match state {
        State::Pruned { step } => *step,
        _ => None,
    };
    let failure = match state {
        State::Failed { failure } => Some(failure),
        _ => None,
    };
    cells![
        step,
        failure.map(|failure| failure.kind.name()),
        failure.map(|failure| failure.message.replace('\0', "\u{fffd}"))
    ]
}

/// The columns from origin to resumes.
fn provenance(row: &mut SqlRow<'_>) -> Stored<Option<Provenance>> {
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
pub(super) fn provenance_cells(provenance: Option<&Provenance>) -> [SqlValue; 9] {
    let Some(from) = provenance else {
        return [const { SqlValue::Null }; 9];
    };
    let pending = serde_json::Value::from(from.pending.clone()).to_string();
    cells![
        from.origin.replace('\0', "\u{fffd}"),
        from.mean,
        from.sd,
        from.suggest_ms,
        from.based_on,
        pending,
        from.batch.map(|batch| batch.first),
        from.batch.map(|batch| batch.count),
        from.resumes
    ]
}

/// A map as JSON; nothing for an empty one.
pub(super) fn map_cell<T: serde::Serialize>(
    map: &std::collections::BTreeMap<String, T>,
) -> Stored<SqlValue> {
    if map.is_empty() {
        return Ok(SqlValue::Null);
    }
    let text = serde_json::to_string(map);
    text.map(SqlValue::Text)
        .map_err(|error| StoreError::Record {
            what: "a trial".to_owned(),
            reason: error.to_string(),
        })
}

/// A row of `FINISHED_SINCE`.
pub(super) fn finished(row: &mut SqlRow<'_>) -> Stored<Finished> {
    row.of("a finished trial");
    let (seq, number, version) = (row.count()?, row.count()?, row.count()?);
    let params = row
        .maybe_text()?
        .map(|text| StoredParams::Json(text.to_owned()));
    let (name, mut damage) = (row.text()?, DamagedFields::tolerated());
    let state = damage.fields(row, 3, |row| state(row, name).map(Some))?;
    let mut values: Values = damage.field(row.json_or_default())?;
    let state = damage.state(state, Some(seq));
    values.retain(|_, _| damage.found.is_none());
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

/// The cells study, number, token.
pub(super) fn lease_cells(lease: &Lease) -> Vec<SqlValue> {
    cells![lease.study, lease.number, lease.token].to_vec()
}

/// The cells value and feasible.
pub(super) fn rank_cells(definition: &Definition, values: &Values) -> [SqlValue; 2] {
    cells![
        values.get(definition.objective()).copied(),
        definition.is_feasible(values)
    ]
}

pub(super) fn add_up(sums: &mut [u64; 3], more: [u64; 3]) {
    sums.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += more);
}

/// What a trial adds to the numbers of complete, failed and pruned trials.
pub(super) fn tally(state: &State) -> [u64; 3] {
    match state {
        State::Running => [0, 0, 0],
        State::Complete => [1, 0, 0],
        State::Failed { .. } => [0, 1, 0],
        State::Pruned { .. } => [0, 0, 1],
    }
}
