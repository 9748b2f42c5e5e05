//! Questions that cannot be answered.

use hyper::StatusCode;
use neuralbo::store::StoreError;
use neuralbo::study::StudyError;

use crate::http::Reply;

/// Why a question has no answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

impl Problem {
    /// The question itself is wrong.
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            text: text.into(),
        }
    }

    /// What was asked for is unknown.
    pub(crate) fn unknown(text: impl Into<String>) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            text: text.into(),
        }
    }

    pub(crate) fn nothing_here() -> Self {
        Self::unknown("there is nothing here")
    }

    pub(crate) fn reply(self) -> Reply {
        Reply::error(self.status, &self.text)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::UnknownStudy { .. } | StoreError::UnknownTrial { .. } => {
                StatusCode::NOT_FOUND
            }
            StoreError::BadTrial { .. } => StatusCode::BAD_REQUEST,
            error if error.is_outage() => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self {
            status,
            text: error.to_string(),
        }
    }
}

impl From<StudyError> for Problem {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Store(error) => error.into(),
            error => Self {
                status: StatusCode::CONFLICT,
                text: error.to_string(),
            },
        }
    }
}
