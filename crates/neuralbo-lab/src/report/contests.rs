//! Wins, ties and losses of our methods against every other one.

use std::collections::BTreeMap;

use super::document::{Cell, Document, Table};
use super::methods::{looks, ours, with_best_nu};
use super::results::{MethodRuns, Results};
use super::versus::Versus;
use crate::experiment::{Ranking, Trace};

/// Two-sided level of a win or a loss.
const LEVEL: f64 = 0.05;

/// Methods with the losses of their runs on what is compared at once, by problem and run.
type Contest = Vec<(String, BTreeMap<(String, u32), f64>)>;
/// Wins, ties and losses.
type Count = [usize; 3];

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Wins, ties and losses");
    let compared: Vec<(&str, Vec<Contest>, bool)> =
        experiments.iter().filter_map(contests).collect();
    let mut names: Vec<String> = Vec::new();
    for (name, _) in compared
        .iter()
        .flat_map(|(_, contests, _)| contests)
        .flatten()
    {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.sort_by_key(|name| looks(name).unwrap_or(usize::MAX));
    for method in ours(&names) {
        document.table(table(method, &names, &compared));
    }
}

/// What is compared in an experiment, and whether run by run; none where nothing is.
fn contests(results: &Results) -> Option<(&'static str, Vec<Contest>, bool)> {
    let experiment = results.manifest.experiment;
    let ranking = experiment.ranking()?;
    let mut groups: Vec<(String, MethodRuns<'_>)> = Vec::new();
    for problem in results.problems() {
        let name = ranking
            .group
            .map_or_else(|| problem.to_owned(), |group| group(problem));
        let runs = results.of_problem(problem);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, methods)) => merge(methods, runs),
            None => groups.push((name, runs)),
        }
    }
    let contests = groups
        .into_iter()
        .map(|(_, methods)| contest(methods, ranking))
        .collect();
    Some((experiment.name(), contests, ranking.group.is_some()))
}

fn merge<'a>(methods: &mut MethodRuns<'a>, more: MethodRuns<'a>) {
    for (name, runs) in more {
        match methods.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(runs),
            None => methods.push((name, runs)),
        }
    }
}

fn contest(methods: MethodRuns<'_>, ranking: Ranking) -> Contest {
    let loss = |trace: &&Trace| {
        (
            (trace.header.problem.clone(), trace.header.run),
            (ranking.loss)(&[*trace]),
        )
    };
    let shown = with_best_nu(methods, ranking.loss);
    shown
        .into_iter()
        .map(|(name, runs)| (name, runs.iter().map(loss).collect()))
        .collect()
}

fn table(method: &str, names: &[String], compared: &[(&str, Vec<Contest>, bool)]) -> Table {
    let caption = format!(
        "{method} against the others: problems won / tied / lost by two-sided t-tests at {LEVEL} (Welch; BBOB by group of functions and \
         dimension, run by run), and in brackets by exact tests."
    );
    let mut table = Table::new(
        caption,
        ["against"]
            .into_iter()
            .chain(compared.iter().map(|(name, ..)| *name)),
    );
    for other in names.iter().filter(|name| *name != method) {
        let cell = |(_, contests, paired): &(&str, Vec<Contest>, bool)| {
            let [t, exact] = counts(method, other, contests, *paired);
            if t.iter().sum::<usize>() == 0 {
                return Cell::from("–");
            }
            Cell::from(format!(
                "{} / {} / {} ({} / {} / {})",
                t[0], t[1], t[2], exact[0], exact[1], exact[2]
            ))
        };
        let mut row = vec![Cell::from(other.as_str())];
        row.extend(compared.iter().map(cell));
        table.row(row);
    }
    table
}

/// By t-tests and by exact ones.
fn counts(method: &str, other: &str, contests: &[Contest], paired: bool) -> [Count; 2] {
    let mut counts = [[0; 3]; 2];
    for contest in contests {
        let of = |name: &str| {
            contest
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, losses)| losses)
        };
        let (Some(own), Some(theirs)) = (of(method), of(other)) else {
            continue;
        };
        let versus = if paired {
            let differences: Vec<f64> = own
                .iter()
                .filter_map(|(run, loss)| Some(theirs.get(run)? - loss))
                .collect();
            Versus::paired(&differences)
        } else {
            let values = |losses: &BTreeMap<_, f64>| losses.values().copied().collect::<Vec<_>>();
            Versus::independent(&values(own), &values(theirs))
        };
        let outcomes = [
            (versus.better, versus.worse),
            (versus.exactly_better, versus.exactly_worse),
        ];
        counts
            .iter_mut()
            .zip(outcomes)
            .for_each(|(count, (better, worse))| count[outcome(better, worse)] += 1);
    }
    counts
}

/// 0 for a win, 1 for a tie, 2 for a loss.
fn outcome(better: f64, worse: f64) -> usize {
    match (2.0 * better < LEVEL, 2.0 * worse < LEVEL) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(values: [(&str, [f64; 5]); 2]) -> Contest {
        let losses = |values: [f64; 5]| {
            values
                .into_iter()
                .zip(1..)
                .map(|(loss, run)| (("p".to_owned(), run), loss))
                .collect()
        };
        values
            .into_iter()
            .map(|(name, values)| (name.to_owned(), losses(values)))
            .collect()
    }

    #[test]
    fn wins_ties_and_losses_are_counted_from_both_sides() {
        let clear = contest([
            ("a", [1.0, 1.1, 0.9, 1.0, 1.2]),
            ("b", [3.0, 3.1, 2.9, 3.3, 3.2]),
        ]);
        let level = contest([
            ("a", [1.0, 3.1, 0.9, 1.0, 2.2]),
            ("b", [3.0, 1.1, 0.9, 1.3, 2.0]),
        ]);
        let both = [clear, level];
        assert_eq!(counts("a", "b", &both, false), [[1, 1, 0]; 2]);
        assert_eq!(counts("b", "a", &both, false), [[0, 1, 1]; 2]);
        // Five pairs cannot be significant by two-sided signed ranks.
        assert_eq!(counts("a", "b", &both, true), [[1, 1, 0], [0, 2, 0]]);
        assert_eq!(counts("a", "c", &both, false), [[0; 3]; 2]);
    }
}
