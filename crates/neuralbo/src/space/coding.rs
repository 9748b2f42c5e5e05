//! How one parameter's level is written into its block of coordinates, and read from it.

use std::sync::Arc;

use super::codeword::Codewords;
use super::scale::{Scale, tame};
use super::value::View;
use super::{Domain, Parameter};
use crate::linalg::Points;

/// How far from 0 a value outside its range may be placed: one more range on either side.
const FARTHEST: f64 = 3.0;
/// Most values of a choice that get a coordinate each.
const MOST_ONE_HOT: usize = 32;

/// What one coordinate of an encoded row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// Any number in `[-1, 1]`.
    Continuous,
    /// One of a few positions: an int, a float with a step, an ordered choice, or a choice of two (at −1 and +1). [`Space::snap`](crate::space::Space::snap) moves a
    /// coordinate to the nearest position.
    Grid {
        /// How many positions.
        levels: u64,
    },
    /// One of the coordinates `first .. first + len`, of which one is +1 and the others are −1.
    OneHot {
        /// Which choice this is, counted from 0 over the one-hot choices of the space.
        group: usize,
        /// The first coordinate of the choice.
        first: usize,
        /// How many coordinates the choice has.
        len: usize,
    },
    /// One of the coordinates `first .. first + len`, which hold the codeword of one of many values.
    Codeword {
        /// The first coordinate of the choice.
        first: usize,
        /// How many coordinates the choice has.
        len: usize,
    },
    /// Whether parameters with a condition are active: +1 if so, −1 if not. It follows from other coordinates, and only
    /// [`Space::snap`](crate::space::Space::snap) writes it.
    Activity,
    /// A feature of a pool: only the rows of [`Space::pool`](crate::space::Space::pool) exist.
    Feature,
}

/// The code of one domain.
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// A single value: no coordinate.
    Constant,
    Float(Scale),
    /// Levels at the centres of equal cells.
    Cells {
        levels: u64,
    },
    /// Ints and stepped floats on a scale of ln(low − ½ step) to ln(top + ½ step).
    LogGrid {
        low: f64,
        step: f64,
        levels: u64,
        scale: Scale,
    },
    Binary,
    OneHot {
        len: usize,
    },
    /// A choice of very many values.
    Codeword(Codewords),
    /// The scaled rows of a pool.
    Rows(Arc<Points>),
}

impl Code {
    pub(super) fn new(domain: &Domain) -> Self {
        match domain {
            Domain::Float {
                low,
                high,
                log: false,
                step: None,
            } => Self::Float(Scale::linear(*low, *high)),
            Domain::Float {
                low,
                high,
                log: true,
                step: None,
            } => Self::Float(Scale::log(*low, *high)),
            Domain::Float {
                low,
                log,
                step: Some(step),
                ..
            } => Self::grid(domain, *low, *step, *log),
            Domain::Int { low, log, step, .. } => {
                Self::grid(domain, *low as f64, step.unwrap_or(1) as f64, *log)
            }
            Domain::Ordinal { .. } => Self::grid(domain, 0.0, 1.0, false),
            Domain::Rows { table } => Self::Rows(Arc::new(scaled_columns(table))),
            Domain::Choice { choices } if choices.len() == 2 => Self::Binary,
            Domain::Choice { choices } if choices.len() > MOST_ONE_HOT => {
                Self::Codeword(Codewords::new(choices.len()))
            }
            Domain::Choice { choices } if choices.len() > 2 => Self::OneHot { len: choices.len() },
            Domain::Choice { .. } | Domain::Fixed { .. } => Self::Constant,
        }
    }

    fn grid(domain: &Domain, low: f64, step: f64, log: bool) -> Self {
        match domain.count() {
            None | Some(0 | 1) => Self::Constant,
            Some(levels) if log => Self::LogGrid {
                low,
                step,
                levels,
                scale: log_cells(low, step, levels),
            },
            Some(levels) => Self::Cells { levels },
        }
    }

    /// How many coordinates.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Constant => 0,
            Self::Float(_) | Self::Cells { .. } | Self::LogGrid { .. } | Self::Binary => 1,
            Self::OneHot { len } => *len,
            Self::Codeword(codewords) => codewords.len(),
            Self::Rows(rows) => rows.dim(),
        }
    }

    /// What each of its coordinates is, when they start at `first` and `group` one-hot choices came before.
    pub(super) fn coordinate(&self, group: usize, first: usize) -> Coordinate {
        match self {
            Self::Constant | Self::Float(_) => Coordinate::Continuous,
            Self::Cells { levels } | Self::LogGrid { levels, .. } => {
                Coordinate::Grid { levels: *levels }
            }
            Self::Binary => Coordinate::Grid { levels: 2 },
            Self::OneHot { len } => Coordinate::OneHot {
                group,
                first,
                len: *len,
            },
            Self::Codeword(codewords) => Coordinate::Codeword {
                first,
                len: codewords.len(),
            },
            Self::Rows(_) => Coordinate::Feature,
        }
    }

    /// The level a block stands for; any numbers will do.
    pub(super) fn read(&self, block: &[f64]) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Float(scale) => scale.decode(block[0]),
            Self::Cells { levels } => {
                let n = *levels as f64;
                ((tame(block[0]) + 1.0) / 2.0 * n).floor().min(n - 1.0)
            }
            Self::LogGrid {
                low,
                step,
                levels,
                scale,
            } => ((scale.decode(block[0]) - low) / step)
                .round()
                .clamp(0.0, *levels as f64 - 1.0),
            Self::Binary => f64::from(u8::from(block[0] > 0.0)),
            Self::OneHot { .. } => largest(block) as f64,
            Self::Codeword(codewords) => codewords.read(block) as f64,
            Self::Rows(rows) => nearest(rows, block) as f64,
        }
    }

    /// The number at coordinate `u` of a domain of numbers with this low and step, between its steps too.
    pub(super) fn relaxed(&self, low: f64, step: f64, u: f64) -> Option<f64> {
        match self {
            Self::Float(scale) => Some(scale.decode(u)),
            Self::Cells { levels } => {
                let n = *levels as f64;
                Some(low + step * ((tame(u) + 1.0) / 2.0 * n - 0.5).clamp(0.0, n - 1.0))
            }
            Self::LogGrid { scale, levels, .. } => Some(
                scale
                    .decode(u)
                    .clamp(low, low + step * (*levels as f64 - 1.0)),
            ),
            Self::Constant
            | Self::Binary
            | Self::OneHot { .. }
            | Self::Codeword(_)
            | Self::Rows(_) => None,
        }
    }

    /// Writes the row of a level.
    pub(super) fn write(&self, level: f64, block: &mut [f64]) {
        match self {
            Self::Constant => {}
            Self::Float(scale) => block[0] = scale.encode(level),
            Self::Cells { levels } => block[0] = -1.0 + (2.0 * level + 1.0) / *levels as f64,
            Self::LogGrid {
                low, step, scale, ..
            } => block[0] = scale.encode(low + level * step),
            Self::Binary => block[0] = if level > 0.0 { 1.0 } else { -1.0 },
            Self::OneHot { .. } => {
                block.fill(-1.0);
                block[level as usize] = 1.0;
            }
            Self::Codeword(codewords) => codewords.write(level as usize, block),
            Self::Rows(rows) => block.copy_from_slice(rows.row(level as usize)),
        }
    }

    /// Writes the coordinates of any value, also of one that its domain cannot have: numbers are extrapolated on the same scale
    /// (up to ±[`FARTHEST`]) or moved to the nearest level, anything else is neutral or none of the choices.
    pub(super) fn place(&self, parameter: &Parameter, value: View<'_>, block: &mut [f64]) {
        if let Some(level) = parameter.level(value) {
            return self.write(level, block);
        }
        let number = value.as_f64().filter(|x| !x.is_nan());
        let domain = parameter.domain();
        match (self, number) {
            (Self::OneHot { .. }, _) => block.fill(-1.0),
            (Self::Float(scale), Some(x)) => {
                block[0] = scale.extrapolate(x).clamp(-FARTHEST, FARTHEST)
            }
            (Self::Cells { levels } | Self::LogGrid { levels, .. }, Some(x))
                if domain.values().is_none() =>
            {
                let level = domain.nearest_level(x).unwrap_or(0.0);
                match self {
                    Self::LogGrid { scale, .. } if level < 0.0 || level >= *levels as f64 => {
                        block[0] = scale.extrapolate(x)
                    }
                    _ => self.write(level, block),
                }
                block[0] = block[0].clamp(-FARTHEST, FARTHEST);
            }
            _ => block.fill(0.0),
        }
    }
}

/// The log scale of a grid with half a cell at both ends; at the lower end at most half of low, so that it stays above 0.
fn log_cells(low: f64, step: f64, levels: u64) -> Scale {
    let bottom = (low - step / 2.0).max(low / 2.0).max(f64::from_bits(1));
    let top = low + (levels as f64 - 0.5) * step;
    Scale::log(bottom, top.min(f64::MAX))
}

/// Index of the largest number, the first of equals; NaN counts as 0.
fn largest(block: &[f64]) -> usize {
    let number = |u: f64| if u.is_nan() { 0.0 } else { u };
    let mut best = 0;
    for (i, &u) in block.iter().enumerate() {
        if number(u) > number(block[best]) {
            best = i;
        }
    }
    best
}

/// Index of the nearest row, the first of equals.
fn nearest(rows: &Points, block: &[f64]) -> usize {
    if let Some(same) = rows.rows().position(|row| row == block) {
        return same;
    }
    let mut best = (0, f64::INFINITY);
    for (i, row) in rows.rows().enumerate() {
        let distance: f64 = row
            .iter()
            .zip(block)
            .map(|(x, &u)| (x - tame(u)).powi(2))
            .sum();
        if distance < best.1 {
            best = (i, distance);
        }
    }
    best.0
}

/// Each column brought to [-1, 1]; a constant column to 0.
fn scaled_columns(table: &Points) -> Points {
    let mut scaled = Points::zeros(table.dim(), table.len());
    for column in 0..table.dim() {
        let values = || table.rows().map(|row| row[column]);
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        if low < high {
            let scale = Scale::linear(low, high);
            for (i, x) in values().enumerate() {
                scaled.row_mut(i)[column] = scale.encode(x);
            }
        }
    }
    scaled
}
