//! Addresses of storages may contain passwords, which are never shown.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::sql::{conninfo_without_password, is_conninfo};

/// What is shown in place of a password.
const HIDDEN: &str = "***";

/// A text that may contain a password, such as the address of a storage. It is shown with `***` in
/// its place; only [`Secret::reveal`] has all of it.
///
/// ```
/// use neuralbo_store::Secret;
///
/// let storage = Secret::from("postgres://me:hunter2@db/studies");
/// assert_eq!(format!("{storage} {storage:?}"), "postgres://me:***@db/studies postgres://me:***@db/studies");
/// assert_eq!(storage.without_password(), "dbname='studies' host='db' user='me'");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text with its password, to connect with.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The same address without the password, to be written down. Who connects to it needs
    /// `PGPASSWORD`, `~/.pgpass` or a service, as with every address without one.
    pub fn without_password(&self) -> String {
        match is_conninfo(&self.0) {
            true => conninfo_without_password(&self.0).unwrap_or_else(|_| self.to_string()),
            // Files have no password.
            false => self.0.clone(),
        }
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromStr for Secret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&without_passwords(&self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A text with `***` in place of the passwords of URLs and connection strings in it. In doubt, more
/// is hidden.
///
/// ```
/// use neuralbo_store::without_passwords;
///
/// assert_eq!(without_passwords("no file `postgres://me:a/b@db/x`"), "no file `postgres://me:***@db/x`");
/// assert_eq!(without_passwords("host=db password = 'a b' user=me"), "host=db password = *** user=me");
/// ```
pub fn without_passwords(text: &str) -> String {
    text.split_inclusive('\n').map(line_without).collect()
}

fn line_without(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((start, end)) = next_password(rest) {
        shown += &rest[..start];
        shown += HIDDEN;
        rest = &rest[end..];
    }
    shown + rest
}

/// Where the first password of a line begins and ends.
fn next_password(line: &str) -> Option<(usize, usize)> {
    let of_url = line.match_indices(':').find_map(|(at, _)| in_url(line, at));
    let of_word = line
        .match_indices('=')
        .find_map(|(at, _)| in_word(line, at));
    of_url.into_iter().chain(of_word).min()
}

/// The password of a URL whose scheme ends at a colon.
fn in_url(line: &str, colon: usize) -> Option<(usize, usize)> {
    let scheme = line[..colon]
        .rsplit(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let ours = scheme == "postgres" || scheme == "postgresql";
    let after = &line[colon + 1..];
    if scheme.is_empty() || !(ours || after.starts_with("//")) {
        return None;
    }
    let user = colon + 1 + after.len() - after.trim_start_matches('/').len();
    let url = &line[user..];
    let word = url.find(ends_word).unwrap_or(url.len());
    // Our own passwords may contain anything: the last `@` of the line ends them.
    let at = url[..if ours { url.len() } else { word }].rfind('@');
    let (begin, end) = match at {
        Some(at) => (url[..at].find(':')?, at),
        None if ours => (not_a_port(&url[..word])?, word),
        None => return None,
    };
    let hidden = &url[begin + 1..end];
    (!hidden.is_empty() && hidden != HIDDEN).then_some((user + begin + 1, user + end))
}

/// The colon of an incomplete URL after which there is no port: the start of a password, perhaps.
fn not_a_port(url: &str) -> Option<usize> {
    let skipped = url.find(']').map_or(0, |bracket| bracket + 1);
    let hosts = &url[skipped..];
    let hosts = &hosts[..hosts.find(['/', '?']).unwrap_or(hosts.len())];
    hosts
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| {
            let port = hosts[at + 1..].split([',', ':']).next().unwrap_or_default();
            !port.chars().all(|c| c.is_ascii_digit())
        })
        .map(|at| skipped + at)
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`')
}

/// The value of `password = value`, whose equals sign is here.
fn in_word(line: &str, equals: usize) -> Option<(usize, usize)> {
    let name = line[..equals].trim_end().to_ascii_lowercase();
    if !name.ends_with("password") {
        return None;
    }
    let after = &line[equals + 1..];
    let value = after.trim_start();
    let start = line.len() - value.len();
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let mut escaped = false;
    let ends = |(at, c): &(usize, char)| {
        let plain = !escaped;
        escaped = plain && *c == '\\';
        let closes = quote.map_or(c.is_whitespace(), |quote| *c == quote && *at > 0);
        plain && closes
    };
    let end = value.char_indices().find(ends);
    let end = end.map_or(value.len(), |(at, _)| at + usize::from(quote.is_some()));
    (end > 0 && !value[..end].starts_with(HIDDEN)).then_some((start, start + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_wherever_they_stand() {
        for text in [
            "cannot read `postgres://me:hunter2@db/x`: not found",
            "postgres://me:hun@ter2/hunter2@db/x:study",
            "postgresql://me:hunter2 ha@db/x?password=hunter2&user=a",
            "postgres://me:hunter2",
            "postgres:me:hunter2@db",
            "POSTGRES://[::1]:hunter2/x",
            "mysql://me:hunter2@db and mysql://you:hunter2@db",
            "1 | storage = \"postgres://me:hunter2@db/x\n  |   ^ `password=hunter2`",
            "host=h PASSWORD = 'hunter2 \\' hunter2' user=me",
            "password=a\\ hunter2",
            "password=*** password=hunter2",
        ] {
            let shown = without_passwords(text);
            assert!(
                shown.contains(HIDDEN) && !shown.contains("hunter2"),
                "{shown}"
            );
            assert_eq!(without_passwords(&shown), shown, "and nothing else is");
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "http://127.0.0.1:8080/#token",
            "postgres://me@db:5432,db2:5433/x: server is away",
            "postgres://[::1]:5432/x",
            "x = float(0, 1), path a:b, me@example.org",
            "sqlite:///a b/c.db",
            "password=",
            "",
        ] {
            assert_eq!(without_passwords(text), text);
        }
    }

    #[test]
    fn addresses_are_written_down_without_their_password() {
        let written = |text: &str| Secret::from(text).without_password();
        let server = "postgres://me:hunter2@db:5433/x?sslmode=require&schema=lab";
        let words = "dbname='x' host='db' port='5433' schema='lab' sslmode='require' user='me'";
        assert_eq!(written(server), words);
        assert_eq!(written(words), words);
        assert_eq!(written("studies.db"), "studies.db");
    }
}
