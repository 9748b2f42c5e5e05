//! Moved and offset functions, the baseline `centre` and the experiment `controls`.

use super::traces::{Run, all, table};
use crate::folder::{Folder, stderr};

fn value(problem: &str, point: &str) -> f64 {
    let output = Folder::new()
        .neuralbo(&["lab", "eval", problem])
        .write_stdin(point)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// 0.4 of half the box to either side: Ackley's function is 0 in one of the places and large in the others.
#[test]
fn the_moved_optimum_is_where_it_is_said_to_be() {
    let corner = |x: f64, y: f64| {
        value(
            "ackley-2@moved",
            &format!("{},{}", 0.4 * 32.768 * x, 0.4 * 32.768 * y),
        )
    };
    let values = [
        corner(1.0, 1.0),
        corner(1.0, -1.0),
        corner(-1.0, 1.0),
        corner(-1.0, -1.0),
    ];
    assert_eq!(
        values.iter().filter(|value| value.abs() < 1e-9).count(),
        1,
        "{values:?}"
    );
    assert!(
        (value("ackley-2@moved", "0,0") - 19.08).abs() < 0.01
            && value("ackley-2", "0,0").abs() < 1e-9
    );
}

#[test]
fn an_offset_is_the_same_everywhere() {
    let differences = ["1,1", "0,0", "-7,3.5"]
        .map(|point| value("levy-2", point) - value("levy-2@offset", point));
    assert!(
        differences
            .iter()
            .all(|difference| (difference - differences[0]).abs() < 1e-9 && *difference > 10.0)
    );
}

#[test]
fn any_study_can_have_a_control() {
    let folder = Folder::new();
    let arguments = [
        "run",
        "--function",
        "sphere@moved",
        "--dim",
        "2",
        "--trials",
        "3",
        "--method",
        "random",
        "--json",
    ];
    let output = folder.neuralbo(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    for (problem, word) in [
        (
            "sphere-2@turned",
            "moved or translated or offset or shifted",
        ),
        ("push@moved", "optimum is not known"),
    ] {
        let output = folder
            .neuralbo(&["lab", "eval", problem])
            .write_stdin("")
            .output()
            .unwrap();
        assert!(
            output.status.code() == Some(2) && stderr(&output).contains(word),
            "{}",
            stderr(&output)
        );
    }
    let output = folder.neuralbo(&["lab", "list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("@moved") && text.contains("@offset") && text.contains("centre"),
        "{text}"
    );
}

/// Originals and controls begin with the same points and meet the same noise; random search even goes on alike.
#[test]
fn controls_change_the_function_alone() {
    let folder = Folder::new();
    let problems = "ackley-3,ackley-3@moved,ackley-3@offset";
    let arguments = [
        "lab",
        "run",
        "controls",
        "--profile",
        "quick",
        "-q",
        "--out",
        "out",
        "--problems",
        problems,
    ];
    let output = folder
        .neuralbo(&[&arguments[..], &["--methods", "centre,random"]].concat())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let runs = all(&folder.path("out"));
    let of = |problem: &str, method: &str| -> Run {
        runs.iter()
            .find(|run| run.text("problem") == problem && run.text("method") == method)
            .unwrap()
            .clone()
    };
    let noise = |run: &Run| run.column("observed")[1] - run.column("truth")[1];
    let (original, moved, offset) = (
        of("ackley-3", "random"),
        of("ackley-3@moved", "random"),
        of("ackley-3@offset", "random"),
    );
    assert!(
        (noise(&original) - noise(&moved)).abs() < 1e-9
            && (noise(&original) - noise(&offset)).abs() < 1e-9
    );
    let constant = original.column("truth")[1] - offset.column("truth")[1];
    assert!(
        original.column("truth")[1..]
            .iter()
            .zip(&offset.column("truth")[1..])
            .all(|(a, b)| (a - b - constant).abs() < 1e-9)
    );
    assert_eq!(original.header["place"], moved.header["place"]);

    let centre = of("ackley-3", "centre");
    assert!(centre.last_best().abs() < 1e-9 && centre.rows[1]["origin"] == "initial");
    assert!(
        folder
            .neuralbo(&["lab", "report", "out"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let rows = table(&folder.read("out/report.md"), "Final best true values");
    assert_eq!(
        rows[0][..4],
        ["function", "variant", "value in the centre", "initial best"]
    );
    assert_eq!(
        rows[2..]
            .iter()
            .map(|row| row[1].as_str())
            .collect::<Vec<_>>(),
        ["original", "moved", "offset"]
    );
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!(
        number(&rows[2][2]).abs() < 1e-9
            && (number(&rows[3][2]) - 19.08).abs() < 0.01
            && number(&rows[4][2]).abs() < 1e-9
    );
    // The offset is taken out again: random search has found the same.
    assert!(
        (number(&rows[2][5]) - number(&rows[4][5])).abs() < 1e-2,
        "{rows:?}"
    );
}
