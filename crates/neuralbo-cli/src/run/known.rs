//! Results that are known before the run starts.

use std::collections::HashMap;
use std::path::Path;

use neuralbo::record::{Definition, State, Trial, Values};
use neuralbo::space::{Domain, Parameter, Params, Space, Value};
use neuralbo::store::NewTrial;

use crate::exit::CommandError;

/// The column that holds the values.
const VALUE: &str = "value";

/// A result known from elsewhere.
pub type Known = (Params, f64);

/// What a file of known results holds.
#[derive(Debug, Default)]
pub struct KnownResults {
    /// Those with a value.
    pub results: Vec<Known>,
    /// How many rows have no finite value.
    pub skipped: u64,
}

/// Reads a CSV file with a column per parameter and a column `value`; rows without a finite value are skipped and counted. Cells of
/// parameters with a condition may be empty where it does not hold; values that are there nevertheless are kept.
pub fn read(path: &Path, space: &Space) -> Result<KnownResults, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| CommandError::Usage(format!("--known `{}`: {error}", path.display()));
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|error| wrong(&error))?;
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let columns = Columns::find(&header, space).map_err(|error| wrong(&error))?;
    let mut known = KnownResults::default();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(&error))?;
        let result = columns.read(&record, space).map_err(|error| wrong(&format!("row {}: {error}", index + 1)))?;
        known.skipped += u64::from(result.is_none());
        known.results.extend(result);
    }
    Ok(known)
}

/// Known results as trials of a study, from number 0 on.
pub fn trials(definition: &Definition, known: &[Known]) -> Vec<NewTrial> {
    let trial = |(number, (params, value)): (u64, &Known)| {
        let values = Values::from([(definition.objective().to_owned(), *value)]);
        Trial { number, ..Trial::known(params.clone(), State::Complete, values) }.into()
    };
    (0..).zip(known).map(trial).collect()
}

/// The known results that are not among the trials yet; equal ones count as often as they are there.
pub fn missing(definition: &Definition, known: &[Known], trials: &[Trial]) -> Vec<Known> {
    let key = |params: &Params, value: f64| (params.to_json(), value.to_bits());
    let mut present: HashMap<(String, u64), usize> = HashMap::new();
    for trial in trials.iter().filter(|trial| trial.is_known()) {
        if let (Some(params), Some(value)) = (&trial.params, trial.value(definition.objective())) {
            *present.entry(key(&definition.renamed(params, trial.version), value)).or_default() += 1;
        }
    }
    let is_missing = |(params, value): &&Known| match present.get_mut(&key(params, *value)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    known.iter().filter(is_missing).cloned().collect()
}

/// Where the values and the parameters are.
struct Columns {
    value: usize,
    parameters: Vec<(Parameter, usize)>,
}

impl Columns {
    fn find(header: &csv::StringRecord, space: &Space) -> Result<Self, String> {
        let position = |name: &str| header.iter().position(|column| column == name);
        let value = position(VALUE).ok_or_else(|| no_column(VALUE, header))?;
        let mut parameters = Vec::new();
        for parameter in space.parameters() {
            match position(parameter.name()) {
                Some(column) => parameters.push((parameter.clone(), column)),
                None if matches!(parameter.domain(), Domain::Fixed { .. }) || parameter.condition().is_some() => {}
                None => return Err(no_column(parameter.name(), header)),
            }
        }
        Ok(Self { value, parameters })
    }

    fn read(&self, record: &csv::StringRecord, space: &Space) -> Result<Option<Known>, String> {
        let text = record.get(self.value).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let value: f64 = text.parse().map_err(|_| format!("value = `{text}` is not a number"))?;
        if !value.is_finite() {
            return Ok(None);
        }
        let mut named = Vec::new();
        for (parameter, column) in &self.parameters {
            let cell = record.get(*column).unwrap_or_default();
            // An empty cell says that a parameter is inactive, or is an empty text.
            if !(cell.is_empty() && parameter.condition().is_some() && parameter.accepted(&"".into()).is_none()) {
                named.push((parameter.name(), cell_value(parameter, cell)?));
            }
        }
        let params = space.complete(&named.into_iter().collect()).map_err(|error| error.to_string())?;
        Ok(Some((params, value)))
    }
}

/// A cell as the choice that is printed like it, or as a scalar: a trace holds the text `42` and the number 42 alike.
fn cell_value(parameter: &Parameter, cell: &str) -> Result<Value, String> {
    let printed = |value: &&Value| value.to_string() == cell;
    let same = match parameter.domain() {
        Domain::Choice { choices: values } | Domain::Ordinal { values } => values.iter().find(printed),
        Domain::Fixed { value } => Some(value).filter(printed),
        _ => None,
    };
    same.map_or_else(|| cell.parse(), |value| Ok(value.clone()))
}

fn no_column(name: &str, header: &csv::StringRecord) -> String {
    format!("there is no column `{name}`; its columns: {}", header.iter().collect::<Vec<_>>().join(", "))
}
