//! What can be wrong with a space or with a point of it.

use super::Value;

/// What is wrong with a space, or with a point of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A space without parameters.
    #[error("a space needs at least one parameter, e.g. `x=float(0,1)`")]
    Empty,
    /// Two parameters of one name.
    #[error("parameter `{name}` is given twice; names must be unique")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name that is no identifier.
    #[error(
        "parameter name `{name}`: a name starts with a letter or `_`, followed by letters, digits, `_`, `.` or `-`"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// A domain that describes no values, or no scale.
    #[error("parameter `{name}`: {reason}")]
    BadDomain {
        /// The parameter.
        name: String,
        /// What was found and what is allowed.
        reason: String,
    },
    /// A text that is no parameter.
    #[error("parameter `{name}`: cannot read `{found}`: {reason}")]
    Syntax {
        /// The parameter.
        name: String,
        /// The text after the equals sign.
        found: String,
        /// What is wrong with it, with an example.
        reason: String,
    },
    /// A text without an equals sign.
    #[error(
        "cannot read `{found}` as a parameter: write NAME=DOMAIN, e.g. `lr=float(1e-5,1e-1,log)`, `opt=choice(adam,sgd)`"
    )]
    NoEquals {
        /// The text.
        found: String,
    },
    /// A table of rows beside other parameters.
    #[error(
        "parameter `{name}`: a table of rows must be the only parameter of its space, found {count} parameters"
    )]
    RowsNotAlone {
        /// The parameter.
        name: String,
        /// How many parameters the space has.
        count: usize,
    },
    /// A value outside its parameter's domain.
    #[error("parameter `{name}`: value `{value}` is not allowed, it must be {allowed}")]
    BadValue {
        /// The parameter.
        name: String,
        /// The value.
        value: Value,
        /// The domain in words.
        allowed: String,
    },
    /// A point of another space.
    #[error("a point with {found} values, but the space has {expected} parameters")]
    WrongLength {
        /// Parameters of the space.
        expected: usize,
        /// Values of the point.
        found: usize,
    },
    /// A parameter without a value.
    #[error("no value for parameter `{name}`; expected are {expected}")]
    MissingValue {
        /// The parameter.
        name: String,
        /// All names.
        expected: String,
    },
    /// A value for no parameter.
    #[error("unknown parameter `{name}`; expected are {expected}")]
    UnknownName {
        /// The unknown name.
        name: String,
        /// All names.
        expected: String,
    },
    /// Two values for one parameter.
    #[error("two values for parameter `{name}`")]
    RepeatedValue {
        /// The parameter.
        name: String,
    },
    /// A text that is no JSON object of values by name.
    #[error("cannot read the values of a trial: {reason}")]
    NotParams {
        /// What is wrong, and where.
        reason: String,
    },
    /// A text that no ConfigSpace has written.
    #[error("cannot read the space of ConfigSpace: {reason}")]
    NotConfigSpace {
        /// What is wrong, and where.
        reason: String,
    },
    /// A text that is no expression.
    #[error("cannot read the expression `{found}`: {reason}")]
    NoExpression {
        /// The text.
        found: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An expression that makes no sense over the parameters of the space.
    #[error("expression `{expression}`: {reason}")]
    BadExpression {
        /// The expression.
        expression: String,
        /// What was found and what is allowed.
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
        /// Why, after a colon; empty where that is not known.
        reason: String,
    },
    /// Constraints that no point of the space satisfies together.
    #[error("{found} all of the constraints {constraints}")]
    Contradiction {
        /// Whether there is no such point, or none was found.
        found: String,
        /// The constraints.
        constraints: String,
    },
    /// A constraint that only exists in the program at hand.
    #[error(
        "constraint `{name}` is a function: it cannot be written down; give it as an expression, e.g. `x + y <= 1`"
    )]
    FunctionConstraint {
        /// The name of the function.
        name: String,
    },
    /// A condition that makes no sense.
    #[error("parameter `{name}`: condition `{condition}`: {reason}")]
    BadCondition {
        /// The parameter.
        name: String,
        /// Its condition.
        condition: String,
        /// What was found and what is allowed.
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
