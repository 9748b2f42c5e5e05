//! Results that are known before the run starts.

use std::collections::HashMap;
use std::path::Path;

use neuralbo::record::{Definition, State, Trial, Values};
use neuralbo::space::{Parameter, Params, Space, Value};
use neuralbo::store::NewTrial;

use crate::output::CommandError;

/// A result known from elsewhere: a point and everything that was measured there.
pub type KnownResult = (Params, Values);

/// What a file of known results holds.
#[derive(Debug, Default)]
pub struct KnownResults {
    /// Those with a value.
    pub results: Vec<KnownResult>,
    /// How many rows do not have all values, or not finite ones.
    pub skipped: u64,
}

/// Reads a CSV file with a column per parameter and one for each value of these names; rows without all of them, each finite, are
/// skipped and counted. Cells of parameters with a condition may be empty where it does not hold; values that are there nevertheless
/// are kept.
pub fn read(path: &Path, space: &Space, names: &[&str]) -> Result<KnownResults, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| {
        CommandError::Usage(format!("--known `{}`: {error}", path.display()))
    };
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| wrong(&error))?;
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let columns = CsvColumns::find(&header, space, names).map_err(|error| wrong(&error))?;
    let mut known = KnownResults::default();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(&error))?;
        let result = columns
            .read(&record, space)
            .map_err(|error| wrong(&format!("row {}: {error}", index + 1)))?;
        known.skipped += u64::from(result.is_none());
        known.results.extend(result);
    }
    Ok(known)
}

/// KnownResult results as trials of a study, from number 0 on.
pub fn trials(known: &[KnownResult]) -> Vec<NewTrial> {
    let trial = |(number, (params, values)): (u64, &KnownResult)| {
        Trial {
            number,
            ..Trial::known(params.clone(), State::Complete, values.clone())
        }
        .into()
    };
    (0..).zip(known).map(trial).collect()
}

/// The known results that are not among the trials yet; equal ones count as often as they are there.
pub fn missing(
    definition: &Definition,
    known: &[KnownResult],
    trials: &[Trial],
) -> Vec<KnownResult> {
    let names = definition.measured();
    let key = |params: &Params, values: &Values| -> Option<(String, Vec<u64>)> {
        let bits = names
            .iter()
            .map(|name| values.get(*name).map(|value| value.to_bits()))
            .collect::<Option<_>>()?;
        Some((params.to_json(), bits))
    };
    let mut present: HashMap<(String, Vec<u64>), usize> = HashMap::new();
    for trial in trials.iter().filter(|trial| trial.is_known()) {
        let params = trial.params.as_ref();
        let params = params.map(|params| definition.renamed(params, trial.version));
        if let Some(key) = params.and_then(|params| key(&params, &trial.values)) {
            *present.entry(key).or_default() += 1;
        }
    }
    let is_missing = |(params, values): &&KnownResult| match key(params, values)
        .and_then(|key| present.get_mut(&key))
    {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    known.iter().filter(is_missing).cloned().collect()
}

/// Where the values and the parameters are.
struct CsvColumns {
    values: Vec<(String, usize)>,
    parameters: Vec<(Parameter, usize)>,
}

impl CsvColumns {
    fn find(header: &csv::StringRecord, space: &Space, names: &[&str]) -> Result<Self, String> {
        let position = |name: &str| header.iter().position(|column| column == name);
        let value = |name: &&str| {
            Ok((
                name.to_string(),
                position(name).ok_or_else(|| no_column(name, header))?,
            ))
        };
        let values = names.iter().map(value).collect::<Result<_, String>>()?;
        let mut parameters = Vec::new();
        for parameter in space.parameters() {
            match position(parameter.name()) {
                Some(column) => parameters.push((parameter.clone(), column)),
                None if parameter.domain().fixed().is_some() || parameter.condition().is_some() => {
                }
                None => return Err(no_column(parameter.name(), header)),
            }
        }
        Ok(Self { values, parameters })
    }

    fn read(
        &self,
        record: &csv::StringRecord,
        space: &Space,
    ) -> Result<Option<KnownResult>, String> {
        let Some(values) = self.values(record)? else {
            return Ok(None);
        };
        let mut named = Vec::new();
        for (parameter, column) in &self.parameters {
            let cell = record.get(*column).unwrap_or_default();
            // An empty cell says that a parameter is inactive, or is an empty text.
            if !(cell.is_empty()
                && parameter.condition().is_some()
                && parameter.accepted(&"".into()).is_none())
            {
                named.push((parameter.name(), cell_value(parameter, cell)?));
            }
        }
        let params = space
            .complete(&named.into_iter().collect())
            .map_err(|error| error.to_string())?;
        Ok(Some((params, values)))
    }

    /// The values of a row; `None` if one is missing or not finite.
    fn values(&self, record: &csv::StringRecord) -> Result<Option<Values>, String> {
        let mut values = Values::new();
        for (name, column) in &self.values {
            let text = record.get(*column).unwrap_or_default();
            if text.is_empty() {
                return Ok(None);
            }
            let value: f64 = text
                .parse()
                .map_err(|_| format!("{name} = `{text}` is not a number"))?;
            values.insert(name.clone(), value);
        }
        Ok(Some(values).filter(|values| values.values().all(|value| value.is_finite())))
    }
}

/// A cell as the choice that is printed like it, or as a scalar: a trace holds the text `42` and the number 42 alike.
fn cell_value(parameter: &Parameter, cell: &str) -> Result<Value, String> {
    let printed = |value: &&Value| value.to_string() == cell;
    let mut values = parameter.domain().values().unwrap_or_default().iter();
    let same = values.find(printed);
    same.map_or_else(|| cell.parse(), |value| Ok(value.clone()))
}

fn no_column(name: &str, header: &csv::StringRecord) -> String {
    format!(
        "missing column `{name}`; columns: {}",
        header.iter().collect::<Vec<_>>().join(", ")
    )
}
