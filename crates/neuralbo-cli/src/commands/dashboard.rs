//! `neuralbo dashboard`.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};

use clap::Args;
use neuralbo_dashboard::{DEFAULT_PORT, DashboardError, Server, Settings};
use neuralbo_store::{Access, Secret};

use crate::output::{CommandError, EXIT_OK, OrCommandError, print, say};
use crate::platform::{Platform, System};
use crate::run::args::{DEFAULT_STORAGE, STORAGE_VARIABLE, StorageArgs};

const EXAMPLES: &str = "\
Examples:
  neuralbo dashboard --open
  neuralbo dashboard postgres://me@db.example.org/studies --port 9000
  neuralbo dashboard --host 0.0.0.0 --host-name studies.example.org --token \"$TOKEN\"

Pages are shown to this machine only, unless --host says otherwise; then everybody who looks needs the token. Studies are read
through connections that cannot write. With --allow-edit, holders of the token may enqueue
trials, change limits, notes and attributes, and rename or delete studies.";

/// Show the studies of a storage in a browser.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DashboardCommand {
    /// Storage: sqlite:///PATH, postgres://…, host=… dbname=… or the path of an SQLite file
    #[arg(value_name = "STORAGE", env = STORAGE_VARIABLE, default_value = DEFAULT_STORAGE, hide_env_values = true)]
    storage: Secret,
    /// The port to listen on; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PORT)]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// A host name of the server for browsers, such as that of a proxy; may be repeated
    #[arg(long = "host-name", value_name = "NAME")]
    host_names: Vec<String>,
    /// The token that visitors need [default: none for this machine, a random one otherwise]
    #[arg(
        long,
        value_name = "TOKEN",
        env = "NEURALBO_DASHBOARD_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    /// Allow visitors with the token to change studies
    #[arg(long)]
    allow_edit: bool,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
}

impl DashboardCommand {
    /// Serves until it is interrupted.
    pub fn execute(self) -> Result<u8, CommandError> {
        let settings = Settings {
            address: SocketAddr::new(self.host, self.port),
            host_names: self.host_names,
            token: self.token,
            allow_edit: self.allow_edit,
            frame_ancestors: Vec::new(),
        };
        let storage = StorageArgs {
            storage: self.storage,
        };
        let store = storage.open(Access::Watch)?;
        let editing = if settings.allow_edit {
            Some(storage.open(Access::Write)?)
        } else {
            None
        };
        let mut interruptions = System::interruptions().or_failure("signals")?;
        let of = store.url().to_owned();
        let server = Server::start(store, editing, settings)?;
        print(&format!("{}\n", server.url()))?;
        say(&format!("the studies of {of}; Ctrl-C ends it"));
        if let Some(token) = server.token().filter(|_| self.allow_edit) {
            say(&format!("token for changing studies: {token}"));
        }
        if self.open {
            open(server.url());
        }
        interruptions.next();
        server.stop();
        Ok(EXIT_OK)
    }
}

/// Asks the desktop for a browser; without one the address is there to be copied.
fn open(url: &str) {
    let (program, before) = System::BROWSER;
    let started = Command::new(program)
        .args(before)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        say(&format!(
            "--open: cannot start `{program}`: {error}; open the address yourself"
        ));
    }
}

impl From<DashboardError> for CommandError {
    fn from(error: DashboardError) -> Self {
        match error {
            DashboardError::Setting { field, .. } => {
                let option = if field == "host name" {
                    "--host-name"
                } else {
                    "--token"
                };
                Self::usage(option, error)
            }
            DashboardError::Listen {
                error: ref reason, ..
            } if reason.kind() == ErrorKind::AddrInUse => {
                Self::Failure(format!("{error}; --port 0 uses a free port"))
            }
            DashboardError::Store(error) => error.into(),
            error => Self::Failure(error.to_string()),
        }
    }
}
