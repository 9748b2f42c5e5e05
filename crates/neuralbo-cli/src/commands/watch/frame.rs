//! What is shown of a study that is watched.

use std::fmt::Write;

use neuralbo::record::Trial;

use super::state::Watched;
use crate::color::{Style, paint};
use crate::number::{duration, number};
use crate::output::{cell, counted, shown, who};
use crate::run::progress::pace;
use crate::table::{Table, cut};

/// Heights of a column of a sparkline.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Rows of the parts that can be long.
const MOST_WORKERS: usize = 8;
const MOST_TRIALS: usize = 10;
/// Characters of the bar.
const BAR: usize = 30;
/// Lines of everything but the last trials.
const OTHERS: usize = 12;

/// The study as text of this width, and of at most this height where trials can be left out.
pub fn frame(watched: &Watched, width: usize, height: usize) -> String {
    let mut text = title(watched);
    text += &format!("{}\n{}\n", progress(watched), best(watched));
    let line = sparkline(&watched.progress, width.saturating_sub(2).min(80));
    if !line.is_empty() {
        text += &format!("{line}\n");
    }
    text += &workers(watched, width);
    let room = height
        .saturating_sub(OTHERS + watched.running.len().min(MOST_WORKERS))
        .min(MOST_TRIALS);
    text += &trials(watched, width, room);
    text += &failures(watched, width);
    if let Some(reason) = watched.ending() {
        _ = writeln!(text, "ended: {reason}");
    }
    text
}

/// The same in one line.
pub fn line(watched: &Watched) -> String {
    let running = watched.running.len();
    let ended = watched
        .ending()
        .map_or(String::new(), |reason| format!(", ended: {reason}"));
    format!(
        "{}, {running} running, {}{ended}",
        counts(watched),
        best(watched)
    )
}

fn title(watched: &Watched) -> String {
    let definition = &watched.record.definition;
    let objectives: Vec<String> = definition
        .objectives
        .iter()
        .map(|objective| format!("{} {}", objective.direction, cell(&objective.name)))
        .collect();
    let name = paint(Style::Bold, &cell(&watched.record.name));
    format!(
        "study {name}: {}; method {}, seed {}\n",
        objectives.join(", "),
        cell(&definition.method),
        definition.seed
    )
}

fn counts(watched: &Watched) -> String {
    let counts = watched.log.counts();
    let done = counts.finished().saturating_sub(counts.known);
    let of = watched
        .record
        .limits
        .trials
        .map_or(String::new(), |limit| format!("/{limit}"));
    let part = |count: u64, what: &str| {
        if count > 0 {
            format!(", {count} {what}")
        } else {
            String::new()
        }
    };
    let known = part(counts.known, "known");
    format!(
        "{done}{of} trials{}{}{known}",
        part(counts.failed, "failed"),
        part(counts.pruned, "pruned")
    )
}

/// A bar where the end is known, how fast it goes and when it ends.
fn progress(watched: &Watched) -> String {
    let bar =
        watched
            .left()
            .zip(watched.record.limits.trials)
            .map_or(String::new(), |(left, limit)| {
                let full = (BAR as u64 * (limit - left) / limit.max(1)) as usize;
                format!("{}{} ", "█".repeat(full), "░".repeat(BAR - full))
            });
    let rate = watched.rate().filter(|_| !watched.has_ended());
    let eta = rate.zip(watched.left()).filter(|(_, left)| *left > 0);
    let eta = eta.map_or(String::new(), |(rate, left)| {
        format!(", about {} left", duration(left as f64 / rate))
    });
    let rate = rate.map_or(String::new(), |rate| format!(", {}", pace(rate)));
    format!("{bar}{}{rate}{eta}", counts(watched))
}

fn best(watched: &Watched) -> String {
    let log = &watched.log;
    let ago = match log.since_improvement() {
        0 => "in the last trial".to_owned(),
        count => format!("{} ago", counted(count, "trial")),
    };
    if log.definition().objectives.len() > 1 {
        let volume = log.hypervolume().map_or(String::new(), |volume| {
            format!(", hypervolume {}", number(volume.value))
        });
        return match log.front().len() as u64 {
            0 => nothing(watched),
            size => format!(
                "Pareto front of {}{volume}, changed {ago}",
                counted(size, "trial")
            ),
        };
    }
    log.best().map_or_else(
        || nothing(watched),
        |(trial, value)| format!("best {} in trial {trial}, {ago}", number(value)),
    )
}

fn nothing(watched: &Watched) -> String {
    let constrained =
        !watched.record.definition.constraints.is_empty() && watched.log.counts().complete > 0;
    if constrained {
        "no feasible trial yet".to_owned()
    } else {
        "no value yet".to_owned()
    }
}

/// The numbers as heights between the smallest and the largest, on a log scale where they differ by powers of ten: the last of them in
/// each of `width` columns.
pub fn sparkline(values: &[f64], width: usize) -> String {
    let columns = values.len().min(width);
    let shown: Vec<f64> = (0..columns)
        .map(|i| values[(i + 1) * values.len() / columns - 1])
        .collect();
    let scaled = scaled(&shown);
    let (low, high) = scaled
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(*x), high.max(*x))
        });
    let height = |x: &f64| {
        if high > low {
            ((x - low) / (high - low) * 7.0).round() as usize
        } else {
            0
        }
    };
    scaled.iter().map(|x| BLOCKS[height(x).min(7)]).collect()
}

/// Logarithms of positive numbers of very different sizes.
fn scaled(values: &[f64]) -> Vec<f64> {
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = smallest > 0.0 && largest > 100.0 * smallest;
    values
        .iter()
        .map(|value| if log { value.ln() } else { *value })
        .collect()
}

/// Who evaluates what, for how long, and until when the trial is theirs.
fn workers(watched: &Watched, width: usize) -> String {
    if watched.running.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["worker", "trial", "running for", "lease"]).right([1, 2, 3]);
    for trial in watched.running.iter().take(MOST_WORKERS) {
        let since = trial
            .started_ms
            .map_or("—".to_owned(), |start| seconds(watched.now_ms - start));
        let lease = match trial.lease_until_ms {
            0 => String::new(),
            until if until < watched.now_ms => "overdue".to_owned(),
            until => seconds(until - watched.now_ms),
        };
        let worker = if trial.is_waiting() {
            "waits for a worker"
        } else {
            who(&trial.worker)
        };
        table.row([worker, &trial.number.to_string(), &since, &lease]);
    }
    let more = watched.running.len().saturating_sub(MOST_WORKERS);
    table.fitted(Some(width))
        + &if more > 0 {
            format!("and {more} more running\n")
        } else {
            String::new()
        }
}

fn seconds(milliseconds: i64) -> String {
    duration(milliseconds.max(0) as f64 / 1e3)
}

fn trials(watched: &Watched, width: usize, rows: usize) -> String {
    if watched.last.is_empty() || rows == 0 {
        return String::new();
    }
    let definition = &watched.record.definition;
    let names: Vec<&str> = definition
        .objectives
        .iter()
        .map(|objective| objective.name.as_str())
        .collect();
    let header = ["trial", "state"]
        .into_iter()
        .chain(names.iter().copied())
        .chain(["took", "parameters"]);
    let mut table = Table::new(header).right([0].into_iter().chain(2..3 + names.len()));
    let best = watched.log.front();
    for trial in watched.last.iter().take(rows) {
        let state = trial.failure().map_or_else(
            || trial.state.name().to_owned(),
            |failure| format!("failed:{}", failure.kind),
        );
        let values = names
            .iter()
            .map(|name| trial.value(name).map_or(String::new(), number));
        let took = trial
            .started_ms
            .zip(trial.finished_ms)
            .map_or(String::new(), |(start, end)| seconds(end - start));
        let style = match () {
            () if trial.failure().is_some() => Style::Bad,
            () if best.contains(&trial.number) => Style::Good,
            () => Style::Plain,
        };
        let row = [trial.number.to_string(), state]
            .into_iter()
            .chain(values)
            .chain([took, params(watched, trial)]);
        table.styled(style, row);
    }
    table.fitted(Some(width))
}

fn params(watched: &Watched, trial: &Trial) -> String {
    let definition = &watched.record.definition;
    let params = definition.renamed(&trial.params.clone().unwrap_or_default(), trial.version);
    let pairs = definition
        .space
        .ordered(&params)
        .map(|(name, value)| format!("{name}={}", shown(value)));
    pairs.collect::<Vec<_>>().join(" ")
}

fn failures(watched: &Watched, width: usize) -> String {
    let Some((trial, failure)) = &watched.last_failure else {
        return String::new();
    };
    let kinds: Vec<String> = watched
        .failures
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let text = format!(
        "failures: {}; the last in trial {trial}: {}",
        kinds.join(", "),
        cell(&failure.to_string())
    );
    cut(&text, width) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_rise_and_fall_with_the_numbers() {
        assert_eq!(sparkline(&[0.0, 3.5, 7.0], 10), "▁▅█");
        assert_eq!(sparkline(&[1.0, 1.0], 10), "▁▁");
        assert_eq!(sparkline(&[], 10), "");
        // Every second of four, and powers of ten in equal steps.
        assert_eq!(sparkline(&[9.0, 1.0, 9.0, 5.0], 2).chars().count(), 2);
        assert_eq!(sparkline(&[1e-7, 1.0, 1e7], 3), "▁▅█");
    }
}
