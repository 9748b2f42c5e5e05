//! Rows from fractions of the parameters' domains, one number a parameter whatever its encoding.

use super::coding::Code;
use super::{Domain, Space};

impl Space {
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
            if self
                .conditions()
                .is_active(position, &levels, self.parameters())
            {
                levels[position] = Some(self.level_at(position, fraction));
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

    fn level_at(&self, position: usize, fraction: f64) -> f64 {
        let (parameter, block) = self.part(position);
        match parameter.domain() {
            domain @ (Domain::Choice { .. } | Domain::Rows { .. }) => {
                let count = domain.count().unwrap_or(1) as f64;
                (fraction * count).floor().clamp(0.0, count - 1.0)
            }
            _ => block.code.read(&[2.0 * fraction - 1.0]),
        }
    }
}
