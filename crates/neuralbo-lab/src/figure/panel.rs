//! One pair of axes with its curves.

use super::axis::PlotAxis;
use super::plot::{Pixel, Projection, draw_band, draw_curve, draw_guide, draw_markers};
use super::series::{PlotPoint, PlotSeries};
use super::style::Style;
use super::text;
use super::ticks::{Label, Tick, minor_ticks, ticks};
use super::writer::{Svg, px};

/// Size of tick labels and axis labels.
pub(super) const SMALL: f64 = 10.0;
const MEDIUM: f64 = 11.0;
const FRAME: &str = "#333333";
const GRID: &str = "#e4e4e4";
const TICK: f64 = 4.0;
const MINOR_TICK: f64 = 2.0;

/// One pair of axes with its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub(super) title: String,
    pub(super) x: PlotAxis,
    pub(super) y: PlotAxis,
    pub(super) series: Vec<PlotSeries>,
    /// Both ends of a line that is no curve.
    guide: Option<[PlotPoint; 2]>,
}

/// Where a panel's frame is on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PanelFrame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
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

    /// Draws a thin straight line below all curves, such as what they should be; it has no marker and no place in the legend.
    #[must_use]
    pub fn guide(mut self, from: PlotPoint, to: PlotPoint) -> Self {
        self.guide = Some([from, to]);
        self
    }

    pub(super) fn projection(&self, width: f64, height: f64) -> Projection {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let bands = self.series.iter().flat_map(|series| &series.band);
        let bands = bands.flat_map(|&(low, high)| [low, high]);
        let x = self.x.span(points().map(|point| point.0));
        let y = self.y.span(points().map(|point| point.1).chain(bands));
        Projection {
            x,
            y,
            width,
            height,
        }
    }

    /// Room for the tick labels left of the frame.
    pub(super) fn tick_room(&self) -> f64 {
        let y = self.projection(1.0, 1.0).y;
        let widest = ticks(&y).into_iter().map(|tick| tick.label.width());
        let widest = widest.fold(1.0, f64::max);
        widest * 0.64 * SMALL + TICK + 3.0
    }

    /// Draws everything; `styles` are those of the panel's series.
    pub(super) fn draw(&self, svg: &mut Svg, frame: PanelFrame, styles: &[Style]) {
        let projection = self.projection(frame.width, frame.height);
        let at = format!("translate({} {})", px(frame.left), px(frame.top));
        svg.open(&format!(r#"g transform="{at}""#));
        self.draw_axes(svg, &projection);
        let (width, height) = (px(frame.width), px(frame.height));
        let size = format!(r#"width="{width}" height="{height}""#);
        svg.open(&format!(r#"svg class="plot" {size} overflow="hidden""#));
        if let Some(ends) = self.guide {
            draw_guide(svg, ends, &projection);
        }
        let each = || self.series.iter().zip(styles).rev();
        each().for_each(|(series, style)| draw_band(svg, series, style, &projection));
        each().for_each(|(series, style)| draw_curve(svg, series, style, &projection));
        svg.close("svg");
        each().for_each(|(series, style)| draw_markers(svg, series, style, &projection));
        svg.empty(&format!(r#"rect {size} fill="none" stroke="{FRAME}""#));
        svg.close("g");
    }

    fn draw_axes(&self, svg: &mut Svg, projection: &Projection) {
        let (width, height) = (projection.width, projection.height);
        for tick in ticks(&projection.x) {
            let at = projection.across(tick.value).unwrap_or_default();
            line(svg, (at, 0.0), (at, height), GRID);
            line(svg, (at, height), (at, height + TICK), FRAME);
            label(svg, &tick, (at, height + TICK + SMALL + 1.0), "middle");
        }
        for tick in ticks(&projection.y) {
            let at = projection.down(tick.value).unwrap_or(height);
            line(svg, (0.0, at), (width, at), GRID);
            line(svg, (-TICK, at), (0.0, at), FRAME);
            label(svg, &tick, (-TICK - 3.0, at + 0.35 * SMALL), "end");
        }
        draw_minor_ticks(svg, projection);
        let (middle, below) = (px(width / 2.0), px(height + TICK + SMALL + 4.0 + MEDIUM));
        let looks = format!(r#"text-anchor="middle" font-size="{}""#, px(MEDIUM));
        svg.text(
            &format!(r#"text x="{middle}" y="{below}" {looks}"#),
            &self.x.label,
        );
        let (left, middle) = (px(-self.tick_room() - 7.0), px(height / 2.0));
        let turned = format!("translate({left} {middle}) rotate(-90)");
        svg.text(
            &format!(r#"text transform="{turned}" {looks}"#),
            &self.y.label,
        );
        self.draw_title(svg, width);
    }

    /// The title is made smaller where it is too long for its panel.
    fn draw_title(&self, svg: &mut Svg, width: f64) {
        let size = 12.0 * (width / text::width(&self.title, 12.0)).clamp(0.6, 1.0);
        let (x, y, size) = (px(width / 2.0), px(-7.0), px(size));
        let looks = r#"text-anchor="middle" font-weight="bold""#;
        svg.text(
            &format!(r#"text x="{x}" y="{y}" font-size="{size}" {looks}"#),
            &self.title,
        );
    }
}

fn draw_minor_ticks(svg: &mut Svg, projection: &Projection) {
    let (x, y, height) = (projection.x, projection.y, projection.height);
    for at in minor_ticks(&x)
        .into_iter()
        .filter_map(|value| projection.across(value))
    {
        line(svg, (at, height), (at, height + MINOR_TICK), FRAME);
    }
    for at in minor_ticks(&y)
        .into_iter()
        .filter_map(|value| projection.down(value))
    {
        line(svg, (-MINOR_TICK, at), (0.0, at), FRAME);
    }
}

fn line(svg: &mut Svg, from: Pixel, to: Pixel, colour: &str) {
    let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
    let ends = format!(r#"x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}""#);
    svg.empty(&format!(r#"line {ends} stroke="{colour}""#));
}

fn label(svg: &mut Svg, tick: &Tick, (x, y): Pixel, anchor: &str) {
    let (x, y, size) = (px(x), px(y), px(SMALL));
    let tag = format!(r#"text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}""#);
    match &tick.label {
        Label::Plain(text) => svg.text(&tag, text),
        Label::PowerOfTen(exponent) => svg.power_of_ten(&tag, *exponent),
    }
}
