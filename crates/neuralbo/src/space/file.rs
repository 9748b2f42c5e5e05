//! The form of a space in files: a table from names to domains, in order.
//!
//! Constraints are a list of texts under `constraints`. No parameter is a list, so a parameter may have that name, too: then the
//! list is written under `-constraints`, which is no name.

use std::fmt;
use std::sync::Arc;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::ser::{self, Serialize, SerializeMap, Serializer};

use super::{Constraint, Domain, Expression, Parameter, Space, SpaceError, Value, text};
use crate::linalg::Points;

/// A domain written as a table.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Table {
    Float {
        low: f64,
        high: f64,
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
    Int {
        low: i64,
        high: i64,
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<i64>,
    },
    Choice {
        choices: Vec<Value>,
    },
    Ordinal {
        values: Vec<Value>,
    },
    Bool {},
    Fixed {
        value: Value,
    },
    Rows {
        table: Vec<Vec<f64>>,
    },
}

fn is_false(log: &bool) -> bool {
    !log
}

/// What has the same fields in both enums.
macro_rules! mirrored {
    ($value:expr, $from:ident => $to:ident, $($others:tt)*) => {
        match $value {
            $from::Float { low, high, log, step } => $to::Float { low, high, log, step },
            $from::Int { low, high, log, step } => $to::Int { low, high, log, step },
            $from::Ordinal { values } => $to::Ordinal { values },
            $from::Fixed { value } => $to::Fixed { value },
            $($others)*
        }
    };
}

/// Always a table, also for fixed values: TOML would move plain scalars before the tables and so change the order.
impl From<&Domain> for Table {
    fn from(domain: &Domain) -> Self {
        if *domain == Domain::bool() {
            return Self::Bool {};
        }
        mirrored!(domain.clone(), Domain => Table,
            Domain::Choice { choices } => Self::Choice { choices },
            Domain::Rows { table } => Self::Rows {
                table: table.rows().map(<[f64]>::to_vec).collect(),
            },
        )
    }
}

impl TryFrom<Table> for Domain {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        Ok(mirrored!(table, Table => Domain,
            Table::Choice { choices } => Self::Choice { choices },
            Table::Bool {} => Self::bool(),
            Table::Rows { table } => Self::Rows {
                table: Arc::new(rectangular(&table)?),
            },
        ))
    }
}

fn rectangular(table: &[Vec<f64>]) -> Result<Points, String> {
    let columns = table.first().map_or(0, Vec::len);
    match table.iter().position(|row| row.len() != columns) {
        Some(row) => Err(format!(
            "row {row} of the table has {} columns, row 0 has {columns}",
            table[row].len()
        )),
        None => Ok(Points::from_rows(columns, table)),
    }
}

/// What may stand behind the name of a parameter, for messages.
const EXPECTED: &str = "a table such as { type = \"float\", low = 0, high = 1 }, a text such as \"int(1,8)\" or a fixed value";
/// Where the constraints are, and where when a parameter has that name.
const CONSTRAINTS: &str = "constraints";
const CONSTRAINTS_BESIDE: &str = "-constraints";

/// What may stand behind a name: a table, or a scalar that is a fixed value or a text form; a list behind that of the constraints.
enum Entry {
    /// With its condition.
    Table(Table, Option<String>),
    Scalar(Value),
    List(Vec<Value>),
}

impl Entry {
    fn parameter(self, name: String) -> Result<Parameter, SpaceError> {
        match self {
            Self::Scalar(Value::Text(s)) if text::looks_like_domain(&s) => {
                text::parameter(&name, &s)
            }
            Self::Scalar(value) => Parameter::new(name, Domain::Fixed { value }),
            Self::Table(table, condition) => {
                let domain = Domain::try_from(table).map_err(|reason| SpaceError::BadDomain {
                    name: name.clone(),
                    reason,
                })?;
                let parameter = Parameter::new(name, domain)?;
                match condition {
                    Some(condition) => text::with_condition(parameter, &condition),
                    None => Ok(parameter),
                }
            }
            Self::List(_) => Err(SpaceError::BadDomain {
                name,
                reason: format!(
                    "expected {EXPECTED}, found a list; constraints are listed under `{CONSTRAINTS}`"
                ),
            }),
        }
    }
}

/// One of the constraints.
fn expression(value: &Value) -> Result<Expression, SpaceError> {
    match value {
        Value::Text(text) => text.parse(),
        other => Err(SpaceError::NoExpression {
            found: other.to_string(),
            reason: "a constraint is a text such as \"x + y <= 1\"".to_owned(),
        }),
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl EntryVisitor {
    fn scalar<'a, E: de::Error>(scalar: impl IntoDeserializer<'a, E>) -> Result<Entry, E> {
        Value::deserialize(scalar.into_deserializer()).map(Entry::Scalar)
    }
}

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Entry, E> {
        Self::scalar(b)
    }

    fn visit_i64<E: de::Error>(self, k: i64) -> Result<Entry, E> {
        Self::scalar(k)
    }

    fn visit_u64<E: de::Error>(self, k: u64) -> Result<Entry, E> {
        Self::scalar(k)
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Entry, E> {
        Self::scalar(x)
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Entry, E> {
        Self::scalar(s)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Entry, E> {
        Ok(Entry::Scalar(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Entry, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Entry::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let mut condition = None;
        let table = Table::deserialize(MapAccessDeserializer::new(WithoutCondition {
            map,
            condition: &mut condition,
        }))?;
        Ok(Entry::Table(table, condition))
    }
}

/// The fields of a table without its condition, which any kind may have and which is set aside.
struct WithoutCondition<'a, A> {
    map: A,
    condition: &'a mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutCondition<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if key != "if" {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            *self.condition = Some(self.map.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A parameter written as a table.
#[derive(serde::Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    table: Table,
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    condition: Option<&'a Expression>,
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let constraints = self.constraints();
        let mut map = serializer.serialize_map(Some(
            self.parameters().len() + usize::from(!constraints.is_empty()),
        ))?;
        // First, because a list after tables would belong to the last of them in TOML.
        if !constraints.is_empty() {
            let written = |constraint: &Constraint| {
                let name = constraint.to_string();
                constraint
                    .expression()
                    .cloned()
                    .ok_or_else(|| ser::Error::custom(SpaceError::FunctionConstraint { name }))
            };
            let texts = constraints
                .iter()
                .map(written)
                .collect::<Result<Vec<Expression>, S::Error>>()?;
            let key = if self.parameter(CONSTRAINTS).is_some() {
                CONSTRAINTS_BESIDE
            } else {
                CONSTRAINTS
            };
            map.serialize_entry(key, &texts)?;
        }
        for parameter in self.parameters() {
            let written = Written {
                table: Table::from(parameter.domain()),
                condition: parameter.condition(),
            };
            map.serialize_entry(parameter.name(), &written)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SpaceVisitor {
            may_be_empty: false,
        })
    }
}

/// Reads a space that may have no parameters yet, see [`Space::empty`].
pub(crate) fn growing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Space, D::Error> {
    deserializer.deserialize_map(SpaceVisitor { may_be_empty: true })
}

struct SpaceVisitor {
    may_be_empty: bool,
}

impl<'de> Visitor<'de> for SpaceVisitor {
    type Value = Space;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of parameters such as lr = { type = \"float\", low = 1e-5, high = 1e-1, log = true }")
    }

    /// Entry by entry, so that the parameters keep the order of the file.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Space, A::Error> {
        let (mut parameters, mut constraints) = (Vec::new(), Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            let entry: Entry = map
                .next_value()
                .map_err(|error| de::Error::custom(format!("parameter `{name}`: {error}")))?;
            match entry {
                Entry::List(more) if [CONSTRAINTS, CONSTRAINTS_BESIDE].contains(&name.as_str()) => {
                    constraints.extend(
                        more.iter()
                            .map(expression)
                            .collect::<Result<Vec<_>, _>>()
                            .map_err(de::Error::custom)?,
                    );
                }
                entry => parameters.push(entry.parameter(name).map_err(de::Error::custom)?),
            }
        }
        if self.may_be_empty && parameters.is_empty() {
            return Ok(Space::empty());
        }
        let space = Space::new(parameters).and_then(|space| space.with_constraints(constraints));
        space.map_err(de::Error::custom)
    }
}
