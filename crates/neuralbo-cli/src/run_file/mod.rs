//! Whole runs in a file: every key of it is an option of `neuralbo run` without its dashes.
//!
//! A file is turned into the options it stands for, before the command line is read. So there is no second list of options, and what
//! is wrong with a value is said in the same words. Options on the command line win over keys of the file, and over those that cannot
//! be used with them.

mod read;
pub mod template;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::output::{CommandError, OrCommandError};
use read::{Keys, options};

/// The name of the command that takes a file.
const RUN: &str = "run";
/// The argument that names it, and the one that holds the program.
const FILE: &str = "file";
const COMMAND: &str = "command";

/// The arguments with those of a run file in their place, if one is named.
pub fn expanded(cli: &Command, arguments: Vec<OsString>) -> Result<Vec<OsString>, CommandError> {
    let lenient = cli
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(&arguments);
    let Ok(matches) = lenient else {
        return Ok(arguments);
    };
    let Some((RUN, given)) = matches.subcommand() else {
        return Ok(arguments);
    };
    let Ok(Some(path)) = given.try_get_one::<PathBuf>(FILE) else {
        return Ok(arguments);
    };
    let mut cli = cli.clone();
    cli.build();
    let run = cli.find_subcommand(RUN);
    let run =
        run.ok_or_else(|| CommandError::Failure("the command `run` is missing".to_owned()))?;
    let keys = Keys::read(path, run)?;
    let absolute = std::path::absolute(path).or_failure(&path.display().to_string())?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let (mut inserted, mut program) = (Vec::new(), Vec::new());
    for (key, value) in keys
        .iter()
        .filter(|(key, _)| !is_overridden(run, given, key))
    {
        let wrong = |reason: String| {
            CommandError::Usage(format!("{}: key `{key}`: {reason}", path.display()))
        };
        match key {
            COMMAND => program = read::program(value).map_err(wrong)?,
            _ => inserted.extend(options(argument(run, key), key, value, folder).map_err(wrong)?),
        }
    }
    if !program.is_empty() && !is_given(given, "cwd") && !keys.has("cwd") {
        inserted.push(format!("--cwd={}", folder.display()));
    }
    Ok(merged(arguments, inserted, program))
}

/// The options of the file come right after `run`, its program at the end.
fn merged(arguments: Vec<OsString>, inserted: Vec<String>, program: Vec<String>) -> Vec<OsString> {
    let run = arguments
        .iter()
        .position(|word| word == RUN)
        .map_or(arguments.len(), |at| at + 1);
    let mut merged = arguments;
    let rest = merged.split_off(run);
    merged.extend(inserted.into_iter().map(OsString::from));
    merged.extend(rest);
    if !program.is_empty() {
        merged.push("--".into());
        merged.extend(program.into_iter().map(OsString::from));
    }
    merged
}

/// The argument of a key.
fn argument<'a>(run: &'a Command, key: &str) -> Option<&'a Arg> {
    let is_it = |argument: &&Arg| {
        argument.get_long() == Some(key) || (key == COMMAND && argument.get_id() == COMMAND)
    };
    run.get_arguments().find(is_it)
}

/// Whether the command line says something else, or something that cannot be said together with the key.
fn is_overridden(run: &Command, given: &ArgMatches, key: &str) -> bool {
    let Some(argument) = argument(run, key) else {
        return false;
    };
    let excludes = |other: &&Arg| {
        let (a, b) = (
            run.get_arg_conflicts_with(argument),
            run.get_arg_conflicts_with(other),
        );
        a.iter().any(|arg| arg.get_id() == other.get_id())
            || b.iter().any(|arg| arg.get_id() == argument.get_id())
    };
    let id = argument.get_id().as_str();
    let others = run
        .get_arguments()
        .filter(|other| other.get_id() != id && is_given(given, other.get_id().as_str()));
    is_given(given, id)
        || others
            .filter(|other| other.get_id() != FILE)
            .any(|other| excludes(&other))
}

fn is_given(given: &ArgMatches, id: &str) -> bool {
    given.try_contains_id(id).unwrap_or(false)
        && given.value_source(id) == Some(ValueSource::CommandLine)
}
