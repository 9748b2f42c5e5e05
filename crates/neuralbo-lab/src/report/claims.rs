//! The claims of the paper's section 6, each with a verdict that is computed from the runs.

use super::document::{Cell, Document, Table};
use super::results::Results;
use crate::experiment::{Experiment, Profile, Size, run_seconds};
use crate::experiments::EXPERIMENTS;

/// A claim of the paper and the rule that decides it.
pub struct Claim {
    /// Where it is made.
    pub source: &'static str,
    /// What is claimed.
    pub text: &'static str,
    /// When it holds, in words.
    pub rule: &'static str,
    /// Applies the rule.
    pub decide: fn(&Results) -> Finding,
}

/// What the runs say about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The numbers behind it.
    pub evidence: String,
}

/// Whether a claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does, for a reason that the claim does not mean.
    HoldsOnlyBecause(&'static str),
    /// It does not.
    DoesNotHold,
    /// The runs it needs are not there.
    Missing,
}

impl Finding {
    /// The finding of a claim without the runs it needs.
    pub fn missing(why: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Missing,
            evidence: why.into(),
        }
    }

    /// Holds or not.
    pub fn decided(holds: bool, evidence: impl Into<String>) -> Self {
        let verdict = if holds {
            Verdict::Holds
        } else {
            Verdict::DoesNotHold
        };
        Self {
            verdict,
            evidence: evidence.into(),
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::HoldsOnlyBecause(reason) => write!(f, "holds only because {reason}"),
            Self::DoesNotHold => f.write_str("does not hold"),
            Self::Missing => f.write_str("missing"),
        }
    }
}

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("The paper's claims");
    document.text(
        "NeuralBO is `neuralbo-paper`, the paper's method to the letter, with the best ν. Significant: one-sided t-test, \
         Benjamini–Hochberg at 0.05 across the baselines of a problem; after it the same by exact tests (Wilcoxon's rank sum, or signed ranks \
         of pairs), which assume no distribution. A verdict on fewer evaluations, runs or problems than the `paper` profile has is \
         marked as missing; what is missing costs the processor time that `neuralbo lab list --cost` computes.",
    );
    let mut table = Table::new(
        "Verdicts.",
        [
            "where", "claim", "holds if", "verdict", "evidence", "missing",
        ],
    );
    for experiment in EXPERIMENTS {
        let results = experiments
            .iter()
            .find(|results| results.manifest.experiment == *experiment);
        for claim in experiment.claims() {
            table.row(row(*experiment, claim, results));
        }
    }
    document.table(table);
}

fn row(experiment: &dyn Experiment, claim: &Claim, results: Option<&Results>) -> Vec<Cell> {
    let finding = results.map_or_else(
        || Finding::missing("no runs"),
        |results| (claim.decide)(results),
    );
    let lacking = Lacking::of(experiment, results);
    let verdict = match (&finding.verdict, lacking.is_nothing()) {
        (Verdict::Missing, _) => "missing".to_owned(),
        (verdict, true) => verdict.to_string(),
        (verdict, false) => format!("missing (so far: {verdict})"),
    };
    let texts = [claim.source, claim.text, claim.rule].map(Cell::from);
    texts
        .into_iter()
        .chain([
            Cell::marked(verdict, true),
            finding.evidence.into(),
            lacking.to_string().into(),
        ])
        .collect()
}

/// What the runs lack to the `paper` profile.
struct Lacking {
    runs: usize,
    of: usize,
    hours: f64,
    /// Evaluations there and in the profile, where they differ.
    evaluations: Option<(u64, u64)>,
}

impl Lacking {
    fn of(experiment: &dyn Experiment, results: Option<&Results>) -> Self {
        let size = experiment.size(Profile::Paper);
        let there = results.map(|results| results.manifest.evaluations);
        let full = results.filter(|results| results.manifest.evaluations >= size.evaluations);
        let mut lacking = Self {
            runs: 0,
            of: 0,
            hours: 0.0,
            evaluations: None,
        };
        for method in experiment.methods() {
            for problem in &size.problems {
                let finished =
                    full.map_or(0, |results| finished(results, problem, &method.to_string()));
                let wanted = size.runs_of(&method) as usize;
                lacking.add(
                    experiment,
                    &size,
                    problem,
                    &method.to_string(),
                    (wanted, wanted.saturating_sub(finished)),
                );
            }
        }
        lacking.evaluations = there
            .filter(|there| *there < size.evaluations)
            .map(|there| (there, size.evaluations));
        lacking
    }

    fn add(
        &mut self,
        experiment: &dyn Experiment,
        size: &Size,
        problem: &str,
        method: &str,
        (wanted, runs): (usize, usize),
    ) {
        let seconds =
            run_seconds(method, experiment.load(problem, size.evaluations)).unwrap_or(f64::NAN);
        self.of += wanted;
        self.runs += runs;
        if runs > 0 {
            self.hours += runs as f64 * seconds / 3600.0;
        }
    }

    fn is_nothing(&self) -> bool {
        self.runs == 0
    }
}

/// Runs of a method on a problem that went to their end.
fn finished(results: &Results, problem: &str, method: &str) -> usize {
    let own = |header: &crate::experiment::TraceHeader| {
        header.problem == problem && header.method == method
    };
    results
        .traces
        .iter()
        .filter(|trace| own(&trace.header) && trace.header.error.is_none())
        .count()
}

impl std::fmt::Display for Lacking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_nothing() {
            return f.write_str("nothing");
        }
        if let Some((there, wanted)) = self.evaluations {
            write!(f, "{there} of {wanted} evaluations; ")?;
        }
        write!(
            f,
            "{} of {} runs, {:.1} CPU-hours",
            self.runs, self.of, self.hours
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::{Pushing, Synthetic};
    use crate::report::testing::results;

    #[test]
    fn what_is_missing_is_counted_and_priced() {
        let size = Pushing.size(Profile::Paper);
        let all: usize = Pushing
            .methods()
            .iter()
            .map(|method| size.runs_of(method) as usize)
            .sum();
        let lacking = |evaluations| {
            let runs: [(&str, &str, &[f64]); 1] = [("push-14", "random", &[1.0, 2.0])];
            Lacking::of(&Pushing, Some(&results(&Pushing, evaluations, &runs)))
        };
        assert_eq!(
            (
                lacking(6000).runs,
                lacking(6000).of,
                lacking(6000).evaluations
            ),
            (all - 2, all, None)
        );
        assert_eq!(
            (lacking(500).runs, lacking(500).evaluations),
            (all, Some((500, 6000)))
        );
        assert!(
            lacking(500).hours > 0.0
                && lacking(500)
                    .to_string()
                    .starts_with("500 of 6000 evaluations; ")
        );
        assert_eq!(Lacking::of(&Synthetic, None).evaluations, None);
    }

    /// Every claim has its row, whatever was run.
    #[test]
    fn nothing_is_left_out() {
        let mut document = Document::new("");
        report(&mut document, &[]);
        let claims: usize = EXPERIMENTS
            .iter()
            .map(|experiment| experiment.claims().len())
            .sum();
        let table = document
            .tables()
            .next()
            .map(|table| table.rows.clone())
            .unwrap_or_default();
        assert!(table.len() == claims && claims >= 10);
        assert!(
            table
                .iter()
                .all(|row| row[3].text == "missing" && row[5].text.contains("CPU-hours")),
            "{table:?}"
        );
    }
}
