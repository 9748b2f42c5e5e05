//! Axes and the mapping from values to places on them.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios; values that are not positive have no place.
    Log,
}

/// A labelled axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(super) label: String,
    pub(super) scale: Scale,
    pub(super) range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that fits its data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
            range: None,
        }
    }

    /// A logarithmic axis that fits its data.
    pub fn log(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Log,
            range: None,
        }
    }

    /// Shows exactly `low` to `high`, whatever the data; ends that make no axis are ignored.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The part of the scale that is shown.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let chosen = self
            .range
            .and_then(|(low, high)| Some((self.scale.place(low)?, self.scale.place(high)?)));
        if let Some((low, high)) = chosen.filter(|(low, high)| low < high) {
            return Span {
                scale: self.scale,
                low,
                high,
            };
        }
        let places = values.filter_map(|value| self.scale.place(value));
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        self.fitted(low, high)
    }

    /// Adds some air around the data, and makes room where there is none.
    fn fitted(&self, low: f64, high: f64) -> Span {
        let scale = self.scale;
        if low > high {
            return Span {
                scale,
                low: 0.0,
                high: 1.0,
            };
        }
        // Neighbouring numbers of large size cannot be told apart on an axis.
        let air = if high - low > 1e-9 * low.abs().max(high.abs()) {
            0.04 * (high - low)
        } else {
            0.5 * low.abs().max(1.0)
        };
        Span {
            scale,
            low: low - air,
            high: high + air,
        }
    }
}

impl Scale {
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

/// The part of a scale that is shown, in places (see [`Scale::place`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub scale: Scale,
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn data_fill_the_axis_with_some_air() {
        let span = Axis::linear("x").span([0.0, 10.0, f64::NAN, f64::INFINITY].into_iter());
        assert!((span.low + 0.4).abs() < 1e-12 && (span.high - 10.4).abs() < 1e-12);
        assert_eq!(span.fraction(5.0), Some(0.5));
        assert_eq!(span.fraction(f64::NAN), None);
    }

    #[test]
    fn logarithms_leave_out_what_is_not_positive() {
        let span = Axis::log("x").range(0.01, 100.0).span(std::iter::empty());
        assert_eq!(
            (span.fraction(1.0), span.fraction(0.0), span.fraction(-1.0)),
            (Some(0.5), None, None)
        );
    }

    #[test]
    fn ends_that_make_no_axis_are_ignored() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0)] {
            assert!(
                Axis::linear("x")
                    .range(low, high)
                    .span([0.0, 1.0].into_iter())
                    .fraction(0.5)
                    .is_some()
            );
        }
        assert!(
            Axis::log("x")
                .range(0.0, 1.0)
                .span([1.0].into_iter())
                .fraction(1.0)
                .is_some()
        );
    }

    #[test]
    fn an_axis_is_never_empty() {
        for values in [
            vec![],
            vec![3.0],
            vec![0.0, 0.0],
            vec![1e18, 1e18 + 128.0],
            vec![-1e299, 1e299],
        ] {
            let span = Axis::linear("x").span(values.into_iter());
            assert!(
                span.low < span.high && (span.high - span.low).is_finite(),
                "{span:?}"
            );
        }
    }
}
