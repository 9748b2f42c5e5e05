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
//! Default values and meta data are left aside.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::expression::{literal, written};
use super::{Domain, Expression, Parameter, Space, SpaceError, Value};

/// How far from its mean a normal distribution without bounds is searched, in standard deviations.
const WIDTH: f64 = 3.0;

#[derive(Deserialize)]
struct File {
    hyperparameters: Vec<Hyperparameter>,
    #[serde(default)]
    conditions: Vec<Condition>,
    #[serde(default)]
    forbiddens: Vec<Forbidden>,
}

#[derive(Deserialize)]
struct Hyperparameter {
    name: String,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind {
    #[serde(alias = "beta_float")]
    UniformFloat(Range<f64>),
    #[serde(alias = "beta_int")]
    UniformInt(Range<i64>),
    NormalFloat(Normal<f64>),
    NormalInt(Normal<i64>),
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

#[derive(Deserialize)]
struct Range<T> {
    lower: T,
    upper: T,
    #[serde(default)]
    log: bool,
    q: Option<T>,
}

#[derive(Deserialize)]
struct Normal<T> {
    mu: f64,
    sigma: f64,
    lower: Option<T>,
    upper: Option<T>,
    #[serde(default)]
    log: bool,
    q: Option<T>,
}

/// A condition that makes one hyperparameter active.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Condition {
    #[serde(rename = "EQ")]
    Equal {
        child: String,
        parent: String,
        value: Value,
    },
    #[serde(rename = "NEQ")]
    NotEqual {
        child: String,
        parent: String,
        value: Value,
    },
    #[serde(rename = "LT")]
    Less {
        child: String,
        parent: String,
        value: Value,
    },
    #[serde(rename = "GT")]
    Greater {
        child: String,
        parent: String,
        value: Value,
    },
    #[serde(rename = "IN")]
    In {
        child: String,
        parent: String,
        values: Vec<Value>,
    },
    #[serde(rename = "AND")]
    And {
        child: String,
        conditions: Vec<Condition>,
    },
    #[serde(rename = "OR")]
    Or {
        child: String,
        conditions: Vec<Condition>,
    },
}

/// What no configuration may be.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Forbidden {
    #[serde(rename = "EQUALS")]
    Equal { name: String, value: Value },
    #[serde(rename = "IN")]
    In { name: String, values: Vec<Value> },
    #[serde(rename = "CLAUSE_LT")]
    Less { name: String, value: Value },
    #[serde(rename = "CLAUSE_LE")]
    AtMost { name: String, value: Value },
    #[serde(rename = "CLAUSE_GT")]
    Greater { name: String, value: Value },
    #[serde(rename = "CLAUSE_GE")]
    AtLeast { name: String, value: Value },
    #[serde(rename = "AND")]
    And { clauses: Vec<Forbidden> },
    #[serde(rename = "OR")]
    Or { clauses: Vec<Forbidden> },
    #[serde(rename = "RELATION_EQ")]
    SameAs { left: String, right: String },
    #[serde(rename = "RELATION_LT")]
    LessThan { left: String, right: String },
    #[serde(rename = "RELATION_LE")]
    AtMostThan { left: String, right: String },
    #[serde(rename = "RELATION_GT")]
    GreaterThan { left: String, right: String },
    #[serde(rename = "RELATION_GE")]
    AtLeastThan { left: String, right: String },
    #[serde(rename = "RELATION")]
    Relation {
        left: String,
        right: String,
        lambda: Relation,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Relation {
    Lt,
    Eq,
    Gt,
}

impl Space {
    /// The space of a JSON file that the ConfigSpace package has written.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let text = r#"{"hyperparameters": [
    ///     {"type": "categorical", "name": "kernel", "choices": ["rbf", "linear"]},
    ///     {"type": "uniform_float", "name": "gamma", "lower": 0.001, "upper": 10.0, "log": true}],
    ///   "conditions": [{"type": "EQ", "child": "gamma", "parent": "kernel", "value": "rbf"}],
    ///   "forbiddens": []}"#;
    /// let space = Space::from_configspace(text)?;
    /// assert_eq!(space.parameters()[1].to_string(), r#"gamma=float(0.001,10.0,log) if kernel == "rbf""#);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn from_configspace(text: &str) -> Result<Self, SpaceError> {
        let File {
            hyperparameters,
            conditions,
            forbiddens,
        } = serde_json::from_str(text).map_err(|error| SpaceError::NotConfigSpace {
            reason: error.to_string(),
        })?;
        let mut activity: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for condition in &conditions {
            activity
                .entry(condition.child().to_owned())
                .or_default()
                .push(condition.text());
        }
        let parameter = |Hyperparameter { name, kind }| {
            let condition = activity
                .remove(&name)
                .map(|texts| joined(&texts, " and ").parse::<Expression>())
                .transpose()?;
            let parameter = Parameter::new(name, kind.into())?;
            Ok(match condition {
                Some(condition) => parameter.only_if(condition),
                None => parameter,
            })
        };
        let parameters = hyperparameters
            .into_iter()
            .map(parameter)
            .collect::<Result<Vec<_>, SpaceError>>()?;
        if let Some(child) = activity.into_keys().next() {
            let reason =
                format!("a condition is for `{child}`, which is no hyperparameter of the file");
            return Err(SpaceError::NotConfigSpace { reason });
        }
        let constraints = forbiddens
            .iter()
            .map(|forbidden| format!("not ({})", forbidden.text()).parse());
        Self::new(parameters)?
            .with_constraints(constraints.collect::<Result<Vec<Expression>, _>>()?)
    }

    /// Whether a JSON text looks like one of the ConfigSpace package.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// assert!(Space::is_configspace(r#"{"name": null, "hyperparameters": [], "conditions": []}"#));
    /// assert!(!Space::is_configspace(r#"{"hyperparameters": "int(1,8)"}"#));
    /// ```
    pub fn is_configspace(text: &str) -> bool {
        let read: Result<serde_json::Value, _> = serde_json::from_str(text);
        read.is_ok_and(|json| {
            json.get("hyperparameters")
                .is_some_and(serde_json::Value::is_array)
        })
    }
}

impl From<Kind> for Domain {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::UniformFloat(Range {
                lower: low,
                upper: high,
                log,
                q: step,
            }) => Self::Float {
                low,
                high,
                log,
                step,
            },
            Kind::UniformInt(Range {
                lower: low,
                upper: high,
                log,
                q: step,
            }) => Self::Int {
                low,
                high,
                log,
                step: step.filter(|q| *q > 1),
            },
            Kind::NormalFloat(normal) => {
                let (low, high) = normal.bounds();
                let (low, high) = (normal.lower.unwrap_or(low), normal.upper.unwrap_or(high));
                Self::Float {
                    low,
                    high,
                    log: normal.log,
                    step: normal.q,
                }
            }
            Kind::NormalInt(normal) => {
                let (low, high) = normal.bounds();
                let (low, high) = (
                    normal.lower.unwrap_or(low.ceil() as i64),
                    normal.upper.unwrap_or(high.floor() as i64),
                );
                Self::Int {
                    low,
                    high,
                    log: normal.log,
                    step: normal.q.filter(|q| *q > 1),
                }
            }
            Kind::Categorical { choices } => Self::Choice { choices },
            Kind::Ordinal { sequence } => Self::Ordinal { values: sequence },
            Kind::Constant { value } => Self::Fixed { value },
        }
    }
}

impl<T> Normal<T> {
    /// Where its values mostly are; on a log scale the mean and the deviation are those of the logarithm.
    fn bounds(&self) -> (f64, f64) {
        let (low, high) = (self.mu - WIDTH * self.sigma, self.mu + WIDTH * self.sigma);
        if self.log {
            (libm::exp(low), libm::exp(high))
        } else {
            (low, high)
        }
    }
}

impl Condition {
    fn child(&self) -> &str {
        match self {
            Self::Equal { child, .. }
            | Self::NotEqual { child, .. }
            | Self::Less { child, .. }
            | Self::Greater { child, .. }
            | Self::In { child, .. }
            | Self::And { child, .. }
            | Self::Or { child, .. } => child,
        }
    }

    fn text(&self) -> String {
        let all = |conditions: &[Self], word| {
            joined(&conditions.iter().map(Self::text).collect::<Vec<_>>(), word)
        };
        match self {
            Self::Equal { parent, value, .. } => compared(parent, "==", value),
            Self::NotEqual { parent, value, .. } => compared(parent, "!=", value),
            Self::Less { parent, value, .. } => compared(parent, "<", value),
            Self::Greater { parent, value, .. } => compared(parent, ">", value),
            Self::In { parent, values, .. } => member(parent, values),
            Self::And { conditions, .. } => all(conditions, " and "),
            Self::Or { conditions, .. } => all(conditions, " or "),
        }
    }
}

impl Forbidden {
    fn text(&self) -> String {
        let all = |clauses: &[Self], word| {
            joined(&clauses.iter().map(Self::text).collect::<Vec<_>>(), word)
        };
        match self {
            Self::Equal { name, value } => compared(name, "==", value),
            Self::In { name, values } => member(name, values),
            Self::Less { name, value } => compared(name, "<", value),
            Self::AtMost { name, value } => compared(name, "<=", value),
            Self::Greater { name, value } => compared(name, ">", value),
            Self::AtLeast { name, value } => compared(name, ">=", value),
            Self::And { clauses } => all(clauses, " and "),
            Self::Or { clauses } => all(clauses, " or "),
            Self::SameAs { left, right }
            | Self::Relation {
                left,
                right,
                lambda: Relation::Eq,
            } => related(left, "==", right),
            Self::LessThan { left, right }
            | Self::Relation {
                left,
                right,
                lambda: Relation::Lt,
            } => related(left, "<", right),
            Self::GreaterThan { left, right }
            | Self::Relation {
                left,
                right,
                lambda: Relation::Gt,
            } => related(left, ">", right),
            Self::AtMostThan { left, right } => related(left, "<=", right),
            Self::AtLeastThan { left, right } => related(left, ">=", right),
        }
    }
}

fn compared(name: &str, operator: &str, value: &Value) -> String {
    format!("{} {operator} {}", written(name), literal(value))
}

fn member(name: &str, values: &[Value]) -> String {
    format!(
        "{} in ({})",
        written(name),
        values.iter().map(literal).collect::<Vec<_>>().join(", ")
    )
}

fn related(left: &str, operator: &str, right: &str) -> String {
    format!("{} {operator} {}", written(left), written(right))
}

/// Parts in parentheses where there are several.
fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [only] => only.clone(),
        parts => parts
            .iter()
            .map(|part| format!("({part})"))
            .collect::<Vec<_>>()
            .join(word),
    }
}
