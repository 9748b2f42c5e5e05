//! Ranks of methods.

/// The rank of each value, 1 for the smallest; equal values share the mean of their ranks. NaN, a method that failed, comes last.
///
/// ```
/// use neuralbo_lab::stats::ranks;
///
/// assert_eq!(ranks(&[5.0, 1.0, 5.0, f64::NAN]), [2.5, 1.0, 2.5, 4.0]);
/// ```
pub fn ranks(values: &[f64]) -> Vec<f64> {
    // Failures are equal among themselves and worse than any number; +0 makes 0 and −0 equal.
    let key = |value: &f64| match value.is_nan() {
        true => (true, 0.0),
        false => (false, value + 0.0),
    };
    let keys: Vec<(bool, f64)> = values.iter().map(key).collect();
    let rank = |of: &(bool, f64)| {
        let smaller = keys.iter().filter(|key| *key < of).count();
        let equal = keys.iter().filter(|key| *key == of).count();
        smaller as f64 + 0.5 * (equal as f64 + 1.0)
    };
    keys.iter().map(rank).collect()
}

/// The mean rank of each method over problems; one row a problem, one column a method, smaller values better.
///
/// `None` if there is no problem or rows differ in length.
///
/// ```
/// use neuralbo_lab::stats::average_ranks;
///
/// assert_eq!(average_ranks(&[vec![0.1, 0.3, 0.2], vec![7.0, 9.0, 8.0]]), Some(vec![1.0, 3.0, 2.0]));
/// ```
pub fn average_ranks(table: &[Vec<f64>]) -> Option<Vec<f64>> {
    let methods = table.first()?.len();
    let mut sums = vec![0.0; methods];
    for row in table {
        if row.len() != methods {
            return None;
        }
        let pairs = sums.iter_mut().zip(ranks(row));
        pairs.for_each(|(sum, rank)| *sum += rank);
    }
    sums.iter_mut().for_each(|sum| *sum /= table.len() as f64);
    Some(sums)
}
