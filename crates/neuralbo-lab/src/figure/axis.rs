//! Axes: the mapping from values to places on them, and round values along them.

/// Most intervals between labelled ticks.
const INTERVALS: f64 = 5.0;

/// A labelled axis.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotAxis {
    pub(super) label: String,
    log: bool,
    range: Option<(f64, f64)>,
}

impl PlotAxis {
    pub(super) fn new(label: impl Into<String>, log: bool) -> Self {
        Self {
            label: label.into(),
            log,
            range: None,
        }
    }

    /// A linear axis that fits its data: equal distances are equal differences.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, false)
    }

    /// A logarithmic axis that fits its data: equal distances are equal ratios; values that are not positive have no place.
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, true)
    }

    /// Shows exactly `low` to `high`, whatever the data; ends that make no axis are ignored.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The part of the scale that is shown.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let log = self.log;
        let both = |(low, high)| Some((place(low, log)?, place(high, log)?));
        let chosen = self.range.and_then(both).filter(|(low, high)| low < high);
        let (low, high) = chosen.unwrap_or_else(|| fitted(values.filter_map(|v| place(v, log))));
        Span { log, low, high }
    }
}

/// The value on the scale itself: its logarithm on a logarithmic one.
fn place(value: f64, log: bool) -> Option<f64> {
    let place = match log {
        true if value <= 0.0 => return None,
        true => value.log10(),
        false => value,
    };
    // Beyond this differences overflow.
    (place.abs() < 1e300).then_some(place)
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

/// The part of a scale that is shown, in places (see [`place`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub log: bool,
    pub low: f64,
    pub high: f64,
}

/// A labelled value; the label is markup.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

impl Span {
    /// Where a value is: 0 at the low end, 1 at the high end. Far outside it stays near, so that coordinates stay small.
    pub fn fraction(&self, value: f64) -> Option<f64> {
        let place = place(value, self.log)?;
        Some(((place - self.low) / (self.high - self.low)).clamp(-1.0, 2.0))
    }

    /// Round values in rising order. On a logarithmic axis powers of ten, evenly thinned; where fewer than two fit, round numbers.
    pub fn ticks(&self) -> Vec<Tick> {
        if !self.log {
            return linear(self.low, self.high);
        }
        let first = (self.low - 1e-9).ceil() as i32;
        let last = (self.high + 1e-9).floor() as i32;
        if last <= first {
            let mut ticks = linear(10f64.powf(self.low), 10f64.powf(self.high));
            ticks.retain(|tick| tick.value > 0.0);
            return ticks;
        }
        let stride = (f64::from(last - first) / INTERVALS).ceil() as i32;
        let shown = (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0);
        let tick = |exponent: i32| Tick {
            value: 10f64.powi(exponent),
            label: format!(r#"10<tspan dy="-4" font-size="8">{exponent}</tspan>"#),
        };
        shown.map(tick).collect()
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64) -> Vec<Tick> {
    let rough = (high - low) / INTERVALS;
    let power = 10f64.powf(rough.log10().floor());
    let mut steps = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter();
    let step = steps.find(|&step| step >= 0.999 * rough).unwrap_or(rough);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = if (0.0..100.0).contains(&(last - first)) {
        (last - first) as usize + 1
    } else {
        0
    };
    let tick = |value| Tick {
        value,
        label: number(value, step),
    };
    (0..count)
        .map(|i| tick((first + i as f64) * step))
        .collect()
}

/// The value with as many decimals as the step needs; very large and very small values with an exponent.
fn number(value: f64, step: f64) -> String {
    let is_zero = value.abs() < 1e-9 * step;
    let value = if is_zero { 0.0 } else { value };
    let decimals = (-step.log10()).ceil().max(0.0) as usize;
    let text = if step < 1e5 && decimals <= 4 {
        format!("{value:.decimals$}")
    } else if is_zero {
        "0".into()
    } else {
        let digits = (value.abs().log10().floor() - step.log10().floor()).max(0.0) as usize;
        format!("{value:.digits$e}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(log: bool, low: f64, high: f64) -> Vec<String> {
        let ticks = Span { log, low, high }.ticks().into_iter();
        ticks.map(|tick| tick.label).collect()
    }

    /// The values of a logarithmic axis, as powers of ten.
    fn exponents(low: f64, high: f64) -> Vec<f64> {
        let ticks = Span {
            log: true,
            low,
            high,
        }
        .ticks()
        .into_iter();
        ticks.map(|tick| tick.value.log10()).collect()
    }

    #[test]
    fn data_fill_the_axis_with_some_air() {
        let span = PlotAxis::linear("x").span([0.0, 10.0, f64::NAN, f64::INFINITY].into_iter());
        assert!((span.low + 0.4).abs() < 1e-12 && (span.high - 10.4).abs() < 1e-12);
        assert_eq!(span.fraction(5.0), Some(0.5));
        assert_eq!(span.fraction(f64::NAN), None);
    }

    #[test]
    fn logarithms_leave_out_what_is_not_positive() {
        let axis = PlotAxis::log("x").range(0.01, 100.0);
        let found = [1.0, 0.0, -1.0].map(|value| axis.span(std::iter::empty()).fraction(value));
        assert_eq!(found, [Some(0.5), None, None]);
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

    #[test]
    fn linear_ticks_are_round() {
        let unit = vec!["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"];
        let signed = vec!["−0.03", "−0.02", "−0.01", "0.00", "0.01", "0.02"];
        let large = vec!["1000000", "1000001", "1000002", "1000003"];
        for (low, high, expected) in [
            (-80.0, 2080.0, vec!["0", "500", "1000", "1500", "2000"]),
            (0.0, 1.0, unit),
            (-0.03, 0.02, signed),
            (0.0, 3e6, vec!["0", "1e6", "2e6", "3e6"]),
            (0.0, 3e-6, vec!["0", "1e−6", "2e−6", "3e−6"]),
            (1e6, 1.000003e6, large),
        ] {
            assert_eq!(labels(false, low, high), expected);
        }
    }

    #[test]
    fn powers_of_ten_are_thinned_evenly() {
        assert_eq!(exponents(-8.0, 2.0), [-8.0, -6.0, -4.0, -2.0, 0.0, 2.0]);
        assert_eq!(exponents(-0.5, 1.5), [0.0, 1.0]);
    }

    #[test]
    fn short_logarithmic_axes_have_round_numbers() {
        assert_eq!(labels(true, 0.02, 0.93), ["2", "4", "6", "8"]);
    }

    proptest! {
        #[test]
        fn ticks_are_on_the_axis_and_few(low in -1e6..1e6f64, width in 1e-3..1e6f64) {
            let span = Span { log: false, low, high: low + width };
            let found = span.ticks();
            prop_assert!((2..=7).contains(&found.len()), "{found:?}");
            prop_assert!(found.iter().all(|tick| span.fraction(tick.value).is_some_and(|at| (-1e-6..=1.0 + 1e-6).contains(&at))));
            prop_assert!(found.windows(2).all(|pair| pair[0].value < pair[1].value && pair[0].label != pair[1].label));
        }

        #[test]
        fn logarithmic_ticks_are_on_the_axis_and_few(low in -20.0..20.0f64, width in 0.05..30.0f64) {
            let span = Span { log: true, low, high: low + width };
            let found = span.ticks();
            prop_assert!((1..=7).contains(&found.len()), "{found:?}");
            prop_assert!(found.iter().all(|tick| span.fraction(tick.value).is_some_and(|at| (-1e-6..=1.0 + 1e-6).contains(&at))));
        }
    }
}
