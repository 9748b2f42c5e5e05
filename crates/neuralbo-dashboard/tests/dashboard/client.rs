//! A browser of few words.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An answer as it came.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .into_iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// Connects with a limit on every wait.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    stream
        .set_write_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    stream
}

/// Sends bytes as they are and reads all that comes back.
pub fn raw(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = connect(address);
    // A server that refuses a request may close before all of it is sent.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or(bytes.len().saturating_sub(4));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0);
    let body = bytes.get(end + 4..).unwrap_or_default().to_vec();
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        status,
        head,
        body: if chunked { unchunked(&body) } else { body },
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        found.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    found
}

/// A request with further lines in its head.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    lines: &[(&str, &str)],
    body: &str,
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !lines
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        head += &format!("Host: {address}\r\n");
    }
    lines
        .iter()
        .for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    if method == "POST" {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    raw(address, format!("{head}\r\n{body}").as_bytes())
}

/// The answer to a question.
pub fn get(address: SocketAddr, path: &str) -> Answer {
    request(address, "GET", path, &[], "")
}

/// The JSON of an answer that must be there.
pub fn ask(address: SocketAddr, path: &str) -> Value {
    let answer = get(address, path);
    assert_eq!(
        answer.status,
        200,
        "{path}: {}",
        String::from_utf8_lossy(&answer.body)
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{path}"
    );
    answer.json()
}
