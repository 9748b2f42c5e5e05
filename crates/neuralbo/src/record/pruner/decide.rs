//! The decisions, pure functions of what was reported.

use super::{Halving, Pruner, Rule};
use crate::record::Direction;

/// What becomes of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Verdict {
    /// It goes on.
    #[default]
    GoOn,
    /// It is not worth finishing.
    Prune,
    /// It is as good as it gets, or as it need be: it is complete, with this value.
    Complete(f64),
}

/// What a trial has reported so far.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// The number of the trial.
    pub number: u64,
    /// Which way its values are better.
    pub direction: Direction,
    /// Step and value, in the order of the steps.
    pub reports: &'a [(i64, f64)],
    /// How many of the reports were judged before.
    pub judged: usize,
    /// The step at which it goes on with a stopped trial: rungs up to there were passed.
    pub resumed_at: Option<i64>,
}

/// An intermediate value of another trial, or of the trial itself, at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The trial.
    pub number: u64,
    /// Its value at the step.
    pub value: f64,
    /// Whether it is complete; otherwise it runs, failed or was stopped.
    pub complete: bool,
}

impl Pruner {
    /// What becomes of a trial after its latest reports. `look` gives what all trials reported at a step.
    ///
    /// ```
    /// use neuralbo::record::{Course, Direction, Pruner, StepReport, Verdict};
    ///
    /// let others: Vec<StepReport> =
    ///     [0.1, 0.2, 0.3, 0.4].iter().zip(0..).map(|(value, number)| StepReport { number, value: *value, complete: true }).collect();
    /// let verdict = |reports: &[(i64, f64)]| {
    ///     let course = Course { number: 9, direction: Direction::Minimize, reports, judged: 0, resumed_at: None };
    ///     Pruner::median().verdict(&course, |_| Ok::<_, ()>(others.clone()))
    /// };
    /// assert_eq!(verdict(&[(0, 0.9), (1, 0.8)]), Ok(Verdict::Prune));
    /// assert_eq!(verdict(&[(0, 0.9), (1, 0.2)]), Ok(Verdict::GoOn));
    /// ```
    pub fn verdict<E>(
        &self,
        course: &Course<'_>,
        mut look: impl FnMut(i64) -> Result<Vec<StepReport>, E>,
    ) -> Result<Verdict, E> {
        for at in self.judged_at(course) {
            let (reports, (step, value)) = (&course.reports[..=at], course.reports[at]);
            if step < self.warmup {
                continue;
            }
            let verdict = match &self.rule {
                Rule::Percentile(percent) => {
                    self.by_percentile(course.direction, *percent, reports, &look(step)?)
                }
                Rule::Halving(halving) => self.by_rank(course, halving, value, look(step)?),
                Rule::Hyperband(halving) => {
                    let bracket = halving.bracket(course.number);
                    let rivals = look(step)?
                        .into_iter()
                        .filter(|rival| halving.bracket(rival.number) == bracket);
                    self.by_rank(course, halving, value, rivals.collect())
                }
                Rule::Patience { steps, delta } => {
                    by_patience(course.direction, reports, *steps, *delta)
                }
                Rule::Threshold(bound) => pruned_if(course.direction.is_better(*bound, value)),
                Rule::Target(target) if course.direction.is_better(*target, value) => Verdict::GoOn,
                Rule::Target(_) => Verdict::Complete(value),
                Rule::Never => Verdict::GoOn,
            };
            if verdict != Verdict::GoOn {
                return Ok(verdict);
            }
        }
        Ok(Verdict::GoOn)
    }

    /// Which of the reports that were not judged yet are to be: comparing at every step would ask the store for each, so only the
    /// last one is compared, or those that come to a rung.
    fn judged_at(&self, course: &Course<'_>) -> Vec<usize> {
        let fresh = course.judged..course.reports.len();
        match &self.rule {
            Rule::Percentile(_) => fresh.last().into_iter().collect(),
            Rule::Halving(halving) => crossings(course, halving.rungs(0)),
            Rule::Hyperband(halving) => {
                crossings(course, halving.rungs(halving.bracket(course.number)))
            }
            Rule::Patience { .. } | Rule::Threshold(_) | Rule::Target(_) => fresh.collect(),
            Rule::Never => Vec::new(),
        }
    }

    fn by_percentile(
        &self,
        direction: Direction,
        percent: f64,
        own: &[(i64, f64)],
        all: &[StepReport],
    ) -> Verdict {
        let others = all.iter().filter(|report| report.complete);
        let others: Vec<f64> = others.map(|o| direction.reward(o.value)).collect();
        if others.is_empty() || (others.len() as u64) < self.after {
            return Verdict::GoOn;
        }
        let own = own.iter().map(|(_, value)| direction.reward(*value));
        let best = own.fold(f64::NEG_INFINITY, f64::max);
        pruned_if(best < percentile(others, 100.0 - percent))
    }

    /// Whether the value is among those that go on from a rung.
    fn by_rank(
        &self,
        course: &Course<'_>,
        halving: &Halving,
        value: f64,
        rivals: Vec<StepReport>,
    ) -> Verdict {
        let others = rivals.iter().filter(|rival| rival.number != course.number);
        let (count, better) = others.fold((0_u64, 0_usize), |(count, better), rival| {
            (
                count + 1,
                better + usize::from(course.direction.is_better(rival.value, value)),
            )
        });
        pruned_if(count >= self.after && better >= halving.go_on(count as usize + 1))
    }
}

fn pruned_if(stop: bool) -> Verdict {
    if stop { Verdict::Prune } else { Verdict::GoOn }
}

/// The places of the reports that were not judged yet and are the first to come to a rung.
fn crossings(course: &Course<'_>, rungs: impl Iterator<Item = i64>) -> Vec<usize> {
    let last = course.reports.last().map_or(i64::MIN, |(step, _)| *step);
    let ahead = rungs
        .filter(|rung| course.resumed_at.is_none_or(|at| *rung > at))
        .take_while(|rung| *rung <= last);
    let first = |rung: i64| course.reports.iter().position(|(step, _)| *step >= rung);
    let places = ahead.filter_map(first).filter(|at| *at >= course.judged);
    let mut places: Vec<usize> = places.collect();
    places.dedup();
    places
}

/// An improvement counts from the last one that did.
fn by_patience(direction: Direction, reports: &[(i64, f64)], steps: i64, delta: f64) -> Verdict {
    let Some((&(first, value), rest)) = reports.split_first() else {
        return Verdict::GoOn;
    };
    let (mut since, mut mark, mut best) = (first, direction.reward(value), direction.reward(value));
    for (step, value) in rest {
        let reward = direction.reward(*value);
        best = best.max(reward);
        if reward > mark + delta {
            (since, mark) = (*step, reward);
        }
    }
    let last = reports.last().map_or(first, |(step, _)| *step);
    if last.saturating_sub(since) >= steps {
        Verdict::Complete(direction.value(best))
    } else {
        Verdict::GoOn
    }
}

/// The percentile of values that are not empty, linear between neighbours.
fn percentile(mut values: Vec<f64>, percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = percent / 100.0 * (values.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(values.len() - 1);
    values[low] + part * (values[high] - values[low])
}
