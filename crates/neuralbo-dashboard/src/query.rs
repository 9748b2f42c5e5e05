//! Query strings.

use crate::reply::ApiError;

/// Decoded names and values of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `a=b&c=d`; `None` if an escape is malformed or not UTF-8.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((
                decoded(&name.replace('+', " "))?,
                decoded(&value.replace('+', " "))?,
            ))
        };
        text.split('&')
            .filter(|part| !part.is_empty())
            .map(pair)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// The last value of a name, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// All values of a name.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// The comma-separated parts of a value.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<&str>> {
        self.get(name)
            .map(|value| value.split(',').filter(|part| !part.is_empty()).collect())
    }

    /// An integer from 0 to `most`, or the default.
    pub(crate) fn count(&self, name: &str, default: usize, most: usize) -> Result<usize, ApiError> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        let allowed = || {
            ApiError::bad(format!(
                "{name}: `{text}` is not allowed, it must be a whole number from 0 to {most}"
            ))
        };
        text.parse()
            .ok()
            .filter(|count| *count <= most)
            .ok_or_else(allowed)
    }
}

/// Decodes `%41` to `A`; `None` if an escape is malformed or the result is not UTF-8.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits = bytes.get(at + 1..at + 3)?;
            let digits = std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()))?;
            found.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            found.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(found).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once_and_broken_ones_refused() {
        assert_eq!(decoded("a%2Fb%252F%C3%A9").unwrap(), "a/b%2Fé");
        for broken in ["%", "%4", "%zz", "%+1", "%C3"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }

    #[test]
    fn the_last_of_a_name_counts_and_numbers_have_bounds() {
        let query = Query::read("limit=5&limit=7&search=a+b%26c&x=&y").unwrap();
        assert_eq!(
            (query.get("limit"), query.get("search"), query.get("x")),
            (Some("7"), Some("a b&c"), None)
        );
        assert_eq!(query.count("limit", 1, 10), Ok(7));
        let error = query.count("limit", 1, 5).unwrap_err();
        assert!(error.text.contains("from 0 to 5"));
        assert_eq!(query.count("offset", 3, 5), Ok(3));
    }
}
