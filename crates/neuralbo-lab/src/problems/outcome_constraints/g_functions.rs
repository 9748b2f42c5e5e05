//! Functions of the collection of Michalewicz and Schoenauer (1996), by their numbers there.

use crate::problems::Dims;
use crate::problems::functions::{Best, Formula, at_least, at_most, between};

/// Himmelblau's problem: three quantities between two limits each.
pub(in crate::problems) const G04: Formula = Formula {
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
pub(in crate::problems) const G06: Formula = Formula {
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
pub(in crate::problems) const G07: Formula = Formula {
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
pub(in crate::problems) const G09: Formula = Formula {
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
