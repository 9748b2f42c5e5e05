//! One pair of axes with its curves.

use super::axis::{PlotAxis, Span};
use super::series::{Pixel, PlotPoint, PlotSeries, Style, Svg, escaped, px};

/// Size of a panel's frame.
pub(super) const WIDTH: f64 = 250.0;
pub(super) const HEIGHT: f64 = 170.0;
/// Size of tick labels and axis labels.
const SMALL: f64 = 10.0;
const MEDIUM: f64 = 11.0;
const FRAME: &str = r##"stroke="#333333" fill="none""##;
const GRID: &str = r##"stroke="#e4e4e4""##;
/// Lines that are no curves.
const GUIDE: &str = r##"class="guide" stroke="#555555" stroke-width="0.8" fill="none""##;
/// Of points that have no neighbour to be connected with.
const DOT: f64 = 2.5;

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
    /// A panel with these curves; later ones are drawn below earlier ones, so that the first is never hidden.
    pub fn new(
        title: impl Into<String>,
        x: PlotAxis,
        y: PlotAxis,
        series: impl IntoIterator<Item = PlotSeries>,
    ) -> Self {
        Self {
            title: title.into(),
            x,
            y,
            series: series.into_iter().collect(),
            guide: None,
        }
    }

    /// Draws a thin line below all curves, without a place in the legend.
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

    /// Draws everything with the upper left corner of the frame at `at`; `styles` are those of the panel's series.
    pub(super) fn draw(&self, svg: &mut Svg, at: Pixel, styles: &[Style]) {
        let projection = self.projection();
        let size = format!(r#"width="{WIDTH}" height="{HEIGHT}""#);
        let (x, y) = (px(at.0), px(at.1));
        svg.add(&format!(r#"<g transform="translate({x} {y})">"#));
        self.draw_axes(svg, &projection);
        svg.add(&format!(r#"<svg class="plot" {size} overflow="hidden">"#));
        let ends = self.guide.map(|ends| ends.map(|end| projection.pixel(end)));
        if let Some([Some(from), Some(to)]) = ends {
            svg.shape("polyline", &[from, to], GUIDE);
        }
        let each = || self.series.iter().zip(styles).rev();
        each().for_each(|(series, style)| projection.draw_band(svg, series, *style));
        each().for_each(|(series, style)| projection.draw_curve(svg, series, *style));
        svg.add(&format!("</svg><rect {size} {FRAME}/></g>"));
    }

    fn draw_axes(&self, svg: &mut Svg, projection: &Projection) {
        let middle = r#"text-anchor="middle""#;
        for tick in projection.x.ticks() {
            let at = projection.across(tick.value).unwrap_or_default();
            svg.shape("polyline", &[(at, 0.0), (at, HEIGHT)], GRID);
            svg.text((at, HEIGHT + 14.0), SMALL, middle, &tick.label);
        }
        for tick in projection.y.ticks() {
            let at = projection.down(tick.value).unwrap_or(HEIGHT);
            svg.shape("polyline", &[(0.0, at), (WIDTH, at)], GRID);
            svg.text((-5.0, at + 3.5), SMALL, r#"text-anchor="end""#, &tick.label);
        }
        let below = (WIDTH / 2.0, HEIGHT + 30.0);
        svg.text(below, MEDIUM, middle, &escaped(&self.x.label));
        let turned = format!(r#"{middle} transform="rotate(-90)""#);
        svg.text(
            (-HEIGHT / 2.0, -50.0),
            MEDIUM,
            &turned,
            &escaped(&self.y.label),
        );
        let bold = format!(r#"{middle} font-weight="bold""#);
        svg.text((WIDTH / 2.0, -7.0), MEDIUM, &bold, &escaped(&self.title));
    }
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

    fn draw_curve(&self, svg: &mut Svg, series: &PlotSeries, style: Style) {
        let looks = format!(r#"{} fill="none" stroke-linejoin="round""#, style.stroke());
        for run in runs(series.points.iter().map(|&point| self.pixel(point))) {
            if let [(x, y)] = run[..] {
                let (x, y, colour) = (px(x), px(y), style.colour());
                let dot = format!(r#"<circle cx="{x}" cy="{y}" r="{DOT}" fill="{colour}"/>"#);
                svg.add(&dot);
            } else {
                svg.shape("polyline", &outline(&run, series.steps), &looks);
            }
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
}

/// The uninterrupted parts of a sequence.
fn runs<T: Copy>(items: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let items: Vec<Option<T>> = items.collect();
    let parts = items.split(Option::is_none).filter(|part| !part.is_empty());
    parts
        .map(|part| part.iter().copied().flatten().collect())
        .collect()
}

/// The corners of a curve: the points, for steps with a corner before each.
fn outline(run: &[Pixel], steps: bool) -> Vec<Pixel> {
    let mut corners: Vec<Pixel> = Vec::new();
    for (i, &(x, y)) in run.iter().enumerate() {
        let level = run[i.saturating_sub(1)].1;
        corners.extend((steps && i > 0).then_some((x, level)));
        corners.push((x, y));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
