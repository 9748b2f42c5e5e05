//! `neuralbo init`.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use neuralbo_store::{Access, open_for, read_optuna, without_passwords};

use crate::output::{CommandError, EXIT_OK, OrCommandError, harmless, print};
use crate::run_file::template::{FileTemplate, of_study};

const EXAMPLES: &str = "\
Examples:
  neuralbo init && neuralbo run run.toml
  neuralbo init tuning.toml --template python
  neuralbo init tuning.toml --from sqlite:///optuna.db:resnet";

/// Write a commented run file for `neuralbo run FILE`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InitCommand {
    /// The file to write; an existing file is not overwritten
    #[arg(value_name = "FILE", default_value = "run.toml")]
    file: PathBuf,
    /// The template; the file runs as it is
    #[arg(long, value_enum, default_value_t = FileTemplate::Shell)]
    template: FileTemplate,
    /// Start from a study: STORAGE:NAME of neuralbo, or of an SQLite file of Optuna
    #[arg(long, value_name = "STORAGE:NAME", conflicts_with = "template")]
    from: Option<String>,
}

impl InitCommand {
    /// Writes the file.
    pub fn execute(self) -> Result<u8, CommandError> {
        let text = match &self.from {
            None => self.template.text(),
            Some(source) => from_study(source).or_usage("--from")?,
        };
        self.write(&text)?;
        let name = self.file.display();
        let next = if self.from.is_some() {
            "enter your program under `command`, then "
        } else {
            ""
        };
        print(&format!(
            "{name} written; {next}run it with: neuralbo run {name}\n"
        ))?;
        Ok(EXIT_OK)
    }

    fn write(&self, text: &str) -> Result<(), CommandError> {
        let name = self.file.display().to_string();
        let opened = File::create_new(&self.file);
        match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(CommandError::usage(
                &name,
                "it exists and is not overwritten",
            )),
            result => result.or_failure(&name),
        }
    }
}

/// The file of a study of ours or of Optuna.
fn from_study(source: &str) -> Result<String, String> {
    let shown = without_passwords(source);
    let (storage, name) = source
        .rsplit_once(':')
        // Without a name, what follows the last colon may be of the password.
        .filter(|(_, name)| shown.ends_with(name))
        .ok_or("it must be STORAGE:NAME, such as sqlite:///optuna.db:resnet")?;
    let ours = open_for(storage, Access::Read).and_then(|store| store.study(name));
    match ours {
        Ok(record) => Ok(of_study(
            &record.definition,
            &record.limits,
            &format!("From the study {}.", harmless(&shown)),
        )),
        Err(reason) => from_optuna(storage, name, &shown)
            .map_err(|theirs| format!("`{shown}`: {reason}; {theirs}")),
    }
}

fn from_optuna(storage: &str, name: &str, shown: &str) -> Result<String, String> {
    let path = neuralbo_store::sqlite_path(storage).unwrap_or(storage);
    if !Path::new(path).exists() {
        return Err(format!("file `{path}` does not exist"));
    }
    let imported = read_optuna(Path::new(path), Some(name)).map_err(|error| error.to_string())?;
    let definition = imported.definitions.last().cloned();
    let mut definition = definition.ok_or("the study has no definition")?;
    definition.method = neuralbo::strategy::presets::DEFAULT_METHOD.to_owned();
    let remark = format!(
        "From the Optuna study {}. Its {} trials are imported by: neuralbo import {path} --from-study {} --study NAME",
        harmless(shown),
        imported.trials.len(),
        harmless(name)
    );
    Ok(of_study(&definition, &imported.limits, &remark))
}
