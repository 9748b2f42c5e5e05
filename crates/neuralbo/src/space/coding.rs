//! How one parameter's level is written into its block of coordinates, and read from it.

use std::sync::Arc;

use super::Domain;
use super::scale::{Scale, tame};
use crate::linalg::Points;

/// What one coordinate of an encoded row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// Any number in `[-1, 1]`.
    Continuous,
    /// One of a few positions: an int, or a choice of two (at −1 and +1). [`Space::snap`](crate::space::Space::snap) moves a
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
    /// Ints on a scale of ln(low − ½) to ln(high + ½).
    LogInts {
        low: f64,
        levels: u64,
        scale: Scale,
    },
    Binary,
    OneHot {
        len: usize,
    },
    /// The scaled rows of a pool.
    Rows(Arc<Points>),
}

impl Code {
    pub(super) fn new(domain: &Domain) -> Self {
        match domain {
            Domain::Float { low, high, log: false } => Self::Float(Scale::linear(*low, *high)),
            Domain::Float { low, high, log: true } => Self::Float(Scale::log(*low, *high)),
            Domain::Rows { table } => Self::Rows(Arc::new(scaled_columns(table))),
            Domain::Int { low, high, log } if low < high => Self::ints(*low, *high, *log),
            Domain::Choice { choices } if choices.len() == 2 => Self::Binary,
            Domain::Choice { choices } if choices.len() > 2 => Self::OneHot { len: choices.len() },
            Domain::Int { .. } | Domain::Choice { .. } | Domain::Fixed { .. } => Self::Constant,
        }
    }

    fn ints(low: i64, high: i64, log: bool) -> Self {
        let levels = high.abs_diff(low) + 1;
        if log {
            let (low, high) = (low as f64, high as f64);
            Self::LogInts { low, levels, scale: Scale::log(low - 0.5, high + 0.5) }
        } else {
            Self::Cells { levels }
        }
    }

    /// How many coordinates.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Constant => 0,
            Self::Float(_) | Self::Cells { .. } | Self::LogInts { .. } | Self::Binary => 1,
            Self::OneHot { len } => *len,
            Self::Rows(rows) => rows.dim(),
        }
    }

    /// What each of its coordinates is, when they start at `first` and `group` one-hot choices came before.
    pub(super) fn coordinate(&self, group: usize, first: usize) -> Coordinate {
        match self {
            Self::Constant | Self::Float(_) => Coordinate::Continuous,
            Self::Cells { levels } | Self::LogInts { levels, .. } => Coordinate::Grid { levels: *levels },
            Self::Binary => Coordinate::Grid { levels: 2 },
            Self::OneHot { len } => Coordinate::OneHot { group, first, len: *len },
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
            Self::LogInts { low, levels, scale } => (scale.decode(block[0]).round() - low).clamp(0.0, *levels as f64 - 1.0),
            Self::Binary => f64::from(u8::from(block[0] > 0.0)),
            Self::OneHot { .. } => largest(block) as f64,
            Self::Rows(rows) => nearest(rows, block) as f64,
        }
    }

    /// Writes the row of a level.
    pub(super) fn write(&self, level: f64, block: &mut [f64]) {
        match self {
            Self::Constant => {}
            Self::Float(scale) => block[0] = scale.encode(level),
            Self::Cells { levels } => block[0] = -1.0 + (2.0 * level + 1.0) / *levels as f64,
            Self::LogInts { low, scale, .. } => block[0] = scale.encode(low + level),
            Self::Binary => block[0] = if level > 0.0 { 1.0 } else { -1.0 },
            Self::OneHot { .. } => {
                block.fill(-1.0);
                block[level as usize] = 1.0;
            }
            Self::Rows(rows) => block.copy_from_slice(rows.row(level as usize)),
        }
    }
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
    let mut best = (0, f64::INFINITY);
    for (i, row) in rows.rows().enumerate() {
        let distance: f64 = row.iter().zip(block).map(|(x, &u)| (x - tame(u)).powi(2)).sum();
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
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low < high {
            let scale = Scale::linear(low, high);
            for (i, x) in values().enumerate() {
                scaled.row_mut(i)[column] = scale.encode(x);
            }
        }
    }
    scaled
}
