//! What the tests share.

use std::path::PathBuf;
use std::process::Output;
use std::sync::OnceLock;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The program under test: ours, or the one that NEURALBO_CLI names, such as that of an installed Python package.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        std::env::var("NEURALBO_CLI").unwrap_or_else(|_| env!("CARGO_BIN_EXE_neuralbo").to_owned())
    })
}

/// Runs the command of the arguments on a new terminal of some columns, as its controlling one, and copies what it shows.
const ON_TERMINAL: &str = "import fcntl, os, pty, struct, sys, termios
child, fd = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
try:
    while data := os.read(fd, 4096):
        os.write(1, data)
except OSError:
    pass
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))";

/// A directory of its own for one test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// `neuralbo` in this directory with these arguments.
    pub fn neuralbo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        // Our variables may be set in the environment of the tests.
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("NEURALBO_")) {
            command.env_remove(name);
        }
        command.env("NEURALBO_SPOOL", self.path("spool"));
        command
            .current_dir(self.0.path())
            .timeout(Duration::from_secs(60))
            .args(arguments);
        command
    }

    /// `neuralbo` on a terminal of so many columns.
    pub fn on_terminal(&self, columns: usize, arguments: &[&str]) -> Output {
        let mut command = Command::new("python3");
        command
            .args(["-c", ON_TERMINAL, &columns.to_string(), program()])
            .args(arguments)
            .env("NEURALBO_SPOOL", self.path("spool"))
            .env("TERM", "xterm")
            .current_dir(self.0.path())
            .timeout(Duration::from_secs(60));
        command.output().unwrap()
    }

    #[allow(dead_code)]
    /// `neuralbo run` with random search, a fixed seed, `x=float(0,1)`, these options and this shell script.
    pub fn script(&self, options: &[&str], script: &str) -> Command {
        let mut command = self.neuralbo(&[
            "run",
            "--method",
            "random",
            "--seed",
            "1",
            "--param",
            "x=float(0,1)",
            "--json",
        ]);
        self.write("script.sh", script);
        command.args(options).args(["--", "sh", "script.sh", "{x}"]);
        command
    }
}

/// The JSON object on standard output, which must hold nothing else.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
