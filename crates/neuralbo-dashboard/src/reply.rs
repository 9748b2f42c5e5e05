//! Replies of the API before they are sent, and the errors that become one.

use hyper::StatusCode;
use hyper::body::Bytes;
use neuralbo::store::StoreError;
use neuralbo::study::StudyError;
use serde::Serialize;
use serde_json::{Value as Json, json};

/// The next chunk of a download, `None` after the last. A slow reader costs no thread: chunks are
/// asked for when there is room.
pub(crate) type Chunks = Box<dyn FnMut() -> Option<Vec<u8>> + Send>;

/// What a request is answered with.
pub(crate) enum ApiReply {
    /// Complete content.
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

impl ApiReply {
    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::whole(StatusCode::OK, bytes),
            Err(error) => Self::error(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("cannot write the reply: {error}"),
            ),
        }
    }

    /// `{"error": text}`.
    pub(crate) fn error(status: StatusCode, text: &str) -> Self {
        Self::whole(status, json!({ "error": text }).to_string())
    }

    fn whole(status: StatusCode, json: impl Into<Bytes>) -> Self {
        Self::Whole {
            status,
            content_type: "application/json",
            bytes: json.into(),
        }
    }

    /// Number of bytes, if known.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Whole { bytes, .. } => bytes.len(),
            Self::Download { .. } => 0,
        }
    }
}

/// Why a request fails.
#[derive(Debug, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

pub(crate) type ApiResult = Result<ApiReply, ApiError>;

/// The answer to a question.
pub(crate) fn answered(value: Json) -> ApiResult {
    Ok(ApiReply::json(&value))
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { status, text }
    }

    /// The request is invalid.
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// The requested thing is unknown.
    pub(crate) fn unknown(text: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, text)
    }

    pub(crate) fn nothing_here() -> Self {
        Self::unknown("there is nothing here")
    }

    pub(crate) fn reply(self) -> ApiReply {
        ApiReply::error(self.status, &self.text)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::UnknownStudy { .. } | StoreError::UnknownTrial { .. } => {
                StatusCode::NOT_FOUND
            }
            StoreError::BadTrial { .. }
            | StoreError::BadAttributes { .. }
            | StoreError::BadName { .. } => StatusCode::BAD_REQUEST,
            StoreError::NameTaken { .. } => StatusCode::CONFLICT,
            error if error.is_outage() => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

impl From<StudyError> for ApiError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Store(error) => error.into(),
            error => Self::new(StatusCode::CONFLICT, error.to_string()),
        }
    }
}
