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
            _ if self.is_numeric() && self != other => self.joined_range(other),
            (Self::Choice { choices }, Self::Choice { choices: others }) => {
                let known = Lookup::new(choices);
                let new = |value: &&Value| known.find(choices, (*value).into()).is_none();
                let new = others.iter().filter(new);
                let choices = choices.iter().chain(new).cloned().collect();
                Some(Self::Choice { choices })
            }
            (Self::Ordinal { values }, Self::Ordinal { values: others }) => {
                merged(values, others).map(|values| Self::Ordinal { values })
            }
            _ => (self == other).then(|| self.clone()),
        }
    }

    /// The range from the lower to the upper bounds of two ranges with the same scale and grid.
    fn joined_range(&self, other: &Self) -> Option<Self> {
        let (range, others) = (self.range()?, other.range()?);
        if (range.log, range.step) != (others.log, others.step) {
            return None;
        }
        let mut joined = self.clone();
        match (&mut joined, other) {
            (Self::Float { low, high, .. }, Self::Float { .. })
                if same_grid(*low, others.low, range.step) =>
            {
                (*low, *high) = (low.min(others.low), high.max(others.high));
            }
            (
                Self::Int { low, high, .. },
                Self::Int {
                    low: l, high: h, ..
                },
            ) if low.abs_diff(*l) % self.int_step() == 0 => {
                (*low, *high) = ((*low).min(*l), (*high).max(*h));
            }
            _ => return None,
        }
        Some(joined)
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
mod tests {
    use crate::space::Parameter;
    use crate::space::tests::table;

    #[test]
    fn ranges_and_choices_grow_and_kinds_do_not_mix() {
        for (both, expected) in table(
            r##"
int(1,4) ; int(3,9) => int(1,9)
int(0,10,step=5) ; int(5,20,step=5) => int(0,20,step=5)
int(0,10,step=5) ; int(1,21,step=5) => nothing
float(0,1,step=0.25) ; float(0.5,2,step=0.25) => float(0.0,2.0,step=0.25)
choice(a,b) ; choice(b,c) => choice(a,b,c)
int(1,4) ; float(1,4) => nothing
ordinal(s,l) ; ordinal(s,m,l,xl) => ordinal(s,m,l,xl)
ordinal(s,m,l) ; ordinal(xs,l) => ordinal(xs,s,m,l)
ordinal(s,m) ; ordinal(m,s) => nothing
ordinal(s,m) ; choice(s,m) => nothing
3 ; 4 => nothing
3 ; 3 => 3
"##,
        ) {
            let parse = |text: &str| format!("x={text}").parse::<Parameter>().unwrap();
            let (a, b) = both.split_once(" ; ").unwrap();
            let joined = parse(a).domain().joined(parse(b).domain());
            let joined = joined.map_or("nothing".into(), |domain| domain.to_string());
            assert_eq!(joined, expected[0], "{both}");
        }
    }
}
