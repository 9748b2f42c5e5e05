//! Values on their way to and from a database.

use crate::StoreError;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// Numbers and positions of trials, far below 2^63.
impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row, read from left to right.
#[derive(Debug)]
pub(crate) struct Row {
    cells: std::vec::IntoIter<Cell>,
    what: &'static str,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self { cells: cells.into_iter(), what: "a row" }
    }

    /// Names the record in errors.
    pub(crate) fn of(mut self, what: &'static str) -> Self {
        self.what = what;
        self
    }

    fn next(&mut self) -> Cell {
        self.cells.next().unwrap_or(Cell::Null)
    }

    pub(crate) fn wrong(&self, reason: impl std::fmt::Display) -> StoreError {
        StoreError::Record { what: self.what.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn maybe_int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next() {
            Cell::Null => Ok(None),
            Cell::Int(value) => Ok(Some(value)),
            other => Err(self.wrong(format!("{other:?} is not a whole number"))),
        }
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        self.maybe_int()?.ok_or_else(|| self.wrong("a whole number is missing"))
    }

    pub(crate) fn maybe_count(&mut self) -> Result<Option<u64>, StoreError> {
        self.maybe_int()?.map(|value| u64::try_from(value).map_err(|_| self.wrong(format!("{value} is negative")))).transpose()
    }

    pub(crate) fn count(&mut self) -> Result<u64, StoreError> {
        self.maybe_count()?.ok_or_else(|| self.wrong("a count is missing"))
    }

    pub(crate) fn maybe_real(&mut self) -> Result<Option<f64>, StoreError> {
        match self.next() {
            Cell::Null => Ok(None),
            Cell::Real(value) => Ok(Some(value)),
            Cell::Int(value) => Ok(Some(value as f64)),
            other => Err(self.wrong(format!("{other:?} is not a number"))),
        }
    }

    pub(crate) fn maybe_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next() {
            Cell::Null => Ok(None),
            Cell::Text(value) => Ok(Some(value)),
            other => Err(self.wrong(format!("{other:?} is not a text"))),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        self.maybe_text()?.ok_or_else(|| self.wrong("a text is missing"))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(|error| self.wrong(error))
    }
}
