//! Axes and the mapping from values to places on them.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios; values that are not positive have no place.
    Log,
}

/// A labelled axis.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotAxis {
    pub(super) label: String,
    pub(super) scale: AxisScale,
    pub(super) range: Option<(f64, f64)>,
}

impl PlotAxis {
    pub(super) fn new(label: impl Into<String>, scale: AxisScale) -> Self {
        let (label, range) = (label.into(), None);
        Self {
            label,
            scale,
            range,
        }
    }

    /// A linear axis that fits its data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, AxisScale::Linear)
    }

    /// A logarithmic axis that fits its data.
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, AxisScale::Log)
    }

    /// Shows exactly `low` to `high`, whatever the data; ends that make no axis are ignored.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The part of the scale that is shown.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let scale = self.scale;
        let place = |(low, high)| Some((scale.place(low)?, scale.place(high)?));
        let chosen = self.range.and_then(place).filter(|(low, high)| low < high);
        let (low, high) = chosen.unwrap_or_else(|| fitted(values.filter_map(|v| scale.place(v))));
        Span { scale, low, high }
    }
}

/// The ends of the data with some air around them, and with room where there is none.
fn fitted(places: impl Iterator<Item = f64>) -> (f64, f64) {
    let both = |(low, high): (f64, f64), at: f64| (low.min(at), high.max(at));
    let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), both);
    if low > high {
        return (0.0, 1.0);
    }
    // Neighbouring numbers of large size cannot be told apart on an axis.
    let air = if high - low > 1e-9 * low.abs().max(high.abs()) {
        0.04 * (high - low)
    } else {
        0.5 * low.abs().max(1.0)
    };
    (low - air, high + air)
}

impl AxisScale {
    /// The value on the scale itself: its logarithm on a logarithmic one.
    pub(super) fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => f64::NAN,
        };
        // Beyond this differences overflow.
        (place.abs() < 1e300).then_some(place)
    }
}

/// The part of a scale that is shown, in places (see [`AxisScale::place`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub scale: AxisScale,
    pub low: f64,
    pub high: f64,
}

impl Span {
    /// Where a value is: 0 at the low end, 1 at the high end. Far outside it stays near, so that coordinates stay small.
    pub fn fraction(&self, value: f64) -> Option<f64> {
        let place = self.scale.place(value)?;
        Some(((place - self.low) / (self.high - self.low)).clamp(-1.0, 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_fill_the_axis_with_some_air() {
        let span = PlotAxis::linear("x").span([0.0, 10.0, f64::NAN, f64::INFINITY].into_iter());
        assert!((span.low + 0.4).abs() < 1e-12 && (span.high - 10.4).abs() < 1e-12);
        assert_eq!(span.fraction(5.0), Some(0.5));
        assert_eq!(span.fraction(f64::NAN), None);
    }

    #[test]
    fn logarithms_leave_out_what_is_not_positive() {
        let span = PlotAxis::log("x")
            .range(0.01, 100.0)
            .span(std::iter::empty());
        let found = (span.fraction(1.0), span.fraction(0.0), span.fraction(-1.0));
        assert_eq!(found, (Some(0.5), None, None));
    }

    #[test]
    fn ends_that_make_no_axis_are_ignored() {
        let shown = |axis: PlotAxis, at| axis.span([0.5, 1.0].into_iter()).fraction(at).is_some();
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0)] {
            assert!(shown(PlotAxis::linear("x").range(low, high), 0.5));
        }
        assert!(shown(PlotAxis::log("x").range(0.0, 1.0), 1.0));
    }

    #[test]
    fn an_axis_is_never_empty() {
        let wide = vec![-1e299, 1e299];
        let narrow = vec![1e18, 1e18 + 128.0];
        for values in [vec![], vec![3.0], vec![0.0, 0.0], narrow, wide] {
            let span = PlotAxis::linear("x").span(values.into_iter());
            let width = span.high - span.low;
            assert!(width > 0.0 && width.is_finite(), "{span:?}");
        }
    }
}
