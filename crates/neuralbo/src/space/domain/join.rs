//! Domains of one kind, and the smallest domain that holds two others.

use std::mem;

use super::Domain;
use super::lookup::Lookup;
use crate::space::Value;

impl Domain {
    /// Whether values of both can be compared one by one; a fixed value compares with anything but rows.
    pub(in crate::space) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rows { .. }, _) | (_, Self::Rows { .. }) => false,
            (Self::Fixed { .. }, _) | (_, Self::Fixed { .. }) => true,
            _ => {
                let is_log = |domain: &Self| domain.range().is_some_and(|range| range.log);
                mem::discriminant(self) == mem::discriminant(other) && is_log(self) == is_log(other)
            }
        }
    }

    /// The smallest domain of the same kind that holds the values of both; `None` when there is none: another kind, another
    /// scale, another step, or fixed values and tables that differ.
    ///
    /// ```
    /// use neuralbo::space::Parameter;
    ///
    /// let (a, b): (Parameter, Parameter) = ("x=float(0,1)".parse()?, "x=float(0.5,2)".parse()?);
    /// assert_eq!(a.domain().joined(b.domain()).map(|domain| domain.to_string()).as_deref(), Some("float(0.0,2.0)"));
    /// let log: Parameter = "x=float(0.5,2,log)".parse()?;
    /// assert_eq!(a.domain().joined(log.domain()), None);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn joined(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (
                Self::Float {
                    low,
                    high,
                    log,
                    step,
                },
                Self::Float {
                    low: other_low,
                    high: other_high,
                    log: other_log,
                    step: other_step,
                },
            ) if log == other_log && step == other_step && same_grid(*low, *other_low, *step) => {
                Some(Self::Float {
                    low: low.min(*other_low),
                    high: high.max(*other_high),
                    log: *log,
                    step: *step,
                })
            }
            (
                Self::Int {
                    low,
                    high,
                    log,
                    step,
                },
                Self::Int {
                    low: other_low,
                    high: other_high,
                    log: other_log,
                    step: other_step,
                },
            ) if log == other_log
                && step == other_step
                && step.is_none_or(|step| (low - other_low) % step == 0) =>
            {
                Some(Self::Int {
                    low: *low.min(other_low),
                    high: *high.max(other_high),
                    log: *log,
                    step: *step,
                })
            }
            (Self::Choice { choices }, Self::Choice { choices: others }) => {
                let known = Lookup::new(choices);
                let new = |value: &&Value| known.find(choices, (*value).into()).is_none();
                Some(Self::Choice {
                    choices: choices
                        .iter()
                        .chain(others.iter().filter(new))
                        .cloned()
                        .collect(),
                })
            }
            (Self::Ordinal { values }, Self::Ordinal { values: others }) => {
                merged(values, others).map(|values| Self::Ordinal { values })
            }
            _ => (self == other).then(|| self.clone()),
        }
    }
}

/// Both lists as one in which the order of each is kept: new values stand before the next one that both have; `None` when the two
/// have values in different orders.
fn merged(values: &[Value], others: &[Value]) -> Option<Vec<Value>> {
    let known = Lookup::new(values);
    let (mut all, mut taken) = (Vec::with_capacity(values.len()), 0);
    for other in others {
        match known.find(values, other.into()) {
            None => all.push(other.clone()),
            Some(place) if place >= taken => {
                // What only this list has stands between what both have, after what only the other one has.
                all.extend_from_slice(&values[taken..=place]);
                taken = place + 1;
            }
            Some(_) => return None,
        }
    }
    all.extend_from_slice(&values[taken..]);
    Some(all)
}

/// Whether two grids of one step lie on each other.
fn same_grid(low: f64, other: f64, step: Option<f64>) -> bool {
    step.is_none_or(|step| {
        let steps = (low - other) / step;
        (steps - steps.round()).abs() < 1e-9
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::space::Parameter;

    fn joined(a: &str, b: &str) -> Option<String> {
        let parse = |text: &str| format!("x={text}").parse::<Parameter>().unwrap();
        parse(a)
            .domain()
            .joined(parse(b).domain())
            .map(|domain| domain.to_string())
    }

    #[test]
    fn ranges_and_choices_grow_and_kinds_do_not_mix() {
        assert_eq!(joined("int(1,4)", "int(3,9)").as_deref(), Some("int(1,9)"));
        assert_eq!(
            joined("int(0,10,step=5)", "int(5,20,step=5)").as_deref(),
            Some("int(0,20,step=5)")
        );
        assert_eq!(joined("int(0,10,step=5)", "int(1,21,step=5)"), None);
        assert_eq!(
            joined("float(0,1,step=0.25)", "float(0.5,2,step=0.25)").as_deref(),
            Some("float(0.0,2.0,step=0.25)")
        );
        assert_eq!(
            joined("choice(a,b)", "choice(b,c)").as_deref(),
            Some("choice(a,b,c)")
        );
        assert_eq!(joined("int(1,4)", "float(1,4)"), None);
        assert_eq!(
            joined("ordinal(s,l)", "ordinal(s,m,l,xl)").as_deref(),
            Some("ordinal(s,m,l,xl)")
        );
        assert_eq!(
            joined("ordinal(s,m,l)", "ordinal(xs,l)").as_deref(),
            Some("ordinal(xs,s,m,l)")
        );
        assert_eq!(joined("ordinal(s,m)", "ordinal(m,s)"), None);
        assert_eq!(joined("ordinal(s,m)", "choice(s,m)"), None);
        assert_eq!(joined("3", "4"), None);
        assert_eq!(joined("3", "3").as_deref(), Some("3"));
    }
}
