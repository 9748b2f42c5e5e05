//! Both sides of the limits of spaces.

use crate::limits;
use crate::space::{Domain, Parameter, Space, Value};

fn choice(choices: Vec<Value>) -> Result<Parameter, String> {
    Parameter::new("c", Domain::Choice { choices }).map_err(|error| error.to_string())
}

fn nested(levels: usize) -> Value {
    let list = |inner, _| serde_json::json!([inner]);
    Value::try_from((0..levels).fold(serde_json::json!(1), list)).unwrap()
}

fn names(beyond: Result<impl std::fmt::Debug, String>, limit: &str) {
    let error = beyond.unwrap_err();
    assert!(error.contains(limit) && error.len() < 1000, "{error}");
}

#[test]
fn a_parameter_has_limits() {
    let named = |count| format!("{}=int(1,2)", "n".repeat(count)).parse::<Parameter>();
    assert!(named(limits::NAME).is_ok());
    names(
        named(limits::NAME + 1).map_err(|e| e.to_string()),
        "200 characters",
    );
    let count = |count: i64| choice((0..count).map(Value::Int).collect());
    assert!(count(limits::CHOICES as i64).is_ok());
    names(count(limits::CHOICES as i64 + 1), "100000 choices");
    assert!(choice(vec![nested(limits::NESTING)]).is_ok());
    names(choice(vec![nested(limits::NESTING + 1)]), "64 levels");
    let text = |bytes: usize| choice(vec!["x".repeat(bytes - 2).as_str().into()]);
    assert!(text(limits::VALUE).is_ok());
    names(text(limits::VALUE + 1), "1048576 bytes");
}

/// What is within the limits is read back from its file form.
#[test]
fn a_space_has_limits() {
    let of = |count: usize| {
        let parameters = (0..count).map(|i| format!("p{i}=int(1,2)").parse().unwrap());
        Space::new(parameters.collect()).map_err(|error| error.to_string())
    };
    let largest = of(limits::PARAMETERS).unwrap();
    let file = serde_json::to_string(&largest).unwrap();
    assert_eq!(serde_json::from_str::<Space>(&file).unwrap(), largest);
    names(of(limits::PARAMETERS + 1).map(drop), "10000 parameters");
    let deep = Space::new(vec![choice(vec![nested(limits::NESTING)]).unwrap()]).unwrap();
    let file = serde_json::to_string(&deep).unwrap();
    assert_eq!(serde_json::from_str::<Space>(&file).unwrap(), deep);
}

#[test]
fn constraints_have_a_limit() {
    let space = Space::new(vec!["x=float(0,1)".parse().unwrap()]).unwrap();
    let constraints = (0..=limits::CONSTRAINTS).map(|_| "x <= 1".parse().unwrap());
    let error = space.with_constraints(constraints).unwrap_err();
    assert!(error.to_string().contains("10000 constraints"), "{error}");
}
