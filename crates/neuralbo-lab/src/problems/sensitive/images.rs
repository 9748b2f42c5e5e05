//! Images of 7 × 7 made 28 × 28 and back, both bilinear, and as vector graphics.

use std::collections::BTreeMap;

use super::{COARSE_SIDE, HIGHEST, LOWEST, PIXELS, SIDE};

/// Between images, in pixels of the images themselves.
const GAP: usize = 3;
/// Images in a row.
const COLUMNS: usize = 10;
/// Size of an image's pixel on the page.
const SCALE: usize = 3;

/// The 7 × 7 images enlarged and side by side, ten in a row, as one SVG: black is the lower end of the search box, white the upper.
///
/// An image of another size leaves its place empty.
pub fn images_svg(images: &[Vec<f64>]) -> String {
    let columns = images.len().clamp(1, COLUMNS);
    let rows = images.len().div_ceil(COLUMNS).max(1);
    let size = |count: usize| count * (SIDE + GAP) + GAP;
    let (width, height) = (size(columns), size(rows));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         shape-rendering=\"crispEdges\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        SCALE * width,
        SCALE * height
    );
    let mut strokes: BTreeMap<u8, String> = BTreeMap::new();
    for (i, image) in images.iter().enumerate() {
        if let Some(pixels) = upscale(image) {
            draw(&mut strokes, &pixels, size(i % COLUMNS), size(i / COLUMNS));
        }
    }
    // Strokes run along the middle of a row of pixels.
    svg.push_str("<g transform=\"translate(0 0.5)\">\n");
    for (grey, path) in strokes {
        let colour = format!("#{}", format!("{grey:02x}").repeat(3));
        svg += &format!("<path stroke=\"{colour}\" d=\"{path}\"/>\n");
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Adds one horizontal stroke for each run of equal grey in a row of pixels.
fn draw(strokes: &mut BTreeMap<u8, String>, pixels: &[f64], left: usize, top: usize) {
    for (row, line) in pixels.chunks(SIDE).enumerate() {
        let greys: Vec<u8> = line.iter().copied().map(grey).collect();
        let mut x = left;
        for run in greys.chunk_by(|a, b| a == b) {
            let (y, length) = (top + row, run.len());
            *strokes.entry(run[0]).or_default() += &format!("M{x} {y}h{length}");
            x += length;
        }
    }
}

/// 64 shades, as many as the eye tells apart.
fn grey(value: f64) -> u8 {
    let shade = (63.0 * (value - LOWEST) / (HIGHEST - LOWEST))
        .round()
        .clamp(0.0, 63.0);
    (shade * 255.0 / 63.0).round() as u8
}

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
        let row = at / COARSE_SIDE * cell + middle;
        let column = at % COARSE_SIDE * cell + middle;
        let pair = |row: usize| image[row * SIDE + column] + image[row * SIDE + column + 1];
        0.25 * (pair(row) + pair(row + 1))
    };
    (image.len() == PIXELS).then(|| (0..COARSE_SIDE * COARSE_SIDE).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    /// The strokes of an SVG: grey, left end, row, length.
    fn strokes(svg: &str) -> Vec<(String, usize, usize, usize)> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let mut strokes = Vec::new();
        for node in document
            .descendants()
            .filter(|node| node.has_tag_name("path"))
        {
            let [grey, path] = ["stroke", "d"].map(|name| node.attribute(name).unwrap());
            for text in path.split('M').skip(1) {
                let numbers: Vec<usize> = text
                    .split([' ', 'h'])
                    .map(|number| number.parse().unwrap())
                    .collect();
                strokes.push((grey.to_owned(), numbers[0], numbers[1], numbers[2]));
            }
        }
        strokes
    }

    #[test]
    fn the_ends_of_the_box_are_black_and_white() {
        let strokes = strokes(&images_svg(&[vec![LOWEST; 49], vec![HIGHEST; 49]]));
        let total = |grey: &str| {
            let strokes = strokes.iter().filter(|stroke| stroke.0 == grey);
            strokes.map(|stroke| stroke.3).sum::<usize>()
        };
        assert_eq!((total("#000000"), total("#ffffff")), (784, 784));
    }

    #[test]
    fn every_pixel_is_drawn_once_inside_the_page() {
        let image = |k| (0..49).map(|i| f64::from(i * k % 5) * 0.7).collect();
        let images: Vec<Vec<f64>> = (0..12).map(image).collect();
        let svg = images_svg(&images);
        assert!(svg.contains("viewBox=\"0 0 313 65\""));
        let mut drawn = BTreeSet::new();
        for (_, x, y, length) in strokes(&svg) {
            assert!((x..x + length).all(|x| x < 313 && y < 65 && drawn.insert((x, y))));
        }
        assert_eq!(drawn.len(), 12 * 784);
    }

    #[test]
    fn nothing_and_wrong_sizes_leave_an_empty_page() {
        assert!(strokes(&images_svg(&[])).is_empty());
        assert!(strokes(&images_svg(&[vec![0.0; 5]])).is_empty());
    }

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
                    let share = i.checked_sub(first).and_then(|k| profile.get(k));
                    share.copied().unwrap_or(0.0)
                };
                let error = image[row * 28 + column] - share(row, 6) * share(column, 10);
                assert!(error.abs() < 1e-12, "({row}, {column})");
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
