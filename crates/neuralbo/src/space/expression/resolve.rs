//! From a tree of words to a predicate over the parameters of a space.

use super::ast::{Ast, Relation};
use super::predicate::{Measured, NumberExpr, Predicate, Truth};
use super::print::written;
use crate::space::{Domain, Parameter, Value};

/// What a part of an expression turned out to be.
enum Typed {
    /// A value that is written out.
    Constant(Value),
    /// A number that depends on parameters.
    Number(NumberExpr),
    /// A parameter with values that are not just numbers of a range.
    Choice(usize),
    /// True or false.
    Truth(Truth),
    /// A bare word that is no name: text, where text can be.
    Text(String),
}

impl Typed {
    /// With a bare word as text.
    fn worded(self) -> Self {
        match self {
            Self::Text(word) => Self::Constant(Value::Text(word)),
            other => other,
        }
    }
}

/// The predicate of a whole expression, or what is wrong with it.
pub(super) fn predicate(ast: &Ast, parameters: &[Parameter]) -> Result<Predicate, String> {
    let resolver = Resolver { parameters };
    let predicate = Predicate::new(resolver.truth(ast)?);
    if predicate.positions().is_empty() {
        let names = resolver.names();
        return Err(format!("it names no parameter; there are {names}"));
    }
    Ok(predicate)
}

struct Resolver<'a> {
    parameters: &'a [Parameter],
}

impl Resolver<'_> {
    fn names(&self) -> String {
        let names = self.parameters.iter().map(|p| format!("`{}`", p.name()));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The name of a parameter and what it may be.
    fn described(&self, position: usize) -> (&str, String) {
        (
            self.parameters[position].name(),
            self.domain(position).allowed(),
        )
    }

    fn domain(&self, position: usize) -> &Domain {
        self.parameters[position].domain()
    }

    /// What is wrong with a name that no parameter has.
    fn unknown(&self, word: &str) -> String {
        let mut dashed = self.parameters.iter().map(Parameter::name);
        let starts = |name: &&str| name.contains('-') && name.split('-').next() == Some(word);
        match dashed.find(starts).map(written) {
            Some(name) => format!("unknown name `{word}`; write {name} for that parameter"),
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
            Ast::Name(name) => match self.position(name) {
                Some(position) => self.parameter(position),
                None => return Err(self.unknown(name)),
            },
            Ast::Negate(_) | Ast::Sum(_) | Ast::Product(_) | Ast::Power(..) | Ast::Call(..) => {
                match self.arithmetic(ast)? {
                    NumberExpr::Constant(x) => Typed::Constant(Value::Float(x)),
                    number => Typed::Number(number),
                }
            }
            Ast::Compare(..) | Ast::In { .. } | Ast::Not(_) | Ast::And(_) | Ast::Or(_) => {
                Typed::Truth(self.logic(ast)?)
            }
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name() == name)
    }

    fn parameter(&self, position: usize) -> Typed {
        let domain = self.domain(position);
        if domain.is_numeric() || domain.fixed().and_then(Value::as_f64).is_some() {
            Typed::Number(NumberExpr::Parameter(position))
        } else {
            Typed::Choice(position)
        }
    }

    /// The number that a part stands for.
    fn number(&self, ast: &Ast) -> Result<NumberExpr, String> {
        let typed = self.typed(ast)?;
        self.as_number(ast, typed)
    }

    fn as_number(&self, ast: &Ast, typed: Typed) -> Result<NumberExpr, String> {
        match typed {
            Typed::Number(number) => Ok(number),
            Typed::Constant(value) => match value.as_f64() {
                Some(x) => Ok(NumberExpr::Constant(x)),
                None => {
                    let kind = kind(&value);
                    Err(format!("`{ast}` is {kind}, where a number is needed"))
                }
            },
            Typed::Choice(position) if self.has_numbers(position) => {
                Ok(NumberExpr::Parameter(position))
            }
            Typed::Choice(position) => {
                let (name, allowed) = self.described(position);
                Err(format!("parameter `{name}` is no number, it is {allowed}"))
            }
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
        values.iter().any(is_number) && values.iter().all(|v| is_number(v) || *v == Value::Null)
    }

    /// A number that is computed.
    fn arithmetic(&self, ast: &Ast) -> Result<NumberExpr, String> {
        let signed = |parts: &[(bool, Ast)]| {
            let numbers = parts
                .iter()
                .map(|(inverse, part)| Ok((*inverse, self.number(part)?)));
            numbers.collect::<Result<Vec<_>, String>>()
        };
        let number = match ast {
            Ast::Negate(part) => NumberExpr::Negate(Box::new(self.number(part)?)),
            Ast::Sum(terms) => NumberExpr::Sum(signed(terms)?),
            Ast::Product(factors) => {
                let product = signed(factors)?;
                let is_zero = |factor: &NumberExpr| matches!(factor, NumberExpr::Constant(0.0));
                if product
                    .iter()
                    .any(|(divides, factor)| *divides && is_zero(factor))
                {
                    return Err(format!("division by zero in `{ast}`"));
                }
                NumberExpr::Product(product)
            }
            Ast::Power(base, exponent) => NumberExpr::Power(
                Box::new(self.number(base)?),
                Box::new(self.number(exponent)?),
            ),
            Ast::Call(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.number(argument));
                NumberExpr::Call(*function, arguments.collect::<Result<_, _>>()?)
            }
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
            Typed::Choice(position) => {
                let (name, allowed) = self.described(position);
                Err(format!(
                    "parameter `{name}` is not true or false, it is {allowed}; compare it with `==` or `in`"
                ))
            }
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
            let truths = parts.iter().map(|part| self.truth(part));
            truths.collect::<Result<Vec<_>, String>>()
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
                let equal = |option| self.compared(of, Relation::Equal, option);
                let any = any_of(options.iter().map(equal).collect::<Result<_, _>>()?);
                if *negated {
                    Truth::Not(Box::new(any))
                } else {
                    any
                }
            }
            Ast::Compare(first, rest) => {
                let rights = rest.iter().map(|(_, part)| part);
                let lefts = std::iter::once(first.as_ref()).chain(rights).zip(rest);
                let pairs = lefts.map(|(left, (by, right))| self.compared(left, *by, right));
                let mut truths = pairs.collect::<Result<Vec<_>, _>>()?;
                match truths.len() {
                    1 => truths.remove(0),
                    _ => Truth::And(truths),
                }
            }
            _ => return self.truth(ast),
        })
    }

    fn compared(&self, left: &Ast, comparison: Relation, right: &Ast) -> Result<Truth, String> {
        match comparison {
            Relation::Equal => self.equal(left, right),
            Relation::NotEqual => Ok(match self.equal(left, right)? {
                Truth::Compare(left, _, right) => Truth::Compare(left, Relation::NotEqual, right),
                equal => Truth::Not(Box::new(equal)),
            }),
            _ => match self.ordered(left, comparison, right)? {
                Some(members) => Ok(members),
                None => {
                    let (left, right) = (self.number(left)?, self.number(right)?);
                    Ok(Truth::Compare(left, comparison, right))
                }
            },
        }
    }

    /// An ordered choice compared with one of its values: those on that side of it. Numbers are compared as numbers.
    fn ordered(
        &self,
        left: &Ast,
        comparison: Relation,
        right: &Ast,
    ) -> Result<Option<Truth>, String> {
        let both = (self.typed(left)?.worded(), self.typed(right)?.worded());
        let (position, value, comparison) = match both {
            (Typed::Choice(position), Typed::Constant(value)) => (position, value, comparison),
            (Typed::Constant(value), Typed::Choice(position)) => {
                (position, value, comparison.mirrored())
            }
            _ => return Ok(None),
        };
        let domain = self.domain(position);
        let values = domain.values().filter(|_| domain.is_ordinal());
        let Some(values) = values.filter(|_| !self.has_numbers(position)) else {
            return Ok(None);
        };
        let parameter = &self.parameters[position];
        let place = parameter.level(&value);
        let place = place.ok_or_else(|| self.never(position, &value))?;
        let holds = |(i, _): &(usize, &Value)| comparison.holds((*i as f64).into(), place.into());
        let members = values.iter().enumerate().filter(holds);
        let members = members.map(|(_, value)| value.clone()).collect();
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
                Ok(Truth::Compare(a, Relation::Equal, b))
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
        let (name, allowed) = self.described(position);
        format!("parameter `{name}` never is `{value}`, it is {allowed}")
    }

    /// Two choices that are compared must have a value in common.
    fn same(&self, a: usize, b: usize) -> Result<Truth, String> {
        let mut values = self.domain(a).values().unwrap_or_default().iter();
        if values.any(|value| self.parameters[b].accepted(value).is_some()) {
            return Ok(Truth::Same(a, b));
        }
        let ((a, one), (b, other)) = (self.described(a), self.described(b));
        Err(format!(
            "two parameters that never are equal: `{a}` is {one}, `{b}` is {other}"
        ))
    }

    /// A parameter that is compared with a number must be able to have it.
    fn check_reachable(&self, a: &NumberExpr, b: &NumberExpr) -> Result<(), String> {
        let (position, value) = match (a, b) {
            (NumberExpr::Parameter(position), NumberExpr::Constant(x)) => {
                (*position, Value::Float(*x))
            }
            (NumberExpr::Constant(x), NumberExpr::Parameter(position)) => {
                (*position, Value::Float(*x))
            }
            _ => return Ok(()),
        };
        match self.parameters[position].accepted(&value) {
            Some(_) => Ok(()),
            None => Err(self.never(position, &value)),
        }
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
fn folded(ast: &Ast, number: NumberExpr) -> Result<NumberExpr, String> {
    let mut names_parameters = false;
    number.visit(&mut |_| names_parameters = true);
    if names_parameters {
        return Ok(number);
    }
    match number.evaluate(&|_| None) {
        Some(result) if result.value.is_finite() => Ok(NumberExpr::Constant(result.value)),
        Some(Measured { value, .. }) => Err(format!(
            "`{ast}` is {value}, where a finite number is needed"
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
