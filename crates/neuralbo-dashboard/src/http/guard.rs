//! Access: host names, origins, the token.

use std::net::IpAddr;
use std::time::Duration;

use hyper::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode};
use subtle::ConstantTimeEq;
use tokio::sync::{Mutex, Semaphore};

use crate::reply::ApiError;
use crate::settings::Settings;

/// The delay of the reply to a wrong token; such replies are sent one after the other.
const PAUSE: Duration = Duration::from_millis(250);
/// Wrong tokens that may wait at a time; more are refused at once.
const WAITING: usize = 16;
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks requests before anything else happens.
pub(super) struct Guard {
    names: Vec<String>,
    loopback: bool,
    token: Option<String>,
    guarded: bool,
    editable: bool,
    /// The cookie of a browser that knew the token: it may read, not act.
    session: String,
    cookie: String,
    wrong: Mutex<()>,
    waiting: Semaphore,
}

impl Guard {
    pub(super) fn new(settings: &Settings, token: Option<String>, session: String) -> Self {
        let names = settings
            .host_names
            .iter()
            .map(|name| name.to_ascii_lowercase())
            .chain(["localhost".to_owned()])
            .collect();
        Self {
            names,
            loopback: settings.address.ip().is_loopback(),
            token,
            guarded: settings.is_guarded(),
            editable: settings.allow_edit,
            session,
            cookie: format!("neuralbo-{}", settings.address.port()),
            wrong: Mutex::new(()),
            waiting: Semaphore::new(WAITING),
        }
    }

    /// The checks without a token: the host name and the origin.
    pub(super) fn admit(&self, method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(host) = text(headers, &HOST) else {
            return Err(ApiError::bad("the request has no single Host"));
        };
        if !self.is_ours(host) {
            return Err(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this host name is not ours; --host-name NAME allows others",
            ));
        }
        if !headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let origin = text(headers, &ORIGIN)
            .and_then(|origin| origin.split_once("://"))
            .map(|(_, host)| host);
        if !matches!(*method, Method::GET | Method::HEAD) && origin != Some(host) {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "actions are taken from our own page only",
            ));
        }
        Ok(())
    }

    /// Other sites cannot read replies, not even whether they exist.
    pub(super) fn admit_api(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        match text(headers, &FETCH_SITE) {
            Some("cross-site" | "same-site") => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "only our own page may ask",
            )),
            _ => Ok(()),
        }
    }

    /// IP addresses cannot be rebound; of names only the configured ones are accepted.
    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        let number = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(&name);
        match number.parse::<IpAddr>() {
            Ok(number) => !self.loopback || number.is_loopback(),
            Err(_) => self.names.contains(&name),
        }
    }

    /// Whether the request may read; the reply to a wrong token is delayed.
    pub(super) async fn may_look(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        if !self.guarded || self.has_session(headers) {
            return Ok(());
        }
        self.has_token(bearer(headers)).await
    }

    /// Whether the request may act: the token itself is needed in every request.
    pub(super) async fn may_act(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        if !self.editable {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "this dashboard only shows; start it with --allow-edit to act",
            ));
        }
        if text(headers, &CONTENT_TYPE)
            .is_none_or(|kind| kind.split(';').next() != Some("application/json"))
        {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be application/json",
            ));
        }
        self.has_token(bearer(headers)).await
    }

    /// Compares a token in constant time.
    pub(super) async fn has_token(&self, given: Option<&str>) -> Result<(), ApiError> {
        let Some(given) = given else {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "the token is missing",
            ));
        };
        let matches = self
            .token
            .as_ref()
            .is_some_and(|token| token.as_bytes().ct_eq(given.as_bytes()).into());
        if matches {
            return Ok(());
        }
        let Ok(_place) = self.waiting.try_acquire() else {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many wrong tokens",
            ));
        };
        let _turn = self.wrong.lock().await;
        tokio::time::sleep(PAUSE).await;
        Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "the token is wrong",
        ))
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        let cookies = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|all| all.split(';'));
        let mut ours = cookies
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie);
        ours.any(|(_, value)| value.as_bytes().ct_eq(self.session.as_bytes()).into())
    }

    /// The cookie for a browser that knew the token.
    pub(super) fn set_cookie(&self) -> String {
        format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie, self.session
        )
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, &AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// The value of a header that occurs once.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values
        .next()
        .filter(|_| values.next().is_none())?
        .to_str()
        .ok()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if !name.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            if name.contains(':') && !name.ends_with(']') {
                host
            } else {
                name
            }
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_ours_by_number_or_by_a_name_we_were_told() {
        let settings = Settings {
            host_names: vec!["Studies.example.org".into()],
            ..Settings::default()
        };
        let guard = Guard::new(&settings, None, String::new());
        for ours in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:9",
            "127.9.9.9",
            "[::1]:8080",
            "::1",
            "studies.example.org:80",
        ] {
            assert!(guard.is_ours(ours), "{ours}");
        }
        for foreign in [
            "",
            ":",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::1",
            "localhost:x",
        ] {
            assert!(!guard.is_ours(foreign), "{foreign}");
        }
    }
}
