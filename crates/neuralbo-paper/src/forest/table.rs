//! The rows column by column, and the order of each column, computed once for all trees.

use neuralbo::linalg::Points;

/// Columns and their orders, both `dim × len`, one column after the other.
#[derive(Clone, Debug)]
pub(super) struct SortedRows {
    dim: usize,
    len: usize,
    columns: Vec<f64>,
    orders: Vec<u32>,
}

impl SortedRows {
    pub(super) fn new(rows: &Points) -> Self {
        let (dim, len) = (rows.dim(), rows.len());
        let mut columns = vec![0.0; dim * len];
        let mut orders = vec![0; dim * len];
        if len > 0 {
            let pairs = columns.chunks_mut(len).zip(orders.chunks_mut(len));
            pairs.enumerate().for_each(|(feature, (column, order))| {
                for (i, (value, index)) in column.iter_mut().zip(order.iter_mut()).enumerate() {
                    *value = rows.row(i)[feature];
                    *index = i as u32;
                }
                order.sort_unstable_by(|&a, &b| {
                    column[a as usize]
                        .total_cmp(&column[b as usize])
                        .then(a.cmp(&b))
                });
            });
        }
        Self {
            dim,
            len,
            columns,
            orders,
        }
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Values of a coordinate, by row.
    pub(super) fn column(&self, feature: usize) -> &[f64] {
        &self.columns[feature * self.len..(feature + 1) * self.len]
    }

    /// Rows in increasing order of a coordinate.
    pub(super) fn order(&self, feature: usize) -> &[u32] {
        &self.orders[feature * self.len..(feature + 1) * self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_ordered_with_ties_by_row() {
        let table = SortedRows::new(&Points::from_rows(
            2,
            [[0.5, 1.0], [-1.0, 1.0], [0.0, -1.0]],
        ));
        assert_eq!(table.column(0), [0.5, -1.0, 0.0]);
        assert_eq!(table.order(0), [1, 2, 0]);
        assert_eq!(table.order(1), [2, 0, 1]);
    }
}
