//! One pair of axes with its curves.

use super::axis::{PlotAxis, Span};
use super::series::{PlotPoint, PlotSeries};
use super::style::Style;
use super::svg::{Pixel, Svg, escaped, px, text_width};

/// Size of a panel's frame.
pub(super) const WIDTH: f64 = 250.0;
pub(super) const HEIGHT: f64 = 170.0;
/// Size of tick labels and axis labels.
const SMALL: f64 = 10.0;
const MEDIUM: f64 = 11.0;
const FRAME: &str = r##"stroke="#333333""##;
const GRID: &str = r##"stroke="#e4e4e4""##;
/// Lines that are no curves.
const GUIDE: &str = r##"class="guide" stroke="#555555" stroke-width="0.8" fill="none""##;
const TICK: f64 = 4.0;
const MINOR_TICK: f64 = 2.0;
/// Distance between the markers of a curve.
const MARKER_SPACING: f64 = 56.0;
/// Curves with at most this many points have a marker at each.
const FEW_POINTS: usize = 15;
/// Points closer than this to the last one are not seen.
const VISIBLE: f64 = 0.3;
/// How far a drawn curve may be from its points.
const TOLERANCE: f64 = 0.15;

/// One pair of axes with its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    title: String,
    x: PlotAxis,
    y: PlotAxis,
    pub(super) series: Vec<PlotSeries>,
    /// Both ends of a line that is no curve.
    guide: Option<[PlotPoint; 2]>,
}

impl Panel {
    /// A panel without curves.
    pub fn new(title: impl Into<String>, x: PlotAxis, y: PlotAxis) -> Self {
        Self {
            title: title.into(),
            x,
            y,
            series: Vec::new(),
            guide: None,
        }
    }

    /// Adds a curve; later ones are drawn below earlier ones, so that the first is never hidden.
    #[must_use]
    pub fn with(mut self, series: PlotSeries) -> Self {
        self.series.push(series);
        self
    }

    /// Draws a thin line below all curves, without marker and legend.
    #[must_use]
    pub fn guide(mut self, from: PlotPoint, to: PlotPoint) -> Self {
        self.guide = Some([from, to]);
        self
    }

    fn projection(&self) -> Projection {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let bands = self.series.iter().flat_map(|series| &series.band);
        let bands = bands.flat_map(|&(low, high)| [low, high]);
        Projection {
            x: self.x.span(points().map(|point| point.0)),
            y: self.y.span(points().map(|point| point.1).chain(bands)),
        }
    }

    /// Room for the tick labels left of the frame.
    pub(super) fn tick_room(&self) -> f64 {
        let width = |label: &str| match label.split_once('^') {
            Some((base, exponent)) => base.len() as f64 + 0.75 * exponent.chars().count() as f64,
            None => label.chars().count() as f64,
        };
        let ticks = self.projection().y.ticks().into_iter();
        let widest = ticks.map(|tick| width(&tick.label)).fold(1.0, f64::max);
        widest * 0.64 * SMALL + TICK + 3.0
    }

    /// Draws everything with the upper left corner of the frame at `at`; `styles` are those of the panel's series.
    pub(super) fn draw(&self, svg: &mut Svg, at: Pixel, styles: &[Style]) {
        let projection = self.projection();
        let size = format!(r#"width="{WIDTH}" height="{HEIGHT}""#);
        svg.add(&format!(
            r#"<g transform="translate({} {})">"#,
            px(at.0),
            px(at.1)
        ));
        self.draw_axes(svg, &projection);
        svg.add(&format!(r#"<svg class="plot" {size} overflow="hidden">"#));
        let ends = self.guide.map(|ends| ends.map(|end| projection.pixel(end)));
        if let Some([Some(from), Some(to)]) = ends {
            svg.shape("polyline", &[from, to], GUIDE);
        }
        let each = || self.series.iter().zip(styles).rev();
        each().for_each(|(series, style)| projection.draw_band(svg, series, *style));
        each().for_each(|(series, style)| projection.draw_curve(svg, series, *style));
        svg.add("</svg>");
        each().for_each(|(series, style)| projection.draw_markers(svg, series, *style));
        svg.add(&format!(r#"<rect {size} fill="none" {FRAME}/></g>"#));
    }

    fn draw_axes(&self, svg: &mut Svg, projection: &Projection) {
        for tick in projection.x.ticks() {
            let at = projection.across(tick.value).unwrap_or_default();
            svg.line((at, 0.0), (at, HEIGHT), GRID);
            svg.line((at, HEIGHT), (at, HEIGHT + TICK), FRAME);
            tick_label(
                svg,
                &tick.label,
                (at, HEIGHT + TICK + SMALL + 1.0),
                "middle",
            );
        }
        for tick in projection.y.ticks() {
            let at = projection.down(tick.value).unwrap_or(HEIGHT);
            svg.line((0.0, at), (WIDTH, at), GRID);
            svg.line((-TICK, at), (0.0, at), FRAME);
            tick_label(svg, &tick.label, (-TICK - 3.0, at + 0.35 * SMALL), "end");
        }
        let (x, y) = (projection.x.minor_ticks(), projection.y.minor_ticks());
        for at in x.into_iter().filter_map(|value| projection.across(value)) {
            svg.line((at, HEIGHT), (at, HEIGHT + MINOR_TICK), FRAME);
        }
        for at in y.into_iter().filter_map(|value| projection.down(value)) {
            svg.line((-MINOR_TICK, at), (0.0, at), FRAME);
        }
        let middle = r#"text-anchor="middle""#;
        let below = (WIDTH / 2.0, HEIGHT + TICK + SMALL + 4.0 + MEDIUM);
        svg.text(below, MEDIUM, middle, &escaped(&self.x.label));
        let left = (-HEIGHT / 2.0, -self.tick_room() - 7.0);
        let turned = format!(r#"{middle} transform="rotate(-90)""#);
        svg.text(left, MEDIUM, &turned, &escaped(&self.y.label));
        // A title that is too long for its panel is made smaller.
        let size = 12.0 * (WIDTH / text_width(&self.title, 12.0)).clamp(0.6, 1.0);
        let bold = format!(r#"{middle} font-weight="bold""#);
        svg.text((WIDTH / 2.0, -7.0), size, &bold, &escaped(&self.title));
    }
}

fn tick_label(svg: &mut Svg, label: &str, at: Pixel, anchor: &str) {
    let markup = label.split_once('^').map(|(base, exponent)| {
        format!(r#"{base}<tspan dy="-4" font-size="8">{exponent}</tspan>"#)
    });
    let looks = format!(r#"text-anchor="{anchor}""#);
    svg.text(at, SMALL, &looks, markup.as_deref().unwrap_or(label));
}

/// From values to pixels, counted from the upper left corner of the frame.
struct Projection {
    x: Span,
    y: Span,
}

impl Projection {
    fn across(&self, x: f64) -> Option<f64> {
        Some(self.x.fraction(x)? * WIDTH)
    }

    fn down(&self, y: f64) -> Option<f64> {
        Some((1.0 - self.y.fraction(y)?) * HEIGHT)
    }

    fn pixel(&self, (x, y): PlotPoint) -> Option<Pixel> {
        Some((self.across(x)?, self.down(y)?))
    }

    /// The uninterrupted parts of a curve.
    fn runs(&self, series: &PlotSeries) -> Vec<Vec<Pixel>> {
        runs(series.points.iter().map(|&point| self.pixel(point)))
    }

    fn draw_curve(&self, svg: &mut Svg, series: &PlotSeries, style: Style) {
        let looks = format!(r#"{} fill="none" stroke-linejoin="round""#, style.stroke());
        for run in self.runs(series).iter().filter(|run| run.len() > 1) {
            svg.shape("polyline", &outline(run, series.steps), &looks);
        }
    }

    fn draw_band(&self, svg: &mut Svg, series: &PlotSeries, style: Style) {
        let ends = |(&(x, y), &(low, high)): (&PlotPoint, &PlotPoint)| {
            self.pixel((x, y))?;
            let upper = self.pixel((x, high))?;
            // A lower end that a logarithmic axis cannot show is below the frame.
            let lower = self.pixel((x, low)).unwrap_or((upper.0, HEIGHT));
            Some((upper, lower))
        };
        let looks = format!(r#"fill="{}" fill-opacity="0.13""#, style.colour());
        for run in runs(series.points.iter().zip(&series.band).map(ends)) {
            let (upper, lower): (Vec<Pixel>, Vec<Pixel>) = run.iter().copied().unzip();
            let mut corners = outline(&upper, series.steps);
            corners.extend(outline(&lower, series.steps).into_iter().rev());
            if run.len() > 1 {
                svg.shape("polygon", &corners, &looks);
            }
        }
    }

    /// Draws markers evenly along the curve, each series beginning elsewhere; a single point has one.
    fn draw_markers(&self, svg: &mut Svg, series: &PlotSeries, style: Style) {
        let inside = |(x, y): Pixel| (0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y);
        for run in self.runs(series) {
            let all = series.points.len() <= FEW_POINTS || run.len() == 1;
            let mut next = MARKER_SPACING * ((style.0 * 3) % 8) as f64 / 8.0;
            for &pixel in run.iter().filter(|pixel| inside(**pixel)) {
                if all || pixel.0 >= next {
                    style.draw_marker(svg, pixel);
                    next = pixel.0 + MARKER_SPACING;
                }
            }
        }
    }
}

/// The uninterrupted parts of a sequence.
fn runs<T: Copy>(items: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let items: Vec<Option<T>> = items.collect();
    let parts = items.split(Option::is_none).filter(|part| !part.is_empty());
    parts
        .map(|part| part.iter().copied().flatten().collect())
        .collect()
}

/// The corners of a curve without those that nobody sees: the points, for steps with a corner before each.
fn outline(run: &[Pixel], steps: bool) -> Vec<Pixel> {
    let mut corners: Vec<Pixel> = Vec::new();
    for (i, &(x, y)) in run.iter().enumerate() {
        let level = run[i.saturating_sub(1)].1;
        corners.extend((steps && i > 0).then_some((x, level)));
        corners.push((x, y));
    }
    simplified(&thinned(&corners))
}

/// The corners without those next to the last one; curves of very many points become short enough to look at closely.
fn thinned(corners: &[Pixel]) -> Vec<Pixel> {
    let mut kept: Vec<Pixel> = Vec::new();
    for (i, &(x, y)) in corners.iter().enumerate() {
        let far = |last: &Pixel| (x - last.0).abs() >= VISIBLE || (y - last.1).abs() >= VISIBLE;
        if kept.last().is_none_or(far) || i + 1 == corners.len() {
            kept.push((x, y));
        }
    }
    kept
}

/// Douglas and Peucker: what is furthest from the straight line between two corners is kept, until nothing is far.
fn simplified(corners: &[Pixel]) -> Vec<Pixel> {
    let [first, between @ .., last] = corners else {
        return corners.to_vec();
    };
    let distances = between
        .iter()
        .map(|corner| distance(*corner, *first, *last));
    let furthest = distances.zip(1..).max_by(|a, b| a.0.total_cmp(&b.0));
    match furthest.filter(|(distance, _)| *distance > TOLERANCE) {
        Some((_, at)) => [
            &simplified(&corners[..=at])[..],
            &simplified(&corners[at..])[1..],
        ]
        .concat(),
        None => vec![*first, *last],
    }
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
        let found = outline(&[(0.0, 5.0), (2.0, 3.0)], true);
        assert_eq!(found, [(0.0, 5.0), (2.0, 5.0), (2.0, 3.0)]);
        assert_eq!(outline(&[(0.0, 5.0)], true), [(0.0, 5.0)]);
    }

    proptest! {
        #[test]
        fn simplified_curves_pass_by_every_corner(ys in prop::collection::vec(0.0..20.0f64, 2..60)) {
            let corners: Vec<Pixel> = ys.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect();
            let kept = outline(&corners, false);
            for &(x, y) in &corners {
                let pair = kept.windows(2).find(|pair| pair[0].0 <= x && x <= pair[1].0).unwrap();
                prop_assert!(distance((x, y), pair[0], pair[1]) <= TOLERANCE + 1e-12);
            }
        }
    }

    #[test]
    fn corners_nobody_sees_are_left_out_but_never_the_last() {
        let found = outline(&[(0.0, 0.0), (0.1, 0.1), (1.0, 0.0), (1.1, 0.0)], false);
        assert_eq!(found, [(0.0, 0.0), (1.1, 0.0)]);
        let found = outline(&[(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)], false);
        assert_eq!(found, [(0.0, 0.0), (5.0, 0.1), (10.0, 3.0)]);
        let found = (outline(&[], false), outline(&[(1.0, 2.0)], false));
        assert_eq!(found, (vec![], vec![(1.0, 2.0)]));
    }
}
