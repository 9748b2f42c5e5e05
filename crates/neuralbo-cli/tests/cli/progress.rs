//! What a run says on its way, against what its programs did.

use unicode_width::UnicodeWidthStr;

use crate::folder::{Folder, stderr};

const RUN: [&str; 7] = [
    "run",
    "--method",
    "random",
    "--seed",
    "1",
    "--param",
    "x=float(0,1)",
];

/// The numbers after `before` in each line or frame that has it.
fn numbers(shown: &str, before: &str) -> Vec<f64> {
    let parts = shown
        .split(['\n', '\r'])
        .filter_map(|line| line.split_once(before));
    let number = |rest: &str| rest.split([' ', ',']).next().unwrap().parse().unwrap();
    parts.map(|(_, rest)| number(rest)).collect()
}

/// What a terminal shows at one time or another, without its control sequences.
fn frames(shown: &[u8]) -> Vec<String> {
    let shown = String::from_utf8_lossy(shown);
    let frames = shown.split(['\r', '\n']).map(|frame| {
        let mut parts = frame.split("\u{1b}[");
        let first = parts.next().unwrap().to_owned();
        let after = |part: &str| {
            let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            part[end + 1..].to_owned()
        };
        first + &parts.map(after).collect::<String>()
    });
    frames.collect()
}

#[test]
fn the_best_so_far_never_gets_worse_with_several_workers() {
    // Even trials are slow and better: each pair finishes in the other order.
    let script = "if [ $((NEURALBO_TRIAL % 2)) = 0 ]; then sleep 0.12; echo $((100 - 3 * NEURALBO_TRIAL)); \
        else sleep 0.05; echo $((100 - NEURALBO_TRIAL)); fi";
    for direction in ["minimize", "maximize"] {
        let folder = Folder::new();
        let options = ["--trials", "12", "--workers", "2", "--direction", direction];
        let options = [&options[..], &["--trace", "t.csv"]].concat();
        let said = stderr(&folder.script(&options, script).output().unwrap());
        let trace = folder.read("t.csv");
        let mut rows = trace.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let column = |name| header.iter().position(|column| *column == name).unwrap();
        let (value, best) = (column("value"), column("best"));
        let is_max = direction == "maximize";
        let better = |a: f64, b: f64| if is_max { a.max(b) } else { a.min(b) };
        let (mut truth, mut news) = (Vec::new(), Vec::new());
        for row in rows {
            let number = |at: usize| row[at].parse::<f64>().unwrap();
            let before = truth.last().copied();
            let now = before.map_or(number(value), |before| better(before, number(value)));
            assert_eq!(number(best), now, "{trace}");
            truth.push(now);
            news.extend(Some(now).filter(|_| before != Some(now)));
        }
        assert_eq!(truth.len(), 12);
        assert_eq!(numbers(&said, "finished: best "), news, "{said}");
        let (_, last) = said.rsplit_once(" finished: best ").unwrap();
        let trial: usize = last.split(['(', ')']).nth(1).unwrap()["trial ".len()..]
            .parse()
            .unwrap();
        let expected = if trial.is_multiple_of(2) {
            100 - 3 * trial
        } else {
            100 - trial
        };
        assert_eq!(*news.last().unwrap(), expected as f64, "{said}");
    }
}

#[test]
fn no_terminal_is_too_narrow_for_the_exponent_of_the_best_value() {
    // Trial i gives 8.03137…e-(8 + i).
    let script = "sleep 0.06; [ $((NEURALBO_TRIAL % 4)) = 3 ] && exit 3; echo 8.031371234e-$((8 + NEURALBO_TRIAL))";
    for columns in [48, 62, 80, 120] {
        let folder = Folder::new();
        folder.write("script.sh", script);
        let rest = ["--trials", "20", "--workers", "2", "--", "sh", "script.sh"];
        let output = folder.on_terminal(columns, &[&RUN[..], &rest].concat());
        assert!(output.status.success(), "{output:?}");
        let frames = frames(&output.stdout);
        let bars: Vec<&String> = frames
            .iter()
            .filter(|frame| frame.contains("/20 trials"))
            .collect();
        assert!(
            bars.iter().all(|bar| bar.width() <= columns),
            "{columns}: {bars:?}"
        );
        let mut shown = 0;
        for bar in &bars {
            let Some((_, best)) = bar.split_once("best ") else {
                continue;
            };
            let (best, rest) = best.split_once(" (trial ").unwrap();
            let trial: u64 = rest.split(')').next().unwrap().parse().unwrap();
            assert_eq!(best, format!("8.03137e-{}", 8 + trial), "{columns}: {bar}");
            shown += 1;
        }
        assert!(shown > 0, "{columns}: {bars:?}");
        let is_failed = |bar: &&String| bar.contains(" failed");
        assert_eq!(bars.iter().any(is_failed), columns >= 62, "{bars:?}");
        let has_bar = |bar: &&String| bar.contains('█');
        assert_eq!(bars.iter().any(has_bar), columns >= 80, "{bars:?}");
    }
}

#[test]
fn pruned_and_failed_trials_are_counted_on_the_way() {
    // Trials 0 to 3 are good, 4 and 5 are pruned at their first step, 6 and 7 fail, and 8 is the best.
    let script = "n=$NEURALBO_TRIAL
        [ $n -ge 6 ] && [ $n -le 7 ] && exit 3
        [ $n -ge 4 ] && [ $n -le 5 ] && { echo '{\"step\": 0, \"value\": 5.5}'; sleep 60; }
        echo '{\"step\": 0, \"value\": 0.1}'; echo $((10 - n))";
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "9", "--prune", "median"], script)
        .output();
    let said = stderr(&output.unwrap());
    let last = said.lines().find(|line| line.starts_with("9 finished"));
    let last = last.unwrap_or_else(|| panic!("{said}"));
    assert!(
        last.starts_with("9 finished: best 2 (trial 8), 2 failed, 2 pruned")
            && last.contains("(2 exit"),
        "{said}"
    );
}
