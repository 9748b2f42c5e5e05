//! What other users stored is shown and not obeyed.

use crate::folder::{Folder, stderr};

const RUN: [&str; 9] = [
    "run",
    "--study",
    "s",
    "--method",
    "random",
    "--param",
    "x=float(0,1)",
    "--trials",
    "2",
];

fn text(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.neuralbo(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn terminal_escapes_in_worker_names_and_messages_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    text(&folder, &RUN);
    text(
        &folder,
        &[
            "ask",
            "s",
            "--worker",
            "\u{1b}[31mred\u{9b}2J\tcell\nfake row",
        ],
    );
    let told = [
        "tell",
        "s",
        "0",
        "--failed",
        "error",
        "--message",
        "\u{1b}]0;owned\u{7}",
    ];
    text(&folder, &told);
    text(&folder, &["ask", "s", "--worker", "\u{202e}turned"]);
    for arguments in [
        &["trials", "s"][..],
        &["trials", "s", "--json"],
        &["studies"],
        &["best", "s", "--json"],
    ] {
        let output = folder.neuralbo(arguments).output().unwrap();
        let shown =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        // Tabs separate the cells of a table that goes to a pipe.
        let acting = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}';
        assert_eq!(shown.chars().find(acting), None, "{arguments:?}: {shown}");
    }
    let table = text(&folder, &["trials", "s"]);
    assert!(
        table.contains("red\\u{9b}2J\\tcell\\nfake row")
            && !table.lines().any(|line| line.starts_with("fake")),
        "{table}"
    );
    let output = folder
        .neuralbo(&RUN)
        .args(["--", "echo", "1"])
        .timeout(std::time::Duration::from_secs(2))
        .output()
        .unwrap();
    assert!(
        !stderr(&output).contains('\u{202e}'),
        "who has the running trials: {output:?}"
    );
}

#[test]
fn small_values_are_not_shown_as_zero() {
    let folder = Folder::new();
    text(&folder, &[&RUN[..], &["--", "echo", "1e-9"]].concat());
    let table = text(&folder, &["trials", "s"]);
    assert!(table.contains("\t1e-9\t"), "{table}");
}
