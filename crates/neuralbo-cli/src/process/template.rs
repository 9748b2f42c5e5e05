//! The command with its placeholders.

use neuralbo::space::{Params, Value};

/// Why a command cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The placeholder names no parameter.
    #[error(
        "the placeholder {{{name}}} in the argument `{argument}` names no parameter; parameters: {known} (write {{{{ for a literal brace)"
    )]
    Unknown {
        /// What stands between the braces.
        name: String,
        /// The whole argument.
        argument: String,
        /// All parameters, separated by commas.
        known: String,
    },
    /// A brace has no partner.
    #[error("the argument `{argument}` has a single `{brace}`; write `{brace}{brace}` for a literal brace")]
    Unbalanced {
        /// The brace.
        brace: char,
        /// The whole argument.
        argument: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Parameter(String),
}

/// A program and its arguments, each with placeholders; checked against the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Vec<Piece>>);

impl Template {
    /// Reads `{name}` as a placeholder and `{{`, `}}` as literal braces, in every argument.
    pub fn parse(arguments: &[String], parameters: &[&str]) -> Result<Self, TemplateError> {
        arguments.iter().map(|argument| parse_argument(argument, parameters)).collect::<Result<_, _>>().map(Self)
    }

    /// The arguments with every placeholder replaced by the parameter's value, which is empty where the trial has none.
    pub fn fill(&self, params: &Params) -> Filled {
        let text = |piece: &Piece| match piece {
            Piece::Literal(text) => FilledPiece { parameter: None, text: text.clone() },
            Piece::Parameter(name) => {
                let text = params.get(name).map(Value::to_string).unwrap_or_default();
                FilledPiece { parameter: Some(name.clone()), text }
            }
        };
        Filled(self.0.iter().map(|argument| argument.iter().map(text).collect()).collect())
    }
}

/// A program and its arguments, which still know what came from which parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled(Vec<Vec<FilledPiece>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct FilledPiece {
    parameter: Option<String>,
    text: String,
}

impl Filled {
    /// The program and its arguments.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(|argument| argument.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    /// The program.
    pub fn program(&self) -> String {
        self.words().into_iter().next().unwrap_or_default()
    }

    /// The parameter that takes most of an argument, and how many bytes.
    pub fn longest(&self) -> Option<(&str, usize)> {
        let pieces = self.0.iter().flatten().filter_map(|piece| Some((piece.parameter.as_deref()?, piece.text.len())));
        pieces.max_by_key(|(_, length)| *length)
    }
}

fn parse_argument(argument: &str, parameters: &[&str]) -> Result<Vec<Piece>, TemplateError> {
    let unbalanced = |brace| TemplateError::Unbalanced { brace, argument: argument.to_owned() };
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let (brace, after) = (if rest[at..].starts_with('{') { '{' } else { '}' }, &rest[at + 1..]);
        if let Some(escaped) = after.strip_prefix(brace) {
            literal.push(brace);
            rest = escaped;
            continue;
        }
        let close = if brace == '{' { after.find('}') } else { None };
        let (name, tail) = after.split_at(close.ok_or_else(|| unbalanced(brace))?);
        check_name(name, argument, parameters)?;
        pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        pieces.push(Piece::Parameter(name.to_owned()));
        rest = &tail[1..];
    }
    literal.push_str(rest);
    pieces.push(Piece::Literal(literal));
    Ok(pieces)
}

fn check_name(name: &str, argument: &str, parameters: &[&str]) -> Result<(), TemplateError> {
    if parameters.contains(&name) {
        return Ok(());
    }
    Err(TemplateError::Unknown { name: name.to_owned(), argument: argument.to_owned(), known: parameters.join(", ") })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fill(argument: &str) -> Result<String, TemplateError> {
        let values = Params::from_iter([("x", Value::from(1.5)), ("kind", "-a b".into())]);
        let template = Template::parse(&[argument.to_owned()], &["x", "kind"])?;
        Ok(template.fill(&values).words().concat())
    }

    #[test]
    fn fills_placeholders_anywhere_in_an_argument() {
        assert_eq!(fill("{x}").unwrap(), "1.5");
        assert_eq!(fill("--x={x},{x}!").unwrap(), "--x=1.5,1.5!");
        assert_eq!(fill("{kind}").unwrap(), "-a b");
        assert_eq!(fill("plain").unwrap(), "plain");
        assert_eq!(fill("").unwrap(), "");
    }

    #[test]
    fn doubled_braces_are_literal() {
        assert_eq!(fill("{{x}}").unwrap(), "{x}");
        assert_eq!(fill(r#"{{"x": {x}}}"#).unwrap(), r#"{"x": 1.5}"#);
        assert_eq!(fill("{{{x}}}").unwrap(), "{1.5}");
    }

    #[test]
    fn an_unknown_placeholder_is_answered_with_the_parameters() {
        let text = fill("a{z}").unwrap_err().to_string();
        assert!(text.contains("{z}") && text.contains("x, kind") && text.contains("{{"), "{text}");
    }

    #[test]
    fn single_braces_are_refused() {
        for argument in ["{x", "x}", "{x}}", "}{"] {
            assert!(matches!(fill(argument), Err(TemplateError::Unbalanced { .. })), "{argument}");
        }
    }
}
