//! From a request to its response.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderValue,
    LOCATION, SET_COOKIE, VARY,
};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::body::{Content, response};
use super::encoding::{gzipped, takes_gzip};
use super::guard::Guard;
use super::streams::EventStreams;
use crate::api::{ApiRequest, App, RequestCost};
use crate::assets;
use crate::query::{Query, decoded};
use crate::reply::{ApiError, ApiReply, Chunks};
use crate::settings::Settings;

/// Largest body of an action.
const LARGEST_BODY: usize = 64 * 1024;
const LONGEST_PATH: usize = 8 * 1024;
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a reply may take to compute.
const REPLY_TIMEOUT: Duration = Duration::from_secs(60);
/// Chunks of a download that wait for a slow reader.
const AHEAD: usize = 2;
/// Downloads at a time; they hold chunks in memory.
const DOWNLOADS: usize = 16;
/// Requests that may wait for a model.
const WAITING: usize = 32;

type HttpResponse = Response<Content>;

/// Handles the requests of all connections.
pub(super) struct Service {
    app: Arc<App>,
    guard: Guard,
    streams: EventStreams,
    policy: HeaderValue,
    /// Requests that need a model, and long ones: one of each at a time, and few that wait.
    models: [Semaphore; 2],
    waiting: Semaphore,
    downloads: Arc<Semaphore>,
}

impl Service {
    pub(super) fn new(app: Arc<App>, guard: Guard, settings: &Settings) -> Self {
        let ancestors: String = settings
            .frame_ancestors
            .iter()
            .map(|page| format!(" {page}"))
            .collect();
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'self'{ancestors}"
        );
        // Checked settings have printable characters only.
        let policy = HeaderValue::from_str(&policy)
            .unwrap_or(HeaderValue::from_static("default-src 'none'"));
        Self {
            streams: EventStreams::new(Arc::clone(&app)),
            app,
            guard,
            policy,
            models: [Semaphore::new(1), Semaphore::new(1)],
            waiting: Semaphore::new(WAITING),
            downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        }
    }

    /// Responds; every error is a response.
    pub(super) async fn respond(
        &self,
        request: Request<Incoming>,
    ) -> Result<HttpResponse, Infallible> {
        let gzip = takes_gzip(request.headers());
        let mut sent = match self.route(request).await {
            Ok(sent) => sent,
            Err(error) => refused(&error),
        };
        let headers = sent.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        if gzip {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(sent)
    }

    async fn route(&self, request: Request<Incoming>) -> Result<HttpResponse, ApiError> {
        self.guard.admit(request.method(), request.headers())?;
        if request.uri().to_string().len() > LONGEST_PATH {
            return Err(ApiError::new(
                StatusCode::URI_TOO_LONG,
                "the address is too long",
            ));
        }
        let query = Query::read(request.uri().query().unwrap_or_default());
        let query = query.ok_or_else(|| ApiError::bad("the address cannot be read"))?;
        let path = request.uri().path().to_owned();
        if let Some(token) = query.get("token").filter(|_| path == "/") {
            return self.enter(token).await;
        }
        self.guard.may_look_or_act(&request).await?;
        match path.strip_prefix("/api/") {
            Some(rest) => self.ask(rest, query, request).await,
            None if is_get(request.method()) => {
                self.asset(&path, takes_gzip(request.headers())).await
            }
            None => Err(ApiError::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "only GET and HEAD are allowed here",
            )),
        }
    }

    /// Turns a token in the address into a cookie, which keeps it out of histories.
    async fn enter(&self, token: &str) -> Result<HttpResponse, ApiError> {
        self.guard.has_token(Some(token)).await?;
        let mut sent = response(StatusCode::SEE_OTHER, "text/plain", Content::Whole(None));
        sent.headers_mut()
            .insert(LOCATION, HeaderValue::from_static("./"));
        if let Ok(cookie) = HeaderValue::from_str(&self.guard.set_cookie()) {
            sent.headers_mut().insert(SET_COOKIE, cookie);
        }
        Ok(sent)
    }

    async fn asset(&self, path: &str, gzip: bool) -> Result<HttpResponse, ApiError> {
        let name = if path == "/" {
            "index.html"
        } else {
            path.strip_prefix("/assets/").unwrap_or_default()
        };
        let asset = assets::find(name).ok_or_else(ApiError::nothing_here)?;
        let file = ApiReply::Whole {
            status: StatusCode::OK,
            content_type: asset.content_type,
            bytes: match name {
                "index.html" => assets::index_page().into(),
                _ => Bytes::from_static(asset.content),
            },
        };
        let mut sent = self.send(file, gzip).await?;
        // Files of different versions must not be mixed.
        sent.headers_mut()
            .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(sent)
    }

    async fn ask(
        &self,
        rest: &str,
        query: Query,
        request: Request<Incoming>,
    ) -> Result<HttpResponse, ApiError> {
        self.guard.admit_api(request.headers())?;
        let path: Option<Vec<String>> = rest.split('/').map(decoded).collect();
        let path = path.ok_or_else(|| ApiError::bad("the address cannot be read"))?;
        let gzip = takes_gzip(request.headers());
        if let [studies, name, events] = path.as_slice()
            && (studies.as_str(), events.as_str()) == ("studies", "events")
            && request.method() == Method::GET
        {
            return self.streams.follow(name).await;
        }
        let body = match *request.method() {
            ref method if is_get(method) => None,
            Method::POST => Some(body(request.into_body()).await?),
            _ => {
                return Err(ApiError::new(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "only GET, HEAD and POST are allowed here",
                ));
            }
        };
        let (app, request) = (Arc::clone(&self.app), ApiRequest { path, query, body });
        let busy = ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy with other models; ask again later",
        );
        let turns = match request.cost() {
            RequestCost::Cheap => None,
            RequestCost::Model => Some(&self.models[0]),
            RequestCost::Long => Some(&self.models[1]),
        };
        let _place = turns
            .map(|_| self.waiting.try_acquire().map_err(|_| busy))
            .transpose()?;
        let _turn = match turns {
            Some(turns) => turns.acquire().await.ok(),
            None => None,
        };
        let work = spawn_blocking(move || app.answer(&request));
        let reply = match timeout(REPLY_TIMEOUT, work).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => ApiReply::error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "cannot compute the reply",
            ),
            Err(_) => ApiReply::error(
                StatusCode::SERVICE_UNAVAILABLE,
                "the reply takes too long; ask again later",
            ),
        };
        self.send(reply, gzip).await
    }

    async fn send(&self, reply: ApiReply, gzip: bool) -> Result<HttpResponse, ApiError> {
        match reply {
            ApiReply::Whole {
                status,
                content_type,
                bytes,
            } => {
                let small = if gzip { compressed(&bytes).await } else { None };
                let encoded = small.is_some();
                let content = Content::Whole(Some(small.unwrap_or(bytes)));
                let mut sent = response(status, content_type, content);
                if encoded {
                    let gzip = HeaderValue::from_static("gzip");
                    sent.headers_mut().insert(CONTENT_ENCODING, gzip);
                }
                Ok(sent)
            }
            ApiReply::Download {
                name,
                content_type,
                chunks,
            } => {
                let Ok(place) = Arc::clone(&self.downloads).try_acquire_owned() else {
                    return Err(ApiError::new(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "too many downloads; try again later",
                    ));
                };
                let (sender, receiver) = mpsc::channel(AHEAD);
                tokio::spawn(pour(chunks, sender, place));
                let mut sent = response(StatusCode::OK, content_type, Content::Pieces(receiver));
                let attachment = format!("attachment; filename=\"{name}\"");
                if let Ok(value) = HeaderValue::from_str(&attachment) {
                    sent.headers_mut().insert(CONTENT_DISPOSITION, value);
                }
                Ok(sent)
            }
        }
    }
}

fn refused(error: &ApiError) -> HttpResponse {
    let text = json!({ "error": error.text }).to_string();
    let content = Content::Whole(Some(text.into()));
    response(error.status, "application/json", content)
}

/// Sends a download to one reader. Waiting for it holds no thread.
async fn pour(mut chunks: Chunks, sender: mpsc::Sender<Bytes>, place: OwnedSemaphorePermit) {
    let _place = place;
    while let Ok((Some(chunk), rest)) = spawn_blocking(move || (chunks(), chunks)).await {
        chunks = rest;
        if sender.send(chunk.into()).await.is_err() {
            return;
        }
    }
}

/// HEAD is handled like GET.
fn is_get(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

impl Guard {
    async fn may_look_or_act(&self, request: &Request<Incoming>) -> Result<(), ApiError> {
        if *request.method() == Method::POST {
            self.may_act(request.headers()).await
        } else {
            self.may_look(request.headers()).await
        }
    }
}

async fn compressed(bytes: &Bytes) -> Option<Bytes> {
    let bytes = bytes.clone();
    spawn_blocking(move || gzipped(&bytes)).await.ok().flatten()
}

/// The body of an action, limited in size and time.
async fn body(incoming: Incoming) -> Result<Bytes, ApiError> {
    match timeout(BODY_TIMEOUT, Limited::new(incoming, LARGEST_BODY).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(_)) => Err(ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is larger than 64 KB, or was cut off",
        )),
        Err(_) => Err(ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body takes too long",
        )),
    }
}
