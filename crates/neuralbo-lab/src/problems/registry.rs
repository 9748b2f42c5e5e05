//! Built-in problems by name.

use super::{Ackley, Branin, Griewank, Hartmann6, Levy, Michalewicz, Rastrigin, Rosenbrock, Sphere, StyblinskiTang};
use crate::Problem;

/// Coordinates of a scalable problem when none are asked for.
pub const DEFAULT_DIM: usize = 10;

/// Why a problem could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// No such name.
    #[error("problem `{name}` is unknown; known problems: {known}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// The problem has one dimension only.
    #[error("dim = {dim} is not possible for problem `{name}`, whose dim is always {allowed}")]
    FixedDim {
        /// The problem.
        name: String,
        /// What was asked for.
        dim: usize,
        /// The only dimension there is.
        allowed: usize,
    },
    /// The problem needs more coordinates.
    #[error("dim = {dim} is too small for problem `{name}`, whose dim must be at least {least}")]
    SmallDim {
        /// The problem.
        name: String,
        /// What was asked for.
        dim: usize,
        /// The smallest possible dimension.
        least: usize,
    },
}

#[derive(Clone, Copy)]
enum Dims {
    Fixed(usize),
    AtLeast(usize),
}

struct Entry {
    name: &'static str,
    dims: Dims,
    build: fn(usize) -> Box<dyn Problem>,
}

const ENTRIES: [Entry; 10] = [
    Entry { name: "ackley", dims: Dims::AtLeast(1), build: |dim| Box::new(Ackley::new(dim)) },
    Entry { name: "branin", dims: Dims::Fixed(2), build: |_| Box::new(Branin) },
    Entry { name: "griewank", dims: Dims::AtLeast(1), build: |dim| Box::new(Griewank::new(dim)) },
    Entry { name: "hartmann6", dims: Dims::Fixed(6), build: |_| Box::new(Hartmann6) },
    Entry { name: "levy", dims: Dims::AtLeast(1), build: |dim| Box::new(Levy::new(dim)) },
    Entry { name: "michalewicz", dims: Dims::AtLeast(1), build: |dim| Box::new(Michalewicz::new(dim)) },
    Entry { name: "rastrigin", dims: Dims::AtLeast(1), build: |dim| Box::new(Rastrigin::new(dim)) },
    Entry { name: "rosenbrock", dims: Dims::AtLeast(2), build: |dim| Box::new(Rosenbrock::new(dim)) },
    Entry { name: "sphere", dims: Dims::AtLeast(1), build: |dim| Box::new(Sphere::new(dim)) },
    Entry { name: "styblinski-tang", dims: Dims::AtLeast(1), build: |dim| Box::new(StyblinskiTang::new(dim)) },
];

/// The names [`by_name`] knows, in alphabetical order.
pub fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

/// The problem called `name`, with `dim` coordinates ([`DEFAULT_DIM`] if not given and not fixed by the problem).
///
/// ```
/// use neuralbo_lab::problems::by_name;
///
/// assert_eq!(by_name("ackley", Some(20))?.dim(), 20);
/// assert_eq!(by_name("branin", None)?.dim(), 2);
/// assert!(by_name("branin", Some(3)).is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
pub fn by_name(name: &str, dim: Option<usize>) -> Result<Box<dyn Problem>, ProblemError> {
    let unknown = || ProblemError::UnknownName { name: name.to_owned(), known: names().join(", ") };
    let entry = ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(unknown)?;
    Ok((entry.build)(entry.dims.check(name, dim)?))
}

impl Dims {
    fn check(self, name: &str, asked: Option<usize>) -> Result<usize, ProblemError> {
        match (self, asked) {
            (Dims::Fixed(allowed), Some(dim)) if dim != allowed => {
                Err(ProblemError::FixedDim { name: name.to_owned(), dim, allowed })
            }
            (Dims::Fixed(allowed), _) => Ok(allowed),
            (Dims::AtLeast(least), Some(dim)) if dim < least => Err(ProblemError::SmallDim { name: name.to_owned(), dim, least }),
            (Dims::AtLeast(_), asked) => Ok(asked.unwrap_or(DEFAULT_DIM)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::problems::conformance;

    fn refusal(name: &str, dim: usize) -> String {
        by_name(name, Some(dim)).err().unwrap().to_string()
    }

    #[test]
    fn every_name_makes_a_problem_that_knows_its_optimum() {
        for name in names() {
            let problem = by_name(name, None).unwrap();
            assert!(problem.name().starts_with(name));
            conformance::check(problem.as_ref());
        }
    }

    #[test]
    fn names_are_sorted_and_distinct() {
        assert!(names().windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let text = by_name("ackly", None).err().unwrap().to_string();
        assert!(text.contains("`ackly`") && names().iter().all(|name| text.contains(name)), "{text}");
    }

    #[test]
    fn impossible_dimensions_are_refused_with_what_is_allowed() {
        assert!(refusal("branin", 3).contains("always 2"));
        assert!(refusal("hartmann6", 5).contains("always 6"));
        assert!(refusal("ackley", 0).contains("at least 1"));
        assert!(refusal("rosenbrock", 1).contains("at least 2"));
    }
}
