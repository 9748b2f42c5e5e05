//! Values by name and points of a space.

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
        let named = self.parameters().iter().map(Parameter::shared_name).zip(point.values());
        named.filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }

    /// The point of values by name: all parameters (fixed ones may be left out), no other names, every value in its domain.
    pub fn point_of(&self, params: &Params) -> Result<Point, SpaceError> {
        self.point_from_named(params.iter().map(|(name, value)| (name, value.clone())))
    }

    /// Checks the values that are there, which need not be all, and returns them as the space has them: ints for float parameters
    /// become floats, whole floats for int parameters ints.
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
        let checked = |(name, value): (&str, &Value)| match self.parameter(name) {
            Some(parameter) => Ok((parameter.shared_name(), parameter.normalized(value)?)),
            None => Err(self.unknown(name)),
        };
        params.iter().map(checked).collect()
    }

    /// Checks the values that are there, see [`Space::check`].
    pub fn allows(&self, params: &Params) -> Result<(), SpaceError> {
        params.iter().try_for_each(|(name, value)| match self.parameter(name) {
            Some(parameter) => parameter.level_of(value).map(drop),
            None => Err(self.unknown(name)),
        })
    }

    /// The values in the order of the parameters, then those of names the space does not have, alphabetically.
    pub fn ordered<'a>(&self, params: &'a Params) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let known = self.parameters().iter().filter_map(|parameter| params.entry(parameter.name()));
        known.chain(params.iter().filter(|(name, _)| self.position(name).is_none()))
    }
}
