//! The search space: parameters and their values, how they are written, and how a point becomes a row in `[-1, 1]^D`.
//!
//! | parameter | text form | coordinates | encoding |
//! |---|---|---|---|
//! | float | `x=float(0,1)` | 1 | linear, the bounds at −1 and +1 |
//! | log float | `lr=float(1e-5,1e-1,log)` | 1 | linear in ln, the bounds at −1 and +1 |
//! | int, n levels | `n=int(1,64)` | 1 | level k at the centre of the k-th of n equal cells, −1 + (2k+1)/n |
//! | log int | `n=int(1,1024,log)` | 1 | ln(value), where ln(low − ½) is −1 and ln(high + ½) is +1 |
//! | choice of two, bool | `flag=bool` | 1 | −1 for the first, +1 for the second |
//! | choice of k ≥ 3 | `opt=choice(a,b,c)` | k | +1 for the chosen, −1 for the others |
//! | fixed, and anything with a single value | `seed=42` | 0 | |
//! | rows of a pool | (file or code only) | columns | each column scaled to `[-1, 1]`, a constant column at 0 |
//!
//! Cells rather than end points for ints: a uniform row then gives every int of a linear range the same probability.

mod coding;
mod definition;
mod domain;
mod error;
mod file;
mod finite;
mod parameter;
mod point;
mod scale;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use coding::Coordinate;
pub use definition::Space;
pub use domain::Domain;
pub use error::SpaceError;
pub use parameter::Parameter;
pub use point::Point;
pub use value::Value;
