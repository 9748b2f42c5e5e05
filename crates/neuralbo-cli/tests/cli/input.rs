//! Wrong input: exit code 2 and a message that names the option, the value and what is allowed.

use crate::room::{Room, stderr};

const PARAM: [&str; 2] = ["--param", "x=float(0,1)"];
const ECHO: [&str; 3] = ["--", "echo", "{x}"];

/// Expects `neuralbo run` to refuse these arguments with a message that contains all `words`.
fn refused(room: &Room, arguments: &[&str], words: &[&str]) {
    let output = room.neuralbo(&["run"]).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let text = stderr(&output);
    assert!(words.iter().all(|word| text.contains(word)), "{words:?} not all in: {text}");
}

fn refused_with(arguments: &[&str], words: &[&str]) {
    refused(&Room::new(), &[&PARAM, arguments, &ECHO].concat(), words);
}

#[test]
fn bad_parameters() {
    let room = Room::new();
    refused(&room, &["--param", "x", "--", "echo", "1"], &["--param", "`x`", "NAME=DOMAIN"]);
    refused(&room, &["--param", "x=float(2,1)", "--", "echo", "1"], &["--param", "`x`", "low"]);
    refused(&room, &["--param", "x=bool", "--param", "x=bool", "--", "echo", "1"], &["`x`", "twice"]);
    refused(&room, &["--", "echo", "1"], &["at least one parameter"]);
}

#[test]
fn bad_placeholders() {
    let room = Room::new();
    refused(&room, &[&PARAM[..], &["--param", "y=bool", "--", "echo", "{z}"]].concat(), &["{z}", "x, y"]);
    refused(&room, &[&PARAM[..], &["--", "echo", "{x"]].concat(), &["`{x`", "{{"]);
}

#[test]
fn bad_options() {
    refused_with(&["--trials", "0"], &["--trials", "'0'"]);
    refused_with(&["--jobs", "0"], &["--jobs", "'0'"]);
    refused_with(&["--time", "soon"], &["--time", "soon", "10m"]);
    refused_with(&["--timeout", "-1"], &["--timeout"]);
    refused_with(&["--target", "nan"], &["--target", "nan", "finite"]);
    refused_with(&["--direction", "up"], &["--direction", "up", "minimize, maximize"]);
    refused_with(&["--method", "magic"], &["--method", "`magic`", "random"]);
    refused_with(&["--method", "random", "--option", "nu=1"], &["--option", "`nu`", "random"]);
    refused_with(&["--option", "nu"], &["--option", "`nu`", "key=value"]);
    refused_with(&["--noise", "1"], &["--noise", "COMMAND"]);
}

#[test]
fn bad_functions() {
    let room = Room::new();
    refused(&room, &["--function", "ackly"], &["--function", "`ackly`", "ackley"]);
    refused(&room, &["--function", "branin", "--dim", "3"], &["dim = 3", "always 2"]);
    refused(&room, &["--function", "ackley", "--noise", "-1"], &["--noise", "-1"]);
    refused(&room, &["--function", "ackley", "--param", "x=bool"], &["--param", "--function"]);
    refused(&room, &["--function", "ackley", "--", "echo"], &["--function", "COMMAND"]);
    refused(&room, &[], &["--function", "COMMAND"]);
}

#[test]
fn bad_space_files() {
    let room = Room::new();
    refused(&room, &["--space", "none.toml", "--", "echo"], &["--space", "none.toml", "No such file"]);
    room.write("space.yaml", "");
    refused(&room, &["--space", "space.yaml", "--", "echo"], &["space.yaml", ".toml or .json"]);
    room.write("space.toml", "x = { type = \"float\", low = 3, high = 1 }");
    refused(&room, &["--space", "space.toml", "--", "echo"], &["space.toml", "`x`", "low"]);
}

#[test]
fn bad_known_results() {
    let room = Room::new();
    for (text, words) in [
        ("y,value\n1,2\n", ["`x`", "y, value"]),
        ("x,loss\n1,2\n", ["`value`", "x, loss"]),
        ("x,value\n0.5,1\n7,2\n", ["row 2", "`x`"]),
        ("x,value\n0.5,one\n", ["row 1", "`one`"]),
    ] {
        room.write("known.csv", text);
        refused(&room, &[&PARAM[..], &["--known", "known.csv"], &ECHO].concat(), &words);
    }
}

#[test]
fn parameters_cannot_have_the_names_of_trace_columns() {
    let room = Room::new();
    let arguments = ["--param", "value=bool", "--trace", "trace.csv", "--", "echo", "{value}"];
    refused(&room, &arguments, &["`value`", "reserved"]);
    assert!(!room.path("trace.csv").exists());
}

#[test]
fn a_trace_that_cannot_be_written_is_a_failure() {
    let room = Room::new();
    let arguments = [&["run"], &PARAM[..], &["--trace", "no/such/folder.csv"], &ECHO].concat();
    let output = room.neuralbo(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("no/such/folder.csv"), "{output:?}");
}
