//! Images of 7 × 7 made 28 × 28 and back, both bilinear.

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

/// The 7 × 7 image of a 28 × 28 image, both row by row; `None` if it does not have 784 pixels.
///
/// The centre of a coarse cell is the corner between its four middle pixels, so that its bilinear value is their mean.
pub fn downscale(image: &[f64]) -> Option<Vec<f64>> {
    let (cell, middle) = (SIDE / COARSE_SIDE, SIDE / COARSE_SIDE / 2 - 1);
    let value = |at: usize| {
        let (row, column) = (
            at / COARSE_SIDE * cell + middle,
            at % COARSE_SIDE * cell + middle,
        );
        let pair = |row: usize| image[row * SIDE + column] + image[row * SIDE + column + 1];
        0.25 * (pair(row) + pair(row + 1))
    };
    (image.len() == PIXELS).then(|| (0..COARSE_SIDE * COARSE_SIDE).map(value).collect())
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
        assert_eq!((upscale(&[0.0; 48]), downscale(&[0.0; 783])), (None, None));
    }

    /// Cell (2, 3) covers rows 8 to 11 and columns 12 to 15; its middle is rows 9, 10 and columns 13, 14.
    #[test]
    fn a_cell_is_the_mean_of_its_four_middle_pixels() {
        let mut image = vec![0.0; 784];
        for (row, column, value) in [
            (9, 13, 1.0),
            (9, 14, 2.0),
            (10, 13, 4.0),
            (10, 14, 8.0),
            (8, 13, 64.0),
            (9, 12, 64.0),
        ] {
            image[row * 28 + column] = value;
        }
        let coarse = downscale(&image).unwrap();
        assert_eq!(coarse[2 * 7 + 3], 3.75);
        assert_eq!(coarse.iter().filter(|value| **value != 0.0).count(), 1);
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
