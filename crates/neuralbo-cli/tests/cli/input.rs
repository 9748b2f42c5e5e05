//! Wrong input: exit code 2 and a message that names the option, the value and what is allowed.

use crate::folder::{Folder, stderr};

const PARAM: [&str; 2] = ["--param", "x=float(0,1)"];
const ECHO: [&str; 3] = ["--", "echo", "{x}"];

/// Expects `neuralbo run` to refuse these arguments with a message that contains all `words`.
fn refused(folder: &Folder, arguments: &[&str], words: &[&str]) {
    let output = folder.neuralbo(&["run"]).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let text = stderr(&output);
    assert!(
        words.iter().all(|word| text.contains(word)),
        "{words:?} not all in: {text}"
    );
}

fn refused_with(arguments: &[&str], words: &[&str]) {
    refused(&Folder::new(), &[&PARAM, arguments, &ECHO].concat(), words);
}

#[test]
fn bad_parameters() {
    let folder = Folder::new();
    refused(
        &folder,
        &["--param", "x", "--", "echo", "1"],
        &["--param", "`x`", "NAME=DOMAIN"],
    );
    refused(
        &folder,
        &["--param", "x=float(2,1)", "--", "echo", "1"],
        &["--param", "`x`", "low"],
    );
    refused(
        &folder,
        &["--param", "x=bool", "--param", "x=bool", "--", "echo", "1"],
        &["`x`", "twice"],
    );
    refused(&folder, &["--", "echo", "1"], &["at least one parameter"]);
}

#[test]
fn bad_placeholders() {
    let folder = Folder::new();
    refused(
        &folder,
        &[&PARAM[..], &["--param", "y=bool", "--", "echo", "{z}"]].concat(),
        &["{z}", "x, y"],
    );
    refused(
        &folder,
        &[&PARAM[..], &["--", "echo", "{x"]].concat(),
        &["`{x`", "{{"],
    );
    // Braces of other languages: the error says how to write them, and so they run.
    let awk = "BEGIN { print {x}^2 }";
    let refusal = ["{ print {x}", "write {{ and }} for literal braces"];
    refused(
        &folder,
        &[&PARAM[..], &["--", "awk", awk]].concat(),
        &refusal,
    );
    for (program, script) in [
        ("awk", "BEGIN {{ print {x}^2 }}"),
        ("echo", r#"{{"value": {x}}}"#),
    ] {
        let run = [
            &["run", "--quiet", "--trials", "2"],
            &PARAM[..],
            &["--", program, script],
        ]
        .concat();
        let output = folder.neuralbo(&run).output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
    }
}

#[test]
fn bad_options() {
    refused_with(&["--trials", "0"], &["--trials", "'0'"]);
    refused_with(&["--workers", "0"], &["--workers", "'0'"]);
    refused_with(&["--timeout", "soon"], &["--timeout", "soon", "10m"]);
    refused_with(&["--trial-timeout", "-1"], &["--trial-timeout"]);
    refused_with(&["--target", "nan"], &["--target", "nan", "finite"]);
    refused_with(
        &["--direction", "up"],
        &["--direction", "up", "minimize, maximize"],
    );
    refused_with(&["--method", "magic"], &["--method", "`magic`", "random"]);
    refused_with(
        &["--method", "random", "--option", "nu=1"],
        &["--option", "`nu`", "random"],
    );
    refused_with(&["--option", "nu"], &["--option", "`nu`", "key=value"]);
    refused_with(&["--noise", "1"], &["--noise", "COMMAND"]);
}

#[test]
fn bad_functions() {
    let folder = Folder::new();
    refused(
        &folder,
        &["--function", "ackly"],
        &["--function", "`ackly`", "ackley"],
    );
    refused(
        &folder,
        &["--function", "branin", "--dim", "3"],
        &["dim = 3", "always 2"],
    );
    refused(
        &folder,
        &["--function", "ackley", "--noise", "-1"],
        &["--noise", "-1"],
    );
    refused(
        &folder,
        &["--function", "ackley", "--param", "x=bool"],
        &["--param", "--function"],
    );
    refused(
        &folder,
        &["--function", "ackley", "--", "echo"],
        &["--function", "COMMAND"],
    );
    refused(&folder, &[], &["--function", "COMMAND"]);
}

#[test]
fn bad_space_files() {
    let folder = Folder::new();
    refused(
        &folder,
        &["--space", "none.toml", "--", "echo"],
        &["--space", "none.toml", "No such file"],
    );
    folder.write("space.yaml", "");
    refused(
        &folder,
        &["--space", "space.yaml", "--", "echo"],
        &["space.yaml", ".toml or .json"],
    );
    folder.write("space.toml", "x = { type = \"float\", low = 3, high = 1 }");
    refused(
        &folder,
        &["--space", "space.toml", "--", "echo"],
        &["space.toml", "`x`", "low"],
    );
}

#[test]
fn bad_known_results() {
    let folder = Folder::new();
    for (text, words) in [
        ("y,value\n1,2\n", ["`x`", "y, value"]),
        ("x,loss\n1,2\n", ["`value`", "x, loss"]),
        ("x,value\n0.5,1\n7,2\n", ["row 2", "`x`"]),
        ("x,value\n0.5,one\n", ["row 1", "`one`"]),
    ] {
        folder.write("known.csv", text);
        refused(
            &folder,
            &[&PARAM[..], &["--known", "known.csv"], &ECHO].concat(),
            &words,
        );
    }
}

#[test]
fn parameters_cannot_have_the_names_of_trace_columns() {
    let folder = Folder::new();
    let arguments = [
        "--param",
        "value=bool",
        "--trace",
        "trace.csv",
        "--",
        "echo",
        "{value}",
    ];
    refused(&folder, &arguments, &["`value`", "reserved"]);
    assert!(!folder.path("trace.csv").exists());
}

#[test]
fn a_trace_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new();
    let arguments = [
        &["run"],
        &PARAM[..],
        &["--trace", "no/such/folder.csv"],
        &ECHO,
    ]
    .concat();
    let output = folder.neuralbo(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("no/such/folder.csv"), "{output:?}");
}

#[test]
fn bad_constraints() {
    let refused_for = |constraint: &str, words: &[&str]| {
        refused_with(
            &["--constraint", constraint],
            &[&["--constraint", constraint], words].concat(),
        );
    };
    refused_for("y < 1", &["unknown name `y`", "`x`"]);
    refused_for("x = 0.5", &["`==`"]);
    refused_for("x / 0 < 1", &["division by zero"]);
    refused_for("x + 1", &["is a number, not true or false"]);
    refused_for("x >= 5", &["never holds", "`x` is from 0.0 to 1.0"]);
    refused_for("x < nan", &["unknown name `nan`"]);
    refused_with(
        &["--constraint", "x < 0.2", "--constraint", "x > 0.3"],
        &["no point satisfies all of the constraints `x < 0.2`, `x > 0.3`"],
    );
}
