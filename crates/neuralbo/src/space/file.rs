//! The form of a space in files: a table from names to domains, in order.
//!
//! Constraints are a list of texts under `constraints`. A parameter may also have that name (a parameter is never a list): then the
//! list is written under `-constraints`, which is not a name.

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
enum DomainTable {
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
impl From<&Domain> for DomainTable {
    fn from(domain: &Domain) -> Self {
        if *domain == Domain::bool() {
            return Self::Bool {};
        }
        mirrored!(domain.clone(), Domain => DomainTable,
            Domain::Choice { choices } => Self::Choice { choices },
            Domain::Rows { table } => Self::Rows {
                table: table.rows().map(<[f64]>::to_vec).collect(),
            },
        )
    }
}

impl TryFrom<DomainTable> for Domain {
    type Error = String;

    fn try_from(table: DomainTable) -> Result<Self, String> {
        Ok(mirrored!(table, DomainTable => Domain,
            DomainTable::Choice { choices } => Self::Choice { choices },
            DomainTable::Bool {} => Self::bool(),
            DomainTable::Rows { table } => Self::Rows {
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
enum FileEntry {
    /// With its condition.
    DomainTable(DomainTable, Option<String>),
    Scalar(Value),
    List(Vec<Value>),
}

impl FileEntry {
    fn parameter(self, name: String) -> Result<Parameter, SpaceError> {
        match self {
            Self::Scalar(Value::Text(s)) if text::looks_like_domain(&s) => {
                text::parameter(&name, &s)
            }
            Self::Scalar(value) => Parameter::new(name, Domain::Fixed { value }),
            Self::DomainTable(table, condition) => {
                let parameter = match Domain::try_from(table) {
                    Ok(domain) => Parameter::new(name, domain)?,
                    Err(reason) => return Err(SpaceError::BadDomain { name, reason }),
                };
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

impl<'de> Deserialize<'de> for FileEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FileEntryVisitor)
    }
}

struct FileEntryVisitor;

impl FileEntryVisitor {
    fn scalar<'a, E: de::Error>(scalar: impl IntoDeserializer<'a, E>) -> Result<FileEntry, E> {
        Value::deserialize(scalar.into_deserializer()).map(FileEntry::Scalar)
    }
}

macro_rules! scalars {
    ($($visit:ident($type:ty)),*) => {$(
        fn $visit<E: de::Error>(self, scalar: $type) -> Result<FileEntry, E> {
            Self::scalar(scalar)
        }
    )*};
}

impl<'de> Visitor<'de> for FileEntryVisitor {
    type Value = FileEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    scalars!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );

    fn visit_unit<E: de::Error>(self) -> Result<FileEntry, E> {
        Ok(FileEntry::Scalar(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<FileEntry, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(FileEntry::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileEntry, A::Error> {
        let mut condition = None;
        let table = DomainTable::deserialize(MapAccessDeserializer::new(WithoutCondition {
            map,
            condition: &mut condition,
        }))?;
        Ok(FileEntry::DomainTable(table, condition))
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
    table: DomainTable,
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
                let function = || SpaceError::FunctionConstraint(constraint.to_string());
                let expression = constraint.expression().cloned();
                expression.ok_or_else(|| ser::Error::custom(function()))
            };
            let texts = constraints.iter().map(written);
            let texts = texts.collect::<Result<Vec<Expression>, S::Error>>()?;
            let key = if self.parameter(CONSTRAINTS).is_some() {
                CONSTRAINTS_BESIDE
            } else {
                CONSTRAINTS
            };
            map.serialize_entry(key, &texts)?;
        }
        for parameter in self.parameters() {
            let written = Written {
                table: DomainTable::from(parameter.domain()),
                condition: parameter.condition(),
            };
            map.serialize_entry(parameter.name(), &written)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let may_be_empty = false;
        deserializer.deserialize_map(SpaceVisitor { may_be_empty })
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

    /// FileEntry by entry, so that the parameters keep the order of the file.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Space, A::Error> {
        let (mut parameters, mut constraints) = (Vec::new(), Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            let entry: FileEntry = map
                .next_value()
                .map_err(|error| de::Error::custom(format!("parameter `{name}`: {error}")))?;
            match entry {
                FileEntry::List(more)
                    if [CONSTRAINTS, CONSTRAINTS_BESIDE].contains(&name.as_str()) =>
                {
                    for one in &more {
                        constraints.push(expression(one).map_err(de::Error::custom)?);
                    }
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
