//! What is answered is what was stored.

use std::net::SocketAddr;
use std::sync::Arc;

use neuralbo::record::Limits;
use neuralbo::store::{NewStudy, Store};
use neuralbo_store::Access;
use serde_json::{Value, json};

use crate::client::{ask, get, request};
use crate::fixture::{
    self, best, definition, file, is_complete, is_poly, loss, lr, memory, serve, study,
};

/// Runs a test on a dashboard over every kind of store, each with the same study of 60 trials.
fn everywhere(test: impl Fn(SocketAddr)) {
    let memory: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    study(memory.as_ref(), "tuning", 60);
    test(serve(memory).address());

    let (_folder, url) = file();
    study(neuralbo_store::open(&url).unwrap().as_ref(), "tuning", 60);
    test(serve(neuralbo_store::open_for(&url, Access::Watch).unwrap()).address());

    let Ok(url) = std::env::var("NEURALBO_TEST_POSTGRES") else {
        eprintln!(
            "SKIPPED: NEURALBO_TEST_POSTGRES is not set; run this test with scripts/ci/with-postgres.sh"
        );
        return;
    };
    let store = neuralbo_store::open(&url).unwrap();
    if let Ok(left) = store.study("tuning") {
        store.delete_study(left.id).unwrap();
    }
    study(store.as_ref(), "tuning", 60);
    test(serve(neuralbo_store::open_for(&url, Access::Watch).unwrap()).address());
    let made = store.study("tuning").unwrap();
    store.delete_study(made.id).unwrap();
}

#[test]
fn every_question_is_answered_from_every_store() {
    everywhere(|address| {
        the_study_at_a_glance(address);
        the_list(address);
        the_progress(address);
        the_table(address);
        one_trial(address);
        the_columns(address);
        constraints_and_failures(address);
        times(address);
        calibration(address);
        curves(address);
        the_file(address);
    });
}

fn the_study_at_a_glance(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning");
    assert_eq!(
        found["counts"],
        json!({ "running": 0, "complete": 48, "failed": 6, "pruned": 6, "known": 0 })
    );
    assert_eq!(
        (&found["seq"], &found["version"], &found["state"]),
        (&json!(60), &json!(1), &json!("idle"))
    );
    assert_eq!(found["best"]["number"], best(60));
    assert_eq!(
        found["best"]["values"]["loss"].as_f64(),
        Some(loss(best(60)))
    );
    assert_eq!(found["best"]["params"]["lr"].as_f64(), Some(lr(best(60))));
    assert_eq!(found["failures"], json!({ "exit": 6 }));
    let feasible = (0..60)
        .filter(|n| is_complete(*n) && memory(*n) <= 50.0)
        .count();
    assert_eq!(found["feasible"], feasible);
    let kinds: Vec<&str> = found["space"]
        .as_array()
        .unwrap()
        .iter()
        .map(|axis| axis["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["float", "choice", "int"]);
    assert_eq!(
        found["space"][0],
        json!({ "name": "lr", "kind": "float", "low": 1e-5, "high": 1, "log": true, "step": null, "choices": null, "condition": null })
    );
    assert_eq!(found["space"][2]["condition"], "kind == poly");
    assert_eq!(found["damage"], json!([]));
}

fn the_list(address: SocketAddr) {
    let found = ask(address, "/api/studies");
    let entry = found["studies"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["name"] == "tuning")
        .unwrap()
        .clone();
    assert_eq!(entry["counts"]["complete"], 48);
    assert_eq!(
        entry["best"],
        json!({ "number": best(60), "value": loss(best(60)) })
    );
    assert_eq!(
        (&entry["method"], &entry["workers"], &entry["rate"]),
        (&json!("random"), &json!(0), &Value::Null)
    );
    assert_eq!(entry["last"], 1_700_000_000_000_i64 + 59 * 2000 + 1100);
}

fn the_progress(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/progress");
    let series = &found["objectives"][0];
    let numbers: Vec<u64> = series["number"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert_eq!(
        numbers,
        (0..60).filter(|n| is_complete(*n)).collect::<Vec<_>>()
    );
    let mut smallest = f64::INFINITY;
    for (place, number) in numbers.iter().enumerate() {
        if memory(*number) <= 50.0 {
            smallest = smallest.min(loss(*number));
        }
        assert_eq!(series["value"][place].as_f64(), Some(loss(*number)));
        assert_eq!(series["feasible"][place], memory(*number) <= 50.0);
        assert_eq!(
            series["best"][place].as_f64(),
            Some(smallest).filter(|best| best.is_finite()),
            "{number}"
        );
    }
    let few = ask(address, "/api/studies/tuning/progress?points=4");
    assert!(few["objectives"][0]["number"].as_array().unwrap().len() < 20);
    assert_eq!(few["total"], 60);
}

fn numbers(page: &Value) -> Vec<u64> {
    page["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| trial["number"].as_u64().unwrap())
        .collect()
}

fn the_table(address: SocketAddr) {
    let page = ask(address, "/api/studies/tuning/trials?limit=5&offset=10");
    assert_eq!(
        (numbers(&page), &page["total"], &page["matched"]),
        (vec![10, 11, 12, 13, 14], &json!(60), &json!(60))
    );
    let sorted = ask(
        address,
        "/api/studies/tuning/trials?sort=value&limit=60&state=complete",
    );
    let mut expected: Vec<u64> = (0..60).filter(|n| is_complete(*n)).collect();
    expected.sort_by(|a, b| loss(*a).total_cmp(&loss(*b)));
    assert_eq!(numbers(&sorted), expected);
    let down = ask(
        address,
        "/api/studies/tuning/trials?sort=param:degree&desc=1&limit=60",
    );
    let degrees: Vec<Option<i64>> = down["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| trial["params"].get("degree").and_then(Value::as_i64))
        .collect();
    assert!(degrees[..20].is_sorted_by(|a, b| a >= b) && degrees[..20].iter().all(Option::is_some));
    assert!(
        degrees[20..].iter().all(Option::is_none),
        "what is absent comes last, whichever way"
    );
    let poly = ask(
        address,
        "/api/studies/tuning/trials?where=kind%20==%20poly%20and%20loss%20%3C%200&limit=60",
    );
    let expected: Vec<u64> = (0..60)
        .filter(|n| is_poly(*n) && n % 10 != 7 && loss(*n) < 0.0)
        .collect();
    assert_eq!(numbers(&poly), expected);
    let found = ask(
        address,
        "/api/studies/tuning/trials?search=STATUS%203&limit=60",
    );
    assert_eq!(
        numbers(&found),
        (0..60)
            .filter(|n| n % 10 == 7 && n % 4 == 3)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        numbers(&ask(
            address,
            "/api/studies/tuning/trials?search=worker-2&limit=3"
        )),
        [2, 6, 10]
    );
    for (wrong, says) in [
        ("sort=x", "sort"),
        ("state=x", "state"),
        ("where=(", "where"),
        ("limit=9999", "limit"),
        ("where=q%3C1", "where"),
    ] {
        let answer = get(address, &format!("/api/studies/tuning/trials?{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(
            answer.json()["error"].as_str().unwrap().starts_with(says),
            "{wrong}: {}",
            answer.text()
        );
    }
}

fn one_trial(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/trials/12");
    assert_eq!(found["trial"]["number"], 12);
    assert_eq!(
        found["trial"]["params"],
        json!({ "degree": 3, "kind": "poly", "lr": lr(12) })
    );
    assert_eq!(
        found["trial"]["provenance"]["mean"].as_f64(),
        Some(loss(12) + 1.0)
    );
    assert_eq!(found["attributes"], json!({ "tag": { "n": 12 } }));
    assert_eq!(found["reports"][0]["step"], json!([1, 2, 3]));
    assert_eq!(
        found["reports"][0]["value"][1].as_f64(),
        Some(loss(12) + 0.5)
    );
    for path in [
        "trials/60",
        "trials/x",
        "trials/-1",
        "trials/18446744073709551616",
    ] {
        assert_eq!(
            get(address, &format!("/api/studies/tuning/{path}")).status,
            404,
            "{path}"
        );
    }
}

fn the_columns(address: SocketAddr) {
    let found = ask(
        address,
        "/api/studies/tuning/columns?params=kind&params=degree",
    );
    assert_eq!(
        found["params"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["degree", "kind"]
    );
    for number in 0..60_u64 {
        let place = number as usize;
        let degree = is_poly(number).then_some(number % 5 + 1);
        assert_eq!(found["params"]["degree"][place].as_u64(), degree);
        assert_eq!(
            found["params"]["kind"][place],
            if is_poly(number) { "poly" } else { "rbf" }
        );
        assert_eq!(
            found["value"][place].as_f64(),
            (number % 10 != 7).then(|| loss(number))
        );
    }
    let few = ask(address, "/api/studies/tuning/columns?points=3");
    let numbers: Vec<u64> = few["number"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert!(
        numbers.contains(&best(60)) && numbers.contains(&59) && few["total"] == 60,
        "{numbers:?}"
    );
}

fn constraints_and_failures(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/outcome-constraints");
    let measured = || (0..60_u64).filter(|n| n % 10 != 7);
    assert_eq!(
        found["outcome_constraints"][0]["satisfied"],
        measured().filter(|n| memory(*n) <= 50.0).count()
    );
    assert_eq!(
        found["outcome_constraints"][0]["violated"],
        measured().filter(|n| memory(*n) > 50.0).count()
    );
    assert_eq!(
        found["first_feasible"],
        (0..60)
            .find(|n| is_complete(*n) && memory(*n) <= 50.0)
            .unwrap()
    );
    let found = ask(address, "/api/studies/tuning/failures");
    assert_eq!(
        found["kinds"],
        json!([{ "kind": "exit", "count": 6, "message": "status 1", "trials": [57, 47, 37, 27, 17, 7] }])
    );
    assert_eq!(found["where"]["number"], json!([7, 17, 27, 37, 47, 57]));
    assert_eq!(found["where"]["params"]["lr"][1].as_f64(), Some(lr(17)));
}

fn times(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/timeline");
    assert_eq!(
        found["workers"],
        json!(["worker-0", "worker-1", "worker-2", "worker-3"])
    );
    let bar = &found["bars"][5];
    assert_eq!(
        *bar,
        json!({ "number": 5, "worker": "worker-1", "start": 1_700_000_010_100_i64, "end": 1_700_000_011_100_i64, "state": "complete", "attempt": 1 })
    );
    let found = ask(address, "/api/studies/tuning/time");
    assert_eq!(found["objective_s"], 60);
    assert!((found["suggestion_s"].as_f64().unwrap() - 0.6).abs() < 1e-6);
    // Four workers, each from its first question to its last result: 56 trials of 2 s apart, and 1.1 s.
    assert!(
        (found["other_s"].as_f64().unwrap() - (4.0 * 113.1 - 60.6)).abs() < 1e-3,
        "{}",
        found["other_s"]
    );
}

fn calibration(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/calibration");
    assert_eq!(found["count"], 48);
    // Half of the trials are two standard deviations off, half of them half of one.
    let even = (0..60_u64)
        .filter(|n| is_complete(*n) && n.is_multiple_of(2))
        .count() as f64;
    let share = |level: f64| {
        let entry = found["coverage"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["level"] == level)
            .unwrap()
            .clone();
        entry["share"].as_f64().unwrap()
    };
    assert_eq!(
        (share(0.25), share(0.5), share(0.99)),
        (0.0, 1.0 - even / 48.0, 1.0)
    );
}

fn curves(address: SocketAddr) {
    let found = ask(address, "/api/studies/tuning/reports?curves=30");
    assert_eq!(
        (&found["names"], &found["total"]),
        (&json!(["loss"]), &json!(60))
    );
    let curves = found["curves"].as_array().unwrap();
    let of_best = curves
        .iter()
        .find(|curve| curve["number"] == best(60))
        .unwrap();
    assert_eq!((curves.len(), &of_best["step"]), (30, &json!([1, 2, 3])));
    assert_eq!(of_best["value"][0].as_f64(), Some(loss(best(60)) + 1.0));
    assert_eq!(
        ask(address, "/api/studies/tuning/reports?name=other")["curves"],
        json!([])
    );
}

fn the_file(address: SocketAddr) {
    let answer = get(address, "/api/studies/tuning/trials.csv");
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"tuning.csv\"")
    );
    let text = answer.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 61);
    assert_eq!(
        lines[0],
        "number,state,origin,worker,attempt,asked_ms,started_ms,finished_ms,failure,loss,memory,lr,kind,degree,attributes"
    );
    assert!(
        lines[8].starts_with("7,failed,model:thompson,worker-3,1,")
            && lines[8].contains("exit: status 3,,,"),
        "{}",
        lines[8]
    );
    assert!(
        lines[13].ends_with(&format!(
            "{:?},{:?},{:?},poly,3,\"{{\"\"tag\"\":{{\"\"n\"\":12}}}}\"",
            loss(12),
            memory(12),
            lr(12)
        )),
        "{}",
        lines[13]
    );
}

#[test]
fn the_file_and_the_table_obey_the_same_filters() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 60);
    let server = serve(store);
    let mut sizes = Vec::new();
    for filter in [
        "",
        "state=pruned",
        "where=lr+%3C+0.01",
        "search=worker-2&state=complete",
    ] {
        let [table, file] = ["trials", "trials.csv"]
            .map(|end| format!("/api/studies/tuning/{end}?sort=number&limit=100&{filter}"));
        let text = get(server.address(), &file).text();
        let first = |line: &str| line.split(',').next().unwrap().parse::<u64>().unwrap();
        let written: Vec<u64> = text.lines().skip(1).map(first).collect();
        assert_eq!(written, numbers(&ask(server.address(), &table)), "{filter}");
        sizes.push(written.len());
    }
    assert!(
        sizes[0] == 60 && sizes[1..].iter().all(|size| (1..60).contains(size)),
        "{sizes:?}"
    );
    let wrong = get(
        server.address(),
        "/api/studies/tuning/trials.csv?where=nosuch+%3C+3",
    );
    assert_eq!(wrong.status, 400);
}

#[test]
fn attributes_are_columns_on_request() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 5);
    let server = serve(store);
    let with = ask(
        server.address(),
        "/api/studies/tuning/trials?attributes=1&sort=number",
    );
    for (number, trial) in with["trials"].as_array().unwrap().iter().enumerate() {
        assert_eq!(trial["attributes"], json!({ "tag": { "n": number } }));
    }
    let without = ask(server.address(), "/api/studies/tuning/trials");
    assert!(without["trials"][0].get("attributes").is_none());
}

#[test]
fn a_study_that_grows_is_followed() {
    let (_folder, url) = file();
    let store = neuralbo_store::open(&url).unwrap();
    study(store.as_ref(), "tuning", 10);
    let server = serve(neuralbo_store::open_for(&url, Access::Watch).unwrap());
    assert_eq!(ask(server.address(), "/api/studies/tuning")["seq"], 10);
    let id = store.study("tuning").unwrap().id;
    store
        .add(id, &(10..30).map(fixture::trial).collect::<Vec<_>>())
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let found = ask(server.address(), "/api/studies/tuning");
    assert_eq!(
        (&found["seq"], &found["best"]["number"]),
        (&json!(30), &json!(best(30)))
    );
    let mut other = definition();
    other.space = other.space.with("new=bool".parse().unwrap()).unwrap();
    store.redefine(id, 1, &other).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let found = ask(server.address(), "/api/studies/tuning");
    assert_eq!(
        (&found["version"], &found["seq"], &found["space"][3]["kind"]),
        (&json!(2), &json!(30), &json!("bool"))
    );
    store.delete_study(id).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(get(server.address(), "/api/studies/tuning").status, 404);
}

#[test]
fn studies_are_compared_and_those_of_one_name_become_a_group() {
    let store = neuralbo_store::open("memory://").unwrap();
    for (name, count) in [("run-1", 30), ("run-2", 20), ("other", 5)] {
        study(store.as_ref(), name, count);
    }
    let server = serve(store);
    let found = ask(
        server.address(),
        "/api/compare?study=run-1&study=run-2&study=other",
    );
    assert_eq!(found["studies"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&found["groups"][0]["name"], &found["groups"][0]["runs"]),
        (&json!("run"), &json!(2))
    );
    let last = found["groups"][0]["mean"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_f64();
    assert_eq!(
        last,
        Some(loss(best(20))),
        "both runs have the same first trials"
    );
    assert_eq!(get(server.address(), "/api/compare").status, 400);
    assert_eq!(get(server.address(), "/api/compare?study=none").status, 404);
}

#[test]
fn an_empty_study_and_odd_names_are_answered() {
    let store = neuralbo_store::open("memory://").unwrap();
    let name = "a/b %?#é\"<x>";
    store
        .create_study(&NewStudy::new(name, definition(), Limits::default()))
        .unwrap();
    let server = serve(store);
    let path = "/api/studies/a%2Fb%20%25%3F%23%C3%A9%22%3Cx%3E";
    assert_eq!(ask(server.address(), path)["name"], name);
    for rest in [
        "progress",
        "trials",
        "columns",
        "outcome-constraints",
        "failures",
        "timeline",
        "time",
        "calibration",
    ] {
        ask(server.address(), &format!("{path}/{rest}"));
    }
    assert_eq!(get(server.address(), "/api/studies/a").status, 404);
}

#[test]
fn large_answers_are_compressed_for_those_who_ask() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 60);
    let server = serve(store);
    let path = "/api/studies/tuning/trials";
    let small = request(
        server.address(),
        "GET",
        path,
        &[("Accept-Encoding", "br, gzip;q=0.8")],
        "",
    );
    assert_eq!(small.header("content-encoding"), Some("gzip"));
    let plain = request(
        server.address(),
        "GET",
        path,
        &[("Accept-Encoding", "gzip;q=0")],
        "",
    );
    assert_eq!(plain.header("content-encoding"), None);
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(small.body.as_slice()),
        &mut unpacked,
    )
    .unwrap();
    assert_eq!(unpacked, plain.body);
    assert!(small.body.len() * 3 < plain.body.len());
}
