//! Found images as vector graphics.

use std::fmt::Write;

use super::{HIGHEST, LOWEST, SIDE, upscale};

/// Side of one image and the gap between images, in pixels of the images themselves.
const GAP: usize = 3;
/// Images in a row.
const COLUMNS: usize = 10;
/// Size of an image's pixel on the page.
const SCALE: usize = 3;

/// The 7 × 7 images enlarged and side by side, ten in a row, as one SVG: black is the lower end of the search box, white the upper.
///
/// An image of another size leaves its place empty.
///
/// ```
/// use neuralbo_lab::problems::sensitive::images_svg;
///
/// let svg = images_svg(&[vec![0.0; 49], vec![2.8; 49]]);
/// assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
/// ```
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
    for (i, image) in images.iter().enumerate() {
        if let Some(pixels) = upscale(image) {
            draw(&mut svg, &pixels, size(i % COLUMNS), size(i / COLUMNS));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// One rectangle for each run of equal grey in a row of pixels.
fn draw(svg: &mut String, pixels: &[f64], left: usize, top: usize) {
    for (row, line) in pixels.chunks(SIDE).enumerate() {
        let greys: Vec<u8> = line.iter().copied().map(grey).collect();
        let mut column = 0;
        for run in greys.chunk_by(|a, b| a == b) {
            let (x, y, width, grey) = (left + column, top + row, run.len(), run[0]);
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"1\" fill=\"#{grey:02x}{grey:02x}{grey:02x}\"/>"
            );
            column += run.len();
        }
    }
}

fn grey(value: f64) -> u8 {
    (255.0 * (value - LOWEST) / (HIGHEST - LOWEST)).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The area each grey covers in an SVG, white page excluded.
    fn areas(svg: &str) -> Vec<(String, usize)> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let rects = document.descendants().filter(|node| node.has_tag_name("rect")).skip(1);
        rects
            .map(|node| (node.attribute("fill").unwrap().to_owned(), node.attribute("width").unwrap().parse().unwrap()))
            .collect()
    }

    #[test]
    fn the_ends_of_the_box_are_black_and_white() {
        let areas = areas(&images_svg(&[vec![LOWEST; 49], vec![HIGHEST; 49]]));
        let total = |grey: &str| areas.iter().filter(|(fill, _)| fill == grey).map(|(_, area)| area).sum::<usize>();
        assert_eq!((total("#000000"), total("#ffffff")), (784, 784));
    }

    #[test]
    fn every_pixel_is_drawn_once_inside_the_page() {
        let images: Vec<Vec<f64>> = (0..12).map(|k| (0..49).map(|i| f64::from(i * k % 5) * 0.7).collect()).collect();
        let svg = images_svg(&images);
        assert_eq!(areas(&svg).iter().map(|(_, area)| area).sum::<usize>(), 12 * 784);
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(document.root_element().attribute("viewBox"), Some("0 0 313 65"));
        let number = |node: &roxmltree::Node, name| node.attribute(name).map_or(0, |text| text.parse::<usize>().unwrap());
        for rect in document.descendants().filter(|node| node.has_tag_name("rect")) {
            assert!(number(&rect, "x") + number(&rect, "width") <= 313 && number(&rect, "y") < 65);
        }
    }

    #[test]
    fn nothing_and_wrong_sizes_leave_an_empty_page() {
        assert!(areas(&images_svg(&[])).is_empty());
        assert!(areas(&images_svg(&[vec![0.0; 5]])).is_empty());
    }
}
