//! What can be wrong with a space or with a point of it.

use super::Value;

/// What is wrong with a space, or with a point of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Of the fields: the messages say what they are.
pub enum SpaceError {
    /// A space without parameters.
    #[error("a space needs at least one parameter, e.g. `x=float(0,1)`")]
    Empty,
    /// Two parameters of one name.
    #[error("parameter `{name}` is given twice; names must be unique")]
    DuplicateName { name: String },
    /// A name that is no identifier.
    #[error(
        "parameter name `{name}`: a name starts with a letter or `_`, followed by letters, digits, `_`, `.` or `-`"
    )]
    BadName { name: String },
    /// A domain that describes no values, or no scale.
    #[error("parameter `{name}`: {reason}")]
    BadDomain { name: String, reason: String },
    /// A text that is no parameter.
    #[error("parameter `{name}`: cannot read `{found}`: {reason}")]
    Syntax {
        name: String,
        found: String,
        reason: String,
    },
    /// A text without an equals sign.
    #[error(
        "cannot read `{found}` as a parameter: write NAME=DOMAIN, e.g. `lr=float(1e-5,1e-1,log)`, `opt=choice(adam,sgd)`"
    )]
    NoEquals { found: String },
    /// A table of rows beside other parameters.
    #[error(
        "parameter `{name}`: a table of rows must be the only parameter of its space, found {count} parameters"
    )]
    RowsNotAlone { name: String, count: usize },
    /// A value outside its parameter's domain.
    #[error("parameter `{name}`: value `{value}` is not allowed, it must be {allowed}")]
    BadValue {
        name: String,
        value: Value,
        allowed: String,
    },
    /// A point of another space.
    #[error("a point with {found} values, but the space has {expected} parameters")]
    WrongLength { expected: usize, found: usize },
    /// A parameter without a value.
    #[error("no value for parameter `{name}`; expected are {expected}")]
    MissingValue { name: String, expected: String },
    /// A value for no parameter.
    #[error("unknown parameter `{name}`; expected are {expected}")]
    UnknownName { name: String, expected: String },
    /// Two values for one parameter.
    #[error("two values for parameter `{name}`")]
    RepeatedValue { name: String },
    /// A text that is no JSON object of values by name.
    #[error("cannot read the values of a trial: {reason}")]
    NotParams { reason: String },
    /// A text that is no expression.
    #[error("cannot read the expression `{found}`: {reason}")]
    NoExpression { found: String, reason: String },
    /// An expression that makes no sense over the parameters of the space.
    #[error("expression `{expression}`: {reason}")]
    BadExpression { expression: String, reason: String },
    /// Values that no point may have together.
    #[error("{values} violate the constraint `{constraint}`")]
    Violated { values: String, constraint: String },
    /// A constraint that no point of the space satisfies.
    #[error("constraint `{constraint}` never holds{reason}")]
    NeverHolds { constraint: String, reason: String },
    /// Constraints that no point of the space satisfies together.
    #[error("{found} all of the constraints {constraints}")]
    Contradiction { found: String, constraints: String },
    /// A constraint that only exists in the program at hand.
    #[error(
        "constraint `{name}` is a function: it cannot be written down; give it as an expression, e.g. `x + y <= 1`"
    )]
    FunctionConstraint { name: String },
    /// A condition that makes no sense.
    #[error("parameter `{name}`: condition `{condition}`: {reason}")]
    BadCondition {
        name: String,
        condition: String,
        reason: String,
    },
    /// A value for a parameter whose condition is false.
    #[error(
        "parameter `{name}`: value `{value}` is not allowed, because the parameter is active only if {condition}; leave it out"
    )]
    Inactive {
        name: String,
        value: Value,
        condition: String,
    },
}
