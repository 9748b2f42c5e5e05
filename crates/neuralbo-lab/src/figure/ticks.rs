//! Round values along an axis.

use super::axis::{AxisScale, Span};

/// Most intervals between labelled ticks.
const INTERVALS: f64 = 5.0;

/// A labelled value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: Label,
}

/// What is written at a tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Label {
    Plain(String),
    /// Ten to a power.
    PowerOfTen(i32),
}

impl Label {
    /// Number of characters of full size the label is about as wide as.
    pub fn width(&self) -> f64 {
        match self {
            Self::Plain(text) => text.chars().count() as f64,
            Self::PowerOfTen(exponent) => 2.0 + 0.75 * exponent.to_string().len() as f64,
        }
    }
}

/// The ticks of an axis, in rising order.
pub(super) fn ticks(span: &Span) -> Vec<Tick> {
    match span.scale {
        AxisScale::Linear => linear(span.low, span.high),
        AxisScale::Log => logarithmic(span),
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64) -> Vec<Tick> {
    let rough = (high - low) / INTERVALS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= 0.999 * rough)
        .unwrap_or(rough);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = if last >= first && last - first < 100.0 {
        (last - first) as usize + 1
    } else {
        0
    };
    (0..count)
        .map(|i| (first + i as f64) * step)
        .map(|value| Tick {
            value,
            label: Label::Plain(number(value, step)),
        })
        .collect()
}

/// Powers of ten, evenly thinned; when fewer than two fit, round numbers instead.
fn logarithmic(span: &Span) -> Vec<Tick> {
    let (first, last) = (
        (span.low - 1e-9).ceil() as i32,
        (span.high + 1e-9).floor() as i32,
    );
    if last > first {
        let stride = (f64::from(last - first) / INTERVALS).ceil() as i32;
        let shown = (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0);
        return shown
            .map(|exponent| Tick {
                value: 10f64.powi(exponent),
                label: Label::PowerOfTen(exponent),
            })
            .collect();
    }
    let (low, high) = (10f64.powf(span.low), 10f64.powf(span.high));
    linear(low, high)
        .into_iter()
        .filter(|tick| tick.value > 0.0)
        .collect()
}

/// Values without a label that show a logarithmic axis for what it is: multiples of powers of ten, where there is room for them.
pub(super) fn minor_ticks(span: &Span) -> Vec<f64> {
    if span.scale == AxisScale::Linear || span.high - span.low > 4.0 {
        return Vec::new();
    }
    let decades = span.low.floor() as i32..=span.high.floor() as i32;
    let values = decades
        .flat_map(|exponent| (1..10).map(move |factor| f64::from(factor) * 10f64.powi(exponent)));
    values
        .filter(|value| (span.low..=span.high).contains(&value.log10()))
        .collect()
}

/// The value with as many decimals as the step needs; very large and very small values with an exponent.
fn number(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step {
        0.0
    } else {
        value
    };
    let decimals = (-step.log10()).ceil().max(0.0) as usize;
    if step >= 1e5 || decimals > 4 {
        if value == 0.0 {
            return "0".into();
        }
        let digits = (value.abs().log10().floor() - step.log10().floor()).max(0.0) as usize;
        return format!("{value:.digits$e}").replace('-', "−");
    }
    format!("{value:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(scale: AxisScale, low: f64, high: f64) -> Vec<String> {
        let text = |tick: Tick| match tick.label {
            Label::Plain(text) => text,
            Label::PowerOfTen(exponent) => format!("10^{exponent}"),
        };
        let ticks = ticks(&Span { scale, low, high }).into_iter().map(text);
        ticks.collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        let found = labels(AxisScale::Linear, -80.0, 2080.0);
        assert_eq!(found, ["0", "500", "1000", "1500", "2000"]);
        let found = labels(AxisScale::Linear, 0.0, 1.0);
        assert_eq!(found, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let found = labels(AxisScale::Linear, -0.03, 0.02);
        assert_eq!(found, ["−0.03", "−0.02", "−0.01", "0.00", "0.01", "0.02"]);
        let found = labels(AxisScale::Linear, 0.0, 3e6);
        assert_eq!(found, ["0", "1e6", "2e6", "3e6"]);
        let found = labels(AxisScale::Linear, 0.0, 3e-6);
        assert_eq!(found, ["0", "1e−6", "2e−6", "3e−6"]);
        let found = labels(AxisScale::Linear, 1e6, 1.000003e6);
        assert_eq!(found, ["1000000", "1000001", "1000002", "1000003"]);
    }

    #[test]
    fn powers_of_ten_are_thinned_evenly() {
        let found = labels(AxisScale::Log, -8.0, 2.0);
        assert_eq!(found, ["10^-8", "10^-6", "10^-4", "10^-2", "10^0", "10^2"]);
        assert_eq!(labels(AxisScale::Log, -0.5, 1.5), ["10^0", "10^1"]);
    }

    #[test]
    fn short_logarithmic_axes_have_round_numbers() {
        assert_eq!(labels(AxisScale::Log, 0.02, 0.93), ["2", "4", "6", "8"]);
    }

    #[test]
    fn minor_ticks_are_on_short_logarithmic_axes_only() {
        let count = |scale, low, high| minor_ticks(&Span { scale, low, high }).len();
        assert_eq!(
            [
                count(AxisScale::Log, -0.01, 1.01),
                count(AxisScale::Log, 0.0, 9.0),
                count(AxisScale::Linear, 0.0, 1.0)
            ],
            [10, 0, 0]
        );
    }

    proptest! {
        #[test]
        fn ticks_are_on_the_axis_and_few(low in -1e6..1e6f64, width in 1e-3..1e6f64) {
            let span = Span { scale: AxisScale::Linear, low, high: low + width };
            let found = ticks(&span);
            prop_assert!((2..=7).contains(&found.len()), "{found:?}");
            prop_assert!(found.iter().all(|tick| span.fraction(tick.value).is_some_and(|at| (-1e-6..=1.0 + 1e-6).contains(&at))));
            prop_assert!(found.windows(2).all(|pair| pair[0].value < pair[1].value && pair[0].label != pair[1].label));
        }

        #[test]
        fn logarithmic_ticks_are_on_the_axis_and_few(low in -20.0..20.0f64, width in 0.05..30.0f64) {
            let span = Span { scale: AxisScale::Log, low, high: low + width };
            let found = ticks(&span);
            prop_assert!((1..=7).contains(&found.len()), "{found:?}");
            prop_assert!(found.iter().all(|tick| span.fraction(tick.value).is_some_and(|at| (-1e-6..=1.0 + 1e-6).contains(&at))));
        }
    }
}
