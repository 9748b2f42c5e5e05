//! Filters of the trial table.

use std::collections::HashSet;

use neuralbo::record::Trial;
use neuralbo::space::{Domain, Expression, Parameter, Params, Space};

use super::{ApiError, Query};
use crate::cache::{ColumnItem, End, StudyData};

/// What trials must satisfy.
pub(super) struct Filter<'a> {
    data: &'a StudyData,
    states: Option<Vec<&'a str>>,
    search: Option<TextSearch>,
    expression: Option<Where>,
}

struct TextSearch {
    text: String,
    /// The places of the texts that contain it.
    texts: HashSet<u32>,
}

type RowTest = Box<dyn Fn(&Params) -> Option<bool>>;

struct Where {
    test: RowTest,
    names: Vec<String>,
}

impl<'a> Filter<'a> {
    /// Reads `state`, `search` and `where`.
    pub(super) fn read(data: &'a StudyData, query: &'a Query) -> Result<Self, ApiError> {
        let states = query.list("state");
        if let Some(other) = states
            .iter()
            .flatten()
            .find(|s| !["running", "complete", "failed", "pruned"].contains(s))
        {
            return Err(ApiError::bad(format!(
                "state: `{other}` is unknown, it must be running, complete, failed or pruned"
            )));
        }
        let search = query.get("search").map(|text| TextSearch::new(data, text));
        let expression = query
            .get("where")
            .map(|text| Where::read(data, text))
            .transpose()?;
        Ok(Self {
            data,
            states,
            search,
            expression,
        })
    }

    /// Whether a finished trial is wanted.
    pub(super) fn takes(&self, place: usize) -> bool {
        let row = &self.data.table.rows[place];
        self.takes_state(row.end.name())
            && holds(&self.search, |search| search.finds(self.data, place))
            && holds(&self.expression, |expression| {
                expression.holds(&self.values(expression, place))
            })
    }

    /// Whether a running trial is wanted.
    pub(super) fn takes_running(&self, trial: &Trial) -> bool {
        self.takes_state("running")
            && holds(&self.search, |search| search.finds_running(trial))
            && holds(&self.expression, |expression| {
                trial.params.as_ref().is_some_and(|p| expression.holds(p))
            })
    }

    fn takes_state(&self, state: &str) -> bool {
        holds(&self.states, |states| states.contains(&state))
    }

    /// What an expression reads of a finished trial.
    fn values(&self, expression: &Where, place: usize) -> Params {
        let table = &self.data.table;
        let item = |name: &String| {
            let column = table.params.get(name).or_else(|| table.values.get(name))?;
            Some((name.clone(), column.value(place)?))
        };
        expression.names.iter().filter_map(item).collect()
    }
}

/// Whether a condition holds, if there is one.
fn holds<T>(condition: &Option<T>, is_met: impl FnOnce(&T) -> bool) -> bool {
    condition.as_ref().is_none_or(is_met)
}

impl TextSearch {
    fn new(data: &StudyData, text: &str) -> Self {
        let text = text.to_lowercase();
        let all = data.table.texts.iter();
        let texts = all.filter(|(_, known)| known.to_lowercase().contains(&text));
        Self {
            texts: texts.map(|(place, _)| place).collect(),
            text,
        }
    }

    fn finds(&self, data: &StudyData, place: usize) -> bool {
        let row = &data.table.rows[place];
        let label = |item: ColumnItem<'_>| matches!(item, ColumnItem::Label(label) if label.to_string().to_lowercase().contains(&self.text));
        [row.worker, row.origin, row.message]
            .iter()
            .any(|text| self.texts.contains(text))
            || row.end.name().contains(&self.text)
            || matches!(row.end, End::Failed(kind) if kind.name().contains(&self.text))
            || row.number.to_string() == self.text
            || data
                .table
                .params
                .iter()
                .any(|named| label(named.column.item(place)))
    }

    fn finds_running(&self, trial: &Trial) -> bool {
        trial.number.to_string() == self.text
            || "running".contains(&self.text)
            || trial.worker.to_lowercase().contains(&self.text)
            || trial
                .params
                .iter()
                .flat_map(Params::iter)
                .any(|(_, value)| value.to_string().to_lowercase().contains(&self.text))
    }
}

impl Where {
    fn read(data: &StudyData, text: &str) -> Result<Self, ApiError> {
        let wrong = |error| ApiError::bad(format!("where: {error}"));
        let expression: Expression = text.parse().map_err(wrong)?;
        let test = expression.test(&measured_too(data)).map_err(wrong)?;
        Ok(Self {
            test: Box::new(test),
            names: expression.names().into_iter().map(str::to_owned).collect(),
        })
    }

    fn holds(&self, params: &Params) -> bool {
        (self.test)(params) == Some(true)
    }
}

/// The space with what was measured as further parameters.
fn measured_too(data: &StudyData) -> Space {
    let anything = || Domain::Float {
        low: -1e300,
        high: 1e300,
        log: false,
        step: None,
    };
    let mut space = data.record.definition.space.clone();
    for named in data.table.values.iter() {
        // A name that cannot be written in an expression, or that a parameter has, cannot be asked for.
        let parameter = Parameter::new(named.name.as_str(), anything()).ok();
        if let Some(larger) = parameter.and_then(|parameter| space.with(parameter).ok()) {
            space = larger;
        }
    }
    space
}
