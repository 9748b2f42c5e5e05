//! Expressions over parameters: known constraints (`x + y <= 1`) and conditions (`kernel in (rbf, poly)`).
//!
//! | from loosest to tightest | |
//! |---|---|
//! | `or` `\|\|` | |
//! | `and` `&&` | |
//! | `not` `!` | |
//! | `<` `<=` `>` `>=` `==` `!=` `in (a, b)` `not in (a, b)` | chains: `0 <= x < 1` is `0 <= x and x < 1` |
//! | `+` `-` | |
//! | `*` `/` | |
//! | `-x` | |
//! | `^` | from the right: `2^3^2` is `2^9` |
//!
//! Functions: `abs`, `min`, `max`, `sum`, `sqrt`, `exp`, `log` (natural), `log2`, `log10`, `floor`, `ceil`, `round` (halves away from
//! zero). Literals: numbers, `"text"` or `'text'` (with `\` before a quote or a backslash inside), `true`, `false`, `null`, lists and
//! objects as in JSON. A bare word of letters, digits, `_` and `.` is the parameter of that name; where there is none, it is text
//! when compared with a choice. In backticks it always is a name, and may hold a `-` or be a word of the language:
//! `` `weight-decay` < 0.1 ``, `` `in` == 3 ``.
//!
//! Whole numbers that are computed from whole numbers are compared exactly. Other numbers are equal when they differ by at most
//! 1e-9 of the terms that were added up; `<` and `<=` are exact, as a program would compute them. A comparison with NaN (`0/0`,
//! `sqrt(-1)`) is false.

mod ast;
mod parse;
mod predicate;
mod print;
mod resolve;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::value::ValueView;
use super::{Parameter, Params, Space, SpaceError};
use ast::Ast;
pub(super) use ast::{NumberFunction, Relation};
#[cfg(test)]
pub(super) use predicate::LOOKS;
pub(super) use predicate::{NumberExpr, Predicate, Truth, ValueSource};

/// An expression over parameters, read but not yet matched with the parameters of a space.
///
/// `Display` prints it in one canonical way, and `FromStr` reads that back to the same expression; in files it is text.
///
/// ```
/// use neuralbo::space::Expression;
///
/// let expression: Expression = "x+y<=1 && kernel in (rbf,'poly')".parse()?;
/// assert_eq!(expression.to_string(), r#"x + y <= 1 and kernel in (rbf, "poly")"#);
/// assert!(expression.names().contains("kernel"));
///
/// let error = "x = 1".parse::<Expression>().unwrap_err();
/// assert_eq!(error.to_string(), "cannot read the expression `x = 1`: a single `=` before `1`; write `==` to compare");
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Ast);

impl Expression {
    /// The names in it; bare words that turn out to be text are among them.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.0.visit(&mut |part| {
            if let Ast::Word(name) | Ast::Name(name) = part {
                names.insert(name.as_str());
            }
        });
        names
    }

    /// What is true where this or another one is.
    pub(crate) fn or(self, other: Self) -> Self {
        let parts = [self.0, other.0]
            .into_iter()
            .flat_map(|ast| ast.into_or().unwrap_or_else(|ast| vec![ast]));
        Self(Ast::Or(parts.collect()))
    }

    /// The same expression with other names: `rename` gives the new one of a name that has one.
    pub(crate) fn renamed(&self, rename: impl Fn(&str) -> Option<String>) -> Self {
        let mut ast = self.0.clone();
        ast.visit_mut(&mut |part| {
            if let Ast::Word(name) | Ast::Name(name) = part
                && let Some(new) = rename(name)
            {
                *part = if print::is_plain(&new) {
                    Ast::Word(new)
                } else {
                    Ast::Name(new)
                };
            }
        });
        Self(ast)
    }

    /// What it says about values of a space: true, false, or `None` where that hangs on a value that is absent (`a or b` is true
    /// when `a` is, whatever `b` reads).
    ///
    /// ```
    /// use neuralbo::space::{Expression, Params, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1)".parse()?, "n=int(1,8)".parse()?])?;
    /// let expression: Expression = "x < 0.5 or n == 8".parse()?;
    /// assert_eq!(expression.evaluate(&space, &Params::from_iter([("x", 0.2)]))?, Some(true));
    /// assert_eq!(expression.evaluate(&space, &Params::from_iter([("x", 0.7)]))?, None);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn evaluate(&self, space: &Space, params: &Params) -> Result<Option<bool>, SpaceError> {
        Ok(self.test(space)?(params))
    }

    /// [`Expression::evaluate`] for many values: what the expression means is found out once.
    ///
    /// ```
    /// use neuralbo::space::{Expression, Params, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1)".parse()?])?;
    /// let test = "x < 0.5".parse::<Expression>()?.test(&space)?;
    /// assert_eq!(test(&Params::from_iter([("x", 0.25)])), Some(true));
    /// assert_eq!(test(&Params::new()), None);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn test(
        &self,
        space: &Space,
    ) -> Result<impl Fn(&Params) -> Option<bool> + use<>, SpaceError> {
        let (predicate, space) = (self.resolve(space.parameters())?, space.clone());
        Ok(move |params: &Params| {
            predicate.evaluate(&|position| {
                params
                    .get(space.parameters()[position].name())
                    .map(ValueView::from)
            })
        })
    }

    /// Both sides of a comparison of two things, as text.
    pub(super) fn sides(&self) -> Option<(String, String)> {
        match &self.0 {
            Ast::Compare(left, rest) if rest.len() == 1 => {
                Some((left.to_string(), rest[0].1.to_string()))
            }
            _ => None,
        }
    }

    /// The expression over these parameters: every name known, every comparison between things of one type, true or false as a
    /// whole.
    pub(super) fn resolve(&self, parameters: &[Parameter]) -> Result<Predicate, SpaceError> {
        resolve::predicate(&self.0, parameters).map_err(|reason| SpaceError::BadExpression {
            expression: self.to_string(),
            reason,
        })
    }
}

impl FromStr for Expression {
    type Err = SpaceError;

    fn from_str(text: &str) -> Result<Self, SpaceError> {
        parse::expression(text)
            .map(Self)
            .map_err(|reason| SpaceError::NoExpression {
                found: shortened(text),
                reason,
            })
    }
}

/// Hostile input is not repeated in full.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}
