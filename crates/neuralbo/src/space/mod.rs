//! The search space: parameters and their values, how they are written, and how a point becomes a row in `[-1, 1]^D`.
//!
//! | parameter | text form | coordinates | encoding |
//! |---|---|---|---|
//! | float | `x=float(0,1)` | 1 | linear, the bounds at −1 and +1 |
//! | log float | `lr=float(1e-5,1e-1,log)` | 1 | linear in ln, the bounds at −1 and +1 |
//! | int, n levels | `n=int(1,64)` | 1 | level k at the centre of the k-th of n equal cells, −1 + (2k+1)/n |
//! | log int | `n=int(1,1024,log)` | 1 | ln(value), where ln(low − ½) is −1 and ln(high + ½) is +1 |
//! | float or int with a step, n levels | `x=float(0,1,step=0.05)`, `n=int(0,100,step=5)` | 1 | level k at the centre of the k-th of n equal cells |
//! | the same on a log scale | `x=float(1e-3,1,log,step=1e-3)` | 1 | ln(value), where ln(low − ½ step), or ln(½ low) if that is larger, is −1 and ln(last + ½ step) is +1 |
//! | choice of two, bool | `flag=bool` | 1 | −1 for the first, +1 for the second |
//! | choice of 3 to 32 | `opt=choice(a,b,c)` | k | +1 for the chosen, −1 for the others |
//! | choice of k > 32 | | r = 2⌈log₂ k⌉ + 4 | the value's random codeword of ±2/√r |
//! | ordered choice of n | `size=ordinal(small,medium,large)` | 1 | value k at the centre of the k-th of n equal cells |
//! | fixed, and anything with a single value | `seed=42` | 0 | |
//! | rows of a pool | (file or code only) | columns | each column scaled to `[-1, 1]`, a constant column at 0 |
//!
//! A parameter may have a condition, `gamma=float(0,1) if kernel in (rbf, poly)`. A point has no value for a parameter whose condition
//! is not true; its coordinates are 0. Whether conditions are true is written into coordinates of their own after all others, −1 or
//! +1, but for those that the coordinates of a choice say already.
//!
//! Values are numbers, true, false, text, null, lists and objects: the values of JSON. [`Params`] holds the values of a trial by
//! name; [`Space::row_of`] encodes them also when they come from an earlier definition of the space, where
//!
//! | a value that | is encoded as |
//! |---|---|
//! | is absent, or of an inactive parameter | 0 in all coordinates |
//! | is a number outside the range | extrapolated on the same scale, up to ±3 |
//! | is a number between two levels | the nearest level |
//! | the domain cannot have (another type, a removed choice) | 0; −1 in all coordinates of a choice of 3 to 32 |
//! | belongs to an unknown name | nothing |
//!
//! Cells rather than end points for ints: a uniform row then gives every int of a linear range the same probability.

mod change;
mod check;
mod codeword;
mod coding;
mod condition;
mod constrained;
mod constraint;
mod definition;
mod derived_conditions;
mod domain;
mod encoding;
mod enumerate;
mod error;
mod expression;
mod file;
mod parameter;
mod params;
mod point;
mod scale;
mod solve;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use change::Change;
pub use coding::Coordinate;
pub use constraint::{Constraint, PredicateFunction};
pub use definition::Space;
pub use derived_conditions::{Evidence, Occurrence, derived_conditions};
pub use domain::{Domain, NumberRange};
pub use error::SpaceError;
pub use expression::Expression;
pub(crate) use file::growing;
pub use parameter::Parameter;
pub use params::Params;
pub use point::Point;
pub(crate) use solve::Place;
pub use value::Value;
