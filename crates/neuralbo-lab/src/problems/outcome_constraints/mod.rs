//! Problems with outcome constraints: quantities that are measured together with the value and must stay within limits.
//!
//! Four designs: a welded beam, a pressure vessel, a speed reducer and a spring (Coello 2000; Golinski 1973; Arora 1989); functions
//! of the collection of Michalewicz and Schoenauer (1996), by their numbers there; in two coordinates the simulations of Gardner
//! et al. (2014) and the problem of Gramacy et al. (2016).
//!
//! The border of what is feasible decides where the optimum is in all of them but `gardner1`.

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

use crate::problems::Dims;
use crate::problems::functions::{Best, Formula, at_least, at_most, between};

/// Cost of a beam by height and length of the weld, thickness and width of the bar.
pub(super) const WELDED_BEAM: Formula = Formula {
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
pub(super) const PRESSURE_VESSEL: Formula = Formula {
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
pub(super) const SPEED_REDUCER: Formula = Formula {
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
pub(super) const SPRING: Formula = Formula {
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

/// Himmelblau's problem: three quantities between two limits each.
pub(super) const G04: Formula = Formula {
    name: "g04",
    dims: Dims::Fixed(5),
    bounds: &[
        (78.0, 102.0),
        (33.0, 45.0),
        (27.0, 45.0),
        (27.0, 45.0),
        (27.0, 45.0),
    ],
    value: |x| 5.3578547 * x[2] * x[2] + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141,
    measured: |x| {
        vec![
            85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4],
            80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] * x[2],
            9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3],
        ]
    },
    limits: &[
        between("u", 0.0, 92.0),
        between("v", 90.0, 110.0),
        between("w", 20.0, 25.0),
    ],
    best: Best::At(&[
        78.0,
        33.0,
        29.995_256_025_689_955,
        45.0,
        36.775_812_905_787_66,
    ]),
};

/// A thin crescent is feasible, and the best point is its tip.
pub(super) const G06: Formula = Formula {
    name: "g06",
    dims: Dims::Fixed(2),
    bounds: &[(13.0, 100.0), (0.0, 100.0)],
    value: |x| (x[0] - 10.0).powi(3) + (x[1] - 20.0).powi(3),
    measured: |x| {
        vec![
            (x[0] - 5.0).powi(2) + (x[1] - 5.0).powi(2),
            (x[0] - 6.0).powi(2) + (x[1] - 5.0).powi(2),
        ]
    },
    limits: &[at_least("outer", 100.0), at_most("inner", 82.81)],
    best: Best::At(&[14.095_000_006_802_263, 0.842_960_803_272_032_5]),
};

/// A quadratic under three linear and five quadratic constraints, six of them active.
pub(super) const G07: Formula = Formula {
    name: "g07",
    dims: Dims::Fixed(10),
    bounds: &[(-10.0, 10.0); 10],
    value: |x| {
        let squares = (x[2] - 10.0).powi(2)
            + 4.0 * (x[3] - 5.0).powi(2)
            + (x[4] - 3.0).powi(2)
            + 2.0 * (x[5] - 1.0).powi(2);
        let more = 5.0 * x[6] * x[6]
            + 7.0 * (x[7] - 11.0).powi(2)
            + 2.0 * (x[8] - 10.0).powi(2)
            + (x[9] - 7.0).powi(2);
        x[0] * x[0] + x[1] * x[1] + x[0] * x[1] - 14.0 * x[0] - 16.0 * x[1] + squares + more + 45.0
    },
    measured: |x| {
        vec![
            4.0 * x[0] + 5.0 * x[1] - 3.0 * x[6] + 9.0 * x[7],
            10.0 * x[0] - 8.0 * x[1] - 17.0 * x[6] + 2.0 * x[7],
            -8.0 * x[0] + 2.0 * x[1] + 5.0 * x[8] - 2.0 * x[9],
            3.0 * (x[0] - 2.0).powi(2) + 4.0 * (x[1] - 3.0).powi(2) + 2.0 * x[2] * x[2]
                - 7.0 * x[3],
            5.0 * x[0] * x[0] + 8.0 * x[1] + (x[2] - 6.0).powi(2) - 2.0 * x[3],
            x[0] * x[0] + 2.0 * (x[1] - 2.0).powi(2) - 2.0 * x[0] * x[1] + 14.0 * x[4] - 6.0 * x[5],
            0.5 * (x[0] - 8.0).powi(2) + 2.0 * (x[1] - 4.0).powi(2) + 3.0 * x[4] * x[4] - x[5],
            -3.0 * x[0] + 6.0 * x[1] + 12.0 * (x[8] - 8.0).powi(2) - 7.0 * x[9],
        ]
    },
    limits: &[
        at_most("c1", 105.0),
        at_most("c2", 0.0),
        at_most("c3", 12.0),
        at_most("c4", 120.0),
        at_most("c5", 40.0),
        at_most("c6", 0.0),
        at_most("c7", 30.0),
        at_most("c8", 0.0),
    ],
    best: Best::At(&[
        2.171_996_311_581_044_6,
        2.363_683_103_357_212,
        8.773_925_726_713_48,
        5.095_984_325_897_463,
        0.990_654_716_186_604_4,
        1.430_573_806_500_764_3,
        1.321_644_102_544_485_2,
        9.828_725_727_151_747,
        8.280_091_476_311_25,
        8.375_926_547_820_159,
    ]),
};

/// Powers up to the sixth under four constraints, two of them active.
pub(super) const G09: Formula = Formula {
    name: "g09",
    dims: Dims::Fixed(7),
    bounds: &[(-10.0, 10.0); 7],
    value: |x| {
        let first = (x[0] - 10.0).powi(2)
            + 5.0 * (x[1] - 12.0).powi(2)
            + x[2].powi(4)
            + 3.0 * (x[3] - 11.0).powi(2);
        let last = 10.0 * x[4].powi(6) + 7.0 * x[5] * x[5] + x[6].powi(4);
        first + last - 4.0 * x[5] * x[6] - 10.0 * x[5] - 8.0 * x[6]
    },
    measured: |x| {
        vec![
            2.0 * x[0] * x[0] + 3.0 * x[1].powi(4) + x[2] + 4.0 * x[3] * x[3] + 5.0 * x[4],
            7.0 * x[0] + 3.0 * x[1] + 10.0 * x[2] * x[2] + x[3] - x[4],
            23.0 * x[0] + x[1] * x[1] + 6.0 * x[5] * x[5] - 8.0 * x[6],
            4.0 * x[0] * x[0] + x[1] * x[1] - 3.0 * x[0] * x[1] + 2.0 * x[2] * x[2] + 5.0 * x[5]
                - 11.0 * x[6],
        ]
    },
    limits: &[
        at_most("c1", 127.0),
        at_most("c2", 282.0),
        at_most("c3", 196.0),
        at_most("c4", 0.0),
    ],
    best: Best::At(&[
        2.330_499_304_007_36,
        1.951_372_305_569_203_2,
        -0.477_541_425_643_886_5,
        4.365_726_443_024_073,
        -0.624_487_097_305_157_7,
        1.038_130_834_357_34,
        1.594_226_572_462_865_7,
    ]),
};

/// Wide bands are feasible, and the best point lies inside one.
pub(super) const GARDNER1: Formula = Formula {
    name: "gardner1",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 6.0); 2],
    value: |x| (2.0 * x[0]).cos() * x[1].cos() + x[0].sin(),
    measured: |x| vec![x[0].cos() * x[1].cos() - x[0].sin() * x[1].sin()],
    limits: &[at_most("c", 0.5)],
    best: Best::At(&[3.0 * FRAC_PI_2, 0.0]),
};

/// Two small discs are feasible.
pub(super) const GARDNER2: Formula = Formula {
    name: "gardner2",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 6.0); 2],
    value: |x| x[0].sin() + x[1],
    measured: |x| vec![x[0].sin() * x[1].sin()],
    limits: &[at_most("c", -0.95)],
    best: Best::At(&[3.0 * FRAC_PI_2, 1.253_235_897_503_38]),
};

/// A plane, a wave that cuts the feasible region into pieces, and a disc.
pub(super) const GRAMACY: Formula = Formula {
    name: "gramacy",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 1.0); 2],
    value: |x| x[0] + x[1],
    measured: |x| {
        let wave = x[0] + 2.0 * x[1] + 0.5 * (2.0 * PI * (x[0] * x[0] - 2.0 * x[1])).sin();
        vec![wave, x[0] * x[0] + x[1] * x[1]]
    },
    limits: &[at_least("wave", 1.5), at_most("disc", 1.5)],
    best: Best::At(&[0.195_122_686_191_305_4, 0.404_665_365_819_407_2]),
};
