//! What section 6.2 says about sensitive samples.

use super::RUN;
use super::rates::{Rates, Rule};
use super::report::{PUBLISHED_SAMPLES, rates};
use crate::report::Results;
use crate::report::claims::{Claim, Finding};
use crate::report::format::number;
use crate::report::methods::{BASELINES, paper_method};

const TEXT: &str = RUN[0];
const RELEASED: &str = RUN[1];
/// Below it a rate is no longer "nearly 90 %".
const NEARLY: f64 = 0.85;

/// The claims.
pub static CLAIMS: [Claim; 2] = [
    Claim {
        source: "6.2, Figure 3",
        text: "NeuralBO's samples detect nearly 90 % of the tampered networks with at least 8 samples.",
        rule: "at least 0.85 with the samples of the first 8 runs, by the text's objective",
        decide: |results| height(&by_first_runs(results)),
    },
    Claim {
        source: "6.2, Figure 3",
        text: "NeuralBO's samples detect better than those of the other methods.",
        rule: "the largest rate of the paper's methods with the samples of the first 8 runs, by the text's objective",
        decide: |results| largest(&by_first_runs(results)),
    },
];

/// The rates with the samples of the first runs.
fn by_first_runs(results: &Results) -> Vec<Rates> {
    rates(results)
        .into_iter()
        .map(|(entry, _)| entry)
        .filter(|entry| entry.rule == Rule::Runs.name())
        .collect()
}

/// The rates of a problem with the published number of samples, by method.
fn of<'a>(rates: &'a [Rates], problem: &str) -> Vec<(&'a str, f64)> {
    let rate = |entry: &'a Rates| {
        Some((
            entry.method.as_str(),
            *entry.values.get(PUBLISHED_SAMPLES - 1)?,
        ))
    };
    rates
        .iter()
        .filter(|entry| entry.problem == problem)
        .filter_map(rate)
        .collect()
}

/// The rate of NeuralBO.
fn ours(rates: &[(&str, f64)]) -> Option<f64> {
    let methods: Vec<String> = rates
        .iter()
        .map(|(method, _)| (*method).to_owned())
        .collect();
    let ours = paper_method(&methods)?;
    rates
        .iter()
        .find(|(method, _)| *method == ours)
        .map(|(_, rate)| *rate)
}

fn height(rates: &[Rates]) -> Finding {
    let [text, released] = [TEXT, RELEASED].map(|problem| ours(&of(rates, problem)));
    let evidence = |rate: Option<f64>, problem: &str| {
        rate.map(|rate| format!("{} on {problem}", number(rate)))
    };
    let found: Vec<String> = [evidence(text, TEXT), evidence(released, RELEASED)]
        .into_iter()
        .flatten()
        .collect();
    match text {
        Some(rate) => Finding::decided(rate >= NEARLY, found.join(", ")),
        None => Finding::missing(format!("eight runs of neuralbo-paper on {TEXT}")),
    }
}

fn largest(rates: &[Rates]) -> Finding {
    let against_best = |problem: &str| {
        let rates = of(rates, problem);
        let own = ours(&rates)?;
        let others = rates
            .iter()
            .filter(|(method, _)| BASELINES.contains(method));
        let (method, rate) = others.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((
            own > *rate,
            format!(
                "{} against {} of {method} on {problem}",
                number(own),
                number(*rate)
            ),
        ))
    };
    let released =
        against_best(RELEASED).map_or(String::new(), |(_, evidence)| format!("; {evidence}"));
    match against_best(TEXT) {
        Some((holds, evidence)) => Finding::decided(holds, evidence + &released),
        None => Finding::missing(format!(
            "eight runs of neuralbo-paper and of the baselines on {TEXT}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claims::Verdict;

    fn rates(problem: &str, method: &str, with_eight: f64) -> Rates {
        let mut values = vec![0.1; 8];
        values[7] = with_eight;
        Rates {
            problem: problem.into(),
            method: method.into(),
            rule: "runs".into(),
            values,
        }
    }

    #[test]
    fn the_text_decides_and_the_released_objective_is_told() {
        let found = [
            rates(TEXT, "neuralbo-paper:nu=1", 0.6),
            rates(RELEASED, "neuralbo-paper:nu=1", 0.97),
            rates(TEXT, "rf", 0.5),
        ];
        let finding = height(&found);
        assert_eq!(finding.verdict, Verdict::DoesNotHold);
        assert!(
            finding.evidence.contains("on sensitive-49, ") && finding.evidence.contains("0.97"),
            "{}",
            finding.evidence
        );
        assert_eq!(largest(&found).verdict, Verdict::Holds);
        assert_eq!(
            height(&[rates(TEXT, "neuralbo-paper:nu=1", 0.85)]).verdict,
            Verdict::Holds
        );
    }

    #[test]
    fn without_eight_samples_nothing_is_decided() {
        let mut few = rates(TEXT, "neuralbo-paper:nu=1", 0.9);
        few.values.truncate(7);
        assert_eq!(height(&[few.clone()]).verdict, Verdict::Missing);
        assert_eq!(largest(&[few]).verdict, Verdict::Missing);
    }

    /// Random search and our default are no baselines of the paper.
    #[test]
    fn the_best_baseline_is_the_rival() {
        let found = [
            rates(TEXT, "neuralbo-paper:nu=1", 0.6),
            rates(TEXT, "random", 0.9),
            rates(TEXT, "rf", 0.5),
            rates(TEXT, "gp-ts", 0.7),
        ];
        let finding = largest(&found);
        assert_eq!(finding.verdict, Verdict::DoesNotHold);
        assert!(finding.evidence.contains("gp-ts"), "{}", finding.evidence);
    }
}
