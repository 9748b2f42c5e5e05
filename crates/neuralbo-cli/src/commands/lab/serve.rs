//! `neuralbo lab serve`: a method for programs that speak the protocol.

use clap::Args;
use neuralbo::strategy::presets::DEFAULT_METHOD;
use neuralbo_lab::external::{ServeError, serve};
use neuralbo_lab::method::MethodSpec;

use crate::output::{CommandError, EXIT_OK, OrCommandError};

const EXAMPLE: &str = "\
One JSON object a line. Reads start, tell, ask and stop; answers each ask with a point:

  {\"start\":{\"protocol\":1,\"space\":{\"x\":\"float(0,1)\"},\"direction\":\"minimize\",\"seed\":7}}
  {\"ask\":1}
  {\"tell\":{\"point\":{\"x\":0.25},\"value\":3.5}}
  {\"stop\":true}";

/// Choose points for a program: line-delimited JSON on standard input and output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct ServeCommand {
    /// The method, as NAME or NAME:KEY=VALUE,…
    #[arg(long, value_name = "METHOD", default_value = DEFAULT_METHOD)]
    method: String,
}

impl ServeCommand {
    /// Answers until the input ends.
    pub fn execute(self) -> Result<u8, CommandError> {
        let method: MethodSpec = self.method.parse().or_usage("--method")?;
        match serve(&method, std::io::stdin().lock(), std::io::stdout().lock()) {
            Ok(()) => Ok(EXIT_OK),
            Err(error @ ServeError::Program(_)) => Err(CommandError::usage("--method", error)),
            Err(error @ (ServeError::Io(_) | ServeError::Method(_))) => {
                Err(CommandError::failure("lab serve", error))
            }
            Err(error) => Err(CommandError::usage("standard input", error)),
        }
    }
}
