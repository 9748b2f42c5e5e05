//! Laws that hold for every space, point, row and text.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::num::f64::{ANY, NORMAL, SUBNORMAL, ZERO};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::space_of;
use crate::space::{Coordinate, Domain, Parameter, Params, Point, Space, Value};

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        NORMAL | SUBNORMAL | ZERO,
        -100.0..100.0,
        Just(f64::MAX),
        Just(f64::MIN),
        Just(0.0)
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        ".*",
        "[a-z]{1,5}",
        "[0-9.e-]{1,5}",
        "(bool|int|float|choice|fixed|true|inf|nan|null|log|step=1)",
        "[\\[{].{0,3}",
        "int\\([0-9,]*\\)"
    ];
    prop_oneof![
        3 => finite().prop_map(Value::Float),
        3 => any::<i64>().prop_map(Value::Int),
        2 => any::<bool>().prop_map(Value::Bool),
        3 => words.prop_map(Value::Text),
        1 => Just(Value::Null),
        1 => list_or_object(),
    ]
}

/// JSON of numbers, text, nulls, lists and objects.
fn list_or_object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        finite().prop_map(serde_json::Value::from),
        ".{0,4}".prop_map(serde_json::Value::from),
    ];
    let list = vec(leaf, 0..4);
    let object = (list.clone(), "[a-z]{0,2}").prop_map(|(list, key)| {
        let keys = (0..).map(move |i| format!("{key}{i}"));
        serde_json::Value::Object(keys.zip(list).collect())
    });
    prop_oneof![list.prop_map(serde_json::Value::Array), object]
        .prop_map(|json| Value::try_from(json).unwrap())
}

fn ordered<T: PartialOrd>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}

fn bounds() -> impl Strategy<Value = (f64, f64)> {
    (finite(), finite())
        .prop_map(|(a, b)| ordered(a, b))
        .prop_filter("low below high", |(low, high)| low < high)
}

/// A domain of any kind with a text form; some are not valid, and are filtered by the check.
fn domain() -> impl Strategy<Value = Domain> {
    let float = (finite(), finite(), any::<bool>()).prop_map(|(a, b, log)| {
        let (low, high) = if log {
            ordered(a.abs(), b.abs())
        } else {
            ordered(a, b)
        };
        Domain::float(low, high, log, None)
    });
    let ints = |(a, b), log| {
        let (low, high) = ordered(a, b);
        Domain::int(low, high, log, None)
    };
    let wide = -(1_i64 << 49)..1 << 49;
    let int = (wide.clone(), wide).prop_map(move |ends| ints(ends, false));
    let small_int = (-9_i64..9, 0_i64..9).prop_map(move |(a, more)| ints((a, a + more), false));
    let large = 1_i64..=1 << 40;
    let log_int = (large.clone(), large).prop_map(move |ends| ints(ends, true));
    let stepped = (-9_i64..9, 1_i64..40, 1_i64..9, any::<bool>());
    let stepped = stepped.prop_map(|(low, range, step, log)| {
        let low = if log { low.abs() + 1 } else { low };
        Domain::int(low, low + range, log, Some(step))
    });
    let choice = vec(value(), 1..6).prop_map(|choices| Domain::Choice { choices });
    let ordinal = vec(value(), 1..6).prop_map(|values| Domain::Ordinal { values });
    let fixed = value().prop_map(|value| Domain::Fixed { value });
    prop_oneof![3 => float, 1 => int, 1 => small_int, 1 => log_int, 1 => stepped, 3 => stepped_float(), 2 => choice, 1 => ordinal, 1 => fixed, 1 => Just(Domain::bool())]
}

/// A float with a step: decimals as people write them, and any numbers.
fn stepped_float() -> impl Strategy<Value = Domain> {
    let decimal = (-999_i32..999, 1_i32..999, 1_i32..99, 0_i32..4);
    let decimal = decimal.prop_map(|(low, range, step, digits)| {
        let number = |k: i32| f64::from(k) / 10_f64.powi(digits);
        (number(low), number(low + range), number(step))
    });
    let wild = (bounds(), 1.0..1e6)
        .prop_map(|((low, high), parts)| (low, high, high / parts - low / parts));
    (prop_oneof![decimal, wild], any::<bool>()).prop_map(|((low, high, step), log)| {
        let absolute = || ordered(low.abs(), high.abs());
        let (low, high) = if log { absolute() } else { (low, high) };
        Domain::float(low, high, log, Some(step))
    })
}

fn parameter() -> impl Strategy<Value = Parameter> {
    let named = ("[A-Za-z_][A-Za-z0-9_.-]{0,6}", domain());
    let valid = |(name, domain): (String, Domain)| Parameter::new(name, domain).ok();
    named.prop_filter_map("a valid domain", valid)
}

fn space() -> impl Strategy<Value = Space> {
    vec(domain(), 1..6).prop_filter_map("valid domains", |domains| {
        let domains = domains.into_iter().enumerate();
        let parameters = domains.map(|(i, domain)| Parameter::new(format!("p{i}"), domain));
        Space::new(parameters.collect::<Result<_, _>>().ok()?).ok()
    })
}

/// A space and a row of any numbers, also of a wrong length.
fn space_and_row() -> impl Strategy<Value = (Space, Vec<f64>)> {
    (space(), vec(prop_oneof![ANY, -1.5..1.5, -1.0..1.0], 0..40))
}

/// Whether two values are the same; floats up to 1e-12 of their range.
fn close(domain: &Domain, a: &Value, b: &Value) -> bool {
    match (domain.range(), a, b) {
        (Some(range), Value::Float(a), Value::Float(b)) if range.step.is_none() => {
            (a / 2.0 - b / 2.0).abs() <= 1e-12 * (range.high / 2.0 - range.low / 2.0)
        }
        _ => a == b,
    }
}

fn all_close(space: &Space, a: &Point, b: &Point) -> bool {
    let values = a.values().iter().zip(b.values());
    let mut both = space.parameters().iter().zip(values);
    both.all(|(parameter, (a, b))| match (a, b) {
        (Some(a), Some(b)) => close(parameter.domain(), a, b),
        _ => a == b,
    })
}

proptest! {
    #[test]
    fn any_row_decodes_to_a_point_of_the_space((space, row) in space_and_row()) {
        let point = space.decode(&row);
        let encoded = space.encode(&point);
        prop_assert!(encoded.is_ok(), "{encoded:?}");
        prop_assert!(encoded.unwrap().iter().all(|u| (-1.0..=1.0).contains(u)));
    }

    #[test]
    fn decoding_an_encoded_point_gives_it_back((space, row) in space_and_row()) {
        let point = space.decode(&row);
        let back = space.decode(&space.encode(&point).unwrap());
        prop_assert!(all_close(&space, &point, &back), "{point:?} became {back:?}");
    }

    #[test]
    fn snapping_is_encoding_what_was_decoded((space, mut row) in space_and_row()) {
        row.resize(space.encoded_dim(), 0.0);
        let expected = space.encode(&space.decode(&row)).unwrap();
        space.snap(&mut row);
        prop_assert_eq!(&row, &expected);
        let once = row.clone();
        space.snap(&mut row);
        for ((u, v), coordinate) in once.iter().zip(&row).zip(space.coordinates()) {
            let tolerance = if *coordinate == Coordinate::Continuous { 1e-12 } else { 0.0 };
            prop_assert!((u - v).abs() <= tolerance, "{u} became {v}");
        }
    }

    #[test]
    fn snapping_a_row_of_any_length_does_not_panic((space, mut row) in space_and_row()) {
        space.snap(&mut row);
    }

    #[test]
    fn float_scales_increase((low, high) in bounds(), u in -1.0..1.0_f64, v in -1.0..1.0_f64) {
        let space = Space::from_bounds(&[(low, high)]).unwrap();
        let number = |u: f64| space.decode(&[u]).get(0).unwrap().as_f64().unwrap();
        let (u, v) = ordered(u, v);
        prop_assert!(number(u) <= number(v));
        prop_assert_eq!((number(-1.0), number(1.0)), (low, high));
    }

    #[test]
    fn printed_parameters_read_back(parameter in parameter()) {
        prop_assert_eq!(parameter.to_string().parse::<Parameter>(), Ok(parameter));
    }

    #[test]
    fn printed_scalars_read_back(value in value()) {
        let mut text = String::new();
        match &value {
            Value::Text(s) => write!(text, "{s:?}").unwrap(),
            _ => write!(text, "{value}").unwrap(),
        }
        prop_assume!(!matches!(&value, Value::Text(_)) || !text.contains('\\'));
        prop_assert_eq!(text.parse(), Ok(value));
    }

    #[test]
    fn files_keep_every_bit(space in space()) {
        let json = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Space>(&json).unwrap(), &space);
        // TOML has no null; its files give such domains in their text form.
        if !json.contains("null") {
            let toml = toml::to_string(&space).unwrap();
            prop_assert_eq!(&toml::from_str::<Space>(&toml).unwrap(), &space);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(any in "\\PC*", near in "[a-z]{0,2}=? ?(float|int|choice|ordinal|bool|fixed|rows)?[(),\"\\\\ a1.e\\[\\]{}:=-]{0,12}") {
        for text in [any.clone(), format!("x={any}"), format!("x=choice({any})"), near] {
            if let Ok(parameter) = text.parse::<Parameter>() {
                prop_assert_eq!(parameter.to_string().parse::<Parameter>(), Ok(parameter));
            }
        }
    }

    #[test]
    fn values_of_a_grid_rise_from_low_to_high(domain in stepped_float(), u in 0.0..1.0_f64) {
        let Ok(parameter) = Parameter::new("x", domain) else { return Ok(()) };
        let Domain::Float { low, high, step: Some(_), .. } = *parameter.domain() else { unreachable!() };
        let number = |u: f64| parameter.draw(u).as_f64().unwrap();
        prop_assert_eq!(number(0.0), low);
        prop_assert!(number(1.0) <= high);
        let grid = Space::new(vec![parameter.clone()]).unwrap();
        let last = grid.cardinality().unwrap() - 1;
        let n = (u * last as f64) as u128;
        let value = |n: u128| grid.nth_point(n).unwrap().get(0).unwrap().as_f64().unwrap();
        prop_assert!(value(n) < value(n + 1), "{} then {} in {}", value(n), value(n + 1), parameter);
        prop_assert!(value(last) <= high);
    }

    #[test]
    fn drawn_values_are_in_the_domain(parameter in parameter(), u in prop_oneof![0.0..1.0_f64, ANY]) {
        let value = parameter.draw(u);
        prop_assert!(parameter.level(&value).is_some(), "{value} of {parameter}");
    }

    #[test]
    fn the_row_of_params_is_the_row_of_their_point((space, row) in space_and_row()) {
        let point = space.decode(&row);
        let params = space.params(&point);
        let expected = space.encode(&point).unwrap();
        prop_assert_eq!(space.point_of(&params), Ok(point));
        prop_assert_eq!(space.check(&params), Ok(params.clone()));
        prop_assert_eq!(&space.row_of(&params), &expected);
        prop_assert_eq!(space.row_of_json(&params.to_json()), Ok(expected));
    }

    #[test]
    fn any_params_have_a_row(space in space(), values in vec(("p[0-7]", value()), 0..8)) {
        let params: Params = values.into_iter().collect();
        let row = space.row_of(&params);
        prop_assert_eq!(row.len(), space.encoded_dim());
        prop_assert!(row.iter().all(|u| (-3.0..=3.0).contains(u)), "{row:?}");
        prop_assert_eq!(space.row_of_json(&params.to_json()), Ok(row.clone()));
        prop_assert_eq!(space.row_of_json(&serde_json::to_string_pretty(&params).unwrap()), Ok(row));
        prop_assert_eq!(space.ordered(&params).count(), params.len());
    }

    #[test]
    fn params_keep_every_bit_as_json(values in vec((".{0,3}", value()), 0..8)) {
        let params: Params = values.into_iter().collect();
        prop_assert_eq!(&serde_json::from_str::<Params>(&params.to_json()).unwrap(), &params);
        prop_assert_eq!(&serde_json::from_str::<Params>(&serde_json::to_string(&params).unwrap()).unwrap(), &params);
    }

    #[test]
    fn a_space_does_not_differ_from_itself(space in space()) {
        prop_assert_eq!(space.changes(&space), []);
    }
}

#[test]
fn ten_thousand_random_rows_decode_to_values_of_the_grid() {
    let space = space_of(
        "x=float(0,1,step=0.05) ; y=float(1e-3,1,log,step=1e-3) ; n=int(3,100,step=7) ; \
            m=int(1,999,log,step=2)",
    );
    let mut runner = TestRunner::deterministic();
    for _ in 0..10_000 {
        let mut row = vec(-1.0..1.0, 4).new_tree(&mut runner).unwrap().current();
        let point = space.decode(&row);
        let encoded = space.encode(&point).unwrap();
        space.snap(&mut row);
        assert_eq!(row, encoded);
        assert_eq!(space.decode(&row), point);
        let values = point.values().iter().flatten();
        let numbers: Vec<f64> = values.filter_map(Value::as_f64).collect();
        assert_eq!(format!("{:.2}", numbers[0]).parse(), Ok(numbers[0]));
        assert_eq!(format!("{:.3}", numbers[1]).parse(), Ok(numbers[1]));
        assert_eq!((numbers[2] - 3.0) % 7.0, 0.0);
        assert_eq!(numbers[3] % 2.0, 1.0);
    }
}
