//! A named dimension of the space.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::coding::Code;
use super::domain::Lookup;
use super::value::ValueView;
use super::{Domain, Expression, SpaceError, Value, text};
use crate::limits;

/// A named, checked dimension of a [`Space`](crate::space::Space).
///
/// The text form is `NAME=DOMAIN` or `NAME=DOMAIN if CONDITION`; `Display` prints it and `FromStr` reads it back to the same parameter (a table of rows has no
/// text form, and is printed as its size only). Choices and fixed values that are numbers, `true`, `false` or `null` are read as
/// such, lists and objects (`[1,2]`, `{"a":1}`) as JSON, everything else as text; text in `"…"` (with `\"` and `\\`) may hold
/// anything.
///
/// ```
/// use neuralbo::space::{Domain, Parameter, Value};
///
/// let lr: Parameter = "lr=float(1e-5, 1e-1, log)".parse()?;
/// assert_eq!(lr, Parameter::new("lr", Domain::Float { low: 1e-5, high: 1e-1, log: true, step: None })?);
/// assert_eq!(lr.to_string(), "lr=float(1e-5,0.1,log)");
///
/// let layers: Parameter = "layers=choice([64],[64,32],null)".parse()?;
/// assert_eq!(layers.domain().count(), Some(3));
/// let rate: Parameter = "rate=float(0, 0.5, step=0.1)".parse()?;
/// assert_eq!(rate.draw(0.5), Value::Float(0.3));
///
/// let seed: Parameter = "seed=42".parse()?;
/// assert_eq!(seed.domain(), &Domain::Fixed { value: Value::Int(42) });
///
/// let error = "n=int(9,1)".parse::<Parameter>().unwrap_err();
/// assert_eq!(error.to_string(), "parameter `n`: low must not be above high, found low = 9, high = 1");
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parameter {
    name: Arc<str>,
    domain: Domain,
    /// When it is active; always, if there is none.
    condition: Option<Arc<Expression>>,
    /// Where the values of a choice are.
    lookup: Arc<Lookup>,
}

/// The lookup follows from the domain.
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.domain, &self.condition)
            == (&other.name, &other.domain, &other.condition)
    }
}

impl Parameter {
    /// A parameter; its name must look like an identifier (`.` and `-` are allowed inside) and its domain must make sense.
    pub fn new(name: impl Into<String>, domain: Domain) -> Result<Self, SpaceError> {
        let name = name.into();
        if !is_name(&name) {
            return Err(SpaceError::BadName(name));
        }
        let length = limits::check_name(&name).map_err(|reason| format!("its name: {reason}"));
        if let Err(reason) = length.and_then(|()| domain.check(&name)) {
            return Err(SpaceError::BadDomain { name, reason });
        }
        let lookup = Arc::new(Lookup::new(domain.values().unwrap_or_default()));
        Ok(Self {
            name: name.into(),
            domain,
            condition: None,
            lookup,
        })
    }

    /// The same parameter, active only where an expression over other parameters is true; checked by
    /// [`Space::new`](crate::space::Space::new).
    ///
    /// ```
    /// use neuralbo::space::{Expression, Parameter};
    ///
    /// let degree: Parameter = "degree=int(2,5)".parse()?;
    /// let degree = degree.only_if("kernel == poly".parse()?);
    /// assert_eq!(degree.to_string(), "degree=int(2,5) if kernel == poly");
    /// assert_eq!(degree.to_string().parse::<Parameter>()?, degree);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn only_if(self, condition: Expression) -> Self {
        Self {
            condition: Some(Arc::new(condition)),
            ..self
        }
    }

    /// The same parameter with this condition or none.
    pub(crate) fn with_condition(self, condition: Option<Expression>) -> Self {
        Self {
            condition: condition.map(Arc::new),
            ..self
        }
    }

    /// When it is active; always, if there is none.
    pub fn condition(&self) -> Option<&Expression> {
        self.condition.as_deref()
    }

    /// The same parameter with another domain.
    pub(crate) fn with_domain(&self, domain: Domain) -> Result<Self, SpaceError> {
        Ok(Self {
            condition: self.condition.clone(),
            ..Self::new(self.name(), domain)?
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, to be shared.
    pub(super) fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// The values it may take.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The value at the fraction `u` in [0, 1) of the domain: a uniform `u` gives a uniform value on the domain's own scale.
    ///
    /// ```
    /// use neuralbo::space::{Parameter, Value};
    ///
    /// let n: Parameter = "n=int(1,4)".parse()?;
    /// assert_eq!([0.0, 0.25, 0.99].map(|u| n.draw(u)), [1, 2, 4].map(Value::Int));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn draw(&self, u: f64) -> Value {
        let level = self.domain.unordered_level_at(u);
        let level = level.unwrap_or_else(|| Code::new(&self.domain).read(&[2.0 * u - 1.0]));
        self.domain.value_at(level)
    }

    /// A value as the domain has it; `None` if it does not.
    pub fn accepted(&self, value: &Value) -> Option<Value> {
        self.normalized(value).ok()
    }

    /// A value as the domain has it (an int for a float parameter becomes a float), or an error that says what is allowed.
    pub(super) fn normalized(&self, value: &Value) -> Result<Value, SpaceError> {
        Ok(self.domain.value_at(self.level_of(value)?))
    }

    /// The level of a value; `None` when the value is not in the domain.
    pub(super) fn level<'a>(&self, value: impl Into<ValueView<'a>>) -> Option<f64> {
        self.domain.level_of(value.into(), &self.lookup)
    }

    /// The level of a value, or an error that says what is allowed.
    pub(super) fn level_of(&self, value: &Value) -> Result<f64, SpaceError> {
        self.level(value).ok_or_else(|| SpaceError::BadValue {
            name: self.name.to_string(),
            value: value.clone(),
            allowed: self.domain.allowed(),
        })
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.domain)?;
        self.condition.iter().try_for_each(|c| write!(f, " if {c}"))
    }
}

impl FromStr for Parameter {
    type Err = SpaceError;

    fn from_str(s: &str) -> Result<Self, SpaceError> {
        let parts = s.split_once('=');
        let (name, domain) = parts.ok_or_else(|| SpaceError::NoEquals(s.to_owned()))?;
        text::parameter(name.trim(), domain)
    }
}
