//! The text form of domains and values: `float(1e-5,1e-1,log)`, `choice(adam,null,[1,2])`, `42`, `"any text"`.

use std::fmt;

use super::{Domain, Parameter, SpaceError, Value};

/// Words that start a domain; as a bare fixed text they must be quoted.
const KINDS: [&str; 7] = ["float", "int", "choice", "ordinal", "fixed", "bool", "rows"];
const EXAMPLES: &str = "allowed are float(0,1), float(1e-5,1e-1,log), float(0,1,step=0.05), int(1,64), int(1,1024,log), choice(adam,sgd), ordinal(small,medium,large), bool, fixed(42)";

/// Reads `text` as the domain of parameter `name`.
pub(super) fn parameter(name: &str, text: &str) -> Result<Parameter, SpaceError> {
    let (text, condition) = split_condition(text.trim());
    let parameter = match domain(text) {
        Ok(domain) => Parameter::new(name, domain)?,
        Err(reason) => {
            let (name, found) = (name.to_owned(), text.to_owned());
            return Err(SpaceError::Syntax {
                name,
                found,
                reason,
            });
        }
    };
    match condition {
        Some(condition) => with_condition(parameter, condition),
        None => Ok(parameter),
    }
}

/// A parameter with the condition in a text.
pub(super) fn with_condition(
    parameter: Parameter,
    condition: &str,
) -> Result<Parameter, SpaceError> {
    match condition.parse() {
        Ok(condition) => Ok(parameter.only_if(condition)),
        Err(SpaceError::NoExpression { found, reason }) => Err(SpaceError::BadCondition {
            name: parameter.name().to_owned(),
            condition: found,
            reason,
        }),
        Err(other) => Err(other),
    }
}

/// The text before the word `if`, and what follows it; not inside quotes or brackets.
fn split_condition(text: &str) -> (&str, Option<&str>) {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && c.is_whitespace() => {
                let after = text[at..].trim_start().strip_prefix("if");
                let is_word = |s: &&str| s.is_empty() || s.starts_with([' ', '\t', '(', '!']);
                if let Some(condition) = after.filter(is_word) {
                    return (text[..at].trim_end(), Some(condition.trim()));
                }
            }
            _ => {}
        }
    }
    (text, None)
}

/// Whether a text in a file is meant as a domain rather than as a fixed value.
pub(super) fn looks_like_domain(text: &str) -> bool {
    let (text, _) = split_condition(text.trim());
    let call = text.split_once('(');
    text == "bool" || call.is_some_and(|(kind, _)| KINDS.contains(&kind))
}

fn domain(text: &str) -> Result<Domain, String> {
    if text.is_empty() {
        return Err(format!("nothing after `=`; {EXAMPLES}"));
    }
    if text == "bool" {
        return Ok(Domain::bool());
    }
    if KINDS.contains(&text) {
        return Err(format!(
            "`{text}` needs its values in parentheses; {EXAMPLES}; write \"{text}\" for the word itself"
        ));
    }
    match text.split_once('(') {
        Some((kind, rest)) if !text.starts_with(['"', '[', '{']) => match kind.trim_end() {
            kind @ ("float" | "int") => call(kind, arguments(&without_spaces_at_equals(rest))?),
            kind => call(kind, arguments(rest)?),
        },
        _ => value(text).map(|value| Domain::Fixed { value }),
    }
}

/// The domain `kind(args)`.
fn call(kind: &str, mut args: Vec<Value>) -> Result<Domain, String> {
    match kind {
        "float" => {
            let expected = "float(LOW,HIGH) of numbers, e.g. `float(0,1)`";
            range(&args, Value::as_f64, Domain::float, expected)
        }
        "int" => {
            let expected = "int(LOW,HIGH) of whole numbers, e.g. `int(1,64)`";
            range(&args, Value::as_i64, Domain::int, expected)
        }
        "choice" => Ok(Domain::Choice { choices: args }),
        "ordinal" => Ok(Domain::Ordinal { values: args }),
        "bool" if args.is_empty() => Ok(Domain::bool()),
        "bool" => Err("bool takes nothing in parentheses; write `bool`".into()),
        "fixed" => match (args.pop(), args.is_empty()) {
            (Some(value), true) => Ok(Domain::Fixed { value }),
            _ => {
                Err("expected exactly one value, e.g. `fixed(42)` or `fixed(\"any text\")`".into())
            }
        },
        "rows" => Err("a table of rows has no text form; give it in a file".into()),
        _ => Err(format!(
            "unknown kind `{kind}`; {EXAMPLES}; text with parentheses must be quoted"
        )),
    }
}

/// `step = 5` is written as people write it.
fn without_spaces_at_equals(text: &str) -> String {
    text.split('=').map(str::trim).collect::<Vec<_>>().join("=")
}

/// Two bounds, then `log` and `step=…` in any order, each at most once.
fn range<T>(
    args: &[Value],
    number: fn(&Value) -> Option<T>,
    domain: fn(T, T, bool, Option<T>) -> Domain,
    expected: &str,
) -> Result<Domain, String> {
    let expected =
        || format!("expected {expected}, with `log` or `step=STEP` after the bounds where wanted");
    let bound = |value: &Value| {
        number(value).ok_or_else(|| format!("`{value}` is no bound; {}", expected()))
    };
    let [low, high, rest @ ..] = args else {
        return Err(format!("found {} values; {}", args.len(), expected()));
    };
    let (low, high, mut log, mut steps) = (bound(low)?, bound(high)?, false, None);
    for option in rest {
        let text = option.as_str();
        match text.map(|text| text.split_once('=').unwrap_or((text, ""))) {
            Some(("log", "")) if !log => log = true,
            Some(("step", step)) if steps.is_none() => {
                let found = number(&bare(step)?);
                steps = Some(found.ok_or_else(|| format!("`{step}` is no step; {}", expected()))?);
            }
            Some(("log" | "step", _)) => {
                return Err(format!("`{option}` is one too many; {}", expected()));
            }
            _ => return Err(format!("`{option}` is no scale or step; {}", expected())),
        }
    }
    Ok(domain(low, high, log, steps))
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
        None => Err(format!(
            "expected a comma or the closing parenthesis before `{rest}`"
        )),
    }
}

/// The value at the start of `text`, and what follows it.
fn argument(text: &str) -> Result<(Value, &str), String> {
    if let Some(inside) = text.strip_prefix('"') {
        return quoted(inside);
    }
    if text.starts_with(['[', '{']) {
        return json(text);
    }
    let end = text.find([',', ')']).unwrap_or(text.len());
    Ok((bare(text[..end].trim_end())?, &text[end..]))
}

/// A whole text that is one value: bare, quoted or JSON.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let (value, extra) = match text.strip_prefix('"') {
        Some(inside) => quoted(inside)?,
        None if text.starts_with(['[', '{']) => json(text)?,
        None => return bare(text),
    };
    match extra.trim() {
        "" => Ok(value),
        extra => Err(format!("`{extra}` after the end of the value")),
    }
}

/// The list or object at the start of `text`, and what follows it.
fn json(text: &str) -> Result<(Value, &str), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    match values.next() {
        Some(Ok(value)) => Ok((Value::Json(Box::new(value)), &text[values.byte_offset()..])),
        Some(Err(error)) => Err(format!(
            "`{text}` starts like a list or an object but is no JSON: {error}"
        )),
        None => Err("a value is missing".into()),
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
                _ => {
                    return Err("inside quotes a backslash must be followed by `\"` or `\\`".into());
                }
            },
            _ => content.push(c),
        }
    }
    Err("the closing quote is missing".into())
}

/// A scalar without quotes: an int, a float, `true`, `false`, `null` or a word.
fn bare(word: &str) -> Result<Value, String> {
    if word.is_empty() {
        return Err("a value is missing; write \"\" for empty text".into());
    }
    if word.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"')) {
        return Err(format!(
            "`{word}`: text with spaces, commas, quotes or parentheses must be quoted, e.g. \"two words\""
        ));
    }
    match word {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        "null" => Ok(Value::Null),
        _ => number_or_word(word),
    }
}

/// Numbers have a digit (`inf` and `nan` are words) and must fit in 64 bits.
pub(super) fn number_or_word(word: &str) -> Result<Value, String> {
    if let Ok(k) = word.parse() {
        return Ok(Value::Int(k));
    }
    match word.parse::<f64>() {
        Ok(x) if word.contains(|c: char| c.is_ascii_digit()) => {
            let is_int = !word.contains(['.', 'e', 'E']);
            if is_int || !x.is_finite() {
                return Err(format!(
                    "`{word}` does not fit in 64 bits; quote it if it is meant as text"
                ));
            }
            Ok(Value::Float(x))
        }
        _ => Ok(word.into()),
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_log = self.range().is_some_and(|range| range.log);
        let log = if is_log { ",log" } else { "" };
        let step = match self {
            Self::Float { step: Some(s), .. } => format!(",step={s:?}"),
            Self::Int { step: Some(s), .. } => format!(",step={s}"),
            _ => String::new(),
        };
        match self {
            Self::Float { low, high, .. } => write!(f, "float({low:?},{high:?}{log}{step})"),
            Self::Int { low, high, .. } => write!(f, "int({low},{high}{log}{step})"),
            Self::Choice { .. } if *self == Self::bool() => f.write_str("bool"),
            Self::Choice { choices } => write!(f, "choice({})", words(choices)),
            Self::Ordinal { values } => write!(f, "ordinal({})", words(values)),
            Self::Fixed {
                value: Value::Text(s),
            } if KINDS.contains(&s.as_str()) || needs_quotes(s) => {
                write!(f, "fixed({})", quote(s))
            }
            Self::Fixed { value } => write!(f, "{value}"),
            Self::Rows { table } => write!(f, "rows({}x{})", table.len(), table.dim()),
        }
    }
}

fn words(values: &[Value]) -> String {
    values.iter().map(word).collect::<Vec<_>>().join(",")
}

/// A value as an argument: quoted only where it would not read back otherwise.
fn word(value: &Value) -> String {
    match value {
        Value::Text(s) if needs_quotes(s) => quote(s),
        _ => value.to_string(),
    }
}

/// Whether a text without quotes would be read as something else.
fn needs_quotes(s: &str) -> bool {
    s.starts_with(['[', '{']) || bare(s) != Ok(s.into())
}

fn quote(s: &str) -> String {
    format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\""))
}
