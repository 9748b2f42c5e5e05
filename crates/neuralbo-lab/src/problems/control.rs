//! Variants of a problem that tell what an optimizer owes to the problem's place and level.

use super::wrappers::{Moved, Offset};
use super::{ProblemError, by_name};
use crate::Problem;

type Boxed = Box<dyn Problem>;

/// A variant of a problem, written after its name: `ackley-50@moved`.
///
/// An optimizer that is as good on the control as on the original owes nothing to what the control takes away.
///
/// ```
/// use neuralbo_lab::problems::Control;
///
/// assert_eq!(Control::split("levy-100@offset")?, ("levy-100", Some(Control::Offset)));
/// assert_eq!(Control::split("levy-100")?, ("levy-100", None));
/// assert!(Control::split("levy-100@turned").is_err());
/// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// The optimum lies elsewhere: [`Moved`].
    Moved,
    /// The values lie elsewhere: [`Offset`].
    Offset,
}

impl Control {
    /// All controls.
    pub const ALL: [Self; 2] = [Self::Moved, Self::Offset];
    /// Their names.
    pub const NAMES: [&'static str; 2] = [Self::Moved.name(), Self::Offset.name()];

    /// What follows the `@`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moved => Moved::<Boxed>::NAME,
            Self::Offset => Offset::<Boxed>::NAME,
        }
    }

    /// What it does, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Moved => "its optimum moved by 0.4 of half the box in every coordinate",
            Self::Offset => "less twice its mean, so that the mean changes its sign",
        }
    }

    /// The name of the original and the control, if there is one.
    pub fn split(name: &str) -> Result<(&str, Option<Self>), ProblemError> {
        let Some((original, control)) = name.split_once('@') else {
            return Ok((name, None));
        };
        let known = Self::ALL.into_iter().find(|known| known.name() == control);
        let unknown = || ProblemError::UnknownControl {
            name: name.to_owned(),
            control: control.to_owned(),
        };
        Ok((original, Some(known.ok_or_else(unknown)?)))
    }

    /// What must be added to the values of a problem to have those of its original.
    pub fn restoring(name: &str) -> Result<f64, ProblemError> {
        Ok(match Self::split(name)? {
            (original, Some(Self::Offset)) => Offset::new(by_name(original, None)?).constant(),
            _ => 0.0,
        })
    }

    /// The variant of a problem.
    pub fn of(self, problem: Boxed) -> Result<Boxed, ProblemError> {
        Ok(match self {
            Self::Moved => Box::new(Moved::new(problem)?),
            Self::Offset => Box::new(Offset::new(problem)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::{conformance, names};

    #[test]
    fn every_function_has_both_controls_with_its_optimum() {
        for name in names() {
            let original = by_name(name, None).unwrap();
            for control in Control::ALL {
                let problem = by_name(&format!("{name}@{}", control.name()), None).unwrap();
                let found = problem.name();
                assert_eq!(found, format!("{}@{}", original.name(), control.name()));
                let found = (problem.bounds(), problem.direction());
                assert_eq!(found, (original.bounds(), original.direction()));
                let restored =
                    problem.optimum().unwrap().value + Control::restoring(&problem.name()).unwrap();
                assert!(
                    (restored - original.optimum().unwrap().value).abs()
                        < 1e-9 * restored.abs().max(1.0),
                    "{name}"
                );
                conformance::check(&*problem);
            }
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused_with_what_can() {
        let refusal = |name: &str| by_name(name, None).err().unwrap().to_string();
        assert!(
            refusal("ackley-5@turned").contains("`turned`")
                && refusal("ackley-5@turned").contains("moved or offset")
        );
        assert!(refusal("ackly-5@moved").contains("`ackly-5`"));
        assert!(refusal("ackley-5@moved@offset").contains("`moved@offset`"));
    }
}
