//! `neuralbo completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::output::{CommandError, EXIT_OK, print_data};

const EXAMPLES: &str = "\
Examples:
  neuralbo completions bash > ~/.local/share/bash-completion/completions/neuralbo
  neuralbo completions zsh > ~/.zfunc/_neuralbo
  neuralbo completions fish > ~/.config/fish/completions/neuralbo.fish";

/// Print the completion script of a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsCommand {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    /// Prints the script.
    pub fn execute(self) -> Result<u8, CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "neuralbo", &mut script);
        print_data(&String::from_utf8_lossy(&script))?;
        Ok(EXIT_OK)
    }
}
