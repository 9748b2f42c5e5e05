//! Conditions derived from trials, for objectives that ask for their parameters while they run.
//!
//! Such an objective says that it needs `depth` when it comes to it, not that it does so only if `model == rf`. What the trials had
//! and did not have says so: `depth` was there exactly where an earlier parameter had certain values. Only parameters that come
//! before it in the space can be its parents: who asks under a condition has asked for what the condition reads.

use super::value::ValueView;
use super::{Expression, Parameter, Params, SpaceError, Value};

/// Most parents of a derived condition: with more, chance explains anything.
const MOST_PARENTS: usize = 3;
/// So many trials with and without a parameter it takes before the threshold of a real number explains which is which.
const EVIDENCE: usize = 4;

/// The values of a trial, as evidence of what its objective asks for.
#[derive(Clone, Debug)]
pub struct TrialEvidence {
    /// What it asked for.
    pub params: Params,
    /// Whether it came to its end: what a failed trial lacks it may not have come to.
    pub is_complete: bool,
}

/// When a parameter was among those that trials asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Occurrence {
    /// In all complete trials.
    Always,
    /// Where this is true, and nowhere else.
    If(Expression),
    /// In some, and no values of parameters before it say in which.
    Unexplained,
}

/// When each parameter occurred in these trials.
///
/// ```
/// use neuralbo::space::{TrialEvidence, Occurrence, Parameter, Params, Value, derived_conditions};
///
/// let parameters: Vec<Parameter> = vec!["model=choice(svm,rf)".parse()?, "C=float(0,9)".parse()?, "depth=int(1,9)".parse()?];
/// let trial = |params: [(&str, Value); 2]| TrialEvidence { params: Params::from_iter(params), is_complete: true };
/// let trials = [
///     trial([("model", "svm".into()), ("C", 1.5.into())]),
///     trial([("model", "rf".into()), ("depth", 3.into())]),
/// ];
/// let found = derived_conditions(&parameters, &trials);
/// assert_eq!(found[0], Occurrence::Always);
/// assert_eq!(found[2], Occurrence::If(r#"model == "rf""#.parse()?));
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
pub fn derived_conditions(parameters: &[Parameter], trials: &[TrialEvidence]) -> Vec<Occurrence> {
    (0..parameters.len())
        .map(|position| occurrence(parameters, position, trials))
        .collect()
}

fn occurrence(parameters: &[Parameter], position: usize, trials: &[TrialEvidence]) -> Occurrence {
    let has = |trial: &&TrialEvidence| trial.params.get(parameters[position].name()).is_some();
    let with: Vec<&Params> = trials.iter().filter(has).map(|t| &t.params).collect();
    let without = trials.iter();
    let without = without.filter(|trial| trial.is_complete && !has(trial));
    let without: Vec<&Params> = without.map(|trial| &trial.params).collect();
    if without.is_empty() {
        return Occurrence::Always;
    }
    if with.is_empty() {
        return Occurrence::Unexplained;
    }
    let parents = parameters[..position].iter();
    let tests = parents.flat_map(|parent| tests(parent, &with, &without));
    let tests: Vec<ParentTest<'_>> = tests.collect();
    let chosen = single(&tests, &with, &without).map(|test| vec![test]);
    let chosen = chosen.or_else(|| several(&tests, &without));
    let expression = |tests: Vec<&ParentTest<'_>>| {
        let all = tests.into_iter().map(ParentTest::expression);
        Expression::all(all.collect::<Result<Vec<_>, _>>()?)
    };
    chosen
        .and_then(|tests| expression(tests).ok())
        .map_or(Occurrence::Unexplained, Occurrence::If)
}

/// Something about one parent that is true of all trials with the parameter.
struct ParentTest<'a> {
    parent: &'a Parameter,
    kind: Requirement,
}

/// What a parent's value must be, the likeliest first.
enum Requirement {
    OneOf(Vec<Value>),
    /// A whole number from here on.
    AtLeast(i64),
    AtMost(i64),
    /// A real number above or below the middle between the trials with the parameter and those without.
    Above(f64),
    Below(f64),
}

impl ParentTest<'_> {
    fn is_true(&self, params: &Params) -> bool {
        let Some(value) = params.get(self.parent.name()) else {
            return false;
        };
        let number = value.as_f64();
        match &self.kind {
            Requirement::OneOf(values) => ValueView::from(value).is_one_of(values),
            Requirement::AtLeast(low) => number.is_some_and(|x| x >= *low as f64),
            Requirement::AtMost(high) => number.is_some_and(|x| x <= *high as f64),
            Requirement::Above(low) => number.is_some_and(|x| x > *low),
            Requirement::Below(high) => number.is_some_and(|x| x < *high),
        }
    }

    fn rank(&self) -> u8 {
        match self.kind {
            Requirement::OneOf(_) => 0,
            Requirement::AtLeast(_) | Requirement::AtMost(_) => 1,
            Requirement::Above(_) | Requirement::Below(_) => 2,
        }
    }

    /// How many values a whole number may have.
    fn breadth(&self) -> u64 {
        let domain = self.parent.domain();
        let is_whole = domain.range().is_some_and(|range| range.is_whole);
        domain.count().filter(|_| is_whole).unwrap_or(0)
    }

    fn expression(&self) -> Result<Expression, SpaceError> {
        let name = self.parent.name();
        match &self.kind {
            Requirement::OneOf(values) => Expression::one_of(name, values),
            Requirement::AtLeast(low) => Expression::compared(name, ">=", &(*low).into()),
            Requirement::AtMost(high) => Expression::compared(name, "<=", &(*high).into()),
            Requirement::Above(low) => Expression::compared(name, ">", &(*low).into()),
            Requirement::Below(high) => Expression::compared(name, "<", &(*high).into()),
        }
    }
}

/// What the trials with the parameter have in common, of one parent that all of them have.
fn tests<'a>(
    parent: &'a Parameter,
    with: &[&'a Params],
    without: &[&'a Params],
) -> Vec<ParentTest<'a>> {
    let values = with.iter().map(|params| params.get(parent.name()));
    let Some(values) = values.collect::<Option<Vec<&Value>>>() else {
        return Vec::new();
    };
    let domain = parent.domain();
    let kinds = match (domain.values(), domain.range()) {
        _ if domain.fixed().is_some() => Vec::new(),
        (Some(listed), _) => {
            let means = |one: &&Value| {
                let mut seen = values.iter();
                seen.any(|value| ValueView::from(*one).means(ValueView::from(*value)))
            };
            vec![Requirement::OneOf(
                listed.iter().filter(means).cloned().collect(),
            )]
        }
        (_, Some(range)) if range.is_whole => {
            let numbers = || values.iter().filter_map(|value| value.as_i64());
            let low = numbers().min().map(Requirement::AtLeast);
            let high = numbers().max().map(Requirement::AtMost);
            low.into_iter().chain(high).collect()
        }
        (_, Some(_)) => thresholds(parent, &values, without),
        (None, None) => Vec::new(),
    };
    let test = |kind| ParentTest { parent, kind };
    kinds.into_iter().map(test).collect()
}

fn thresholds(parent: &Parameter, values: &[&Value], without: &[&Params]) -> Vec<Requirement> {
    let with: Vec<f64> = values.iter().filter_map(|value| value.as_f64()).collect();
    let others = without.iter();
    let others = others.filter_map(|params| params.float(parent.name()));
    let others: Vec<f64> = others.collect();
    if with.len() < EVIDENCE || others.len() < EVIDENCE {
        return Vec::new();
    }
    let (low, high) = range(&with);
    let (other_low, other_high) = range(&others);
    let mut kinds = Vec::new();
    if other_high < low {
        kinds.push(Requirement::Above(other_high.midpoint(low)));
    }
    if high < other_low {
        kinds.push(Requirement::Below(high.midpoint(other_low)));
    }
    kinds
}

fn range(numbers: &[f64]) -> (f64, f64) {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// The test that is false for all trials without the parameter. Of several: a choice rather than a number, a parent that most trials
/// have, a number of few values (wide ones separate by chance), the one nearest before the parameter.
fn single<'t, 'a>(
    tests: &'t [ParentTest<'a>],
    with: &[&Params],
    without: &[&Params],
) -> Option<&'t ParentTest<'a>> {
    let separates = |test: &&ParentTest<'_>| without.iter().all(|params| !test.is_true(params));
    let lacking = |test: &ParentTest<'_>| {
        let lacks = |params: &&&Params| params.get(test.parent.name()).is_none();
        with.iter().chain(without).filter(lacks).count()
    };
    // From the nearest on: the first of equals counts.
    let separating = tests.iter().rev().filter(separates);
    separating.min_by_key(|test| (test.rank(), lacking(test), test.breadth()))
}

/// A few tests of which one at least is false for each trial without the parameter, those that explain most first.
fn several<'t, 'a>(
    tests: &'t [ParentTest<'a>],
    without: &[&Params],
) -> Option<Vec<&'t ParentTest<'a>>> {
    let mut left: Vec<&Params> = without.to_vec();
    let mut chosen: Vec<&ParentTest<'_>> = Vec::new();
    while !left.is_empty() && chosen.len() < MOST_PARENTS {
        let explained =
            |test: &&ParentTest<'_>| left.iter().filter(|params| !test.is_true(params)).count();
        let likely = tests.iter().rev().filter(|test| test.rank() < 2);
        let best = likely.max_by_key(|test| (explained(test), std::cmp::Reverse(test.rank())))?;
        if explained(&best) == 0 {
            return None;
        }
        left.retain(|params| best.is_true(params));
        chosen.push(best);
    }
    left.is_empty().then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(lines: &[&str]) -> Vec<TrialEvidence> {
        let read = |line: &&str| TrialEvidence {
            params: serde_json::from_str(line).unwrap(),
            is_complete: true,
        };
        lines.iter().map(read).collect()
    }

    fn derived(parameters: &[&str], trials: &[TrialEvidence]) -> Vec<String> {
        let parameters: Vec<Parameter> = parameters.iter().map(|t| t.parse().unwrap()).collect();
        let text = |found: Occurrence| match found {
            Occurrence::Always => "always".to_owned(),
            Occurrence::If(expression) => expression.to_string(),
            Occurrence::Unexplained => "?".to_owned(),
        };
        let found = derived_conditions(&parameters, trials);
        found.into_iter().map(text).collect()
    }

    #[test]
    fn nested_branches_hang_on_their_own_parents() {
        let parameters = "model=choice(svm,rf) ; kernel=choice(rbf,poly,linear) ; C=float(0,1) ; \
                          gamma=float(0,1) ; depth=int(1,9)";
        let parameters: Vec<&str> = parameters.split(" ; ").collect();
        let seen = trials(&[
            r#"{"model":"svm","kernel":"rbf","C":0.1,"gamma":0.5}"#,
            r#"{"model":"rf","depth":3}"#,
            r#"{"model":"svm","kernel":"linear","C":0.7}"#,
            r#"{"model":"svm","kernel":"poly","C":0.2,"gamma":0.1}"#,
        ]);
        let found = derived(&parameters, &seen);
        let expected = [
            "always",
            r#"model == "svm""#,
            r#"model == "svm""#,
            r#"kernel in ("rbf", "poly")"#,
            r#"model == "rf""#,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_loop_over_layers_is_a_threshold() {
        let parameters = ["n=int(1,4)", "u0=int(8,64)", "u1=int(8,64)", "u2=int(8,64)"];
        let seen = trials(&[
            r#"{"n":1,"u0":9}"#,
            r#"{"n":2,"u0":9,"u1":60}"#,
            r#"{"n":4,"u0":64,"u1":8,"u2":20}"#,
        ]);
        let expected = ["always", "always", "n >= 2", "n >= 4"];
        assert_eq!(derived(&parameters, &seen), expected);
    }

    #[test]
    fn two_parents_are_found_where_one_does_not_explain() {
        let parameters = ["a=bool", "b=bool", "c=float(0,1)"];
        let seen = trials(&[
            r#"{"a":true,"b":true,"c":0.5}"#,
            r#"{"a":true,"b":false}"#,
            r#"{"a":false,"b":true}"#,
            r#"{"a":false,"b":false}"#,
        ]);
        assert_eq!(derived(&parameters, &seen)[2], "a == true and b == true");
    }

    #[test]
    fn chance_explains_nothing() {
        let parameters = ["x=float(0,1)", "even=float(0,1)"];
        let alternating = trials(&[r#"{"x":0.1,"even":0.5}"#, r#"{"x":0.9}"#]);
        assert_eq!(derived(&parameters, &alternating), ["always", "?"]);
        let lines: Vec<String> = (0..10)
            .map(|i| match i < 5 {
                true => format!(r#"{{"x":0.{i}}}"#),
                false => format!(r#"{{"x":0.{i},"even":0.5}}"#),
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let seen = trials(&lines);
        assert_eq!(derived(&parameters, &seen), ["always", "x > 0.45"]);
    }

    #[test]
    fn what_a_failed_trial_did_not_come_to_is_no_evidence() {
        let parameters = ["a=bool", "b=float(0,1)"];
        let mut seen = trials(&[r#"{"a":true,"b":0.5}"#, r#"{"a":false}"#]);
        seen[1].is_complete = false;
        assert_eq!(derived(&parameters, &seen), ["always", "always"]);
    }

    #[test]
    fn values_that_the_parent_has_no_more_are_left_out() {
        let parameters = ["opt=choice(adam,sgd)", "beta=float(0,1)"];
        let seen = trials(&[
            r#"{"opt":"lion","beta":0.5}"#,
            r#"{"opt":"adam","beta":0.5}"#,
            r#"{"opt":"sgd"}"#,
        ]);
        assert_eq!(derived(&parameters, &seen)[1], r#"opt == "adam""#);
    }
}
