//! What can be wrong with a space or with a point of it.

use super::Value;

/// What is wrong with a space, or with a point of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A space without parameters.
    #[error("a space needs at least one parameter, e.g. `x=float(0,1)`")]
    Empty,
    /// More parameters or constraints than allowed.
    #[error("a space is too large: {0}")]
    TooLarge(String),
    /// Two parameters of this name.
    #[error("parameter `{0}` is given twice; names must be unique")]
    DuplicateName(String),
    /// A name that is not an identifier.
    #[error(
        "parameter name `{0}`: a name starts with a letter or `_`, followed by letters, digits, `_`, `.` or `-`"
    )]
    BadName(String),
    /// A domain without values or scale.
    #[error("parameter `{name}`: {reason}")]
    BadDomain {
        /// The parameter.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A text that is not a parameter.
    #[error("parameter `{name}`: cannot read `{found}`: {reason}")]
    Syntax {
        /// The parameter.
        name: String,
        /// The text of its domain.
        found: String,
        /// What is wrong.
        reason: String,
    },
    /// A text without an equals sign.
    #[error(
        "cannot read `{0}` as a parameter: write NAME=DOMAIN, e.g. `lr=float(1e-5,1e-1,log)`, `opt=choice(adam,sgd)`"
    )]
    NoEquals(String),
    /// A table of rows beside other parameters.
    #[error(
        "parameter `{name}`: a table of rows must be the only parameter of its space, found {count} parameters"
    )]
    RowsNotAlone {
        /// The parameter.
        name: String,
        /// Number of parameters.
        count: usize,
    },
    /// A value outside its parameter's domain.
    #[error("parameter `{name}`: value `{value}` is not allowed, it must be {allowed}")]
    BadValue {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The allowed values, in words.
        allowed: String,
    },
    /// A point of another space.
    #[error("a point with {found} values, but the space has {expected} parameters")]
    WrongLength {
        /// Number of parameters.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// A parameter without a value.
    #[error("no value for parameter `{name}`; expected are {expected}")]
    MissingValue {
        /// The parameter.
        name: String,
        /// All parameters.
        expected: String,
    },
    /// A value for an unknown parameter.
    #[error("unknown parameter `{name}`; expected are {expected}")]
    UnknownName {
        /// The unknown name.
        name: String,
        /// All parameters.
        expected: String,
    },
    /// Two values for this parameter.
    #[error("two values for parameter `{0}`")]
    RepeatedValue(String),
    /// A text that is not a JSON object of values by name.
    #[error("cannot read the values of a trial: {0}")]
    NotParams(String),
    /// A text that is not an expression.
    #[error("cannot read the expression `{found}`: {reason}")]
    NoExpression {
        /// The text.
        found: String,
        /// What is wrong.
        reason: String,
    },
    /// An expression that makes no sense over the parameters of the space.
    #[error("expression `{expression}`: {reason}")]
    BadExpression {
        /// The expression.
        expression: String,
        /// What is wrong.
        reason: String,
    },
    /// Values that no point may have together.
    #[error("{values} violate the constraint `{constraint}`")]
    Violated {
        /// The values that the constraint reads.
        values: String,
        /// The constraint.
        constraint: String,
    },
    /// A constraint that no point of the space satisfies.
    #[error("constraint `{constraint}` never holds{reason}")]
    NeverHolds {
        /// The constraint.
        constraint: String,
        /// Why, if that is known.
        reason: String,
    },
    /// Constraints that no point of the space satisfies together.
    #[error("{found} all of the constraints {constraints}")]
    Contradiction {
        /// A proof, or a search without success.
        found: String,
        /// The constraints.
        constraints: String,
    },
    /// A constraint that only exists in the running program, by its name.
    #[error(
        "constraint `{0}` is a function: it cannot be written down; give it as an expression, e.g. `x + y <= 1`"
    )]
    FunctionConstraint(String),
    /// A condition that makes no sense.
    #[error("parameter `{name}`: condition `{condition}`: {reason}")]
    BadCondition {
        /// The parameter.
        name: String,
        /// Its condition.
        condition: String,
        /// What is wrong.
        reason: String,
    },
    /// A value for a parameter whose condition is false.
    #[error(
        "parameter `{name}`: value `{value}` is not allowed, because the parameter is active only if {condition}; leave it out"
    )]
    Inactive {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// Its condition.
        condition: String,
    },
}
