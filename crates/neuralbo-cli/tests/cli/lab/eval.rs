//! `neuralbo lab eval` and `neuralbo lab list`.

use crate::folder::{Folder, stderr};

fn values(arguments: &[&str], points: &str) -> Vec<f64> {
    let output = Folder::new()
        .neuralbo(&[&["lab", "eval"], arguments].concat())
        .write_stdin(points)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect()
}

fn refusal(arguments: &[&str], points: &str) -> String {
    let output = Folder::new()
        .neuralbo(&[&["lab", "eval"], arguments].concat())
        .write_stdin(points)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    stderr(&output)
}

#[test]
fn every_line_is_answered_by_its_value() {
    assert_eq!(
        values(&["sphere", "--dim", "2"], "1,2\n\n -0.5 , 0\n"),
        [5.0, 0.25]
    );
    assert_eq!(
        values(&["levy-3"], "1,1,1"),
        [values(&["levy", "--dim", "3"], "1,1,1")[0]]
    );
    assert_eq!(values(&["push"], "5,5,0,0,2,0,-5,-5,0,0,2,0,0,0"), [0.0]);
    assert_eq!(values(&["rover"], &vec!["0.5"; 60].join(",")).len(), 1);
}

/// Values of the real COCO code, recorded in `data/bbob/golden.csv` (function 1, instance 1, the optimum) and by its definition.
#[test]
fn bbob_functions_are_chosen_by_number() {
    assert_eq!(
        values(
            &["bbob", "--function", "1", "--instance", "1", "--dim", "2"],
            "0.2528,-1.1568"
        ),
        [79.48]
    );
}

#[test]
fn values_are_written_in_the_shortest_form_that_reads_back() {
    let output = Folder::new()
        .neuralbo(&["lab", "eval", "sphere", "--dim", "1"])
        .write_stdin("0.1\n3\n1e-9")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "0.010000000000000002\n9.0\n1e-18\n"
    );
}

#[test]
fn wrong_lines_and_names_are_refused_by_line_and_field() {
    assert!(
        refusal(&["sphere", "--dim", "2"], "1,2\n1,two")
            .contains("line 2: field 2: `two` is not a number")
    );
    assert!(
        refusal(&["sphere", "--dim", "2"], "1,2,3")
            .contains("line 1: 3 fields found, the problem has 2 coordinates")
    );
    assert!(refusal(&["spere"], "").contains("`spere`"));
    assert!(refusal(&["push", "--dim", "3"], "").contains("always 14"));
    assert!(refusal(&["bbob", "--function", "25", "--dim", "2"], "").contains("1 to 24"));
}

#[test]
fn the_list_names_problems_experiments_and_methods() {
    let output = Folder::new().neuralbo(&["lab", "list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [
        "ackley",
        "bbob",
        "retrieval",
        "memory",
        "standard",
        "neuralbo-paper:nu=0.1",
    ] {
        assert!(text.contains(word), "{word} in {text}");
    }
}
