//! Values by name, checked against the parameters and conditions of a space.

use super::value::ValueView;
use super::{Parameter, Params, Point, Space, SpaceError, Value};

impl Space {
    /// The values of a point by name.
    ///
    /// ```
    /// use neuralbo::space::{Point, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1)".parse()?, "seed=42".parse()?])?;
    /// let params = space.params(&space.decode(&[0.0]));
    /// assert_eq!(params.to_json(), r#"{"seed":42,"x":0.5}"#);
    /// assert_eq!(space.point_of(&params)?, Point::new(vec![0.5.into(), 42.into()]));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn params(&self, point: &Point) -> Params {
        let named = self.parameters().iter().map(Parameter::shared_name);
        let named = named.zip(point.values());
        named
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect()
    }

    /// The point of values by name: all active parameters (fixed ones may be left out), no other names, every value in its domain.
    pub fn point_of(&self, params: &Params) -> Result<Point, SpaceError> {
        self.point_from_named(params.iter().map(|(name, value)| (name, value.clone())))
    }

    /// Checks the values that are there, which need not be all, and returns them as the space has them: ints for float parameters
    /// become floats, whole floats for int parameters ints. A value of a parameter whose condition is false is an error, and so are
    /// values that violate a constraint.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1,step=0.1)".parse()?, "n=int(1,8)".parse()?])?;
    /// let given = Params::from_iter([("x", 1)]);
    /// assert_eq!(space.check(&given)?, Params::from_iter([("x", 1.0)]));
    ///
    /// let error = space.check(&Params::from_iter([("x", 0.25)])).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "parameter `x`: value `0.25` is not allowed, it must be a number from 0.0 to 1.0 in steps of 0.1"
    /// );
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn check(&self, params: &Params) -> Result<Params, SpaceError> {
        let checked = self.check_known(params)?;
        self.satisfies(&checked)?;
        Ok(checked)
    }

    /// [`Space::check`] without the constraints: a result that is known teaches also where no point would be proposed.
    pub fn check_known(&self, params: &Params) -> Result<Params, SpaceError> {
        let checked = self.check_domains(params)?;
        let activity = self.activity(&checked);
        let superfluous = |(position, parameter): (usize, &Parameter)| {
            let value = checked
                .get(parameter.name())
                .filter(|_| activity.get(position) == Some(&Some(false)))?;
            Some(inactive(parameter, value))
        };
        match self.parameters().iter().enumerate().find_map(superfluous) {
            Some(error) => Err(error),
            None => Ok(checked),
        }
    }

    /// [`Space::check`] for values that come from elsewhere: those of parameters whose condition is false are kept, and the
    /// models do not see them; constraints are not asked, and the models learn also where no point would be proposed.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["n=int(1,8)".parse()?, "x=float(0,1) if n >= 2".parse()?])?;
    /// let given = Params::from_iter([("n", 1.0), ("x", 0.5)]);
    /// assert_eq!(space.check_domains(&given)?.to_json(), r#"{"n":1,"x":0.5}"#);
    /// assert_eq!(space.row_of(&given), space.row_of(&Params::from_iter([("n", 1)])));
    /// assert_eq!(
    ///     space.check(&given).unwrap_err().to_string(),
    ///     "parameter `x`: value `0.5` is not allowed, because the parameter is active only if n >= 2; leave it out"
    /// );
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn check_domains(&self, params: &Params) -> Result<Params, SpaceError> {
        let checked = |(name, value): (&str, &Value)| match self.parameter(name) {
            Some(parameter) => Ok((parameter.shared_name(), parameter.normalized(value)?)),
            None => Err(self.unknown(name)),
        };
        params.iter().map(checked).collect()
    }

    /// [`Space::check_domains`] with the values of fixed parameters filled in; an error where an active parameter has no value.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["n=int(1,8)".parse()?, "x=float(0,1) if n >= 2".parse()?, "seed=7".parse()?])?;
    /// assert_eq!(space.complete(&Params::from_iter([("n", 1)]))?.to_json(), r#"{"n":1,"seed":7}"#);
    /// assert!(space.complete(&Params::from_iter([("n", 2)])).is_err());
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn complete(&self, params: &Params) -> Result<Params, SpaceError> {
        let mut complete = self.check_domains(params)?;
        for parameter in self.parents_first() {
            if complete.get(parameter.name()).is_some()
                || self.is_active(parameter.name(), &complete) == Some(false)
            {
                continue;
            }
            let value = parameter.domain().fixed();
            let value = value.ok_or_else(|| self.missing(parameter))?;
            complete.insert(parameter.shared_name(), value.clone());
        }
        Ok(complete)
    }

    /// Checks the values that are there, see [`Space::check_domains`].
    pub fn allows(&self, params: &Params) -> Result<(), SpaceError> {
        let mut named = params.iter().enumerate();
        named.try_for_each(|(nth, (name, value))| {
            let position = self.position_of_nth(nth, name);
            let position = position.ok_or_else(|| self.unknown(name))?;
            self.parameters()[position].level_of(value).map(drop)
        })
    }

    /// Whether a parameter is active, given these values; `None` where that hangs on values that are absent although they could be
    /// there, and for unknown names.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["n=int(1,8)".parse()?, "x=float(0,1) if n >= 2".parse()?])?;
    /// assert_eq!(space.is_active("x", &Params::from_iter([("n", 3)])), Some(true));
    /// assert_eq!(space.is_active("x", &Params::from_iter([("n", 1)])), Some(false));
    /// assert_eq!(space.is_active("x", &Params::new()), None);
    /// assert_eq!(space.is_active("n", &Params::new()), Some(true));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn is_active(&self, name: &str, params: &Params) -> Option<bool> {
        let position = self.position(name)?;
        if self.has_conditions() {
            self.activity(params)[position]
        } else {
            Some(true)
        }
    }

    /// For each parameter whether it is active, as [`Space::is_active`]; nothing where there are no conditions.
    pub(super) fn activity(&self, params: &Params) -> Vec<Option<bool>> {
        if !self.has_conditions() {
            return Vec::new();
        }
        let parameters = self.parameters();
        let mut activity = vec![Some(true); parameters.len()];
        for position in self.positions() {
            let Some(condition) = self.conditions().of(position) else {
                continue;
            };
            let value = |parent: usize| match activity[parent] {
                Some(false) => None,
                _ => params.get(parameters[parent].name()).map(ValueView::from),
            };
            let is_unknown =
                |parent: &usize| activity[*parent] != Some(false) && value(*parent).is_none();
            let truth = condition.predicate.evaluate(&value);
            // What hangs on inactive parameters alone is false: they will not have values.
            let parents = condition.predicate.positions();
            let known = || (!parents.iter().any(is_unknown)).then_some(false);
            activity[position] = truth.or_else(known);
        }
        activity
    }

    /// The values in the order of the parameters, then those of names the space does not have, alphabetically.
    pub fn ordered<'a>(&self, params: &'a Params) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let known = self.parameters().iter();
        let known = known.filter_map(|parameter| params.entry(parameter.name()));
        let others = params
            .iter()
            .filter(|(name, _)| self.position(name).is_none());
        known.chain(others)
    }
}

/// The error for a value of a parameter whose condition is false.
pub(super) fn inactive(parameter: &Parameter, value: &Value) -> SpaceError {
    let condition = parameter
        .condition()
        .map_or_else(String::new, ToString::to_string);
    SpaceError::Inactive {
        name: parameter.name().to_owned(),
        value: value.clone(),
        condition,
    }
}
