//! A build without the feature `postgres`: servers are known by their addresses and refused. It stands in for the module `postgres`.

use neuralbo::store::StoreError;

use super::driver::{Access, Driver, Work};

pub(crate) use super::conninfo::is_conninfo;

pub(crate) struct ProcessEnvironment;

pub(crate) struct ServerSettings {
    pub(crate) shown: String,
    pub(crate) has_password: bool,
}

impl ServerSettings {
    pub(crate) fn read(_: &str, _: &ProcessEnvironment) -> Result<Self, String> {
        Err("this program was built without PostgreSQL (the feature `postgres`)".to_owned())
    }
}

/// Cannot be made.
pub(crate) enum PostgresDriver {}

impl PostgresDriver {
    pub(crate) fn open(settings: ServerSettings, _: Access) -> Result<Self, StoreError> {
        Err(StoreError::BadUrl {
            url: settings.shown,
            reason: "this program was built without PostgreSQL".to_owned(),
        })
    }
}

impl Driver for PostgresDriver {
    fn write(&mut self, _: Work<'_>) -> Result<(), StoreError> {
        match *self {}
    }

    fn read(&mut self, _: Work<'_>) -> Result<(), StoreError> {
        match *self {}
    }
}
