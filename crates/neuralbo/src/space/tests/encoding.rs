//! Encodings, points and counts against values worked out by hand.

use std::collections::{BTreeMap, HashSet};

use super::space;
use crate::linalg::Points;
use crate::space::{Coordinate, Parameter, Point, Space, SpaceError, Value};

fn point(values: &[Value]) -> Point {
    Point::new(values.to_vec())
}

#[test]
fn ints_sit_at_the_centres_of_equal_cells() {
    let space = space(&["n=int(-1,2)"]);
    let rows: Vec<f64> = (-1..=2)
        .map(|k| space.encode(&point(&[k.into()])).unwrap()[0])
        .collect();
    assert_eq!(rows, [-0.75, -0.25, 0.25, 0.75]);
}

#[test]
fn a_uniform_row_gives_every_int_the_same_probability() {
    let space = space(&["n=int(1,7)"]);
    let mut counts = [0; 7];
    for i in 0..7000 {
        let Some(Value::Int(k)) = space
            .decode(&[-1.0 + (2.0 * f64::from(i) + 1.0) / 7000.0])
            .values()[0]
        else {
            panic!()
        };
        counts[(k - 1) as usize] += 1;
    }
    assert_eq!(counts, [1000; 7]);
}

#[test]
fn log_ints_have_cells_in_proportion_to_their_logarithms() {
    let space = space(&["n=int(1,1024,log)"]);
    let width = (1024.5_f64 / 0.5).ln();
    let expected = |x: f64| 2.0 * (x / 0.5).ln() / width - 1.0;
    assert!((space.encode(&point(&[32.into()])).unwrap()[0] - expected(32.0)).abs() < 1e-14);
    assert_eq!(space.decode(&[expected(32.499)]), point(&[32.into()]));
    assert_eq!(space.decode(&[expected(32.501)]), point(&[33.into()]));
    assert_eq!(space.decode(&[-1.0]), point(&[1.into()]));
    assert_eq!(space.decode(&[1.0]), point(&[1024.into()]));
}

#[test]
fn the_largest_int_ranges_decode_exactly() {
    for (low, high, text) in [
        (0, (1_i64 << 50) - 1, "n=int(0,1125899906842623)"),
        (1, 1 << 40, "n=int(1,1099511627776,log)"),
        (
            (1 << 40) - 5,
            1 << 40,
            "n=int(1099511627771,1099511627776,log)",
        ),
    ] {
        let space = space(&[text]);
        for k in (0..6)
            .flat_map(|i| [low + i, high - i, low + (high - low) / 3 + i])
            .filter(|k| (low..=high).contains(k))
        {
            let p = point(&[k.into()]);
            assert_eq!(space.decode(&space.encode(&p).unwrap()), p, "{text}");
        }
    }
}

#[test]
fn coordinates_say_what_they_are() {
    let space = space(&[
        "x=float(0,1)",
        "n=int(1,9)",
        "b=bool",
        "c=choice(a,b,c)",
        "one=int(3,3)",
        "d=choice(1,2,3,4)",
        "s=7",
    ]);
    let hot = |group, first, len| Coordinate::OneHot { group, first, len };
    let mut expected = vec![
        Coordinate::Continuous,
        Coordinate::Grid { levels: 9 },
        Coordinate::Grid { levels: 2 },
    ];
    expected.extend([hot(0, 3, 3); 3]);
    expected.extend([hot(1, 6, 4); 4]);
    assert_eq!(space.coordinates(), expected);
    assert_eq!(space.encoded_dim(), 10);
    assert!(!space.is_continuous());
    assert_eq!(space.cardinality(), None);
}

#[test]
fn continuous_spaces_may_have_fixed_parameters() {
    assert!(space(&["x=float(0,1)", "s=7"]).is_continuous());
    assert!(!space(&["s=7"]).is_continuous());
    assert_eq!(space(&["s=7"]).cardinality(), Some(1));
    assert_eq!(space(&["s=7"]).decode(&[]), point(&[7.into()]));
}

#[test]
fn choices_are_signs_or_one_hot() {
    let space = space(&["b=choice(no,yes)", "c=choice(r,g,b)"]);
    assert_eq!(
        space.encode(&point(&["yes".into(), "g".into()])).unwrap(),
        [1.0, -1.0, 1.0, -1.0]
    );
    assert_eq!(
        space.decode(&[-0.1, f64::NAN, 0.2, 0.3]),
        point(&["no".into(), "b".into()])
    );
    assert_eq!(
        space.decode(&[f64::NAN; 4]),
        point(&["no".into(), "r".into()])
    );
}

#[test]
fn wrong_values_are_errors_that_say_what_is_allowed() {
    let space = space(&["n=int(1,4)", "c=choice(r,g)", "s=7"]);
    let error = |values: &[Value]| space.encode(&point(values)).unwrap_err().to_string();
    assert_eq!(
        error(&[5.into(), "r".into(), 7.into()]),
        "parameter `n`: value `5` is not allowed, it must be a whole number from 1 to 4"
    );
    assert_eq!(
        error(&[1.into(), "x".into(), 7.into()]),
        "parameter `c`: value `x` is not allowed, it must be one of `r`, `g`"
    );
    assert_eq!(
        error(&[1.into(), "r".into(), 8.into()]),
        "parameter `s`: value `8` is not allowed, it must be `7` (it is fixed)"
    );
    assert!(error(&[1.5.into(), "r".into(), 7.into()]).contains("`1.5`"));
    assert!(error(&[f64::NAN.into(), "r".into(), 7.into()]).contains("`NaN`"));
    assert_eq!(
        error(&[1.into()]),
        "a point with 1 values, but the space has 3 parameters"
    );
}

#[test]
fn named_values_make_a_checked_point() {
    let space = space(&["x=float(0,9)", "n=int(1,4)", "s=7"]);
    let map: BTreeMap<String, Value> = [("n".into(), 2.0.into()), ("x".into(), 3.into())].into();
    let made = space.point_from_named(map).unwrap();
    assert_eq!(made, point(&[3.0.into(), 2.into(), 7.into()]));
    let names: Vec<_> = space
        .named(&made)
        .map(|(name, value)| format!("{name}:{value}"))
        .collect();
    assert_eq!(names, ["x:3.0", "n:2", "s:7"]);

    let error = |named: &[(&str, i64)]| {
        space
            .point_from_named(named.iter().map(|&(n, k)| (n, k.into())))
            .unwrap_err()
    };
    assert_eq!(
        error(&[("n", 1)]).to_string(),
        "no value for parameter `x`; expected are `x`, `n`, `s`"
    );
    assert_eq!(
        error(&[("y", 1)]).to_string(),
        "unknown parameter `y`; expected are `x`, `n`, `s`"
    );
    assert_eq!(
        error(&[("n", 1), ("n", 2)]).to_string(),
        "two values for parameter `n`"
    );
    assert_eq!(
        error(&[("x", 1), ("n", 2), ("s", 8)]),
        SpaceError::BadValue {
            name: "s".into(),
            value: 8.into(),
            allowed: "`7` (it is fixed)".into()
        }
    );
}

#[test]
fn all_points_are_different_and_counted() {
    let space = space(&["n=int(-2,2)", "c=choice(r,g,b)", "s=7", "b=bool"]);
    let points: Vec<Point> = space.all_points().unwrap().collect();
    assert_eq!(space.cardinality(), Some(30));
    assert_eq!(points.iter().collect::<HashSet<_>>().len(), 30);
    assert_eq!(
        points[29],
        point(&[2.into(), "b".into(), 7.into(), true.into()])
    );
    assert_eq!(space.nth_point(30), None);
    assert!(
        points
            .iter()
            .all(|p| space.decode(&space.encode(p).unwrap()) == *p)
    );
}

#[test]
fn a_cardinality_past_128_bits_saturates() {
    let names: Vec<String> = (0..3)
        .map(|i| format!("n{i}=int(1,1125899906842624)"))
        .collect();
    let big = space(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(big.cardinality(), Some(u128::MAX));
    assert!(big.nth_point(u128::MAX).is_some());
}

#[test]
fn equal_points_have_equal_hashes() {
    let set: HashSet<Point> = [0.0, -0.0, f64::NAN, -f64::NAN]
        .map(|x| point(&[x.into()]))
        .into_iter()
        .chain([point(&[0.into()])])
        .collect();
    assert_eq!(set.len(), 3);
}

#[test]
fn pools_scale_each_column() {
    let space = Space::from_pool(Points::from_rows(
        3,
        [[0.0, 7.0, -1e308], [2.0, 7.0, 0.0], [8.0, 7.0, 1e308]],
    ))
    .unwrap();
    assert_eq!(
        space.pool().unwrap(),
        &Points::from_rows(3, [[-1.0, 0.0, -1.0], [-0.5, 0.0, 0.0], [1.0, 0.0, 1.0]])
    );
    assert_eq!(space.parameters()[0].name(), "index");
    assert_eq!(space.cardinality(), Some(3));
    assert_eq!(space.coordinates(), [Coordinate::Feature; 3]);
    for i in 0..3 {
        let p = point(&[i.into()]);
        assert_eq!(space.decode(&space.encode(&p).unwrap()), p);
    }
    let error = space.encode(&point(&[3.into()])).unwrap_err().to_string();
    assert!(
        error.ends_with("it must be the index of a row, a whole number from 0 to 2"),
        "{error}"
    );
}

#[test]
fn bad_pools_and_bounds_are_errors() {
    let error = Space::from_pool(Points::from_rows(2, [[0.0, 1.0], [0.0, f64::NAN]]))
        .unwrap_err()
        .to_string();
    assert!(error.contains("row 1, column 1 is NaN"), "{error}");
    assert!(Space::from_pool(Points::new(2)).is_err());
    assert!(Space::from_pool(Points::zeros(0, 3)).is_err());
    let error = Space::from_bounds(&[(0.0, 1.0), (2.0, 2.0)])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`x1`") && error.contains("write x1=VALUE for a fixed value"),
        "{error}"
    );
    assert!(Space::from_bounds(&[(f64::NAN, 1.0)]).is_err());
    assert_eq!(Space::from_bounds(&[]), Err(SpaceError::Empty));
}

#[test]
fn parameters_must_go_together() {
    let p = |text: &str| text.parse::<Parameter>().unwrap();
    assert_eq!(
        Space::new(vec![p("x=1"), p("x=2")]),
        Err(SpaceError::DuplicateName { name: "x".into() })
    );
    let rows = Space::from_pool(Points::zeros(1, 2)).unwrap().parameters()[0].clone();
    assert_eq!(
        Space::new(vec![p("x=1"), rows]),
        Err(SpaceError::RowsNotAlone {
            name: "index".into(),
            count: 2
        })
    );
}

#[test]
fn stepped_numbers_sit_at_the_centres_of_equal_cells() {
    let space = space(&[
        "x=float(0,0.35,step=0.1)",
        "n=int(0,10,step=5)",
        "one=int(3,3,step=2)",
    ]);
    assert_eq!(
        space.coordinates(),
        [
            Coordinate::Grid { levels: 4 },
            Coordinate::Grid { levels: 3 }
        ]
    );
    assert_eq!(space.cardinality(), Some(12));
    let p = point(&[0.3.into(), 5.into(), 3.into()]);
    assert_eq!(space.encode(&p).unwrap(), [0.75, 0.0]);
    assert_eq!(space.decode(&[1.0, 0.1]), p);
    assert_eq!(
        space
            .point(&[(0.1 + 0.2).into(), 5.0.into(), 3.into()])
            .unwrap(),
        p
    );
    let error = |values: &[Value]| space.encode(&point(values)).unwrap_err().to_string();
    assert!(
        error(&[0.35.into(), 5.into(), 3.into()])
            .ends_with("a number from 0.0 to 0.35 in steps of 0.1")
    );
    assert!(
        error(&[0.3.into(), 6.into(), 3.into()])
            .ends_with("a whole number from 0 to 10 in steps of 5")
    );
}

#[test]
fn log_steps_are_decoded_to_the_nearest_level() {
    let stepped = space(&["x=float(0.1,1,log,step=0.1)"]);
    let ints = space(&["n=int(1,10,log)"]);
    for k in 1..=10 {
        let x = stepped
            .encode(&point(&[(f64::from(k) / 10.0).into()]))
            .unwrap()[0];
        let n = ints.encode(&point(&[k.into()])).unwrap()[0];
        assert!((x - n).abs() < 1e-14, "{k}: {x} is not {n}");
    }
    assert_eq!(stepped.decode(&[1.0]), point(&[1.0.into()]));
    let coarse = space(&["x=float(1e-3,1,log,step=0.5)"]);
    assert_eq!(coarse.coordinates(), [Coordinate::Grid { levels: 2 }]);
    assert_eq!(coarse.decode(&[1.0]), point(&[0.501.into()]));
    assert_eq!(coarse.decode(&[-1.0]), point(&[1e-3.into()]));
}

#[test]
fn the_widest_stepped_ints_do_not_overflow() {
    let space =
        space(&["n=int(-9223372036854775808,9223372036854775807,step=4611686018427387904)"]);
    assert_eq!(space.cardinality(), Some(4));
    let last = point(&[4_611_686_018_427_387_904_i64.into()]);
    assert_eq!(space.decode(&[1.0]), last);
    assert_eq!(space.encode(&last).unwrap(), [0.75]);
}
