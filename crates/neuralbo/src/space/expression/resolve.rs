//! From a tree of words to a predicate over the parameters of a space.

use super::ast::{Ast, Comparison};
use super::predicate::{Number, Predicate, Truth};
use super::print::written;
use crate::space::{Domain, Parameter, Value};

/// What a part of an expression turned out to be.
enum Typed {
    /// A value that is written out.
    Constant(Value),
    /// A number that depends on parameters.
    Number(Number),
    /// A parameter with values that are not just numbers of a range.
    Choice(usize),
    /// True or false.
    Truth(Truth),
    /// A bare word that is no name: text, where text can be.
    Text(String),
}

/// The predicate of a whole expression, or what is wrong with it.
pub(super) fn predicate(ast: &Ast, parameters: &[Parameter]) -> Result<Predicate, String> {
    let resolver = Resolver { parameters };
    let predicate = Predicate::new(resolver.truth(ast)?);
    if predicate.positions().is_empty() {
        return Err(format!(
            "it names no parameter; there are {}",
            resolver.names()
        ));
    }
    Ok(predicate)
}

struct Resolver<'a> {
    parameters: &'a [Parameter],
}

impl Resolver<'_> {
    fn names(&self) -> String {
        let names: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| format!("`{}`", parameter.name()))
            .collect();
        names.join(", ")
    }

    fn domain(&self, position: usize) -> &Domain {
        self.parameters[position].domain()
    }

    /// What is wrong with a name that no parameter has.
    fn unknown(&self, word: &str) -> String {
        let dashed = self
            .parameters
            .iter()
            .find(|parameter| parameter.name().split('-').next() == Some(word));
        match dashed.filter(|parameter| parameter.name().contains('-')) {
            Some(parameter) => format!(
                "unknown name `{word}`; write {} for that parameter",
                written(parameter.name())
            ),
            None => format!(
                "unknown name `{word}`; the parameters are {}; write \"{word}\" for text",
                self.names()
            ),
        }
    }

    fn typed(&self, ast: &Ast) -> Result<Typed, String> {
        Ok(match ast {
            Ast::Literal(value) => Typed::Constant(value.clone()),
            Ast::Word(word) => match self.position(word) {
                Some(position) => self.parameter(position),
                None => Typed::Text(word.clone()),
            },
            Ast::Name(name) => self
                .position(name)
                .map(|position| self.parameter(position))
                .ok_or_else(|| self.unknown(name))?,
            Ast::Negate(_) | Ast::Sum(_) | Ast::Product(_) | Ast::Power(..) | Ast::Call(..) => {
                match self.arithmetic(ast)? {
                    Number::Constant(x) => Typed::Constant(Value::Float(x)),
                    number => Typed::Number(number),
                }
            }
            Ast::Compare(..) | Ast::In { .. } | Ast::Not(_) | Ast::And(_) | Ast::Or(_) => {
                Typed::Truth(self.logic(ast)?)
            }
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.parameters
            .iter()
            .position(|parameter| parameter.name() == name)
    }

    fn parameter(&self, position: usize) -> Typed {
        let domain = self.domain(position);
        if domain.is_numeric() || domain.fixed().and_then(Value::as_f64).is_some() {
            Typed::Number(Number::Parameter(position))
        } else {
            Typed::Choice(position)
        }
    }

    /// The number that a part stands for.
    fn number(&self, ast: &Ast) -> Result<Number, String> {
        let typed = self.typed(ast)?;
        self.as_number(ast, typed)
    }

    fn as_number(&self, ast: &Ast, typed: Typed) -> Result<Number, String> {
        match typed {
            Typed::Number(number) => Ok(number),
            Typed::Constant(value) => match value.as_f64() {
                Some(x) => Ok(Number::Constant(x)),
                None => Err(format!(
                    "`{ast}` is {}, where a number is needed",
                    kind(&value)
                )),
            },
            Typed::Choice(position) if self.has_numbers(position) => {
                Ok(Number::Parameter(position))
            }
            Typed::Choice(position) => Err(format!(
                "parameter `{}` is no number, it is {}",
                self.parameters[position].name(),
                self.domain(position).allowed()
            )),
            Typed::Truth(_) => Err(format!(
                "`{ast}` is true or false, where a number is needed"
            )),
            Typed::Text(word) => Err(self.unknown(&word)),
        }
    }

    /// Whether a choice is between numbers, and perhaps null: where it is null, what is computed from it does not apply.
    fn has_numbers(&self, position: usize) -> bool {
        let values = self.domain(position).values().unwrap_or_default();
        let is_number = |value: &Value| value.as_f64().is_some();
        values.iter().any(is_number)
            && values
                .iter()
                .all(|value| is_number(value) || *value == Value::Null)
    }

    /// A number that is computed.
    fn arithmetic(&self, ast: &Ast) -> Result<Number, String> {
        let signed = |parts: &[(bool, Ast)]| -> Result<Vec<(bool, Number)>, String> {
            parts
                .iter()
                .map(|(inverse, part)| Ok((*inverse, self.number(part)?)))
                .collect()
        };
        let number = match ast {
            Ast::Negate(part) => Number::Negate(Box::new(self.number(part)?)),
            Ast::Sum(terms) => Number::Sum(signed(terms)?),
            Ast::Product(factors) => {
                let product = signed(factors)?;
                if product.iter().any(|(divides, factor)| {
                    *divides && matches!(factor, Number::Constant(x) if *x == 0.0)
                }) {
                    return Err(format!("division by zero in `{ast}`"));
                }
                Number::Product(product)
            }
            Ast::Power(base, exponent) => Number::Power(
                Box::new(self.number(base)?),
                Box::new(self.number(exponent)?),
            ),
            Ast::Call(function, arguments) => Number::Call(
                *function,
                arguments
                    .iter()
                    .map(|argument| self.number(argument))
                    .collect::<Result<_, _>>()?,
            ),
            _ => return self.number(ast),
        };
        folded(ast, number)
    }

    /// The truth that a part stands for.
    fn truth(&self, ast: &Ast) -> Result<Truth, String> {
        let typed = self.typed(ast)?;
        self.as_truth(ast, typed)
    }

    fn as_truth(&self, ast: &Ast, typed: Typed) -> Result<Truth, String> {
        match typed {
            Typed::Truth(truth) => Ok(truth),
            Typed::Choice(position) if self.is_bool(position) => {
                Ok(Truth::Member(position, vec![Value::Bool(true)]))
            }
            Typed::Constant(Value::Bool(true)) => Ok(Truth::And(Vec::new())),
            Typed::Constant(Value::Bool(false)) => Ok(Truth::Or(Vec::new())),
            Typed::Text(word) => Err(self.unknown(&word)),
            Typed::Number(_) => Err(format!(
                "`{ast}` is a number, not true or false; compare it, e.g. `{ast} <= 1`"
            )),
            Typed::Constant(value) => {
                Err(format!("`{ast}` is {}, not true or false", kind(&value)))
            }
            Typed::Choice(position) => Err(format!(
                "parameter `{}` is not true or false, it is {}; compare it with `==` or `in`",
                self.parameters[position].name(),
                self.domain(position).allowed()
            )),
        }
    }

    fn is_bool(&self, position: usize) -> bool {
        let domain = self.domain(position);
        let values = domain.values().filter(|_| !domain.is_ordinal());
        values.is_some_and(|values| values.iter().all(|value| value.as_bool().is_some()))
    }

    /// A truth that is derived.
    fn logic(&self, ast: &Ast) -> Result<Truth, String> {
        let all = |parts: &[Ast]| {
            parts
                .iter()
                .map(|part| self.truth(part))
                .collect::<Result<Vec<_>, String>>()
        };
        Ok(match ast {
            Ast::Not(part) => Truth::Not(Box::new(self.truth(part)?)),
            Ast::And(parts) => Truth::And(all(parts)?),
            Ast::Or(parts) => Truth::Or(all(parts)?),
            Ast::In {
                of,
                options,
                negated,
            } => {
                let equal = |option| self.compared(of, Comparison::Equal, option);
                let any = any_of(options.iter().map(equal).collect::<Result<_, _>>()?);
                if *negated {
                    Truth::Not(Box::new(any))
                } else {
                    any
                }
            }
            Ast::Compare(first, rest) => {
                let lefts =
                    std::iter::once(first.as_ref()).chain(rest.iter().map(|(_, part)| part));
                let pairs = lefts
                    .zip(rest)
                    .map(|(left, (comparison, right))| self.compared(left, *comparison, right));
                let mut truths = pairs.collect::<Result<Vec<_>, _>>()?;
                match truths.len() {
                    1 => truths.remove(0),
                    _ => Truth::And(truths),
                }
            }
            _ => return self.truth(ast),
        })
    }

    fn compared(&self, left: &Ast, comparison: Comparison, right: &Ast) -> Result<Truth, String> {
        match comparison {
            Comparison::Equal => self.equal(left, right),
            Comparison::NotEqual => Ok(match self.equal(left, right)? {
                Truth::Compare(left, _, right) => Truth::Compare(left, Comparison::NotEqual, right),
                equal => Truth::Not(Box::new(equal)),
            }),
            _ => match self.ordered(left, comparison, right)? {
                Some(members) => Ok(members),
                None => Ok(Truth::Compare(
                    self.number(left)?,
                    comparison,
                    self.number(right)?,
                )),
            },
        }
    }

    /// An ordered choice compared with one of its values: those on that side of it. Numbers are compared as numbers.
    fn ordered(
        &self,
        left: &Ast,
        comparison: Comparison,
        right: &Ast,
    ) -> Result<Option<Truth>, String> {
        let (position, value, comparison) = match (self.typed(left)?, self.typed(right)?) {
            (Typed::Choice(position), Typed::Constant(value)) => (position, value, comparison),
            (Typed::Choice(position), Typed::Text(word)) => {
                (position, Value::Text(word), comparison)
            }
            (Typed::Constant(value), Typed::Choice(position)) => {
                (position, value, comparison.mirrored())
            }
            (Typed::Text(word), Typed::Choice(position)) => {
                (position, Value::Text(word), comparison.mirrored())
            }
            _ => return Ok(None),
        };
        let domain = self.domain(position);
        let values = domain.values().filter(|_| domain.is_ordinal());
        let Some(values) = values.filter(|_| !self.has_numbers(position)) else {
            return Ok(None);
        };
        let parameter = &self.parameters[position];
        let place = parameter
            .level(&value)
            .ok_or_else(|| self.never(position, &value))?;
        let holds = |(i, _): &(usize, &Value)| comparison.holds((*i as f64).into(), place.into());
        let members = values
            .iter()
            .enumerate()
            .filter(holds)
            .map(|(_, value)| value.clone())
            .collect();
        Ok(Some(Truth::Member(position, members)))
    }

    fn equal(&self, left: &Ast, right: &Ast) -> Result<Truth, String> {
        match (self.typed(left)?, self.typed(right)?) {
            (Typed::Choice(position), Typed::Constant(value))
            | (Typed::Constant(value), Typed::Choice(position)) => self.member(position, value),
            (Typed::Choice(position), Typed::Text(word))
            | (Typed::Text(word), Typed::Choice(position)) => {
                self.member(position, Value::Text(word))
            }
            (Typed::Choice(a), Typed::Choice(b))
                if !(self.has_numbers(a) && self.has_numbers(b)) =>
            {
                self.same(a, b)
            }
            (a @ Typed::Truth(_), b) | (a, b @ Typed::Truth(_)) => Ok(Truth::Agree(
                Box::new(self.as_truth(left, a)?),
                Box::new(self.as_truth(right, b)?),
            )),
            (a, b) => {
                let (a, b) = (self.as_number(left, a)?, self.as_number(right, b)?);
                self.check_reachable(&a, &b)?;
                Ok(Truth::Compare(a, Comparison::Equal, b))
            }
        }
    }

    /// A choice that is compared with a value must be able to have it.
    fn member(&self, position: usize, value: Value) -> Result<Truth, String> {
        match self.parameters[position].accepted(&value) {
            Some(value) => Ok(Truth::Member(position, vec![value])),
            None => Err(self.never(position, &value)),
        }
    }

    fn never(&self, position: usize, value: &Value) -> String {
        let parameter = &self.parameters[position];
        format!(
            "parameter `{}` never is `{value}`, it is {}",
            parameter.name(),
            parameter.domain().allowed()
        )
    }

    /// Two choices that are compared must have a value in common.
    fn same(&self, a: usize, b: usize) -> Result<Truth, String> {
        let mut values = self.domain(a).values().unwrap_or_default().iter();
        if values.any(|value| self.parameters[b].accepted(value).is_some()) {
            return Ok(Truth::Same(a, b));
        }
        let words = |position: usize| {
            format!(
                "`{}` is {}",
                self.parameters[position].name(),
                self.domain(position).allowed()
            )
        };
        Err(format!(
            "two parameters that never are equal: {}, {}",
            words(a),
            words(b)
        ))
    }

    /// A parameter that is compared with a number must be able to have it.
    fn check_reachable(&self, a: &Number, b: &Number) -> Result<(), String> {
        let (position, value) = match (a, b) {
            (Number::Parameter(position), Number::Constant(x)) => (*position, Value::Float(*x)),
            (Number::Constant(x), Number::Parameter(position)) => (*position, Value::Float(*x)),
            _ => return Ok(()),
        };
        self.parameters[position]
            .accepted(&value)
            .map(drop)
            .ok_or_else(|| self.never(position, &value))
    }
}

/// Whether one of several equalities holds; those of one choice are one membership.
fn any_of(equalities: Vec<Truth>) -> Truth {
    let mut parts: Vec<Truth> = Vec::new();
    for equality in equalities {
        match (parts.last_mut(), equality) {
            (Some(Truth::Member(position, values)), Truth::Member(same, more))
                if *position == same =>
            {
                let new = |value: &Value| !values.contains(value);
                let more: Vec<Value> = more.into_iter().filter(new).collect();
                values.extend(more);
            }
            (_, equality) => parts.push(equality),
        }
    }
    if parts.len() == 1 {
        parts.remove(0)
    } else {
        Truth::Or(parts)
    }
}

/// A number without parameters is computed once, and must be one.
fn folded(ast: &Ast, number: Number) -> Result<Number, String> {
    let mut names_parameters = false;
    number.visit(&mut |_| names_parameters = true);
    if names_parameters {
        return Ok(number);
    }
    match number.evaluate(&|_| None) {
        Some(result) if result.value.is_finite() => Ok(Number::Constant(result.value)),
        Some(result) => Err(format!(
            "`{ast}` is {}, where a finite number is needed",
            result.value
        )),
        None => Ok(number),
    }
}

/// The type of a value in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Float(_) | Value::Int(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Text(_) => "text",
        Value::Null => "null",
        Value::Json(_) => "a list or an object",
    }
}
