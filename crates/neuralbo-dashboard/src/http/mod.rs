//! The web server: connections, access, responses. It knows `api`; `api` does not know it.

mod body;
mod connection;
mod encoding;
mod guard;
mod server;
mod streams;
mod write_timeout;

pub use server::Server;
