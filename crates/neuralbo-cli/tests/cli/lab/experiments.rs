//! Every experiment from `lab run` to `lab report`, small.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::traces::{Run, all};
use crate::folder::{Folder, stderr};

const RUN: &str = "lab run --quiet --profile quick --out out";

/// Runs an experiment in `out` and returns its traces.
fn run(folder: &Folder, arguments: &str) -> Vec<Run> {
    run_words(folder, &arguments.split(' ').collect::<Vec<_>>())
}

/// The same with arguments that have spaces inside.
fn run_words(folder: &Folder, arguments: &[&str]) -> Vec<Run> {
    let words: Vec<&str> = RUN.split(' ').chain(arguments.iter().copied()).collect();
    let output = folder.neuralbo(&words).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    all(&folder.path("out"))
}

fn report(folder: &Folder) -> (String, String) {
    let output = folder.neuralbo(&["lab", "report", "out"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let (page, text) = (folder.read("out/report.html"), folder.read("out/report.md"));
    assert!(page.contains("<svg") && page.trim_end().ends_with("</html>"));
    (page, text)
}

/// The data beside the repository or where the variable says; the test is skipped, loudly, where there is none.
#[allow(clippy::print_stderr)]
fn data(folder: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let named = std::env::var_os("NEURALBO_DATA").map(PathBuf::from);
    let found = [named, Some(beside)]
        .into_iter()
        .flatten()
        .find(|p| p.join(folder).is_dir());
    if found.is_none() {
        eprintln!(
            "SKIPPED: no {folder}/ in a data directory; set NEURALBO_DATA to run this test on the real data"
        );
    }
    found.map(|path| path.display().to_string())
}

/// All methods of a problem and run start from the same best value, and it never gets worse.
fn check_traces(runs: &[Run], maximized: bool) {
    let mut first: BTreeMap<(String, u64), f64> = BTreeMap::new();
    for run in runs {
        assert!(run.header["error"].is_null(), "{}", run.header);
        let best = run.column("best");
        let better = |pair: &[f64]| pair[0] == pair[1] || (pair[1] > pair[0]) == maximized;
        assert!(best.windows(2).all(better), "{best:?}");
        assert_eq!(run.column("evaluation")[0], 0.0);
        let number = run.header["run"].as_u64().unwrap();
        let key = (run.text("problem").to_owned(), number);
        assert_eq!(*first.entry(key).or_insert(best[0]), best[0]);
    }
}

#[test]
fn synthetic() {
    let folder = Folder::new();
    let runs = run(
        &folder,
        "synthetic --methods random,gp-ei,neuralbo-paper:nu=1 --evals 3 --problems ackley-3,levy-2",
    );
    assert_eq!(runs.len(), 2 * 3 * 3);
    check_traces(&runs, false);
    assert!(runs.iter().all(|run| run.rows.len() == 4));
    let models = runs
        .iter()
        .filter(|run| run.text("method") == "gp-ei")
        .flat_map(|run| &run.rows[1..]);
    assert!(models.clone().count() > 0 && models.clone().all(|row| row["origin"] == "model:ei"));
    let (page, text) = report(&folder);
    assert!(page.contains("Ackley, d = 3") && text.contains("Table 1."));
    assert!(text.contains("Table 2, neuralbo-paper:nu=1"));
}

#[test]
fn runs_do_not_depend_on_the_number_of_workers() {
    let traces = |jobs: &str| {
        let folder = Folder::new();
        let runs = run(
            &folder,
            &format!(
                "synthetic --methods rf,gp-ts --evals 2 --runs 2 --problems levy-2 --workers {jobs}"
            ),
        );
        runs.iter().map(Run::timeless).collect::<Vec<_>>()
    };
    assert_eq!(traces("1"), traces("3"));
}

#[test]
fn noise_is_that_of_the_run_whatever_the_method() {
    let folder = Folder::new();
    let runs = run(
        &folder,
        "synthetic --methods random,sobol --evals 4 --runs 2 --problems levy-2",
    );
    let noise = |run: &Run| -> Vec<f64> {
        let pairs = run.column("observed").into_iter().zip(run.column("truth"));
        pairs.skip(1).map(|(seen, truth)| seen - truth).collect()
    };
    for (a, b) in [(0, 2), (1, 3)] {
        assert_eq!(runs[a].header["run"], runs[b].header["run"]);
        let mut pairs = noise(&runs[a]).into_iter().zip(noise(&runs[b]));
        assert!(pairs.all(|(x, y)| (x - y).abs() < 1e-9 && x.abs() > 0.0));
    }
    assert!((noise(&runs[0])[0] - noise(&runs[1])[0]).abs() > 1e-9);
}

#[test]
fn bbob() {
    let folder = Folder::new();
    let runs = run(
        &folder,
        "bbob --methods random,gp-ucb --problems f1-d2,bbob-f08-d02 --evals 4 --runs 1",
    );
    assert_eq!(runs.len(), 4);
    assert!(
        runs.iter()
            .all(|run| run.rows.len() == 8 && run.column("best").iter().all(|gap| *gap >= 0.0))
    );
    let output = folder.neuralbo(&["lab", "report", "out"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(folder.read("out/report.md").contains("D=2 area"));
}

/// The noise and the seeds of methods can be chosen, and a range stands for functions.
#[test]
fn bbob_with_noise_seeds_and_ranges() {
    let folder = Folder::new();
    let arguments = "bbob --methods random --problems f1..2-d2 --runs 3-4 --evals 2 --noise 0.1mad";
    let first = run(&folder, arguments);
    assert_eq!(first.len(), 4);
    let noise = |run: &Run| run.column("observed")[0] - run.column("observed")[1];
    assert!(first.iter().all(|run| noise(run) != 0.0));
    let other = Folder::new();
    let second = run(&other, &format!("{arguments} --seed 1"));
    assert_ne!(first[0].column("truth"), second[0].column("truth"));
}

#[test]
fn objectives_outcome_constraints_and_finite_spaces() {
    let folder = Folder::new();
    let program = concat!(
        "ext:python3 ",
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/external_method.py"
    );
    let runs = run_words(
        &folder,
        &[
            "objectives",
            "--problems",
            "zdt1-3,bi-f1-f8-d2",
            "--methods",
            "random",
            "--methods",
            program,
        ],
    );
    assert_eq!(runs.len(), 4);
    for run in &runs {
        let best = run.column("best");
        assert!(best.windows(2).all(|pair| pair[1] >= pair[0]), "{best:?}");
        assert!(run.text("problem") != "zdt1-3" || (0.5..1.0).contains(&best[best.len() - 1]));
    }
    run_words(
        &folder,
        &[
            "outcome-constraints",
            "--methods",
            "random",
            "--methods",
            program,
        ],
    );
    run(&folder, "finite --methods random");
    let all = all(&folder.path("out"));
    let errors: Vec<_> = all
        .iter()
        .filter(|run| !run.header["error"].is_null())
        .collect();
    assert!(all.len() == 8 && errors.is_empty(), "{}", all.len());
    let (_, text) = report(&folder);
    assert!(text.contains("Final shares of the hypervolume") && text.contains("Final gaps"));
}

#[test]
fn push_and_memory() {
    let folder = Folder::new();
    let runs = run(&folder, "push --methods random,sobol --evals 3");
    check_traces(&runs, true);
    run(&folder, "memory --methods random,gp-ucb --evals 2");
    let memory = all(&folder.path("out/memory"));
    assert_eq!(memory.len(), 2);
    check_traces(&memory, true);
    if cfg!(target_os = "linux") {
        assert!(
            memory
                .iter()
                .all(|run| run.column("memory")[1..].iter().all(|bytes| *bytes > 1e5))
        );
    }
    let (_, text) = report(&folder);
    assert!(text.contains("Figure 5.") && text.contains("Resident set in MiB"));
}

#[test]
fn retrieval() {
    let Some(data) = data("amazon") else { return };
    let folder = Folder::new();
    let runs = run(
        &folder,
        &format!("retrieval --methods random,gp-ei --evals 2 --data {data}"),
    );
    check_traces(&runs, true);
    let thirds = |score: f64| (3.0 * score - (3.0 * score).round()).abs() < 1e-9;
    assert!(
        runs.iter()
            .all(|run| run.column("best").into_iter().all(thirds))
    );
    let (_, text) = report(&folder);
    assert!(text.contains("17021 documents of the paper's 37,738"));
}

#[test]
fn sensitive() {
    let Some(data) = data("mnist") else { return };
    let folder = Folder::new();
    let runs = run(
        &folder,
        &format!("sensitive --methods random,sobol --evals 2 --data {data}"),
    );
    check_traces(&runs, true);
    let rates = folder.read("out/sensitive/detection.csv");
    // Two problems, two methods, three ways to take the samples, two runs.
    assert_eq!(rates.lines().count(), 1 + 2 * 2 * 3 * 2);
    let (page, text) = report(&folder);
    assert!(
        text.contains("sensitive-49@scalar: detection rates with N samples")
            && page.contains("Samples found by random")
    );
}

#[test]
fn other_settings_do_not_mix_and_wrong_input_is_named() {
    let folder = Folder::new();
    run(
        &folder,
        "synthetic --methods random --evals 2 --runs 1 --problems levy-2",
    );
    let refusal = |arguments: &[&str]| {
        let output = folder
            .neuralbo(&[&["lab", "run", "--out", "out"], arguments].concat())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(
        refusal(&["synthetic", "--methods", "random", "--evals", "3"])
            .contains("evaluations = 2 there, 3 here")
    );
    assert!(refusal(&["synthetic", "--methods", "magic"]).contains("`magic`"));
    assert!(refusal(&["synthetic", "--methods", "gp-ei:nu=1"]).contains("`nu`"));
    assert!(refusal(&["synthetic", "--problems", "nothing-3"]).contains("nothing-3"));
    assert!(refusal(&["bbob", "--problems", "f99-d2"]).contains("function = 99"));
    assert!(refusal(&["sensitive", "--data", "no/such/folder"]).contains("no/such/folder"));
    let output = folder
        .neuralbo(&["lab", "report", "elsewhere"])
        .output()
        .unwrap();
    assert!(output.status.code() == Some(2) && stderr(&output).contains("no results"));
}
