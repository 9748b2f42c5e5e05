//! Values by name: strict, lenient, and what changes between two definitions.

use super::{changes, params, parsed, space, space_of, table};
use crate::space::{Params, Value};

#[test]
fn checking_allows_absent_values_only() {
    let space = space(&["x=float(0,9)", "c=choice(null,[1])"]);
    for allowed in ["{}", r#"{"c":[1]}"#] {
        assert_eq!(space.check(&params(allowed)), Ok(params(allowed)));
    }
    let error = space.check(&params(r#"{"c":"null"}"#)).unwrap_err();
    assert!(
        error.to_string().contains("one of `null`, `[1]`"),
        "{error}"
    );
    assert!(space.check(&params(r#"{"y":1}"#)).is_err());
}

#[test]
fn foreign_values_sit_where_the_table_says() {
    let text = "x=float(0,2) ; l=float(1,100,log) ; n=int(0,9,step=3) ; m=int(1,9,log) ; \
                b=choice(a,b) ; c=choice(a,b,c) ; s=7 ; o=ordinal(1,2,4,8)";
    let space = space_of(text);
    let row = |json: &str| {
        let row = space.row_of(&params(json));
        assert_eq!(space.row_of_json(json).unwrap(), row, "{json}");
        row
    };
    assert_eq!(row("{}"), [0.0; 9]);
    // One coordinate for each value: its place and where it is.
    for (json, expected) in table(
        r##"
{"x":2.5} => 0 | 1.5
{"x":1e300,"l":-1} => 0 | 3 | -3
{"x":-1e300,"l":1e300} => 0 | -3 | 3
{"x":"1","l":true,"n":null,"m":[1],"b":"z","c":"z"} => 0 | 0 | 0 | 0 | 0 | 0 | -1 | -1 | -1 | 0
{"n":4} => 2 | -0.25
{"n":4.6} => 2 | 0.25
{"n":12} => 2 | 1.25
{"n":-9223372036854775808} => 2 | -3
{"m":0} => 3 | -3
{"b":"b","c":"b","s":8,"old":{"a":[1]}} => 4 | 1 | -1 | 1 | -1
{"o":4.0} => 8 | 0.25
{"o":3} => 8 | 0
"##,
    ) {
        let first: usize = expected[0].parse().unwrap();
        let expected: Vec<f64> = expected[1..].iter().map(|x| x.parse().unwrap()).collect();
        assert_eq!(row(json)[first..][..expected.len()], expected, "{json}");
    }
    assert!((row(r#"{"l":0.1}"#)[1] + 2.0).abs() < 1e-14);
    assert_eq!(row(r#"{"m":3.4}"#)[3], row(r#"{"m":3}"#)[3]);
    assert!(row(r#"{"m":20}"#)[3] > 1.0);
}

#[test]
fn texts_that_are_no_params_are_errors() {
    let space = space(&["x=float(0,2)"]);
    let wrong = " ; [] ; 3 ; {\"x\":1 ; {\"x\":1} x ; {\"x\":18446744073709551615}";
    for json in wrong.split(" ; ") {
        let error = space.row_of_json(json).unwrap_err().to_string();
        let expected = "cannot read the values of a trial: ";
        assert!(error.starts_with(expected), "{error}");
        assert!(serde_json::from_str::<Params>(json).is_err());
    }
    assert_eq!(space.row_of_json(r#"{"x":0,"\u0078":2}"#).unwrap(), [1.0]);
}

#[test]
fn values_come_in_the_order_of_the_parameters() {
    let space = space(&["z=float(0,2)", "a=float(0,2)", "m=bool"]);
    let params = params(r#"{"a":1,"z":2,"y":3,"b":4}"#);
    let names = space.ordered(&params).map(|(name, _)| name);
    assert_eq!(names.collect::<Vec<_>>(), ["z", "a", "b", "y"]);
}

#[test]
fn a_space_grows_at_its_end() {
    let n = || "n=int(1,3)".parse().unwrap();
    let grown = space(&["x=float(0,2)"]).with(n()).unwrap();
    assert_eq!(grown, space(&["x=float(0,2)", "n=int(1,3)"]));
    assert_eq!(grown.parameter("n"), Some(&n()));
    assert_eq!(grown.parameter("y"), None);
    assert!(grown.with(n()).is_err());
}

#[test]
fn drawn_values_are_uniform_on_their_scale() {
    let draws = |text: &str| [0.0, 0.5, 0.999].map(|u| parsed(&[text])[0].draw(u));
    for (text, expected) in table(
        r##"
c=choice(a,b) => a | b | b
c=choice(a,b,c) => a | b | c
x=float(0,1,step=0.5) => 0.0 | 0.5 | 1.0
o=ordinal(s,m,l) => s | m | l
s=null => null | null | null
"##,
    ) {
        let expected: Vec<Value> = expected.iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!(draws(text).to_vec(), expected, "{text}");
    }
    assert!((draws("x=float(1,100,log)")[1].as_f64().unwrap() - 10.0).abs() < 1e-12);
}

#[test]
fn changes_are_told_by_their_effect_on_old_values() {
    for (both, expected) in table(
        r##"
float(0,1) ; float(-1,1) => widened
float(0,1) ; float(0.5,2) => narrowed
float(0,1) ; float(2,3) => changed
float(1,2) ; float(1,2,log) => changed
float(1,2) ; int(1,2) => changed
float(0,1) ; float(0,1,step=0.1) => narrowed
float(0,1,step=0.1) ; float(0,1) => widened
float(0,1,step=0.1) ; float(0,1,step=0.05) => widened
float(0,1,step=0.1) ; float(0,1,step=0.2) => narrowed
int(0,4,step=2) ; int(1,5,step=2) => changed
int(0,4,step=2) ; int(0,5,step=2) => none
int(1,8) ; int(1,8,step=1) => none
int(0,1000000) ; int(500000,2000000) => narrowed
choice(a,b) ; choice(a,b,c) => widened
choice(a,b) ; choice(b,c) => narrowed
choice(a,b) ; choice(c,d) => changed
choice(a,b) ; choice(b,a) => changed
ordinal(s,l) ; ordinal(s,m,l) => widened
ordinal(s,m,l) ; ordinal(s,l) => narrowed
ordinal(s,m,l) ; ordinal(l,m,s) => changed
ordinal(s,m) ; ordinal(m,s,l) => changed
ordinal(s,m) ; choice(s,m) => changed
choice(a,b) ; choice(c,b,a) => widened
3 ; int(1,8) => widened
int(1,8) ; 3 => narrowed
int(1,8) ; 9 => changed
3 ; 4 => changed
"##,
    ) {
        let (from, to) = both.split_once(" ; ").unwrap();
        let [from, to] = [from, to].map(|text| space(&[format!("x={text}")]));
        let changes = changes(&from, &to);
        let effects = changes.iter().flat_map(|change| change.split(' ').next());
        let expected = expected.into_iter().filter(|effect| *effect != "none");
        assert!(effects.eq(expected), "{both}");
    }
}

#[test]
fn order_and_names_are_told_apart() {
    for (texts, expected) in table(
        r##"
b=float(0,1) ; a=float(0,1) ; c=bool => reordered a, b, c to b, a, c
a=float(0,1) ; z=float(0,1) ; c=bool => removed b=float(0.0,1.0) | added z=float(0.0,1.0)
a=float(0,1) ; z=float(0,2) ; c=bool => removed b=float(0.0,1.0) | added z=float(0.0,2.0)
"##,
    ) {
        let old = space(&["a=float(0,1)", "b=float(0,1)", "c=bool"]);
        let new = space(&texts.split(" ; ").collect::<Vec<_>>());
        assert_eq!(changes(&old, &new), expected);
    }
}
