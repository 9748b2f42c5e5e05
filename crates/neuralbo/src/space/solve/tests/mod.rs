//! Feasible points against what can be computed by hand: areas, simplices, lists.

mod clauses;

use proptest::prelude::*;
use rand::RngExt;

use crate::linalg::{Purpose, Rng, Streams, squared_distance};
use crate::space::tests::{constraints, space as free, table};
use crate::space::{Params, Space, SpaceError};

fn space(parameters: &[impl AsRef<str>], constraints: &[impl AsRef<str>]) -> Space {
    tried(parameters, constraints).unwrap()
}

fn tried(parameters: &[impl AsRef<str>], texts: &[impl AsRef<str>]) -> Result<Space, SpaceError> {
    free(parameters).with_constraints(constraints(texts))
}

fn simplex() -> Space {
    let parameters = ["x=float(0,1)", "y=float(0,1)", "z=float(0,1)"];
    space(&parameters, &["x + y + z == 1"])
}

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Candidates)
}

fn floats(space: &Space, row: &[f64]) -> Vec<f64> {
    let point = space.decode(row);
    let values = point.values().iter().flatten();
    values.map(|value| value.as_f64().unwrap()).collect()
}

/// Spaces of many kinds, all with feasible points.
fn kinds() -> Vec<Space> {
    let rows = table(
        r##"
x=float(0,1) ; y=float(0,1) => x + y <= 1
x=float(0,1) ; y=float(0,1) => x + y == 1 | x >= y
x=float(0,1) ; y=float(0,1) ; z=float(0,1) => sum(x, y, z) == 1
x=float(0,1) ; y=float(0,1) => x + y <= 0.04
x=float(-1,1) ; y=float(-1,1) => (x - 0.9)^2 + (y - 0.9)^2 <= 1e-6
x=float(-1,1) ; y=float(-1,1) => x^2 + y^2 == 0.5
x=float(1e-5,1,log) ; y=float(1e-5,1,log) => x * y <= 1e-8 | y > 2 * x
x=float(0,1) ; c=choice(a,b,c) => c == a or x < 0.01 | c != b
n=int(1,100) ; m=int(1,100) ; x=float(0,1) => n * m <= 50 | x * n >= 3
a=int(0,20) ; b=int(0,20) ; c=int(0,20) => a + b + c == 20
w=float(0,1,step=0.05) ; v=float(0,1,step=0.05) => w + v == 1
n=int(1,1000000) ; m=int(1,1000000) => n + m <= 5
x=float(0,1) ; y=float(0,1) => x <= 0.1 or x >= 0.9 | not (y > 0.1 and y < 0.9)
x=float(0,10) ; y=float(0,10) => abs(x - y) <= 1e-3 | max(x, y) >= 9.99
flag=bool ; x=float(0,1) => flag == (x < 0.001)
"##,
    );
    rows.map(|(parameters, constraints)| {
        let parameters: Vec<&str> = parameters.split(" ; ").collect();
        space(&parameters, &constraints)
    })
    .collect()
}

#[test]
fn every_row_is_repaired_to_a_feasible_point_near_by() {
    for space in kinds() {
        let mut rng = rng(1);
        for _ in 0..40 {
            let row = (0..space.encoded_dim()).map(|_| rng.random_range(-1.0..=1.0));
            let mut row: Vec<f64> = row.collect();
            space.repair(&mut row);
            assert!(space.is_feasible(&row), "{:?} {row:?}", space.constraints());
            space.satisfies(&space.params(&space.decode(&row))).unwrap();
        }
    }
}

#[test]
fn draws_are_feasible_and_different() {
    for space in kinds() {
        let mut rng = rng(2);
        let mut rows: Vec<Vec<f64>> = (0..60).map(|_| space.draw_row(&mut rng)).collect();
        let are_feasible = rows.iter().all(|row| space.is_feasible(row));
        assert!(are_feasible, "{:?}", space.constraints());
        rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
        rows.dedup();
        assert!(
            rows.len() >= 8,
            "{} of {:?}",
            rows.len(),
            space.constraints()
        );
    }
}

#[test]
fn a_repaired_row_is_the_nearest_of_a_half_space_and_of_a_simplex() {
    // In coordinates of [−1, 1] the border is u + v = 0, and the nearest point of (1, 0.5) is (0.25, −0.25).
    let triangle = space(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 1"]);
    let mut row = [1.0, 0.5];
    triangle.repair(&mut row);
    assert!(squared_distance(&row, &[0.25, -0.25]) < 1e-18, "{row:?}");
    // The projection onto the simplex of (1, 0.9, 0) is (0.55, 0.45, 0).
    let simplex = simplex();
    let mut row = [1.0, 0.8, -1.0];
    simplex.repair(&mut row);
    let values = floats(&simplex, &row);
    assert!(
        squared_distance(&values, &[0.55, 0.45, 0.0]) < 1e-18,
        "{values:?}"
    );
    assert_eq!(values[2], 0.0);
}

#[test]
fn equalities_hold_to_a_billionth() {
    let names: Vec<String> = (0..30).map(|i| format!("w{i}=float(0,1)")).collect();
    let weights: Vec<String> = (0..30).map(|i| format!("w{i}")).collect();
    let simplex = space(&names, &[format!("sum({}) == 1", weights.join(", "))]);
    let mut rng = rng(3);
    for _ in 0..50 {
        let sum: f64 = floats(&simplex, &simplex.draw_row(&mut rng)).iter().sum();
        assert!((sum - 1.0).abs() <= 1e-9, "{sum}");
    }
}

/// The mean of uniform points of a triangle, of a simplex and of a disc, and the share of a half of them.
#[test]
fn draws_are_spread_like_uniform_ones() {
    let mean = |space: &Space, count: usize, of: &dyn Fn(&[f64]) -> f64| {
        let mut rng = rng(4);
        let draws = (0..count).map(|_| of(&floats(space, &space.draw_row(&mut rng))));
        draws.sum::<f64>() / count as f64
    };
    // x of a small triangle with the corners (0, 0), (0.02, 0), (0, 0.02): a third of its side; far too small for rejection.
    let small = space(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 0.02"]);
    let centre = mean(&small, 1500, &|x| x[0]) / 0.02;
    assert!((centre - 1.0 / 3.0).abs() < 0.04, "{centre}");
    // On the simplex of three numbers the share with x > 1/2 is a quarter.
    let share = mean(&simplex(), 1500, &|x| f64::from(u8::from(x[0] > 0.5)));
    assert!((share - 0.25).abs() < 0.05, "{share}");
    // Half of a disc lies within 1/√2 of its radius.
    let square = ["x=float(-1,1)", "y=float(-1,1)"];
    let disc = space(&square, &["(x - 0.5)^2 + (y + 0.5)^2 <= 1e-4"]);
    let radius = |x: &[f64]| (x[0] - 0.5).hypot(x[1] + 0.5);
    let inner = |x: &[f64]| f64::from(u8::from(radius(x) < 0.01 / 2f64.sqrt()));
    let inner = mean(&disc, 1500, &inner);
    assert!((inner - 0.5).abs() < 0.06, "{inner}");
}

#[test]
fn a_large_finite_space_with_few_feasible_points_is_listed() {
    // n + m ≤ 5 of 10^12 points: (1,1..4), (2,1..3), (3,1..2), (4,1).
    let listed = space(&["n=int(1,1000000)", "m=int(1,1000000)"], &["n + m <= 5"]);
    let rows = listed.feasible_rows().unwrap();
    let points: Vec<Vec<f64>> = rows.rows().map(|row| floats(&listed, row)).collect();
    let expected: Vec<Vec<f64>> = (1..5)
        .flat_map(|n| (1..=5 - n).map(move |m| vec![f64::from(n), f64::from(m)]))
        .collect();
    assert_eq!(points, expected);
    let many = space(&["n=int(1,1000)", "m=int(1,1000)"], &["n + m <= 1500"]);
    let continuous = space(&["x=float(0,1)"], &["x < 0.5"]);
    assert!(
        many.feasible_rows()
            .or(continuous.feasible_rows())
            .is_none()
    );
}

#[test]
fn infeasible_spaces_are_named_with_their_constraints() {
    let xy = [
        "x=float(0,1)",
        "y=float(0,1)",
        "n=int(1,9)",
        "c=choice(a,b)",
    ];
    for (constraints, expected) in table(
        r##"
x + y >= 5 => constraint `x + y >= 5` never holds: `x + y` is from 0.0 to 2.0, `5` is 5.0
x * n > 2 * n => constraint `x * n > 2 * n` never holds: `x * n` is from 0.0 to 9.0, `2 * n` is from 2.0 to 18.0
x^2 + 1 == 0.5 => constraint `x^2 + 1 == 0.5` never holds: `x^2 + 1` is from 1.0 to 2.0, `0.5` is 0.5
x < 0.2 ; x > 0.4 => no point satisfies all of the constraints `x < 0.2`, `x > 0.4`
x + y <= 0.5 ; x - y == 0 ; x >= 0.4 => no point satisfies all of the constraints
n * n == 7 => constraint `n * n == 7` never holds
c == a ; c == b => no point satisfies all of the constraints `c == a`, `c == b`
x < 0.5 and x > 0.7 => constraint `x < 0.5 and x > 0.7` never holds
"##,
    ) {
        let (constraints, expected) = (constraints.split(" ; ").collect::<Vec<_>>(), expected[0]);
        let error = tried(&xy, &constraints).unwrap_err().to_string();
        // Whether one constraint is refuted by ranges alone or by branching, it is named.
        let is_named = error.contains("never holds") && expected.contains("`x * n");
        assert!(error.starts_with(expected) || is_named, "{error}");
    }
}

#[test]
fn values_are_checked_and_absent_ones_do_not_count() {
    let parameters = ["x=float(0,1)", "y=float(0,1)", "c=choice(a,b)"];
    let space = space(&parameters, &["x + y <= 1", "c == a or x < 0.5"]);
    for (json, expected) in table(
        r##"
{"x":0.5,"y":0.5,"c":"a"} => nothing
{"x":0.9} => nothing
{"x":0.9,"y":0.3,"c":"a"} => x = 0.9, y = 0.3 violate the constraint `x + y <= 1`
{"x":0.9,"y":0,"c":"b"} => c = b, x = 0.9 violate the constraint `c == a or x < 0.5`
"##,
    ) {
        let checked = space.check(&serde_json::from_str(json).unwrap());
        let error = checked.map_or_else(|error| error.to_string(), |_| "nothing".into());
        assert_eq!(error, expected[0]);
    }
}

#[test]
fn functions_constrain_as_expressions_do() {
    let free = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    let inside = |params: &Params| params.float("x0").unwrap() + params.float("x1").unwrap() < 0.1;
    let constrained = free.with_constraints(constraints(&["x0 <= x1"])).unwrap();
    let constrained = constrained.with_predicate("small", inside).unwrap();
    let mut rng = rng(5);
    for _ in 0..100 {
        let values = floats(&constrained, &constrained.draw_row(&mut rng));
        let (a, b) = (values[0], values[1]);
        assert!(a <= b && a + b < 0.1, "{values:?}");
    }
    let never = free.with_predicate("never", |_| false).unwrap_err();
    let expected = "constraint `never` never holds: it is false for 10000 random points";
    assert_eq!(never.to_string(), expected);
    let error = serde_json::to_string(&constrained).unwrap_err().to_string();
    let expected = "constraint `small` is a function: it cannot be written down";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn the_same_stream_gives_the_same_points() {
    for space in kinds() {
        let draw = || {
            let mut rng = rng(6);
            [(); 5].map(|()| space.draw_row(&mut rng))
        };
        assert_eq!(draw(), draw());
    }
}

proptest! {
    #[test]
    fn linear_constraints_are_met_wherever_a_point_exists(
        weights in prop::collection::vec(-3.0..3.0, 4), share in 0.05..0.95, start in prop::collection::vec(-1.0..1.0, 4),
    ) {
        // The bound lies between the least and the largest value of the sum, so that there are feasible points.
        let (least, most) = weights.iter().fold((0.0, 0.0), |(l, m), w: &f64| (l + w.min(0.0), m + w.max(0.0)));
        let terms: Vec<String> = weights.iter().enumerate().map(|(i, w)| format!("({w}) * x{i}")).collect();
        let text = format!("{} <= {}", terms.join(" + "), least + share * (most - least));
        let free = Space::from_bounds(&[(0.0, 1.0); 4]).unwrap();
        for text in [text.clone(), text.replace("<=", "==")] {
            let space = free.with_constraints([text.parse().unwrap()]).unwrap();
            let mut row = start.clone();
            space.repair(&mut row);
            prop_assert!(space.is_feasible(&row), "{} {:?}", text, row);
        }
    }
}

#[test]
fn constraints_on_parameters_with_conditions_apply_where_these_are_active() {
    let parameters = "kernel=choice(rbf,linear,poly) ; C=float(0,1) ; \
                      gamma=float(0,1) if kernel == rbf ; d=int(1,9) if kernel == poly";
    let parameters: Vec<&str> = parameters.split(" ; ").collect();
    let space = space(&parameters, &["C + gamma <= 0.5", "d * C >= 0.5"]);
    let mut rng = rng(7);
    let mut kernels = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let params = space.params(&space.decode(&space.draw_row(&mut rng)));
        let (c, gamma) = (params.float("C").unwrap(), params.float("gamma"));
        let d = params.int("d");
        assert!(gamma.is_none_or(|gamma| c + gamma <= 0.5), "{params}");
        assert!(d.is_none_or(|d| d as f64 * c >= 0.5), "{params}");
        kernels.insert(params.text("kernel").unwrap().to_owned());
    }
    assert_eq!(kernels.len(), 3);
    // One point for each n.
    let parameters = ["n=int(1,3)", "a=int(1,5) if n == 1", "b=int(1,5) if n == 2"];
    let listed = super::tests::space(&parameters, &["a > 4", "b < 2"]);
    assert_eq!(listed.feasible_rows().unwrap().len(), 3);
}

#[test]
fn whole_numbers_are_compared_exactly() {
    type Holds = fn(&[f64]) -> bool;
    let large = "a=int(1000000000,1000000003) ; b=int(1000000000,1000000003)";
    let cases: [(&str, &str, Holds); 3] = [
        (
            "n=int(0,1000000000)",
            "n - 997 * floor(n / 997) == 5",
            |n| n[0] % 997.0 == 5.0,
        ),
        (
            "a=int(0,2000000000) ; b=int(0,2000000000)",
            "a + b == 2000000000",
            |n| n[0] + n[1] == 2e9,
        ),
        (large, "a != b", |n| n[0] != n[1]),
    ];
    for (parameters, constraint, holds) in cases {
        let parameters: Vec<&str> = parameters.split(" ; ").collect();
        let space = space(&parameters, &[constraint]);
        let mut rng = rng(8);
        for _ in 0..20 {
            let values = floats(&space, &space.draw_row(&mut rng));
            assert!(holds(&values), "{constraint}: {values:?}");
        }
    }
}
