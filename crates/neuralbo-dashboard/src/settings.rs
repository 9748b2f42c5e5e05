//! Settings of a dashboard: address, access, actions.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::error::DashboardError;

/// The port that is listened on where none is named.
pub const DEFAULT_PORT: u16 = 8080;
/// A token that people choose must not be guessed before they notice.
const SHORTEST_TOKEN: usize = 16;
const LONGEST_TOKEN: usize = 200;

/// Settings of a dashboard: address, access, actions.
///
/// ```
/// use neuralbo_dashboard::Settings;
///
/// assert!(Settings::default().check().is_ok());
/// let short = Settings { token: Some("secret".into()), ..Settings::default() };
/// assert!(short.check().unwrap_err().to_string().contains("16"));
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 takes any that is free.
    pub address: SocketAddr,
    /// Further host names, such as those of a proxy.
    pub host_names: Vec<String>,
    /// The token for reading; generated if needed and not given.
    pub token: Option<String>,
    /// Whether requests with the token may change studies.
    pub allow_edit: bool,
    /// Pages that may embed it in a frame, as CSP sources, besides its own.
    pub frame_ancestors: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT),
            host_names: Vec::new(),
            token: None,
            allow_edit: false,
            frame_ancestors: Vec::new(),
        }
    }
}

impl Settings {
    /// Whether reading needs the token: always from other machines, from this one if a token is set.
    pub fn is_guarded(&self) -> bool {
        !self.address.ip().is_loopback() || self.token.is_some()
    }

    /// The error names the setting, its value and what is allowed.
    pub fn check(&self) -> Result<(), DashboardError> {
        let wrong = |field, value: &str, allowed| {
            Err(DashboardError::Setting {
                field,
                value: value.to_owned(),
                allowed,
            })
        };
        let plain = |text: &str| {
            text.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c))
        };
        if let Some(token) = &self.token
            && !((SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&token.len()) && plain(token))
        {
            // The token itself is not repeated: errors end up in logs.
            return wrong(
                "token",
                "…",
                "it must have 16 to 200 letters, digits, `-`, `.`, `_` or `~`",
            );
        }
        if let Some(name) = self
            .host_names
            .iter()
            .find(|name| name.is_empty() || !plain(name))
        {
            return wrong(
                "host name",
                name,
                "it must be a name without a port, as `studies.example.org`",
            );
        }
        let source = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_graphic() && c != ';' && c != ',')
        };
        if let Some(page) = self.frame_ancestors.iter().find(|page| !source(page)) {
            return wrong(
                "frame ancestor",
                page,
                "it must be a source as `http://localhost:*`",
            );
        }
        Ok(())
    }
}
