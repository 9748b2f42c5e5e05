//! Counting the points of a finite space.

use super::{Point, Space};

impl Space {
    /// How many points there are, at most `u128::MAX`; `None` when any parameter is a float without a step.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["n=int(1,3)".parse()?, "flag=bool".parse()?])?;
    /// assert_eq!(space.cardinality(), Some(6));
    /// let points: Vec<_> = space.all_points().into_iter().flatten().collect();
    /// assert_eq!(points.len(), 6);
    /// assert_eq!(points[1].values(), [Some(1.into()), Some(true.into())]);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn cardinality(&self) -> Option<u128> {
        let counts = self.parameters().iter().map(|parameter| parameter.domain().count());
        counts.into_iter().try_fold(1_u128, |product, count| Some(product.saturating_mul(count?.into())))
    }

    /// The `n`-th point, the last parameter varying fastest; `None` past the last point or when any parameter is a float without a
    /// step.
    pub fn nth_point(&self, n: u128) -> Option<Point> {
        let mut rest = n;
        let mut values = Vec::with_capacity(self.parameters().len());
        for parameter in self.parameters().iter().rev() {
            let count = u128::from(parameter.domain().count()?);
            values.push(parameter.domain().value_at((rest % count) as f64));
            rest /= count;
        }
        values.reverse();
        (rest == 0).then(|| Point::new(values))
    }

    /// All points in the order of [`Space::nth_point`]; `None` when any parameter is a float without a step.
    pub fn all_points(&self) -> Option<impl Iterator<Item = Point> + '_> {
        Some((0..self.cardinality()?).filter_map(|n| self.nth_point(n)))
    }
}
