//! Values on their way to a database, and rows on their way from it.

use neuralbo::store::StoreError;

/// A value to be bound to a statement.
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

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
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

/// A row as a client library has it; the error says what was found instead.
pub(crate) trait Fields {
    fn int(&self, at: usize) -> Result<Option<i64>, String>;
    fn real(&self, at: usize) -> Result<Option<f64>, String>;
    fn text(&self, at: usize) -> Result<Option<&str>, String>;
}

/// A row, read from left to right without copying it first.
pub(crate) struct Row<'a> {
    fields: &'a dyn Fields,
    at: usize,
    what: &'static str,
}

impl<'a> Row<'a> {
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

    pub(crate) fn maybe_int(&mut self) -> Result<Option<i64>, StoreError> {
        let at = self.next();
        self.fields.int(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        self.maybe_int()?
            .ok_or_else(|| self.wrong("a whole number is missing"))
    }

    pub(crate) fn maybe_count(&mut self) -> Result<Option<u64>, StoreError> {
        self.maybe_int()?
            .map(|value| {
                u64::try_from(value).map_err(|_| self.wrong(format!("{value} is negative")))
            })
            .transpose()
    }

    pub(crate) fn count(&mut self) -> Result<u64, StoreError> {
        self.maybe_count()?
            .ok_or_else(|| self.wrong("a count is missing"))
    }

    pub(crate) fn maybe_real(&mut self) -> Result<Option<f64>, StoreError> {
        let at = self.next();
        self.fields.real(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn real(&mut self) -> Result<f64, StoreError> {
        self.maybe_real()?
            .ok_or_else(|| self.wrong("a number is missing"))
    }

    pub(crate) fn maybe_text(&mut self) -> Result<Option<&'a str>, StoreError> {
        let at = self.next();
        self.fields.text(at).map_err(|reason| self.wrong(reason))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, StoreError> {
        self.maybe_text()?
            .ok_or_else(|| self.wrong("a text is missing"))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let text = self.text()?;
        serde_json::from_str(text).map_err(|error| self.wrong(error))
    }

    /// A JSON text, or the default where there is none.
    pub(crate) fn json_or_default<T: serde::de::DeserializeOwned + Default>(
        &mut self,
    ) -> Result<T, StoreError> {
        match self.maybe_text()? {
            Some(text) => serde_json::from_str(text).map_err(|error| self.wrong(error)),
            None => Ok(T::default()),
        }
    }
}
