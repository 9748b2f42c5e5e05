//! Found images as vector graphics.

use std::collections::BTreeMap;

use super::{HIGHEST, LOWEST, SIDE, upscale};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
}
