//! Options of a method, as a front end hands them over: names and texts.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::presets::MethodError;

/// Options of a method by name; the texts are read by the method that knows them.
///
/// ```
/// use neuralbo::strategy::presets::Options;
///
/// let options = Options::parse(["nu=0.5", "width=64"])?;
/// assert_eq!(options.number("nu", 0.0..=10.0)?, Some(0.5));
/// assert_eq!(options.integer("width", 1..=4096)?, Some(64));
/// assert_eq!(options.number("lambda", 0.0..=1.0)?, None);
/// # Ok::<(), neuralbo::strategy::presets::MethodError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// No options: a method's own settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `key=value` texts.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, MethodError> {
        let mut options = Self::new();
        for text in texts {
            let text = text.as_ref();
            let pair = text
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()));
            let Some((key, value)) = pair.filter(|(key, _)| !key.is_empty()) else {
                return Err(MethodError::NoPair(text.to_owned()));
            };
            if options.0.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(MethodError::RepeatedOption(key.to_owned()));
            }
        }
        Ok(options)
    }

    /// All names in alphabetical order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The text of an option.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// A number within bounds, if the option is given.
    pub fn number(
        &self,
        key: &str,
        allowed: RangeInclusive<f64>,
    ) -> Result<Option<f64>, MethodError> {
        self.read(key, &allowed, "a number")
    }

    /// A whole number within bounds, if the option is given.
    pub fn integer(
        &self,
        key: &str,
        allowed: RangeInclusive<u64>,
    ) -> Result<Option<u64>, MethodError> {
        self.read(key, &allowed, "a whole number")
    }

    /// One of some words, if the option is given.
    pub fn word<'a>(&self, key: &str, allowed: &[&'a str]) -> Result<Option<&'a str>, MethodError> {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        match allowed.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(*word)),
            None => Err(bad(key, text, format!("one of {}", allowed.join(", ")))),
        }
    }

    /// Yes or no, if the option is given; `true` and `false` mean the same.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, MethodError> {
        let word = self.word(key, &["yes", "no", "true", "false"])?;
        Ok(word.map(|word| matches!(word, "yes" | "true")))
    }

    fn read<T>(
        &self,
        key: &str,
        allowed: &RangeInclusive<T>,
        what: &str,
    ) -> Result<Option<T>, MethodError>
    where
        T: std::str::FromStr + PartialOrd + std::fmt::Display,
    {
        let Some(text) = self.text(key) else {
            return Ok(None);
        };
        let value = text.parse().ok().filter(|value| allowed.contains(value));
        let bounds = || format!("{what} from {} to {}", allowed.start(), allowed.end());
        value.map(Some).ok_or_else(|| bad(key, text, bounds()))
    }
}

fn bad(key: &str, value: &str, allowed: String) -> MethodError {
    MethodError::BadOption {
        key: key.to_owned(),
        value: value.to_owned(),
        allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_texts_that_are_no_pairs_and_repeated_names() {
        for text in ["nu", "=1"] {
            let error = Options::parse([text]).unwrap_err();
            assert_eq!(error, MethodError::NoPair(text.into()));
        }
        let error = Options::parse(["nu=1", "nu=2"]).unwrap_err();
        assert_eq!(error, MethodError::RepeatedOption("nu".into()));
    }

    #[test]
    fn a_bad_value_is_answered_with_what_is_allowed() {
        let options = Options::parse(["nu=-1", "width=1.5", "mean=magic"]).unwrap();
        let number = options.number("nu", 0.0..=10.0).err();
        let whole = options.integer("width", 1..=9).err();
        let word = options.word("mean", &["a", "b"]).err();
        let cases = [
            (number, "nu = `-1`", "a number from 0 to 10"),
            (whole, "width = `1.5`", "a whole number from 1 to 9"),
            (word, "mean = `magic`", "one of a, b"),
        ];
        for (error, given, allowed) in cases {
            let expected = format!("option {given} is not allowed; it must be {allowed}");
            assert_eq!(error.unwrap().to_string(), expected);
        }
    }

    #[test]
    fn flags_are_yes_or_no_in_either_language() {
        let options = Options::parse(["a=yes", "b=true", "c=no", "d=false", "e=maybe"]).unwrap();
        let flags = ["a", "b", "c", "d", "f"].map(|key| options.flag(key).unwrap());
        assert_eq!(
            flags,
            [Some(true), Some(true), Some(false), Some(false), None]
        );
        assert!(options.flag("e").is_err());
    }

    #[test]
    fn a_number_that_is_not_finite_is_never_allowed() {
        let options = Options::parse(["a=nan", "b=inf"]).unwrap();
        for key in ["a", "b"] {
            assert!(options.number(key, 0.0..=10.0).is_err());
        }
    }
}
