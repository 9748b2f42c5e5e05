//! The dashboard: a server on a thread of its own.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use neuralbo::store::Store;
use neuralbo_dashboard::{DashboardError, Server, Settings};
use neuralbo_store::Access;
use pyo3::prelude::*;

use crate::errors::{detached, store_error, value_error};
use crate::storage::open_for;
use crate::study::PyStudy;

/// Notebooks on this machine may show it in a frame.
const NOTEBOOKS: [&str; 4] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "https://localhost:*",
    "vscode-webview:",
];

/// A running dashboard.
#[pyclass(frozen, module = "neuralbo._engine")]
pub struct Dashboard {
    server: Mutex<Option<Server>>,
    url: String,
    token: Option<String>,
    process: u32,
}

#[pymethods]
impl Dashboard {
    /// Shows a storage, or without `url` what a study in memory is kept in.
    #[new]
    fn new(
        py: Python<'_>,
        url: Option<String>,
        study: Option<&PyStudy>,
        host: &str,
        port: u16,
        token: Option<String>,
        allow_edit: bool,
    ) -> PyResult<Self> {
        let host: IpAddr = host.parse().map_err(|_| {
            value_error(format!(
                "host must be an address such as 127.0.0.1, found {host:?}"
            ))
        })?;
        let shared = study.map(|study| Arc::clone(&study.shared));
        let server = detached(py, || {
            let (store, editing) = match (url, shared) {
                (None, Some(shared)) => {
                    let kept = shared.lock()?;
                    match &kept.url {
                        Some(url) => stores(url.reveal(), allow_edit)?,
                        None => (
                            Arc::clone(kept.study.store()),
                            Some(Arc::clone(kept.study.store())),
                        ),
                    }
                }
                (url, _) => stores(&url.unwrap_or_default(), allow_edit)?,
            };
            let settings = Settings {
                address: SocketAddr::new(host, port),
                token,
                allow_edit,
                frame_ancestors: NOTEBOOKS.map(str::to_owned).to_vec(),
                ..Settings::default()
            };
            Server::start(store, editing, settings).map_err(dashboard_error)
        })??;
        let (url, token) = (server.url().to_owned(), server.token().map(str::to_owned));
        Ok(Self {
            server: Mutex::new(Some(server)),
            url,
            token,
            process: std::process::id(),
        })
    }

    /// What to open in a browser.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    /// What must be known to act, or to look from elsewhere.
    #[getter]
    fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether it answers.
    #[getter]
    fn running(&self) -> bool {
        self.process == std::process::id()
            && self
                .server
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_some()
    }

    /// Ends it; nothing happens if it has ended.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.end())
    }
}

impl Dashboard {
    fn end(&self) {
        let server = self
            .server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match server {
            // The thread belongs to the process that made it; a fork has none to wait for.
            Some(server) if self.process != std::process::id() => std::mem::forget(server),
            Some(server) => server.stop(),
            None => {}
        }
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.end();
    }
}

type Stores = (Arc<dyn Store>, Option<Arc<dyn Store>>);

fn stores(url: &str, allow_edit: bool) -> PyResult<Stores> {
    let editing = if allow_edit {
        Some(open_for(url, Access::Write)?)
    } else {
        None
    };
    Ok((open_for(url, Access::Watch)?, editing))
}

/// A study as one page.
#[pyfunction]
pub fn report(py: Python<'_>, study: &PyStudy) -> PyResult<String> {
    let shared = Arc::clone(&study.shared);
    detached(py, || {
        let kept = shared.lock()?;
        let (store, name) = (
            Arc::clone(kept.study.store()),
            kept.study.record().name.clone(),
        );
        drop(kept);
        neuralbo_dashboard::report(store, &name).map_err(dashboard_error)
    })?
}

fn dashboard_error(error: DashboardError) -> PyErr {
    match error {
        DashboardError::Store(error) => store_error(error),
        DashboardError::Setting { .. } => value_error(error),
        DashboardError::Listen { error, address } => {
            pyo3::exceptions::PyOSError::new_err(format!("cannot listen on {address}: {error}"))
        }
        error => pyo3::exceptions::PyRuntimeError::new_err(error.to_string()),
    }
}
