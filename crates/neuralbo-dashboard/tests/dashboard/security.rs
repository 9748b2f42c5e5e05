//! Attacks, each refused.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use neuralbo::record::{
    Attributes, Definition, Direction, Failure, FailureKind, Limits, ObjectiveSpec, Provenance,
    State, Trial,
};
use neuralbo::space::{Domain, Parameter, Params, Space, Value};
use neuralbo::store::{NewStudy, NewTrial, Store};
use neuralbo_dashboard::{Server, Settings};

use crate::client::{ask, connect, get, raw, request};
use crate::fixture::{HOSTILE, definition, serve, serve_as, study, trial};

const TOKEN: &str = "a-token-of-the-tests-0123456789";
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn open() -> Server {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 5);
    serve(store)
}

/// A dashboard that needs a token to look and lets its holders act.
fn guarded() -> Server {
    let store: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 5);
    let settings = Settings {
        token: Some(TOKEN.into()),
        allow_edit: true,
        ..Settings::default()
    };
    serve_as(Arc::clone(&store), Some(store), settings)
}

#[test]
fn a_rebound_name_is_refused() {
    let server = open();
    let port = server.address().port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "",
        "a b",
    ] {
        for path in ["/", "/api/info", "/api/studies/tuning/events"] {
            let answer = request(server.address(), "GET", path, &[("Host", host)], "");
            assert!(
                matches!(answer.status, 400 | 421),
                "{host}: {}",
                answer.status
            );
        }
    }
    let twice = raw(
        server.address(),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(twice.status, 400);
    assert_eq!(
        raw(
            server.address(),
            b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
        )
        .status,
        400,
        "no Host at all"
    );
    for host in [
        "localhost",
        &format!("LOCALHOST:{port}"),
        "127.0.0.1",
        "[::1]:99",
    ] {
        assert_eq!(
            request(server.address(), "GET", "/api/info", &[("Host", host)], "").status,
            200,
            "{host}"
        );
    }
}

#[test]
fn foreign_pages_neither_act_nor_look() {
    let server = guarded();
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    for origin in [
        "http://evil.example",
        "null",
        "http://localhost:1",
        "https://evil.example@127.0.0.1",
        "file://",
    ] {
        let answer = request(
            server.address(),
            "POST",
            "/api/studies/tuning/stop",
            &[token, JSON, ("Origin", origin)],
            "{}",
        );
        assert_eq!(answer.status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let answer = request(
            server.address(),
            "GET",
            "/api/info",
            &[token, ("Sec-Fetch-Site", site)],
            "",
        );
        assert_eq!(answer.status, 403, "{site}");
    }
    let form = [token, ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(
        request(
            server.address(),
            "POST",
            "/api/studies/tuning/stop",
            &form,
            "a=b"
        )
        .status,
        415
    );
    let answer = request(
        server.address(),
        "GET",
        "/api/info",
        &[token, ("Origin", "http://evil.example")],
        "",
    );
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn there_is_no_way_to_files() {
    let server = open();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..\\..\\Cargo.toml",
        "/assets//etc/passwd",
        "/assets/./index.html",
        "/assets/index.html/",
        "/assets/index.html%00.js",
        "/assets/",
        "//etc/passwd",
        "/../../etc/passwd",
        "/api/../assets/index.html",
        "/api/studies/..%2f..%2fetc%2fpasswd",
        "/api/studies/tuning/../../info",
        "/index.html",
    ] {
        let answer = get(server.address(), path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
    for path in ["/assets/%", "/api/studies/%zz", "/api/studies/%C3", "/?a=%"] {
        assert!(
            matches!(get(server.address(), path).status, 400 | 404),
            "{path}"
        );
    }
}

#[test]
fn without_the_token_nothing_is_shown_or_done() {
    let server = guarded();
    let address = server.address();
    let bearer = format!("Bearer {TOKEN}");
    for path in [
        "/",
        "/assets/index.html",
        "/api/info",
        "/api/studies/tuning",
        "/api/studies/tuning/events",
        "/nothing",
    ] {
        assert_eq!(get(address, path).status, 401, "{path}");
    }
    assert_eq!(
        request(
            address,
            "GET",
            "/api/info",
            &[("Authorization", &bearer)],
            ""
        )
        .status,
        200
    );
    let entered = get(address, &format!("/?token={TOKEN}"));
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, Some("./"))
    );
    let cookie = entered.header("set-cookie").unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Strict")
            && !cookie.contains(TOKEN),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(
        request(address, "GET", "/api/info", &[("Cookie", pair)], "").status,
        200
    );
    let acted = request(
        address,
        "POST",
        "/api/studies/tuning/stop",
        &[("Cookie", pair), JSON],
        "{}",
    );
    assert_eq!(acted.status, 401, "a cookie looks and does not act");
}

#[test]
fn guessing_the_token_is_slow_and_comes_in_turns() {
    let server = guarded();
    let address = server.address();
    let started = Instant::now();
    let guesses: Vec<_> = (0..24)
        .map(|guess| {
            std::thread::spawn(move || {
                let token = format!("Bearer {}{guess}", &TOKEN[..TOKEN.len() - 2]);
                request(
                    address,
                    "GET",
                    "/api/info",
                    &[("Authorization", &token)],
                    "",
                )
                .status
            })
        })
        .collect();
    let answers: Vec<u16> = guesses
        .into_iter()
        .map(|guess| guess.join().unwrap())
        .collect();
    let looked_at = answers.iter().filter(|status| **status == 401).count() as u32;
    assert!(
        answers.iter().all(|status| matches!(status, 401 | 429)),
        "{answers:?}"
    );
    assert!(
        started.elapsed() >= Duration::from_millis(250) * looked_at,
        "{looked_at} guesses took {:?}",
        started.elapsed()
    );
    for wrong in [
        "",
        TOKEN.split_at(5).0,
        &format!("{TOKEN}x"),
        &TOKEN.to_uppercase(),
    ] {
        let answer = request(
            address,
            "GET",
            "/api/info",
            &[("Authorization", &format!("Bearer {wrong}"))],
            "",
        );
        assert_eq!(answer.status, 401, "{wrong}");
    }
}

#[test]
fn other_addresses_need_a_token_that_is_made_up_if_need_be() {
    let store = neuralbo_store::open("memory://").unwrap();
    let server = serve_as(
        store,
        None,
        Settings {
            address: ([0, 0, 0, 0], 0).into(),
            ..Settings::default()
        },
    );
    let here: SocketAddr = ([127, 0, 0, 1], server.address().port()).into();
    assert_eq!(get(here, "/api/info").status, 401);
    let token = server.token().unwrap();
    assert!(token.len() >= 48 && server.url().contains(token));
    assert_eq!(
        request(
            here,
            "GET",
            "/api/info",
            &[("Authorization", &format!("Bearer {token}"))],
            ""
        )
        .status,
        200
    );
    assert_eq!(
        request(here, "GET", "/api/info", &[("Host", "evil.example")], "").status,
        421
    );
    assert!(
        open().token().is_none(),
        "on this machine alone nothing needs one"
    );
}

#[test]
fn large_and_endless_requests_are_refused() {
    let server = guarded();
    let address = server.address();
    let bearer = format!("Bearer {TOKEN}");
    let large = format!("{{\"note\": \"{}\"}}", "x".repeat(100_000));
    let answer = request(
        address,
        "POST",
        "/api/studies/tuning/note",
        &[("Authorization", &bearer), JSON],
        &large,
    );
    assert_eq!(answer.status, 413);
    let lie = format!(
        "POST /api/studies/tuning/note HTTP/1.1\r\nHost: {address}\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{{}}"
    );
    assert!(
        matches!(raw(address, lie.as_bytes()).status, 413 | 408),
        "a body that never comes"
    );
    for head in [
        format!("X: {}\r\n", "y".repeat(60_000)),
        "A: b\r\n".repeat(500),
    ] {
        let status = raw(
            address,
            format!("GET / HTTP/1.1\r\nHost: {address}\r\n{head}\r\n").as_bytes(),
        )
        .status;
        assert!(matches!(status, 0 | 400 | 431), "{status}");
    }
    let path = raw(
        address,
        format!(
            "GET /{} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n",
            "a".repeat(9000)
        )
        .as_bytes(),
    );
    assert!(matches!(path.status, 414 | 431), "{}", path.status);
    for noise in [
        b"\x16\x03\x01\x02\x00\x01\x00".as_slice(),
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
    ] {
        assert!(matches!(raw(address, noise).status, 0 | 400), "{noise:?}");
    }
    assert_eq!(
        request(
            address,
            "GET",
            "/api/info",
            &[("Authorization", &bearer)],
            ""
        )
        .status,
        200,
        "and it lives"
    );
}

#[test]
fn a_head_that_drips_is_cut_off() {
    let server = open();
    let mut slow = connect(server.address());
    slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    let started = Instant::now();
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(get(server.address(), "/api/info").status, 200);
}

#[test]
fn readers_that_do_not_read_hold_nobody_up() {
    const TRIALS: u64 = 40_000;
    let store = neuralbo_store::open("memory://").unwrap();
    let long = |number| {
        let mut new = trial(number);
        new.trial.worker = "w".repeat(250);
        new
    };
    let limits = Limits::default();
    let trials = (0..TRIALS).map(long).collect();
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new("s", definition(), limits)
        })
        .unwrap();
    let server = serve(store);
    let address = server.address();
    let begun = |_| {
        let mut stream = connect(address);
        write!(
            stream,
            "GET /api/studies/s/trials.csv HTTP/1.1\r\nHost: {address}\r\n\r\n"
        )
        .unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        (stream, start)
    };
    // Far more than fits into the buffers of a connection, for more readers than there are threads.
    let readers: Vec<_> = (0..16).map(begun).collect();
    assert!(readers.iter().all(|(_, start)| start == b"HTTP/1.1 200"));
    let refused = get(address, "/api/studies/s/trials.csv");
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert_eq!(
        ask(address, "/api/studies")["studies"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    drop(readers);
    let whole = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Some(get(address, "/api/studies/s/trials.csv")).filter(|answer| answer.status == 200)
    });
    assert_eq!(whole.unwrap().text().lines().count(), TRIALS as usize + 1);
}

#[test]
fn other_methods_are_refused() {
    let server = open();
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT"] {
        for path in ["/", "/api/info", "/api/studies/tuning"] {
            let status = request(server.address(), method, path, &[], "").status;
            assert!(
                matches!(status, 400 | 404 | 405),
                "{method} {path}: {status}"
            );
        }
    }
    assert_eq!(
        request(
            server.address(),
            "POST",
            "/api/studies/tuning/stop",
            &[JSON],
            "{}"
        )
        .status,
        403,
        "shown only"
    );
    assert_eq!(ask(server.address(), "/api/studies/tuning")["seq"], 5);
}

#[test]
fn every_answer_says_what_browsers_may_do_with_it() {
    let server = open();
    for path in [
        "/",
        "/assets/index.html",
        "/api/info",
        "/api/studies/none",
        "/nothing",
        "/api/studies/tuning/trials.csv",
    ] {
        let answer = get(server.address(), path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';")
                && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(
            policy.contains("frame-ancestors 'self'") && policy.contains("base-uri 'none'"),
            "{policy}"
        );
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(
            answer.header("referrer-policy"),
            Some("no-referrer"),
            "{path}"
        );
        assert!(
            matches!(
                answer.header("cache-control"),
                Some("no-store" | "no-cache")
            ),
            "{path}"
        );
    }
}

/// A study with hostile text wherever there may be text.
fn hostile(store: &dyn Store) {
    let domain = Domain::Choice {
        choices: vec![HOSTILE.into(), "b".into()],
    };
    let space = Space::new(vec![Parameter::new("kind", domain).unwrap()]).unwrap();
    let objectives = vec![ObjectiveSpec::new("loss<script>", Direction::Minimize)];
    let definition = Definition {
        objectives,
        method: "random".into(),
        ..Definition::new(space, Direction::Minimize)
    };
    let provenance = Provenance {
        origin: HOSTILE.into(),
        ..Provenance::default()
    };
    let failure = Failure::new(FailureKind::Error, HOSTILE);
    let trial = Trial {
        params: Some(Params::from_iter([("kind", Value::from(HOSTILE))])),
        state: State::Failed { failure },
        provenance: Some(provenance),
        attributes: Attributes::from([
            (HOSTILE.to_owned(), HOSTILE.into()),
            ("log_tail".to_owned(), HOSTILE.into()),
        ]),
        finished_ms: Some(2),
        started_ms: Some(1),
        ..Trial::claimed(0, HOSTILE, 0)
    };
    let reports = vec![neuralbo::record::Report {
        step: 1,
        name: HOSTILE.into(),
        value: 1.0,
    }];
    let trials = vec![NewTrial { trial, reports }];
    let name = HOSTILE.replace(['\u{7}', '\u{202e}'], "");
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new(name, definition, Limits::default())
        })
        .unwrap();
}

#[test]
fn hostile_text_comes_out_as_json_and_never_as_markup() {
    let store = neuralbo_store::open("memory://").unwrap();
    hostile(store.as_ref());
    let name = store.study_names().unwrap()[0].clone();
    let server = serve(store);
    let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let study = format!("/api/studies/{encoded}");
    let rests = [
        "",
        "/trials",
        "/trials/0",
        "/columns",
        "/failures",
        "/timeline",
        "/progress",
        "/time",
        "/nothing",
    ];
    let paths = rests.map(|rest| format!("{study}{rest}"));
    for path in paths.iter().map(String::as_str).chain([
        "/api/studies",
        "/api/studies/%3Cscript%3E",
        "/api/info",
    ]) {
        let answer = get(server.address(), path);
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{path}"
        );
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        answer.json();
    }
    let found = ask(server.address(), &format!("{study}/trials"));
    let trial = &found["trials"][0];
    assert_eq!(
        (&trial["worker"], &trial["origin"]),
        (&HOSTILE.into(), &HOSTILE.into())
    );
    assert_eq!(
        (&trial["failure"]["message"], &trial["params"]["kind"]),
        (&HOSTILE.into(), &HOSTILE.into())
    );
    let full = ask(server.address(), &format!("{study}/trials/0"));
    assert_eq!(
        (&full["attributes"][HOSTILE], &full["log_tail"]),
        (&HOSTILE.into(), &HOSTILE.into())
    );
    let error = get(server.address(), "/api/studies/%3Cscript%3E").text();
    assert!(
        error.contains("<script>") && error.starts_with("{\"error\":"),
        "{error}"
    );
}
