//! Active and inactive coordinates of rows, for those who change rows.

use std::ops::Range;

use super::Space;

impl Space {
    /// Which coordinates of a row belong to active parameters; `None` where there are no conditions and all do.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["flag=bool".parse()?, "x=float(0,1) if flag".parse()?])?;
    /// assert_eq!(space.active_coordinates(&[1.0, 0.5]), Some(vec![true, true]));
    /// assert_eq!(space.active_coordinates(&[-1.0, 0.5]), Some(vec![true, false]));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn active_coordinates(&self, row: &[f64]) -> Option<Vec<bool>> {
        if !self.has_conditions() {
            return None;
        }
        let mut active = vec![false; self.encoded_dim()];
        for (position, level) in self.levels(row).into_iter().enumerate() {
            active[self.range(position)].fill(level.is_some());
        }
        Some(active)
    }

    /// [`Space::snap`] of a row that was changed from `before`: the coordinates of parameters that become active are set by `draw`,
    /// which gets their range; those of an inactive parameter say nothing about where it should be.
    ///
    /// Returns whether any parameter became active.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["flag=bool".parse()?, "x=float(0,1) if flag".parse()?])?;
    /// let (before, mut row) = ([-1.0, 0.0], [1.0, 0.0]);
    /// assert!(space.snap_from(&before, &mut row, &mut |_, x| x.fill(0.5)));
    /// assert_eq!(row, [1.0, 0.5]);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn snap_from(
        &self,
        before: &[f64],
        row: &mut [f64],
        draw: &mut dyn FnMut(Range<usize>, &mut [f64]),
    ) -> bool {
        if !self.has_conditions() {
            self.snap(row);
            return false;
        }
        let old = self.levels(before);
        let mut levels = vec![None; old.len()];
        let mut drawn = false;
        for &position in self.conditions().order() {
            if !self
                .conditions()
                .is_active(position, &levels, self.parameters())
            {
                continue;
            }
            let (_, block) = self.part(position);
            let Some(coordinates) = row.get_mut(block.range.clone()) else {
                continue;
            };
            if old[position].is_none() && !coordinates.is_empty() {
                draw(block.range.clone(), coordinates);
                drawn = true;
            }
            levels[position] = Some(block.code.read(coordinates));
        }
        self.write(&levels, row);
        drawn
    }
}
