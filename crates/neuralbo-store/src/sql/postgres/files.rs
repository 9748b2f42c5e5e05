//! The files that libpq reads: services and passwords.

use std::path::{Path, PathBuf};

use super::settings::Environment;
use crate::platform::{OperatingSystem, System};
use crate::sql::conninfo::{Words, is_known};

/// The parameters of a service, from `PGSERVICEFILE`, `~/.pg_service.conf` or `PGSYSCONFDIR/pg_service.conf`.
pub(super) fn service(name: &str, environment: &dyn Environment) -> Result<Words, String> {
    let in_folder =
        |variable: &str, file: &str| Some(Path::new(&environment.variable(variable)?).join(file));
    let named = environment.variable("PGSERVICEFILE").map(PathBuf::from);
    let usual = || in_folder("HOME", ".pg_service.conf");
    let of_system = in_folder("PGSYSCONFDIR", "pg_service.conf");
    let mut places = Vec::new();
    for path in named.or_else(usual).into_iter().chain(of_system) {
        let place = format!("`{}`", path.display());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(words) = section(&text, name) {
            let unknown = || format!("service `{name}` of {place} has an unknown parameter");
            return words.ok_or_else(unknown);
        }
        places.push(place);
    }
    Err(format!("no service `{name}` in {}", places.join(" or ")))
}

/// The section of this name; `Some(None)` if it has an unknown parameter.
fn section(text: &str, name: &str) -> Option<Option<Words>> {
    let header = format!("[{name}]");
    let lines = text.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != header).skip(1);
    let mut words = Words::new();
    text.lines().any(|line| line.trim() == header).then(|| {
        for line in lines
            .take_while(|line| !line.starts_with('['))
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (name, value) = line.split_once('=')?;
            let name = Some(name.trim()).filter(|name| is_known(name))?;
            words.insert(name.to_owned(), value.trim().to_owned());
        }
        Some(words)
    })
}

/// The password for an address, from `passfile` or `~/.pgpass`; an error if others may read the file.
pub(super) fn password(
    words: &Words,
    environment: &dyn Environment,
) -> Result<Option<String>, String> {
    let named = words.get("passfile").map(PathBuf::from);
    let home = || Some(Path::new(&environment.variable("HOME")?).join(".pgpass"));
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
            "the password file `{}` is readable by others; its permissions must be 0600",
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
    let first = |name: &str| {
        let first = words.get(name)?.split(',').next();
        first.filter(|value| !value.is_empty())
    };
    let host = first("host").filter(|host| !host.starts_with('/'));
    let user = first("user").unwrap_or_default();
    let wanted = [
        host.unwrap_or("localhost"),
        first("port").unwrap_or("5432"),
        first("dbname").unwrap_or(user),
        user,
    ];
    let fields = fields(line);
    let matches = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
    (fields.len() >= 5 && fields.iter().zip(&wanted).all(matches)).then(|| fields[4].clone())
}

/// Fields between colons; `\` escapes the next character.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::sql::postgres::settings::ServerSettings;
    use crate::sql::postgres::settings::tests::{given, read};

    #[test]
    #[cfg(unix)]
    fn passwords_come_from_the_password_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pass");
        std::fs::write(
            &path,
            "# mine\nother:*:*:u:no\nh:*:d:u:a\\:b\\\\c\n*:*:*:*:last\n",
        )
        .unwrap();
        let file = path.display().to_string();
        let mode = |mode: u32| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap()
        };
        mode(0o600);
        let password = |text: &str| {
            let settings = read(text, &[("PGPASSFILE", &file)]);
            settings
                .config
                .get_password()
                .map(|password| String::from_utf8(password.to_vec()).unwrap())
        };
        assert_eq!(password("postgres://u@h/d").as_deref(), Some(r"a:b\c"));
        assert_eq!(password("postgres://u@h/e").as_deref(), Some("last"));
        mode(0o644);
        let error =
            ServerSettings::read("postgres://u@h/d", &given(&[("PGPASSFILE", &file)])).unwrap_err();
        assert!(error.contains("0600") && !error.contains("last"), "{error}");
    }

    #[test]
    fn services_are_read_from_their_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("services");
        std::fs::write(
            &path,
            "[a]\nhost=one\n\n# x\n[lab]\nhost = two\ndbname=s\npassword=secret\n[z]\nhost=three\n",
        )
        .unwrap();
        let file = path.display().to_string();
        let settings = read(
            "postgres://me@/?service=lab",
            &[("PGSERVICEFILE", &file), ("PGHOST", "no")],
        );
        assert_eq!(
            (settings.shown.as_str(), settings.config.get_password()),
            ("postgres://me@two/s", Some("secret".as_bytes()))
        );
        assert_eq!(
            read(
                "postgres://",
                &[("PGSERVICEFILE", &file), ("PGSERVICE", "z")]
            )
            .shown,
            "postgres://three/"
        );
        let error =
            ServerSettings::read("service=none", &given(&[("PGSERVICEFILE", &file)])).unwrap_err();
        assert!(error.contains("`none`"), "{error}");
    }
}
