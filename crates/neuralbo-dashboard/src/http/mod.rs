//! The web server: connections, who may ask, what is sent.

mod body;
mod connection;
mod encoding;
mod guard;
mod patient;
mod query;
mod reply;
mod server;
mod streams;

pub(crate) use query::Query;
pub(crate) use reply::Reply;
pub use server::Server;
