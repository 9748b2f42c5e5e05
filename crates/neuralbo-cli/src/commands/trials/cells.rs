//! Cells of the table of trials: as text, as data, and for sorting.

use std::cmp::Ordering;

use neuralbo::space::Value;

use crate::number::{duration, number};
use crate::output::{shown, time, who};

/// One cell of the table of trials.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialCell {
    /// Nothing to say.
    Empty,
    /// Words.
    Text(String),
    /// The name of a worker.
    Worker(String),
    /// A whole number.
    Count(u64),
    /// A measured or predicted number.
    Number(f64),
    /// An intermediate value and its step.
    Report(f64, i64),
    /// A duration.
    Seconds(f64),
    /// Milliseconds since 1970.
    Moment(i64),
    /// The value of a parameter.
    Param(Value),
}

impl TrialCell {
    /// A number, if there is one.
    pub fn number(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::Number)
    }

    /// Yes or no, if that is known.
    pub fn truth(value: Option<bool>) -> Self {
        value.map_or(Self::Empty, |value| Self::Text(value.to_string()))
    }

    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Self::Number(value) => number(*value),
            Self::Report(value, step) => format!("{}@{step}", number(*value)),
            Self::Seconds(seconds) => duration(*seconds),
            Self::Moment(ms) => time(*ms),
            Self::Worker(name) => who(name).to_owned(),
            Self::Param(value) => shown(value),
            _ => self.exact(),
        }
    }

    /// For programs, with all digits; durations in seconds, moments in milliseconds since 1970.
    pub fn exact(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Worker(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(value) | Self::Seconds(value) | Self::Report(value, _) => {
                format!("{value:?}")
            }
            Self::Moment(ms) => ms.to_string(),
            Self::Param(value) => value.to_string(),
        }
    }

    /// Numbers before words, and both in their order; nothing comes last, whichever way the order goes.
    pub fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        match (self.as_number(), other.as_number()) {
            _ if *self == Self::Empty || *other == Self::Empty => {
                (*self == Self::Empty).cmp(&(*other == Self::Empty))
            }
            (Some(a), Some(b)) => turned(a.total_cmp(&b)),
            (Some(_), None) => turned(Ordering::Less),
            (None, Some(_)) => turned(Ordering::Greater),
            (None, None) => turned(self.exact().cmp(&other.exact())),
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(value) | Self::Report(value, _) | Self::Seconds(value) => Some(*value),
            Self::Moment(ms) => Some(*ms as f64),
            Self::Param(value) => value.as_f64(),
            Self::Empty | Self::Text(_) | Self::Worker(_) => None,
        }
    }

    /// Whether it stands at the right end of its column.
    pub fn is_number(&self) -> bool {
        self.as_number().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_by_number_and_nothing_comes_last() {
        let mut cells = vec![
            TrialCell::Empty,
            TrialCell::Number(10.0),
            TrialCell::Text("b".into()),
            TrialCell::Number(9.5),
            TrialCell::Text("a".into()),
        ];
        let sorted = |cells: &mut Vec<TrialCell>, descending| {
            cells.sort_by(|a, b| a.compare(b, descending));
            cells.iter().map(TrialCell::exact).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&mut cells, false), ["9.5", "10.0", "a", "b", ""]);
        assert_eq!(sorted(&mut cells, true), ["b", "a", "10.0", "9.5", ""]);
    }

    #[test]
    fn people_read_few_digits_and_programs_all() {
        let cell = TrialCell::Number(0.1 + 0.2);
        assert_eq!(
            (cell.shown(), cell.exact()),
            ("0.3".to_owned(), "0.30000000000000004".to_owned())
        );
        assert_eq!(
            (
                TrialCell::Seconds(90.0).shown(),
                TrialCell::Seconds(90.0).exact()
            ),
            ("1 min 30 s".to_owned(), "90.0".to_owned())
        );
        assert_eq!(
            TrialCell::Param(Value::Float(1.068_46e-20)).shown(),
            "1.06846e-20"
        );
    }
}
