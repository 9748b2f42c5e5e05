//! gzip, where the other side takes it and it pays.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::body::Bytes;
use hyper::header::ACCEPT_ENCODING;

/// Smaller answers fit into one packet anyway.
const WORTH: usize = 1200;

/// Whether a request takes gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let lists = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|entry| {
        let (name, quality) = entry.split_once(';').unwrap_or((entry, ""));
        name.trim() == "gzip" && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// The bytes made smaller, if they become so.
pub(super) fn gzipped(bytes: &Bytes) -> Option<Bytes> {
    if bytes.len() < WORTH {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), Compression::fast());
    encoder.write_all(bytes).ok()?;
    let small = encoder.finish().ok()?;
    (small.len() < bytes.len()).then(|| small.into())
}
