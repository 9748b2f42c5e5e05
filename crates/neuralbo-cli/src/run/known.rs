//! Results that are known before the run starts.

use std::path::Path;

use neuralbo::space::{Domain, Parameter, Point, Space, Value};

use crate::exit::CommandError;

/// The column that holds the values.
pub const VALUE: &str = "value";

/// Reads a CSV file with a column per parameter and a column `value`; rows without a value are skipped.
pub fn read(path: &Path, space: &Space) -> Result<Vec<(Point, f64)>, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| CommandError::Usage(format!("--known `{}`: {error}", path.display()));
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|error| wrong(&error))?;
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let columns = Columns::find(&header, space).map_err(|error| wrong(&error))?;
    let mut results = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(&error))?;
        let result = columns.read(&record, space).map_err(|error| wrong(&format!("row {}: {error}", index + 1)))?;
        results.extend(result);
    }
    Ok(results)
}

/// Where the values and the parameters are.
struct Columns {
    value: usize,
    parameters: Vec<(Parameter, usize)>,
}

impl Columns {
    fn find(header: &csv::StringRecord, space: &Space) -> Result<Self, String> {
        let position = |name: &str| header.iter().position(|column| column == name);
        let value = position(VALUE).ok_or_else(|| missing(VALUE, header))?;
        let mut parameters = Vec::new();
        for parameter in space.parameters() {
            match position(parameter.name()) {
                Some(column) => parameters.push((parameter.clone(), column)),
                None if matches!(parameter.domain(), Domain::Fixed { .. }) => {}
                None => return Err(missing(parameter.name(), header)),
            }
        }
        Ok(Self { value, parameters })
    }

    fn read(&self, record: &csv::StringRecord, space: &Space) -> Result<Option<(Point, f64)>, String> {
        let text = record.get(self.value).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let value = text.parse().map_err(|_| format!("value = `{text}` is not a number"))?;
        let mut named = Vec::new();
        for (parameter, column) in &self.parameters {
            named.push((parameter.name(), cell_value(parameter, record.get(*column).unwrap_or_default())?));
        }
        let point = space.point_from_named(named).map_err(|error| error.to_string())?;
        Ok(Some((point, value)))
    }
}

/// A cell as the choice that is printed like it, or as a scalar: a trace holds the text `42` and the number 42 alike.
fn cell_value(parameter: &Parameter, cell: &str) -> Result<Value, String> {
    let printed = |value: &&Value| value.to_string() == cell;
    let same = match parameter.domain() {
        Domain::Choice { choices } => choices.iter().find(printed),
        Domain::Fixed { value } => Some(value).filter(printed),
        _ => None,
    };
    same.map_or_else(|| cell.parse(), |value| Ok(value.clone()))
}

fn missing(name: &str, header: &csv::StringRecord) -> String {
    format!("there is no column `{name}`; its columns: {}", header.iter().collect::<Vec<_>>().join(", "))
}
