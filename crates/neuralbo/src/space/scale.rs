//! One number and its coordinate.
//!
//! Symbols: `x` a number in [low, high]; `t` its fraction of the way in [0, 1], linear or in ln; `u = 2t − 1` its coordinate.

/// An increasing map between [low, high] and [-1, 1], exact at both ends and without overflow for any finite bounds.
#[derive(Clone, Debug)]
pub(super) struct NumberScale {
    low: f64,
    high: f64,
    kind: ScaleKind,
}

#[derive(Clone, Debug)]
enum ScaleKind {
    /// t = (x − low) / width: both differences are exact in a narrow range far from zero.
    Linear { width: f64 },
    /// high − low overflows: the same with halves.
    Wide { half_width: f64 },
    /// t = (ln x − ln low) / span.
    Log { ln_low: f64, span: f64 },
    /// high < 2·low: t = ln(1 + (x − low)/low) / span, where a difference of logarithms would cancel.
    NarrowLog { span: f64 },
}

impl NumberScale {
    /// Linear; needs finite low < high.
    pub(super) fn linear(low: f64, high: f64) -> Self {
        let width = high - low;
        let kind = if width.is_finite() {
            ScaleKind::Linear { width }
        } else {
            ScaleKind::Wide {
                half_width: high / 2.0 - low / 2.0,
            }
        };
        Self { low, high, kind }
    }

    /// Linear in ln; needs finite 0 < low < high.
    pub(super) fn log(low: f64, high: f64) -> Self {
        let kind = if high / low < 2.0 {
            ScaleKind::NarrowLog {
                span: ((high - low) / low).ln_1p(),
            }
        } else {
            ScaleKind::Log {
                ln_low: low.ln(),
                span: high.ln() - low.ln(),
            }
        };
        Self { low, high, kind }
    }

    /// The coordinate of `x`.
    pub(super) fn encode(&self, x: f64) -> f64 {
        if x <= self.low {
            -1.0
        } else if x >= self.high {
            1.0
        } else {
            (2.0 * self.fraction(x) - 1.0).clamp(-1.0, 1.0)
        }
    }

    /// The coordinate of any number but NaN, past the ends for one outside the bounds; on a log scale −∞ for one that is not above 0.
    pub(super) fn extrapolate(&self, x: f64) -> f64 {
        let is_log = matches!(
            self.kind,
            ScaleKind::Log { .. } | ScaleKind::NarrowLog { .. }
        );
        if (self.low..=self.high).contains(&x) {
            self.encode(x)
        } else if is_log && x <= 0.0 {
            f64::NEG_INFINITY
        } else {
            2.0 * self.fraction(x) - 1.0
        }
    }

    /// The number at coordinate `u`, within the bounds; NaN is the middle.
    pub(super) fn decode(&self, u: f64) -> f64 {
        let u = tame(u);
        if u <= -1.0 {
            self.low
        } else if u >= 1.0 {
            self.high
        } else {
            self.at((u + 1.0) / 2.0).clamp(self.low, self.high)
        }
    }

    fn fraction(&self, x: f64) -> f64 {
        match self.kind {
            ScaleKind::Linear { width } => (x - self.low) / width,
            ScaleKind::Wide { half_width } => (x / 2.0 - self.low / 2.0) / half_width,
            ScaleKind::Log { ln_low, span } => (x.ln() - ln_low) / span,
            ScaleKind::NarrowLog { span } => ((x - self.low) / self.low).ln_1p() / span,
        }
    }

    fn at(&self, t: f64) -> f64 {
        match self.kind {
            ScaleKind::Linear { width } => self.low + t * width,
            ScaleKind::Wide { .. } => self.low * (1.0 - t) + self.high * t,
            ScaleKind::Log { ln_low, span } => (ln_low + t * span).exp(),
            ScaleKind::NarrowLog { span } => self.low + self.low * (t * span).exp_m1(),
        }
    }
}

/// A coordinate brought into [-1, 1]; NaN becomes 0.
pub(super) fn tame(u: f64) -> f64 {
    if u.is_nan() { 0.0 } else { u.clamp(-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_and_log_have_their_middles_at_zero() {
        assert_eq!(NumberScale::linear(-3.0, 5.0).encode(1.0), 0.0);
        assert!(NumberScale::log(1e-5, 1e-1).encode(1e-3).abs() < 1e-15);
        assert!((NumberScale::log(1e-5, 1e-1).decode(0.5) - 1e-2).abs() < 1e-16);
    }

    #[test]
    fn bounds_are_exactly_at_the_ends() {
        for scale in [
            NumberScale::linear(0.1, 0.7),
            NumberScale::log(0.1, 0.7),
            NumberScale::log(0.1, 0.15),
            NumberScale::linear(-1e308, 1e308),
        ] {
            let ends = [scale.low, scale.high];
            assert_eq!(ends.map(|x| scale.encode(x)), [-1.0, 1.0]);
            assert_eq!([-1.0, 1.0].map(|u| scale.decode(u)), ends);
        }
    }

    #[test]
    fn huge_ranges_do_not_overflow() {
        let scale = NumberScale::linear(-1e308, 1e308);
        assert_eq!(scale.encode(0.0), 0.0);
        assert_eq!(scale.encode(5e307), 0.5);
        assert_eq!(scale.decode(-0.5), -5e307);
        let log = NumberScale::log(f64::from_bits(1), f64::MAX);
        assert!((log.decode(log.encode(1.0)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn narrow_ranges_keep_neighbouring_floats_apart() {
        let (low, high) = (1e9, 1e9 + 1e-6);
        for scale in [NumberScale::linear(low, high), NumberScale::log(low, high)] {
            let mut x = low;
            while x <= high {
                assert_eq!(scale.decode(scale.encode(x)), x);
                x = x.next_up();
            }
        }
    }

    #[test]
    fn the_smallest_range_works() {
        let scale = NumberScale::linear(0.0, f64::from_bits(1));
        assert_eq!(
            [scale.low, scale.high].map(|x| scale.encode(x)),
            [-1.0, 1.0]
        );
        assert!(scale.decode(0.3).is_finite());
    }

    #[test]
    fn numbers_outside_continue_the_scale() {
        assert_eq!(NumberScale::linear(0.0, 2.0).extrapolate(3.0), 2.0);
        assert!((NumberScale::log(1.0, 100.0).extrapolate(0.1) + 2.0).abs() < 1e-14);
        assert!((NumberScale::log(1.0, 1.5).extrapolate(1.5 * 1.5) - 3.0).abs() < 1e-14);
        for (scale, x, expected) in [
            (NumberScale::log(1.0, 1.5), -1.0, f64::NEG_INFINITY),
            (NumberScale::log(1.0, 9.0), 0.0, f64::NEG_INFINITY),
            (
                NumberScale::linear(-1e308, 1e308),
                f64::INFINITY,
                f64::INFINITY,
            ),
        ] {
            assert_eq!(scale.extrapolate(x), expected);
        }
    }

    #[test]
    fn any_coordinate_decodes_into_the_bounds() {
        let scale = NumberScale::log(0.3, 0.4);
        assert_eq!(scale.decode(f64::INFINITY), 0.4);
        assert_eq!(scale.decode(f64::NEG_INFINITY), 0.3);
        assert!((scale.decode(f64::NAN) - 0.12_f64.sqrt()).abs() < 1e-15);
    }
}
