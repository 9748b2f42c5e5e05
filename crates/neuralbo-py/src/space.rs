//! The search space.

use neuralbo::linalg::Points;
use neuralbo::space::{Domain, Parameter, Space as CoreSpace, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::convert::{floats, named, number, params, to_python, value};
use crate::errors::{attached, space_error, value_error};

/// A checked search space.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Space(pub CoreSpace);

#[pymethods]
impl Space {
    /// From `(name, kind, arguments)`: float and int take (low, high, log, step), choice the choices, fixed a value.
    #[new]
    fn new(parameters: &Bound<'_, PyList>) -> PyResult<Self> {
        attached(|| {
            let parameters = parameters.iter().map(|item| parameter(&item)).collect::<PyResult<Vec<_>>>()?;
            CoreSpace::new(parameters).map(Self).map_err(value_error)
        })
    }

    /// A pool of `dim` features a row, given as the bytes of 64-bit floats.
    #[staticmethod]
    fn pool(rows: &Bound<'_, PyBytes>, dim: usize) -> PyResult<Self> {
        attached(|| {
            let rows = floats(rows.as_bytes());
            let points = Points::from_rows(dim, rows.chunks_exact(dim.max(1)));
            CoreSpace::from_pool(points).map(Self).map_err(value_error)
        })
    }

    /// What the constructor takes; a pool has its rows as lists.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = PyList::empty(py);
        for parameter in self.0.parameters() {
            let (kind, arguments) = spec(py, parameter.domain())?;
            found.append((parameter.name(), kind, arguments))?;
        }
        Ok(found)
    }

    /// A dict with all values checked and in the order of the space.
    fn check<'py>(&self, py: Python<'py>, point: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        let point = self.0.point_of(&params(point)?).map_err(|error| space_error(&self.0, error))?;
        named(py, &self.0, &self.0.params(&point))
    }

    /// The text forms of the parameters, as the command line takes them.
    fn texts(&self) -> Vec<String> {
        self.0.parameters().iter().map(ToString::to_string).collect()
    }

    /// How many coordinates a model sees.
    #[getter]
    fn coordinates(&self) -> usize {
        self.0.encoded_dim()
    }
}

/// A parameter from `(name, kind, arguments)`.
pub fn parameter(item: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    let (name, kind, arguments): (String, String, Bound<'_, PyTuple>) = item.extract()?;
    Parameter::new(name.clone(), domain(&name, &kind, &arguments)?).map_err(value_error)
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
        "choice" => Ok(Domain::Choice { choices: arguments.iter().map(scalar).collect::<PyResult<_>>()? }),
        "ordinal" => Ok(Domain::Ordinal { values: arguments.iter().map(scalar).collect::<PyResult<_>>()? }),
        "fixed" => Ok(Domain::Fixed { value: value(&item(0)?, &what("the value"))? }),
        _ => Err(value_error(format!("kind `{kind}` is not allowed; it must be float, int, choice, ordinal or fixed"))),
    }
}

/// A whole number; floats are refused, because they are rarely meant.
fn whole(object: &Bound<'_, PyAny>, what: &str) -> PyResult<i64> {
    match value(object, what)? {
        Value::Int(k) => Ok(k),
        other => Err(PyTypeError::new_err(format!("{what} must be a whole number, found {other}"))),
    }
}

fn tuple<'py>(py: Python<'py>, values: &[Value]) -> PyResult<Bound<'py, PyAny>> {
    let values = values.iter().map(|value| to_python(py, value)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, values)?.into_any())
}

fn spec<'py>(py: Python<'py>, domain: &Domain) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    Ok(match domain {
        Domain::Float { low, high, log, step } => ("float", (low, high, log, step).into_bound_py_any(py)?),
        Domain::Int { low, high, log, step } => ("int", (low, high, log, step.unwrap_or(1)).into_bound_py_any(py)?),
        Domain::Choice { choices } => ("choice", tuple(py, choices)?),
        Domain::Ordinal { values } => ("ordinal", tuple(py, values)?),
        Domain::Fixed { value } => ("fixed", (to_python(py, value)?,).into_bound_py_any(py)?),
        Domain::Rows { table } => ("rows", PyTuple::new(py, table.rows().map(<[f64]>::to_vec))?.into_any()),
    })
}
