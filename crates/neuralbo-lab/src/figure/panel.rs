//! One pair of axes with its curves.

use super::axis::Axis;
use super::plot::{Projection, draw_band, draw_curve, draw_guide, draw_markers};
use super::series::Series;
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
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Both ends of a line that is no curve.
    guide: Option<[(f64, f64); 2]>,
}

/// Where a panel's frame is on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Panel {
    /// A panel without curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
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
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Draws a thin straight line below all curves, such as what they should be; it has no marker and no place in the legend.
    #[must_use]
    pub fn guide(mut self, from: (f64, f64), to: (f64, f64)) -> Self {
        self.guide = Some([from, to]);
        self
    }

    pub(super) fn projection(&self, width: f64, height: f64) -> Projection {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let bands = self
            .series
            .iter()
            .flat_map(|series| &series.band)
            .flat_map(|&(low, high)| [low, high]);
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
        let widest = ticks(&y)
            .iter()
            .map(|tick| tick.label.width())
            .fold(1.0, f64::max);
        widest * 0.64 * SMALL + TICK + 3.0
    }

    /// Draws everything; `styles` are those of the panel's series.
    pub(super) fn draw(&self, svg: &mut Svg, frame: Frame, styles: &[Style]) {
        let projection = self.projection(frame.width, frame.height);
        let at = format!("translate({} {})", px(frame.left), px(frame.top));
        svg.open("g", &[("transform", &at)]);
        self.draw_axes(svg, &projection);
        let (width, height) = (px(frame.width), px(frame.height));
        svg.open(
            "svg",
            &[
                ("class", "plot"),
                ("width", &width),
                ("height", &height),
                ("overflow", "hidden"),
            ],
        );
        if let Some(ends) = self.guide {
            draw_guide(svg, ends, &projection);
        }
        let each = || self.series.iter().zip(styles).rev();
        each().for_each(|(series, style)| draw_band(svg, series, style, &projection));
        each().for_each(|(series, style)| draw_curve(svg, series, style, &projection));
        svg.close("svg");
        each().for_each(|(series, style)| draw_markers(svg, series, style, &projection));
        svg.empty(
            "rect",
            &[
                ("width", &width),
                ("height", &height),
                ("fill", "none"),
                ("stroke", FRAME),
            ],
        );
        svg.close("g");
    }

    fn draw_axes(&self, svg: &mut Svg, projection: &Projection) {
        let Projection {
            x,
            y,
            width,
            height,
        } = *projection;
        for tick in ticks(&x) {
            let at = x.fraction(tick.value).unwrap_or_default() * width;
            line(svg, (at, 0.0), (at, height), GRID);
            line(svg, (at, height), (at, height + TICK), FRAME);
            label(svg, &tick, (at, height + TICK + SMALL + 1.0), "middle");
        }
        for tick in ticks(&y) {
            let at = (1.0 - y.fraction(tick.value).unwrap_or_default()) * height;
            line(svg, (0.0, at), (width, at), GRID);
            line(svg, (-TICK, at), (0.0, at), FRAME);
            label(svg, &tick, (-TICK - 3.0, at + 0.35 * SMALL), "end");
        }
        draw_minor_ticks(svg, projection);
        let middle = px(width / 2.0);
        let size = px(MEDIUM);
        let below = px(height + TICK + SMALL + 4.0 + MEDIUM);
        svg.text(
            "text",
            &[
                ("x", &middle),
                ("y", &below),
                ("text-anchor", "middle"),
                ("font-size", &size),
            ],
            &self.x.label,
        );
        let turned = format!(
            "translate({} {}) rotate(-90)",
            px(-self.tick_room() - 7.0),
            px(height / 2.0)
        );
        svg.text(
            "text",
            &[
                ("transform", &turned),
                ("text-anchor", "middle"),
                ("font-size", &size),
            ],
            &self.y.label,
        );
        self.draw_title(svg, width);
    }

    /// The title is made smaller where it is too long for its panel.
    fn draw_title(&self, svg: &mut Svg, width: f64) {
        let size = 12.0 * (width / text::width(&self.title, 12.0)).clamp(0.6, 1.0);
        let attributes = [
            ("x", px(width / 2.0)),
            ("y", px(-7.0)),
            ("font-size", px(size)),
        ];
        let mut attributes: Vec<(&str, &str)> = attributes
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        attributes.extend([("text-anchor", "middle"), ("font-weight", "bold")]);
        svg.text("text", &attributes, &self.title);
    }
}

fn draw_minor_ticks(svg: &mut Svg, projection: &Projection) {
    let Projection {
        x,
        y,
        width,
        height,
    } = *projection;
    for at in minor_ticks(&x)
        .into_iter()
        .filter_map(|value| x.fraction(value))
    {
        line(
            svg,
            (at * width, height),
            (at * width, height + MINOR_TICK),
            FRAME,
        );
    }
    for at in minor_ticks(&y)
        .into_iter()
        .filter_map(|value| y.fraction(value))
    {
        line(
            svg,
            (-MINOR_TICK, (1.0 - at) * height),
            (0.0, (1.0 - at) * height),
            FRAME,
        );
    }
}

fn line(svg: &mut Svg, from: (f64, f64), to: (f64, f64), colour: &str) {
    let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
    svg.empty(
        "line",
        &[
            ("x1", &x1),
            ("y1", &y1),
            ("x2", &x2),
            ("y2", &y2),
            ("stroke", colour),
        ],
    );
}

fn label(svg: &mut Svg, tick: &Tick, (x, y): (f64, f64), anchor: &str) {
    let (x, y, size) = (px(x), px(y), px(SMALL));
    let attributes = [
        ("x", x.as_str()),
        ("y", &y),
        ("text-anchor", anchor),
        ("font-size", &size),
    ];
    match &tick.label {
        Label::Plain(text) => svg.text("text", &attributes, text),
        Label::PowerOfTen(exponent) => svg.power_of_ten(&attributes, *exponent),
    }
}
