//! ObjectiveModels of objectives: along one parameter, over two, and what matters.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use neuralbo::importance::{Estimate, Importance, ImportanceOptions, Observations, RegionModel};
use neuralbo::linalg::Points;
use neuralbo::record::ObjectiveSpec;
use neuralbo::space::{Params, SpaceError};
use serde_json::{Value as Json, json};

use super::{ApiError, ApiResult, App, Query, answered, objective};
use crate::cache::{ColumnItem, End, JsonNumber, StudyData, lock, make_room, numbers};

/// A model is kept for at least this long, and for a multiple of its fitting time.
const FRESH: Duration = Duration::from_secs(5);
const FRESH_COSTS: u32 = 20;
/// ObjectiveModels that are kept.
const KEPT: usize = 8;
const GRID: usize = 60;
const MOST_GRID: usize = 200;
const CONTOUR_GRID: usize = 40;
const MOST_CONTOUR_GRID: usize = 80;
/// A band of one standard deviation to each side holds this much.
const ONE_SD: f64 = 0.682_689_492_137_085_9;
/// Most parameters for which interactions are computed.
const MOST_PAIRED: usize = 10;
/// The share of the trials that is near the best.
const NEAR_BEST: f64 = 0.1;

/// A model of one objective and what was derived from it.
pub(super) struct ObjectiveModel {
    whole: Result<RegionModel, String>,
    data: ModelData,
    made: Instant,
    cost: Duration,
    importance: OnceLock<Result<Matters, String>>,
}

/// What a model is made from.
struct ModelData {
    observations: Observations,
    /// The incumbent: what the views go through.
    at: Params,
    parameters: usize,
    seq: u64,
    version: u64,
}

/// Importance in the whole space and near the best.
struct Matters {
    whole: Importance,
    near_best: Option<Importance>,
}

/// ObjectiveModels by study and objective.
pub(super) type ObjectiveModels = Mutex<HashMap<(String, String), Arc<ObjectiveModel>>>;

impl ModelData {
    fn new(data: &StudyData, objective: &ObjectiveSpec) -> Self {
        Self {
            observations: observations(data, objective),
            at: incumbent(data, &objective.name, &[]).unwrap_or_default(),
            parameters: data.record.definition.space.parameters().len(),
            seq: data.seq(),
            version: data.record.version,
        }
    }
}

impl ObjectiveModel {
    /// Whether it will do for a study as it is now.
    fn will_do(&self, data: &StudyData) -> bool {
        let young = self.made.elapsed() < FRESH.max(self.cost * FRESH_COSTS);
        self.data.version == data.record.version && (self.data.seq == data.seq() || young)
    }

    fn whole(&self) -> Result<&RegionModel, ApiError> {
        self.whole.as_ref().map_err(|reason| conflict(reason))
    }

    fn importance(&self) -> Result<&Matters, ApiError> {
        let made = self.importance.get_or_init(|| {
            let quick = ImportanceOptions {
                points: 512,
                sample_points: 128,
                samples: 12,
                ..ImportanceOptions::default()
            };
            let options = ImportanceOptions {
                interactions: self.data.parameters <= MOST_PAIRED,
                ..quick
            };
            let model = self.whole.as_ref().map_err(Clone::clone)?;
            let whole = model.importance(&options);
            let whole = whole.map_err(|error| error.to_string())?;
            let alone = ImportanceOptions {
                interactions: false,
                ..quick
            };
            let near_best = RegionModel::near_best(&self.data.observations, NEAR_BEST, 0)
                .ok()
                .and_then(|model| model.importance(&alone).ok());
            Ok(Matters { whole, near_best })
        });
        made.as_ref().map_err(|reason| conflict(reason))
    }
}

fn conflict(reason: &str) -> ApiError {
    ApiError::new(
        StatusCode::CONFLICT,
        format!("there is no model yet: {reason}"),
    )
}

fn wrong(error: &SpaceError) -> ApiError {
    ApiError::bad(error.to_string())
}

impl App {
    /// The model of the requested objective, refitted if outdated.
    fn model(&self, name: &str, query: &Query) -> Result<Arc<ObjectiveModel>, ApiError> {
        let (key, found) = self.studies.with(name, |data| {
            let objective = objective(data, query)?;
            let key = (name.to_owned(), objective.name.clone());
            let kept = lock(&self.models).get(&key).cloned();
            let found = match kept.filter(|kept| kept.will_do(data)) {
                Some(kept) => Ok(kept),
                None => Err(ModelData::new(data, objective)),
            };
            Ok::<_, ApiError>((key, found))
        })??;
        let data = match found {
            Ok(kept) => return Ok(kept),
            Err(data) => data,
        };
        let started = Instant::now();
        let whole = RegionModel::whole(&data.observations, 0).map_err(|error| error.to_string());
        let model = Arc::new(ObjectiveModel {
            whole,
            data,
            made: Instant::now(),
            cost: started.elapsed(),
            importance: OnceLock::new(),
        });
        let mut models = lock(&self.models);
        models.remove(&key);
        make_room(&mut models, KEPT, |model| model.made);
        models.insert(key, Arc::clone(&model));
        Ok(model)
    }

    /// The incumbent, or where a parameter is inactive in it, the best trial that has all of these.
    fn through(
        &self,
        name: &str,
        query: &Query,
        kept: &ObjectiveModel,
        parameters: &[&str],
    ) -> Result<Params, ApiError> {
        let at = &kept.data.at;
        if parameters.iter().all(|name| at.get(name).is_some()) {
            return Ok(at.clone());
        }
        let found = self.studies.with(name, |data| {
            let objective = objective(data, query)?;
            Ok::<_, ApiError>(incumbent(data, &objective.name, parameters))
        })??;
        Ok(found.unwrap_or_else(|| at.clone()))
    }

    pub(super) fn slice(&self, name: &str, query: &Query) -> ApiResult {
        let grid = query.count("grid", GRID, MOST_GRID)?;
        let parameter = parameter(query, "param")?;
        let kept = self.model(name, query)?;
        let at = self.through(name, query, &kept, &[parameter])?;
        let curve = kept
            .whole()?
            .slice(parameter, &at, grid.max(2), ONE_SD)
            .map_err(|error| wrong(&error))?;
        let bounds = curve.low.iter().zip(&curve.high);
        let sd = bounds.map(|(low, high)| (high - low) / 2.0);
        let (sd, mean) = (numbers(sd), numbers(curve.mean));
        answered(json!({ "x": curve.values, "mean": mean, "sd": sd, "at": at }))
    }

    pub(super) fn contour(&self, name: &str, query: &Query) -> ApiResult {
        let grid = query.count("grid", CONTOUR_GRID, MOST_CONTOUR_GRID)?;
        let (x, y) = (parameter(query, "x")?, parameter(query, "y")?);
        let kept = self.model(name, query)?;
        let at = self.through(name, query, &kept, &[x, y])?;
        let surface = kept
            .whole()?
            .contour([x, y], &at, grid.max(2))
            .map_err(|error| wrong(&error))?;
        let rows = |rows: Vec<Vec<f64>>| -> Vec<_> { rows.into_iter().map(numbers).collect() };
        answered(json!({
            "x": surface.x_values,
            "y": surface.y_values,
            "mean": rows(surface.mean),
            "sd": rows(surface.sd),
            "at": at,
        }))
    }

    pub(super) fn importance(&self, name: &str, query: &Query) -> ApiResult {
        let kept = self.model(name, query)?;
        let Matters { whole, near_best } = kept.importance()?;
        let near: BTreeMap<&str, Estimate> = near_best
            .iter()
            .flat_map(|near| &near.parameters)
            .map(|parameter| (parameter.name.as_str(), parameter.total))
            .collect();
        let params = whole.parameters.iter().map(|p| {
            let near_best = near.get(p.name.as_str());
            json!({ "name": p.name, "first": p.first, "total": p.total, "near_best": near_best })
        });
        let interactions = whole.interactions.iter().map(|i| {
            let [a, b] = &i.parameters;
            json!({ "a": a, "b": b, "value": JsonNumber(i.second.value) })
        });
        answered(json!({
            "params": params.collect::<Vec<_>>(),
            "interactions": interactions.collect::<Vec<_>>(),
            "choices": whole.choices.iter().flat_map(effects).collect::<Vec<_>>(),
            "explained": JsonNumber(whole.explained.max(0.0)),
            "noise": whole.noise,
            "trials": whole.trials,
            "seen": whole.seen,
            "level": whole.level,
        }))
    }
}

fn parameter<'a>(query: &'a Query, key: &str) -> Result<&'a str, ApiError> {
    let missing = || ApiError::bad(format!("{key}: the name of a parameter is missing"));
    query.get(key).ok_or_else(missing)
}

fn effects(choices: &neuralbo::importance::ChoiceEffects) -> impl Iterator<Item = Json> {
    choices.effects.iter().map(|found| {
        let Estimate { value, low, high } = found.effect;
        json!({
            "param": choices.name,
            "choice": found.value,
            "effect": JsonNumber(value),
            "low": JsonNumber(low),
            "high": JsonNumber(high),
        })
    })
}

/// The values of complete trials, as `neuralbo importance` takes them: the last report of a pruned trial is not a final value.
fn observations(data: &StudyData, objective: &ObjectiveSpec) -> Observations {
    let (space, table) = (&data.record.definition.space, &data.table);
    let (mut rows, mut values) = (Points::new(space.encoded_dim()), Vec::new());
    let column = table.values.get(&objective.name);
    let complete = table.rows.iter().enumerate();
    for (place, _) in complete.filter(|(_, row)| row.end == End::Complete) {
        if let Some(value) = column.and_then(|column| column.number(place)) {
            rows.push(&space.row_of(&table.params_of(place)));
            values.push(value);
        }
    }
    Observations::new(&objective.name, space, objective.direction, &rows, &values)
}

/// The parameters of the best trial of an objective in which these are active; where no trial is eligible, of the last one.
fn incumbent(data: &StudyData, objective: &str, active: &[&str]) -> Option<Params> {
    let has = |place: &usize| {
        let column = |name: &&str| data.table.params.get(name);
        let item = |name| column(name).map_or(ColumnItem::Absent, |column| column.item(*place));
        active.iter().all(|name| item(name) != ColumnItem::Absent)
    };
    let count = if active.is_empty() { 1 } else { usize::MAX };
    let best = super::columns::best(data, objective, count)
        .into_iter()
        .find(has);
    let place = best.or_else(|| data.table.rows.len().checked_sub(1).filter(has));
    place.map(|place| data.table.params_of(place))
}
