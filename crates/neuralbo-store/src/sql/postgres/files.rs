//! The files that libpq reads: services and passwords.

use std::path::{Path, PathBuf};

use super::settings::Surroundings;
use crate::platform::{Platform, System};
use crate::sql::conninfo::{KNOWN, Words};

/// The parameters of a service, from `PGSERVICEFILE`, `~/.pg_service.conf` or `PGSYSCONFDIR/pg_service.conf`.
pub(super) fn service(name: &str, surroundings: &dyn Surroundings) -> Result<Words, String> {
    let in_folder =
        |variable: &str, file: &str| Some(Path::new(&surroundings.variable(variable)?).join(file));
    let places: Vec<PathBuf> = [
        surroundings
            .variable("PGSERVICEFILE")
            .map(PathBuf::from)
            .or_else(|| in_folder("HOME", ".pg_service.conf")),
        in_folder("PGSYSCONFDIR", "pg_service.conf"),
    ]
    .into_iter()
    .flatten()
    .collect();
    for place in &places {
        let Ok(text) = std::fs::read_to_string(place) else {
            continue;
        };
        if let Some(words) = section(&text, name) {
            return words.ok_or_else(|| {
                format!(
                    "service `{name}` of `{}` has an unknown parameter",
                    place.display()
                )
            });
        }
    }
    let places: Vec<String> = places
        .iter()
        .map(|place| format!("`{}`", place.display()))
        .collect();
    Err(format!(
        "there is no service `{name}` in {}",
        places.join(" or ")
    ))
}

/// The section of this name; `Some(None)` if it has a parameter that is not understood.
fn section(text: &str, name: &str) -> Option<Option<Words>> {
    let header = format!("[{name}]");
    let lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != header)
        .skip(1);
    let mut words = Words::new();
    text.lines().any(|line| line.trim() == header).then(|| {
        for line in lines
            .take_while(|line| !line.starts_with('['))
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (name, value) = line.split_once('=')?;
            let name = KNOWN.iter().find(|known| **known == name.trim())?;
            words.insert((*name).to_owned(), value.trim().to_owned());
        }
        Some(words)
    })
}

/// The password for an address, from `passfile` or `~/.pgpass`; an error if others may read the file.
pub(super) fn password(
    words: &Words,
    surroundings: &dyn Surroundings,
) -> Result<Option<String>, String> {
    let named = words.get("passfile").map(PathBuf::from);
    let home = || Some(Path::new(&surroundings.variable("HOME")?).join(".pgpass"));
    let Some(path) = named.or_else(home) else {
        return Ok(None);
    };
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    let Some(password) = text.lines().find_map(|line| entry(line, words)) else {
        return Ok(None);
    };
    match System::others_may_read(&path) {
        true => Err(format!(
            "the password file `{}` can be read by others: its permissions must be 0600",
            path.display()
        )),
        false => Ok(Some(password)),
    }
}

/// The password on a line `host:port:database:user:password` that matches.
fn entry(line: &str, words: &Words) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let first = |name: &str, other: &str| {
        let value = words
            .get(name)
            .map_or(other, |value| value.split(',').next().unwrap_or_default());
        if value.is_empty() {
            other.to_owned()
        } else {
            value.to_owned()
        }
    };
    let host = first("host", "localhost");
    let host = if host.starts_with('/') {
        "localhost".to_owned()
    } else {
        host
    };
    let user = first("user", "");
    let wanted = [host, first("port", "5432"), first("dbname", &user), user];
    let fields = fields(line);
    let matches = |(field, wanted): (&String, &String)| field == "*" || field == wanted;
    (fields.len() >= 5 && fields.iter().zip(&wanted).all(matches)).then(|| fields[4].clone())
}

/// Fields between colons; `\` takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let next = match character {
            '\\' => characters.next(),
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            other => Some(other),
        };
        if let Some(field) = fields.last_mut() {
            field.extend(next);
        }
    }
    fields
}
