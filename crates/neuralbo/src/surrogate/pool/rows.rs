//! The rows of a pool, standardized and kept sparse.
//!
//! Symbols: `x_i` row `i`, `μ`, `σ` mean and deviation of a column, `z = (x − μ)/(σ √d)`, so that rows have a mean square length of
//! one; `m` the most frequent value of a column and `δ = (x − m)/(σ √d)`, which is zero in most entries of counts;
//! `c = (μ − m)/(σ √d)`, hence `z = δ − c` and `z_i·z_j = δ_i·δ_j − c·δ_i − c·δ_j + c·c`.

use crate::linalg::Points;
use crate::surrogate::gaussian::dot;
use std::sync::Arc;

/// Rows in compressed form: the entries of row `i` are `starts[i]..starts[i + 1]`.
#[derive(Clone, Debug)]
pub(super) struct PoolRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// `c·δ_i`.
    shifts: Vec<f64>,
    /// `|z_i|²`.
    squares: Vec<f64>,
    /// `c·c`.
    shift_square: f64,
    scales: Vec<Column>,
    unknown: Arc<KnownRow>,
}

/// A row, by its place in the pool, or by what is known of it, or both.
#[derive(Clone, Debug)]
pub(super) struct PoolPoint {
    pub(super) place: Option<usize>,
    /// `|z|²`.
    pub(super) square: f64,
    pub(super) known: Arc<KnownRow>,
}

/// What covariances with a row are computed from; empty for a row given by its place alone.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownRow {
    /// `z·z_i` with all rows of the pool.
    pub(super) products: Vec<f64>,
    /// `δ` and `c·δ`.
    deltas: Vec<f64>,
    shift: f64,
}

/// What takes an entry of a column to `δ`, and the column's `c`.
#[derive(Clone, Copy, Debug)]
struct Column {
    frequent: f64,
    factor: f64,
    shift: f64,
}

impl Column {
    fn of(values: &mut [f64], dim: usize) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
        values.sort_by(f64::total_cmp);
        let frequent = most_frequent(values);
        let factor = if deviation > 0.0 {
            1.0 / (deviation * (dim as f64).sqrt())
        } else {
            0.0
        };
        Self {
            frequent,
            factor,
            shift: (mean - frequent) * factor,
        }
    }

    fn delta(&self, x: f64) -> f64 {
        (x - self.frequent) * self.factor
    }
}

/// The value of the longest run in sorted values, the first of equals.
fn most_frequent(sorted: &[f64]) -> f64 {
    let mut longest = &sorted[..0];
    for run in sorted.chunk_by(|a, b| a == b) {
        if run.len() > longest.len() {
            longest = run;
        }
    }
    longest.first().copied().unwrap_or(0.0)
}

impl PoolRows {
    pub(super) fn new(rows: &Points) -> Self {
        let column = |j: usize| {
            Column::of(
                &mut rows.rows().map(|row| row[j]).collect::<Vec<f64>>(),
                rows.dim(),
            )
        };
        let scales: Vec<Column> = (0..rows.dim()).map(column).collect();
        let mut all = Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            shifts: Vec::with_capacity(rows.len()),
            squares: Vec::with_capacity(rows.len()),
            shift_square: scales.iter().map(|scale| scale.shift * scale.shift).sum(),
            scales,
            unknown: Arc::default(),
        };
        rows.rows().for_each(|row| all.push(row));
        all
    }

    fn push(&mut self, row: &[f64]) {
        let (mut square, mut shift) = (0.0, 0.0);
        for (j, (x, scale)) in row.iter().zip(&self.scales).enumerate() {
            let delta = scale.delta(*x);
            if delta != 0.0 {
                self.columns.push(j as u32);
                self.values.push(delta);
                square += delta * delta;
                shift += scale.shift * delta;
            }
        }
        self.starts.push(self.values.len());
        self.shifts.push(shift);
        self.squares.push(square - 2.0 * shift + self.shift_square);
    }

    pub(super) fn len(&self) -> usize {
        self.shifts.len()
    }

    pub(super) fn dim(&self) -> usize {
        self.scales.len()
    }

    /// Row `i`, by its place alone.
    pub(super) fn place(&self, i: usize) -> PoolPoint {
        PoolPoint {
            place: Some(i),
            square: self.squares[i],
            known: Arc::clone(&self.unknown),
        }
    }

    /// Any row, with its products with all rows of the pool.
    pub(super) fn point(&self, row: &[f64]) -> PoolPoint {
        let deltas = row.iter().zip(&self.scales);
        let deltas: Vec<f64> = deltas.map(|(x, scale)| scale.delta(*x)).collect();
        let shifts = deltas.iter().zip(&self.scales);
        let shift: f64 = shifts.map(|(d, scale)| d * scale.shift).sum();
        let square = deltas.iter().map(|d| d * d).sum::<f64>() - 2.0 * shift + self.shift_square;
        let product = |i: usize| {
            let entries = self.starts[i]..self.starts[i + 1];
            let columns = self.columns[entries.clone()].iter();
            let both = columns.zip(&self.values[entries]);
            let inner: f64 = both.map(|(j, v)| v * deltas[*j as usize]).sum();
            inner - shift - self.shifts[i] + self.shift_square
        };
        let products = (0..self.len()).map(product).collect();
        PoolPoint {
            place: None,
            square,
            known: Arc::new(KnownRow {
                products,
                deltas,
                shift,
            }),
        }
    }

    /// `z·z′` of two rows that are not by their places alone.
    pub(super) fn product(&self, a: &KnownRow, b: &KnownRow) -> f64 {
        dot(&a.deltas, &b.deltas) - a.shift - b.shift + self.shift_square
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::assert_near;

    #[test]
    fn products_are_those_of_the_standardized_rows() {
        let rows = [[0.0, 1.0], [0.0, 3.0], [2.0, 1.0], [0.0, 7.0]];
        let rows = Points::from_rows(3, rows.map(|[x, y]| [x, y, 5.0]));
        let pool = PoolRows::new(&rows);
        let standardized = |i: usize| {
            let row = rows.row(i);
            // Means and deviations by hand.
            let (m, s) = ([0.5, 3.0], [0.75f64.sqrt(), 6f64.sqrt()]);
            [0, 1].map(|j| (row[j] - m[j]) / s[j] / 3f64.sqrt())
        };
        for i in 0..4 {
            let PoolPoint { square, known, .. } = pool.point(rows.row(i));
            let expected = [0, 1, 2, 3].map(|j| dot(&standardized(i), &standardized(j)));
            assert_near(&known.products, &expected, 1e-12);
            assert_near(&[square, pool.place(i).square], &[expected[i]; 2], 1e-12);
        }
        assert_eq!(pool.values.len(), 3, "frequent values are not kept");
    }
}
