//! Under noise: is the best observation or the model's recommendation the point to rely on?

use super::average::Shown;
use super::document::{Cell, Table};
use super::format::number;
use crate::runner::RunTrace;
use crate::stats::mean;

/// One run's true values at its two candidates.
struct Pair {
    best_seen: f64,
    recommended: f64,
    /// Greater where the recommended point is the better one.
    order: std::cmp::Ordering,
}

/// True values at the best seen and at the recommended point, for all methods that recommend.
pub fn table(shown: &Shown<'_>) -> Table {
    let mut table = Table::new(
        "Best seen or recommended? True values, mean of the runs, at the point with the best observation and at the evaluated point \
         whose noise-free value is best by the method's model (bold: the better mean); and in how many runs the recommended point \
         was better than, equal to or worse than the best seen. Methods without a model recommend nothing.",
        [
            "problem",
            "method",
            "best seen",
            "recommended",
            "better",
            "equal",
            "worse",
        ],
    );
    for (problem, methods) in &shown.problems {
        for (method, runs) in methods {
            let pairs: Vec<Pair> = runs.iter().filter_map(|trace| pair(trace)).collect();
            if !pairs.is_empty() {
                table.row(
                    [Cell::from(*problem), Cell::from(method.as_str())]
                        .into_iter()
                        .chain(cells(&pairs, runs[0]))
                        .collect(),
                );
            }
        }
    }
    table
}

fn pair(trace: &RunTrace) -> Option<Pair> {
    let (best_seen, recommended) = (
        trace.header.best_seen_truth?,
        trace.header.recommended_truth?,
    );
    let reward = |value| trace.header.direction.reward(value);
    Some(Pair {
        best_seen,
        recommended,
        order: reward(recommended).total_cmp(&reward(best_seen)),
    })
}

fn cells(pairs: &[Pair], any_run: &RunTrace) -> [Cell; 5] {
    let best_seen = mean(&pairs.iter().map(|pair| pair.best_seen).collect::<Vec<_>>());
    let recommended = mean(
        &pairs
            .iter()
            .map(|pair| pair.recommended)
            .collect::<Vec<_>>(),
    );
    let better = |a, b| any_run.header.direction.is_better(a, b);
    let count = |order| {
        Cell::from(
            pairs
                .iter()
                .filter(|pair| pair.order == order)
                .count()
                .to_string(),
        )
    };
    use std::cmp::Ordering::{Equal, Greater, Less};
    [
        Cell::marked(number(best_seen), better(best_seen, recommended)),
        Cell::marked(number(recommended), better(recommended, best_seen)),
        count(Greater),
        count(Equal),
        count(Less),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;
    use neuralbo::record::Direction;

    fn run(best_seen: Option<f64>, recommended: Option<f64>, direction: Direction) -> RunTrace {
        let mut trace = trace();
        trace.header.direction = direction;
        (trace.header.best_seen_truth, trace.header.recommended_truth) = (best_seen, recommended);
        trace
    }

    fn texts(runs: &[RunTrace]) -> Vec<Vec<(String, bool)>> {
        let methods = vec![("m".to_owned(), runs.iter().collect())];
        let table = table(&Shown {
            problems: vec![("p", methods)],
            methods: vec!["m".into()],
        });
        table
            .rows
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(|cell| (cell.text, cell.strong))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn wins_follow_the_direction_and_runs_without_a_recommendation_do_not_count() {
        for (direction, order) in [
            (Direction::Minimize, ["2", "1", "0"]),
            (Direction::Maximize, ["0", "1", "2"]),
        ] {
            let pairs = [
                (Some(4.0), Some(1.0)),
                (Some(2.0), Some(2.0)),
                (Some(3.0), Some(0.0)),
                (Some(9.0), None),
                (None, None),
            ];
            let rows = texts(&pairs.map(|(seen, recommended)| run(seen, recommended, direction)));
            let (seen_wins, recommended_wins) = (
                direction == Direction::Maximize,
                direction == Direction::Minimize,
            );
            let means = [
                ("3.000".to_owned(), seen_wins),
                ("1.000".to_owned(), recommended_wins),
            ];
            assert_eq!(rows[0][2..4], means);
            assert_eq!(rows[0][4..], order.map(|count| (count.to_owned(), false)));
        }
    }

    #[test]
    fn traces_of_earlier_versions_make_no_row() {
        assert!(texts(&[run(None, None, Direction::Minimize)]).is_empty());
    }
}
