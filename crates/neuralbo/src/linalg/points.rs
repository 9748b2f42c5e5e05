//! Points in encoded coordinates, one after the other in memory.

use faer::MatRef;

/// A list of points of equal dimension, stored row by row.
///
/// Seen as a faer matrix it is `dim × len` in column-major order: one column a point, so that a network layer is one product
/// `W · X` and a single point is one contiguous slice.
///
/// ```
/// use neuralbo::linalg::Points;
///
/// let mut points = Points::new(2);
/// points.push(&[0.0, 1.0]);
/// points.push(&[0.5, -0.5]);
/// assert_eq!(points.len(), 2);
/// assert_eq!(points.row(1), &[0.5, -0.5]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    dim: usize,
    len: usize,
    data: Vec<f64>,
}

impl Points {
    /// No points yet, of dimension `dim`.
    pub fn new(dim: usize) -> Self {
        Self {
            dim,
            len: 0,
            data: Vec::new(),
        }
    }

    /// `len` points at the origin.
    pub fn zeros(dim: usize, len: usize) -> Self {
        Self {
            dim,
            len,
            data: vec![0.0; dim * len],
        }
    }

    /// Collects rows; each must have length `dim`.
    pub fn from_rows<R: AsRef<[f64]>>(dim: usize, rows: impl IntoIterator<Item = R>) -> Self {
        let mut points = Self::new(dim);
        for row in rows {
            points.push(row.as_ref());
        }
        points
    }

    /// Number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a point.
    ///
    /// # Panics
    /// When `row.len()` differs from [`Points::dim`]: rows come from a [`Space`](crate::space::Space), never from a user.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.dim, "a row of another dimension");
        self.data.extend_from_slice(row);
        self.len += 1;
    }

    /// Appends all points of `other`.
    pub fn extend(&mut self, other: &Points) {
        assert_eq!(other.dim, self.dim, "points of another dimension");
        self.data.extend_from_slice(&other.data);
        self.len += other.len;
    }

    /// The `i`-th point.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.dim..(i + 1) * self.dim]
    }

    /// The `i`-th point, to change.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.dim..(i + 1) * self.dim]
    }

    /// All points in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> + '_ {
        (0..self.len).map(|i| self.row(i))
    }

    /// The points at `indices`, in that order.
    pub fn select(&self, indices: &[usize]) -> Points {
        Points::from_rows(self.dim, indices.iter().map(|&i| self.row(i)))
    }

    /// The points `range.start .. range.end`.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Points {
        Points {
            dim: self.dim,
            len: range.len(),
            data: self.data[range.start * self.dim..range.end * self.dim].to_vec(),
        }
    }

    /// The last `count` points, or all where there are fewer.
    pub fn last(&self, count: usize) -> Points {
        self.slice(self.len.saturating_sub(count)..self.len)
    }

    /// The coordinates, point after point.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// The coordinates, point after point, to change.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// The `dim × len` matrix whose columns are the points.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn as_mat(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.dim, self.len)
    }
}

/// Inner product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `to += factor · what`.
pub(crate) fn add_scaled(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut()
        .zip(what)
        .for_each(|(slot, x)| *slot += factor * x);
}

/// Squared Euclidean distance.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}
