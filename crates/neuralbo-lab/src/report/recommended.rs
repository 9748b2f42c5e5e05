//! Under noise: is the best observation or the model's recommendation the point to rely on?

use std::cmp::Ordering;

use neuralbo::record::Direction;

use super::average::Shown;
use super::document::{ReportTable, TableCell};
use super::format::number;
use crate::runner::RunTrace;
use crate::stats::mean;

/// True values at the best seen and at the recommended point, for all methods that recommend.
pub fn table(shown: &Shown<'_>) -> ReportTable {
    let mut table = ReportTable::new(
        "Best seen or recommended? True values, mean of the runs, at the point with the best observation and at the evaluated point \
         whose noise-free value is best by the method's model (bold: the better mean); and in how many runs the recommended point \
         was better than, equal to or worse than the best seen. Methods without a model recommend nothing.",
        &["problem", "method", "best seen", "recommended"],
    )
    .with(["better", "equal", "worse"]);
    for (problem, methods) in &shown.problems {
        for (method, runs) in methods {
            let pairs: Vec<[f64; 2]> = runs.iter().filter_map(|trace| pair(trace)).collect();
            if !pairs.is_empty() {
                table.row(&[problem, method], cells(&pairs, runs[0].header.direction));
            }
        }
    }
    table
}

/// The true values at the best seen and at the recommended point of one run.
fn pair(trace: &RunTrace) -> Option<[f64; 2]> {
    Some([
        trace.header.best_seen_truth?,
        trace.header.recommended_truth?,
    ])
}

fn cells(pairs: &[[f64; 2]], direction: Direction) -> [TableCell; 5] {
    let average = |i: usize| mean(&pairs.iter().map(|pair| pair[i]).collect::<Vec<_>>());
    let (seen, recommended) = (average(0), average(1));
    let marked = |value, other| TableCell::marked(number(value), direction.is_better(value, other));
    let count = |order: Ordering| {
        let order_of = |[seen, recommended]: &[f64; 2]| {
            direction
                .reward(*recommended)
                .total_cmp(&direction.reward(*seen))
        };
        let with = pairs.iter().filter(|pair| order_of(pair) == order);
        TableCell::from(with.count().to_string())
    };
    [
        marked(seen, recommended),
        marked(recommended, seen),
        count(Ordering::Greater),
        count(Ordering::Equal),
        count(Ordering::Less),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

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
        let cell = |cell: TableCell| (cell.text, cell.strong);
        let row = |row: Vec<TableCell>| row.into_iter().map(cell).collect();
        table.rows.into_iter().map(row).collect()
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
            let seen_wins = direction == Direction::Maximize;
            let means = [("3.000", seen_wins), ("1.000", !seen_wins)];
            let means = means.map(|(mean, wins)| (mean.to_owned(), wins));
            assert_eq!(rows[0][2..4], means);
            assert_eq!(rows[0][4..], order.map(|count| (count.to_owned(), false)));
        }
    }

    #[test]
    fn traces_of_earlier_versions_make_no_row() {
        assert!(texts(&[run(None, None, Direction::Minimize)]).is_empty());
    }
}
