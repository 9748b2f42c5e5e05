//! The search space.

use neuralbo::linalg::Points;
use neuralbo::space::{
    self as core, Domain, Expression, Occurrence, Parameter, Params, Space as CoreSpace,
    TrialEvidence, Value,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::convert::{floats, name, named, number, params, to_python, value};
use crate::errors::{attached, detached, space_error, value_error};
use crate::listening::listening;
use crate::predicate::Predicates;

/// A checked search space.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Space {
    pub core: CoreSpace,
    /// The functions among its constraints.
    pub predicates: Predicates,
}

impl From<CoreSpace> for Space {
    fn from(core: CoreSpace) -> Self {
        Self {
            core,
            predicates: Predicates::default(),
        }
    }
}

#[pymethods]
impl Space {
    /// From `(name, kind, arguments, condition)`: float and int take (low, high, log, step), choice and ordinal the values, fixed a
    /// value; constraints are expressions, or functions of a dict.
    #[new]
    #[pyo3(signature = (parameters, constraints=None))]
    fn new(
        py: Python<'_>,
        parameters: &Bound<'_, PyList>,
        constraints: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let parameters = attached(|| read_parameters(parameters))?;
        let (mut expressions, mut predicates) = (Vec::new(), Predicates::default());
        for constraint in constraints.into_iter().flatten() {
            match constraint.extract::<String>() {
                Ok(text) => expressions.push(text.parse::<Expression>().map_err(value_error)?),
                Err(_) => predicates.add(&constraint)?,
            }
        }
        let theirs = predicates.clone();
        let make = move || {
            let space =
                CoreSpace::new(parameters).and_then(|space| space.with_constraints(expressions));
            space.and_then(|space| theirs.constrain(&space))
        };
        // A feasible point may be hard to find, and the functions are called from threads of the engine.
        let core = match constraints {
            Some(_) => listening(py, make)?,
            None => detached(py, make)?,
        };
        predicates.check()?;
        Ok(Self {
            core: core.map_err(value_error)?,
            predicates,
        })
    }

    /// The space of a JSON text of the ConfigSpace package.
    #[staticmethod]
    fn from_configspace(py: Python<'_>, text: String) -> PyResult<Self> {
        let read = listening(py, move || neuralbo_cli::configspace::space(&text))?;
        read.map(Self::from).map_err(value_error)
    }

    /// A pool of `dim` features a row, given as the bytes of 64-bit floats.
    #[staticmethod]
    fn pool(rows: &Bound<'_, PyBytes>, dim: usize) -> PyResult<Self> {
        attached(|| {
            let rows = floats(rows.as_bytes());
            let points = Points::from_rows(dim, rows.chunks_exact(dim.max(1)));
            CoreSpace::from_pool(points)
                .map(Self::from)
                .map_err(value_error)
        })
    }

    /// What the constructor takes; a pool has its rows as lists.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        described_all(py, self.core.parameters())
    }

    /// The constraints: expressions as texts, then functions.
    fn constraints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = PyList::empty(py);
        for expression in self
            .core
            .constraints()
            .iter()
            .filter_map(|constraint| constraint.expression())
        {
            found.append(expression.to_string())?;
        }
        self.predicates
            .functions(py)
            .try_for_each(|function| found.append(function))?;
        Ok(found)
    }

    /// A dict with all values checked and in the order of the space.
    fn check<'py>(
        &self,
        py: Python<'py>,
        point: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let values = self.in_domains(point)?;
        detached(py, || self.core.satisfies(&values))?.map_err(value_error)?;
        self.predicates.check()?;
        named(py, &self.core, &values)
    }

    /// The same without regard to constraints: for results that are known from elsewhere.
    fn check_domains<'py>(
        &self,
        py: Python<'py>,
        point: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyDict>> {
        named(py, &self.core, &self.in_domains(point)?)
    }

    /// The names of the parameters that are active, given these values, or whose values it hangs on are missing.
    fn active(&self, point: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
        let values = params(point)?;
        let names = self.core.parameters().iter().map(Parameter::name);
        Ok(names
            .filter(|name| self.core.is_active(name, &values) != Some(false))
            .map(ToOwned::to_owned)
            .collect())
    }

    /// The text forms of the parameters, as the command line takes them.
    fn texts(&self) -> Vec<String> {
        self.core
            .parameters()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// How many coordinates a model sees.
    #[getter]
    fn coordinates(&self) -> usize {
        self.core.encoded_dim()
    }
}

impl Space {
    fn in_domains(&self, point: &Bound<'_, PyDict>) -> PyResult<Params> {
        let point = self.core.point_of(&params(point)?);
        let point = point.map_err(|error| space_error(&self.core, error))?;
        Ok(self.core.params(&point))
    }
}

/// An expression as it is printed; from a text, or from a dict of the values that parameters must have, one or a list of them.
#[pyfunction]
pub fn expression(given: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(dict) = given.cast::<PyDict>() else {
        return given
            .extract::<String>()?
            .parse::<Expression>()
            .map(|read| read.to_string())
            .map_err(value_error);
    };
    let part = |(key, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name(&key, "names of parameters")?;
        let what = format!("a value of `{name}`");
        let values = if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
            given
                .try_iter()?
                .map(|item| value(&item?, &what))
                .collect::<PyResult<Vec<_>>>()?
        } else {
            vec![value(&given, &what)?]
        };
        if values.is_empty() {
            return Err(value_error(format!(
                "no value of `{name}` is given; give at least one"
            )));
        }
        Expression::one_of(&name, &values).map_err(value_error)
    };
    let parts = dict.iter().map(part).collect::<PyResult<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(value_error(
            "a condition must name at least one parameter, found an empty dict",
        ));
    }
    Expression::all(parts)
        .map(|all| all.to_string())
        .map_err(value_error)
}

/// When parameters, given as the constructor of a space takes them, occurred in trials: `None` for always, a condition, or an empty
/// text where nothing explains it. A trial is its values and whether it is complete.
#[pyfunction]
pub fn derived_conditions(
    parameters: &Bound<'_, PyList>,
    trials: Vec<(Bound<'_, PyDict>, bool)>,
) -> PyResult<Vec<Option<String>>> {
    let parameters = read_parameters(parameters)?;
    let evidence = |(values, is_complete): &(Bound<'_, PyDict>, bool)| {
        Ok(TrialEvidence {
            params: params(values)?,
            is_complete: *is_complete,
        })
    };
    let trials = trials.iter().map(evidence).collect::<PyResult<Vec<_>>>()?;
    let text = |occurrence: Occurrence| match occurrence {
        Occurrence::Always => None,
        Occurrence::If(expression) => Some(expression.to_string()),
        Occurrence::Unexplained => Some(String::new()),
    };
    Ok(core::derived_conditions(&parameters, &trials)
        .into_iter()
        .map(text)
        .collect())
}

fn read_parameters(list: &Bound<'_, PyList>) -> PyResult<Vec<Parameter>> {
    list.iter().map(|item| parameter(&item)).collect()
}

/// Parameters, each as `(name, kind, arguments, condition)`.
pub fn described_all<'py, 'a>(
    py: Python<'py>,
    parameters: impl IntoIterator<Item = &'a Parameter>,
) -> PyResult<Bound<'py, PyList>> {
    let described = parameters
        .into_iter()
        .map(|parameter| described(py, parameter));
    PyList::new(py, described.collect::<PyResult<Vec<_>>>()?)
}

/// A parameter as `(name, kind, arguments, condition)`.
pub fn described<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyTuple>> {
    let (kind, arguments) = spec(py, parameter.domain())?;
    let condition = parameter.condition().map(ToString::to_string);
    (parameter.name(), kind, arguments, condition).into_pyobject(py)
}

/// A parameter from `(name, kind, arguments, condition)`.
pub fn parameter(item: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    let (name, kind, arguments, condition): (String, String, Bound<'_, PyTuple>, Option<String>) =
        item.extract()?;
    let parameter =
        Parameter::new(name.clone(), domain(&name, &kind, &arguments)?).map_err(value_error)?;
    match condition {
        Some(condition) => Ok(parameter.only_if(condition.parse().map_err(value_error)?)),
        None => Ok(parameter),
    }
}

fn domain(name: &str, kind: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Domain> {
    let item = |i: usize| arguments.get_item(i);
    let what = |field: &str| format!("parameter `{name}`: {field}");
    let scalar = |object: Bound<'_, PyAny>| value(&object, &what("a choice"));
    match kind {
        "float" => Ok(Domain::Float {
            low: number(&item(0)?, &what("low"))?,
            high: number(&item(1)?, &what("high"))?,
            log: item(2)?.extract()?,
            step: item(3)?.extract()?,
        }),
        "int" => Ok(Domain::Int {
            low: whole(&item(0)?, &what("low"))?,
            high: whole(&item(1)?, &what("high"))?,
            log: item(2)?.extract()?,
            step: item(3)?.extract::<Option<i64>>()?.filter(|step| *step != 1),
        }),
        "choice" => Ok(Domain::Choice {
            choices: arguments.iter().map(scalar).collect::<PyResult<_>>()?,
        }),
        "ordinal" => Ok(Domain::Ordinal {
            values: arguments.iter().map(scalar).collect::<PyResult<_>>()?,
        }),
        "fixed" => Ok(Domain::Fixed {
            value: value(&item(0)?, &what("the value"))?,
        }),
        _ => Err(value_error(format!(
            "kind `{kind}` is not allowed; it must be float, int, choice, ordinal or fixed"
        ))),
    }
}

/// A whole number; floats are refused, because they are rarely meant.
fn whole(object: &Bound<'_, PyAny>, what: &str) -> PyResult<i64> {
    match value(object, what)? {
        Value::Int(k) => Ok(k),
        other => Err(PyTypeError::new_err(format!(
            "{what} must be a whole number, found {other}"
        ))),
    }
}

fn tuple<'py>(py: Python<'py>, values: &[Value]) -> PyResult<Bound<'py, PyAny>> {
    let values = values
        .iter()
        .map(|value| to_python(py, value))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, values)?.into_any())
}

fn spec<'py>(py: Python<'py>, domain: &Domain) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    Ok(match domain {
        Domain::Float {
            low,
            high,
            log,
            step,
        } => ("float", (low, high, log, step).into_bound_py_any(py)?),
        Domain::Int {
            low,
            high,
            log,
            step,
        } => (
            "int",
            (low, high, log, step.unwrap_or(1)).into_bound_py_any(py)?,
        ),
        Domain::Choice { choices } => ("choice", tuple(py, choices)?),
        Domain::Ordinal { values } => ("ordinal", tuple(py, values)?),
        Domain::Fixed { value } => ("fixed", (to_python(py, value)?,).into_bound_py_any(py)?),
        Domain::Rows { table } => (
            "rows",
            PyTuple::new(py, table.rows().map(<[f64]>::to_vec))?.into_any(),
        ),
    })
}
