//! An experiment split over machines, its cost and what is kept of it.

use std::io::Read;
use std::path::Path;

use super::traces::{Run, all};
use crate::folder::{Folder, stderr};

const ARGUMENTS: [&str; 12] = [
    "lab",
    "run",
    "synthetic",
    "--profile",
    "quick",
    "--evals",
    "2",
    "--runs",
    "3",
    "--problems",
    "levy-2,ackley-2@moved",
    "-q",
];

fn run(folder: &Folder, more: &[&str]) -> String {
    let output = folder
        .neuralbo(&[&ARGUMENTS[..], &["--methods", "random,sobol,centre"], more].concat())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn parts_copied_together_are_the_whole() {
    let folder = Folder::new();
    run(&folder, &["--out", "whole"]);
    let whole: Vec<Run> = all(&folder.path("whole"))
        .iter()
        .map(Run::timeless)
        .collect();
    let mut counts = Vec::new();
    for part in ["1/4", "2/4", "3/4", "4/4"] {
        let out = format!("part-{}", &part[..1]);
        run(&folder, &["--out", &out, "--shard", part]);
        assert!(
            run(&folder, &["--out", &out, "--shard", part]).contains("(0 made now"),
            "a part goes on where it was"
        );
        counts.push(all(&folder.path(&out)).len());
        copy(&folder.path(&out), &folder.path("together"));
    }
    assert!(
        counts.iter().sum::<usize>() == 18 && counts.iter().all(|count| (4..=5).contains(count)),
        "{counts:?}"
    );
    assert_eq!(
        all(&folder.path("together"))
            .iter()
            .map(Run::timeless)
            .collect::<Vec<_>>(),
        whole
    );
    assert!(
        run(&folder, &["--out", "together"]).contains("18 runs in")
            && run(&folder, &["--out", "together"]).contains("(0 made now")
    );
    assert!(
        folder
            .neuralbo(&["lab", "report", "together"])
            .output()
            .unwrap()
            .status
            .success()
    );

    let summary = folder
        .neuralbo(&["lab", "summary", "together", "--out", "kept"])
        .output()
        .unwrap();
    assert!(summary.status.success(), "{}", stderr(&summary));
    let manifest: serde_json::Value =
        serde_json::from_str(&folder.read("kept/synthetic.json")).unwrap();
    let sessions = manifest["sessions"].as_array().unwrap();
    assert_eq!(
        sessions
            .iter()
            .filter(|session| session["shard"].is_string())
            .count(),
        8
    );
    assert!(sessions.iter().all(|session| session["commit"].is_string()));
    let mut table = String::new();
    let file = std::fs::File::open(folder.path("kept/synthetic.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut table)
        .unwrap();
    assert_eq!(table.lines().count(), 19);
    let (titles, line) = (table.lines().next().unwrap(), table.lines().nth(1).unwrap());
    let column = titles
        .split(',')
        .position(|title| title == "best_100")
        .unwrap();
    let last: f64 = line.split(',').nth(column).unwrap().parse().unwrap();
    assert!((last / whole[0].last_best() - 1.0).abs() < 1e-5, "{line}");
}

#[test]
fn what_is_no_part_is_refused() {
    let folder = Folder::new();
    for part in ["0/4", "5/4", "4", "a/b", "1/0"] {
        let output = folder
            .neuralbo(&[&ARGUMENTS[..], &["--shard", part]].concat())
            .output()
            .unwrap();
        assert!(
            output.status.code() == Some(2) && stderr(&output).contains("i/n"),
            "{}",
            stderr(&output)
        );
    }
    assert!(!folder.path("lab-results").exists());
}

/// Hours by method add up to those of the experiment, and those to all.
#[test]
fn the_cost_of_everything_is_known_beforehand() {
    let output = Folder::new()
        .neuralbo(&["lab", "list", "--cost"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let paper = |line: &str| {
        line.split_whitespace()
            .next_back()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let lines: Vec<&str> = text
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("Each"))
        .collect();
    let (methods, sums): (Vec<&str>, Vec<&str>) =
        lines.iter().partition(|line| line.starts_with(' '));
    let (total, experiments) = sums.split_last().unwrap();
    assert!(
        total.starts_with("all") && experiments.len() == 20,
        "{text}"
    );
    let close = |sum: f64| (sum - paper(total)).abs() < 0.1;
    assert!(
        close(methods.iter().map(|line| paper(line)).sum())
            && close(experiments.iter().map(|line| paper(line)).sum()),
        "{text}"
    );
}
