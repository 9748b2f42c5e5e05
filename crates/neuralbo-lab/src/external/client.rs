//! The lab's side: a program that is asked for points and told results.

use std::process::Command;

use neuralbo::record::{Definition, Outcome};
use neuralbo::space::Params;

use super::message::{Message, MethodReply, TellMessage};
use super::program::MethodProgram;
use crate::method::{RunError, RunStart};

/// A program that chooses points, one at a time, for trials that run one after the other.
pub struct External {
    program: MethodProgram,
    definition: Definition,
}

impl External {
    /// Starts a program.
    pub fn spawn(command: Command, start: &RunStart) -> Result<Self, RunError> {
        let mut program = MethodProgram::spawn(command).map_err(RunError::External)?;
        let message = Message::Start(Box::new(start.clone()));
        program.send(&message).map_err(RunError::External)?;
        Ok(Self {
            program,
            definition: start.definition(),
        })
    }

    /// The number by which the system knows the program.
    pub fn process(&self) -> u32 {
        self.program.process()
    }

    /// The next point.
    pub fn ask(&mut self) -> Result<Params, RunError> {
        self.next().map_err(RunError::External)
    }

    fn next(&mut self) -> Result<Params, String> {
        self.program.send(&Message::Ask(1))?;
        let params = match self.program.receive()? {
            MethodReply::Point(params) => params,
            MethodReply::Error(why) => return Err(why),
        };
        let space = &self.definition.space;
        let point = space.point_of(&params).map_err(|error| error.to_string())?;
        space.encode(&point).map_err(|error| error.to_string())?;
        Ok(params)
    }

    /// Tells a result.
    pub fn tell(&mut self, point: Params, outcome: Outcome) -> Result<(), RunError> {
        let message = Message::Tell(told(&self.definition, point, outcome));
        self.program.send(&message).map_err(RunError::External)
    }
}

/// A result as a study would record it: without values where the evaluation failed.
fn told(definition: &Definition, point: Params, outcome: Outcome) -> TellMessage {
    let ending = definition.ending(outcome);
    let value = ending.as_ref().and_then(|ending| ending.value);
    let values = ending.map(|ending| ending.values).unwrap_or_default();
    let several = value.is_some() && values.len() > 1;
    TellMessage {
        point,
        value,
        values: if several { values } else { Default::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::{PROTOCOL, resident_bytes, shell};
    use neuralbo::record::{Direction, Failure, FailureKind, ObjectiveSpec, Values};
    use neuralbo::space::Space;

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
        }
    }

    fn spawn(command: &str) -> External {
        External::spawn(shell(command), &start()).unwrap()
    }

    /// A program that answers every ask with one line.
    fn answering(line: &str) -> External {
        spawn(&format!(
            "while read -r m; do case \"$m\" in '{{\"ask\"'*) echo '{line}';; esac; done"
        ))
    }

    fn at(x: f64) -> Params {
        Params::from_iter([("x0", x)])
    }

    #[test]
    fn points_come_from_the_program() {
        let mut program = answering("{\"point\":{\"x0\":0.25}}");
        assert_eq!(program.ask(), Ok(at(0.25)));
    }

    #[test]
    fn the_program_hears_every_result_as_it_was() {
        // It answers with how many results it has heard, and fails if one is not what was told.
        let script = r#"n=0; while read -r m; do case "$m" in
            '{"ask"'*) echo "{\"point\":{\"x0\":0.$n}}";;
            '{"tell":{"point":{"x0":0.0},"value":2.5}}' | '{"tell":{"point":{"x0":0.1},"value":null}}') n=$((n + 1));;
            '{"tell"'*) echo "$m" >&2; exit 1;;
        esac; done"#;
        let mut program = spawn(script);
        let failure = Failure::new(FailureKind::Error, "no");
        for (x, outcome) in [(0.0, Outcome::Value(2.5)), (0.1, failure.into())] {
            assert_eq!(program.ask(), Ok(at(x)));
            program.tell(at(x), outcome).unwrap();
        }
        assert_eq!(program.ask(), Ok(at(0.2)));
    }

    #[test]
    fn several_objectives_and_limited_quantities_are_told_by_name() {
        let directions = [("f1", Direction::Minimize), ("f2", Direction::Maximize)];
        let objective = |(name, direction)| ObjectiveSpec::new(name, direction);
        let definition = Definition {
            objectives: directions.map(objective).to_vec(),
            ..start().definition()
        };
        let measured = |f2| {
            let all = [("f1", 3.0), ("f2", f2), ("most", 5.0)];
            Values::from_iter(all.map(|(name, value)| (name.to_owned(), value)))
        };
        let found = told(&definition, at(0.5), measured(5.0).into());
        assert_eq!((found.value, found.values), (Some(3.0), measured(5.0)));
        let found = told(&definition, at(0.5), measured(f64::NAN).into());
        assert_eq!((found.value, found.values), (None, Values::new()));
    }

    #[test]
    fn points_outside_the_space_and_broken_answers_are_refused() {
        let text = |line: &str| answering(line).ask().unwrap_err().to_string();
        assert!(text("{\"point\":{\"x0\":2}}").contains("x0"));
        assert!(text("{\"point\":{}}").contains("x0"));
        assert!(text("hello").contains("hello"));
        assert!(text("{\"error\":\"no idea\"}").contains("no idea"));
    }

    #[test]
    fn a_program_that_ends_is_quoted() {
        // It reads the start, so that writing it cannot fail first.
        let mut program = spawn("read -r m; echo out of ideas >&2; exit 3");
        let text = program.ask().unwrap_err().to_string();
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
        program.ask().unwrap();
        assert!(resident_bytes(program.process()).unwrap() > 10_000);
    }
}
