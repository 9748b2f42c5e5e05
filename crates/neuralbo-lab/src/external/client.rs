//! The lab's side: a program as a contender.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Instant;

use neuralbo::space::{Point, Space};

use super::message::{Reply, Request, StartMessage, TellMessage, named, point};
use crate::method::{Asked, Contender, ContenderError, Start};

/// Most of what is kept of a program's standard error.
const COMPLAINT: u64 = 4000;

/// A running program that chooses points; it ends with this value.
pub struct External {
    space: Space,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
    asked: Option<Point>,
}

impl External {
    /// Starts a command line with the shell.
    pub fn shell(command: &str, start: &Start) -> Result<Self, ContenderError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        Self::spawn(shell, start)
    }

    /// Starts a program.
    pub fn spawn(mut command: Command, start: &Start) -> Result<Self, ContenderError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| external(format!("could not start: {error}")))?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let output = output.ok_or_else(|| external("it has no standard output".into()))?;
        let complaint = errors.map(|errors| std::thread::spawn(move || last_words(errors)));
        let mut program =
            Self { space: start.space.clone(), child, input, output: BufReader::new(output), complaint, asked: None };
        program.send(&Request::Start(Box::new(StartMessage::from(start))))?;
        Ok(program)
    }

    fn send(&mut self, request: &Request) -> Result<(), ContenderError> {
        let mut line = serde_json::to_string(request).map_err(|error| external(error.to_string()))?;
        line.push('\n');
        let sent = self.input.as_mut().map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    fn receive(&mut self) -> Result<Reply, ContenderError> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line).map_err(|error| external(error.to_string()))?;
        if length == 0 {
            return Err(self.ended());
        }
        serde_json::from_str(&line).map_err(|error| {
            external(format!("its answer `{}` is neither {{\"point\":…}} nor {{\"error\":…}}: {error}", line.trim_end()))
        })
    }

    /// What is known about a program that is gone.
    fn ended(&mut self) -> ContenderError {
        self.input = None;
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let words = self.complaint.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        external(format!("the program ended ({status}); it said: {}", words.trim()))
    }

    fn report(&mut self, point: &Point, value: f64) -> Result<(), ContenderError> {
        let value = Some(value).filter(|value| value.is_finite());
        self.send(&Request::Tell(TellMessage { point: named(&self.space, point), value }))
    }
}

fn external(text: String) -> ContenderError {
    ContenderError::External(text)
}

/// The beginning of what is written; the rest is read too, so that the program never blocks.
fn last_words(mut errors: impl Read) -> String {
    let mut kept = Vec::new();
    let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&kept).into_owned()
}

impl Contender for External {
    fn know(&mut self, point: &Point, value: f64) -> Result<(), ContenderError> {
        self.report(point, value)
    }

    fn ask(&mut self) -> Result<Asked, ContenderError> {
        let started = Instant::now();
        self.send(&Request::Ask(1))?;
        let values = match self.receive()? {
            Reply::Point(values) => values,
            Reply::Error(why) => return Err(external(why)),
        };
        let seconds = started.elapsed().as_secs_f64();
        let point = point(&self.space, values).map_err(|error| external(error.to_string()))?;
        self.asked = Some(point.clone());
        Ok(Asked { point, origin: "external".into(), mean: None, sd: None, seconds })
    }

    fn tell(&mut self, value: f64) -> Result<(), ContenderError> {
        let point =
            self.asked.take().ok_or_else(|| ContenderError::Protocol("a value was told that was not asked for".into()))?;
        self.report(&point, value)
    }

    fn resident_bytes(&self) -> Option<u64> {
        resident_bytes(self.child.id())
    }
}

/// The resident set as Linux tells it; none elsewhere.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The run is over: the program is told so, its input ends, and it is not waited for.
impl Drop for External {
    fn drop(&mut self) {
        if self.input.is_some() {
            let _ = self.send(&Request::Stop(true));
        }
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use neuralbo::study::Direction;

    fn start() -> Start {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        Start { space, direction: Direction::Minimize, seed: 3, budget: 5, problem: "test".into() }
    }

    /// A program that answers every ask with one line.
    fn answering(line: &str) -> External {
        let script = format!("while read -r m; do case \"$m\" in '{{\"ask\"'*) echo '{line}';; esac; done");
        External::shell(&format!("sh -c '{}'", script.replace('\'', "'\\''")), &start()).unwrap()
    }

    #[test]
    fn points_come_from_the_program() {
        let mut program = answering("{\"point\":{\"x0\":0.25}}");
        assert_eq!(program.ask().unwrap().point, Point::new(vec![0.25.into()]));
        program.tell(1.0).unwrap();
        assert!(program.tell(1.0).is_err());
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
        let mut program = External::shell("sh -c 'echo out of ideas >&2; exit 3'", &start()).unwrap();
        let text = program.ask().unwrap_err().to_string();
        assert!(text.contains("out of ideas") && text.contains('3'), "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_resident_set_is_measured() {
        let mut program = answering("{\"point\":{\"x0\":0.25}}");
        // A program that has answered is loaded.
        program.ask().unwrap();
        assert!(program.resident_bytes().unwrap() > 10_000);
    }
}
