//! Conditions: which parameters a point has, and what is wrong with a condition.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{assert_messages, changes, params, points, space, space_of, table};
use crate::space::{Coordinate, Parameter, Point, Space, Value};

/// A categorical parent, a numeric one, nested conditions, several parents.
fn svm() -> Space {
    space_of(
        "kernel=choice(linear,rbf,poly) ; \
            gamma=float(1e-3,1e3,log) if kernel in (rbf, poly) ; \
            degree=int(2,5) if kernel == poly ; \
            shift=float(-1,1) if degree >= 4 and gamma <= 1 ; layers=int(1,4) ; \
            units2=int(8,256,log) if layers >= 2 ; drop2=bool if layers >= 2 ; \
            seed=7 if layers == 4",
    )
}

#[test]
fn the_text_form_reads_and_prints_conditions() {
    for text in [
        "C=float(0.001,1000.0,log) if kernel in (rbf, poly)",
        "units2=int(8,256,log) if layers >= 2",
        "b=bool if a == 1 or c != \"x if y\"",
        "word=fixed(\"a if b\") if n == 1",
        "seed=7 if not flag",
        "c=choice(\"if x\",[1,\" if \"]) if `weight-decay` < 0.5",
    ] {
        let parameter: Parameter = text.parse().unwrap();
        assert_eq!(parameter.to_string(), text);
        assert_eq!(text.parse::<Parameter>().unwrap(), parameter);
    }
    let plain: Parameter = "x=\"a if b == c\"".parse().unwrap();
    assert_eq!(plain.condition(), None);
    assert_eq!(plain.draw(0.0), "a if b == c".into());
    let tight: Parameter = "x=float(0,1)  if  (a==1)".parse().unwrap();
    assert_eq!(tight.to_string(), "x=float(0.0,1.0) if a == 1");
}

#[test]
fn files_hold_conditions_as_text() {
    let made = space(&["k=choice(a,b)", "x=float(0,1) if k == b", "f=3 if k == a"]);
    let json = r#"{"k":{"type":"choice","choices":["a","b"]},"x":{"type":"float","low":0.0,"high":1.0,"if":"k == b"},"f":{"type":"fixed","value":3,"if":"k == a"}}"#;
    assert_eq!(serde_json::to_string(&made).unwrap(), json);
    assert_eq!(serde_json::from_str::<Space>(json).unwrap(), made);
    let toml = toml::to_string(&made).unwrap();
    assert_eq!(toml::from_str::<Space>(&toml).unwrap(), made);
    let short = "k = \"choice(a,b)\"\nx = \"float(0,1) if k == b\"\nf = { type = \"fixed\", if = \"k == a\", value = 3 }";
    assert_eq!(toml::from_str::<Space>(short).unwrap(), made);
    let words = "k = \"bool\"\nb = \"bool if k\"\nt = \"word if k\"";
    let expected = space(&["k=bool", "b=bool if k", "t=\"word if k\""]);
    assert_eq!(toml::from_str::<Space>(words).unwrap(), expected);
    let wrong = serde_json::from_str::<Space>(r#"{"x":{"type":"bool","if":3}}"#).unwrap_err();
    let wrong = wrong.to_string();
    assert!(wrong.contains("`x`") && wrong.contains("string"), "{wrong}");
}

#[test]
fn what_is_wrong_with_a_condition_is_named() {
    assert_messages(
        r##"
k=choice(a,b,c) ; x=float(0,1) if z == a => `x` | `z == a` | unknown name `z` | `k`, `x`
k=choice(a,b,c) ; x=float(0,1) if x < 0.5 => `x` | `x < 0.5` | itself
k=choice(a,b,c) ; x=float(0,1) if k == d => `x` | `k == d` | never is `d` | one of `a`, `b`, `c`
k=choice(a,b,c) ; x=float(0,1) if k in (a, d) => `k in (a, d)` | never is `d`
k=choice(a,b,c) ; x=float(0,1) if k => `x` | not true or false
k=choice(a,b,c) ; x=float(0,1) if k == => `x` | a value is missing
k=choice(a,b,c) ; x=float(0,1) if => `x`
n=int(1,4) ; x=float(0,1) if n >= 9 => `x` | `n >= 9` | never holds | a whole number from 1 to 4
n=int(1,4000000) ; x=bool if n > 4000000 => `n > 4000000` | never holds
y=float(0,1) ; x=float(0,1) if y > 0.5 and y < 0.5 => never holds
y=float(0,1) ; x=float(0,1) if y > 1 => never holds | a number from 0.0 to 1.0
k=choice(a,b,c) ; n=int(1,4) if k == a ; x=bool if n > 1 and k == b => `x` | never holds | `n` is a whole number from 1 to 4 if k == a
a=bool if c ; b=bool if a ; c=bool if b => conditions must not be cyclic | `a` depends on `c` depends on `b` depends on `a`
"##,
        |text| {
            let parameters = text.split(" ; ").map(|text| text.parse::<Parameter>());
            let space = parameters.collect::<Result<_, _>>().and_then(Space::new);
            space.unwrap_err().to_string()
        },
    );
    // The border itself, a value between two others, and what is computed.
    for texts in [
        ["y=float(0,1)", "x=bool if y >= 1"],
        ["y=float(0,1)", "x=bool if y > 0.5 and y < 0.50001"],
        ["n=int(1,4000000)", "x=bool if n == 3999999"],
        ["y=float(0,1)", "x=bool if y * y > 0.99"],
    ] {
        space(&texts);
    }
}

#[test]
fn parents_may_come_after_their_children() {
    let space = space(&["x=float(0,1) if k == b", "k=choice(a,b,c)"]);
    let b = Point::new(vec![0.5.into(), "b".into()]);
    assert_eq!(space.decode(&[0.0, -1.0, 1.0, -1.0]), b);
    let a = [None, Some("a".into())].into_iter().collect();
    assert_eq!(space.decode(&[0.0, 1.0, -1.0, -1.0]), a);
}

#[test]
fn activity_is_a_coordinate_where_no_other_says_it() {
    for (texts, expected) in table(
        r##"
k=choice(a,b,c) ; x=float(0,1) if k in (a, b) => 0
k=bool ; x=float(0,1) if k => 0
k=choice(a,b,c) ; b=bool if k == a ; x=float(0,1) if b => 1
k=choice(a,b,c) ; b=choice(u,v,w) if k == a ; x=float(0,1) if b == u => 0
n=int(1,9) ; x=float(0,1) if n >= 2 ; y=float(0,1) if n >= 2 ; z=bool if n >= 3 => 2
n=int(1,9) ; s=4 if n >= 2 => 0
k=choice(a,b,c) ; b=bool ; x=float(0,1) if b and k == a => 1
"##,
    ) {
        let space = space_of(texts);
        let coordinates = space.coordinates().iter();
        let activities = coordinates.filter(|c| **c == Coordinate::Activity);
        assert_eq!(activities.count().to_string(), expected[0], "{texts}");
    }
}

#[test]
fn inactive_parameters_are_at_zero_and_absent() {
    let space = svm();
    // kernel 0..3, gamma, degree, shift, layers, units2, drop2, then the activity of shift and of the second layer.
    assert_eq!(space.encoded_dim(), 3 + 1 + 1 + 1 + 1 + 1 + 1 + 2);
    let mut row = vec![1.0, -1.0, -1.0, 0.7, 0.7, 0.7, -1.0, 0.7, 0.7, 0.3, 0.3];
    let shown = space.params(&space.decode(&row)).to_json();
    assert_eq!(shown, r#"{"kernel":"linear","layers":1}"#);
    space.snap(&mut row);
    let snapped = [1.0, -1.0, -1.0, 0.0, 0.0, 0.0, -0.75, 0.0, 0.0, -1.0, -1.0];
    assert_eq!(row, snapped);
    let full = params(
        r#"{"kernel":"poly","gamma":1.0,"degree":5,"shift":0.5,"layers":4,"units2":8,"drop2":true,"seed":7}"#,
    );
    let row = space.row_of(&full);
    assert_eq!(row[9..], [1.0, 1.0]);
    assert_eq!(space.params(&space.decode(&row)).to_json(), full.to_json());
    assert_eq!(space.active_coordinates(&row).unwrap()[..9], [true; 9]);
}

#[test]
fn points_must_have_what_is_active_and_nothing_else() {
    let space = svm();
    // The degree is absent, so what depends on it is also absent.
    assert_messages(
        r##"
{"kernel":"rbf","layers":1} => no value for parameter `gamma`
{"kernel":"linear","gamma":1,"layers":1} => parameter `gamma`: value `1` is not allowed, because the parameter is active only if kernel in (rbf, poly); leave it out
{"kernel":"rbf","gamma":0.5,"shift":0,"layers":1} => parameter `shift`: value `0` is not allowed, because
"##,
        |json| space.point_of(&params(json)).unwrap_err().to_string(),
    );
    let values = params(r#"{"kernel":"linear","layers":4,"units2":9,"drop2":false}"#);
    let fixed = space.point_of(&values).unwrap();
    assert_eq!(fixed.get(7), Some(&Value::Int(7)));
}

#[test]
fn values_of_other_definitions_keep_their_meaning() {
    let space = space_of(
        "k=choice(a,b,c) ; x=float(0,1) if k == b ; n=int(1,3) ; y=float(0,1) if n >= 2 ; \
            z=bool if n >= 2",
    );
    let row = |json: &str| {
        let row = space.row_of(&params(json));
        assert_eq!(space.row_of_json(json).unwrap(), row);
        row
    };
    // A superfluous value is not seen.
    let superfluous = row(r#"{"k":"a","x":1,"n":1,"y":1}"#);
    assert_eq!(superfluous, row(r#"{"k":"a","n":1}"#));
    // A parent that did not exist when the trial was made: what has a value was active.
    let orphan = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    assert_eq!(row(r#"{"x":1,"y":1}"#), orphan);
    assert_eq!(row("{}"), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    // A parent's value outside its domain decides as well.
    assert_eq!(row(r#"{"n":9,"y":1}"#)[5..], [1.0, 0.0, 1.0]);
    assert_eq!(row(r#"{"k":"removed","x":1}"#)[3], 0.0);
    let (free, inactive) = (params(r#"{"x":1}"#), params(r#"{"k":"a","x":1}"#));
    assert_eq!(space.check(&free), Ok(params(r#"{"x":1.0}"#)));
    assert!(space.check(&inactive).is_err());
    let kept = params(r#"{"k":"a","x":1.0}"#);
    assert_eq!(space.check_domains(&inactive), Ok(kept));
}

#[test]
fn points_are_counted_once() {
    // By hand: linear, rbf without gamma's continuum here; layers 1, then 2 and 3 with 2 drops each.
    let space = space_of(
        "k=choice(a,b,c) ; n=int(1,5) if k == b ; m=int(1,2) if n >= 4 ; layers=int(1,3) ; \
            drop=bool if layers >= 2",
    );
    let branch = 1 + (3 + 2 * 2) + 1;
    assert_eq!(space.cardinality(), Some(branch * (1 + 2 * 2)));
    let points: HashSet<Point> = points(&space).into_iter().collect();
    assert_eq!(points.len() as u128, branch * 5);
    assert!(points.iter().all(|point| space.encode(point).is_ok()));
    assert_eq!(space.nth_point(branch * 5), None);
    let bits = |row: Vec<f64>| row.into_iter().map(f64::to_bits).collect();
    let rows = points.iter();
    let rows = rows.map(|point| bits(space.encode(point).unwrap()));
    assert_eq!(rows.collect::<HashSet<Vec<u64>>>().len(), points.len());
}

#[test]
fn spaces_without_an_end_have_no_count() {
    assert_eq!(space(&["k=bool", "x=float(0,1) if k"]).cardinality(), None);
    let linked = space(&["n=int(1,100000)", "x=bool if n == 3"]);
    assert_eq!(linked.cardinality(), None);
    let free = space(&["n=int(1,100000)", "k=bool", "x=bool if k"]);
    assert_eq!(free.cardinality(), Some(300_000));
}

#[test]
fn changed_conditions_are_told() {
    for (both, expected) in table(
        r##"
x=bool ; x=bool if k == a => changed the condition of x from none to k == a
x=int(1,2) if k == a ; x=int(1,3) if k in (a, b) => widened x from int(1,2) to int(1,3) | changed the condition of x from k == a to k in (a, b)
x=bool if k == a ; y=bool if k == a => removed x=bool if k == a | added y=bool if k == a
"##,
    ) {
        let (from, to) = both.split_once(" ; ").unwrap();
        let [from, to] = [from, to].map(|text| space(&["k=choice(a,b,c)", text]));
        assert_eq!(changes(&from, &to), expected);
    }
    let of = |condition: &str| space(&["k=choice(a,b,c)", &format!("x=bool if {condition}")]);
    assert_eq!(changes(&of("k==a"), &of("k == a")), [""; 0]);
}

/// Chains of conditions over earlier parameters of every kind.
fn conditional() -> impl Strategy<Value = Space> {
    let kinds = prop::sample::select(vec![
        "int(1,5)",
        "choice(u,v,w)",
        "bool",
        "float(0,1)",
        "ordinal(s,m,l)",
        "float(1,64,log,step=1)",
    ]);
    vec((kinds, any::<prop::sample::Index>(), 0..4_u8), 1..8).prop_filter_map(
        "conditions that can hold",
        |specs| {
            let mut texts: Vec<String> = Vec::new();
            for (i, (kind, parent, how)) in specs.iter().enumerate() {
                let condition = if i == 0 || *how == 0 {
                    String::new()
                } else {
                    let p = parent.index(i);
                    let atom = match specs[p].0 {
                        "choice(u,v,w)" => format!("p{p} in (u, w)"),
                        "bool" => format!("p{p}"),
                        "ordinal(s,m,l)" => format!("p{p} >= m"),
                        "float(0,1)" => format!("p{p} < 0.5"),
                        _ => format!("p{p} >= 3"),
                    };
                    let first = if *how == 2 && specs[0].0 == "bool" {
                        " or p0"
                    } else {
                        ""
                    };
                    format!(" if {}{atom}{first}", if *how == 3 { "not " } else { "" })
                };
                texts.push(format!("p{i}={kind}{condition}"));
            }
            Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).ok()
        },
    )
}

proptest! {
    #[test]
    fn rows_points_and_params_agree_under_conditions(space in conditional(), seed in vec(-1.2..1.2_f64, 40)) {
        let mut row = seed[..space.encoded_dim()].to_vec();
        let point = space.decode(&row);
        let encoded = space.encode(&point).unwrap();
        space.snap(&mut row);
        prop_assert_eq!(&row, &encoded);
        let params = space.params(&point);
        prop_assert_eq!(space.check(&params), Ok(params.clone()));
        prop_assert_eq!(space.point_of(&params), Ok(point.clone()));
        prop_assert_eq!(&space.row_of(&params), &row);
        prop_assert_eq!(&space.row_of_json(&params.to_json()), &Ok(row.clone()));
        for (parameter, value) in space.parameters().iter().zip(point.values()) {
            // The definition of activity, by the expression alone.
            let holds = parameter.condition().is_none_or(|c| c.evaluate(&space, &params).unwrap() == Some(true));
            prop_assert_eq!(value.is_some(), holds);
            prop_assert_eq!(space.is_active(parameter.name(), &params), Some(holds));
        }
        for (x, coordinate) in row.iter().zip(space.coordinates()) {
            prop_assert!(*coordinate != Coordinate::Activity || x.abs() == 1.0);
        }
        let json = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Space>(&json).unwrap(), &space);
        prop_assert_eq!(space.changes(&space), []);
    }

    #[test]
    fn every_point_of_a_finite_space_is_listed_once(space in conditional(), seed in vec(-1.0..1.0_f64, 40)) {
        let Some(count) = space.cardinality().filter(|count| *count <= 20_000) else { return Ok(()) };
        let points: HashSet<Point> = points(&space).into_iter().collect();
        prop_assert_eq!(points.len() as u128, count);
        prop_assert!(points.contains(&space.decode(&seed[..space.encoded_dim()])));
    }
}
