//! Built-in problems by name.

use super::bbob::{Bbob, BbobError};
use super::{Ackley, Branin, Griewank, Hartmann6, Levy, Michalewicz, Rastrigin, Rosenbrock, Sphere, StyblinskiTang};
use crate::Problem;

/// How the BBOB functions are named.
const BBOB_PATTERN: &str = "bbob-f<function>-i<instance>-d<dim>";
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
    /// No such BBOB function.
    #[error(transparent)]
    Bbob(#[from] BbobError),
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

const ENTRIES: &[Entry] = &[
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

/// The problem called `name`, with `dim` coordinates ([`DEFAULT_DIM`] if neither given, nor fixed by the problem, nor part of the
/// name).
///
/// What a problem calls itself makes it again: `ackley-20` is `ackley` with `dim` 20. BBOB functions are called
/// `bbob-f07-i03-d05` (function, instance, dimension), the dimension being optional there too.
///
/// ```
/// use neuralbo_lab::problems::by_name;
///
/// assert_eq!(by_name("ackley", Some(20))?.dim(), 20);
/// assert_eq!(by_name("branin", None)?.dim(), 2);
/// assert_eq!(by_name("bbob-f07-i03-d05", None)?.dim(), 5);
/// assert!(by_name("branin", Some(3)).is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
pub fn by_name(name: &str, dim: Option<usize>) -> Result<Box<dyn Problem>, ProblemError> {
    if let Some(entry) = find(name) {
        return entry.make(name, dim);
    }
    if let Some((function, instance, named)) = parse_bbob(name) {
        let dim = agreed(name, named, dim)?.unwrap_or(DEFAULT_DIM);
        return Ok(Box::new(Bbob::new(function, instance, dim)?));
    }
    let (entry, named) = find_with_dim(name).ok_or_else(|| ProblemError::UnknownName {
        name: name.to_owned(),
        known: format!("{}, {BBOB_PATTERN}", names().join(", ")),
    })?;
    entry.make(name, agreed(name, Some(named), dim)?)
}

fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// A name followed by a dash and the dimension.
fn find_with_dim(name: &str) -> Option<(&'static Entry, usize)> {
    let (stem, dim) = name.rsplit_once('-')?;
    Some((find(stem)?, dim.parse().ok()?))
}

/// Function, instance and dimension of `bbob-f07-i03-d05`.
fn parse_bbob(name: &str) -> Option<(u32, u32, Option<usize>)> {
    let mut parts = name.strip_prefix("bbob-")?.split('-');
    let function = parts.next()?.strip_prefix('f')?.parse().ok()?;
    let instance = parts.next()?.strip_prefix('i')?.parse().ok()?;
    let dim = parts.next().map(|part| part.strip_prefix('d')?.parse().ok());
    match (dim, parts.next()) {
        (None, None) => Some((function, instance, None)),
        (Some(Some(dim)), None) => Some((function, instance, Some(dim))),
        _ => None,
    }
}

/// The dimension when both the name and the caller may state one.
fn agreed(name: &str, named: Option<usize>, asked: Option<usize>) -> Result<Option<usize>, ProblemError> {
    match (named, asked) {
        (Some(allowed), Some(dim)) if allowed != dim => Err(ProblemError::FixedDim { name: name.to_owned(), dim, allowed }),
        _ => Ok(named.or(asked)),
    }
}

impl Entry {
    fn make(&self, name: &str, dim: Option<usize>) -> Result<Box<dyn Problem>, ProblemError> {
        Ok((self.build)(self.dims.check(name, dim)?))
    }
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
    fn every_name_makes_a_problem_that_proves_its_optimum() {
        for name in names() {
            let problem = by_name(name, None).unwrap();
            assert!(problem.name().starts_with(name));
            if problem.optimum().is_some() {
                conformance::check(problem.as_ref());
            }
        }
    }

    #[test]
    fn what_a_problem_calls_itself_makes_it_again() {
        let mut problems: Vec<_> = names().into_iter().map(|name| by_name(name, None).unwrap()).collect();
        problems.push(Box::new(Bbob::new(24, 110, 40).unwrap()));
        for problem in problems {
            let again = by_name(&problem.name(), None).unwrap();
            assert_eq!((again.name(), again.dim()), (problem.name(), problem.dim()));
        }
    }

    #[test]
    fn bbob_names_may_leave_the_dimension_open() {
        assert_eq!(by_name("bbob-f1-i2", Some(3)).unwrap().name(), "bbob-f01-i02-d03");
        assert!(refusal("bbob-f01-i01-d02", 3).contains("always 2"));
        assert!(refusal("bbob-f25-i01", 3).contains("1 to 24"));
        for name in ["bbob-f01", "bbob-f01-i01-d02-x", "bbob-x01-i01", "bbob-f01-i01-dx"] {
            assert!(refusal(name, 2).contains("unknown"), "{name}");
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
        assert!(refusal("ackley-10", 5).contains("always 10"));
    }
}
