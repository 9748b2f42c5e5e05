//! A method: steps of random length from the best point so far.

use std::collections::HashSet;

use neuralbo::acquisition::maximize::{SeenRows, random_row, unseen_row};
use neuralbo::linalg::{Purpose, Streams};
use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::{Method, MethodError, OptionInfo, Options};
use neuralbo::strategy::{Exhausted, History, Origin, Request, Setup, Strategy, Suggestion};

/// The registry entry of the method.
pub const LOCAL_SEARCH: Method = Method {
    name: "local-search",
    summary: "steps of random length from the best point so far",
    options: &[OptionInfo {
        key: "step",
        help: "longest step, as a share of the box (0.25)",
    }],
    objectives: false,
    outcome_constraints: false,
    build,
};

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let step = options.number("step", 0.001..=1.0)?.unwrap_or(0.25);
    Ok(Box::new(LocalSearch {
        space: (*setup.space).clone(),
        streams: setup.streams,
        step,
    }))
}

struct LocalSearch {
    space: Space,
    streams: Streams,
    step: f64,
}

impl Strategy for LocalSearch {
    /// Stateless: a fresh strategy given the same request gives the same answer.
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let mut taken: HashSet<Point> = (0..request.history.len())
            .map(|i| self.space.decode(request.history.row(i)))
            .collect();
        taken.extend(request.pending.rows().map(|row| self.space.decode(row)));
        let mut chosen = Vec::with_capacity(request.count);
        for number in (request.number..).take(request.count) {
            let Some(suggestion) = self.choose(number, request.history, &mut taken) else {
                break;
            };
            chosen.push(suggestion);
        }
        if chosen.is_empty() {
            Err(Exhausted)
        } else {
            Ok(chosen)
        }
    }
}

impl LocalSearch {
    /// An untried point: a step from the incumbent, then a random point, then the first untried
    /// one of a finite space.
    fn choose(
        &self,
        number: u64,
        history: &History,
        taken: &mut HashSet<Point>,
    ) -> Option<Suggestion> {
        const TRIES: usize = 64;
        let mut rng = self.streams.stream(number, Purpose::Design);
        let best = best_row(history);
        for attempt in 0..TRIES {
            let (mut row, origin): (Vec<f64>, Origin) = match best {
                Some(best) if attempt < TRIES / 2 => {
                    let target = random_row(&self.space, &mut rng);
                    let towards = |(from, to): (&f64, &f64)| {
                        (from + self.step * (to - from)).clamp(-1.0, 1.0)
                    };
                    (
                        best.iter().zip(&target).map(towards).collect(),
                        Origin::Model("local"),
                    )
                }
                _ => (random_row(&self.space, &mut rng), Origin::Sampled),
            };
            // Project onto the constraints.
            self.space.repair(&mut row);
            let point = self.space.decode(&row);
            if taken.insert(point.clone()) {
                return self.suggestion(point, origin);
            }
        }
        let mut seen = SeenRows::default();
        taken
            .iter()
            .filter_map(|point| self.space.encode(point).ok())
            .for_each(|row| _ = seen.insert(&row));
        let left = self
            .space
            .decode(&unseen_row(&self.space, &seen, &mut rng)?);
        taken.insert(left.clone());
        self.suggestion(left, Origin::Sampled)
    }

    fn suggestion(&self, point: Point, origin: Origin) -> Option<Suggestion> {
        let row = self.space.encode(&point).ok()?;
        Some(Suggestion {
            point,
            row,
            origin,
            mean: None,
            sd: None,
        })
    }
}

fn best_row(history: &History) -> Option<&[f64]> {
    let observed = history.observed();
    let rewards = observed.rewards();
    let best =
        (0..observed.len()).max_by(|a, b| rewards[*a].total_cmp(&rewards[*b]).then(b.cmp(a)))?;
    Some(observed.rows().row(best))
}
