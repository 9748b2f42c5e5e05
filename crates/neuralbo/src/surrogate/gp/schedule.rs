//! Which observations hyper-parameters are fitted to: a function of their number alone, so that a surrogate that saw the data
//! grow and a fresh one agree.

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
    fn even_spacing_keeps_both_ends_and_never_repeats() {
        assert_eq!(evenly_spaced(3, 5), vec![0, 1, 2]);
        let indices = evenly_spaced(1000, 300);
        assert_eq!((indices.len(), indices[0], indices[299]), (300, 0, 999));
        assert!(indices.windows(2).all(|w| w[0] < w[1]));
    }
}
