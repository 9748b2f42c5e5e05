//! The command with its placeholders and its groups of arguments, which are omitted if a parameter is
//! inactive.

use neuralbo::space::{Parameter, Params, Space, Value};

/// The reason for a rejected command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The placeholder is unknown.
    #[error(
        "the placeholder {{{name}}} in the argument `{argument}` is unknown; parameters: {known}; write {{{{ and }}}} for literal braces, as in JSON or awk"
    )]
    Unknown {
        name: String,
        argument: String,
        known: String,
    },
    /// A brace has no partner.
    #[error(
        "the argument `{argument}` has a single `{brace}`; write `{brace}{brace}` for a literal brace, as in JSON or awk"
    )]
    Unbalanced { brace: char, argument: String },
    /// A parameter that may be inactive is outside of a group.
    #[error(
        "the placeholder {{{name}}} in the argument `{argument}`: the parameter is active only if {condition}; put its arguments in brackets, e.g. `[--{name} {{{name}}}]`, and they are omitted while it is inactive"
    )]
    Conditional {
        name: String,
        argument: String,
        condition: String,
    },
    /// An unmatched or useless bracket.
    #[error(
        "the argument `{argument}` {trouble}; brackets enclose arguments that are omitted while a parameter is inactive, e.g. `[--C {{C}}]`; write `[[` at the start and `]]` at the end of an argument for literal brackets"
    )]
    Bracket {
        argument: String,
        trouble: &'static str,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Literal(String),
    Parameter(String),
    /// One of [`GIVEN`].
    Given(&'static str),
}

/// Placeholders beside the parameters, unless parameters have these names.
pub const GIVEN: [&str; 2] = [CHECKPOINT, STEPS];
pub const CHECKPOINT: &str = "checkpoint";
pub const STEPS: &str = "steps";

/// A program and its arguments, each with placeholders; checked against the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTemplate(Vec<Argument>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Argument {
    pieces: Vec<TemplatePiece>,
    /// Which group it belongs to.
    group: Option<usize>,
}

impl Argument {
    fn parameters(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Parameter(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

impl CommandTemplate {
    /// Reads `{name}` as a placeholder and `{{`, `}}` as literal braces. Arguments in brackets are groups if the space has
    /// conditions, or if one of them starts with `[--`: a command survives the removal of its last condition.
    pub fn parse(arguments: &[String], space: &Space) -> Result<Self, TemplateError> {
        let is_group = |argument: &String| argument.starts_with("[--");
        if !space.has_conditions() && !arguments.iter().any(is_group) {
            let argument = |text: &String| {
                let (pieces, group) = (parse_argument(text, text, space)?, None);
                Ok(Argument { pieces, group })
            };
            let parsed = arguments.iter().map(argument);
            return parsed.collect::<Result<_, _>>().map(Self);
        }
        grouped(arguments, space)
    }

    /// Whether a placeholder of [`GIVEN`] is used.
    pub fn wants(&self, name: &str) -> bool {
        let mut pieces = self.0.iter().flat_map(|argument| &argument.pieces);
        pieces.any(|piece| matches!(piece, TemplatePiece::Given(given) if *given == name))
    }

    /// The arguments with all placeholders replaced, without the groups with an inactive parameter.
    /// Placeholders without a value are empty; `given` has the values of [`GIVEN`].
    pub fn fill(&self, params: &Params, given: &[(&str, String)]) -> Vec<String> {
        let is_absent = |name: &str| params.get(name).is_none();
        let lacks = |argument: &&Argument| argument.parameters().any(is_absent);
        let lacking = self.0.iter().filter(lacks);
        let omitted: Vec<_> = lacking.filter_map(|argument| argument.group).collect();
        let text = |piece: &TemplatePiece| match piece {
            TemplatePiece::Literal(text) => text.clone(),
            TemplatePiece::Parameter(name) => {
                params.get(name).map(Value::to_string).unwrap_or_default()
            }
            TemplatePiece::Given(name) => {
                let found = given.iter().find(|(known, _)| known == name);
                found.map(|(_, text)| text.clone()).unwrap_or_default()
            }
        };
        self.0
            .iter()
            .filter(|argument| argument.group.is_none_or(|group| !omitted.contains(&group)))
            .map(|argument| argument.pieces.iter().map(text).collect())
            .collect()
    }
}

/// The arguments with their groups. A group starts with an argument that starts with `[` and ends with
/// one that ends with `]`; a group in one argument is split at its spaces. Doubled brackets are literal.
fn grouped(arguments: &[String], space: &Space) -> Result<CommandTemplate, TemplateError> {
    let trouble = |argument: &String, trouble| TemplateError::Bracket {
        argument: argument.clone(),
        trouble,
    };
    let mut all: Vec<Argument> = Vec::new();
    let (mut open, mut groups) = (None, 0);
    let bare = arguments.iter().flat_map(|argument| {
        let words = Bare::of(argument).words().into_iter();
        words.map(move |bare| (argument, bare))
    });
    for (argument, bare) in bare {
        if bare.opens {
            match open {
                Some(_) => return Err(trouble(argument, "opens a bracket inside another one")),
                None => open = Some((argument, all.len())),
            }
        }
        if bare.closes && open.is_none() {
            return Err(trouble(argument, "closes a bracket that was not opened"));
        }
        let pieces = parse_argument(&bare.text, argument, space)?;
        let group = open.map(|_| groups);
        let parsed = Argument { pieces, group };
        if open.is_none() {
            check_outside(&parsed, argument, space)?;
        }
        // A single bracket is not an argument.
        if !(bare.text.is_empty() && (bare.opens || bare.closes)) {
            all.push(parsed);
        }
        if let Some((opening, first)) = open.filter(|_| bare.closes) {
            let mut names = all[first..].iter().flat_map(Argument::parameters);
            if names.next().is_none() {
                let useless = "opens a bracket without the placeholder of a parameter";
                return Err(trouble(opening, useless));
            }
            (open, groups) = (None, groups + 1);
        }
    }
    match open {
        Some((opening, _)) => {
            let unclosed = "opens a bracket that no argument closes with `]` at its end";
            Err(trouble(opening, unclosed))
        }
        None => Ok(CommandTemplate(all)),
    }
}

/// An argument without the brackets of its group.
#[derive(Default)]
struct Bare {
    text: String,
    opens: bool,
    closes: bool,
}

impl Bare {
    fn of(argument: &str) -> Self {
        let (opens, rest) = match (argument.strip_prefix("[["), argument.strip_prefix('[')) {
            (Some(_), _) => (false, &argument[1..]),
            (None, Some(rest)) => (true, rest),
            (None, None) => (false, argument),
        };
        let (closes, text) = match (rest.strip_suffix("]]"), rest.strip_suffix(']')) {
            (Some(_), _) => (false, &rest[..rest.len() - 1]),
            (None, Some(text)) => (true, text),
            (None, None) => (false, rest),
        };
        let text = text.to_owned();
        Self {
            text,
            opens,
            closes,
        }
    }

    /// A group in one argument as the arguments that its spaces separate.
    fn words(self) -> Vec<Self> {
        if !(self.opens && self.closes) {
            return vec![self];
        }
        let word = |word: &str| Self {
            text: word.to_owned(),
            ..Self::default()
        };
        let mut words: Vec<Self> = self.text.split_whitespace().map(word).collect();
        match words.as_mut_slice() {
            [] => return vec![self],
            [only] => (only.opens, only.closes) = (true, true),
            [first, .., last] => (first.opens, last.closes) = (true, true),
        }
        words
    }
}

fn condition(space: &Space, name: &str) -> Option<String> {
    let condition = space.parameter(name)?.condition()?;
    Some(condition.to_string())
}

fn check_outside(parsed: &Argument, argument: &str, space: &Space) -> Result<(), TemplateError> {
    let conditional = |name| Some((name, condition(space, name)?));
    match parsed.parameters().find_map(conditional) {
        Some((name, condition)) => Err(TemplateError::Conditional {
            name: name.to_owned(),
            argument: argument.to_owned(),
            condition,
        }),
        None => Ok(()),
    }
}

/// The pieces of an argument, or of a part of it.
fn parse_argument(
    text: &str,
    argument: &str,
    space: &Space,
) -> Result<Vec<TemplatePiece>, TemplateError> {
    let unbalanced = |brace| TemplateError::Unbalanced {
        brace,
        argument: argument.to_owned(),
    };
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let opens = rest[at..].starts_with('{');
        let (brace, after) = (if opens { '{' } else { '}' }, &rest[at + 1..]);
        if let Some(escaped) = after.strip_prefix(brace) {
            literal.push(brace);
            rest = escaped;
            continue;
        }
        let close = after.find('}').filter(|_| opens);
        let (name, tail) = after.split_at(close.ok_or_else(|| unbalanced(brace))?);
        pieces.push(TemplatePiece::Literal(std::mem::take(&mut literal)));
        pieces.push(placeholder(name, argument, space)?);
        rest = &tail[1..];
    }
    literal.push_str(rest);
    pieces.push(TemplatePiece::Literal(literal));
    Ok(pieces)
}

fn placeholder(name: &str, argument: &str, space: &Space) -> Result<TemplatePiece, TemplateError> {
    if space.parameter(name).is_some() {
        return Ok(TemplatePiece::Parameter(name.to_owned()));
    }
    if let Some(given) = GIVEN.into_iter().find(|given| *given == name) {
        return Ok(TemplatePiece::Given(given));
    }
    let known = space
        .parameters()
        .iter()
        .map(Parameter::name)
        .collect::<Vec<_>>()
        .join(", ");
    Err(TemplateError::Unknown {
        name: name.to_owned(),
        argument: argument.to_owned(),
        known,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fill(argument: &str) -> Result<String, TemplateError> {
        let values = Params::from_iter([("x", Value::from(1.5)), ("kind", "-a b".into())]);
        let space = space(&["x=float(0,2)", "kind=\"-a b\""]);
        let template = CommandTemplate::parse(&[argument.to_owned()], &space)?;
        let filled = template.fill(&values, &[(CHECKPOINT, "/c".to_owned())]);
        Ok(filled.concat())
    }

    fn space(texts: &[&str]) -> Space {
        Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap()
    }

    fn conditional() -> Space {
        space(&[
            "kernel=choice(linear,rbf)",
            "C=float(0,9) if kernel == rbf",
            "d=int(1,3) if kernel == rbf and C < 5",
        ])
    }

    fn groups(command: &str, params: &str) -> Result<Vec<String>, TemplateError> {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let template = CommandTemplate::parse(&arguments, &conditional())?;
        Ok(words(&template, params))
    }

    fn words(template: &CommandTemplate, params: &str) -> Vec<String> {
        let params = serde_json::from_str(params).unwrap();
        template.fill(&params, &[])
    }

    #[test]
    fn groups_are_left_out_where_a_parameter_is_inactive() {
        let (none, one) = (r#"{"kernel":"linear"}"#, r#"{"kernel":"rbf","C":5.5}"#);
        let all = r#"{"kernel":"rbf","C":1.5,"d":2}"#;
        for (command, words) in [
            (
                "p {kernel} [--C {C}] end",
                ["p linear end", "p rbf --C 5.5 end", "p rbf --C 1.5 end"],
            ),
            (
                "p [--C={C}] [-d {d} -e]",
                ["p", "p --C=5.5", "p --C=1.5 -d 2 -e"],
            ),
            ("p [ --both {C} {d} ]", ["p", "p", "p --both 1.5 2"]),
            (
                "p [--k {kernel}]",
                ["p --k linear", "p --k rbf", "p --k rbf"],
            ),
            (
                "p [--k {kernel} {C}] [[1,2]]",
                ["p [1,2]", "p --k rbf 5.5 [1,2]", "p --k rbf 1.5 [1,2]"],
            ),
            (
                "p a[0]x --list=[1]] [{C}]",
                [
                    "p a[0]x --list=[1]",
                    "p a[0]x --list=[1] 5.5",
                    "p a[0]x --list=[1] 1.5",
                ],
            ),
        ] {
            let found = [none, one, all].map(|params| groups(command, params).unwrap().join(" "));
            assert_eq!(found, words, "{command}");
        }
    }

    #[test]
    fn a_group_in_one_argument_is_split_at_its_spaces() {
        let command = ["p".to_owned(), "[--C {C}  -v]".to_owned(), "a b".to_owned()];
        let template = CommandTemplate::parse(&command, &conditional()).unwrap();
        let active = words(&template, r#"{"kernel":"rbf","C":1.5}"#);
        assert_eq!(active, ["p", "--C", "1.5", "-v", "a b"]);
        let inactive = words(&template, r#"{"kernel":"linear"}"#);
        assert_eq!(inactive, ["p", "a b"]);
    }

    #[test]
    fn what_cannot_be_left_out_is_refused() {
        let error = |command: &str| groups(command, "{}").unwrap_err().to_string();
        let outside = error("p --C {C}");
        for part in ["{C}", "only if kernel == rbf", "[--C {C}]"] {
            assert!(outside.contains(part), "{outside}");
        }
        for (command, trouble) in [
            ("p [--C {C}", "no argument closes"),
            ("p {kernel}]", "not opened"),
            ("p [--C [ {C} ]", "inside another"),
            ("p [--k all] {kernel}", "without the placeholder"),
            ("p [--C {z}]", "is unknown"),
        ] {
            let message = error(command);
            assert!(message.contains(trouble), "{command}: {message}");
        }
    }

    #[test]
    fn brackets_mean_nothing_without_conditions() {
        for argument in ["[", "[x]", "[[ {{", "a]]"] {
            assert_eq!(fill(argument).unwrap(), argument.replace("{{", "{"));
        }
        assert_eq!(
            fill("[--x={x}]").unwrap(),
            "--x=1.5",
            "its condition was dropped"
        );
    }

    #[test]
    fn placeholders_are_filled_and_doubled_braces_are_literal() {
        for (argument, filled) in [
            ("{x}", "1.5"),
            ("--x={x},{x}!", "--x=1.5,1.5!"),
            ("{kind}", "-a b"),
            ("plain", "plain"),
            ("", ""),
            ("--save={checkpoint}/{steps}x", "--save=/c/x"),
            ("{{x}}", "{x}"),
            (r#"{{"x": {x}}}"#, r#"{"x": 1.5}"#),
            ("{{{x}}}", "{1.5}"),
        ] {
            assert_eq!(fill(argument).as_deref(), Ok(filled));
        }
        for argument in ["{x", "x}", "{x}}", "}{"] {
            let error = fill(argument).unwrap_err();
            assert!(matches!(error, TemplateError::Unbalanced { .. }), "{error}");
        }
        let error = fill("a{z}").unwrap_err().to_string();
        assert!(error.contains("{z}") && error.contains("x, kind") && error.contains("{{"));
    }

    #[test]
    fn a_parameter_takes_precedence_over_other_placeholders() {
        let named = space(&["steps=int(1,9)"]);
        let template = CommandTemplate::parse(&["{steps}".to_owned()], &named).unwrap();
        let params = Params::from_iter([("steps", Value::from(7))]);
        let filled = template.fill(&params, &[(STEPS, "81".to_owned())]);
        assert_eq!(filled, ["7"]);
        assert!(!template.wants(STEPS));
    }
}
