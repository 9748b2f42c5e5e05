//! What can go wrong with a store.

/// An error of a store.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The URL does not name a storage.
    #[error(
        "storage `{url}` is not allowed: {reason}; allowed: sqlite:///PATH, postgres://…, host=… dbname=…, memory:// or a path"
    )]
    BadUrl {
        /// What was given, without its password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The storage does not exist; reading does not create one.
    #[error(
        "storage `{url}` does not exist; `neuralbo run --study NAME` or `create_study` in Python creates one"
    )]
    Missing {
        /// The storage.
        url: String,
    },
    /// The file or database belongs to something else, or is damaged.
    #[error("storage `{url}` is not a neuralbo storage: {reason}")]
    Foreign {
        /// The storage.
        url: String,
        /// How that was seen.
        reason: String,
    },
    /// The storage was written by a newer neuralbo.
    #[error(
        "storage `{url}` has schema version {found}, this neuralbo reads up to version {supported}; use a newer neuralbo"
    )]
    Newer {
        /// The storage.
        url: String,
        /// Its version.
        found: i64,
        /// Ours.
        supported: i64,
    },
    /// A study's records were written by a newer neuralbo.
    #[error(
        "study `{study}` has record version {found}, this neuralbo reads up to version {supported}; use a newer neuralbo"
    )]
    NewerRecord {
        /// The study.
        study: String,
        /// Its version.
        found: i64,
        /// Ours.
        supported: i64,
    },
    /// Nothing can be written.
    #[error("storage `{url}` is read-only: {reason}")]
    ReadOnly {
        /// The storage.
        url: String,
        /// In the storage's words.
        reason: String,
    },
    /// The disk is full.
    #[error("storage `{url}` has no space left: {reason}; nothing was changed")]
    Full {
        /// The storage.
        url: String,
        /// In the storage's words.
        reason: String,
    },
    /// The storage could not be reached for as long as we tried.
    #[error("storage `{url}` cannot be reached: {reason}")]
    Unreachable {
        /// The storage.
        url: String,
        /// In the storage's words.
        reason: String,
    },
    /// Any other complaint of the database.
    #[error("storage `{url}`: {reason}")]
    Database {
        /// The storage.
        url: String,
        /// In the storage's words.
        reason: String,
    },
    /// A record does not hold what it should.
    #[error("record of {what} cannot be read: {reason}")]
    Record {
        /// Which record.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A study's name cannot be used.
    #[error(
        "study name `{name}` is not allowed: {reason}; allowed: 1 to 200 characters, none of them a control character"
    )]
    BadName {
        /// The name, shortened.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Somebody else changed the study's definition first.
    #[error(
        "the study was changed by another process: its definition has version {found}, expected version {expected}"
    )]
    Redefined {
        /// The version it has.
        found: u64,
        /// The version that was to be changed.
        expected: u64,
    },
    /// A definition is not one that a study can have.
    #[error("version {version} of the study's definition is not allowed: {reason}")]
    BadDefinition {
        /// Its version, from 1.
        version: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// Attributes are larger than allowed.
    #[error("attributes of {of} are not allowed: {reason}")]
    BadAttributes {
        /// The trial or the study, in words.
        of: String,
        /// The limit, and what was found.
        reason: String,
    },
    /// Trials from elsewhere cannot be taken as they are.
    #[error("trial {number} cannot be added: {reason}")]
    BadTrial {
        /// Its number where it comes from, or its place in what was given.
        number: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// No study has this name.
    #[error("study `{name}` is unknown{known}")]
    UnknownStudy {
        /// What was asked for.
        name: String,
        /// Which studies there are, in words.
        known: String,
    },
    /// A study of this name exists already.
    #[error("study `{name}` already exists")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No trial has this number.
    #[error("trial {number} is unknown")]
    UnknownTrial {
        /// The number.
        number: u64,
    },
    /// The trial was told another result before.
    #[error("trial {number} is already {state}; a result is told once")]
    AlreadyFinished {
        /// The trial.
        number: u64,
        /// `complete`, `failed` or `pruned`.
        state: &'static str,
    },
    /// The lease ended and another worker has the trial.
    #[error("trial {number} now belongs to another worker: attempt {attempt} lost its lease")]
    LeaseLost {
        /// The trial.
        number: u64,
        /// The attempt that came too late.
        attempt: u64,
    },
}

impl StoreError {
    /// Whether the same call may succeed later: the storage is away or full.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Full { .. })
    }

    /// Whether the caller has lost the trial: its lease was lost, or it has a result.
    pub fn is_too_late(&self) -> bool {
        matches!(self, Self::LeaseLost { .. } | Self::AlreadyFinished { .. })
    }
}
