//! The file form in TOML and JSON.

use serde::{Deserialize, Serialize};

use super::{space, table};
use crate::linalg::Points;
use crate::space::Space;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct File {
    params: Space,
}

fn toml_error(params: &str) -> String {
    toml::from_str::<File>(&format!("[params]\n{params}\n"))
        .unwrap_err()
        .to_string()
}

#[test]
fn toml_is_read_in_the_order_of_the_file() {
    let file: File = toml::from_str(
        r#"
        [params]
        z = { type = "float", low = 1e-5, high = 1, log = true }
        n = { type = "int", low = 1, high = 64 }
        opt = { type = "choice", choices = ["adam", 3, 2.0, true] }
        flag = { type = "bool" }
        seed = 42
        text = "hello world"
        m = "int(1,8)"
        a = "bool"
        word = { type = "fixed", value = "bool" }
        "#,
    )
    .unwrap();
    let expected = [
        "z=float(1e-5,1,log)",
        "n=int(1,64)",
        "opt=choice(adam,3,2.0,true)",
        "flag=bool",
        "seed=42",
        "text=\"hello world\"",
        "m=int(1,8)",
        "a=bool",
        "word=\"bool\"",
    ];
    assert_eq!(file.params, space(&expected));
    assert_eq!(
        toml::from_str::<File>(&toml::to_string(&file).unwrap()).unwrap(),
        file
    );
    assert_eq!(
        toml::from_str::<Space>(&toml::to_string(&file.params).unwrap()).unwrap(),
        file.params
    );
    assert_eq!(
        serde_json::from_str::<File>(&serde_json::to_string(&file).unwrap()).unwrap(),
        file
    );
}

#[test]
fn json_has_the_documented_form() {
    let space = space(&[
        "lr=float(0,1)",
        "n=int(1,8,log)",
        "b=bool",
        "c=choice(x,1)",
        "s=7",
    ]);
    let expected = r#"{"lr":{"type":"float","low":0.0,"high":1.0},"n":{"type":"int","low":1,"high":8,"log":true},"b":{"type":"bool"},"c":{"type":"choice","choices":["x",1]},"s":{"type":"fixed","value":7}}"#;
    assert_eq!(serde_json::to_string(&space).unwrap(), expected);
    let through_value: Space =
        serde_json::from_value(serde_json::to_value(&space).unwrap()).unwrap();
    assert_eq!(through_value, space);
}

#[test]
fn pools_are_written_as_tables() {
    let space = Space::from_pool(Points::from_rows(
        2,
        [[0.1, 5.0], [0.30000000000000004, -1e300]],
    ))
    .unwrap();
    let json = serde_json::to_string(&space).unwrap();
    assert_eq!(
        json,
        r#"{"index":{"type":"rows","table":[[0.1,5.0],[0.30000000000000004,-1e+300]]}}"#
    );
    assert_eq!(serde_json::from_str::<Space>(&json).unwrap(), space);
    assert_eq!(
        toml::from_str::<Space>(&toml::to_string(&space).unwrap()).unwrap(),
        space
    );
    let ragged = serde_json::from_str::<Space>(r#"{"index":{"type":"rows","table":[[1,2],[3]]}}"#)
        .unwrap_err()
        .to_string();
    assert!(
        ragged.contains("`index`: row 1 of the table has 1 columns, row 0 has 2"),
        "{ragged}"
    );
}

#[test]
fn errors_name_the_parameter_and_the_field() {
    for (params, parts) in table(
        r##"
x = { type = "float", low = 0, high = 1, lgo = true } => `x` | unknown field `lgo` | `log`
x = { type = "bool", low = 0 } => `x` | unknown field `low`
x = { type = "flaot", low = 0, high = 1 } => `x` | unknown variant `flaot` | `float`
x = { type = "float", low = 0 } => `x` | missing field `high`
x = { low = 0, high = 1 } => `x` | missing field `type`
x = { type = "int", low = 0, high = 1.5 } => `x` | 1.5
x = { type = "float", low = 1, high = 0 } => `x` | low must be below high
x = [1, 2] => `x` | expected a table such as
x = "int(1,2" => `x` | closing parenthesis
x = inf => `x` | finite
"a b" = 1 => `a b` | letter
 => at least one parameter
"##,
    ) {
        let message = toml_error(params);
        assert!(
            parts.iter().all(|part| message.contains(part)),
            "{params}: {message}"
        );
    }
    let twice = serde_json::from_str::<Space>(r#"{"x":1,"x":2}"#)
        .unwrap_err()
        .to_string();
    assert!(twice.contains("`x` is given twice"), "{twice}");
    let huge = serde_json::from_str::<Space>(r#"{"x":18446744073709551615}"#)
        .unwrap_err()
        .to_string();
    assert!(
        huge.contains("`x`") && huge.contains("18446744073709551615") && huge.contains("64 bits"),
        "{huge}"
    );
}

#[test]
fn steps_null_and_lists_have_a_file_form() {
    let texts = [
        "x=float(0,1,step=0.5)",
        "n=int(1,9,log,step=2)",
        "c=choice([1],null,a)",
        "o=ordinal(s,l)",
        "f=fixed({\"a\":1})",
    ];
    let made = space(&texts);
    let expected = r#"{"x":{"type":"float","low":0.0,"high":1.0,"step":0.5},"n":{"type":"int","low":1,"high":9,"log":true,"step":2},"c":{"type":"choice","choices":[[1],null,"a"]},"o":{"type":"ordinal","values":["s","l"]},"f":{"type":"fixed","value":{"a":1}}}"#;
    assert_eq!(serde_json::to_string(&made).unwrap(), expected);
    assert_eq!(serde_json::from_str::<Space>(expected).unwrap(), made);
    let toml = "x = { type = \"float\", low = 0, high = 1, step = 0.5 }\nc = \"choice([1],null)\"\nf = { type = \"fixed\", value = [1] }";
    assert_eq!(
        toml::from_str::<Space>(toml).unwrap(),
        space(&["x=float(0,1,step=0.5)", "c=choice([1],null)", "f=[1]"])
    );
    assert_eq!(
        serde_json::from_str::<Space>(r#"{"x":null}"#).unwrap(),
        space(&["x=null"])
    );
}

#[test]
fn constraints_are_a_list_of_texts_in_files() {
    let toml_text =
        "constraints = [\"x + n <= 3\", \"x > 0.1\"]\nx = \"float(0,1)\"\nn = \"int(1,9)\"\n";
    let space: Space = toml::from_str(toml_text).unwrap();
    let texts: Vec<String> = space
        .constraints()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(texts, ["x + n <= 3", "x > 0.1"]);
    assert_eq!(
        toml::from_str::<Space>(&toml::to_string(&space).unwrap()).unwrap(),
        space
    );
    let json = serde_json::to_string(&space).unwrap();
    assert!(
        json.starts_with(r#"{"constraints":["x + n <= 3","x > 0.1"],"x":{"#),
        "{json}"
    );
    assert_eq!(serde_json::from_str::<Space>(&json).unwrap(), space);
    assert_ne!(space, space.without_constraints());
}

#[test]
fn a_parameter_may_be_called_constraints() {
    let space = Space::new(vec!["constraints=int(1,9)".parse().unwrap()]).unwrap();
    assert_eq!(
        serde_json::from_str::<Space>(&serde_json::to_string(&space).unwrap()).unwrap(),
        space
    );
    let space = space
        .with_constraints(["constraints < 5".parse().unwrap()])
        .unwrap();
    for back in [
        serde_json::from_str::<Space>(&serde_json::to_string(&space).unwrap()).unwrap(),
        toml::from_str::<Space>(&toml::to_string(&space).unwrap()).unwrap(),
    ] {
        assert_eq!(back, space);
    }
}

#[test]
fn wrong_constraints_in_files_are_named() {
    let error = |text: &str| serde_json::from_str::<Space>(text).unwrap_err().to_string();
    assert!(
        error(r#"{"x":"float(0,1)","constraints":["z < 1"]}"#)
            .contains("expression `z < 1`: unknown name `z`")
    );
    assert!(
        error(r#"{"x":"float(0,1)","constraints":["x <"]}"#)
            .contains("cannot read the expression `x <`")
    );
    assert!(
        error(r#"{"x":"float(0,1)","constraints":["x > 2"]}"#)
            .contains("constraint `x > 2` never holds")
    );
    assert!(error(r#"{"x":["1"]}"#).contains("parameter `x`: expected a table such as"));
}

#[test]
fn changed_constraints_are_changes_and_follow_renamed_parameters() {
    let free = Space::new(vec![
        "x=float(0,1)".parse().unwrap(),
        "y=float(0,1)".parse().unwrap(),
    ])
    .unwrap();
    let with = |texts: &[&str]| {
        free.with_constraints(texts.iter().map(|text| text.parse().unwrap()))
            .unwrap()
    };
    let changes: Vec<String> = with(&["x < y", "x > 0.1"])
        .changes(&with(&["x > 0.1", "x < 0.5"]))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        changes,
        [
            "removed the constraint x < y",
            "added the constraint x < 0.5"
        ]
    );
    assert_eq!(
        with(&["x < y", "x > 0.1"]).changes(&with(&["x > 0.1", "x < y"])),
        []
    );
    let renamed = Space::new(vec![
        "learning-rate=float(0,1)".parse().unwrap(),
        "y=float(0,1)".parse().unwrap(),
    ])
    .unwrap();
    let renamed = renamed
        .with_constraints_of(&with(&["x < y"]), &[("x".into(), "learning-rate".into())])
        .unwrap();
    assert_eq!(renamed.constraints()[0].to_string(), "`learning-rate` < y");
}
