//! Curves, bands and markers inside a panel's frame.

use super::axis::Span;
use super::series::{Series, Shape};
use super::style::Style;
use super::writer::{Svg, px};

/// Distance between the markers of a curve.
const MARKER_SPACING: f64 = 56.0;
/// Curves with at most this many points have a marker at each.
const FEW_POINTS: usize = 15;
/// Points closer than this to the last one are not seen.
const VISIBLE: f64 = 0.3;
/// Colour of lines that are no curves.
const GUIDE: &str = "#555555";
/// How far a drawn curve may be from its points.
const TOLERANCE: f64 = 0.15;

type Pixel = (f64, f64);

/// From values to pixels, counted from the upper left corner of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    pub x: Span,
    pub y: Span,
    pub width: f64,
    pub height: f64,
}

impl Projection {
    fn pixel(&self, (x, y): (f64, f64)) -> Option<Pixel> {
        Some((
            self.x.fraction(x)? * self.width,
            (1.0 - self.y.fraction(y)?) * self.height,
        ))
    }

    fn inside(&self, (x, y): Pixel) -> bool {
        (0.0..=self.width).contains(&x) && (0.0..=self.height).contains(&y)
    }
}

/// Draws the line of a series.
pub(super) fn draw_curve(svg: &mut Svg, series: &Series, style: &Style, projection: &Projection) {
    for run in runs(series.points.iter().map(|&point| projection.pixel(point))) {
        let corners = simplified(&shaped(&run, series.shape));
        if corners.len() > 1 {
            let width = format!("{}", style.width);
            let attributes = [
                ("points", path(&corners)),
                ("stroke-width", width),
                ("stroke-dasharray", style.dash.to_owned()),
            ];
            let mut attributes: Vec<(&str, &str)> = attributes
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            attributes.extend([
                ("fill", "none"),
                ("stroke", style.colour),
                ("stroke-linejoin", "round"),
            ]);
            svg.empty("polyline", &attributes);
        }
    }
}

/// Draws a straight line that is no curve; nothing where the axes cannot show its ends.
pub(super) fn draw_guide(svg: &mut Svg, ends: [(f64, f64); 2], projection: &Projection) {
    if let [Some(from), Some(to)] = ends.map(|end| projection.pixel(end)) {
        let (points, stroke) = (
            path(&[from, to]),
            [("stroke", GUIDE), ("stroke-width", "0.8"), ("fill", "none")],
        );
        svg.empty(
            "polyline",
            &[
                &[("class", "guide"), ("points", points.as_str())][..],
                &stroke,
            ]
            .concat(),
        );
    }
}

/// Draws the band of a series.
pub(super) fn draw_band(svg: &mut Svg, series: &Series, style: &Style, projection: &Projection) {
    let both = series
        .points
        .iter()
        .zip(&series.band)
        .map(|(&(x, y), &(low, high))| {
            projection.pixel((x, y))?;
            let upper = projection.pixel((x, high))?;
            // A lower end that a logarithmic axis cannot show is below the frame.
            let lower = projection
                .pixel((x, low))
                .unwrap_or((upper.0, projection.height));
            Some((upper, lower))
        });
    for run in runs(both) {
        let upper: Vec<Pixel> = run.iter().map(|&(upper, _)| upper).collect();
        let lower: Vec<Pixel> = run.iter().map(|&(_, lower)| lower).collect();
        let mut outline = simplified(&shaped(&upper, series.shape));
        outline.extend(simplified(&shaped(&lower, series.shape)).into_iter().rev());
        if run.len() > 1 {
            svg.empty(
                "polygon",
                &[
                    ("points", &path(&outline)),
                    ("fill", style.colour),
                    ("fill-opacity", "0.13"),
                ],
            );
        }
    }
}

/// Draws the markers of a series: evenly along the curve, each series beginning elsewhere; each run has at least one.
pub(super) fn draw_markers(svg: &mut Svg, series: &Series, style: &Style, projection: &Projection) {
    let all = series.points.len() <= FEW_POINTS;
    let offset = MARKER_SPACING * ((style.index * 3) % 8) as f64 / 8.0;
    for run in runs(series.points.iter().map(|&point| projection.pixel(point))) {
        let mut next = if run.len() == 1 {
            f64::NEG_INFINITY
        } else {
            offset
        };
        for &(x, y) in run.iter().filter(|pixel| projection.inside(**pixel)) {
            if all || x >= next {
                style.draw_marker(svg, x, y);
                next = x + MARKER_SPACING;
            }
        }
    }
}

/// The uninterrupted parts of a sequence.
fn runs<T: Copy>(items: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut runs = vec![Vec::new()];
    for item in items {
        match (item, runs.last_mut()) {
            (Some(item), Some(run)) => run.push(item),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The corners of the curve.
fn shaped(run: &[Pixel], shape: Shape) -> Vec<Pixel> {
    match shape {
        Shape::Line => run.to_vec(),
        Shape::Steps => {
            let before = run
                .windows(2)
                .flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
            before.chain(run.last().copied()).collect()
        }
    }
}

/// The corners without those that nobody sees.
fn simplified(corners: &[Pixel]) -> Vec<Pixel> {
    let corners = thinned(corners);
    let mut kept = vec![false; corners.len()];
    let mut open = vec![(0, corners.len().saturating_sub(1))];
    // Douglas and Peucker: what is furthest from the straight line between two corners is kept, until nothing is far.
    while let Some((first, last)) = open.pop() {
        kept.get_mut(first)
            .into_iter()
            .for_each(|kept| *kept = true);
        kept.get_mut(last).into_iter().for_each(|kept| *kept = true);
        let distances =
            (first + 1..last).map(|i| (distance(corners[i], corners[first], corners[last]), i));
        if let Some((_, furthest)) = distances
            .filter(|(distance, _)| *distance > TOLERANCE)
            .max_by(|a, b| a.0.total_cmp(&b.0))
        {
            open.extend([(first, furthest), (furthest, last)]);
        }
    }
    corners
        .into_iter()
        .zip(kept)
        .filter(|(_, kept)| *kept)
        .map(|(corner, _)| corner)
        .collect()
}

/// How far a pixel is from the line between two others.
fn distance(pixel: Pixel, from: Pixel, to: Pixel) -> f64 {
    let (along, across) = (
        (to.0 - from.0, to.1 - from.1),
        (pixel.0 - from.0, pixel.1 - from.1),
    );
    let length = along.0.hypot(along.1);
    if length == 0.0 {
        across.0.hypot(across.1)
    } else {
        (along.0 * across.1 - along.1 * across.0).abs() / length
    }
}

/// The corners without those next to the last one; curves of very many points become short enough to look at closely.
fn thinned(corners: &[Pixel]) -> Vec<Pixel> {
    let mut kept: Vec<Pixel> = Vec::new();
    for (i, &(x, y)) in corners.iter().enumerate() {
        let visible = kept
            .last()
            .is_none_or(|last| (x - last.0).abs() >= VISIBLE || (y - last.1).abs() >= VISIBLE);
        if visible || i + 1 == corners.len() {
            kept.push((x, y));
        }
    }
    kept
}

fn path(corners: &[Pixel]) -> String {
    corners
        .iter()
        .map(|&(x, y)| format!("{},{}", px(x), px(y)))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_end_at_gaps() {
        let items = [None, Some(1), Some(2), None, None, Some(3), None];
        assert_eq!(runs(items.into_iter()), [vec![1, 2], vec![3]]);
    }

    #[test]
    fn steps_are_level_until_the_next_point() {
        assert_eq!(
            shaped(&[(0.0, 5.0), (2.0, 3.0)], Shape::Steps),
            [(0.0, 5.0), (2.0, 5.0), (2.0, 3.0)]
        );
        assert_eq!(shaped(&[(0.0, 5.0)], Shape::Steps), [(0.0, 5.0)]);
    }

    proptest! {
        #[test]
        fn simplified_curves_pass_by_every_corner(ys in prop::collection::vec(0.0..20.0f64, 2..60)) {
            let corners: Vec<Pixel> = ys.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect();
            let kept = simplified(&corners);
            for &(x, y) in &corners {
                let pair = kept.windows(2).find(|pair| pair[0].0 <= x && x <= pair[1].0).unwrap();
                prop_assert!(distance((x, y), pair[0], pair[1]) <= TOLERANCE + 1e-12);
            }
        }
    }

    #[test]
    fn corners_nobody_sees_are_left_out_but_never_the_last() {
        assert_eq!(
            simplified(&[(0.0, 0.0), (0.1, 0.1), (1.0, 0.0), (1.1, 0.0)]),
            [(0.0, 0.0), (1.1, 0.0)]
        );
        assert_eq!(
            simplified(&[(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)]),
            [(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)]
        );
        assert_eq!(
            (simplified(&[]), simplified(&[(1.0, 2.0)])),
            (vec![], vec![(1.0, 2.0)])
        );
    }
}
