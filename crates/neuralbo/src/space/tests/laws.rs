//! Laws that hold for every space, point, row and text.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::num::f64::{ANY, NORMAL, SUBNORMAL, ZERO};
use proptest::prelude::*;

use crate::space::{Coordinate, Domain, Parameter, Point, Space, Value};

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![NORMAL | SUBNORMAL | ZERO, -100.0..100.0, Just(f64::MAX), Just(f64::MIN), Just(0.0)]
}

fn value() -> impl Strategy<Value = Value> {
    let words =
        prop_oneof![".*", "[a-z]{1,5}", "[0-9.e-]{1,5}", "(bool|int|float|choice|fixed|true|inf|nan)", "int\\([0-9,]*\\)"];
    prop_oneof![
        finite().prop_map(Value::Float),
        any::<i64>().prop_map(Value::Int),
        any::<bool>().prop_map(Value::Bool),
        words.prop_map(Value::Text)
    ]
}

fn ordered<T: PartialOrd>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}

fn bounds() -> impl Strategy<Value = (f64, f64)> {
    (finite(), finite()).prop_map(|(a, b)| ordered(a, b)).prop_filter("low below high", |(low, high)| low < high)
}

/// A domain of any kind with a text form; some are not valid, and are filtered by the check.
fn domain() -> impl Strategy<Value = Domain> {
    let float = (finite(), finite(), any::<bool>()).prop_map(|(a, b, log)| {
        let (low, high) = if log { ordered(a.abs(), b.abs()) } else { ordered(a, b) };
        Domain::Float { low, high, log }
    });
    let int = (-(1_i64 << 49)..1 << 49, -(1_i64 << 49)..1 << 49).prop_map(|(a, b)| {
        let (low, high) = ordered(a, b);
        Domain::Int { low, high, log: false }
    });
    let small_int = (-9_i64..9, 0_i64..9).prop_map(|(low, more)| Domain::Int { low, high: low + more, log: false });
    let log_int = (1_i64..=1 << 40, 1_i64..=1 << 40).prop_map(|(a, b)| {
        let (low, high) = ordered(a, b);
        Domain::Int { low, high, log: true }
    });
    let choice = vec(value(), 1..6).prop_map(|choices| Domain::Choice { choices });
    let fixed = value().prop_map(|value| Domain::Fixed { value });
    prop_oneof![3 => float, 1 => int, 1 => small_int, 1 => log_int, 2 => choice, 1 => fixed, 1 => Just(Domain::bool())]
}

fn parameter() -> impl Strategy<Value = Parameter> {
    ("[A-Za-z_][A-Za-z0-9_.-]{0,6}", domain())
        .prop_filter_map("a valid domain", |(name, domain)| Parameter::new(name, domain).ok())
}

fn space() -> impl Strategy<Value = Space> {
    vec(domain(), 1..6).prop_filter_map("valid domains", |domains| {
        let parameters = domains.into_iter().enumerate().map(|(i, domain)| Parameter::new(format!("p{i}"), domain));
        Space::new(parameters.collect::<Result<_, _>>().ok()?).ok()
    })
}

/// A space and a row of any numbers, also of a wrong length.
fn space_and_row() -> impl Strategy<Value = (Space, Vec<f64>)> {
    (space(), vec(prop_oneof![ANY, -1.5..1.5, -1.0..1.0], 0..40))
}

/// Whether two values are the same; floats up to 1e-12 of their range.
fn close(domain: &Domain, a: &Value, b: &Value) -> bool {
    match (domain, a, b) {
        (Domain::Float { low, high, .. }, Value::Float(a), Value::Float(b)) => {
            (a / 2.0 - b / 2.0).abs() <= 1e-12 * (high / 2.0 - low / 2.0)
        }
        _ => a == b,
    }
}

fn all_close(space: &Space, a: &Point, b: &Point) -> bool {
    let values = a.values().iter().zip(b.values());
    space.parameters().iter().zip(values).all(|(parameter, (a, b))| close(parameter.domain(), a, b))
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
        let number = |u: f64| space.decode(&[u]).values()[0].as_f64().unwrap();
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
        let toml = toml::to_string(&space).unwrap();
        prop_assert_eq!(&toml::from_str::<Space>(&toml).unwrap(), &space);
    }

    #[test]
    fn no_text_makes_the_reader_panic(any in "\\PC*", near in "[a-z]{0,2}=? ?(float|int|choice|bool|fixed|rows)?[(),\"\\\\ a1.e-]{0,12}") {
        for text in [any.clone(), format!("x={any}"), format!("x=choice({any})"), near] {
            if let Ok(parameter) = text.parse::<Parameter>() {
                prop_assert_eq!(parameter.to_string().parse::<Parameter>(), Ok(parameter));
            }
        }
    }
}
