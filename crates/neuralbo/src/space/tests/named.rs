//! Values by name: strict, lenient, and what changes between two definitions.

use super::space;
use crate::space::{Change, Params, Value};

fn params(json: &str) -> Params {
    serde_json::from_str(json).unwrap()
}

#[test]
fn checking_allows_absent_values_only() {
    let space = space(&["x=float(0,9)", "c=choice(null,[1])"]);
    assert_eq!(space.check(&params("{}")), Ok(Params::new()));
    assert_eq!(
        space.check(&params(r#"{"c":[1]}"#)),
        Ok(params(r#"{"c":[1]}"#))
    );
    let error = space
        .check(&params(r#"{"c":"null"}"#))
        .unwrap_err()
        .to_string();
    assert!(error.contains("one of `null`, `[1]`"), "{error}");
    assert!(space.check(&params(r#"{"y":1}"#)).is_err());
}

#[test]
fn foreign_values_sit_where_the_table_says() {
    let space = space(&[
        "x=float(0,2)",
        "l=float(1,100,log)",
        "n=int(0,9,step=3)",
        "m=int(1,9,log)",
        "b=choice(a,b)",
        "c=choice(a,b,c)",
        "s=7",
        "o=ordinal(1,2,4,8)",
    ]);
    let row = |json: &str| {
        let row = space.row_of(&params(json));
        assert_eq!(space.row_of_json(json).unwrap(), row, "{json}");
        row
    };
    assert_eq!(row("{}"), [0.0; 9]);
    assert_eq!(row(r#"{"x":2.5}"#)[0], 1.5);
    assert!((row(r#"{"l":0.1}"#)[1] + 2.0).abs() < 1e-14);
    assert_eq!(row(r#"{"x":1e300,"l":-1}"#)[..2], [3.0, -3.0]);
    assert_eq!(row(r#"{"x":-1e300,"l":1e300}"#)[..2], [-3.0, 3.0]);
    assert_eq!(
        row(r#"{"x":"1","l":true,"n":null,"m":[1],"b":"z","c":"z"}"#),
        [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0]
    );
    assert_eq!(row(r#"{"n":4}"#)[2], -0.25);
    assert_eq!(row(r#"{"n":4.6}"#)[2], 0.25);
    assert_eq!(row(r#"{"n":12}"#)[2], 1.25);
    assert_eq!(row(r#"{"n":-9223372036854775808}"#)[2], -3.0);
    assert_eq!(row(r#"{"m":3.4}"#)[3], row(r#"{"m":3}"#)[3]);
    assert!(row(r#"{"m":20}"#)[3] > 1.0 && row(r#"{"m":0}"#)[3] == -3.0);
    assert_eq!(
        row(r#"{"b":"b","c":"b","s":8,"old":{"a":[1]}}"#)[4..8],
        [1.0, -1.0, 1.0, -1.0]
    );
    assert_eq!((row(r#"{"o":4.0}"#)[8], row(r#"{"o":3}"#)[8]), (0.25, 0.0));
}

#[test]
fn texts_that_are_no_params_are_errors() {
    let space = space(&["x=float(0,2)"]);
    for json in [
        "",
        "[]",
        "3",
        "{\"x\":1",
        "{\"x\":1} x",
        "{\"x\":18446744073709551615}",
    ] {
        let error = space.row_of_json(json).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read the values of a trial: "),
            "{error}"
        );
        assert!(serde_json::from_str::<Params>(json).is_err());
    }
    assert_eq!(space.row_of_json(r#"{"x":0,"\u0078":2}"#).unwrap(), [1.0]);
}

#[test]
fn values_come_in_the_order_of_the_parameters() {
    let space = space(&["z=float(0,2)", "a=float(0,2)", "m=bool"]);
    let params = params(r#"{"a":1,"z":2,"y":3,"b":4}"#);
    assert_eq!(
        space
            .ordered(&params)
            .map(|(name, _)| name)
            .collect::<Vec<_>>(),
        ["z", "a", "b", "y"]
    );
}

#[test]
fn a_space_grows_at_its_end() {
    let grown = space(&["x=float(0,2)"])
        .with("n=int(1,3)".parse().unwrap())
        .unwrap();
    assert_eq!(grown, space(&["x=float(0,2)", "n=int(1,3)"]));
    assert_eq!(grown.parameter("n").unwrap().to_string(), "n=int(1,3)");
    assert_eq!(grown.parameter("y"), None);
    assert!(grown.with("n=int(1,3)".parse().unwrap()).is_err());
}

#[test]
fn drawn_values_are_uniform_on_their_scale() {
    let draws = |text: &str| {
        let parameter: crate::space::Parameter = text.parse().unwrap();
        [0.0, 0.5, 0.999].map(|u| parameter.draw(u))
    };
    assert_eq!(draws("c=choice(a,b)"), ["a", "b", "b"].map(Value::from));
    assert_eq!(draws("c=choice(a,b,c)"), ["a", "b", "c"].map(Value::from));
    assert_eq!(
        draws("x=float(0,1,step=0.5)"),
        [0.0, 0.5, 1.0].map(Value::from)
    );
    assert_eq!(draws("o=ordinal(s,m,l)"), ["s", "m", "l"].map(Value::from));
    assert_eq!(draws("s=null"), [Value::Null, Value::Null, Value::Null]);
    assert!((draws("x=float(1,100,log)")[1].as_f64().unwrap() - 10.0).abs() < 1e-12);
}

#[test]
fn changes_are_told_by_their_effect_on_old_values() {
    let change = |from: &str, to: &str| {
        let changes = space(&[&format!("x={from}")]).changes(&space(&[&format!("x={to}")]));
        assert!(changes.len() <= 1, "{changes:?}");
        changes.first().map(|change| match change {
            Change::Widened { .. } => "widened",
            Change::Narrowed { .. } => "narrowed",
            Change::Changed { .. } => "changed",
            _ => "other",
        })
    };
    for (from, to, expected) in [
        ("float(0,1)", "float(-1,1)", Some("widened")),
        ("float(0,1)", "float(0.5,2)", Some("narrowed")),
        ("float(0,1)", "float(2,3)", Some("changed")),
        ("float(1,2)", "float(1,2,log)", Some("changed")),
        ("float(1,2)", "int(1,2)", Some("changed")),
        ("float(0,1)", "float(0,1,step=0.1)", Some("narrowed")),
        ("float(0,1,step=0.1)", "float(0,1)", Some("widened")),
        (
            "float(0,1,step=0.1)",
            "float(0,1,step=0.05)",
            Some("widened"),
        ),
        (
            "float(0,1,step=0.1)",
            "float(0,1,step=0.2)",
            Some("narrowed"),
        ),
        ("int(0,4,step=2)", "int(1,5,step=2)", Some("changed")),
        ("int(0,4,step=2)", "int(0,5,step=2)", None),
        ("int(1,8)", "int(1,8,step=1)", None),
        ("int(0,1000000)", "int(500000,2000000)", Some("narrowed")),
        ("choice(a,b)", "choice(a,b,c)", Some("widened")),
        ("choice(a,b)", "choice(b,c)", Some("narrowed")),
        ("choice(a,b)", "choice(c,d)", Some("changed")),
        ("choice(a,b)", "choice(b,a)", Some("changed")),
        ("ordinal(s,l)", "ordinal(s,m,l)", Some("widened")),
        ("ordinal(s,m,l)", "ordinal(s,l)", Some("narrowed")),
        ("ordinal(s,m,l)", "ordinal(l,m,s)", Some("changed")),
        ("ordinal(s,m)", "ordinal(m,s,l)", Some("changed")),
        ("ordinal(s,m)", "choice(s,m)", Some("changed")),
        ("choice(a,b)", "choice(c,b,a)", Some("widened")),
        ("3", "int(1,8)", Some("widened")),
        ("int(1,8)", "3", Some("narrowed")),
        ("int(1,8)", "9", Some("changed")),
        ("3", "4", Some("changed")),
    ] {
        assert_eq!(change(from, to), expected, "{from} to {to}");
    }
}

#[test]
fn order_and_names_are_told_apart() {
    let old = space(&["a=float(0,1)", "b=float(0,1)", "c=bool"]);
    let words = |texts: &[&str]| {
        old.changes(&space(texts))
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&["b=float(0,1)", "a=float(0,1)", "c=bool"]),
        ["reordered a, b, c to b, a, c"]
    );
    assert_eq!(
        words(&["a=float(0,1)", "z=float(0,1)", "c=bool"]),
        ["removed b=float(0.0,1.0)", "added z=float(0.0,1.0)"]
    );
    assert_eq!(
        words(&["a=float(0,1)", "z=float(0,2)", "c=bool"]),
        ["removed b=float(0.0,1.0)", "added z=float(0.0,2.0)"]
    );
}
