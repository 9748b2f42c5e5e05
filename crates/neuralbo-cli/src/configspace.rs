//! Spaces of the ConfigSpace package, as its `to_json` writes them.
//!
//! | there | here |
//! |---|---|
//! | `uniform_float`, `uniform_int` | the same bounds, scale and (in old files) `q` as step |
//! | `normal_*`, `beta_*` | their bounds, all values alike; a normal one without bounds within three standard deviations |
//! | `categorical`, `ordinal`, `constant` | `choice` (without its weights), `ordinal`, a fixed value |
//! | conditions | the condition of the child; several of one child must all hold |
//! | forbidden clauses | constraints `not (…)` |
//!
//! Default values and metadata are ignored.

use std::collections::BTreeMap;

use neuralbo::space::{Domain, Expression, Parameter, Space, SpaceError, Value};
use serde::Deserialize;

/// How far from its mean a normal distribution without bounds is searched, in standard deviations.
const WIDTH: f64 = 3.0;

/// What is wrong with the space of a file.
#[derive(Debug, thiserror::Error)]
pub enum ConfigSpaceError {
    /// A text that ConfigSpace has not written.
    #[error("cannot read the space of ConfigSpace: {0}")]
    Unreadable(String),
    /// A space that makes no sense here.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

#[derive(Deserialize)]
struct File {
    hyperparameters: Vec<Hyperparameter>,
    #[serde(default)]
    conditions: Vec<ChildCondition>,
    #[serde(default)]
    forbiddens: Vec<Clause>,
}

#[derive(Deserialize)]
struct Hyperparameter {
    name: String,
    #[serde(flatten)]
    kind: HyperparameterKind,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum HyperparameterKind {
    #[serde(alias = "normal_float", alias = "beta_float")]
    UniformFloat(NumberBounds<f64>),
    #[serde(alias = "normal_int", alias = "beta_int")]
    UniformInt(NumberBounds<i64>),
    Categorical {
        choices: Vec<Value>,
    },
    Ordinal {
        sequence: Vec<Value>,
    },
    #[serde(alias = "unparametrized")]
    Constant {
        value: Value,
    },
}

/// Bounds, or a normal distribution that may have some.
#[derive(Deserialize)]
struct NumberBounds<T> {
    lower: Option<T>,
    upper: Option<T>,
    mu: Option<f64>,
    sigma: Option<f64>,
    #[serde(default)]
    log: bool,
    q: Option<T>,
}

impl<T: Copy> NumberBounds<T> {
    /// The bounds, or where the values of a normal distribution mostly are; on a log scale the mean and the deviation are
    /// those of the logarithm.
    fn bounds(&self, number: impl Fn(f64, f64) -> T) -> Result<(T, T), String> {
        let end = |side: f64| {
            let end = self.mu? + side * WIDTH * self.sigma?;
            Some(number(side, if self.log { end.exp() } else { end }))
        };
        let low = self.lower.or_else(|| end(-1.0));
        let high = self.upper.or_else(|| end(1.0));
        Ok((
            low.ok_or("missing field `lower`")?,
            high.ok_or("missing field `upper`")?,
        ))
    }
}

impl TryFrom<HyperparameterKind> for Domain {
    type Error = String;

    fn try_from(kind: HyperparameterKind) -> Result<Self, String> {
        Ok(match kind {
            HyperparameterKind::UniformFloat(range) => {
                let (low, high) = range.bounds(|_, end| end)?;
                Self::Float {
                    low,
                    high,
                    log: range.log,
                    step: range.q,
                }
            }
            HyperparameterKind::UniformInt(range) => {
                let inwards = |side: f64, end: f64| -(side * (-side * end).ceil()) as i64;
                let (low, high) = range.bounds(inwards)?;
                Self::Int {
                    low,
                    high,
                    log: range.log,
                    step: range.q.filter(|q| *q > 1),
                }
            }
            HyperparameterKind::Categorical { choices } => Self::Choice { choices },
            HyperparameterKind::Ordinal { sequence } => Self::Ordinal { values: sequence },
            HyperparameterKind::Constant { value } => Self::Fixed { value },
        })
    }
}

/// A condition that makes one hyperparameter active.
#[derive(Deserialize)]
struct ChildCondition {
    child: String,
    #[serde(flatten)]
    clause: Clause,
}

/// What must be true, or what must not be; the fields that there are depend on the type.
#[derive(Deserialize)]
struct Clause {
    r#type: String,
    #[serde(alias = "parent", alias = "left")]
    name: Option<String>,
    right: Option<String>,
    /// The comparison of an old relation.
    lambda: Option<String>,
    value: Option<Value>,
    values: Option<Vec<Value>>,
    #[serde(alias = "conditions")]
    clauses: Option<Vec<Clause>>,
}

impl Clause {
    fn expression(&self) -> Result<Expression, ConfigSpaceError> {
        let kind = match (self.r#type.as_str(), &self.lambda) {
            ("RELATION", Some(lambda)) => lambda,
            (kind, _) => kind,
        };
        let missing = |field: &str| unreadable(format!("`{kind}`: missing field `{field}`"));
        let word = kind.rsplit('_').next().unwrap_or(kind);
        if let "AND" | "OR" = word {
            let clauses = self.clauses.as_ref().ok_or_else(|| missing("clauses"))?;
            let parts = clauses
                .iter()
                .map(Self::expression)
                .collect::<Result<Vec<_>, _>>()?;
            return joined(&parts, &format!(" {} ", word.to_lowercase()));
        }
        let name = self.name.as_deref().ok_or_else(|| missing("name"))?;
        if word == "IN" {
            let values = self.values.as_ref().ok_or_else(|| missing("values"))?;
            return Ok(Expression::one_of(name, values)?);
        }
        let operator = match word {
            "EQ" | "EQUALS" => "==",
            "NEQ" => "!=",
            "LT" => "<",
            "LE" => "<=",
            "GT" => ">",
            "GE" => ">=",
            _ => return Err(unreadable(format!("unknown variant `{kind}`"))),
        };
        let expression = match (&self.right, &self.value) {
            (Some(right), _) => Expression::compared_with(name, operator, right)?,
            (None, Some(value)) => Expression::compared(name, operator, value)?,
            (None, None) => return Err(missing("value")),
        };
        Ok(expression)
    }
}

/// The space of a JSON text that the ConfigSpace package has written.
pub fn space(text: &str) -> Result<Space, ConfigSpaceError> {
    let file: File = serde_json::from_str(text).map_err(unreadable)?;
    let mut activity: BTreeMap<String, Vec<Expression>> = BTreeMap::new();
    for condition in &file.conditions {
        let conditions = activity.entry(condition.child.clone()).or_default();
        conditions.push(condition.clause.expression()?);
    }
    let mut parameters = Vec::new();
    for Hyperparameter { name, kind } in file.hyperparameters {
        let conditions = activity.remove(&name);
        let parameter = Parameter::new(name, kind.try_into().map_err(unreadable)?)?;
        parameters.push(match conditions {
            Some(conditions) => parameter.only_if(joined(&conditions, " and ")?),
            None => parameter,
        });
    }
    if let Some(child) = activity.keys().next() {
        let reason =
            format!("there is a condition of `{child}`, which is no hyperparameter of the file");
        return Err(unreadable(reason));
    }
    let forbidden = |clause: &Clause| -> Result<Expression, ConfigSpaceError> {
        Ok(format!("not ({})", clause.expression()?).parse()?)
    };
    let constraints = file
        .forbiddens
        .iter()
        .map(forbidden)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Space::new(parameters)?.with_constraints(constraints)?)
}

/// Whether a JSON text looks like one of the ConfigSpace package.
pub(crate) fn is_configspace(text: &str) -> bool {
    let read: Result<serde_json::Value, _> = serde_json::from_str(text);
    read.is_ok_and(|json| {
        json.get("hyperparameters")
            .is_some_and(serde_json::Value::is_array)
    })
}

fn unreadable(reason: impl ToString) -> ConfigSpaceError {
    ConfigSpaceError::Unreadable(reason.to_string())
}

/// Parts in parentheses where there are several.
fn joined(parts: &[Expression], word: &str) -> Result<Expression, ConfigSpaceError> {
    Ok(match parts {
        [only] => only.clone(),
        parts => parts
            .iter()
            .map(|part| format!("({part})"))
            .collect::<Vec<_>>()
            .join(word)
            .parse()?,
    })
}
