//! Downsampling for charts.

/// About `points` indices in order: the smallest and the largest value of each stretch; `keep` comes
/// on top.
pub(super) fn envelope(
    values: &[f64],
    points: usize,
    keep: impl Iterator<Item = usize>,
) -> Vec<usize> {
    if values.len() <= points {
        return (0..values.len()).collect();
    }
    let stretches = (points / 2).max(1);
    let mut chosen: Vec<usize> = keep.collect();
    for stretch in 0..stretches {
        let (start, end) = (
            stretch * values.len() / stretches,
            (stretch + 1) * values.len() / stretches,
        );
        let finite = || (start..end).filter(|place| values[*place].is_finite());
        chosen.extend(finite().min_by(|a, b| values[*a].total_cmp(&values[*b])));
        chosen.extend(finite().max_by(|a, b| values[*a].total_cmp(&values[*b])));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// At most `points` of `count` indices, evenly spaced, with the first and the last.
pub(super) fn evenly(count: usize, points: usize) -> Vec<usize> {
    match points {
        _ if count <= points => (0..count).collect(),
        0 => Vec::new(),
        1 => vec![count - 1],
        _ => (0..points)
            .map(|point| point * (count - 1) / (points - 1))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_of_every_stretch_and_what_must_stay_are_kept() {
        let values: Vec<f64> = (0..1000)
            .map(|i| if i % 97 == 5 { 50.0 } else { f64::from(i % 13) })
            .collect();
        let chosen = envelope(&values, 100, [777].into_iter());
        assert!(chosen.len() <= 101 && chosen.contains(&777) && chosen.is_sorted());
        for stretch in values.chunks(20).enumerate() {
            let inside = chosen
                .iter()
                .filter(|place| **place / 20 == stretch.0)
                .map(|place| values[*place]);
            let (low, high) = inside.fold((f64::MAX, f64::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            assert_eq!(low, stretch.1.iter().copied().fold(f64::MAX, f64::min));
            assert_eq!(high, stretch.1.iter().copied().fold(f64::MIN, f64::max));
        }
        assert_eq!(
            envelope(&values[..50], 100, [].into_iter()),
            (0..50).collect::<Vec<_>>()
        );
    }

    #[test]
    fn even_samples_have_both_ends() {
        assert_eq!(evenly(5, 10), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(101, 3), [0, 50, 100]);
        assert_eq!(
            (evenly(9, 1), evenly(9, 0), evenly(0, 5)),
            (vec![8], vec![], vec![])
        );
    }
}
