//! Parameters, spaces, expressions and values as people write them.

use neuralbo::space::{Expression, Parameter, Params, Space, Value};

use super::texts;
use crate::Target;

const WORDS: &[&str] = &[
    "x", "y", "=", "float", "int", "choice", "ordinal", "bool", "(", ")", ",", "log", "step",
    "null", "true", "false", "\"", "'", "`", "[", "]", "{", "}", ":", " ", "\n", "\\", "-", "+",
    "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", " in ", " not ", " and ", " or ", " if ",
    "||", "&&", "!", "abs", "min", "sum", "sqrt", "round", "kernel", "rbf", "1", "2", "0.5", "ä",
    "\u{0}", "type", "low", "high", "choices", ".", "_",
];

/// A parameter as text: what is read is printed, and that is read as the same.
pub const TEXT: Target = Target {
    name: "space_text",
    seeds: text_seeds,
    words: WORDS,
    check: text,
    few: 20_000,
};

fn text_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "x=float(-5,10)",
        "lr=float(1e-5,1e-1,log)",
        "layers=int(1,4)",
        "width=int(16,1024,log)",
        "opt=choice(adam,sgd,lion)",
        "opt=choice(\"a b\",'c',1,2.5,true,null,[1,2],{\"k\":1})",
        "size=ordinal(small,medium,large)",
        "flag=bool",
        "seed=42",
        "p=float(0,1,step=0.05)",
        "n=int(0,100,step=5)",
        "C=float(1e-3,1e3,log) if kernel in (rbf,poly)",
    ])
}

fn text(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let Ok(parameter) = text.parse::<Parameter>() else {
        return false;
    };
    let printed = parameter.to_string();
    let again: Result<Parameter, _> = printed.parse();
    assert_eq!(
        again.as_ref(),
        Ok(&parameter),
        "`{text}` is printed as `{printed}`"
    );
    if let Ok(space) = Space::new(vec![parameter]) {
        check_points(&space);
    }
    true
}

/// Points drawn from a space are in it, and their rows are their own.
fn check_points(space: &Space) {
    for part in [-1.0, -0.3, 0.0, 0.7, 1.0] {
        let point = space.decode(&vec![part; space.encoded_dim()]);
        let params = space.params(&point);
        assert_eq!(space.check(&params).as_ref(), Ok(&params), "{part}");
        let row = space
            .encode(&point)
            .expect("a decoded point can be encoded");
        assert!(row.iter().all(|x| (-1.0..=1.0).contains(x)), "{row:?}");
        assert_eq!(space.decode(&row), point, "{part}");
    }
}

/// A space file, as JSON or TOML: what is read is written, and that is read as the same.
pub const FILE: Target = Target {
    name: "space_file",
    seeds: file_seeds,
    words: WORDS,
    check: file,
    few: 20_000,
};

fn file_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "lr = { type = \"float\", low = 1e-5, high = 1e-1, log = true }\nlayers = { type = \"int\", low = 1, high = 4 }\n",
        "opt = { type = \"choice\", choices = [\"adam\", \"sgd\", 3, true] }\nflag = { type = \"bool\" }\nwidth = \"int(16,1024,log)\"\nseed = 42\n",
        r#"{"lr": {"type": "float", "low": 1e-5, "high": 0.1, "log": true}, "o": {"type": "choice", "choices": ["a", null, [1]]}}"#,
        r#"{"x": "float(0,1)", "n": {"type": "int", "low": 1, "high": 9, "step": 2}, "s": {"type": "ordinal", "values": ["a", "b"]}}"#,
    ])
}

fn file(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let json: Option<Space> = serde_json::from_str(text).ok();
    let spaces: Vec<Space> = json.into_iter().chain(toml::from_str(text).ok()).collect();
    for space in &spaces {
        let written = serde_json::to_string(space).expect("a space can be written");
        let again: Result<Space, _> = serde_json::from_str(&written);
        assert!(
            again.as_ref().is_ok_and(|again| again == space),
            "written as {written}, read as {again:?}"
        );
        check_points(space);
    }
    !spaces.is_empty()
}

/// An expression: what is read is printed, that is read as the same, and it is true, false or unknown at any point.
pub const EXPRESSION: Target = Target {
    name: "expression",
    seeds: expression_seeds,
    words: WORDS,
    check: expression,
    few: 20_000,
};

fn expression_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "x + y <= 1",
        "kernel in (rbf, 'poly') and n >= 2",
        "0 <= x < 1 or not (n == 3)",
        "sum(x, y, n) ^ 2 / 3 - -x != sqrt(abs(y))",
        "`weight-decay` < 0.1 || o == {\"k\": [1, null]}",
        "min(x, max(y, 2)) > log2(n) && kernel not in (linear)",
    ])
}

fn expression(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let Ok(expression) = text.parse::<Expression>() else {
        return false;
    };
    let printed = expression.to_string();
    let again: Result<Expression, _> = printed.parse();
    assert_eq!(
        again.as_ref(),
        Ok(&expression),
        "`{text}` is printed as `{printed}`"
    );
    let parameters = [
        "x=float(-1,1)",
        "y=float(-1,1)",
        "n=int(1,9)",
        "kernel=choice(rbf,poly,linear)",
        "weight-decay=float(0,1)",
    ];
    let space = Space::new(
        parameters
            .iter()
            .map(|text| text.parse().expect("a parameter"))
            .collect(),
    )
    .expect("a space");
    for part in [-1.0, 0.2, 1.0] {
        let params = space.params(&space.decode(&vec![part; space.encoded_dim()]));
        let known = expression.evaluate(&space, &params);
        assert!(
            !matches!(known, Ok(None)),
            "`{printed}` is unknown although every parameter has a value"
        );
        let _ = expression.evaluate(&space, &Params::new());
    }
    true
}

/// A value: as JSON it is the same.
pub const VALUE: Target = Target {
    name: "value",
    seeds: value_seeds,
    words: WORDS,
    check: value,
    few: 20_000,
};

fn value_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "1",
        "-2.5e-3",
        "true",
        "null",
        "word",
        "\"a \\\" b\"",
        "[1, [2, {\"k\": null}]]",
        "{\"a\": 1e300}",
        " 7 ",
        "''",
    ])
}

fn value(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let values = [
        text.parse::<Value>().ok(),
        serde_json::from_str::<Value>(text).ok(),
    ];
    for value in values.iter().flatten() {
        let finite = value.as_f64().is_none_or(f64::is_finite);
        let written = serde_json::to_string(&value.to_json()).expect("a value can be written");
        let again: Value = serde_json::from_str(&written).expect("a written value can be read");
        assert!(
            again == *value || !finite,
            "{value:?} is written as {written} and read as {again:?}"
        );
        let params = Params::from_iter([("v", value.clone())]);
        let read: Params =
            serde_json::from_str(&params.to_json()).expect("written parameters can be read");
        assert!(read == params || !finite, "{params:?}");
    }
    values.iter().any(Option::is_some)
}
