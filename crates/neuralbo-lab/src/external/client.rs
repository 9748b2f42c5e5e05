//! The lab's side: a program as a strategy.

use std::process::Command;

use neuralbo::record::Direction;
use neuralbo::space::{Point, Space};
use neuralbo::strategy::{Entry, Exhausted, History, Origin, Request, Strategy, Suggestion};

use super::message::{Message, Reply, StartMessage, TellMessage};
use super::program::Program;
use crate::method::{RunError, Start, Trouble};

/// A program that chooses points, one at a time, for trials that run one after the other.
///
/// Results are told before the next ask. What goes wrong is kept as the run's [`Trouble`], and the study hears that no point is
/// left.
pub struct External {
    program: Program,
    space: Space,
    direction: Direction,
    trouble: Trouble,
    /// The points of all trials in order, as exact as they were chosen: rows of the history are rounded.
    points: Vec<Point>,
    /// How many results the program has heard.
    told: usize,
}

impl External {
    /// Starts a program.
    pub fn spawn(command: Command, start: &Start, trouble: Trouble) -> Result<Self, RunError> {
        let mut program = Program::spawn(command).map_err(RunError::External)?;
        program
            .send(&Message::Start(Box::new(StartMessage::from(start))))
            .map_err(RunError::External)?;
        let (space, points) = (start.space.clone(), start.known.clone());
        Ok(Self {
            program,
            space,
            direction: start.direction,
            trouble,
            points,
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
            Reply::Point(params) => params,
            Reply::Error(why) => return Err(why),
        };
        let point = self
            .space
            .point_of(&params)
            .map_err(|error| error.to_string())?;
        let row = self
            .space
            .encode(&point)
            .map_err(|error| error.to_string())?;
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
            let value = match outcome {
                Entry::Observed(place) => {
                    Some(self.direction.value(history.observed().rewards()[*place]))
                }
                Entry::Failed(_) => None,
            };
            self.program.send(&Message::Tell(TellMessage {
                point: self.space.params(point),
                value,
            }))?;
            self.told += 1;
        }
        Ok(())
    }
}

impl Strategy for External {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.next(request.history)
            .map(|suggestion| vec![suggestion])
            .map_err(|why| {
                self.trouble.keep(RunError::External(why));
                Exhausted
            })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::external::{resident_bytes, shell};
    use neuralbo::linalg::Points;

    fn start() -> Start {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        Start {
            space,
            direction: Direction::Minimize,
            seed: 3,
            budget: 5,
            problem: "test".into(),
            known: Vec::new(),
        }
    }

    fn spawn(command: &str) -> External {
        External::spawn(shell(command), &start(), Trouble::default()).unwrap()
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
        assert_eq!(
            ask(&mut program, &History::new(1)),
            Ok(Point::new(vec![0.25.into()]))
        );
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
        assert!(
            text.starts_with("external method: ")
                && text.contains("out of ideas")
                && text.contains('3'),
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
