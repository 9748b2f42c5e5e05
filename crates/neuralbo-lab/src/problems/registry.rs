//! Problems by name: how one is listed, its dimensions and how it is made.

use std::path::PathBuf;

use super::bbob::{self, Bbob, BbobError};
use super::functions::Formula;
use super::{Control, PROBLEMS};
use crate::data::DataError;
use crate::{Problem, Simulation};

/// The names [`by_name`] knows, in alphabetical order.
pub fn names() -> Vec<&'static str> {
    functions().map(|entry| entry.name).collect()
}

fn functions() -> impl Iterator<Item = &'static ProblemEntry> {
    let entries = PROBLEMS.iter();
    entries.filter(|entry| matches!(entry.build, BuildProblem::Formula(_)))
}

/// Any of [`PROBLEMS`], called by its name with or without its dimension, or one that [`by_name`] knows.
///
/// ```
/// use neuralbo_lab::problems::{ProblemRequest, open};
///
/// let request = ProblemRequest { dim: Some(3), function: 8, instance: 2, data: None };
/// assert_eq!(open("bbob", &request)?.name(), "bbob-f08-i02-d03");
/// assert!(open("push", &request).is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
pub fn open(name: &str, request: &ProblemRequest) -> Result<Box<dyn Problem>, ProblemError> {
    if let (name, Some(control)) = Control::split(name)? {
        return control.of(open(name, request)?);
    }
    match find(PROBLEMS, name) {
        Some((entry, named)) => {
            let (dim, request) = (agreed(name, named, request.dim)?, request.clone());
            entry.make(name, &ProblemRequest { dim, ..request })
        }
        None => by_name(name, request.dim),
    }
}

/// The problem called `name`, with `dim` coordinates ([`DEFAULT_DIM`] if neither given, nor fixed by the problem, nor part of the
/// name).
///
/// What a problem calls itself makes it again: `ackley-20` is `ackley` with `dim` 20. BBOB functions are called
/// `bbob-f07-i03-d05` (function, instance, dimension), the dimension being optional there too. A [`Control`] may follow, as in
/// `ackley-20@moved`.
///
/// ```
/// use neuralbo_lab::problems::by_name;
///
/// assert_eq!(by_name("ackley", Some(20))?.dim(), 20);
/// assert_eq!(by_name("branin", None)?.dim(), 2);
/// assert_eq!(by_name("bbob-f07-i03-d05", None)?.dim(), 5);
/// assert_eq!(by_name("ackley@moved", Some(20))?.name(), "ackley-20@moved");
/// assert!(by_name("branin", Some(3)).is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
pub fn by_name(name: &str, dim: Option<usize>) -> Result<Box<dyn Problem>, ProblemError> {
    if let (name, Some(control)) = Control::split(name)? {
        return control.of(by_name(name, dim)?);
    }
    if let Some((entry, named)) = find(functions(), name) {
        return entry.make(name, &ProblemRequest::of_dim(agreed(name, named, dim)?));
    }
    if let Some((function, instance, named)) = bbob::parse_name(name) {
        let dim = agreed(name, named, dim)?.unwrap_or(DEFAULT_DIM);
        return Ok(Box::new(Bbob::new(function, instance, dim)?));
    }
    let known = format!("{}, {}", names().join(", "), bbob::NAME_PATTERN);
    Err(wrong_name(name, &known))
}

/// Nothing is called so.
pub(super) fn wrong_name(name: &str, known: &str) -> ProblemError {
    let unknown = format!("problem `{name}` is unknown; known problems: {known}");
    ProblemError::Impossible(unknown)
}

fn other_dim(name: &str, dim: usize, allowed: usize) -> ProblemError {
    let impossible = format!("dim = {dim} is not possible for problem `{name}`");
    ProblemError::Impossible(format!("{impossible}, whose dim is always {allowed}"))
}

/// The entry of a name, or of a name followed by a dash and the dimension.
fn find(
    entries: impl IntoIterator<Item = &'static ProblemEntry>,
    name: &str,
) -> Option<(&'static ProblemEntry, Option<usize>)> {
    let stem = name.rsplit_once('-');
    let stem = stem.and_then(|(stem, dim)| Some((stem, dim.parse().ok()?)));
    entries.into_iter().find_map(|entry| match stem {
        _ if entry.name == name => Some((entry, None)),
        Some((stem, dim)) if entry.name == stem => Some((entry, Some(dim))),
        _ => None,
    })
}

/// The dimension when both the name and the caller may state one.
fn agreed(
    name: &str,
    named: Option<usize>,
    asked: Option<usize>,
) -> Result<Option<usize>, ProblemError> {
    match (named, asked) {
        (Some(allowed), Some(dim)) if allowed != dim => Err(other_dim(name, dim, allowed)),
        _ => Ok(named.or(asked)),
    }
}

/// Coordinates of a scalable problem when none are asked for.
pub const DEFAULT_DIM: usize = 10;

/// Why a problem could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// Nothing is called so, or it cannot be made so: what was asked for, and what is possible.
    #[error("{0}")]
    Impossible(String),
    /// Nobody said how many coordinates.
    #[error("the number of coordinates must be given for {0}")]
    NoDim(&'static str),
    /// No such BBOB function.
    #[error(transparent)]
    Bbob(#[from] BbobError),
    /// Its data is missing or damaged.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// How many coordinates a problem may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// Always so many.
    Fixed(usize),
    /// So many or more.
    AtLeast(usize),
}

/// How a problem is made; this decides where it can be used.
#[derive(Clone, Copy, Debug)]
pub enum BuildProblem {
    /// A test function, for `neuralbo run --function` and the experiment `synthetic`.
    Formula(Formula),
    /// A simulation with noise of its own, for the experiment `push`.
    Simulation(fn() -> Box<dyn Simulation>),
    /// Anything that needs more than a dimension.
    Requested(fn(&ProblemRequest) -> Result<Box<dyn Problem>, ProblemError>),
}

/// What may be said about the problem that is wanted.
#[derive(Clone, Debug)]
pub struct ProblemRequest {
    /// Number of coordinates.
    pub dim: Option<usize>,
    /// Number of the function in a suite.
    pub function: u32,
    /// Number of its instance.
    pub instance: u32,
    /// Where the data is.
    pub data: Option<PathBuf>,
}

/// One problem of [`PROBLEMS`](super::PROBLEMS).
#[derive(Clone, Copy, Debug)]
pub struct ProblemEntry {
    /// Its name without the dimension.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its dimensions.
    pub dims: Dims,
    /// How it is made.
    pub build: BuildProblem,
}

impl ProblemEntry {
    /// A row of the table of test functions.
    pub const fn formula(formula: Formula) -> Self {
        let plain = formula.limits.is_empty();
        Self {
            name: formula.name,
            about: if plain {
                "synthetic"
            } else {
                "outcome constraints"
            },
            dims: formula.dims,
            build: BuildProblem::Formula(formula),
        }
    }

    /// What a problem of one dimension calls itself, such as `push-14`; the name where there are many.
    pub fn full_name(&self) -> String {
        match self.dims {
            Dims::Fixed(dim) => format!("{}-{dim}", self.name),
            Dims::AtLeast(_) => self.name.to_owned(),
        }
    }

    /// Makes it; `name` is what it was called, for errors.
    pub(super) fn make(
        &self,
        name: &str,
        request: &ProblemRequest,
    ) -> Result<Box<dyn Problem>, ProblemError> {
        let dim = self.dims.check(name, request.dim)?;
        match self.build {
            BuildProblem::Formula(formula) => Ok(Box::new(formula.of(dim))),
            BuildProblem::Simulation(build) => Ok(build()),
            BuildProblem::Requested(build) => build(request),
        }
    }
}

impl ProblemRequest {
    /// The first instance of the first function, with so many coordinates.
    pub fn of_dim(dim: Option<usize>) -> Self {
        Self {
            dim,
            function: 1,
            instance: 1,
            data: None,
        }
    }
}

impl Dims {
    fn check(self, name: &str, asked: Option<usize>) -> Result<usize, ProblemError> {
        match (self, asked) {
            (Dims::Fixed(allowed), Some(dim)) if dim != allowed => {
                Err(other_dim(name, dim, allowed))
            }
            (Dims::Fixed(allowed), _) => Ok(allowed),
            (Dims::AtLeast(least), Some(dim)) if dim < least => {
                let small = format!("dim = {dim} is too small for problem `{name}`");
                Err(ProblemError::Impossible(format!(
                    "{small}, whose dim must be at least {least}"
                )))
            }
            (Dims::AtLeast(_), asked) => Ok(asked.unwrap_or(DEFAULT_DIM)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use neuralbo::linalg::{Purpose, Streams};

    use crate::problems::{Dims, conformance};

    fn refusal(name: &str, dim: usize) -> String {
        by_name(name, Some(dim)).err().unwrap().to_string()
    }

    #[test]
    fn every_problem_conforms_in_several_dimensions() {
        for entry in PROBLEMS {
            for dim in tried(entry) {
                match open(entry.name, &ProblemRequest::of_dim(Some(dim))) {
                    Ok(problem) => {
                        assert!(problem.name().starts_with(entry.name), "{}", entry.name);
                        assert_eq!(problem.dim(), dim, "{}", entry.name);
                        conformance::check_box(&*problem);
                        if problem.optimum().is_some() {
                            conformance::check(&*problem);
                        }
                    }
                    Err(ProblemError::Data(error)) => eprintln!("{}: skipped: {error}", entry.name),
                    Err(error) => panic!("{}: {error}", entry.name),
                }
            }
        }
    }

    fn tried(entry: &ProblemEntry) -> Vec<usize> {
        match entry.dims {
            Dims::Fixed(dim) => vec![dim],
            Dims::AtLeast(least) => {
                let dims = [1, 2, 3, 10].into_iter();
                dims.filter(|dim| *dim >= least).collect()
            }
        }
    }

    #[test]
    fn every_simulation_is_repeatable_and_near_its_value() {
        for entry in PROBLEMS {
            let BuildProblem::Simulation(build) = entry.build else {
                continue;
            };
            let simulation = build();
            let bounds = simulation.bounds().into_iter();
            let x: Vec<f64> = bounds.map(|(low, high)| 0.5 * (low + high)).collect();
            let seen =
                |trial| simulation.observe(&x, &mut Streams::new(1).stream(trial, Purpose::Noise));
            assert_eq!(seen(0), seen(0), "{}", entry.name);
            assert!(seen(1).is_finite(), "{}", entry.name);
            assert_eq!(simulation.name(), entry.full_name());
        }
    }

    #[test]
    fn what_a_problem_calls_itself_makes_it_again() {
        let mut problems: Vec<_> = names()
            .into_iter()
            .map(|name| by_name(name, None).unwrap())
            .collect();
        let others = [
            "bbob-f24-i110-d40",
            "ackley-7@moved",
            "branin-2@offset",
            "levy-4@shifted-3",
        ];
        problems.extend(others.map(|name| by_name(name, None).unwrap()));
        for problem in problems {
            let again = by_name(&problem.name(), None).unwrap();
            assert_eq!((again.name(), again.dim()), (problem.name(), problem.dim()));
        }
    }

    #[test]
    fn bbob_names_may_leave_the_dimension_open() {
        let found = by_name("bbob-f1-i2", Some(3)).unwrap().name();
        assert_eq!(found, "bbob-f01-i02-d03");
        assert!(refusal("bbob-f01-i01-d02", 3).contains("always 2"));
        assert!(refusal("bbob-f25-i01", 3).contains("1 to 24"));
        for end in ["f01", "f01-i01-d02-x", "x01-i01", "f01-i01-dx"] {
            let text = refusal(&format!("bbob-{end}"), 2);
            assert!(text.contains("unknown"), "{text}");
        }
    }

    #[test]
    fn names_are_sorted_and_distinct() {
        assert!(names().windows(2).all(|pair| pair[0] < pair[1]));
        let distinct: BTreeSet<&str> = PROBLEMS.iter().map(|entry| entry.name).collect();
        assert_eq!(distinct.len(), PROBLEMS.len());
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let text = by_name("ackly", None).err().unwrap().to_string();
        assert!(text.contains("`ackly`"), "{text}");
        assert!(names().iter().all(|name| text.contains(name)), "{text}");
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
