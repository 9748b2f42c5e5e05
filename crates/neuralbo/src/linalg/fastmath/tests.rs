use proptest::prelude::*;

use super::{FastMath, Lane, kernels};
use crate::linalg::testing::{assert_close, assert_near, special};

type Slice<T> = fn(&[T], &mut [T]);

fn apply<T: Lane>(function: Slice<T>, x: T) -> T {
    let mut out = [T::ZERO];
    function(&[x], &mut out);
    out[0]
}

fn cdf<T: Lane>(z: &[T], out: &mut [T]) {
    T::normal_cdf_pdf(z, out, &mut vec![T::ZERO; z.len()]);
}

fn pdf<T: Lane>(z: &[T], out: &mut [T]) {
    T::normal_cdf_pdf(z, &mut vec![T::ZERO; z.len()], out);
}

/// Every function with its name in the golden values.
fn functions<T: FastMath + Lane>() -> [(&'static str, Slice<T>); 6] {
    [
        ("normal_cdf", cdf),
        ("normal_pdf", pdf),
        ("exp", T::exp_slice),
        ("tanh", T::tanh_slice),
        ("sin", T::sin_slice),
        ("cos", T::cos_slice),
    ]
}

/// Arguments from −40 to 40, many of them near 0.
fn grid() -> Vec<f64> {
    (-4000..=4000)
        .map(|i| f64::from(i) / 1000.0)
        .map(|u| u * u * u / 1.6)
        .collect()
}

#[test]
fn f64_matches_high_precision_values() {
    for (name, function) in functions::<f64>() {
        for (x, want) in special(name) {
            // Around a zero of sin and cos the rounded angle itself limits the relative error.
            let absolute = if matches!(name, "sin" | "cos") {
                2e-16
            } else {
                1e-323
            };
            assert_close(name, x, apply(function, x), want, 2e-15, absolute);
        }
    }
}

#[test]
fn f32_matches_f64() {
    for ((name, narrow), (_, wide)) in functions::<f32>().into_iter().zip(functions::<f64>()) {
        for x in grid().into_iter().map(|x| x as f32) {
            let want = apply(wide, f64::from(x));
            // Above 1e38 the f32 result is rightly infinite; below 1e-37 it is subnormal.
            assert_close(
                name,
                x.into(),
                apply(narrow, x).into(),
                want.min(1e38),
                5e-7,
                1e-37,
            );
        }
    }
}

#[test]
fn f32_normal_is_within_the_stated_error() {
    for z in grid().into_iter().map(|z| z as f32) {
        let (cdf, pdf) = kernels::normal_cdf_pdf(z);
        let (wide_cdf, wide_pdf) = kernels::normal_cdf_pdf(f64::from(z));
        assert_close("normal_cdf", z.into(), cdf.into(), wide_cdf, 0.0, 2e-7);
        assert_close("normal_pdf", z.into(), pdf.into(), wide_pdf, 0.0, 2e-7);
    }
}

#[test]
fn limits_and_nan() {
    let limits: [(Slice<f64>, f64, f64); 4] = [
        (cdf, 0.0, 1.0),
        (pdf, 0.0, 0.0),
        (f64::exp_slice, 0.0, f64::INFINITY),
        (f64::tanh_slice, -1.0, 1.0),
    ];
    for (function, left, right) in limits {
        for large in [800.0, 1e300, f64::INFINITY] {
            assert_eq!(apply(function, -large), left);
            assert!(apply(function, large) == right || apply(function, large) == large);
        }
    }
    for ((name, narrow), (_, wide)) in functions::<f32>().into_iter().zip(functions::<f64>()) {
        assert!(
            apply(narrow, f32::NAN).is_nan() && apply(wide, f64::NAN).is_nan(),
            "{name}(NaN)"
        );
    }
}

#[test]
fn large_angles_are_reduced_too() {
    for angle in [1.5e5, 1e10, 1e22, -1.5e5] {
        let found = [f64::sin_slice, f64::cos_slice].map(|function| apply(function, angle));
        assert_near(&found, &[libm::sin(angle), libm::cos(angle)], 1e-15);
    }
    assert!(apply(f32::sin_slice, f32::INFINITY).is_nan());
}

#[test]
fn vectors_and_single_lanes_agree_to_the_bit() {
    let z = grid();
    let (mut cdf, mut pdf, mut tanh) = (vec![0.0; z.len()], vec![0.0; z.len()], vec![0.0; z.len()]);
    f64::normal_cdf_pdf(&z, &mut cdf, &mut pdf);
    f64::tanh_slice(&z, &mut tanh);
    for (i, &z) in z.iter().enumerate() {
        assert_eq!((cdf[i], pdf[i]), kernels::normal_cdf_pdf(z));
        assert_eq!(tanh[i], kernels::tanh(z));
    }
}

proptest! {
    #[test]
    fn cdf_is_symmetric_and_monotone(z in -30.0..30.0f64, step in 1e-3..1.0f64) {
        let (at, _) = kernels::normal_cdf_pdf(z);
        let (mirrored, _) = kernels::normal_cdf_pdf(-z);
        let (above, _) = kernels::normal_cdf_pdf(z + step);
        prop_assert!((at + mirrored - 1.0).abs() < 1e-15);
        prop_assert!(above >= at);
    }

    #[test]
    fn sine_and_cosine_lie_on_the_circle(x in -1e4..1e4f64) {
        let (sin, cos) = kernels::sin_cos(x);
        prop_assert!((sin * sin + cos * cos - 1.0).abs() < 1e-15);
        prop_assert!((sin - libm::sin(x)).abs() < 5e-16 && (cos - libm::cos(x)).abs() < 5e-16);
    }
}
