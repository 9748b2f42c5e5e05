//! One parameter or one measured quantity of all trials, stored compactly.

use std::collections::HashMap;

use neuralbo::space::Value;
use serde::{Serialize, Serializer};

/// The values of one name: numbers, and indices of other values.
#[derive(Default)]
pub(crate) struct ValueColumn {
    /// NaN for absent and for other values.
    numbers: Vec<f64>,
    /// 1 + index in `labels`, or 0 for a number or nothing; empty while there are numbers only.
    codes: Vec<u32>,
    labels: Vec<Value>,
    places: HashMap<Value, u32>,
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnItem<'a> {
    Absent,
    Number(f64),
    Label(&'a Value),
}

impl ValueColumn {
    /// A column whose name the first `count` trials do not have.
    pub(crate) fn absent(count: usize) -> Self {
        Self {
            numbers: vec![f64::NAN; count],
            ..Self::default()
        }
    }

    /// Adds the next trial's number.
    pub(crate) fn push_number(&mut self, number: Option<f64>) {
        self.numbers.push(number.unwrap_or(f64::NAN));
        if !self.codes.is_empty() {
            self.codes.push(0);
        }
    }

    /// Adds the next trial's value.
    pub(crate) fn push(&mut self, value: Option<&Value>) {
        match value {
            None => self.push_number(None),
            Some(Value::Float(number)) => self.push_number(Some(*number)),
            Some(Value::Int(number)) => self.push_number(Some(*number as f64)),
            Some(label) => self.push_label(label),
        }
    }

    fn push_label(&mut self, label: &Value) {
        let code = self.places.get(label).copied().unwrap_or_else(|| {
            self.labels.push(label.clone());
            let code = self.labels.len() as u32;
            self.places.insert(label.clone(), code);
            code
        });
        self.codes.resize(self.numbers.len(), 0);
        self.numbers.push(f64::NAN);
        self.codes.push(code);
    }

    /// Number of trials.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// A trial's number, if it has one.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        self.numbers
            .get(row)
            .copied()
            .filter(|number| !number.is_nan())
    }

    /// A trial's value.
    pub(crate) fn item(&self, row: usize) -> ColumnItem<'_> {
        if let Some(label) = self
            .codes
            .get(row)
            .and_then(|code| self.labels.get((*code as usize).checked_sub(1)?))
        {
            return ColumnItem::Label(label);
        }
        self.number(row)
            .map_or(ColumnItem::Absent, ColumnItem::Number)
    }

    /// The same as a value of a parameter.
    pub(crate) fn value(&self, row: usize) -> Option<Value> {
        match self.item(row) {
            ColumnItem::Absent => None,
            ColumnItem::Number(number) => Some(Value::Float(number)),
            ColumnItem::Label(label) => Some(label.clone()),
        }
    }
}

impl Serialize for ColumnItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_unit(),
            Self::Number(number) => JsonNumber(*number).serialize(serializer),
            Self::Label(label) => label.serialize(serializer),
        }
    }
}

/// A number in as few characters as possible; `null` if not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JsonNumber(pub(crate) f64);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            number if !number.is_finite() => serializer.serialize_unit(),
            number if number.fract() == 0.0 && number.abs() < 1e15 => {
                serializer.serialize_i64(number as i64)
            }
            number => serializer.serialize_f64(number),
        }
    }
}

/// Numbers as JSON has them.
pub(crate) fn numbers(numbers: impl IntoIterator<Item = f64>) -> Vec<JsonNumber> {
    numbers.into_iter().map(JsonNumber).collect()
}

impl From<Option<f64>> for JsonNumber {
    fn from(number: Option<f64>) -> Self {
        Self(number.unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_labels_are_stored_unchanged() {
        let mut column = ValueColumn::absent(1);
        let values = [
            Value::Float(0.5),
            Value::Text("a".into()),
            Value::Int(3),
            Value::Bool(true),
            Value::Null,
            Value::Text("a".into()),
        ];
        values.iter().for_each(|value| column.push(Some(value)));
        column.push(None);
        let items: Vec<ColumnItem<'_>> = (0..column.len()).map(|row| column.item(row)).collect();
        assert_eq!(
            serde_json::to_string(&items).unwrap(),
            r#"[null,0.5,"a",3,true,null,"a",null]"#
        );
        assert_eq!(
            (column.item(5), column.item(7)),
            (ColumnItem::Label(&Value::Null), ColumnItem::Absent)
        );
    }

    #[test]
    fn numbers_are_written_short_and_exact() {
        let numbers = [3.0, -0.0, 0.1, 1e300, f64::NAN, f64::INFINITY, 1e15].map(JsonNumber);
        assert_eq!(
            serde_json::to_string(&numbers).unwrap(),
            "[3,0,0.1,1e+300,null,null,1000000000000000.0]"
        );
    }
}
