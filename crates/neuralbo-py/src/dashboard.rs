//! The dashboard: a server on a thread of its own.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use neuralbo::store::Store;
use neuralbo_dashboard::{DashboardError, Server, Settings};
use neuralbo_store::{Access, open_for};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors::{EngineError, EngineResult, detached, value_error};
use crate::lock;
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
    ) -> EngineResult<Self> {
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
                        None => (Arc::clone(kept.store()), Some(Arc::clone(kept.store()))),
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
            Ok::<_, EngineError>(Server::start(store, editing, settings)?)
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
        self.process == std::process::id() && lock(&self.server).is_some()
    }

    /// Ends it; nothing happens if it has ended.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.end())
    }
}

impl Dashboard {
    fn end(&self) {
        match lock(&self.server).take() {
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

fn stores(url: &str, allow_edit: bool) -> EngineResult<Stores> {
    let editing = allow_edit.then(|| open_for(url, Access::Write));
    Ok((open_for(url, Access::Watch)?, editing.transpose()?))
}

/// A study as one page.
#[pyfunction]
pub fn report(py: Python<'_>, study: &PyStudy) -> EngineResult<String> {
    let (store, name) = study.shared.held(py, |kept| {
        let name = kept.study.record().name.clone();
        Ok((Arc::clone(kept.store()), name))
    })?;
    Ok(detached(py, || neuralbo_dashboard::report(store, &name))??)
}

impl From<DashboardError> for EngineError {
    fn from(error: DashboardError) -> Self {
        let text = error.to_string();
        match error {
            DashboardError::Store(error) => error.into(),
            DashboardError::Setting { .. } => value_error(text).into(),
            DashboardError::Listen { .. } => PyOSError::new_err(text).into(),
            _ => PyRuntimeError::new_err(text).into(),
        }
    }
}
