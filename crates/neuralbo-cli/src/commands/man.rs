//! `neuralbo man`.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};

use crate::Cli;
use crate::output::{CommandError, EXIT_OK, OrCommandError, counted, print};

/// Write manual pages, one per command.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo man ~/.local/share/man/man1 && man neuralbo-run")]
pub struct ManCommand {
    /// The folder, created if necessary
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManCommand {
    /// Writes the pages.
    pub fn execute(self) -> Result<u8, CommandError> {
        let name = self.folder.display().to_string();
        std::fs::create_dir_all(&self.folder).or_failure(&name)?;
        let mut all = Cli::command();
        all.build();
        let count = write(&all, "neuralbo", &self.folder).or_failure(&name)?;
        print(&format!("{} in {name}\n", counted(count, "page")))?;
        Ok(EXIT_OK)
    }
}

/// Writes the page of a command and those of its own commands, and returns how many.
fn write(command: &Command, name: &str, folder: &Path) -> std::io::Result<u64> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    let mut count = 1;
    for part in command
        .get_subcommands()
        .filter(|part| part.get_name() != "help")
    {
        count += write(part, &format!("{name}-{}", part.get_name()), folder)?;
    }
    Ok(count)
}
