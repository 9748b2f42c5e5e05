//! Images of 7 × 7 made 28 × 28, bilinearly.

use super::{COARSE_SIDE, PIXELS, SIDE};

/// The coarse cells an enlarged pixel lies between, and the share of the second.
///
/// Pixels are areas, not points: the centre of pixel i lies at (i + ½)/4 − ½ on the coarse grid (`align_corners=False` in
/// PyTorch's words), and beyond the outermost centres the value stays constant.
fn neighbours(pixel: usize) -> (usize, usize, f64) {
    let scale = COARSE_SIDE as f64 / SIDE as f64;
    let at = ((pixel as f64 + 0.5) * scale - 0.5).max(0.0);
    let low = at as usize;
    (low, (low + 1).min(COARSE_SIDE - 1), at - low as f64)
}

/// The 28 × 28 image, row by row, of the 7 × 7 image `coarse`, row by row; `None` if it does not have 49 pixels.
pub fn upscale(coarse: &[f64]) -> Option<Vec<f64>> {
    if coarse.len() != COARSE_SIDE * COARSE_SIDE {
        return None;
    }
    let mut image = Vec::with_capacity(PIXELS);
    for row in 0..SIDE {
        let (above, below, down) = neighbours(row);
        for column in 0..SIDE {
            let (left, right, across) = neighbours(column);
            let between = |line: usize| {
                let line = &coarse[line * COARSE_SIDE..(line + 1) * COARSE_SIDE];
                (1.0 - across) * line[left] + across * line[right]
            };
            image.push((1.0 - down) * between(above) + down * between(below));
        }
    }
    Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One bright cell in row 2, column 3: its profile along either axis is 1, 3, 5, 7 eighths up and down again.
    #[test]
    fn one_cell_spreads_as_worked_out_by_hand() {
        let mut coarse = vec![0.0; 49];
        coarse[2 * 7 + 3] = 64.0;
        let image = upscale(&coarse).unwrap();
        let profile = [1.0, 3.0, 5.0, 7.0, 7.0, 5.0, 3.0, 1.0];
        for row in 0..28 {
            for column in 0..28 {
                let share = |i: usize, first: usize| {
                    let checked_sub = i.checked_sub(first).and_then(|k| profile.get(k)).copied();
                    checked_sub.unwrap_or(0.0)
                };
                let expected = share(row, 6) * share(column, 10);
                assert!(
                    (image[row * 28 + column] - expected).abs() < 1e-12,
                    "({row}, {column})"
                );
            }
        }
    }

    /// Pixels 0 and 1 lie outside the first centre, 26 and 27 outside the last.
    #[test]
    fn the_border_repeats_the_outermost_cells() {
        let coarse: Vec<f64> = (0..49).map(|i| f64::from(i % 7)).collect();
        let image = upscale(&coarse).unwrap();
        assert_eq!(image[..5], [0.0, 0.0, 0.125, 0.375, 0.625]);
        assert_eq!(image[24..28], [5.625, 5.875, 6.0, 6.0]);
    }

    #[test]
    fn other_sizes_cannot_be_resized() {
        assert_eq!(upscale(&[0.0; 48]), None);
    }

    proptest! {
        #[test]
        fn values_stay_between_the_smallest_and_the_largest_and_keep_their_mean(coarse in prop::collection::vec(-1.0..3.0f64, 49)) {
            let image = upscale(&coarse).unwrap();
            let (low, high) = coarse.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            prop_assert!(image.iter().all(|&v| v >= low - 1e-12 && v <= high + 1e-12));
            let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
            prop_assert!((mean(&image) - mean(&coarse)).abs() < 1e-12);
        }
    }
}
