//! Curves, bands and markers inside a panel's frame.

use super::axis::Span;
use super::series::{PlotPoint, PlotSeries, SeriesShape};
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

/// Across and down from the upper left corner of the frame.
pub(super) type Pixel = (f64, f64);

/// From values to pixels, counted from the upper left corner of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    pub x: Span,
    pub y: Span,
    pub width: f64,
    pub height: f64,
}

impl Projection {
    pub fn across(&self, x: f64) -> Option<f64> {
        Some(self.x.fraction(x)? * self.width)
    }

    pub fn down(&self, y: f64) -> Option<f64> {
        Some((1.0 - self.y.fraction(y)?) * self.height)
    }

    fn pixel(&self, (x, y): PlotPoint) -> Option<Pixel> {
        Some((self.across(x)?, self.down(y)?))
    }

    /// The uninterrupted parts of a curve.
    fn runs(&self, series: &PlotSeries) -> Vec<Vec<Pixel>> {
        runs(series.points.iter().map(|&point| self.pixel(point)))
    }

    fn inside(&self, (x, y): Pixel) -> bool {
        (0.0..=self.width).contains(&x) && (0.0..=self.height).contains(&y)
    }
}

/// Draws the line of a series.
pub(super) fn draw_curve(svg: &mut Svg, series: &PlotSeries, style: &Style, frame: &Projection) {
    for run in frame.runs(series) {
        let corners = simplified(&shaped(&run, series.shape));
        if corners.len() > 1 {
            let (points, stroke) = (path(&corners), style.stroke());
            let looks = format!(r#"{stroke} fill="none" stroke-linejoin="round""#);
            svg.empty(&format!(r#"polyline points="{points}" {looks}"#));
        }
    }
}

/// Draws a straight line that is not a curve; nothing where the axes cannot show its ends.
pub(super) fn draw_guide(svg: &mut Svg, ends: [PlotPoint; 2], projection: &Projection) {
    if let [Some(from), Some(to)] = ends.map(|end| projection.pixel(end)) {
        let points = path(&[from, to]);
        let looks = format!(r#"stroke="{GUIDE}" stroke-width="0.8" fill="none""#);
        svg.empty(&format!(
            r#"polyline class="guide" points="{points}" {looks}"#
        ));
    }
}

/// Draws the band of a series.
pub(super) fn draw_band(svg: &mut Svg, series: &PlotSeries, style: &Style, frame: &Projection) {
    let ends = |(&(x, y), &(low, high)): (&PlotPoint, &PlotPoint)| {
        frame.pixel((x, y))?;
        let upper = frame.pixel((x, high))?;
        // A lower end that a logarithmic axis cannot show is below the frame.
        let lower = frame.pixel((x, low)).unwrap_or((upper.0, frame.height));
        Some((upper, lower))
    };
    for run in runs(series.points.iter().zip(&series.band).map(ends)) {
        let (upper, lower): (Vec<Pixel>, Vec<Pixel>) = run.iter().copied().unzip();
        let mut outline = simplified(&shaped(&upper, series.shape));
        outline.extend(simplified(&shaped(&lower, series.shape)).into_iter().rev());
        if run.len() > 1 {
            let looks = format!(r#"fill="{}" fill-opacity="0.13""#, style.colour);
            svg.empty(&format!(r#"polygon points="{}" {looks}"#, path(&outline)));
        }
    }
}

/// Draws the markers of a series: evenly along the curve, each series beginning elsewhere; each run has at least one.
pub(super) fn draw_markers(svg: &mut Svg, series: &PlotSeries, style: &Style, frame: &Projection) {
    let all = series.points.len() <= FEW_POINTS;
    let offset = MARKER_SPACING * ((style.index * 3) % 8) as f64 / 8.0;
    for run in frame.runs(series) {
        let all = all || run.len() == 1;
        let mut next = offset;
        for &(x, y) in run.iter().filter(|pixel| frame.inside(**pixel)) {
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
fn shaped(run: &[Pixel], shape: SeriesShape) -> Vec<Pixel> {
    match shape {
        SeriesShape::Line => run.to_vec(),
        SeriesShape::Steps => {
            let pairs = run.windows(2);
            let before = pairs.flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
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
        kept.iter_mut()
            .skip(first)
            .take(1)
            .for_each(|kept| *kept = true);
        kept.iter_mut()
            .skip(last)
            .take(1)
            .for_each(|kept| *kept = true);
        let distance = |i: usize| (distance(corners[i], corners[first], corners[last]), i);
        let far = (first + 1..last)
            .map(distance)
            .filter(|far| far.0 > TOLERANCE);
        if let Some((_, furthest)) = far.max_by(|a, b| a.0.total_cmp(&b.0)) {
            open.extend([(first, furthest), (furthest, last)]);
        }
    }
    let corners = corners.into_iter().zip(kept).filter(|(_, kept)| *kept);
    corners.map(|(corner, _)| corner).collect()
}

/// How far a pixel is from the line between two others.
fn distance(pixel: Pixel, from: Pixel, to: Pixel) -> f64 {
    let minus = |pixel: Pixel| (pixel.0 - from.0, pixel.1 - from.1);
    let (along, across) = (minus(to), minus(pixel));
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
        let far = |last: &Pixel| (x - last.0).abs() >= VISIBLE || (y - last.1).abs() >= VISIBLE;
        let visible = kept.last().is_none_or(far);
        if visible || i + 1 == corners.len() {
            kept.push((x, y));
        }
    }
    kept
}

fn path(corners: &[Pixel]) -> String {
    let corners = corners.iter().map(|&(x, y)| format!("{},{}", px(x), px(y)));
    corners.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
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
        let found = shaped(&[(0.0, 5.0), (2.0, 3.0)], SeriesShape::Steps);
        assert_eq!(found, [(0.0, 5.0), (2.0, 5.0), (2.0, 3.0)]);
        assert_eq!(shaped(&[(0.0, 5.0)], SeriesShape::Steps), [(0.0, 5.0)]);
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
        let found = simplified(&[(0.0, 0.0), (0.1, 0.1), (1.0, 0.0), (1.1, 0.0)]);
        assert_eq!(found, [(0.0, 0.0), (1.1, 0.0)]);
        let found = simplified(&[(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)]);
        assert_eq!(found, [(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)]);
        let found = (simplified(&[]), simplified(&[(1.0, 2.0)]));
        assert_eq!(found, (vec![], vec![(1.0, 2.0)]));
    }
}
