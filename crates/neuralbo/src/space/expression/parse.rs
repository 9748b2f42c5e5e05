//! From text to a tree.

use winnow::combinator::{Infix, Postfix, Prefix, expression as operators, fail};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::Stateful;
use winnow::token::take_while;

use super::ast::{Ast, Comparison, Function, KEYWORDS};
use super::token::{is_of_word, space, symbol, word};
use crate::space::{Value, text};

/// Longest text of an expression, in bytes.
const LONGEST: usize = 1 << 16;
/// Most parentheses, signs and powers inside each other: every level is a few calls deep.
const DEEPEST: usize = 40;

/// The rest of the text, and how many levels are open.
pub(super) type Input<'i> = Stateful<&'i str, usize>;
type Parsed<T> = Result<T, ErrMode<Trouble>>;

/// The binding powers, from the loosest.
mod power {
    pub(super) const OR: i64 = 2;
    pub(super) const AND: i64 = 4;
    pub(super) const NOT: i64 = 6;
    pub(super) const COMPARE: i64 = 8;
    pub(super) const SUM: i64 = 10;
    pub(super) const PRODUCT: i64 = 12;
    pub(super) const NEGATE: i64 = 14;
    pub(super) const POWER: i64 = 16;
}

/// What is wrong, if more is known than that a value was expected, and how many bytes follow that place.
#[derive(Debug)]
struct Trouble {
    reason: Option<String>,
    left: usize,
}

impl ParserError<Input<'_>> for Trouble {
    type Inner = Self;

    fn from_input(input: &Input<'_>) -> Self {
        Self {
            reason: None,
            left: input.input.len(),
        }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// An error that no other reading of the text can repair.
fn stop<T>(input: &Input<'_>, reason: impl Into<String>) -> Parsed<T> {
    Err(ErrMode::Cut(Trouble {
        reason: Some(reason.into()),
        left: input.input.len(),
    }))
}

/// A part of the expression, and whether it stood in parentheses: chains do not go on through these.
struct Part {
    ast: Ast,
    grouped: bool,
}

impl From<Ast> for Part {
    fn from(ast: Ast) -> Self {
        Self {
            ast,
            grouped: false,
        }
    }
}

/// The tree of a whole text, or what is wrong with it.
pub(super) fn expression(text: &str) -> Result<Ast, String> {
    if text.len() > LONGEST {
        return Err(format!(
            "it has {} bytes, at most {LONGEST} are allowed",
            text.len()
        ));
    }
    let mut input = Input {
        input: text,
        state: 0,
    };
    let read = part(&mut input);
    let rest = |left: usize| text[text.len() - left..].trim_start();
    match read {
        Ok(part) if input.input.trim().is_empty() => Ok(part.ast),
        Ok(_) => Err(unexpected(input.input.trim_start())),
        Err(ErrMode::Cut(trouble) | ErrMode::Backtrack(trouble)) => Err(match trouble.reason {
            Some(reason) => reason,
            None if rest(trouble.left).is_empty() => {
                "a value is missing at the end, e.g. a number or a name".into()
            }
            None => format!(
                "a value is missing before `{}`, e.g. a number or a name",
                start_of(rest(trouble.left))
            ),
        }),
        Err(ErrMode::Incomplete(_)) => Err("it is incomplete".into()),
    }
}

/// What is wrong with text where an operator should be.
fn unexpected(rest: &str) -> String {
    match rest.strip_prefix('=') {
        Some(after) => format!(
            "a single `=` before `{}`; write `==` to compare",
            start_of(after.trim_start())
        ),
        None if rest.starts_with(')') => "a closing parenthesis without an opening one".into(),
        None => format!(
            "expected an operator such as `+`, `<=` or `and` before `{}`",
            start_of(rest)
        ),
    }
}

fn start_of(rest: &str) -> String {
    const MOST: usize = 20;
    match rest.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &rest[..end]),
        None => rest.to_owned(),
    }
}

/// One expression with all its operators.
fn part(input: &mut Input<'_>) -> Parsed<Part> {
    operators(operand)
        .prefix(prefix)
        .postfix(postfix)
        .infix(infix)
        .parse_next(input)
}

fn prefix<'i>(input: &mut Input<'i>) -> Parsed<Prefix<Input<'i>, Part, ErrMode<Trouble>>> {
    let is_unequal = input.input.trim_start().starts_with("!=");
    let prefix = if word(input, "not") || !is_unequal && symbol(input, "!") {
        Prefix(power::NOT, |input: &mut Input<'_>, part: Part| {
            signed(input, Ast::Not, part)
        })
    } else if symbol(input, "-") {
        Prefix(power::NEGATE, |input: &mut Input<'_>, part: Part| {
            signed(input, Ast::Negate, part)
        })
    } else {
        return fail.parse_next(input);
    };
    deeper(input)?;
    Ok(prefix)
}

fn signed(input: &mut Input<'_>, sign: fn(Box<Ast>) -> Ast, part: Part) -> Parsed<Part> {
    input.state -= 1;
    Ok(sign(Box::new(part.ast)).into())
}

/// One more level; whoever closes it counts back.
fn deeper(input: &mut Input<'_>) -> Parsed<()> {
    input.state += 1;
    if input.state > DEEPEST {
        return stop(
            input,
            format!("more than {DEEPEST} parentheses, signs or powers inside each other"),
        );
    }
    Ok(())
}

fn postfix<'i>(input: &mut Input<'i>) -> Parsed<Postfix<Input<'i>, Part, ErrMode<Trouble>>> {
    if word(input, "in") {
        Ok(Postfix(power::COMPARE, |input, of| is_in(input, of, false)))
    } else if word(input, "not") && word(input, "in") {
        Ok(Postfix(power::COMPARE, |input, of| is_in(input, of, true)))
    } else {
        fail.parse_next(input)
    }
}

fn is_in(input: &mut Input<'_>, of: Part, negated: bool) -> Parsed<Part> {
    if !symbol(input, "(") {
        return stop(
            input,
            "`in` needs its values in parentheses, e.g. `kernel in (rbf, poly)`",
        );
    }
    let options = list(input)?;
    if options.is_empty() {
        return stop(input, "`in ()` has no values, at least one is needed");
    }
    Ok(Ast::In {
        of: Box::new(of.ast),
        options,
        negated,
    }
    .into())
}

fn infix<'i>(input: &mut Input<'i>) -> Parsed<Infix<Input<'i>, Part, ErrMode<Trouble>>> {
    if word(input, "or") || symbol(input, "||") {
        return Ok(Infix::Left(power::OR, |_, left, right| {
            joined(left, right, Ast::Or, Ast::into_or)
        }));
    }
    if word(input, "and") || symbol(input, "&&") {
        return Ok(Infix::Left(power::AND, |_, left, right| {
            joined(left, right, Ast::And, Ast::into_and)
        }));
    }
    if symbol(input, "^") || symbol(input, "**") {
        deeper(input)?;
        return Ok(Infix::Right(power::POWER, |input, base, exponent| {
            input.state -= 1;
            Ok(Ast::Power(Box::new(base.ast), Box::new(exponent.ast)).into())
        }));
    }
    type Fold<'i> = fn(&mut Input<'i>, Part, Part) -> Parsed<Part>;
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    let operators: [(&str, i64, Fold<'i>); 10] = [
        ("+", power::SUM, |_, left, right| added(left, false, right)),
        ("-", power::SUM, |_, left, right| added(left, true, right)),
        ("*", power::PRODUCT, |_, left, right| {
            multiplied(left, false, right)
        }),
        ("/", power::PRODUCT, |_, left, right| {
            multiplied(left, true, right)
        }),
        ("<=", power::COMPARE, |_, left, right| {
            compared(left, AtMost, right)
        }),
        (">=", power::COMPARE, |_, left, right| {
            compared(left, AtLeast, right)
        }),
        ("==", power::COMPARE, |_, left, right| {
            compared(left, Equal, right)
        }),
        ("!=", power::COMPARE, |_, left, right| {
            compared(left, NotEqual, right)
        }),
        ("<", power::COMPARE, |_, left, right| {
            compared(left, Less, right)
        }),
        (">", power::COMPARE, |_, left, right| {
            compared(left, Greater, right)
        }),
    ];
    let mut operators = operators.into_iter();
    match operators.find(|(text, ..)| symbol(input, text)) {
        Some((_, power, fold)) => Ok(Infix::Left(power, fold)),
        None => fail.parse_next(input),
    }
}

/// `a and b and c` is one list.
fn joined(
    left: Part,
    right: Part,
    join: fn(Vec<Ast>) -> Ast,
    parts: fn(Ast) -> Result<Vec<Ast>, Ast>,
) -> Parsed<Part> {
    let mut list = match left.grouped {
        false => parts(left.ast).unwrap_or_else(|ast| vec![ast]),
        true => vec![left.ast],
    };
    list.push(right.ast);
    Ok(join(list).into())
}

fn added(left: Part, subtracted: bool, right: Part) -> Parsed<Part> {
    let mut terms = match (left.ast, left.grouped) {
        (Ast::Sum(terms), false) => terms,
        (ast, _) => vec![(false, ast)],
    };
    terms.push((subtracted, right.ast));
    Ok(Ast::Sum(terms).into())
}

fn multiplied(left: Part, divides: bool, right: Part) -> Parsed<Part> {
    let mut factors = match (left.ast, left.grouped) {
        (Ast::Product(factors), false) => factors,
        (ast, _) => vec![(false, ast)],
    };
    factors.push((divides, right.ast));
    Ok(Ast::Product(factors).into())
}

fn compared(left: Part, comparison: Comparison, right: Part) -> Parsed<Part> {
    let (first, mut rest) = match (left.ast, left.grouped) {
        (Ast::Compare(first, rest), false) => (first, rest),
        (ast, _) => (Box::new(ast), Vec::new()),
    };
    rest.push((comparison, right.ast));
    Ok(Ast::Compare(first, rest).into())
}

/// A literal, a name, a call or an expression in parentheses.
fn operand(input: &mut Input<'_>) -> Parsed<Part> {
    space(input);
    match input.input.chars().next() {
        Some('(') => group(input),
        Some('"' | '\'') => quoted(input),
        Some('`') => backticked(input),
        Some('[' | '{') => json(input),
        Some(c) if c.is_ascii_digit() || c == '.' => number(input),
        Some(c) if c.is_alphabetic() || c == '_' => named(input),
        _ => fail.parse_next(input),
    }
}

fn group(input: &mut Input<'_>) -> Parsed<Part> {
    symbol(input, "(");
    deeper(input)?;
    let inside = part(input).map_err(ErrMode::cut)?;
    close(input)?;
    input.state -= 1;
    Ok(Part {
        ast: inside.ast,
        grouped: true,
    })
}

/// Expressions with commas between them and the closing parenthesis.
fn list(input: &mut Input<'_>) -> Parsed<Vec<Ast>> {
    deeper(input)?;
    let mut parts = Vec::new();
    if !input.input.trim_start().starts_with(')') {
        loop {
            parts.push(part(input).map_err(ErrMode::cut)?.ast);
            if !symbol(input, ",") {
                break;
            }
        }
    }
    close(input)?;
    input.state -= 1;
    Ok(parts)
}

fn close(input: &mut Input<'_>) -> Parsed<()> {
    if symbol(input, ")") {
        return Ok(());
    }
    match input.input.trim_start() {
        "" => stop(input, "a closing parenthesis is missing"),
        rest => stop(input, unexpected(rest)),
    }
}

/// Text between two equal quotes; a backslash stands before a quote or a backslash.
fn quoted(input: &mut Input<'_>) -> Parsed<Part> {
    let mut chars = input.input.chars();
    let quote = chars.next();
    let mut content = String::new();
    while let Some(c) = chars.next() {
        match c {
            _ if Some(c) == quote => {
                input.input = chars.as_str();
                return Ok(Ast::Literal(Value::Text(content)).into());
            }
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\'' | '\\')) => content.push(escaped),
                _ => {
                    return stop(
                        input,
                        "inside quotes a backslash must be followed by a quote or a backslash",
                    );
                }
            },
            _ => content.push(c),
        }
    }
    stop(input, "a closing quote is missing")
}

fn backticked(input: &mut Input<'_>) -> Parsed<Part> {
    let inside = &input.input[1..];
    let Some((name, rest)) = inside.split_once('`') else {
        return stop(input, "a closing backtick is missing");
    };
    input.input = rest;
    Ok(Ast::Name(name.to_owned()).into())
}

fn json(input: &mut Input<'_>) -> Parsed<Part> {
    let mut values =
        serde_json::Deserializer::from_str(input.input).into_iter::<serde_json::Value>();
    match values.next() {
        Some(Ok(value)) => {
            input.input = &input.input[values.byte_offset()..];
            Ok(Ast::Literal(Value::Json(Box::new(value))).into())
        }
        Some(Err(error)) => stop(
            input,
            format!("a list or an object that is no JSON: {error}"),
        ),
        None => fail.parse_next(input),
    }
}

/// Digits with at most one point, then at most one exponent.
fn number(input: &mut Input<'_>) -> Parsed<Part> {
    let digits = |input: &mut Input<'_>| -> Parsed<()> {
        take_while(0.., |c: char| c.is_ascii_digit())
            .void()
            .parse_next(input)
    };
    let start = input.input;
    digits(input)?;
    if let Some(rest) = input.input.strip_prefix('.') {
        input.input = rest;
        digits(input)?;
    }
    if let Some(rest) = input.input.strip_prefix(['e', 'E']) {
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            input.input = rest;
            digits(input)?;
        }
    }
    let written = &start[..start.len() - input.input.len()];
    match text::number_or_word(written) {
        Ok(number @ (Value::Int(_) | Value::Float(_))) => Ok(Ast::Literal(number).into()),
        Ok(_) => stop(input, format!("`{written}` is no number")),
        Err(reason) => stop(input, reason),
    }
}

/// A word: a keyword that is a value, a function with its arguments, or a name.
fn named(input: &mut Input<'_>) -> Parsed<Part> {
    let end = input
        .input
        .find(|c: char| !is_of_word(c))
        .unwrap_or(input.input.len());
    let (word, rest) = input.input.split_at(end);
    let literal = match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if KEYWORDS.contains(&word) => return fail.parse_next(input),
        _ => None,
    };
    input.input = rest;
    match literal {
        Some(value) => Ok(Ast::Literal(value).into()),
        None if symbol(input, "(") => call(input, word),
        None => Ok(Ast::Word(word.to_owned()).into()),
    }
}

fn call(input: &mut Input<'_>, name: &str) -> Parsed<Part> {
    let mut functions = Function::NAMES.into_iter();
    let Some((_, function)) = functions.find(|(known, _)| *known == name) else {
        let known = Function::NAMES
            .map(|(known, _)| format!("`{known}`"))
            .join(", ");
        return stop(
            input,
            format!("unknown function `{name}`; there are {known}"),
        );
    };
    let arguments = list(input)?;
    match arguments.len() {
        0 => stop(
            input,
            format!("`{name}()` needs a number in its parentheses"),
        ),
        1 => Ok(Ast::Call(function, arguments).into()),
        _ if function.takes_many() => Ok(Ast::Call(function, arguments).into()),
        found => stop(input, format!("`{name}` takes one number, found {found}")),
    }
}
