//! From text to a tree.

use winnow::combinator::{Infix, Postfix, Prefix, expression as operators, fail};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::Stateful;

use super::ast::{Ast, KEYWORDS, NumberFunction, Relation};
use crate::limits::{self, EXPRESSION_NESTING};
use crate::space::{Value, text};

/// The rest of the text, and how many levels are open.
type Input<'i> = Stateful<&'i str, usize>;
type Parsed<T> = Result<T, ErrMode<Trouble>>;
type Fold<'i> = fn(&mut Input<'i>, ParsedPart, ParsedPart) -> Parsed<ParsedPart>;

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
        let (reason, left) = (None, input.input.len());
        Self { reason, left }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// An error that no other reading of the text can repair.
fn stop<T>(input: &Input<'_>, reason: impl Into<String>) -> Parsed<T> {
    let (reason, left) = (Some(reason.into()), input.input.len());
    Err(ErrMode::Cut(Trouble { reason, left }))
}

/// A part of the expression, and whether it stood in parentheses: chains do not go on through these.
struct ParsedPart {
    ast: Ast,
    grouped: bool,
}

impl From<Ast> for ParsedPart {
    fn from(ast: Ast) -> Self {
        let grouped = false;
        Self { ast, grouped }
    }
}

/// The tree of a whole text, or what is wrong with it. It is stored as it is printed, which has more parentheses than a text that relies
/// on precedence: that must be readable, too.
pub(super) fn expression(text: &str) -> Result<Ast, String> {
    let ast = tree(text)?;
    let printed = ast.to_string();
    match tree(&printed) {
        Err(reason) => Err(format!(
            "{reason}, with all its parentheses: `{}`",
            start_of(&printed)
        )),
        Ok(_) => Ok(ast),
    }
}

fn tree(text: &str) -> Result<Ast, String> {
    limits::check("bytes", text.len(), limits::EXPRESSION)?;
    let (rest, state) = (text, 0);
    let mut input = Input { input: rest, state };
    let read = part(&mut input);
    let rest = |left: usize| text[text.len() - left..].trim_start();
    match read {
        Ok(part) if input.input.trim().is_empty() => Ok(part.ast),
        Ok(_) => Err(unexpected(input.input.trim_start())),
        Err(ErrMode::Cut(trouble) | ErrMode::Backtrack(trouble)) => Err(match trouble.reason {
            Some(reason) => reason,
            None => match start_of(rest(trouble.left)).as_str() {
                "" => "a value is missing at the end, e.g. a number or a name".into(),
                rest => format!("a value is missing before `{rest}`, e.g. a number or a name"),
            },
        }),
        Err(ErrMode::Incomplete(_)) => Err("it is incomplete".into()),
    }
}

/// What is wrong with text where an operator should be.
fn unexpected(rest: &str) -> String {
    let (start, after) = (start_of(rest), rest.strip_prefix('=').map(str::trim_start));
    match after.map(start_of) {
        Some(after) => format!("a single `=` before `{after}`; write `==` to compare"),
        None if rest.starts_with(')') => "a closing parenthesis without an opening one".into(),
        None => format!("expected an operator such as `+`, `<=` or `and` before `{start}`"),
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
fn part(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    let parser = operators(operand).prefix(prefix).postfix(postfix);
    parser.infix(infix).parse_next(input)
}

fn prefix<'i>(input: &mut Input<'i>) -> Parsed<Prefix<Input<'i>, ParsedPart, ErrMode<Trouble>>> {
    let is_unequal = input.input.trim_start().starts_with("!=");
    let prefix = if word(input, "not") || !is_unequal && symbol(input, "!") {
        Prefix(power::NOT, |input: &mut Input<'_>, part| {
            signed(input, Ast::Not, part)
        })
    } else if symbol(input, "-") {
        Prefix(power::NEGATE, |input: &mut Input<'_>, part| {
            signed(input, Ast::Negate, part)
        })
    } else {
        return fail.parse_next(input);
    };
    deeper(input)?;
    Ok(prefix)
}

fn signed(
    input: &mut Input<'_>,
    sign: fn(Box<Ast>) -> Ast,
    part: ParsedPart,
) -> Parsed<ParsedPart> {
    input.state -= 1;
    Ok(sign(Box::new(part.ast)).into())
}

/// One more level; where it ends, it is counted back.
fn deeper(input: &mut Input<'_>) -> Parsed<()> {
    input.state += 1;
    if input.state > EXPRESSION_NESTING {
        let reason = format!(
            "more than {EXPRESSION_NESTING} parentheses, signs or powers inside each other"
        );
        return stop(input, reason);
    }
    Ok(())
}

fn postfix<'i>(input: &mut Input<'i>) -> Parsed<Postfix<Input<'i>, ParsedPart, ErrMode<Trouble>>> {
    if word(input, "in") {
        Ok(Postfix(power::COMPARE, is_in::<false>))
    } else if word(input, "not") && word(input, "in") {
        Ok(Postfix(power::COMPARE, is_in::<true>))
    } else {
        fail.parse_next(input)
    }
}

fn is_in<const NEGATED: bool>(input: &mut Input<'_>, of: ParsedPart) -> Parsed<ParsedPart> {
    if !symbol(input, "(") {
        let reason = "`in` needs its values in parentheses, e.g. `kernel in (rbf, poly)`";
        return stop(input, reason);
    }
    let options = list(input)?;
    if options.is_empty() {
        return stop(input, "`in ()` has no values, at least one is needed");
    }
    let (of, negated) = (Box::new(of.ast), NEGATED);
    Ok(Ast::In {
        of,
        options,
        negated,
    }
    .into())
}

fn infix<'i>(input: &mut Input<'i>) -> Parsed<Infix<Input<'i>, ParsedPart, ErrMode<Trouble>>> {
    if word(input, "or") || symbol(input, "||") {
        let join: Fold<'i> = |_, left, right| joined(left, right, Ast::Or, Ast::into_or);
        return Ok(Infix::Left(power::OR, join));
    }
    if word(input, "and") || symbol(input, "&&") {
        let join: Fold<'i> = |_, left, right| joined(left, right, Ast::And, Ast::into_and);
        return Ok(Infix::Left(power::AND, join));
    }
    if symbol(input, "^") || symbol(input, "**") {
        deeper(input)?;
        return Ok(Infix::Right(power::POWER, |input, base, exponent| {
            input.state -= 1;
            Ok(Ast::Power(Box::new(base.ast), Box::new(exponent.ast)).into())
        }));
    }
    let operators: [(&str, i64, Fold<'i>); 10] = [
        ("+", power::SUM, added::<false>),
        ("-", power::SUM, added::<true>),
        ("*", power::PRODUCT, multiplied::<false>),
        ("/", power::PRODUCT, multiplied::<true>),
        ("<=", power::COMPARE, compared::<0>),
        (">=", power::COMPARE, compared::<1>),
        ("==", power::COMPARE, compared::<2>),
        ("!=", power::COMPARE, compared::<3>),
        ("<", power::COMPARE, compared::<4>),
        (">", power::COMPARE, compared::<5>),
    ];
    let mut operators = operators.into_iter();
    match operators.find(|(text, ..)| symbol(input, text)) {
        Some((_, power, fold)) => Ok(Infix::Left(power, fold)),
        None => fail.parse_next(input),
    }
}

/// `a and b and c` is one list.
fn joined(
    left: ParsedPart,
    right: ParsedPart,
    join: fn(Vec<Ast>) -> Ast,
    parts: fn(Ast) -> Result<Vec<Ast>, Ast>,
) -> Parsed<ParsedPart> {
    let mut list = match left.grouped {
        false => parts(left.ast).unwrap_or_else(|ast| vec![ast]),
        true => vec![left.ast],
    };
    list.push(right.ast);
    Ok(join(list).into())
}

fn added<const MINUS: bool>(
    _: &mut Input<'_>,
    left: ParsedPart,
    right: ParsedPart,
) -> Parsed<ParsedPart> {
    let mut terms = match (left.ast, left.grouped) {
        (Ast::Sum(terms), false) => terms,
        (ast, _) => vec![(false, ast)],
    };
    terms.push((MINUS, right.ast));
    Ok(Ast::Sum(terms).into())
}

fn multiplied<const DIVIDES: bool>(
    _: &mut Input<'_>,
    left: ParsedPart,
    right: ParsedPart,
) -> Parsed<ParsedPart> {
    let mut factors = match (left.ast, left.grouped) {
        (Ast::Product(factors), false) => factors,
        (ast, _) => vec![(false, ast)],
    };
    factors.push((DIVIDES, right.ast));
    Ok(Ast::Product(factors).into())
}

/// Compared by the relation at a place among [`Relation::SYMBOLS`].
fn compared<const PLACE: usize>(
    _: &mut Input<'_>,
    left: ParsedPart,
    right: ParsedPart,
) -> Parsed<ParsedPart> {
    let (first, mut rest) = match (left.ast, left.grouped) {
        (Ast::Compare(first, rest), false) => (first, rest),
        (ast, _) => (Box::new(ast), Vec::new()),
    };
    rest.push((Relation::SYMBOLS[PLACE].1, right.ast));
    Ok(Ast::Compare(first, rest).into())
}

/// A literal, a name, a call or an expression in parentheses.
fn operand(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    input.input = input.input.trim_start();
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

fn group(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    symbol(input, "(");
    deeper(input)?;
    let inside = part(input).map_err(ErrMode::cut)?;
    close(input)?;
    input.state -= 1;
    let (ast, grouped) = (inside.ast, true);
    Ok(ParsedPart { ast, grouped })
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
fn quoted(input: &mut Input<'_>) -> Parsed<ParsedPart> {
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
                    let allowed =
                        "inside quotes a backslash must be followed by a quote or a backslash";
                    return stop(input, allowed);
                }
            },
            _ => content.push(c),
        }
    }
    stop(input, "a closing quote is missing")
}

fn backticked(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    let inside = &input.input[1..];
    let Some((name, rest)) = inside.split_once('`') else {
        return stop(input, "a closing backtick is missing");
    };
    input.input = rest;
    Ok(Ast::Name(name.to_owned()).into())
}

fn json(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    let values = serde_json::Deserializer::from_str(input.input);
    let mut values = values.into_iter::<serde_json::Value>();
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
fn number(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    let digits = |input: &mut Input<'_>| {
        input.input = input.input.trim_start_matches(|c: char| c.is_ascii_digit());
    };
    let start = input.input;
    digits(input);
    if let Some(rest) = input.input.strip_prefix('.') {
        input.input = rest;
        digits(input);
    }
    if let Some(rest) = input.input.strip_prefix(['e', 'E']) {
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            input.input = rest;
            digits(input);
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
fn named(input: &mut Input<'_>) -> Parsed<ParsedPart> {
    let end = input.input.find(|c: char| !is_of_word(c));
    let end = end.unwrap_or(input.input.len());
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

fn call(input: &mut Input<'_>, name: &str) -> Parsed<ParsedPart> {
    let mut functions = NumberFunction::NAMES.into_iter();
    let Some((_, function)) = functions.find(|(known, _)| *known == name) else {
        let known = NumberFunction::NAMES
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

/// Whether a character may be in a word without backticks.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Takes the symbol if it is next.
fn symbol(input: &mut Input<'_>, symbol: &str) -> bool {
    let rest = input.input.trim_start().strip_prefix(symbol);
    rest.map(|rest| input.input = rest).is_some()
}

/// Takes the word if it is next, and whole.
fn word(input: &mut Input<'_>, word: &str) -> bool {
    let rest = input.input.trim_start().strip_prefix(word);
    let rest = rest.filter(|rest| !rest.starts_with(is_of_word));
    rest.map(|rest| input.input = rest).is_some()
}
