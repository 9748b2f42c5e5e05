//! The program `neuralbo`.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use neuralbo_cli::Invocation;

fn main() -> ExitCode {
    let again = own_binary().into_iter().map(Into::into).collect();
    ExitCode::from(neuralbo_cli::main(Invocation {
        arguments: std::env::args_os().collect(),
        again,
    }))
}

/// The file of this process, also when another one has taken its place meanwhile.
#[cfg(target_os = "linux")]
fn own_binary() -> io::Result<PathBuf> {
    Ok("/proc/self/exe".into())
}

#[cfg(not(target_os = "linux"))]
fn own_binary() -> io::Result<PathBuf> {
    std::env::current_exe()
}
