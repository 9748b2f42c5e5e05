//! What section 6.2 says about robot pushing.

use crate::report::Results;
use crate::report::average::{Shown, finals, runs_of};
use crate::report::claims::{Claim, Finding};
use crate::report::format::{number, p_value};
use crate::report::methods::{BASELINES, mean_loss, paper_method};
use crate::report::versus::against;
use crate::stats::median;

/// The claims.
pub static CLAIMS: [Claim; 1] = [Claim {
    source: "6.2, Figure 5",
    text: "NeuralBO achieves the highest reward after 5000 evaluations (of 6000).",
    rule: "the highest median of the paper's methods in the end",
    decide: highest,
}];

fn highest(results: &Results) -> Finding {
    let shown = Shown::new(results, mean_loss);
    let Some(ours) = paper_method(&shown.methods) else {
        return Finding::missing("no runs of neuralbo-paper");
    };
    let Some((_, methods)) = shown
        .problems
        .iter()
        .find(|(problem, _)| *problem == "push-14")
    else {
        return Finding::missing("no runs on push-14");
    };
    let middle = |name: &str| runs_of(methods, name).map(|runs| median(&finals(runs)));
    let others: Vec<(&str, f64)> = BASELINES
        .into_iter()
        .filter_map(|name| Some((name, middle(name)?)))
        .collect();
    let Some((best, reward)) = others.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Finding::missing("no runs of the baselines");
    };
    let Some(own) = middle(ours) else {
        return Finding::missing("no runs of neuralbo-paper on push-14");
    };
    let versus = against(methods, ours, &[best]).unwrap_or_default();
    let p = versus.first().map_or(String::new(), |versus| {
        format!(
            "; p that {best} is worse {}, better {} (exact {}, {})",
            p_value(versus.better),
            p_value(versus.worse),
            p_value(versus.exactly_better),
            p_value(versus.exactly_worse)
        )
    });
    Finding::decided(
        own > reward,
        format!(
            "median {} against {} of {best}{p}",
            number(own),
            number(reward)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::Pushing;
    use crate::report::claims::Verdict;
    use crate::report::testing::results;

    /// The traces made up for tests are minimized: of the two the smaller median is the better one for the tests, the larger for the
    /// claim, which is about rewards.
    #[test]
    fn the_highest_median_decides() {
        let verdict = |ours: &[f64]| {
            let runs: [(&str, &str, &[f64]); 2] = [
                ("push-14", "neuralbo-paper:nu=1", ours),
                ("push-14", "gp-ts", &[6.0, 7.0, 8.0]),
            ];
            highest(&results(&Pushing, 6000, &runs)).verdict
        };
        assert_eq!(verdict(&[6.5, 7.5, 9.0]), Verdict::Holds);
        assert_eq!(verdict(&[1.0, 6.9, 11.0]), Verdict::DoesNotHold);
    }
}
