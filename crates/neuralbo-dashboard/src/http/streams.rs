//! Server-sent events: one poller per study, the latest change for each reader.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::body::{Content, response};
use crate::api::{App, ChangeEvent};
use crate::cache::lock;
use crate::reply::ApiError;

/// Most concurrent readers.
const STREAMS: usize = 256;
/// Interval between reads of the storage, for any number of readers.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Longest silence; dead readers are detected when something is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A reader that reads nothing for this long is dropped.
const READER_TIMEOUT: Duration = Duration::from_secs(30);

type News = Option<Arc<str>>;

/// All readers.
pub(super) struct EventStreams {
    app: Arc<App>,
    places: Arc<Semaphore>,
    pollers: Arc<Mutex<HashMap<String, watch::Sender<News>>>>,
}

impl EventStreams {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self {
            app,
            places: Arc::new(Semaphore::new(STREAMS)),
            pollers: Arc::default(),
        }
    }

    /// The stream of a study's changes.
    pub(super) async fn follow(&self, name: &str) -> Result<Response<Content>, ApiError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many pages are open; reload by hand",
            ));
        };
        let (app, wanted) = (Arc::clone(&self.app), name.to_owned());
        let Ok(change) = spawn_blocking(move || app.change(&wanted, None)).await else {
            return Err(ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "cannot read the study",
            ));
        };
        let news = self.subscribe(name, &change?);
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(forward(news, sender, place));
        let content = Content::Pieces(receiver);
        Ok(response(StatusCode::OK, "text/event-stream", content))
    }

    fn subscribe(&self, name: &str, change: &ChangeEvent) -> watch::Receiver<News> {
        let mut pollers = lock(&self.pollers);
        if let Some(sender) = pollers.get(name) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(Some(event(change)));
        pollers.insert(name.to_owned(), sender.clone());
        tokio::spawn(poll(
            Arc::clone(&self.app),
            name.to_owned(),
            change.clone(),
            sender,
            Arc::clone(&self.pollers),
        ));
        receiver
    }
}

fn event(change: &ChangeEvent) -> Arc<str> {
    let data = serde_json::to_string(change).unwrap_or_default();
    format!("event: changed\ndata: {data}\n\n").into()
}

/// Polls the storage while there are readers.
async fn poll(
    app: Arc<App>,
    name: String,
    mut last: ChangeEvent,
    sender: watch::Sender<News>,
    pollers: Arc<Mutex<HashMap<String, watch::Sender<News>>>>,
) {
    loop {
        sleep(POLL_INTERVAL).await;
        {
            let mut pollers = lock(&pollers);
            if sender.receiver_count() == 0 {
                pollers.remove(&name);
                return;
            }
        }
        let (app, wanted, before) = (Arc::clone(&app), name.clone(), last.clone());
        // Errors may be temporary; a deleted study has no changes.
        if let Ok(Ok(change)) = spawn_blocking(move || app.change(&wanted, Some(&before))).await
            && change != last
        {
            sender.send_replace(Some(event(&change)));
            last = change;
        }
    }
}

/// Sends the latest change to one reader; slow readers miss intermediate ones.
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
        match timeout(READER_TIMEOUT, sender.send(piece)).await {
            Ok(Ok(())) => {}
            _ => return,
        }
    }
}
