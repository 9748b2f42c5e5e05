//! The thread that listens.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener as AsyncListener;
use tokio::sync::{Semaphore, watch};

use super::connection::Desk;
use super::guard::Guard;
use super::patient::Patient;
use super::streams::Streams;
use crate::api::App;
use crate::error::DashboardError;
use crate::settings::Settings;

/// Connections at a time; more wait to be accepted.
const CONNECTIONS: usize = 512;
/// How long the head of a request may take, and a connection may idle.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// Largest head of a request.
const LARGEST_HEAD: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;
/// Threads that read storages and write answers.
const WORKERS: usize = 8;
/// How long answers under way may take when the server is stopped.
const FAREWELL: Duration = Duration::from_millis(500);

/// A dashboard that answers on a thread of its own until it is stopped or dropped.
///
/// ```
/// use neuralbo_dashboard::{Server, Settings};
///
/// let store = neuralbo_store::open("memory://")?;
/// let server = Server::start(store, None, Settings { address: ([127, 0, 0, 1], 0).into(), ..Settings::default() })?;
/// assert!(server.url().starts_with("http://127.0.0.1:"));
/// server.stop();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    address: SocketAddr,
    url: String,
    token: Option<String>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens, and answers from what `store` has. `editing` is a store that may write, for [`Settings::allow_edit`].
    pub fn start(
        store: Arc<dyn neuralbo::store::Store>,
        editing: Option<Arc<dyn neuralbo::store::Store>>,
        mut settings: Settings,
    ) -> Result<Self, DashboardError> {
        settings.check()?;
        let listener =
            TcpListener::bind(settings.address).map_err(|error| listen(settings.address, error))?;
        listener.set_nonblocking(true)?;
        settings.address = listener.local_addr()?;
        let needed = settings.is_guarded() || settings.allow_edit;
        let token = if needed {
            Some(settings.token.clone().map_or_else(secret, Ok)?)
        } else {
            None
        };
        let guard = Guard::new(&settings, token.clone(), secret()?);
        let editing = editing.filter(|_| settings.allow_edit);
        let app = Arc::new(App::new(store, editing));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(WORKERS)
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let desk = Arc::new(Desk::new(
            Arc::clone(&app),
            guard,
            Streams::new(app),
            &settings,
        ));
        let work = move || {
            runtime.block_on(accept(listener, desk, stopped));
            runtime.shutdown_timeout(FAREWELL);
        };
        let thread = std::thread::Builder::new()
            .name("dashboard".to_owned())
            .spawn(work)?;
        let shown_token = token.as_ref().filter(|_| settings.is_guarded());
        let url = url(settings.address, shown_token.map(String::as_str));
        Ok(Self {
            address: settings.address,
            url,
            token,
            stop,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser; with the token where looking needs it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What must be known to look from elsewhere, or to act; `None` where nothing needs one.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Ends it; returns when nobody is answered any more.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended as well.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn listen(address: SocketAddr, error: std::io::Error) -> DashboardError {
    DashboardError::Listen { address, error }
}

fn url(address: SocketAddr, token: Option<&str>) -> String {
    let host = if address.ip().is_unspecified() {
        format!("127.0.0.1:{}", address.port())
    } else {
        address.to_string()
    };
    token.map_or_else(
        || format!("http://{host}/"),
        |token| format!("http://{host}/?token={token}"),
    )
}

/// 192 random bits as text.
fn secret() -> Result<String, DashboardError> {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes).map_err(std::io::Error::from)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn accept(listener: TcpListener, desk: Arc<Desk>, mut stopped: watch::Receiver<bool>) {
    let Ok(listener) = AsyncListener::from_std(listener) else {
        return;
    };
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { return };
        let stream = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, or a peer that is gone already: others wait meanwhile.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let desk = Arc::clone(&desk);
        tokio::spawn(async move {
            let _place = place;
            let service = service_fn(move |request| {
                let desk = Arc::clone(&desk);
                async move { desk.answer(request).await }
            });
            let mut server = http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_PATIENCE)
                .max_buf_size(LARGEST_HEAD)
                .max_headers(MOST_HEADERS);
            // A connection that ends badly is the peer's affair.
            let _ = server
                .serve_connection(TokioIo::new(Patient::new(stream)), service)
                .await;
        });
    }
}
