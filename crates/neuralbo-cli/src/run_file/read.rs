//! From the keys of a run file to options.

use std::path::Path;

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};
use neuralbo::space::{Constraint, Space};
use toml::{Table, Value};

use super::COMMAND;
use crate::output::{CommandError, OrCommandError};

/// Options that say how a run is started, not what it is.
const NOT_IN_FILES: [&str; 2] = ["help", "version"];
/// A storage without a path.
const MEMORY: &str = ":memory:";
/// The key whose value may be a table of parameters.
const SPACE: &str = "space";

/// The keys of a file, all of them known.
pub struct Keys(Table);

impl Keys {
    /// Reads a file; the error names a key that is not one and the nearest that is.
    pub fn read(path: &Path, run: &Command) -> Result<Self, CommandError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).or_usage(&name)?;
        let table: Table = text.parse().or_usage(&name)?;
        let allowed = allowed(run);
        match table.keys().find(|key| !allowed.contains(&key.as_str())) {
            None => Ok(Self(table)),
            Some(key) => Err(CommandError::usage(&name, unknown(key, &allowed))),
        }
    }

    /// All keys with their values, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether the file has this key.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

/// The keys that a file may have.
pub fn allowed(run: &Command) -> Vec<&str> {
    let long = run
        .get_arguments()
        .filter_map(Arg::get_long)
        .filter(|name| !NOT_IN_FILES.contains(name));
    long.chain([COMMAND]).collect()
}

fn unknown(key: &str, allowed: &[&str]) -> String {
    let likeness = |known: &str| strsim::jaro_winkler(known, key);
    let nearest = allowed.iter();
    let nearest = nearest.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let nearest = nearest.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    format!(
        "unknown key `{key}`; {nearest}allowed: the options of `neuralbo run` without dashes, and `command`"
    )
}

/// A program and its arguments: a list of words, or a line for the shell.
pub fn program(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::String(line) => Ok(vec!["sh".to_owned(), "-c".to_owned(), line.clone()]),
        Value::Array(words) => words
            .iter()
            .map(|word| scalar(word).ok_or_else(|| not(word, "text or a number")))
            .collect(),
        value => Err(not(value, "a list of words, or a line for the shell")),
    }
}

/// The options that a key stands for; relative paths are relative to `folder`.
pub fn options(
    argument: Option<&Arg>,
    key: &str,
    value: &Value,
    folder: &Path,
) -> Result<Vec<String>, String> {
    let is_path = argument.is_some_and(|argument| {
        matches!(
            argument.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        )
    });
    let placed = |text: String| match key {
        "storage" => storage(&text, folder),
        _ if is_path => folder.join(text).display().to_string(),
        _ => text,
    };
    let one = |value: &Value| Ok(format!("--{key}={}", placed(word(value)?)));
    match (argument.map(Arg::get_action), value) {
        (Some(ArgAction::SetTrue), Value::Boolean(wanted)) => {
            Ok(wanted.then(|| format!("--{key}")).into_iter().collect())
        }
        (Some(ArgAction::SetTrue), value) => Err(not(value, "true or false")),
        (_, Value::Table(table)) if key == SPACE => space(table),
        (action, Value::Table(table)) => {
            let pair = |(name, value)| Ok(format!("{name}={}", word(value)?));
            let pairs = table.iter().map(pair).collect::<Result<Vec<_>, String>>()?;
            Ok(match action {
                Some(ArgAction::Append) => {
                    pairs.iter().map(|pair| format!("--{key}={pair}")).collect()
                }
                _ => vec![format!("--{key}={}", pairs.join(","))],
            })
        }
        (Some(ArgAction::Append), Value::Array(values)) => values.iter().map(one).collect(),
        (_, value) => Ok(vec![one(value)?]),
    }
}

fn word(value: &Value) -> Result<String, String> {
    scalar(value).ok_or_else(|| not(value, "text, a number, true or false"))
}

/// The parameters and constraints of a space, each as an option.
fn space(table: &Table) -> Result<Vec<String>, String> {
    let space: Space = Value::Table(table.clone())
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    let parameters = space.parameters().iter();
    let parameters = parameters.map(|parameter| format!("--param={parameter}"));
    let constraints = space.constraints().iter();
    let constraints = constraints.filter_map(Constraint::expression);
    let constraints = constraints.map(|constraint| format!("--constraint={constraint}"));
    Ok(parameters.chain(constraints).collect())
}

/// A storage whose path is relative, below the folder.
fn storage(url: &str, folder: &Path) -> String {
    let below = |path: &str| folder.join(path).display().to_string();
    match neuralbo_store::sqlite_path(url) {
        Some(path) if path != MEMORY => format!("sqlite:{}", below(path)),
        None if url != MEMORY && !url.contains("://") && !url.contains('=') => below(url),
        _ => url.to_owned(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(format!("{number:?}")),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

fn not(value: &Value, expected: &str) -> String {
    format!(
        "{} `{value}` is not allowed, it must be {expected}",
        value.type_str()
    )
}
