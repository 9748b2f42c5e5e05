//! A build without the feature `postgres`: servers are known by their addresses and refused. It stands in for the module `postgres`.

use neuralbo::store::StoreError;

use super::driver::{Access, Driver, Stored, Work};

pub(crate) struct NoEnvironment;

pub(crate) struct RefusedServer {
    pub(crate) shown: String,
    pub(crate) has_password: bool,
}

impl RefusedServer {
    pub(crate) fn read(_: &str, _: &NoEnvironment) -> Result<Self, String> {
        Err("this program was built without PostgreSQL (the feature `postgres`)".to_owned())
    }
}

/// Cannot be made.
pub(crate) enum NoPostgres {}

impl NoPostgres {
    pub(crate) fn open(settings: RefusedServer, _: Access) -> Stored<Self> {
        Err(StoreError::BadUrl {
            url: settings.shown,
            reason: "this program was built without PostgreSQL".to_owned(),
        })
    }
}

impl Driver for NoPostgres {
    fn write(&mut self, _: Work<'_>) -> Stored<()> {
        match *self {}
    }

    fn read(&mut self, _: Work<'_>) -> Stored<()> {
        match *self {}
    }
}
