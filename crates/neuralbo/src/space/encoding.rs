//! Rows: the encoding of points and of values by name, and back.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::coding::Code;
use super::condition::ActiveLevels;
use super::definition::ParameterBlock;
use super::value::ValueView;
use super::{Params, Point, Space, SpaceError, Value};

impl Space {
    /// The row of a point, in `[-1, 1]^D`; an error when a value is outside its domain.
    ///
    /// ```
    /// use neuralbo::space::{Point, Space};
    ///
    /// let space = Space::from_bounds(&[(0.0, 10.0), (-1.0, 1.0)])?;
    /// assert_eq!(space.encode(&Point::new(vec![7.5.into(), 0.0.into()]))?, [0.5, 0.0]);
    /// let error = space.encode(&Point::new(vec![11.0.into(), 0.0.into()])).unwrap_err();
    /// assert_eq!(error.to_string(), "parameter `x0`: value `11.0` is not allowed, it must be a number from 0.0 to 10.0");
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn encode(&self, point: &Point) -> Result<Vec<f64>, SpaceError> {
        let levels = self.levels_of(point.values())?;
        let mut row = vec![0.0; self.encoded_dim()];
        self.write(&levels, &mut row);
        Ok(row)
    }

    /// The point of a row. Any row will do: coordinates are clamped, ints and choices are the nearest, NaN and missing coordinates
    /// count as 0. Parameters whose condition does not hold have no value, whatever their coordinates.
    pub fn decode(&self, row: &[f64]) -> Point {
        if row.len() < self.encoded_dim() {
            let mut padded = row.to_vec();
            padded.resize(self.encoded_dim(), 0.0);
            return self.decode(&padded);
        }
        self.point_at(&self.levels(row))
    }

    /// Replaces a row by that of the point which would really be run: `encode(decode(row))`. Inactive parameters are put to 0.
    ///
    /// Of a row that is too short, the parameters whose coordinates are all there are snapped.
    pub fn snap(&self, row: &mut [f64]) {
        if self.has_conditions() {
            return self.write(&self.levels(row), row);
        }
        for block in self.blocks() {
            if let Some(coordinates) = row.get_mut(block.range.clone()) {
                block.code.write(block.code.read(coordinates), coordinates);
            }
        }
    }

    /// The levels of the active parameters of a row.
    pub(super) fn levels(&self, row: &[f64]) -> ActiveLevels {
        let read =
            |block: &ParameterBlock| row.get(block.range.clone()).map(|c| block.code.read(c));
        if !self.has_conditions() {
            return self.blocks().iter().map(read).collect();
        }
        let mut levels = vec![None; self.parameters().len()];
        for position in self.positions() {
            if self.is_active_at(position, &levels) {
                levels[position] = read(&self.blocks()[position]);
            }
        }
        levels
    }

    /// Writes the row of levels; of a row that is too short, what is there.
    pub(super) fn write(&self, levels: &[Option<f64>], row: &mut [f64]) {
        for (block, level) in self.blocks().iter().zip(levels) {
            match (row.get_mut(block.range.clone()), level) {
                (Some(coordinates), Some(level)) => block.code.write(*level, coordinates),
                (Some(coordinates), None) => coordinates.fill(0.0),
                (None, _) => {}
            }
        }
        for condition in self.conditions().all() {
            let coordinate = condition.coordinate.and_then(|slot| row.get_mut(slot));
            if let Some(coordinate) = coordinate {
                *coordinate = sign(condition.holds(levels, self.parameters()));
            }
        }
    }

    /// Writes a level of the parameter at a position into a row.
    pub(super) fn set_level(&self, position: usize, level: f64, row: &mut [f64]) {
        let (_, block) = self.part(position);
        block.code.write(level, &mut row[block.range.clone()]);
        if self.has_conditions() {
            self.snap(row);
        }
    }

    /// The number at coordinate `u` of a float or int, also between its steps.
    pub(super) fn relaxed_at(&self, position: usize, u: f64) -> Option<f64> {
        let (parameter, block) = self.part(position);
        let range = parameter.domain().range()?;
        let step = range.step.unwrap_or(f64::from(u8::from(range.is_whole)));
        block.code.relaxed(range.low, step, u)
    }

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
            active[self.part(position).1.range.clone()].fill(level.is_some());
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
        for position in self.positions() {
            if !self.is_active_at(position, &levels) {
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

    /// The row at a fraction in [0, 1) of each parameter's domain: uniform fractions give values that are uniform, each on the scale
    /// of its own domain. A parameter whose condition does not hold has no value, whatever its fraction.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::new(vec!["c=choice(a,b,c)".parse()?, "x=float(0,1) if c == a".parse()?])?;
    /// assert_eq!(space.row_at(&[0.1, 0.75]), [1.0, -1.0, -1.0, 0.5]);
    /// assert_eq!(space.row_at(&[0.5, 0.75]), [-1.0, 1.0, -1.0, 0.0]);
    /// assert_eq!(space.fractions(&[-1.0, 1.0, -1.0, 0.0]), [Some(0.5), None]);
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn row_at(&self, fractions: &[f64]) -> Vec<f64> {
        let mut levels = vec![None; self.parameters().len()];
        for position in self.positions() {
            let fraction = fractions.get(position).copied().unwrap_or(0.5);
            if self.is_active_at(position, &levels) {
                let (parameter, block) = self.part(position);
                let level = parameter.domain().unordered_level_at(fraction);
                levels[position] = level.or_else(|| Some(block.code.read(&[2.0 * fraction - 1.0])));
            }
        }
        let mut row = vec![0.0; self.encoded_dim()];
        self.write(&levels, &mut row);
        row
    }

    /// The fractions at which the values of a row's active parameters lie; of a value that takes a cell, the cell's middle.
    pub fn fractions(&self, row: &[f64]) -> Vec<Option<f64>> {
        let fraction = |(position, level): (usize, &Option<f64>)| {
            let (parameter, block) = self.part(position);
            let level = (*level)?;
            match (&block.code, parameter.domain().count()) {
                (Code::Float(_) | Code::Cells { .. } | Code::LogGrid { .. }, _) => {
                    Some(0.5 * (row[block.range.start] + 1.0))
                }
                (_, Some(count)) => Some((level + 0.5) / count as f64),
                (_, None) => Some(0.5),
            }
        };
        self.levels(row).iter().enumerate().map(fraction).collect()
    }

    /// The row of values by name. Any values will do: see the [module](crate::space) for where absent and foreign ones sit.
    ///
    /// For values of this space it is the row of their point.
    ///
    /// ```
    /// use neuralbo::space::{Params, Space};
    ///
    /// let space = Space::new(vec!["x=float(0,1)".parse()?, "n=int(1,4)".parse()?, "c=choice(a,b,c)".parse()?])?;
    /// let params: Params = serde_json::from_str(r#"{"x":1.5,"c":"removed","old":7}"#)?;
    /// assert_eq!(space.row_of(&params), [2.0, 0.0, -1.0, -1.0, -1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row_of(&self, params: &Params) -> Vec<f64> {
        let mut row = vec![0.0; self.encoded_dim()];
        for (nth, (name, value)) in params.iter().enumerate() {
            if let Some(position) = self.position_of_nth(nth, name) {
                self.place(position, value.into(), &mut row);
            }
        }
        if self.has_conditions() {
            self.clear_inactive(params, &mut row);
        }
        row
    }

    /// Puts inactive parameters to 0, and writes which are active. Where that hangs on a parameter that the values do not have, e.g.
    /// because it was added later, those that have a value were active.
    fn clear_inactive(&self, params: &Params, row: &mut [f64]) {
        let (conditions, activity) = (self.conditions(), self.activity(params));
        for position in (0..activity.len()).filter(|&position| activity[position] == Some(false)) {
            row[self.part(position).1.range.clone()].fill(0.0);
        }
        for (index, condition) in conditions.all().iter().enumerate() {
            let Some(coordinate) = condition.coordinate else {
                continue;
            };
            let has_value =
                |position: usize| params.get(self.parameters()[position].name()).is_some();
            let is_active =
                |position: usize| activity[position].unwrap_or_else(|| has_value(position));
            row[coordinate] = sign(conditions.having(index).any(is_active));
        }
    }

    /// [`Space::row_of`] of a JSON object, without building it: a study is opened by reading the values of all its trials.
    pub fn row_of_json(&self, json: &str) -> Result<Vec<f64>, SpaceError> {
        let not_params = |error: serde_json::Error| SpaceError::NotParams(error.to_string());
        if self.has_conditions() {
            let params: Params = serde_json::from_str(json).map_err(not_params)?;
            return Ok(self.row_of(&params));
        }
        let mut row = vec![0.0; self.encoded_dim()];
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let visitor = RowVisitor {
            space: self,
            row: &mut row,
        };
        let read = deserializer.deserialize_map(visitor);
        read.and_then(|()| deserializer.end()).map_err(not_params)?;
        Ok(row)
    }

    fn place(&self, position: usize, value: ValueView<'_>, row: &mut [f64]) {
        let (parameter, block) = self.part(position);
        block
            .code
            .place(parameter, value, &mut row[block.range.clone()]);
    }
}

/// Writes the values of an object into a row.
struct RowVisitor<'a> {
    space: &'a Space,
    row: &'a mut [f64],
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of values by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            match self.space.position(&name) {
                None => _ = map.next_value::<IgnoredAny>()?,
                Some(position) => {
                    let value: Value = map.next_value()?;
                    self.space.place(position, (&value).into(), self.row);
                }
            }
        }
        Ok(())
    }
}

/// A name that is borrowed from the text where it can be.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

fn sign(is_positive: bool) -> f64 {
    if is_positive { 1.0 } else { -1.0 }
}
