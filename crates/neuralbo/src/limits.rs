//! Limits on everything that comes from outside: files, arguments, other languages, databases.
//!
//! What is within them can be stored, read, exported and imported again. `docs/reliability.md` lists them.

use serde_json::Value as Json;

/// Characters of a name: of a study, a parameter, an objective, an outcome constraint, an attribute, a method or its option.
/// Indices of PostgreSQL take no more than 2,700 bytes.
pub const NAME: usize = 200;
/// Bytes of the name of a worker or of an intermediate value; a longer one is cut.
pub const LABEL: usize = 200;
/// Bytes of a failure message or of a point's origin; a longer one is cut.
pub const MESSAGE: usize = 16 * 1024;
/// Lists and objects inside each other, in a choice, a fixed value or an attribute. Readers of JSON stop at 128, and records add
/// levels of their own.
pub const NESTING: usize = 64;
/// Bytes of a choice, a fixed value or an attribute, as JSON.
pub const VALUE: usize = 1 << 20;
/// Attributes of a trial.
pub const ATTRIBUTES: usize = 1000;
/// Bytes of all attributes of a trial, as JSON.
pub const ATTRIBUTES_TOGETHER: usize = 16 << 20;
/// Parameters of a space.
pub const PARAMETERS: usize = 10_000;
/// Values of a choice or an ordinal.
pub const CHOICES: usize = 100_000;
/// Numbers in a pool of rows.
pub const POOL: usize = 1 << 27;
/// Constraints of a space.
pub const CONSTRAINTS: usize = 10_000;
/// Bytes of an expression.
pub const EXPRESSION: usize = 1 << 16;
/// Parentheses, signs and powers inside each other: every level is a few calls deep.
pub const EXPRESSION_NESTING: usize = 40;
/// Objectives of a study: exact hypervolumes of more take too long, and nearly every trial would be on the front.
pub const OBJECTIVES: usize = 4;
/// Outcome constraints of a study.
pub const OUTCOME_CONSTRAINTS: usize = 100;
/// Options of a method, and renamed parameters of a definition.
pub const LISTED: usize = 10_000;
/// Bytes of a definition in a database, as JSON.
pub const DEFINITION: usize = 64 << 20;
/// Versions of a study's definition.
pub const VERSIONS: usize = 100_000;
/// Attempts per trial.
pub const ATTEMPTS: u64 = 1000;
/// Trials per ask: all are claimed before the first suggestion.
pub const ASKED: usize = 100_000;
/// Numbers of trials and whatever counts them: far beyond any study, and exact in every format.
pub const NUMBER: u64 = (1 << 40) - 1;
/// Milliseconds since 1970: the end of the year 9999.
pub const TIME_MS: i64 = 253_402_300_799_999;

/// Comparisons of trials for the exact hypervolume of a front: a second or so.
pub const VOLUME_STEPS: u64 = 100_000_000;

/// An error that names the limit if `found` exceeds it.
///
/// ```
/// use neuralbo::limits;
///
/// assert_eq!(limits::check("parameters", 3, 3), Ok(()));
/// assert_eq!(limits::check("parameters", 4, 3), Err("at most 3 parameters are allowed, found 4".to_owned()));
/// ```
pub fn check(what: &str, found: usize, limit: usize) -> Result<(), String> {
    match found <= limit {
        true => Ok(()),
        false => Err(format!("at most {limit} {what} are allowed, found {found}")),
    }
}

/// Checks the length of a name.
pub fn check_name(name: &str) -> Result<(), String> {
    check("characters", name.chars().count(), NAME)
}

/// Checks a number of a trial, or a count of trials.
pub fn check_number(name: &str, number: u64) -> Result<(), String> {
    match number <= NUMBER {
        true => Ok(()),
        false => Err(format!("{name} must be at most {NUMBER}, found {number}")),
    }
}

/// Checks the nesting and the size of a value.
///
/// ```
/// use neuralbo::limits;
/// use serde_json::json;
///
/// let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
/// assert_eq!(limits::check_value(&nested(64)), Ok(()));
/// assert_eq!(limits::check_value(&nested(65)), Err("at most 64 levels of nesting are allowed".to_owned()));
/// ```
pub fn check_value(value: &Json) -> Result<(), String> {
    if is_nested_deeper(value, NESTING) {
        return Err(too_deep());
    }
    let bytes = match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
        // The quotes and at most six bytes per character.
        Json::String(text) if text.len() < VALUE / 6 - 2 => 0,
        other => other.to_string().len(),
    };
    check("bytes of JSON", bytes, VALUE)
}

/// The error for lists and objects too deep inside each other.
pub fn too_deep() -> String {
    format!("at most {NESTING} levels of nesting are allowed")
}

fn is_nested_deeper(value: &Json, levels: usize) -> bool {
    let deeper = |inner: &Json| is_nested_deeper(inner, levels - 1);
    match value {
        Json::Array(items) => levels == 0 || items.iter().any(deeper),
        Json::Object(entries) => levels == 0 || entries.values().any(deeper),
        _ => false,
    }
}
