//! Models of objectives: along one parameter, over two, and what matters.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use neuralbo::importance::{Estimate, Importance, ImportanceOptions, Observations, RegionModel};
use neuralbo::space::{Params, SpaceError, Value};
use serde::Serialize;

use super::{Answer, App, Problem, objective};
use crate::cache::{Item, Number, StudyData};
use crate::http::{Query, Reply};

/// A model is used for at least this long, and for much longer than it took to make: a study that grows does not keep the server
/// busy.
const FRESH: Duration = Duration::from_secs(5);
const PATIENCE: u32 = 20;
/// Models that are kept.
const KEPT: usize = 8;
const GRID: usize = 60;
const MOST_GRID: usize = 200;
const CONTOUR_GRID: usize = 40;
const MOST_CONTOUR_GRID: usize = 80;
/// A band of one standard deviation to each side holds this much.
const ONE_SD: f64 = 0.682_689_492_137_085_9;
/// Pairs are looked at in spaces of at most this many parameters: there are many of them in larger ones.
const MOST_PAIRED: usize = 10;
/// The share of the trials that is near the best.
const NEAR_BEST: f64 = 0.1;

/// A model of one objective and what was derived from it.
pub(super) struct Kept {
    whole: Result<RegionModel, String>,
    observations: Observations,
    /// The incumbent: what the views go through.
    at: Params,
    parameters: usize,
    seq: u64,
    version: u64,
    made: Instant,
    cost: Duration,
    importance: OnceLock<Result<Matters, String>>,
}

/// Importance in the whole space and near the best.
struct Matters {
    whole: Importance,
    near_best: Option<Importance>,
}

/// Models by study and objective.
#[derive(Default)]
pub(super) struct Models(Mutex<HashMap<(String, String), Arc<Kept>>>);

impl Models {
    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Arc<Kept>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, key: (String, String), model: Arc<Kept>) {
        let mut kept = self.lock();
        if kept.len() >= KEPT && !kept.contains_key(&key) {
            let oldest = kept
                .iter()
                .min_by_key(|(_, model)| model.made)
                .map(|(key, _)| key.clone());
            oldest.and_then(|key| kept.remove(&key));
        }
        kept.insert(key, model);
    }
}

impl Kept {
    /// Whether it will do for a study as it is now.
    fn will_do(&self, data: &StudyData) -> bool {
        let young = self.made.elapsed() < FRESH.max(self.cost * PATIENCE);
        self.version == data.record.version && (self.seq == data.seq() || young)
    }

    fn whole(&self) -> Result<&RegionModel, Problem> {
        self.whole.as_ref().map_err(|reason| conflict(reason))
    }

    fn importance(&self) -> Result<&Matters, Problem> {
        let made = self.importance.get_or_init(|| {
            let quick = ImportanceOptions {
                points: 512,
                sample_points: 128,
                samples: 12,
                ..ImportanceOptions::default()
            };
            let options = ImportanceOptions {
                interactions: self.parameters <= MOST_PAIRED,
                ..quick
            };
            let whole = self
                .whole
                .as_ref()
                .map_err(Clone::clone)?
                .importance(&options);
            let alone = ImportanceOptions {
                interactions: false,
                ..quick
            };
            let near_best = RegionModel::near_best(&self.observations, NEAR_BEST, 0)
                .ok()
                .map(|model| model.importance(&alone));
            Ok(Matters { whole, near_best })
        });
        made.as_ref().map_err(|reason| conflict(reason))
    }
}

fn conflict(reason: &str) -> Problem {
    Problem {
        status: StatusCode::CONFLICT,
        text: format!("there is no model yet: {reason}"),
    }
}

fn wrong(error: &SpaceError) -> Problem {
    Problem::bad(error.to_string())
}

#[derive(Serialize)]
struct Slice<'a> {
    x: Vec<Value>,
    mean: Vec<Number>,
    sd: Vec<Number>,
    at: &'a Params,
}

#[derive(Serialize)]
struct Contour<'a> {
    x: Vec<Value>,
    y: Vec<Value>,
    mean: Vec<Vec<Number>>,
    sd: Vec<Vec<Number>>,
    at: &'a Params,
}

#[derive(Serialize)]
struct Influence<'a> {
    params: Vec<OfParameter<'a>>,
    interactions: Vec<Pair<'a>>,
    choices: Vec<OfChoice<'a>>,
    noise_share: Number,
    trials: usize,
    seen: usize,
    level: f64,
}

#[derive(Serialize)]
struct OfParameter<'a> {
    name: &'a str,
    first: Estimate,
    total: Estimate,
    near_best: Option<Estimate>,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    value: Number,
}

#[derive(Serialize)]
struct OfChoice<'a> {
    param: &'a str,
    choice: &'a Value,
    effect: Number,
    low: Number,
    high: Number,
}

impl App {
    /// The model of the objective that is asked about, made anew where the study has gone on for long.
    fn model(&self, name: &str, query: &Query) -> Result<Arc<Kept>, Problem> {
        let found = self.studies.with(name, |data| {
            let objective = objective(data, query)?.clone();
            let key = (name.to_owned(), objective.name.clone());
            if let Some(kept) = self
                .models
                .lock()
                .get(&key)
                .filter(|kept| kept.will_do(data))
            {
                return Ok((key, Ok(Arc::clone(kept))));
            }
            let place = data
                .record
                .definition
                .objectives
                .iter()
                .position(|spec| spec.name == objective.name)
                .unwrap_or(0);
            let (space, measured) = (
                &data.record.definition.space,
                data.log.history().measured(place),
            );
            let values: Vec<f64> = measured
                .rewards()
                .iter()
                .map(|reward| objective.direction.value(*reward))
                .collect();
            let observations = Observations::new(
                &objective.name,
                space,
                objective.direction,
                measured.rows(),
                &values,
            );
            let at = incumbent(data, &objective.name, &[]).unwrap_or_default();
            Ok::<_, Problem>((
                key,
                Err((
                    observations,
                    at,
                    space.parameters().len(),
                    data.seq(),
                    data.record.version,
                )),
            ))
        })??;
        match found {
            (_, Ok(kept)) => Ok(kept),
            (key, Err((observations, at, parameters, seq, version))) => {
                let started = Instant::now();
                let whole = RegionModel::whole(&observations, 0).map_err(|error| error.to_string());
                let (made, cost, importance) = (Instant::now(), started.elapsed(), OnceLock::new());
                let kept = Arc::new(Kept {
                    whole,
                    observations,
                    at,
                    parameters,
                    seq,
                    version,
                    made,
                    cost,
                    importance,
                });
                self.models.keep(key, Arc::clone(&kept));
                Ok(kept)
            }
        }
    }

    /// The incumbent, or where a parameter is inactive in it, the best trial that has all of these.
    fn through(
        &self,
        name: &str,
        query: &Query,
        kept: &Kept,
        parameters: &[&str],
    ) -> Result<Params, Problem> {
        if parameters
            .iter()
            .all(|parameter| kept.at.get(parameter).is_some())
        {
            return Ok(kept.at.clone());
        }
        let found = self.studies.with(name, |data| {
            let objective = objective(data, query)?;
            Ok::<_, Problem>(incumbent(data, &objective.name, parameters))
        })??;
        Ok(found.unwrap_or_else(|| kept.at.clone()))
    }

    pub(super) fn slice(&self, name: &str, query: &Query) -> Answer {
        let grid = query.count("grid", GRID, MOST_GRID).map_err(Problem::bad)?;
        let parameter = query
            .get("param")
            .ok_or_else(|| Problem::bad("param: the name of a parameter is missing"))?;
        let kept = self.model(name, query)?;
        let at = self.through(name, query, &kept, &[parameter])?;
        let curve = kept
            .whole()?
            .slice(parameter, &at, grid.max(2), ONE_SD)
            .map_err(|error| wrong(&error))?;
        let sd = curve
            .low
            .iter()
            .zip(&curve.high)
            .map(|(low, high)| Number((high - low) / 2.0))
            .collect();
        Ok(Reply::json(&Slice {
            x: curve.values,
            mean: curve.mean.into_iter().map(Number).collect(),
            sd,
            at: &at,
        }))
    }

    pub(super) fn contour(&self, name: &str, query: &Query) -> Answer {
        let grid = query
            .count("grid", CONTOUR_GRID, MOST_CONTOUR_GRID)
            .map_err(Problem::bad)?;
        let axis = |axis: &str| {
            query
                .get(axis)
                .ok_or_else(|| Problem::bad(format!("{axis}: the name of a parameter is missing")))
        };
        let (x, y) = (axis("x")?, axis("y")?);
        let kept = self.model(name, query)?;
        let at = self.through(name, query, &kept, &[x, y])?;
        let surface = kept
            .whole()?
            .contour([x, y], &at, grid.max(2))
            .map_err(|error| wrong(&error))?;
        let numbers = |rows: Vec<Vec<f64>>| {
            rows.into_iter()
                .map(|row| row.into_iter().map(Number).collect())
                .collect()
        };
        let (mean, sd) = (numbers(surface.mean), numbers(surface.sd));
        Ok(Reply::json(&Contour {
            x: surface.x_values,
            y: surface.y_values,
            mean,
            sd,
            at: &at,
        }))
    }

    pub(super) fn importance(&self, name: &str, query: &Query) -> Answer {
        let kept = self.model(name, query)?;
        let Matters { whole, near_best } = kept.importance()?;
        let near: BTreeMap<&str, Estimate> = near_best
            .iter()
            .flat_map(|near| &near.parameters)
            .map(|parameter| (parameter.name.as_str(), parameter.total))
            .collect();
        let of = |parameter: &'_ neuralbo::importance::ParameterImportance| {
            near.get(parameter.name.as_str()).copied()
        };
        let pair = |pair: &'_ neuralbo::importance::Interaction| Number(pair.second.value);
        Ok(Reply::json(&Influence {
            params: whole
                .parameters
                .iter()
                .map(|p| OfParameter {
                    name: &p.name,
                    first: p.first,
                    total: p.total,
                    near_best: of(p),
                })
                .collect(),
            interactions: whole
                .interactions
                .iter()
                .map(|i| Pair {
                    a: &i.parameters[0],
                    b: &i.parameters[1],
                    value: pair(i),
                })
                .collect(),
            choices: whole.choices.iter().flat_map(effects).collect(),
            noise_share: Number(1.0 - whole.explained),
            trials: whole.trials,
            seen: whole.seen,
            level: whole.level,
        }))
    }
}

fn effects(choices: &neuralbo::importance::ChoiceEffects) -> impl Iterator<Item = OfChoice<'_>> {
    choices.effects.iter().map(|found| OfChoice {
        param: &choices.name,
        choice: &found.value,
        effect: Number(found.effect.value),
        low: Number(found.effect.low),
        high: Number(found.effect.high),
    })
}

/// The parameters of the best trial of an objective in which these are active; where no trial is eligible, of the last one.
fn incumbent(data: &StudyData, objective: &str, active: &[&str]) -> Option<Params> {
    let has = |place: &usize| {
        active.iter().all(|name| {
            data.table
                .params
                .get(name)
                .is_some_and(|c| c.item(*place) != Item::Absent)
        })
    };
    let count = if active.is_empty() { 1 } else { usize::MAX };
    let best = super::columns::best(data, objective, count)
        .into_iter()
        .find(has);
    let place = best.or_else(|| data.table.rows.len().checked_sub(1).filter(has));
    place.map(|place| data.table.params_of(place))
}
