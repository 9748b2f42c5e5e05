//! The lab's side: a program that is asked for points and told results by lines of JSON.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use neuralbo::record::{Definition, Outcome};
use neuralbo::space::Params;

use super::{Message, MethodReply, TellMessage};
use crate::method::{RunError, RunStart};

/// Most of what is kept of a program's standard error.
const COMPLAINT: u64 = 4000;

/// A program that chooses points, one at a time, for trials that run one after the other; it ends with this value.
pub struct External {
    definition: Definition,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
}

impl External {
    /// Starts a program.
    pub fn spawn(mut command: Command, start: &RunStart) -> Result<Self, RunError> {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = (pipes.stderr(Stdio::piped()).spawn())
            .map_err(|error| RunError::External(format!("could not start: {error}")))?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let without_output = || RunError::External("it has no standard output".to_owned());
        let mut program = Self {
            definition: start.definition(),
            output: BufReader::new(output.ok_or_else(without_output)?),
            complaint: errors.map(|errors| std::thread::spawn(move || beginning(errors))),
            child,
            input,
        };
        program.send(&Message::Start(Box::new(start.clone())))?;
        Ok(program)
    }

    /// The number by which the system knows the program.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The next point.
    pub fn ask(&mut self) -> Result<Params, RunError> {
        self.send(&Message::Ask(1))?;
        self.receive().map_err(RunError::External)
    }

    /// Tells a result.
    pub fn tell(&mut self, point: Params, outcome: Outcome) -> Result<(), RunError> {
        self.send(&Message::Tell(told(&self.definition, point, outcome)))
    }

    fn send(&mut self, message: &Message) -> Result<(), RunError> {
        let line = serde_json::to_string(message);
        let line = line.map_err(|error| RunError::External(error.to_string()))? + "\n";
        let write = |input: &mut ChildStdin| {
            input.write_all(line.as_bytes())?;
            input.flush()
        };
        match self.input.as_mut().map(write) {
            Some(Ok(())) => Ok(()),
            _ => Err(RunError::External(self.ended())),
        }
    }

    fn receive(&mut self) -> Result<Params, String> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line);
        if length.map_err(|error| error.to_string())? == 0 {
            return Err(self.ended());
        }
        let answer = serde_json::from_str(&line).map_err(|error| {
            let line = line.trim_end();
            format!("its answer `{line}` is neither {{\"point\":…}} nor {{\"error\":…}}: {error}")
        })?;
        let params = match answer {
            MethodReply::Point(params) => params,
            MethodReply::Error(why) => return Err(why),
        };
        let space = &self.definition.space;
        let point = space.point_of(&params).map_err(|error| error.to_string())?;
        space.encode(&point).map_err(|error| error.to_string())?;
        Ok(params)
    }

    /// What is known about a program that is gone.
    fn ended(&mut self) -> String {
        self.input = None;
        let status = self.child.wait();
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        let words = self.complaint.take().and_then(|reader| reader.join().ok());
        let words = words.unwrap_or_default();
        format!("the program ended ({status}); it said: {}", words.trim())
    }
}

/// The run is over: the program is told so, its input ends, and it is not waited for.
impl Drop for External {
    fn drop(&mut self) {
        if self.input.is_some() {
            let _ = self.send(&Message::Stop(true));
        }
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The beginning of what is written; the rest is read too, so that the program never blocks.
fn beginning(mut errors: impl Read) -> String {
    let mut kept = Vec::new();
    let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&kept).into_owned()
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

/// A command line for the shell.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// The resident set of a process in bytes, as Linux tells it; none elsewhere.
pub(crate) fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::record::{Direction, Failure, FailureKind, ObjectiveSpec, Values};
    use neuralbo::space::Space;

    use crate::external::{PROTOCOL, resident_bytes, shell};

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
        let quoted = text.contains("out of ideas") && text.contains('3');
        assert!(quoted, "{text}");
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
