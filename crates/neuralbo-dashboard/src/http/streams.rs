//! What has changed, to everybody who looks: one poller a study, the newest news for each reader.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::body::Content;
use super::reply::{Reply, headed};
use crate::api::{App, Pulse};

/// Readers at a time.
const STREAMS: usize = 256;
/// The storage is asked this often, however many look.
const BEAT: Duration = Duration::from_millis(500);
/// Something is sent at least this often, so that dead readers are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A reader who takes nothing for this long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);

type News = Option<Arc<str>>;

/// All readers.
pub(super) struct Streams {
    app: Arc<App>,
    places: Arc<Semaphore>,
    pollers: Arc<Mutex<HashMap<String, watch::Sender<News>>>>,
}

impl Streams {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self {
            app,
            places: Arc::new(Semaphore::new(STREAMS)),
            pollers: Arc::default(),
        }
    }

    /// A stream of changes of a study.
    pub(super) async fn follow(&self, name: &str) -> Response<Content> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return refused(Reply::error(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many pages are open; reload by hand",
            ));
        };
        let (app, wanted) = (Arc::clone(&self.app), name.to_owned());
        match spawn_blocking(move || app.pulse(&wanted, None)).await {
            Ok(Ok(pulse)) => {
                let news = self.subscribe(name, &pulse);
                let (sender, receiver) = mpsc::channel(1);
                tokio::spawn(forward(news, sender, place));
                headed(
                    StatusCode::OK,
                    "text/event-stream",
                    Content::Pieces(receiver),
                )
            }
            Ok(Err(reply)) => refused(reply),
            Err(_) => refused(Reply::error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the study could not be read",
            )),
        }
    }

    fn subscribe(&self, name: &str, pulse: &Pulse) -> watch::Receiver<News> {
        let mut pollers = self.pollers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = pollers.get(name) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(Some(event(pulse)));
        pollers.insert(name.to_owned(), sender.clone());
        tokio::spawn(poll(
            Arc::clone(&self.app),
            name.to_owned(),
            pulse.clone(),
            sender,
            Arc::clone(&self.pollers),
        ));
        receiver
    }
}

fn event(pulse: &Pulse) -> Arc<str> {
    // A record of numbers can always be written.
    let data = serde_json::to_string(pulse).unwrap_or_default();
    format!("event: changed\ndata: {data}\n\n").into()
}

/// Asks the storage for as long as anybody listens.
async fn poll(
    app: Arc<App>,
    name: String,
    mut last: Pulse,
    sender: watch::Sender<News>,
    pollers: Arc<Mutex<HashMap<String, watch::Sender<News>>>>,
) {
    loop {
        sleep(BEAT).await;
        {
            let mut pollers = pollers.lock().unwrap_or_else(PoisonError::into_inner);
            if sender.receiver_count() == 0 {
                pollers.remove(&name);
                return;
            }
        }
        let (app, wanted, before) = (Arc::clone(&app), name.clone(), last.clone());
        // A storage that does not answer now may do so at the next beat; a deleted study has nothing to tell.
        if let Ok(Ok(pulse)) = spawn_blocking(move || app.pulse(&wanted, Some(&before))).await
            && pulse != last
        {
            sender.send_replace(Some(event(&pulse)));
            last = pulse;
        }
    }
}

/// Passes the newest news to one reader; what it was too slow for is skipped.
async fn forward(
    mut news: watch::Receiver<News>,
    sender: mpsc::Sender<Bytes>,
    place: OwnedSemaphorePermit,
) {
    let _place = place;
    news.mark_changed();
    loop {
        let piece = tokio::select! {
            () = sender.closed() => return,
            changed = timeout(KEEP_ALIVE, news.changed()) => match changed {
                Ok(Ok(())) => news.borrow_and_update().as_ref().map(|text| Bytes::from(text.as_bytes().to_vec())),
                Ok(Err(_)) => return,
                Err(_) => Some(Bytes::from_static(b": still here\n\n")),
            },
        };
        let Some(piece) = piece else { continue };
        match timeout(PATIENCE, sender.send(piece)).await {
            Ok(Ok(())) => {}
            _ => return,
        }
    }
}

fn refused(reply: Reply) -> Response<Content> {
    match reply {
        Reply::Whole {
            status,
            content_type,
            bytes,
        } => headed(status, content_type, Content::Whole(Some(bytes))),
        Reply::Download { .. } => headed(
            StatusCode::INTERNAL_SERVER_ERROR,
            "text/plain",
            Content::Whole(None),
        ),
    }
}
