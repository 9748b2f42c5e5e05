//! Changes as they happen.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use neuralbo_store::Access;
use serde_json::Value;

use crate::client::{connect, get};
use crate::fixture::{self, file, serve, study};

struct Reader(BufReader<TcpStream>);

impl Reader {
    fn open(address: SocketAddr, study: &str) -> Self {
        let mut stream = connect(address);
        write!(
            stream,
            "GET /api/studies/{study}/events HTTP/1.1\r\nHost: {address}\r\n\r\n"
        )
        .unwrap();
        Self(BufReader::new(stream))
    }

    /// The head of the answer.
    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(
                self.0.read_line(&mut head).unwrap(),
                0,
                "closed after {head}"
            );
        }
        head
    }

    /// The data of the next event.
    fn event(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "closed");
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}

#[test]
fn everybody_is_told_what_has_changed() {
    let (_folder, url) = file();
    let store = neuralbo_store::open(&url).unwrap();
    study(store.as_ref(), "tuning", 5);
    let server = serve(neuralbo_store::open_for(&url, Access::Watch).unwrap());
    let mut readers: Vec<Reader> = (0..3)
        .map(|_| Reader::open(server.address(), "tuning"))
        .collect();
    for reader in &mut readers {
        let head = reader.head();
        assert!(
            head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"),
            "{head}"
        );
        assert_eq!(reader.event()["seq"], 5);
    }
    let id = store.study("tuning").unwrap().id;
    store.add(id, &[fixture::trial(5)]).unwrap();
    for reader in &mut readers {
        let event = reader.event();
        assert_eq!(
            (event["seq"].as_u64(), event["best"]["number"].as_u64()),
            (Some(6), Some(fixture::best(6)))
        );
    }
    assert_eq!(
        get(server.address(), "/api/studies/none/events").status,
        404
    );
}

#[test]
fn streams_have_a_limit_and_a_place_is_free_again_when_a_reader_leaves() {
    let (_folder, url) = file();
    study(neuralbo_store::open(&url).unwrap().as_ref(), "tuning", 1);
    let server = serve(neuralbo_store::open_for(&url, Access::Watch).unwrap());
    let mut readers: Vec<Reader> = (0..256)
        .map(|_| Reader::open(server.address(), "tuning"))
        .collect();
    readers
        .iter_mut()
        .for_each(|reader| assert!(reader.head().starts_with("HTTP/1.1 200")));
    assert!(
        Reader::open(server.address(), "tuning")
            .head()
            .starts_with("HTTP/1.1 503")
    );
    assert_eq!(
        get(server.address(), "/api/info").status,
        200,
        "questions are still answered"
    );
    drop(readers);
    let mut head = String::new();
    for _ in 0..100 {
        head = Reader::open(server.address(), "tuning").head();
        if head.starts_with("HTTP/1.1 200") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}
