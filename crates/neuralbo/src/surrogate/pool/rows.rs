//! The rows of a pool, standardized and kept sparse.
//!
//! Symbols: `x_i` row `i`, `μ`, `σ` mean and deviation of a column, `z = (x − μ)/(σ √d)`, so that rows have a mean square length of
//! one; `m` the most frequent value of a column and `δ = (x − m)/(σ √d)`, which is zero in most entries of counts;
//! `c = (μ − m)/(σ √d)`, hence `z = δ − c` and `z_i·z_j = δ_i·δ_j − c·δ_i − c·δ_j + c·c`.

use crate::linalg::Points;

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
    let longest = sorted
        .chunk_by(|a, b| a == b)
        .fold(&sorted[..0], |longest, run| {
            if run.len() > longest.len() {
                run
            } else {
                longest
            }
        });
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

    /// `|z_i|²`.
    pub(super) fn square(&self, i: usize) -> f64 {
        self.squares[i]
    }

    /// `z_i·z` with the row at all rows of the pool, and `|z|²`.
    pub(super) fn products(&self, row: &[f64]) -> (Vec<f64>, f64) {
        let deltas: Vec<f64> = row
            .iter()
            .zip(&self.scales)
            .map(|(x, scale)| scale.delta(*x))
            .collect();
        let shift: f64 = deltas
            .iter()
            .zip(&self.scales)
            .map(|(delta, scale)| delta * scale.shift)
            .sum();
        let square =
            deltas.iter().map(|delta| delta * delta).sum::<f64>() - 2.0 * shift + self.shift_square;
        let product = |i: usize| {
            let entries = self.starts[i]..self.starts[i + 1];
            let inner: f64 = self.columns[entries.clone()]
                .iter()
                .zip(&self.values[entries])
                .map(|(j, v)| v * deltas[*j as usize])
                .sum();
            inner - shift - self.shifts[i] + self.shift_square
        };
        ((0..self.len()).map(product).collect(), square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_standardized_rows() {
        let rows = Points::from_rows(
            3,
            [
                [0.0, 1.0, 5.0],
                [0.0, 3.0, 5.0],
                [2.0, 1.0, 5.0],
                [0.0, 7.0, 5.0],
            ],
        );
        let pool = PoolRows::new(&rows);
        let standardized = |i: usize| {
            let row = rows.row(i);
            // Means and deviations by hand.
            let (m, s) = ([0.5, 3.0], [0.75f64.sqrt(), 6f64.sqrt()]);
            [
                (row[0] - m[0]) / s[0] / 3f64.sqrt(),
                (row[1] - m[1]) / s[1] / 3f64.sqrt(),
            ]
        };
        for i in 0..4 {
            let (products, square) = pool.products(rows.row(i));
            let expected = |j: usize| {
                standardized(i)
                    .iter()
                    .zip(standardized(j))
                    .map(|(a, b)| a * b)
                    .sum::<f64>()
            };
            assert!(
                (0..4).all(|j| (products[j] - expected(j)).abs() < 1e-12),
                "{products:?}"
            );
            assert!(
                (square - expected(i)).abs() < 1e-12 && (pool.square(i) - square).abs() < 1e-12
            );
        }
        assert_eq!(pool.values.len(), 3, "frequent values are not kept");
    }
}
