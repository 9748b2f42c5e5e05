//! When hyper-parameters are fitted, and to which rows.
//!
//! Both depend on the number of observations alone, so that a surrogate that saw the data grow and a fresh one agree.

use super::settings::GpSettings;

/// The size of the data prefix whose hyper-parameters serve `len` observations.
pub(super) fn milestone(len: usize, settings: &GpSettings) -> usize {
    let mut current = settings.refit_always_until;
    if len <= current {
        return len;
    }
    loop {
        let next = current + ((current as f64 * settings.refit_growth).ceil() as usize).max(1);
        if next > len {
            return current.max(1);
        }
        current = next;
    }
}

/// At most `count` indices below `len`, evenly spaced, the first and the last among them.
pub(super) fn evenly_spaced(len: usize, count: usize) -> Vec<usize> {
    if len <= count {
        return (0..len).collect();
    }
    (0..count).map(|i| i * (len - 1) / (count - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_up_to_the_limit_then_one_in_ten() {
        let settings = GpSettings::default();
        assert_eq!([1, 99, 100, 109, 110, 120, 121].map(|n| milestone(n, &settings)), [1, 99, 100, 100, 110, 110, 121]);
        for len in 101..3000 {
            let stone = milestone(len, &settings);
            assert!(stone <= len && len as f64 <= 1.1 * stone as f64 + 1.0);
            assert_eq!(milestone(stone, &settings), stone);
        }
    }

    #[test]
    fn a_schedule_without_an_initial_phase_still_starts() {
        let settings = GpSettings { refit_always_until: 0, ..GpSettings::default() };
        assert_eq!([1, 2, 3].map(|n| milestone(n, &settings)), [1, 2, 3]);
    }

    #[test]
    fn even_spacing_keeps_both_ends_and_never_repeats() {
        assert_eq!(evenly_spaced(3, 5), vec![0, 1, 2]);
        let indices = evenly_spaced(1000, 300);
        assert_eq!((indices.len(), indices[0], indices[299]), (300, 0, 999));
        assert!(indices.windows(2).all(|w| w[0] < w[1]));
    }
}
