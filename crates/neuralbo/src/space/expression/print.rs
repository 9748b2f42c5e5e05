//! From a tree to its canonical text, and expressions put together by programs.

use std::fmt;

use super::Expression;
use super::ast::{Ast, KEYWORDS};
use crate::space::{SpaceError, Value};

impl Ast {
    /// How tightly it holds together, in the order of the table of the module.
    fn tightness(&self) -> u8 {
        match self {
            Self::Or(_) => 0,
            Self::And(_) => 1,
            Self::Not(_) => 2,
            Self::Compare(..) | Self::In { .. } => 3,
            Self::Sum(_) => 4,
            Self::Product(_) => 5,
            Self::Negate(_) => 6,
            Self::Power(..) => 7,
            Self::Literal(_) | Self::Word(_) | Self::Name(_) | Self::Call(..) => 8,
        }
    }

    /// The part, in parentheses unless it is at least this tight.
    fn inside(&self, f: &mut fmt::Formatter<'_>, tightness: u8) -> fmt::Result {
        if self.tightness() >= tightness {
            write!(f, "{self}")
        } else {
            write!(f, "({self})")
        }
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.tightness();
        match self {
            Self::Literal(Value::Text(text)) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Self::Literal(value) => write!(f, "{value}"),
            Self::Word(word) => f.write_str(word),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Negate(part) => {
                f.write_str("-")?;
                part.inside(f, own)
            }
            Self::Sum(terms) => chain(f, own, terms.iter().map(inverted([" + ", " - "]))),
            Self::Product(parts) => chain(f, own, parts.iter().map(inverted([" * ", " / "]))),
            Self::Power(base, exponent) => {
                base.inside(f, own + 1)?;
                f.write_str("^")?;
                exponent.inside(f, own - 1)
            }
            Self::Call(function, arguments) => {
                f.write_str(function.name())?;
                list(f, arguments)
            }
            Self::Compare(first, rest) => {
                first.inside(f, own + 1)?;
                for (comparison, part) in rest {
                    write!(f, " {} ", comparison.symbol())?;
                    part.inside(f, own + 1)?;
                }
                Ok(())
            }
            Self::In {
                of,
                options,
                negated,
            } => {
                of.inside(f, own + 1)?;
                f.write_str(if *negated { " not in " } else { " in " })?;
                list(f, options)
            }
            Self::Not(part) => {
                f.write_str("not ")?;
                part.inside(f, own)
            }
            Self::And(parts) => chain(f, own, parts.iter().map(|part| (" and ", part))),
            Self::Or(parts) => chain(f, own, parts.iter().map(|part| (" or ", part))),
        }
    }
}

/// A part with its operator, of the two the second where it is inverted.
fn inverted(two: [&'static str; 2]) -> impl Fn(&(bool, Ast)) -> (&'static str, &Ast) {
    move |(is_inverted, part)| (two[usize::from(*is_inverted)], part)
}

/// Parts with the operator before each but the first, which may not be a chain of the same kind.
fn chain<'a>(
    f: &mut fmt::Formatter<'_>,
    own: u8,
    parts: impl Iterator<Item = (&'static str, &'a Ast)>,
) -> fmt::Result {
    for (i, (operator, part)) in parts.enumerate() {
        f.write_str(if i > 0 { operator } else { "" })?;
        part.inside(f, own + 1)?;
    }
    Ok(())
}

fn list(f: &mut fmt::Formatter<'_>, parts: &[Ast]) -> fmt::Result {
    f.write_str("(")?;
    for (i, part) in parts.iter().enumerate() {
        write!(f, "{}{part}", if i > 0 { ", " } else { "" })?;
    }
    f.write_str(")")
}

/// Whether a name needs no backticks.
pub(super) fn is_plain(name: &str) -> bool {
    !name.contains('-') && !KEYWORDS.contains(&name)
}

/// A name as it is written in an expression.
pub(super) fn written(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

impl Expression {
    /// The parameter of this name has one of these values.
    ///
    /// ```
    /// use neuralbo::space::Expression;
    ///
    /// assert_eq!(Expression::one_of("kernel", &["rbf".into(), "poly".into()])?.to_string(), r#"kernel in ("rbf", "poly")"#);
    /// assert_eq!(Expression::one_of("weight-decay", &[0.5.into()])?.to_string(), "`weight-decay` == 0.5");
    /// assert!(Expression::one_of("kernel", &[]).is_err());
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn one_of(name: &str, values: &[Value]) -> Result<Self, SpaceError> {
        match values {
            [value] => Self::compared(name, "==", value),
            values => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{} in ({})", written(name), values.join(", ")).parse()
            }
        }
    }

    /// The parameter of this name compared with a value, e.g. by `>=`.
    ///
    /// ```
    /// use neuralbo::space::Expression;
    ///
    /// assert_eq!(Expression::compared("weight-decay", ">=", &0.5.into())?.to_string(), "`weight-decay` >= 0.5");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn compared(name: &str, operator: &str, value: &Value) -> Result<Self, SpaceError> {
        format!("{} {operator} {}", written(name), literal(value)).parse()
    }

    /// The parameter of this name compared with another one.
    pub fn compared_with(name: &str, operator: &str, other: &str) -> Result<Self, SpaceError> {
        format!("{} {operator} {}", written(name), written(other)).parse()
    }

    /// What is true where all of these are; at least one.
    ///
    /// ```
    /// use neuralbo::space::Expression;
    ///
    /// let both = Expression::all(["a or b".parse()?, "n >= 2".parse()?])?;
    /// assert_eq!(both.to_string(), "(a or b) and n >= 2");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Result<Self, SpaceError> {
        let parts: Vec<Self> = parts.into_iter().collect();
        match parts.as_slice() {
            [only] => Ok(only.clone()),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
                parts.join(" and ").parse()
            }
        }
    }
}

/// A value as it is written in an expression.
fn literal(value: &Value) -> String {
    Ast::Literal(value.clone()).to_string()
}
