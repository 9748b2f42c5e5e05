//! The numbers of a report, computed again from the traces.

use super::traces::{Run, all, table};
use crate::folder::{Folder, stderr};

const METHODS: [&str; 4] = [
    "neuralbo-paper:nu=0.1",
    "neuralbo-paper:nu=1",
    "gp-ei",
    "random",
];

fn folder() -> Folder {
    let folder = Folder::new();
    let methods = METHODS.join(",");
    let arguments = [
        "lab",
        "run",
        "synthetic",
        "--profile",
        "quick",
        "--evals",
        "4",
        "--runs",
        "4",
        "--problems",
        "levy-2",
    ];
    let output = folder
        .neuralbo(
            &[
                &arguments[..],
                &["--methods", &methods, "--out", "out", "-q"],
            ]
            .concat(),
        )
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        folder
            .neuralbo(&["lab", "report", "out"])
            .output()
            .unwrap()
            .status
            .success()
    );
    folder
}

fn finals(runs: &[Run], method: &str) -> Vec<f64> {
    runs.iter()
        .filter(|run| run.text("method") == method)
        .map(Run::last_best)
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn sd(values: &[f64]) -> f64 {
    let center = mean(values);
    (values.iter().map(|v| (v - center).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)).sqrt()
}

/// `mean ± sd` of a cell.
fn numbers(cell: &str) -> (f64, f64) {
    let (mean, sd) = cell.split_once(" ± ").unwrap();
    (mean.parse().unwrap(), sd.parse().unwrap())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 6e-4 * b.abs().max(1e-6)
}

#[test]
fn tables_are_those_of_the_traces() {
    let folder = folder();
    let (runs, text) = (all(&folder.path("out")), folder.read("out/report.md"));

    let nu = table(&text, "neuralbo-paper for every ν");
    for (column, method) in [(1, METHODS[0]), (2, METHODS[1])] {
        let (values, (m, s)) = (finals(&runs, method), numbers(&nu[2][column]));
        assert!(
            close(m, mean(&values)) && close(s, sd(&values)),
            "{:?} {values:?}",
            nu[2]
        );
    }

    let best = if mean(&finals(&runs, METHODS[0])) <= mean(&finals(&runs, METHODS[1])) {
        METHODS[0]
    } else {
        METHODS[1]
    };
    let final_values = table(&text, "Final best true values");
    assert_eq!(
        final_values[0],
        ["problem", "neuralbo-paper (best ν)", "gp-ei", "random"]
    );
    for (column, method) in [(1, best), (2, "gp-ei"), (3, "random")] {
        let (values, (m, s)) = (finals(&runs, method), numbers(&final_values[2][column]));
        assert!(
            close(m, mean(&values)) && close(s, sd(&values)),
            "{:?} {values:?}",
            final_values[2]
        );
    }

    let mut order = [
        (mean(&finals(&runs, best)), "neuralbo-paper (best ν)"),
        (mean(&finals(&runs, "gp-ei")), "gp-ei"),
        (mean(&finals(&runs, "random")), "random"),
    ];
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks = table(&text, "Mean rank of the mean final value");
    for (rank, (_, method)) in order.iter().enumerate() {
        let row = ranks.iter().find(|row| row[0] == *method).unwrap();
        assert_eq!(row[1], format!("{:.2}", rank as f64 + 1.0));
    }
}

#[test]
fn the_recommended_point_stands_beside_the_best_seen() {
    let folder = folder();
    let (runs, text) = (all(&folder.path("out")), folder.read("out/report.md"));
    let pairs = table(&text, "Best seen or recommended?");
    assert_eq!(
        pairs[0],
        [
            "problem",
            "method",
            "best seen",
            "recommended",
            "better",
            "equal",
            "worse"
        ]
    );
    assert!(
        !pairs.iter().any(|row| row[1] == "random"),
        "random recommends nothing: {pairs:?}"
    );
    let row = pairs.iter().find(|row| row[1] == "gp-ei").unwrap();
    let of_field = |field: &str| {
        let own = runs.iter().filter(|run| run.text("method") == "gp-ei");
        own.map(|run| run.header[field].as_f64().unwrap())
            .collect::<Vec<_>>()
    };
    let (seen, recommended) = (of_field("best_seen_truth"), of_field("recommended_truth"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!(
        close(number(&row[2]), mean(&seen)) && close(number(&row[3]), mean(&recommended)),
        "{row:?} {seen:?} {recommended:?}"
    );
    let wins = |better: fn(&f64, &f64) -> bool| {
        seen.iter()
            .zip(&recommended)
            .filter(|(s, r)| better(r, s))
            .count()
            .to_string()
    };
    assert_eq!(
        row[4..],
        [wins(|r, s| r < s), wins(|r, s| r == s), wins(|r, s| r > s)]
    );
    for run in runs.iter().filter(|run| run.text("method") == "random") {
        assert!(
            run.header["best_seen_truth"].is_number()
                && run.header.get("recommended_truth").is_none()
        );
        assert!(run.header["best_seen_truth"].as_f64().unwrap() >= run.last_best());
    }
}

/// Twenty predictions at most: counted here with the quantile of printed tables.
#[test]
fn calibration_is_that_of_the_predictions_in_the_traces() {
    let folder = folder();
    let (runs, text) = (all(&folder.path("out")), folder.read("out/report.md"));
    let shares = table(&text, "Predictions on synthetic");
    assert_eq!(
        shares[0],
        [
            "method",
            "dimension",
            "predictions",
            "inside the 90 % interval"
        ]
    );
    assert!(
        !shares.iter().any(|row| row[0] == "random"),
        "random predicts nothing: {shares:?}"
    );
    let row = shares.iter().find(|row| row[0] == "gp-ei").unwrap();
    let of_run = |run: &Run| {
        let predictions = run
            .column("observed")
            .into_iter()
            .zip(run.column("mean"))
            .zip(run.column("sd"));
        predictions
            .filter(|((_, mean), _)| mean.is_finite())
            .map(|((y, mean), sd)| (y - mean).abs() / sd)
            .collect::<Vec<_>>()
    };
    let errors: Vec<f64> = runs
        .iter()
        .filter(|run| run.text("method") == "gp-ei")
        .flat_map(of_run)
        .collect();
    let inside = errors.iter().filter(|error| **error <= 1.644_854).count();
    let share = format!("{:.1} %", 100.0 * inside as f64 / errors.len() as f64);
    assert_eq!(row[1..], ["2".to_owned(), errors.len().to_string(), share]);
    assert!(
        !errors.is_empty()
            && folder
                .read("out/figures/calibration-synthetic.svg")
                .contains("class=\"guide\"")
    );
}

/// The test statistic and the side on which p must be; p itself is checked against SciPy where it is computed.
#[test]
fn significance_follows_the_means() {
    let folder = folder();
    let (runs, text) = (all(&folder.path("out")), folder.read("out/report.md"));
    let tests = table(&text, "Table 2, neuralbo-paper (best ν)");
    assert_eq!(tests[0], ["problem", "gp-ei"]);
    let p: f64 = tests[2][1].split(' ').next().unwrap().parse().unwrap();
    let best = f64::min(
        mean(&finals(&runs, METHODS[0])),
        mean(&finals(&runs, METHODS[1])),
    );
    assert_eq!(p < 0.5, mean(&finals(&runs, "gp-ei")) > best, "{p}");
    assert!(tests[2][1].ends_with("/ –"));
    let normal = table(&text, "Table 1.");
    assert_eq!(normal[0].len(), 4);
}

#[test]
fn the_page_stands_alone() {
    let page = folder().read("out/report.html");
    for outside in ["<script", "<link", "src=", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(
        page.contains("Differs from the paper")
            && page.contains("Table 1.")
            && page.matches("<svg").count() >= 1
    );
}
