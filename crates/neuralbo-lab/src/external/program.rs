//! A running program and its lines of JSON.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::message::{Message, MethodReply};

/// Most of what is kept of a program's standard error.
const COMPLAINT: u64 = 4000;

/// A command line for the shell.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// The resident set of a process in bytes, as Linux tells it; none elsewhere.
pub(crate) fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// A running program; it ends with this value. Errors say what happened, in words.
pub(super) struct MethodProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
}

impl MethodProgram {
    pub(super) fn spawn(mut command: Command) -> Result<Self, String> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("could not start: {error}"))?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let output = BufReader::new(output.ok_or("it has no standard output")?);
        let complaint = errors.map(|errors| std::thread::spawn(move || beginning(errors)));
        Ok(Self {
            child,
            input,
            output,
            complaint,
        })
    }

    /// The number by which the system knows it.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn send(&mut self, message: &Message) -> Result<(), String> {
        let mut line = serde_json::to_string(message).map_err(|error| error.to_string())?;
        line.push('\n');
        let sent = self.input.as_mut().map(|input| {
            input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush())
        });
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    pub(super) fn receive(&mut self) -> Result<MethodReply, String> {
        let mut line = String::new();
        let length = self
            .output
            .read_line(&mut line)
            .map_err(|error| error.to_string())?;
        if length == 0 {
            return Err(self.ended());
        }
        serde_json::from_str(&line).map_err(|error| {
            format!(
                "its answer `{}` is neither {{\"point\":…}} nor {{\"error\":…}}: {error}",
                line.trim_end()
            )
        })
    }

    /// What is known about a program that is gone.
    fn ended(&mut self) -> String {
        self.input = None;
        let status = self
            .child
            .wait()
            .map_or_else(|error| error.to_string(), |status| status.to_string());
        let words = self
            .complaint
            .take()
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        format!("the program ended ({status}); it said: {}", words.trim())
    }
}

/// The beginning of what is written; the rest is read too, so that the program never blocks.
fn beginning(mut errors: impl Read) -> String {
    let mut kept = Vec::new();
    let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&kept).into_owned()
}

/// The run is over: the program is told so, its input ends, and it is not waited for.
impl Drop for MethodProgram {
    fn drop(&mut self) {
        if self.input.is_some() {
            let _ = self.send(&Message::Stop(true));
        }
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
