//! The lab's side: a program as a strategy.

use std::process::Command;

use neuralbo::record::{Definition, ObjectiveSpec, Values};
use neuralbo::space::Point;
use neuralbo::strategy::{Exhausted, History, HistoryEntry, Origin, Request, Strategy, Suggestion};

use super::message::{Message, MethodReply, TellMessage};
use super::program::MethodProgram;
use crate::method::{RunError, RunStart, RunTrouble};

/// A program that chooses points, one at a time, for trials that run one after the other.
///
/// Results are told before the next ask. What goes wrong is kept as the run's [`RunTrouble`], and the study hears that no point is
/// left.
pub struct External {
    program: MethodProgram,
    definition: Definition,
    trouble: RunTrouble,
    /// The points of all trials in order, as exact as they were chosen: rows of the history are rounded.
    points: Vec<Point>,
    /// How many results the program has heard.
    told: usize,
}

impl External {
    /// Starts a program.
    pub fn spawn(
        command: Command,
        start: &RunStart,
        trouble: RunTrouble,
    ) -> Result<Self, RunError> {
        let mut program = MethodProgram::spawn(command).map_err(RunError::External)?;
        let message = Message::Start(Box::new(start.clone()));
        program.send(&message).map_err(RunError::External)?;
        Ok(Self {
            program,
            definition: start.definition(),
            trouble,
            points: start.known.clone(),
            told: 0,
        })
    }

    /// The number by which the system knows the program.
    pub fn process(&self) -> u32 {
        self.program.process()
    }

    fn next(&mut self, history: &History) -> Result<Suggestion, String> {
        self.tell_news(history)?;
        self.program.send(&Message::Ask(1))?;
        let params = match self.program.receive()? {
            MethodReply::Point(params) => params,
            MethodReply::Error(why) => return Err(why),
        };
        let space = &self.definition.space;
        let encoded = space
            .point_of(&params)
            .and_then(|point| Ok((space.encode(&point)?, point)));
        let (row, point) = encoded.map_err(|error| error.to_string())?;
        self.points.push(point.clone());
        Ok(Suggestion {
            point,
            row,
            origin: Origin::Sampled,
            mean: None,
            sd: None,
        })
    }

    fn tell_news(&mut self, history: &History) -> Result<(), String> {
        for (point, outcome) in self.points.iter().zip(history.outcomes()).skip(self.told) {
            let values = match outcome {
                HistoryEntry::Observed(i) => measured(&self.definition, history, *i),
                HistoryEntry::Failed(_) => Values::new(),
            };
            let value = values.get(self.definition.objective()).copied();
            let several = Some(values).filter(|values| values.len() > 1);
            self.program.send(&Message::Tell(TellMessage {
                point: self.definition.space.params(point),
                value,
                values: several.unwrap_or_default(),
            }))?;
            self.told += 1;
        }
        Ok(())
    }
}

/// What the `i`-th observation measured, from its rewards and the first slack of each constraint.
fn measured(definition: &Definition, history: &History, i: usize) -> Values {
    let objectives = definition.objectives.iter().enumerate();
    let value = |k, spec: &ObjectiveSpec| spec.direction.value(history.reward(i, k));
    let values = objectives.map(|(k, spec)| (spec.name.clone(), value(k, spec)));
    let mut values: Values = values.collect();
    let mut slacks = history.slacks(i).iter();
    for constraint in &definition.outcome_constraints {
        let bounds = [constraint.at_most, constraint.at_least];
        let mut own = bounds
            .into_iter()
            .zip([-1.0, 1.0])
            .filter_map(|(bound, sign)| Some(bound? + sign * slacks.next()?));
        let quantity = own.next();
        // The second bound's slack belongs to the same quantity.
        own.for_each(drop);
        values.extend(quantity.map(|quantity| (constraint.name.clone(), quantity)));
    }
    values
}

impl Strategy for External {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let next = self.next(request.history).map_err(|why| {
            self.trouble.keep(RunError::External(why));
            Exhausted
        });
        Ok(vec![next?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::{PROTOCOL, resident_bytes, shell};
    use neuralbo::linalg::Points;
    use neuralbo::record::{Direction, OutcomeConstraint};
    use neuralbo::space::Space;
    use neuralbo::strategy::Goals;

    fn start() -> RunStart {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        RunStart {
            protocol: PROTOCOL,
            space,
            direction: Direction::Minimize,
            objectives: Vec::new(),
            outcome_constraints: Vec::new(),
            seed: 3,
            budget: 5,
            problem: "test".into(),
            known: Vec::new(),
        }
    }

    fn spawn(command: &str) -> External {
        External::spawn(shell(command), &start(), RunTrouble::default()).unwrap()
    }

    /// A program that answers every ask with one line.
    fn answering(line: &str) -> External {
        spawn(&format!(
            "while read -r m; do case \"$m\" in '{{\"ask\"'*) echo '{line}';; esac; done"
        ))
    }

    fn ask(program: &mut External, history: &History) -> Result<Point, String> {
        let request = Request {
            history,
            pending: &Points::new(1),
            number: 0,
            count: 1,
            cancel: None,
        };
        match program.suggest(&request) {
            Ok(mut suggestions) => Ok(suggestions.pop().unwrap().point),
            Err(Exhausted) => Err(program.trouble.take().unwrap_err().to_string()),
        }
    }

    #[test]
    fn points_come_from_the_program() {
        let mut program = answering("{\"point\":{\"x0\":0.25}}");
        let found = ask(&mut program, &History::new(1));
        assert_eq!(found, Ok(Point::new(vec![0.25.into()])));
    }

    #[test]
    fn the_program_hears_every_result_once_and_as_it_was_before_the_next_ask() {
        // It answers with how many results it has heard, and fails if one is not what was told.
        let script = r#"n=0; while read -r m; do case "$m" in
            '{"ask"'*) echo "{\"point\":{\"x0\":0.$n}}";;
            '{"tell":{"point":{"x0":0.0},"value":2.5}}' | '{"tell":{"point":{"x0":0.1},"value":null}}') n=$((n + 1));;
            '{"tell"'*) echo "$m" >&2; exit 1;;
        esac; done"#;
        let (mut program, mut history) = (spawn(script), History::new(1));
        let at = |x: f64| Ok(Point::new(vec![x.into()]));
        assert_eq!(ask(&mut program, &history), at(0.0));
        history.push_observed(&[-1.0], -2.5);
        assert_eq!(ask(&mut program, &history), at(0.1));
        history.push_failed(&[-0.8]);
        assert_eq!(ask(&mut program, &history), at(0.2));
    }

    #[test]
    fn several_objectives_and_limited_quantities_are_told_by_name() {
        let limit = |name: &str, at_least, at_most| OutcomeConstraint {
            name: name.into(),
            at_least,
            at_most,
        };
        let definition = Definition {
            objectives: vec![
                ObjectiveSpec::new("f1", Direction::Minimize),
                ObjectiveSpec::new("f2", Direction::Maximize),
            ],
            outcome_constraints: vec![
                limit("between", Some(1.0), Some(2.0)),
                limit("most", None, Some(4.0)),
            ],
            ..start().definition()
        };
        let goals = Goals {
            slacks: 3,
            ..Goals::objectives(2)
        };
        let mut history = History::with_goals(1, &goals);
        history.push_measured(&[0.0], &[-3.0, 5.0], &[0.5, 0.5, -1.0]);
        let expected = [("f1", 3.0), ("f2", 5.0), ("between", 1.5), ("most", 5.0)];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        let found = measured(&definition, &history, 0);
        assert_eq!(found, Values::from_iter(expected));
    }

    #[test]
    fn points_outside_the_space_and_broken_answers_are_refused() {
        let text = |line: &str| ask(&mut answering(line), &History::new(1)).unwrap_err();
        assert!(text("{\"point\":{\"x0\":2}}").contains("x0"));
        assert!(text("{\"point\":{}}").contains("x0"));
        assert!(text("hello").contains("hello"));
        assert!(text("{\"error\":\"no idea\"}").contains("no idea"));
    }

    #[test]
    fn a_program_that_ends_is_quoted() {
        // It reads the start, so that writing it cannot fail first.
        let mut program = spawn("read -r m; echo out of ideas >&2; exit 3");
        let text = ask(&mut program, &History::new(1)).unwrap_err();
        assert!(text.starts_with("external method: "), "{text}");
        assert!(
            text.contains("out of ideas") && text.contains('3'),
            "{text}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_resident_set_is_measured() {
        let mut program = answering("{\"point\":{\"x0\":0.25}}");
        // A program that has answered is loaded.
        ask(&mut program, &History::new(1)).unwrap();
        assert!(resident_bytes(program.process()).unwrap() > 10_000);
    }
}
