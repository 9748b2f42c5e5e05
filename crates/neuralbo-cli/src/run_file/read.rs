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
    let nearest = allowed
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(a, key).total_cmp(&strsim::jaro_winkler(b, key)));
    let nearest = nearest.map_or(String::new(), |nearest| {
        format!("did you mean `{nearest}`? ")
    });
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
    let one = |value: &Value| scalar(value).map(|text| format!("--{key}={}", placed(text)));
    let action = argument.map(Arg::get_action);
    match value {
        Value::Boolean(wanted) if matches!(action, Some(ArgAction::SetTrue)) => Ok(if *wanted {
            vec![format!("--{key}")]
        } else {
            Vec::new()
        }),
        value if matches!(action, Some(ArgAction::SetTrue)) => Err(not(value, "true or false")),
        Value::Table(table) if key == SPACE => space(table),
        Value::Table(table) => {
            let pair = |(name, value): (&String, &Value)| {
                let text =
                    scalar(value).ok_or_else(|| not(value, "text, a number, true or false"))?;
                Ok(format!("{name}={text}"))
            };
            let pairs = table
                .iter()
                .map(pair)
                .collect::<Result<Vec<String>, String>>()?;
            match action {
                Some(ArgAction::Append) => Ok(pairs
                    .into_iter()
                    .map(|pair| format!("--{key}={pair}"))
                    .collect()),
                _ => Ok(vec![format!("--{key}={}", pairs.join(","))]),
            }
        }
        Value::Array(values) if matches!(action, Some(ArgAction::Append)) => values
            .iter()
            .map(|value| one(value).ok_or_else(|| not(value, "text, a number, true or false")))
            .collect(),
        value => {
            Ok(vec![one(value).ok_or_else(|| {
                not(value, "text, a number, true or false")
            })?])
        }
    }
}

/// The parameters and constraints of a space, each as an option.
fn space(table: &Table) -> Result<Vec<String>, String> {
    let space: Space = Value::Table(table.clone())
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    let parameters = space
        .parameters()
        .iter()
        .map(|parameter| format!("--param={parameter}"));
    let constraints = space
        .constraints()
        .iter()
        .filter_map(Constraint::expression);
    Ok(parameters
        .chain(constraints.map(|constraint| format!("--constraint={constraint}")))
        .collect())
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
