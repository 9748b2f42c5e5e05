//! Expressions put together by programs.

use super::Expression;
use super::ast::Ast;
use super::print::written;
use crate::space::{SpaceError, Value};

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
            parts => parts
                .iter()
                .map(|part| format!("({part})"))
                .collect::<Vec<_>>()
                .join(" and ")
                .parse(),
        }
    }
}

/// A value as it is written in an expression.
fn literal(value: &Value) -> String {
    Ast::Literal(value.clone()).to_string()
}
