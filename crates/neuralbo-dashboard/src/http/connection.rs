//! From a request to its answer.

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
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::body::Content;
use super::encoding::{gzipped, takes_gzip};
use super::guard::{Guard, Refusal};
use super::query::{Query, decoded};
use super::reply::{Reply, headed, pour};
use super::streams::Streams;
use crate::api::{App, Load, Question};
use crate::assets;
use crate::settings::Settings;

/// Largest body of an action.
const LARGEST_BODY: usize = 64 * 1024;
const LONGEST_PATH: usize = 8 * 1024;
const BODY_PATIENCE: Duration = Duration::from_secs(10);
/// How long an answer may be worked on.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pieces of a download that wait for a slow reader.
const AHEAD: usize = 2;
/// Questions that may wait for a model.
const WAITING: usize = 32;

type Answer = Response<Content>;

/// What all connections share.
pub(super) struct Desk {
    app: Arc<App>,
    guard: Guard,
    streams: Streams,
    policy: HeaderValue,
    /// Questions that need a model, and those that ask much of it: one of each at a time, and few that wait.
    models: [Semaphore; 2],
    waiting: Semaphore,
}

impl Desk {
    pub(super) fn new(app: Arc<App>, guard: Guard, streams: Streams, settings: &Settings) -> Self {
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
            app,
            guard,
            streams,
            policy,
            models: [Semaphore::new(1), Semaphore::new(1)],
            waiting: Semaphore::new(WAITING),
        }
    }

    /// Answers; every error is an answer.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let gzip = takes_gzip(request.headers());
        let mut answer = match self.route(request).await {
            Ok(answer) => answer,
            Err(Refusal(status, text)) => self.send(Reply::error(status, text), false).await,
        };
        let headers = answer.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        if gzip {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(answer)
    }

    async fn route(&self, request: Request<Incoming>) -> Result<Answer, Refusal> {
        self.guard.admit(request.method(), request.headers())?;
        if request.uri().to_string().len() > LONGEST_PATH {
            return Err(Refusal(StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let bad = Refusal(StatusCode::BAD_REQUEST, "the address cannot be read");
        let query = Query::read(request.uri().query().unwrap_or_default()).ok_or(bad)?;
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
            None => Err(Refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                "only GET and HEAD are allowed here",
            )),
        }
    }

    /// A token in the address becomes a cookie, so that it stays out of histories.
    async fn enter(&self, token: &str) -> Result<Answer, Refusal> {
        self.guard.has_token(Some(token)).await?;
        let mut answer = headed(StatusCode::SEE_OTHER, "text/plain", Content::Whole(None));
        answer
            .headers_mut()
            .insert(LOCATION, HeaderValue::from_static("./"));
        if let Ok(cookie) = HeaderValue::from_str(&self.guard.set_cookie()) {
            answer.headers_mut().insert(SET_COOKIE, cookie);
        }
        Ok(answer)
    }

    async fn asset(&self, path: &str, gzip: bool) -> Result<Answer, Refusal> {
        let name = if path == "/" {
            "index.html"
        } else {
            path.strip_prefix("/assets/").unwrap_or_default()
        };
        let asset =
            assets::find(name).ok_or(Refusal(StatusCode::NOT_FOUND, "there is nothing here"))?;
        let (content_type, bytes) = (asset.content_type, Bytes::from_static(asset.content));
        let mut answer = self
            .send(
                Reply::Whole {
                    status: StatusCode::OK,
                    content_type,
                    bytes,
                },
                gzip,
            )
            .await;
        // The files of another version of the program must not be mixed with these.
        answer
            .headers_mut()
            .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(answer)
    }

    async fn ask(
        &self,
        rest: &str,
        query: Query,
        request: Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        self.guard.admit_api(request.headers())?;
        let bad = Refusal(StatusCode::BAD_REQUEST, "the address cannot be read");
        let path: Vec<String> = rest
            .split('/')
            .map(decoded)
            .collect::<Option<_>>()
            .ok_or(bad)?;
        let gzip = takes_gzip(request.headers());
        if let (["studies", name, "events"], &Method::GET) = (
            path.iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .as_slice(),
            request.method(),
        ) {
            return Ok(self.streams.follow(name).await);
        }
        let body = match *request.method() {
            ref method if is_get(method) => None,
            Method::POST => Some(body(request.into_body()).await?),
            _ => {
                return Err(Refusal(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "only GET, HEAD and POST are allowed here",
                ));
            }
        };
        let (app, question) = (Arc::clone(&self.app), Question { path, query, body });
        let busy = Refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "models are being made for others; ask again later",
        );
        let turns = match question.load() {
            Load::Light => None,
            Load::Model => Some(&self.models[0]),
            Load::Long => Some(&self.models[1]),
        };
        let _place = turns
            .map(|_| self.waiting.try_acquire().map_err(|_| busy))
            .transpose()?;
        let _turn = match turns {
            Some(turns) => turns.acquire().await.ok(),
            None => None,
        };
        let work = spawn_blocking(move || app.answer(&question));
        let failed = Reply::error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer could not be made",
        );
        let reply = match timeout(PATIENCE, work).await {
            Ok(outcome) => outcome.unwrap_or(failed),
            Err(_) => Reply::error(
                StatusCode::SERVICE_UNAVAILABLE,
                "the answer takes too long; ask again later",
            ),
        };
        Ok(self.send(reply, gzip).await)
    }

    async fn send(&self, reply: Reply, gzip: bool) -> Answer {
        match reply {
            Reply::Whole {
                status,
                content_type,
                bytes,
            } => {
                let small = if gzip { compressed(&bytes).await } else { None };
                let encoded = small.is_some();
                let mut answer = headed(
                    status,
                    content_type,
                    Content::Whole(Some(small.unwrap_or(bytes))),
                );
                if encoded {
                    answer
                        .headers_mut()
                        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                }
                answer
            }
            Reply::Download {
                name,
                content_type,
                chunks,
            } => {
                let (sender, receiver) = mpsc::channel(AHEAD);
                spawn_blocking(move || pour(chunks, &sender));
                let mut answer = headed(StatusCode::OK, content_type, Content::Pieces(receiver));
                if let Ok(value) =
                    HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
                {
                    answer.headers_mut().insert(CONTENT_DISPOSITION, value);
                }
                answer
            }
        }
    }
}

/// The head alone is asked for as the whole is.
fn is_get(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

impl Guard {
    async fn may_look_or_act(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
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

/// The body of an action, if it is small and comes soon.
async fn body(incoming: Incoming) -> Result<Bytes, Refusal> {
    match timeout(
        BODY_PATIENCE,
        Limited::new(incoming, LARGEST_BODY).collect(),
    )
    .await
    {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(_)) => Err(Refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is larger than 64 KB, or was cut off",
        )),
        Err(_) => Err(Refusal(
            StatusCode::REQUEST_TIMEOUT,
            "the body takes too long",
        )),
    }
}
