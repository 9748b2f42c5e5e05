//! Importance, completions and manual pages, end to end.

use unicode_width::UnicodeWidthStr;

use crate::folder::{Folder, json, stderr};

/// A study of `3 x + y²` beside an inert `z` and a choice, 60 trials of Sobol points.
fn study(folder: &Folder) {
    folder.write(
        "f.sh",
        "echo \"$1 $2 $3\" | awk '{ print 3 * $1 + $2 * $2 + ($3 == \"b\" ? 2 : 0) }'\n",
    );
    let parameters = [
        "--param",
        "x=float(-1,1)",
        "--param",
        "y=float(-1,1)",
        "--param",
        "z=float(0,1)",
        "--param",
        "c=choice(a,b)",
    ];
    let output = folder
        .neuralbo(&[
            "run", "--study", "s", "--method", "sobol", "--seed", "1", "--trials", "60", "--quiet",
        ])
        .args(parameters)
        .args(["--", "sh", "f.sh", "{x}", "{y}", "{c}"])
        .output();
    assert!(output.as_ref().unwrap().status.success(), "{output:?}");
}

#[test]
fn importance_is_that_of_the_function() {
    let folder = Folder::new();
    study(&folder);
    let found = json(
        &folder
            .neuralbo(&["importance", "s", "--json"])
            .output()
            .unwrap(),
    );
    let parameters = found["whole"]["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["x", "c", "y", "z"]);
    // Variances 3, 1 and 4/45; all additive.
    for (parameter, variance) in parameters.iter().zip([3.0, 1.0, 4.0 / 45.0, 0.0]) {
        let share = variance / (4.0 + 4.0 / 45.0);
        assert!(
            (parameter["first"]["value"].as_f64().unwrap() - share).abs() < 0.03,
            "{parameter}"
        );
        assert!(
            parameter["total"]["low"].as_f64().unwrap() - 0.02 <= share,
            "{parameter}"
        );
    }
    assert_eq!(found["whole"]["choices"][0]["effects"][0]["value"], "a");
    assert!(found["near_best"]["parameters"].as_array().unwrap().len() == 4);
    let text = folder.neuralbo(&["importance", "s"]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("importance for `value`, by a model of 60 complete trials\n")
            && text.contains("█"),
        "{text}"
    );
    let rest = 100.0 * (1.0 - found["whole"]["explained"].as_f64().unwrap());
    let sentence =
        format!("the model leaves {rest:.0} % of the variance of held-out trials unexplained\n");
    assert!(text.contains(&sentence), "{text}");
    assert!(
        text.contains("c, the best first: a -") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn importance_refuses_what_it_cannot_tell() {
    let folder = Folder::new();
    let made = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "2",
        "--",
        "echo",
        "{x}",
    ];
    assert!(folder.neuralbo(&made).output().unwrap().status.success());
    for (arguments, code, part) in [
        (
            vec!["importance", "s"],
            1,
            "needs at least 4 observations and has 2",
        ),
        (
            vec!["importance", "s", "--objective", "speed"],
            2,
            "--objective: `speed` is neither an objective nor limited by an outcome constraint; the study measures value",
        ),
        (vec!["importance", "none"], 2, "none"),
        (
            vec!["importance", "s", "--near", "1.5"],
            2,
            "between 0 and 1",
        ),
    ] {
        let output = folder.neuralbo(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(
            stderr(&output).contains(part),
            "{part}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn shells_and_man_get_what_they_need() {
    let folder = Folder::new();
    for (shell, part) in [
        ("bash", "_neuralbo()"),
        ("zsh", "#compdef neuralbo"),
        ("fish", "complete -c neuralbo"),
    ] {
        let output = folder.neuralbo(&["completions", shell]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains(part) && text.contains("importance") && text.contains("patience"),
            "{shell}"
        );
    }
    assert_eq!(
        folder
            .neuralbo(&["completions", "cmd"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
    assert!(
        folder
            .neuralbo(&["man", "pages/man1"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let page = folder.read("pages/man1/neuralbo-run.1");
    assert!(
        page.contains(".TH neuralbo-run 1") && page.contains("patience"),
        "{page}"
    );
    assert!(
        folder.path("pages/man1/neuralbo.1").exists()
            && folder.path("pages/man1/neuralbo-lab-run.1").exists()
    );
}

#[test]
fn tables_show_what_is_asked_for() {
    let folder = Folder::new();
    study(&folder);
    let text = |arguments: &[&str]| {
        let output = folder
            .neuralbo(&["trials", "s"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let csv = text(&[
        "--columns",
        "number,value,duration,c",
        "--sort",
        "-value",
        "--top",
        "3",
        "--format",
        "csv",
    ]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["number", "value", "duration", "c"]);
    let values: Vec<f64> = rows[1..]
        .iter()
        .map(|row| row[1].parse().unwrap())
        .collect();
    assert!(
        values.len() == 3 && values[0] >= values[1] && values[1] >= values[2] && values[2] > 2.0,
        "{csv}"
    );
    assert!(
        rows[1..]
            .iter()
            .all(|row| row[2].parse::<f64>().is_ok() && row[3] == "b"),
        "{csv}"
    );
    let best = text(&["--top", "1", "--columns", "value", "--format", "csv"]);
    let all = text(&["--sort", "value", "--columns", "value", "--format", "csv"]);
    assert_eq!(best.lines().nth(1), all.lines().nth(1));
    assert_eq!(all.lines().count(), 61);
    // A pipe gets the same columns and digits, separated by tabs.
    let columns = ["--columns", "number,duration,x,message"];
    let csv = text(&[&columns[..], &["--format", "csv"]].concat());
    assert_eq!(text(&columns), csv.replace(',', "\t"));
    for (arguments, part) in [
        (
            ["--columns", "number,speed"],
            "unknown column `speed`; columns: number, state, value",
        ),
        (["--sort", "-none"], "unknown column `none`"),
        (["--top", "0"], "--top"),
    ] {
        let output = folder
            .neuralbo(&["trials", "s"])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains(part),
            "{part}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn tables_fit_the_terminal_without_cutting_numbers() {
    let folder = Folder::new();
    study(&folder);
    let all = |arguments: &[&str]| {
        let output = folder.neuralbo(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for arguments in [&["studies"][..], &["trials", "s"], &["importance", "s"]] {
        let piped = all(arguments);
        let mut rows = piped.lines().filter(|line| line.contains('\t'));
        let columns: Vec<&str> = rows.next().unwrap().split('\t').collect();
        assert!(
            rows.all(|row| row.split('\t').count() == columns.len()),
            "{piped}"
        );
        for width in [80, 200] {
            let output = folder.on_terminal(width, &[arguments, &["--color", "never"]].concat());
            let shown = String::from_utf8(output.stdout).unwrap();
            let table: Vec<&str> = shown
                .lines()
                .filter(|line| line.contains(['│', '┌']))
                .collect();
            let wide = |line: &&&str| line.trim_end().width() > width;
            assert_eq!(
                table.iter().find(wide),
                None,
                "{arguments:?} {width}: {shown}"
            );
            assert!(!shown.contains('…'), "{arguments:?} {width}: {shown}");
            // Each column is in the table or named below it.
            let (header, hidden) = (
                table[1],
                shown.lines().find(|line| line.starts_with("hidden")),
            );
            let missing = |column: &&&str| {
                !header.contains(**column) && !hidden.is_some_and(|line| line.contains(**column))
            };
            assert_eq!(
                columns.iter().find(missing),
                None,
                "{arguments:?} {width}: {shown}"
            );
        }
    }
}

#[test]
fn people_see_six_digits_and_no_remark_about_noise_without_noise() {
    let folder = Folder::new();
    folder.write(
        "known.csv",
        "x,value\n1e-20,1.06846123456e-20\n0.5,0.25\n0.75,0.5625\n0.25,0.0625\n1,1\n0.1,0.01\n",
    );
    // The same function, nowhere below the best known value.
    folder.write(
        "f.sh",
        "echo \"$1\" | awk '{ printf \"%.17g\\n\", $1 * $1 + 1e-9 }'\n",
    );
    let made = [
        "run",
        "--study",
        "s",
        "--seed",
        "1",
        "--param",
        "x=float(0,1)",
        "--known",
        "known.csv",
        "--trials",
        "1",
        "--quiet",
    ];
    let output = folder
        .neuralbo(&made)
        .args(["--", "sh", "f.sh", "{x}"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.starts_with("best value 1.06846e-20 in trial 0\n  x = 1e-20\n"),
        "{text}"
    );
    assert!(!text.contains("noisy"), "{text}");
    let exact = json(&folder.neuralbo(&["best", "s", "--json"]).output().unwrap());
    assert_eq!(exact["value"], 1.06846123456e-20);
}
