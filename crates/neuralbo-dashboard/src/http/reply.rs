//! An answer before it is sent.

use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use tokio::sync::mpsc::Sender;

use super::body::Content;

/// Writes pieces of an answer, waiting while its reader is slow; `false` ends it because the reader is gone.
pub(crate) type Chunks = Box<dyn FnOnce(&mut dyn FnMut(Vec<u8>) -> bool) + Send>;

/// An answer.
pub(crate) enum Reply {
    /// All of it.
    Whole {
        status: StatusCode,
        content_type: &'static str,
        bytes: Bytes,
    },
    /// A file that is written while it is sent.
    Download {
        name: String,
        content_type: &'static str,
        chunks: Chunks,
    },
}

#[derive(Serialize)]
struct Problem<'a> {
    error: &'a str,
}

impl Reply {
    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::Whole {
                status: StatusCode::OK,
                content_type: "application/json",
                bytes: bytes.into(),
            },
            Err(error) => Self::error(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("the answer cannot be written: {error}"),
            ),
        }
    }

    /// How long it is, where that is known.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Whole { bytes, .. } => bytes.len(),
            Self::Download { .. } => 0,
        }
    }

    /// `{"error": text}`.
    pub(crate) fn error(status: StatusCode, text: &str) -> Self {
        // An object of one text can always be written.
        let bytes = serde_json::to_vec(&Problem { error: text }).unwrap_or_default();
        Self::Whole {
            status,
            content_type: "application/json",
            bytes: bytes.into(),
        }
    }
}

/// The head that all answers have.
pub(super) fn headed(
    status: StatusCode,
    content_type: &'static str,
    content: Content,
) -> Response<Content> {
    let mut response = Response::new(content);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), geolocation=(), microphone=()",
        ),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

/// Runs the writer of a download, one piece at a time into the channel.
pub(super) fn pour(chunks: Chunks, pieces: &Sender<Bytes>) {
    chunks(&mut |piece| pieces.blocking_send(piece.into()).is_ok());
}
