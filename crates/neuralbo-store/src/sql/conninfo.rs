//! Connection strings of PostgreSQL: URLs (`postgres://…`) and words (`host=… password=…`), as libpq reads them.
//!
//! Errors never repeat unreadable text: it may be part of a password.

use std::collections::BTreeMap;

/// The parameters of a connection string, by libpq's names.
pub(crate) type Words = BTreeMap<String, String>;

/// Known parameters; the last two are ours.
const KNOWN: &str = "application_name channel_binding connect_timeout dbname host hostaddr keepalives \
     keepalives_idle keepalives_interval keepalives_retries lock_timeout options \
     passfile password port service sslcert sslkey sslmode sslnegotiation sslrootcert \
     statement_timeout target_session_attrs tcp_user_timeout user patience schema";
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const ENCODE: &str = "characters such as `@`, `/`, `?`, `#` and `%` of a user or a password must be percent-encoded (`@` is %40, `/` is %2F)";

/// Whether a parameter is known.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.split(' ').any(|known| known == name)
}

/// Whether a text is a PostgreSQL connection string.
pub(crate) fn is_conninfo(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    lower.starts_with("postgres:") || lower.starts_with("postgresql:") || begins_with_word(&lower)
}

fn begins_with_word(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| is_known(name.trim()))
}

/// Reads a URL or words.
pub(crate) fn parse(text: &str) -> Result<Words, String> {
    let text = text.trim();
    let words = match SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)) {
        Some(rest) => url(rest)?,
        None if begins_with_word(text) => pairs(text)?,
        None => return Err("it must start with postgres:// or postgresql://".to_owned()),
    };
    match words.keys().find(|name| !is_known(name)) {
        Some(_) => Err(format!(
            "one of its parameters is unknown; known: {}",
            KNOWN.replace(' ', ", ")
        )),
        None => Ok(words),
    }
}

/// The same parameters without a password, as words.
pub(crate) fn conninfo_without_password(text: &str) -> Result<String, String> {
    let mut words = parse(text)?;
    words.remove("password");
    let words = words.iter().map(|(name, value)| word(name, value));
    Ok(words.collect::<Vec<_>>().join(" "))
}

/// `name='value'`
pub(crate) fn word(name: &str, value: &str) -> String {
    let value = value.replace('\\', r"\\").replace('\'', r"\'");
    format!("{name}='{value}'")
}

/// `user:password@host:port,host:port/database?name=value&…`
fn url(rest: &str) -> Result<Words, String> {
    let mut words = Words::new();
    let rest = match rest.split_once('@') {
        Some((_, after)) if after.contains('@') => {
            return Err(format!("it has more than one `@`; {ENCODE}"));
        }
        Some((user, after)) => {
            credentials(user, &mut words)?;
            after
        }
        None => rest,
    };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
    addresses(hosts, &mut words)?;
    set(&mut words, "dbname", database)?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or("a parameter after `?` has no `=`")?;
        set(&mut words, &decoded(name)?, value)?;
    }
    Ok(words)
}

fn credentials(text: &str, words: &mut Words) -> Result<(), String> {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    set(words, "user", user)?;
    set(words, "password", password)
}

fn addresses(hosts: &str, words: &mut Words) -> Result<(), String> {
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        // The colons of an IPv6 address are inside of brackets.
        let end = host.rfind(']').map_or(0, |at| at + 1);
        let (name, port) = match host[end..].find(':') {
            Some(at) => (&host[..end + at], &host[end + at + 1..]),
            None => (host, ""),
        };
        if !port.chars().all(|c| c.is_ascii_digit()) {
            return Err(format!(
                "the port is not a number, or the password is incomplete; {ENCODE}"
            ));
        }
        names.push(name.trim_start_matches('[').trim_end_matches(']'));
        ports.push(port);
    }
    set(words, "host", &names.join(","))?;
    if ports.iter().any(|port| !port.is_empty()) {
        set(words, "port", &ports.join(","))?;
    }
    Ok(())
}

/// Enters a percent-encoded value; empty ones are ignored.
fn set(words: &mut Words, name: &str, encoded: &str) -> Result<(), String> {
    let value = decoded(encoded)?;
    if !value.is_empty() {
        words.insert(name.to_owned(), value);
    }
    Ok(())
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    match decoded {
        Ok(text) if !text.contains('\0') => Ok(text.into_owned()),
        _ => Err(format!("a percent-encoded value is not a text; {ENCODE}")),
    }
}

/// `name = value …`; values with spaces are quoted by `'`, and `\` escapes the next character.
fn pairs(text: &str) -> Result<Words, String> {
    let mut words = Words::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest
            .split_once('=')
            .ok_or("a word has no `=`; quote values with spaces (')")?;
        let (value, after) = value(after.trim_start())?;
        words.insert(name.trim().to_owned(), value);
        rest = after.trim_start();
    }
    Ok(words)
}

fn value(text: &str) -> Result<(String, &str), String> {
    let quoted = text.starts_with('\'');
    let mut characters = text.char_indices().skip(usize::from(quoted));
    let mut value = String::new();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, next)| next)),
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            _ if !quoted && character.is_whitespace() => return Ok((value, &text[at..])),
            _ => value.push(character),
        }
    }
    if quoted {
        Err("a quoted value has no closing quote (')".to_owned())
    } else {
        Ok((value, ""))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap().into_iter().collect()
    }

    fn words(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn urls_are_read_as_libpq_reads_them() {
        let all = "postgresql://me:pa%40ss@db.example.org:5433/studies?sslmode=require&schema=lab";
        let expected = [
            ("dbname", "studies"),
            ("host", "db.example.org"),
            ("password", "pa@ss"),
            ("port", "5433"),
            ("schema", "lab"),
            ("sslmode", "require"),
            ("user", "me"),
        ];
        assert_eq!(read(all), words(&expected));
        assert_eq!(read("postgres://"), []);
        assert_eq!(
            read("postgres:///x?host=%2Ftmp"),
            words(&[("dbname", "x"), ("host", "/tmp")])
        );
        assert_eq!(
            read("postgres://[::1]:5,b/x"),
            words(&[("dbname", "x"), ("host", "::1,b"), ("port", "5,")])
        );
    }

    #[test]
    fn a_password_may_have_slashes_and_question_marks() {
        let expected = [
            ("dbname", "x"),
            ("host", "host"),
            ("password", "a/b?c:d"),
            ("user", "u"),
        ];
        assert_eq!(read("postgres://u:a/b?c:d@host/x"), words(&expected));
    }

    #[test]
    fn words_are_read_as_libpq_reads_them() {
        let expected = [("dbname", "a b'c"), ("host", "h"), ("password", "x=y")];
        assert_eq!(
            read(r"host=h password = x=y dbname = 'a b\'c'"),
            words(&expected)
        );
    }

    #[test]
    fn errors_do_not_repeat_unreadable_text() {
        for text in [
            "postgres://u:hunter2",
            "postgres://u:hunter2/x",
            "postgres://u:a@hunter2@host/x",
            "postgres://u:a@hunter2/c@host/x",
            "postgres://u:%ffhunter2@host/x",
            "postgres://u@host/x?hunter2",
            "postgres://u@host/x?hunter2=1",
            "password='hunter2",
            "password=a hunter2",
            "password=a hunter2=3",
            "postgres:hunter2",
        ] {
            assert!(is_conninfo(text), "{text}");
            let error = parse(text).unwrap_err();
            assert!(!error.contains("hunter2"), "{text}: {error}");
        }
    }

    #[test]
    fn paths_are_not_connection_strings() {
        assert!(
            [
                "runs.db",
                "./password=x.db",
                "a=b.db",
                "sqlite://host=x",
                "/tmp/user=1"
            ]
            .iter()
            .all(|text| !is_conninfo(text))
        );
        assert!(
            ["host=x dbname=y", "password=z", " dbname = x"]
                .iter()
                .all(|text| is_conninfo(text))
        );
    }
}
