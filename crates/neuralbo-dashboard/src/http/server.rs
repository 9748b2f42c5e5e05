//! The listening thread.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener as AsyncListener;
use tokio::sync::{Semaphore, watch};

use super::connection::Service;
use super::guard::Guard;
use super::write_timeout::WriteTimeout;
use crate::api::App;
use crate::error::DashboardError;
use crate::settings::Settings;

/// Most concurrent connections; more wait to be accepted.
const CONNECTIONS: usize = 512;
/// Most of them for one client: others are still answered.
const CONNECTIONS_PER_CLIENT: usize = 384;
/// How long the header of a request may take, and a connection may idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest header of a request.
const LARGEST_HEADER: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;
/// Threads that read storages and write replies.
const WORKERS: usize = 8;
/// How long replies in progress may take when the server is stopped.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// A dashboard on its own thread, until it is stopped or dropped.
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
    /// Serves the studies of `store`. `editing` is a writable store for [`Settings::allow_edit`].
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
        let service = Arc::new(Service::new(app, guard, &settings));
        let work = move || {
            runtime.block_on(accept(listener, service, stopped));
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
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

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser, with the token if reading needs it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The token for reading from other machines and for actions; `None` if neither needs one.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Stops it; returns after the last response.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            // A panicked thread has ended as well.
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
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn accept(listener: TcpListener, service: Arc<Service>, mut stopped: watch::Receiver<bool>) {
    let Ok(listener) = AsyncListener::from_std(listener) else {
        return;
    };
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut clients: HashMap<IpAddr, Arc<Semaphore>> = HashMap::new();
    loop {
        let place = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { return };
        let (stream, peer) = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Too many open files, or the peer is already gone.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        clients.retain(|_, share| share.available_permits() < CONNECTIONS_PER_CLIENT);
        let share = clients
            .entry(peer.ip())
            .or_insert_with(|| Arc::new(Semaphore::new(CONNECTIONS_PER_CLIENT)));
        let Ok(share) = Arc::clone(share).try_acquire_owned() else {
            continue;
        };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let _places = (place, share);
            let respond = service_fn(move |request| {
                let service = Arc::clone(&service);
                async move { service.respond(request).await }
            });
            let mut server = http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(LARGEST_HEADER)
                .max_headers(MOST_HEADERS);
            // A failed connection concerns its peer only.
            let _ = server
                .serve_connection(TokioIo::new(WriteTimeout::new(stream)), respond)
                .await;
        });
    }
}
