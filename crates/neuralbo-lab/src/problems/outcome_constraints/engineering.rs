//! Four designs: a welded beam, a pressure vessel, a speed reducer and a spring (Coello 2000; Golinski 1973; Arora 1989).

use std::f64::consts::{PI, SQRT_2};

use crate::problems::Dims;
use crate::problems::functions::{Best, Formula, at_least, at_most, between};

/// Cost of a beam by height and length of the weld, thickness and width of the bar.
pub(in crate::problems) const WELDED_BEAM: Formula = Formula {
    name: "welded-beam",
    dims: Dims::Fixed(4),
    bounds: &[(0.125, 10.0), (0.1, 10.0), (0.1, 10.0), (0.1, 10.0)],
    value: |x| 1.10471 * x[0] * x[0] * x[1] + 0.04811 * x[2] * x[3] * (14.0 + x[1]),
    measured: beam,
    limits: &[
        at_most("shear", 13600.0),
        at_most("bending", 30000.0),
        at_most("overhang", 0.0),
        at_most("material", 5.0),
        at_least("weld", 0.125),
        at_most("deflection", 0.25),
        at_least("buckling", 6000.0),
    ],
    best: Best::At(&[
        0.205_729_640_885_066,
        3.470_488_651_269_876_3,
        9.036_623_886_226_758,
        0.205_729_640_885_084_77,
    ]),
};

fn beam(x: &[f64]) -> Vec<f64> {
    const LOAD: f64 = 6000.0;
    const SPAN: f64 = 14.0;
    const YOUNG: f64 = 30e6;
    const SHEAR: f64 = 12e6;
    let (h, l, t, b) = (x[0], x[1], x[2], x[3]);
    let arm = ((h + t) / 2.0).powi(2);
    let radius = (l * l / 4.0 + arm).sqrt();
    let primary = LOAD / (SQRT_2 * h * l);
    let secondary =
        LOAD * (SPAN + l / 2.0) * radius / (2.0 * SQRT_2 * h * l * (l * l / 12.0 + arm));
    let shear = (primary * primary
        + 2.0 * primary * secondary * l / (2.0 * radius)
        + secondary * secondary)
        .sqrt();
    let slender = 1.0 - t / (2.0 * SPAN) * (YOUNG / (4.0 * SHEAR)).sqrt();
    vec![
        shear,
        6.0 * LOAD * SPAN / (b * t * t),
        h - b,
        0.10471 * h * h + 0.04811 * t * b * (14.0 + l),
        h,
        4.0 * LOAD * SPAN.powi(3) / (YOUNG * t.powi(3) * b),
        4.013 * YOUNG * (t * t * b.powi(6) / 36.0).sqrt() / (SPAN * SPAN) * slender,
    ]
}

/// Cost of a vessel by the thickness of shell and heads, radius and length; both thicknesses are continuous.
pub(in crate::problems) const PRESSURE_VESSEL: Formula = Formula {
    name: "pressure-vessel",
    dims: Dims::Fixed(4),
    bounds: &[
        (0.0625, 6.1875),
        (0.0625, 6.1875),
        (10.0, 200.0),
        (10.0, 200.0),
    ],
    value: |x| {
        let shell =
            0.6224 * x[0] * x[2] * x[3] + 3.1661 * x[0] * x[0] * x[3] + 19.84 * x[0] * x[0] * x[2];
        shell + 1.7781 * x[1] * x[2] * x[2]
    },
    measured: |x| {
        let volume = PI * x[2] * x[2] * x[3] + 4.0 / 3.0 * PI * x[2].powi(3);
        vec![0.0193 * x[2] - x[0], 0.00954 * x[2] - x[1], volume]
    },
    limits: &[
        at_most("shell", 0.0),
        at_most("head", 0.0),
        at_least("volume", 1_296_000.0),
    ],
    best: Best::At(&[
        0.778_168_641_379_680_8,
        0.384_649_162_632_533_85,
        40.319_618_724_250_41,
        200.0,
    ]),
};

/// Weight of a gearbox.
#[expect(
    clippy::approx_constant,
    reason = "the published formula has the rounded factor"
)]
pub(in crate::problems) const SPEED_REDUCER: Formula = Formula {
    name: "speed-reducer",
    dims: Dims::Fixed(7),
    bounds: &[
        (2.6, 3.6),
        (0.7, 0.8),
        (17.0, 28.0),
        (7.3, 8.3),
        (7.3, 8.3),
        (2.9, 3.9),
        (5.0, 5.5),
    ],
    value: |x| {
        let teeth = 3.3333 * x[2] * x[2] + 14.9334 * x[2] - 43.0934;
        let shafts = x[5] * x[5] + x[6] * x[6];
        let bulk = 7.4777 * (x[5].powi(3) + x[6].powi(3))
            + 0.7854 * (x[3] * x[5] * x[5] + x[4] * x[6] * x[6]);
        0.7854 * x[0] * x[1] * x[1] * teeth - 1.508 * x[0] * shafts + bulk
    },
    measured: reducer,
    limits: &[
        at_most("bending", 1.0),
        at_most("contact", 1.0),
        at_most("deflection1", 1.0),
        at_most("deflection2", 1.0),
        at_most("stress1", 1100.0),
        at_most("stress2", 850.0),
        at_most("size", 40.0),
        between("ratio", 5.0, 12.0),
        at_most("shaft1", -1.9),
        at_most("shaft2", -1.9),
    ],
    best: Best::At(&[
        3.500_000_000_000_91,
        0.7,
        17.0,
        7.3,
        7.715_319_911_478_492,
        3.350_214_666_096_524,
        5.286_654_464_980_277,
    ]),
};

fn reducer(x: &[f64]) -> Vec<f64> {
    let gear = x[0] * x[1] * x[1] * x[2];
    let size = x[1] * x[2];
    let stress = |length: f64, shaft: f64, torque: f64| {
        ((745.0 * length / size).powi(2) + torque).sqrt() / (0.1 * shaft.powi(3))
    };
    vec![
        27.0 / gear,
        397.5 / (gear * x[2]),
        1.93 * x[3].powi(3) / (size * x[5].powi(4)),
        1.93 * x[4].powi(3) / (size * x[6].powi(4)),
        stress(x[3], x[5], 16.9e6),
        stress(x[4], x[6], 157.5e6),
        size,
        x[0] / x[1],
        1.5 * x[5] - x[3],
        1.1 * x[6] - x[4],
    ]
}

/// Weight of a spring by the diameters of wire and coil and the number of turns.
pub(in crate::problems) const SPRING: Formula = Formula {
    name: "spring",
    dims: Dims::Fixed(3),
    bounds: &[(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)],
    value: |x| (x[2] + 2.0) * x[1] * x[0] * x[0],
    measured: |x| {
        let (wire, coil, turns) = (x[0], x[1], x[2]);
        let curved =
            (4.0 * coil * coil - wire * coil) / (12566.0 * (coil * wire.powi(3) - wire.powi(4)));
        vec![
            coil.powi(3) * turns / (71785.0 * wire.powi(4)),
            curved + 1.0 / (5108.0 * wire * wire),
            140.45 * wire / (coil * coil * turns),
            wire + coil,
        ]
    },
    limits: &[
        at_least("deflection", 1.0),
        at_most("shear", 1.0),
        at_least("surge", 1.0),
        at_most("diameter", 1.5),
    ],
    best: Best::At(&[
        0.051_689_008_494_566_986,
        0.356_716_474_666_382_95,
        11.289_039_922_851_183,
    ]),
};
