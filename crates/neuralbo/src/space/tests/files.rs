//! The file form in TOML and JSON.

use serde::{Deserialize, Serialize};

use super::{assert_messages, changes, constraints, space, space_of};
use crate::linalg::Points;
use crate::space::Space;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct File {
    params: Space,
}

fn json_error(text: &str) -> String {
    serde_json::from_str::<Space>(text).unwrap_err().to_string()
}

/// The JSON of a space that JSON and TOML read back.
fn written(space: &Space) -> String {
    let json = serde_json::to_string(space).unwrap();
    assert_eq!(&serde_json::from_str::<Space>(&json).unwrap(), space);
    if !json.contains("null") {
        let toml = toml::to_string(space).unwrap();
        assert_eq!(&toml::from_str::<Space>(&toml).unwrap(), space);
    }
    json
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
    let text = "z=float(1e-5,1,log) ; n=int(1,64) ; opt=choice(adam,3,2.0,true) ; flag=bool ; \
                seed=42 ; text=\"hello world\" ; m=int(1,8) ; a=bool ; word=\"bool\"";
    assert_eq!(file.params, space_of(text));
    written(&file.params);
    let (toml, json) = (toml::to_string(&file), serde_json::to_string(&file));
    assert_eq!(toml::from_str::<File>(&toml.unwrap()).unwrap(), file);
    assert_eq!(serde_json::from_str::<File>(&json.unwrap()).unwrap(), file);
}

#[test]
fn json_has_the_documented_form() {
    let space = space_of("lr=float(0,1) ; n=int(1,8,log) ; b=bool ; c=choice(x,1) ; s=7");
    let expected = r#"{"lr":{"type":"float","low":0.0,"high":1.0},"n":{"type":"int","low":1,"high":8,"log":true},"b":{"type":"bool"},"c":{"type":"choice","choices":["x",1]},"s":{"type":"fixed","value":7}}"#;
    assert_eq!(written(&space), expected);
    let through_value = serde_json::from_value::<Space>(serde_json::to_value(&space).unwrap());
    assert_eq!(through_value.unwrap(), space);
}

#[test]
fn pools_are_written_as_tables() {
    let rows = [[0.1, 5.0], [0.30000000000000004, -1e300]];
    let space = Space::from_pool(Points::from_rows(2, rows)).unwrap();
    let table = r#"{"index":{"type":"rows","table":[[0.1,5.0],[0.30000000000000004,-1e+300]]}}"#;
    assert_eq!(written(&space), table);
    let ragged = json_error(r#"{"index":{"type":"rows","table":[[1,2],[3]]}}"#);
    let expected = "`index`: row 1 of the table has 1 columns, row 0 has 2";
    assert!(ragged.contains(expected), "{ragged}");
}

#[test]
fn errors_name_the_parameter_and_the_field() {
    assert_messages(
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
        |params| {
            let file = toml::from_str::<File>(&format!("[params]\n{params}\n"));
            file.unwrap_err().to_string()
        },
    );
    assert_messages(
        r##"
{"x":1,"x":2} => `x` is given twice
{"x":18446744073709551615} => `x` | 18446744073709551615 | 64 bits
{"x":"float(0,1)","constraints":["z < 1"]} => expression `z < 1`: unknown name `z`
{"x":"float(0,1)","constraints":["x <"]} => cannot read the expression `x <`
{"x":"float(0,1)","constraints":["x > 2"]} => constraint `x > 2` never holds
{"x":["1"]} => parameter `x`: expected a table such as
"##,
        json_error,
    );
}

#[test]
fn steps_null_and_lists_have_a_file_form() {
    let text = "x=float(0,1,step=0.5) ; n=int(1,9,log,step=2) ; c=choice([1],null,a) ; \
                o=ordinal(s,l) ; f=fixed({\"a\":1})";
    let made = space_of(text);
    let expected = r#"{"x":{"type":"float","low":0.0,"high":1.0,"step":0.5},"n":{"type":"int","low":1,"high":9,"log":true,"step":2},"c":{"type":"choice","choices":[[1],null,"a"]},"o":{"type":"ordinal","values":["s","l"]},"f":{"type":"fixed","value":{"a":1}}}"#;
    assert_eq!(written(&made), expected);
    let toml = "x = { type = \"float\", low = 0, high = 1, step = 0.5 }\nc = \"choice([1],null)\"\nf = { type = \"fixed\", value = [1] }";
    let expected = space(&["x=float(0,1,step=0.5)", "c=choice([1],null)", "f=[1]"]);
    assert_eq!(toml::from_str::<Space>(toml).unwrap(), expected);
    let null = serde_json::from_str::<Space>(r#"{"x":null}"#).unwrap();
    assert_eq!(null, space(&["x=null"]));
}

#[test]
fn constraints_are_a_list_of_texts_in_files() {
    let toml =
        "constraints = [\"x + n <= 3\", \"x > 0.1\"]\nx = \"float(0,1)\"\nn = \"int(1,9)\"\n";
    let space: Space = toml::from_str(toml).unwrap();
    let expected = constraints(&["x + n <= 3", "x > 0.1"]);
    let read = space.constraints().iter();
    let read = read.filter_map(|one| one.expression());
    assert!(read.eq(&expected));
    let json = written(&space);
    let start = r#"{"constraints":["x + n <= 3","x > 0.1"],"x":{"#;
    assert!(json.starts_with(start), "{json}");
    assert_ne!(space, space.without_constraints());
}

#[test]
fn a_parameter_may_be_called_constraints() {
    let space = space(&["constraints=int(1,9)"]);
    written(&space);
    let constrained = space.with_constraints(constraints(&["constraints < 5"]));
    written(&constrained.unwrap());
}

#[test]
fn changed_constraints_are_changes_and_follow_renamed_parameters() {
    let free = space(&["x=float(0,1)", "y=float(0,1)"]);
    let with = |texts: &[&str]| free.with_constraints(constraints(texts)).unwrap();
    let old = with(&["x < y", "x > 0.1"]);
    let text = "removed the constraint x < y ; added the constraint x < 0.5";
    let found = changes(&old, &with(&["x > 0.1", "x < 0.5"]));
    assert_eq!(found.join(" ; "), text);
    assert_eq!(changes(&old, &with(&["x > 0.1", "x < y"])), [""; 0]);
    let renamed = space(&["learning-rate=float(0,1)", "y=float(0,1)"]);
    let names = [("x".into(), "learning-rate".into())];
    let renamed = renamed
        .with_constraints_of(&with(&["x < y"]), &names)
        .unwrap();
    assert_eq!(renamed.constraints()[0].to_string(), "`learning-rate` < y");
}
