//! Encodings, points and counts against values worked out by hand.

use std::collections::HashSet;

use super::{points, space, space_of, table};
use crate::linalg::Points;
use crate::space::{Coordinate, Parameter, Point, Space, SpaceError, Value};

/// A point of values with spaces between them.
fn point(values: &str) -> Point {
    let values = values.split(' ').map(|text| text.parse().unwrap());
    Point::new(values.collect())
}

fn encoded(space: &Space, values: &str) -> Vec<f64> {
    space.encode(&point(values)).unwrap()
}

/// What is wrong with a point, for spaces and points of a table.
fn assert_errors(space: &Space, rows: &str) {
    for (values, expected) in table(rows) {
        let error = space.encode(&point(values)).unwrap_err().to_string();
        assert!(error.ends_with(expected[0]), "{values}: {error}");
    }
}

#[test]
fn ints_sit_at_the_centres_of_equal_cells() {
    let space = space(&["n=int(-1,2)"]);
    let rows = ["-1", "0", "1", "2"].map(|k| encoded(&space, k)[0]);
    assert_eq!(rows, [-0.75, -0.25, 0.25, 0.75]);
}

#[test]
fn a_uniform_row_gives_every_int_the_same_probability() {
    let space = space(&["n=int(1,7)"]);
    let mut counts = [0; 7];
    for i in 0..7000 {
        let point = space.decode(&[-1.0 + (2.0 * f64::from(i) + 1.0) / 7000.0]);
        counts[point.get(0).unwrap().as_i64().unwrap() as usize - 1] += 1;
    }
    assert_eq!(counts, [1000; 7]);
}

#[test]
fn log_ints_have_cells_in_proportion_to_their_logarithms() {
    let space = space(&["n=int(1,1024,log)"]);
    let width = (1024.5_f64 / 0.5).ln();
    let expected = |x: f64| 2.0 * (x / 0.5).ln() / width - 1.0;
    assert!((encoded(&space, "32")[0] - expected(32.0)).abs() < 1e-14);
    let ends = [expected(32.499), expected(32.501), -1.0, 1.0];
    let values = ends.map(|u| space.decode(&[u]));
    assert_eq!(values, ["32", "33", "1", "1024"].map(point));
}

#[test]
fn the_largest_int_ranges_decode_exactly() {
    let most = 1_i64 << 40;
    for (low, high, text) in [
        (0, (1 << 50) - 1, "n=int(0,1125899906842623)"),
        (1, most, "n=int(1,1099511627776,log)"),
        (most - 5, most, "n=int(1099511627771,1099511627776,log)"),
    ] {
        let space = space(&[text]);
        let near = |i| [low + i, high - i, low + (high - low) / 3 + i];
        for k in (0..6).flat_map(near).filter(|k| (low..=high).contains(k)) {
            let p = point(&k.to_string());
            assert_eq!(space.decode(&space.encode(&p).unwrap()), p, "{text}");
        }
    }
}

#[test]
fn coordinates_say_what_they_are() {
    let space = space_of(
        "x=float(0,1) ; n=int(1,9) ; b=bool ; c=choice(a,b,c) ; one=int(3,3) ; d=choice(1,2,3,4) ; s=7",
    );
    let hot = |group, first, len| Coordinate::OneHot { group, first, len };
    let grid = |levels| Coordinate::Grid { levels };
    let mut expected = vec![Coordinate::Continuous, grid(9), grid(2)];
    expected.extend([hot(0, 3, 3); 3]);
    expected.extend([hot(1, 6, 4); 4]);
    assert_eq!(space.coordinates(), expected);
    assert_eq!((space.encoded_dim(), space.cardinality()), (10, None));
    let fixed = space_of("s=7");
    assert_eq!(
        (fixed.cardinality(), fixed.decode(&[])),
        (Some(1), point("7"))
    );
}

#[test]
fn choices_are_signs_or_one_hot() {
    let space = space(&["b=choice(no,yes)", "c=choice(r,g,b)"]);
    assert_eq!(encoded(&space, "yes g"), [1.0, -1.0, 1.0, -1.0]);
    assert_eq!(space.decode(&[-0.1, f64::NAN, 0.2, 0.3]), point("no b"));
    assert_eq!(space.decode(&[f64::NAN; 4]), point("no r"));
}

#[test]
fn wrong_values_are_errors_that_say_what_is_allowed() {
    let space = space(&["n=int(1,4)", "c=choice(r,g)", "s=7"]);
    assert_errors(
        &space,
        r##"
5 r 7 => parameter `n`: value `5` is not allowed, it must be a whole number from 1 to 4
1 x 7 => parameter `c`: value `x` is not allowed, it must be one of `r`, `g`
1 r 8 => parameter `s`: value `8` is not allowed, it must be `7` (it is fixed)
1.5 r 7 => value `1.5` is not allowed, it must be a whole number from 1 to 4
1 => a point with 1 values, but the space has 3 parameters
"##,
    );
    let nan = Point::new(vec![f64::NAN.into(), "r".into(), 7.into()]);
    assert!(
        space
            .encode(&nan)
            .unwrap_err()
            .to_string()
            .contains("`NaN`")
    );
}

#[test]
fn named_values_make_a_checked_point() {
    let space = space(&["x=float(0,9)", "n=int(1,4)", "s=7"]);
    let named = [("n", Value::from(2.0)), ("x", 3.into())];
    let made = space.point_from_named(named).unwrap();
    assert_eq!(made, point("3.0 2 7"));
    let names = space.named(&made);
    let names = names.map(|(name, value)| format!("{name}:{value}"));
    assert_eq!(names.collect::<Vec<_>>(), ["x:3.0", "n:2", "s:7"]);
    for (text, expected) in table(
        r##"
n 1 => no value for parameter `x`; expected are `x`, `n`, `s`
y 1 => unknown parameter `y`; expected are `x`, `n`, `s`
n 1 n 2 => two values for parameter `n`
x 1 n 2 s 8 => parameter `s`: value `8` is not allowed, it must be `7` (it is fixed)
"##,
    ) {
        let words: Vec<&str> = text.split(' ').collect();
        let named = words.chunks(2);
        let named = named.map(|pair| (pair[0], pair[1].parse().unwrap()));
        let error = space.point_from_named(named).unwrap_err();
        assert_eq!(error.to_string(), expected[0]);
    }
}

#[test]
fn all_points_are_different_and_counted() {
    let space = space(&["n=int(-2,2)", "c=choice(r,g,b)", "s=7", "b=bool"]);
    let points: Vec<Point> = points(&space);
    assert_eq!(space.cardinality(), Some(30));
    assert_eq!(points.iter().collect::<HashSet<_>>().len(), 30);
    assert_eq!(points[29], point("2 b 7 true"));
    assert_eq!(space.nth_point(30), None);
    let back = |p: &Point| space.decode(&space.encode(p).unwrap());
    assert!(points.iter().all(|p| back(p) == *p));
}

#[test]
fn a_cardinality_past_128_bits_saturates() {
    let big = space(&["a", "b", "c"].map(|n| format!("{n}=int(1,1125899906842624)")));
    assert_eq!(big.cardinality(), Some(u128::MAX));
    assert!(big.nth_point(u128::MAX).is_some());
}

#[test]
fn equal_points_have_equal_hashes() {
    let floats = [0.0, -0.0, f64::NAN, -f64::NAN].map(Value::from);
    let values = floats.into_iter().chain([0.into()]);
    let set: HashSet<Point> = values.map(|value| Point::new(vec![value])).collect();
    assert_eq!(set.len(), 3);
}

#[test]
fn pools_scale_each_column() {
    let rows = [[0.0, 7.0, -1e308], [2.0, 7.0, 0.0], [8.0, 7.0, 1e308]];
    let space = Space::from_pool(Points::from_rows(3, rows)).unwrap();
    let scaled = [[-1.0, 0.0, -1.0], [-0.5, 0.0, 0.0], [1.0, 0.0, 1.0]];
    assert_eq!(space.pool().unwrap(), &Points::from_rows(3, scaled));
    assert_eq!(space.parameters()[0].name(), "index");
    assert_eq!(space.cardinality(), Some(3));
    assert_eq!(space.coordinates(), [Coordinate::Feature; 3]);
    for p in ["0", "1", "2"] {
        assert_eq!(space.decode(&encoded(&space, p)), point(p));
    }
    let row = "3 => it must be the index of a row, a whole number from 0 to 2";
    assert_errors(&space, row);
}

#[test]
fn bad_pools_and_bounds_are_errors() {
    let nan = Points::from_rows(2, [[0.0, 1.0], [0.0, f64::NAN]]);
    let error = Space::from_pool(nan).unwrap_err().to_string();
    assert!(error.contains("row 1, column 1 is NaN"), "{error}");
    assert!(Space::from_pool(Points::new(2)).is_err());
    assert!(Space::from_pool(Points::zeros(0, 3)).is_err());
    let error = Space::from_bounds(&[(0.0, 1.0), (2.0, 2.0)]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("write x1=VALUE for a fixed value"),
        "{error}"
    );
    assert!(Space::from_bounds(&[(f64::NAN, 1.0)]).is_err());
    assert_eq!(Space::from_bounds(&[]), Err(SpaceError::Empty));
}

#[test]
fn parameters_must_go_together() {
    let p = |text: &str| text.parse::<Parameter>().unwrap();
    let twice = Space::new(vec![p("x=1"), p("x=2")]);
    assert_eq!(twice, Err(SpaceError::DuplicateName("x".into())));
    let rows = Space::from_pool(Points::zeros(1, 2)).unwrap().parameters()[0].clone();
    let (name, count) = ("index".into(), 2);
    let beside = Space::new(vec![p("x=1"), rows]);
    assert_eq!(beside, Err(SpaceError::RowsNotAlone { name, count }));
}

#[test]
fn stepped_numbers_sit_at_the_centres_of_equal_cells() {
    let space = space_of("x=float(0,0.35,step=0.1) ; n=int(0,10,step=5) ; one=int(3,3,step=2)");
    let grid = |levels| Coordinate::Grid { levels };
    assert_eq!(space.coordinates(), [grid(4), grid(3)]);
    assert_eq!(space.cardinality(), Some(12));
    let p = point("0.3 5 3");
    assert_eq!(space.encode(&p).unwrap(), [0.75, 0.0]);
    assert_eq!(space.decode(&[1.0, 0.1]), p);
    assert_eq!(
        space.point(&[(0.1 + 0.2).into(), 5.0.into(), 3.into()]),
        Ok(p)
    );
    assert_errors(
        &space,
        r##"
0.35 5 3 => a number from 0.0 to 0.35 in steps of 0.1
0.3 6 3 => a whole number from 0 to 10 in steps of 5
"##,
    );
}

#[test]
fn log_steps_are_decoded_to_the_nearest_level() {
    let stepped = space(&["x=float(0.1,1,log,step=0.1)"]);
    let ints = space(&["n=int(1,10,log)"]);
    for k in 1..=10 {
        let x = encoded(&stepped, &(f64::from(k) / 10.0).to_string())[0];
        let n = encoded(&ints, &k.to_string())[0];
        assert!((x - n).abs() < 1e-14, "{k}: {x} is not {n}");
    }
    assert_eq!(stepped.decode(&[1.0]), point("1.0"));
    let coarse = space(&["x=float(1e-3,1,log,step=0.5)"]);
    assert_eq!(coarse.coordinates(), [Coordinate::Grid { levels: 2 }]);
    assert_eq!(coarse.decode(&[1.0]), point("0.501"));
    assert_eq!(coarse.decode(&[-1.0]), point("1e-3"));
}

#[test]
fn the_widest_stepped_ints_do_not_overflow() {
    let widest = "n=int(-9223372036854775808,9223372036854775807,step=4611686018427387904)";
    let space = space(&[widest]);
    assert_eq!(space.cardinality(), Some(4));
    assert_eq!(space.decode(&[1.0]), point("4611686018427387904"));
    assert_eq!(encoded(&space, "4611686018427387904"), [0.75]);
}
