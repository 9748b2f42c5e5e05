//! The text form of domains and scalars: `float(1e-5,1e-1,log)`, `choice(adam,sgd)`, `42`, `"any text"`.

use std::fmt;

use super::{Domain, Parameter, SpaceError, Value};

/// Words that start a domain; as a bare fixed text they must be quoted.
const KINDS: [&str; 6] = ["float", "int", "choice", "fixed", "bool", "rows"];
const EXAMPLES: &str =
    "allowed are float(0,1), float(1e-5,1e-1,log), int(1,64), int(1,1024,log), choice(adam,sgd), bool, fixed(42)";

/// Reads `text` as the domain of parameter `name`.
pub(super) fn parameter(name: &str, text: &str) -> Result<Parameter, SpaceError> {
    match domain(text.trim()) {
        Ok(domain) => Parameter::new(name, domain),
        Err(reason) => Err(SpaceError::Syntax { name: name.to_owned(), found: text.trim().to_owned(), reason }),
    }
}

/// Whether a text in a file is meant as a domain rather than as a fixed value.
pub(super) fn looks_like_domain(text: &str) -> bool {
    let text = text.trim();
    text == "bool" || text.split_once('(').is_some_and(|(kind, _)| KINDS.contains(&kind))
}

fn domain(text: &str) -> Result<Domain, String> {
    if text.is_empty() {
        return Err(format!("nothing after `=`; {EXAMPLES}"));
    }
    if text == "bool" {
        return Ok(Domain::bool());
    }
    if KINDS.contains(&text) {
        return Err(format!("`{text}` needs its values in parentheses; {EXAMPLES}; write \"{text}\" for the word itself"));
    }
    if text.starts_with('"') {
        return scalar(text).map(|value| Domain::Fixed { value });
    }
    match text.split_once('(') {
        None => scalar(text).map(|value| Domain::Fixed { value }),
        Some((kind, rest)) => call(kind.trim_end(), arguments(rest)?),
    }
}

/// The domain `kind(args)`.
fn call(kind: &str, mut args: Vec<Value>) -> Result<Domain, String> {
    match kind {
        "float" => {
            let (bounds, log) =
                range(&args, Value::as_f64, "float(LOW,HIGH) or float(LOW,HIGH,log) of numbers, e.g. `float(0,1)`")?;
            Ok(Domain::Float { low: bounds.0, high: bounds.1, log })
        }
        "int" => {
            let (bounds, log) =
                range(&args, Value::as_whole, "int(LOW,HIGH) or int(LOW,HIGH,log) of whole numbers, e.g. `int(1,64)`")?;
            Ok(Domain::Int { low: bounds.0, high: bounds.1, log })
        }
        "choice" => Ok(Domain::Choice { choices: args }),
        "bool" if args.is_empty() => Ok(Domain::bool()),
        "bool" => Err("bool takes nothing in parentheses; write `bool`".into()),
        "fixed" => match (args.pop(), args.is_empty()) {
            (Some(value), true) => Ok(Domain::Fixed { value }),
            _ => Err("expected exactly one value, e.g. `fixed(42)` or `fixed(\"any text\")`".into()),
        },
        "rows" => Err("a table of rows has no text form; give it in a file".into()),
        _ => Err(format!("unknown kind `{kind}`; {EXAMPLES}; text with parentheses must be quoted")),
    }
}

/// Two bounds and an optional `log`.
fn range<T>(args: &[Value], number: fn(&Value) -> Option<T>, expected: &str) -> Result<((T, T), bool), String> {
    let bound = |value: &Value| number(value).ok_or_else(|| format!("`{value}` is no bound; expected {expected}"));
    match args {
        [low, high] => Ok(((bound(low)?, bound(high)?), false)),
        [low, high, Value::Text(log)] if log == "log" => Ok(((bound(low)?, bound(high)?), true)),
        [_, _, third] => Err(format!("`{third}` is no scale, only `log` is; expected {expected}")),
        _ => Err(format!("found {} values; expected {expected}", args.len())),
    }
}

/// The values up to the closing parenthesis, which must end the text.
fn arguments(text: &str) -> Result<Vec<Value>, String> {
    let mut args = Vec::new();
    let mut rest = text.trim_start();
    if !rest.starts_with(')') {
        loop {
            let (value, after) = argument(rest)?;
            args.push(value);
            rest = after.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => rest = after.trim_start(),
                None => break,
            }
        }
    }
    match rest.strip_prefix(')').map(str::trim) {
        Some("") => Ok(args),
        Some(extra) => Err(format!("`{extra}` after the closing parenthesis")),
        None if rest.is_empty() => Err("the closing parenthesis is missing".into()),
        None => Err(format!("expected a comma or the closing parenthesis before `{rest}`")),
    }
}

/// The value at the start of `text`, and what follows it.
fn argument(text: &str) -> Result<(Value, &str), String> {
    if let Some(inside) = text.strip_prefix('"') {
        return quoted(inside);
    }
    let end = text.find([',', ')']).unwrap_or(text.len());
    Ok((bare(text[..end].trim_end())?, &text[end..]))
}

/// A whole text that is one scalar, bare or quoted.
pub(super) fn scalar(text: &str) -> Result<Value, String> {
    let Some(inside) = text.strip_prefix('"') else { return bare(text) };
    match quoted(inside)? {
        (value, "") => Ok(value),
        (_, extra) => Err(format!("`{extra}` after the closing quote")),
    }
}

/// The text up to the closing quote, and what follows it.
fn quoted(inside: &str) -> Result<(Value, &str), String> {
    let mut content = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok((Value::Text(content), chars.as_str())),
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => content.push(escaped),
                _ => return Err("inside quotes a backslash must be followed by `\"` or `\\`".into()),
            },
            _ => content.push(c),
        }
    }
    Err("the closing quote is missing".into())
}

/// A scalar without quotes: an int, a float, `true`, `false` or a word.
fn bare(word: &str) -> Result<Value, String> {
    if word.is_empty() {
        return Err("a value is missing; write \"\" for empty text".into());
    }
    if word.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"')) {
        return Err(format!("`{word}`: text with spaces, commas, quotes or parentheses must be quoted, e.g. \"two words\""));
    }
    match word {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        _ => number_or_word(word),
    }
}

/// Numbers have a digit (`inf` and `nan` are words) and must fit in 64 bits.
fn number_or_word(word: &str) -> Result<Value, String> {
    if let Ok(k) = word.parse() {
        return Ok(Value::Int(k));
    }
    match word.parse::<f64>() {
        Ok(x) if word.contains(|c: char| c.is_ascii_digit()) => {
            let is_int = !word.contains(['.', 'e', 'E']);
            if is_int || !x.is_finite() {
                return Err(format!("`{word}` does not fit in 64 bits; quote it if it is meant as text"));
            }
            Ok(Value::Float(x))
        }
        _ => Ok(word.into()),
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = |log: bool| if log { ",log" } else { "" };
        match self {
            Self::Float { low, high, log } => write!(f, "float({low:?},{high:?}{})", suffix(*log)),
            Self::Int { low, high, log } => write!(f, "int({low},{high}{})", suffix(*log)),
            Self::Choice { .. } if *self == Self::bool() => f.write_str("bool"),
            Self::Choice { choices } => {
                let words: Vec<String> = choices.iter().map(word).collect();
                write!(f, "choice({})", words.join(","))
            }
            Self::Fixed { value: Value::Text(s) } if KINDS.contains(&s.as_str()) || bare(s) != Ok(s.as_str().into()) => {
                write!(f, "fixed({})", quote(s))
            }
            Self::Fixed { value } => write!(f, "{value}"),
            Self::Rows { table } => write!(f, "rows({}x{})", table.len(), table.dim()),
        }
    }
}

/// A scalar as an argument: quoted only where it would not read back otherwise.
fn word(value: &Value) -> String {
    match value {
        Value::Text(s) if bare(s) != Ok(s.as_str().into()) => quote(s),
        _ => value.to_string(),
    }
}

fn quote(s: &str) -> String {
    format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\""))
}
