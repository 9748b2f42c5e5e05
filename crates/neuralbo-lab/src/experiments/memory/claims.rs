//! What section 6.2 says about memory.

use crate::experiment::Trace;
use crate::report::Results;
use crate::report::average::{Shown, runs_of};
use crate::report::claims::{Claim, Finding};
use crate::report::methods::{PAPER, mean_loss};
use crate::stats::mean;

const MIB: f64 = 1024.0 * 1024.0;
/// Growth from a sixth of the run to its end: at most this is almost constant, at least that is fast.
const CONSTANT: f64 = 1.3;
const FAST: f64 = 2.0;

/// The claims.
pub static CLAIMS: [Claim; 2] = [
    Claim {
        source: "6.2, Figure 6",
        text: "The memory of NeuralBO and NeuralGreedy remains almost constant, that of a GP grows fast.",
        rule: "from a sixth of the run to its end neuralbo-paper and neural-greedy grow at most 1.3 times, gp-ucb at least 2 times",
        decide: |results| {
            growth(results).unwrap_or_else(|| Finding::missing("no runs of the three methods"))
        },
    },
    Claim {
        source: "6.2, Figure 6",
        text: "NeuralGreedy needs slightly less memory than NeuralBO.",
        rule: "less at the end of the run",
        decide: |results| {
            less(results).unwrap_or_else(|| Finding::missing("no runs of the two methods"))
        },
    },
];

/// Mean resident set of a method's runs at a part of the run, in MiB.
fn resident(shown: &Shown<'_>, method: &str, part: f64) -> Option<f64> {
    let (_, methods) = shown.problems.first()?;
    let at = |trace: &&Trace| {
        let last = trace.rows.len().checked_sub(1)?;
        trace.rows[(part * last as f64).round() as usize]
            .memory
            .map(|bytes| bytes as f64 / MIB)
    };
    let values: Vec<f64> = runs_of(methods, method)?.iter().filter_map(at).collect();
    (!values.is_empty()).then(|| mean(&values))
}

fn growth(results: &Results) -> Option<Finding> {
    let shown = Shown::new(results, mean_loss);
    let of = |method: &str| {
        Some((
            resident(&shown, method, 1.0 / 6.0)?,
            resident(&shown, method, 1.0)?,
        ))
    };
    let (ours, greedy, gp) = (of(PAPER)?, of("neural-greedy")?, of("gp-ucb")?);
    let times = |(early, late): (f64, f64)| late / early;
    let text = |name: &str, pair: (f64, f64)| {
        format!(
            "{name} {:.0} → {:.0} MiB ({:.2} times)",
            pair.0,
            pair.1,
            times(pair)
        )
    };
    let holds = times(ours) <= CONSTANT && times(greedy) <= CONSTANT && times(gp) >= FAST;
    let texts = [
        text(PAPER, ours),
        text("neural-greedy", greedy),
        text("gp-ucb", gp),
    ];
    Some(Finding::decided(holds, texts.join(", ")))
}

fn less(results: &Results) -> Option<Finding> {
    let shown = Shown::new(results, mean_loss);
    let (ours, greedy) = (
        resident(&shown, PAPER, 1.0)?,
        resident(&shown, "neural-greedy", 1.0)?,
    );
    Some(Finding::decided(
        greedy < ours,
        format!("neural-greedy {greedy:.0} MiB, neuralbo-paper {ours:.0} MiB at the end"),
    ))
}
