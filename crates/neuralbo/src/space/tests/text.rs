//! The text form: what is read, and what the errors say.

use super::table;
use crate::space::{Domain, Parameter, Value};

fn domain(text: &str) -> Domain {
    text.parse::<Parameter>().unwrap().domain().clone()
}

fn error(text: &str) -> String {
    text.parse::<Parameter>().unwrap_err().to_string()
}

fn fixed(value: impl Into<Value>) -> Domain {
    Domain::Fixed {
        value: value.into(),
    }
}

#[test]
fn every_kind_is_read() {
    for (text, expected) in table(
        r##"
lr=float(1e-5,1e-1,log) => float | 0.00001 | 0.1 | true | None
 lr = float ( 0 , 1 ) => float | 0 | 1 | false | None
x=float(0,1,step=0.05) => float | 0 | 1 | false | Some(0.05)
x=float(1e-3, 1, log, step = 1e-3) => float | 0.001 | 1 | true | Some(0.001)
x=float(1e-3,1,step=1e-3,log) => float | 0.001 | 1 | true | Some(0.001)
n=int(1,64) => int | 1 | 64 | false | None
n=int(1,1e3,log) => int | 1 | 1000 | true | None
n=int(0,100,step=5) => int | 0 | 100 | false | Some(5.0)
"##,
    ) {
        let domain = domain(text);
        let range = domain.range().unwrap();
        let step = format!("{:?}", range.step);
        let found = [
            domain.kind().to_owned(),
            range.low.to_string(),
            range.high.to_string(),
            range.log.to_string(),
            step,
        ];
        assert_eq!(found.to_vec(), expected, "{text}");
    }
    assert_eq!(
        domain("flag=bool"),
        Domain::Choice {
            choices: vec![false.into(), true.into()]
        }
    );
    assert_eq!(
        domain("size=ordinal(small, 2, null)"),
        Domain::Ordinal {
            values: vec!["small".into(), 2.into(), Value::Null]
        }
    );
    assert_eq!(domain("seed=42"), fixed(42));
    assert_eq!(domain("name=fixed(\"hello world\")"), fixed("hello world"));
    assert_eq!(
        domain("name=\"a \\\"b\\\" \\\\ (c), d\""),
        fixed("a \"b\" \\ (c), d")
    );
    assert_eq!(domain("name=a=b"), fixed("a=b"));
    let round = |text: &str| text.parse::<Parameter>().unwrap().to_string();
    assert_eq!(
        round("x=float(1e-3,1,step=1e-3,log)"),
        "x=float(0.001,1.0,log,step=0.001)"
    );
    assert_eq!(round("n=int(0,100,step=5)"), "n=int(0,100,step=5)");
}

#[test]
fn null_lists_and_objects_are_values() {
    let list = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let expected = vec![
        list("[1,2]"),
        list("[3, \"a, (b)\"]"),
        Value::Null,
        "small".into(),
        list("{\"a\":[null]}"),
    ];
    assert_eq!(
        domain("c=choice([1,2], [3,\"a, (b)\"], null, small, {\"a\": [null]})"),
        Domain::Choice { choices: expected }
    );
    assert_eq!(domain("c=null"), fixed(Value::Null));
    assert_eq!(domain("c=\"null\""), fixed("null"));
    assert_eq!(domain("c=None"), fixed("None"));
    assert_eq!(domain("c={\"a\":\"(\"}"), fixed(list("{\"a\":\"(\"}")));
    let round = |text: &str| text.parse::<Parameter>().unwrap().to_string();
    assert_eq!(
        round("c=choice([1, 2],\"null\",null,\"[x\")"),
        "c=choice([1,2],\"null\",null,\"[x\")"
    );
    assert_eq!(round("c=fixed( [1, 2] )"), "c=[1,2]");
    assert_eq!(round("c=\"null\""), "c=fixed(\"null\")");
}

#[test]
fn objects_are_equal_in_any_order_of_their_keys() {
    let value = |text: &str| text.parse::<Value>().unwrap();
    let (a, b) = (
        value("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}"),
        value("{\"b\":{\"d\":3,\"c\":2},\"a\":1}"),
    );
    assert_eq!(a, b);
    assert_eq!(
        [a, b]
            .into_iter()
            .collect::<std::collections::HashSet<_>>()
            .len(),
        1
    );
    assert_ne!(value("[1]"), value("[1.0]"));
}

#[test]
fn choices_keep_their_types() {
    let expected = vec![
        1.into(),
        2.5.into(),
        true.into(),
        "adam".into(),
        "7".into(),
        "x, y".into(),
        "nan".into(),
        "".into(),
    ];
    assert_eq!(
        domain("c=choice(1, 2.5, true, adam, \"7\", \"x, y\", nan, \"\")"),
        Domain::Choice { choices: expected }
    );
}

#[test]
fn printing_quotes_only_where_needed() {
    let round = |text: &str| text.parse::<Parameter>().unwrap().to_string();
    assert_eq!(
        round("c=choice(\"adam\", \"7\", \"x y\")"),
        "c=choice(adam,\"7\",\"x y\")"
    );
    assert_eq!(round("c=choice(false,true)"), "c=bool");
    assert_eq!(round("c=choice(true,false)"), "c=choice(true,false)");
    assert_eq!(round("s=\"bool\""), "s=fixed(\"bool\")");
    assert_eq!(round("s=\"word\""), "s=word");
    assert_eq!(round("s=fixed(1.0)"), "s=1.0");
}

#[test]
fn errors_name_the_parameter_what_was_found_and_what_is_allowed() {
    for (text, parts) in table(
        r##"
lr => `lr` | NAME=DOMAIN | lr=float(1e-5,1e-1,log)
=1 => name `` | letter
9x=1 => `9x` | letter
x= => `x` | nothing after | int(1,64)
x=flaot(1,2) => `x` | unknown kind `flaot` | float(0,1)
x=float => `x` | parentheses | float(0,1)
x=float(1) => found 1 values | float(LOW,HIGH)
x=float(a,2) => `a` is no bound
x=float(1,2,lin) => `lin` is no scale or step | log
x=float(1,2,log,log) => `log` is one too many
x=float(1,2,step=1,step=1) => `step=1` is one too many
x=float(1,2,step=) => a value is missing
x=float(1,2,step=a) => `a` is no step
x=float(0,1,step=0) => step must be a finite number above 0 | step = 0.0
x=float(0,1,step=-0.1) => above 0 | step = -0.1
x=float(0,1,step=nan) => `nan` is no step
x=float(0,1,step=2) => step must not be larger than high - low = 1.0 | step = 2.0
x=float(0,1,step=1e-300) => step = 1e-300 makes too many values | 17592186044416 steps
n=int(0,9,step=0) => at least 1 | step = 0
n=int(0,9,step=-3) => at least 1 | step = -3
n=int(0,9,step=1.5) => `1.5` is no step
n=int(0,9,step=10) => step must not be larger than high - low = 9 | step = 10
n=int(-9223372036854775808,9223372036854775807,step=2) => 9223372036854775808 values | 1125899906842624
c=choice([1,2) => no JSON
c=[1] x => `x` after the end of the value
x=float(1,1) => low must be below high | write x=VALUE for a fixed value
x=float(0,1,log) => log scale needs low above 0 | low = 0.0
x=float(1,1e999) => `1e999` does not fit in 64 bits
n=int(1.5,2) => `1.5` is no bound | whole numbers
n=int(0,8,log) => at least 1 | low = 0
n=int(1,9e15,log) => at most 1099511627776 | 9000000000000000
n=int(-9223372036854775808,9223372036854775807) => 18446744073709551616 values | 1125899906842624
n=99999999999999999999 => does not fit in 64 bits
c=choice() => at least one value | choice(adam,sgd)
c=choice(1,1.0) => `1.0` is given twice
o=ordinal() => at least one value | ordinal(small,medium,large)
o=ordinal(a,b,a) => `a` is given twice
o=ordinal => parentheses | ordinal(small,medium,large)
c=choice(a,,b) => a value is missing
c=choice(a b) => `a b` | must be quoted
c=choice(a => closing parenthesis is missing
c=choice("a" b) => before `b)`
c=choice("a) => closing quote is missing
c=choice("\n") => backslash
c=choice(a) x => `x` after the closing parenthesis
b=bool(1) => bool takes nothing
f=fixed(1,2) => exactly one value
r=rows(1,2) => no text form
s=two words => must be quoted
s="a"b => `b` after the end of the value
"##,
    ) {
        let message = error(text);
        assert!(
            parts.iter().all(|part| message.contains(part)),
            "{text}: {message}"
        );
    }
}
