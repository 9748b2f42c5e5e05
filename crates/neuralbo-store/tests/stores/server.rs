//! PostgreSQL as it is run in earnest: encrypted, with passwords, roles that may do little, and servers that fall silent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use neuralbo::Registry;
use neuralbo::record::{Definition, Direction, Limits, State, Token};
use neuralbo::space::Space;
use neuralbo::store::{Claim, Claimed, Lease, NewStudy, Proposal, Store, StoreError, StudyId};
use neuralbo::study::Study;
use neuralbo_store::{Access, open, open_for};

use crate::backends::postgres_url;

/// What `scripts/ci/with-postgres.sh` started.
struct Server {
    url: String,
    certificates: String,
    password: String,
}

impl Server {
    fn running() -> Option<Self> {
        let url = postgres_url()?;
        let variable =
            |name: &str| std::env::var(name).expect("scripts/ci/with-postgres.sh sets it");
        Some(Self {
            url,
            certificates: variable("NEURALBO_TEST_POSTGRES_CERTS"),
            password: variable("NEURALBO_TEST_PASSWORD"),
        })
    }

    /// `host:port` of a URL `postgres://neuralbo@host:port/postgres`.
    fn address(&self) -> &str {
        self.url
            .split_once('@')
            .unwrap()
            .1
            .split_once('/')
            .unwrap()
            .0
    }

    fn port(&self) -> &str {
        self.address().split_once(':').unwrap().1
    }

    /// A database of its own.
    fn database(&self) -> (String, String) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "db_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        (
            format!("postgres://neuralbo@{}/{name}", self.address()),
            name,
        )
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new("psql");
        psql.args([
            "-qAt",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-p",
            self.port(),
            "-U",
            "neuralbo",
            database,
        ]);
        psql
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        let output = self.psql(database).args(["-c", sql]).output().unwrap();
        assert!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

fn study(store: &dyn Store, name: &str) -> StudyId {
    let definition = Definition {
        method: "random".to_owned(),
        ..Definition::new(unit(), Direction::Minimize)
    };
    store
        .create_study(&NewStudy::new(name, definition, Limits::default()))
        .unwrap()
        .id
}

fn unit() -> Space {
    Space::from_bounds(&[(0.0, 1.0)]).unwrap()
}

fn error(url: &str) -> String {
    open(url)
        .err()
        .unwrap_or_else(|| panic!("{url} must be refused"))
        .to_string()
}

#[test]
fn connections_are_encrypted_as_asked() {
    let Some(server) = Server::running() else {
        return;
    };
    let (root, other) = (
        format!("{}/root.crt", server.certificates),
        format!("{}/other.crt", server.certificates),
    );
    let url = |host: &str, parameters: &str| {
        format!(
            "postgres://neuralbo@{host}:{}/postgres?{parameters}",
            server.port()
        )
    };
    let encrypted = |host: &str, parameters: &str, name: &str| {
        let store = open(&url(host, &format!("{parameters}&application_name={name}"))).unwrap();
        let sql = format!(
            "SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE application_name = '{name}'"
        );
        let seen = server.sql("postgres", &sql);
        drop(store);
        seen
    };
    assert_eq!(encrypted("localhost", "sslmode=disable", "tls-a"), "f");
    assert_eq!(
        encrypted("localhost", "", "tls-b"),
        "t",
        "preferred where it is offered"
    );
    assert_eq!(encrypted("localhost", "sslmode=require", "tls-c"), "t");
    for (host, mode) in [
        ("localhost", "require"),
        ("127.0.0.1", "verify-ca"),
        ("localhost", "verify-full"),
    ] {
        assert_eq!(
            encrypted(host, &format!("sslmode={mode}&sslrootcert={root}"), "tls-d"),
            "t"
        );
        let refused = error(&url(
            host,
            &format!("sslmode={mode}&sslrootcert={other}&patience=1"),
        ));
        assert!(refused.contains("certificate"), "{mode}: {refused}");
    }
    let refused = error(&url(
        "127.0.0.1",
        &format!("sslmode=verify-full&sslrootcert={root}&patience=1"),
    ));
    assert!(
        refused.contains("name") || refused.contains("not valid for"),
        "the certificate is for another host: {refused}"
    );
    let missing = error(&url(
        "localhost",
        "sslmode=verify-full&sslrootcert=/no/such.crt",
    ));
    assert!(missing.contains("/no/such.crt"), "{missing}");
}

#[test]
fn a_client_certificate_is_who_one_is() {
    let Some(server) = Server::running() else {
        return;
    };
    let url = format!(
        "postgres://certified@localhost:{}/postgres?sslmode=require&patience=1",
        server.port()
    );
    let own = format!(
        "{url}&sslcert={0}/client.crt&sslkey={0}/client.key",
        server.certificates
    );
    assert!(open(&own).unwrap().studies().is_ok());
    assert!(error(&url).contains("certificate"));
}

#[test]
fn passwords_open_the_storage_and_are_never_shown() {
    let Some(server) = Server::running() else {
        return;
    };
    let (password, address) = (&server.password, server.address());
    let encoded = password
        .replace('/', "%2F")
        .replace('?', "%3F")
        .replace(':', "%3A");
    let (host, port) = address.split_once(':').unwrap();
    for url in [
        format!("postgres://secretive:{password}@{address}/postgres"),
        format!("postgres://secretive:{encoded}@{address}/postgres"),
        format!("postgres://secretive@{address}/postgres?password={encoded}"),
        format!("host={host} port={port} user=secretive dbname=postgres password='{password}'"),
    ] {
        let store = open(&url).unwrap();
        assert!(store.studies().is_ok());
        assert_eq!(
            store.url(),
            format!("postgres://secretive:***@{address}/postgres")
        );
    }
    for url in [
        format!("postgres://secretive:x{password}@{address}/postgres?patience=1"),
        format!("postgres://secretive@{address}/postgres?patience=1"),
    ] {
        let refused = error(&url);
        assert!(
            refused.contains("password") && !refused.contains("battery"),
            "{refused}"
        );
    }
}

/// What docs/distributed.md grants to workers.
const WORKER_ROLE: &str = "
    GRANT USAGE ON SCHEMA neuralbo TO worker;
    GRANT SELECT ON ALL TABLES IN SCHEMA neuralbo TO worker;
    GRANT UPDATE ON neuralbo.neuralbo_studies TO worker;
    GRANT INSERT, UPDATE, DELETE ON neuralbo.neuralbo_trials, neuralbo.neuralbo_reports TO worker;";

#[test]
fn a_role_that_may_little_can_work() {
    let Some(server) = Server::running() else {
        return;
    };
    let (url, database) = server.database();
    study(open(&url).unwrap().as_ref(), "s");
    let role = format!("worker_{database}");
    server.sql(
        &database,
        &format!(
            "CREATE ROLE {role} LOGIN; {}",
            WORKER_ROLE.replace("worker", &role)
        ),
    );
    let url = url.replace("neuralbo@", &format!("{role}@"));
    let store = open_for(&url, Access::Write).unwrap();
    let record = store.study("s").unwrap();
    let mut study = Study::open(store.clone(), record.clone(), Registry::standard()).unwrap();
    for value in [3.0, 1.0, 2.0] {
        let trial = study.ask_one().unwrap();
        store
            .report(
                &study.lease(&trial),
                &[neuralbo::record::Report {
                    step: 1,
                    name: "value".to_owned(),
                    value,
                }],
            )
            .unwrap();
        study.tell(&trial, value).unwrap();
    }
    let claimed = study.ask_one().unwrap();
    store.release(&study.lease(&claimed)).unwrap();
    assert_eq!(
        store
            .best(record.id)
            .unwrap()
            .and_then(|trial| trial.value("value")),
        Some(1.0)
    );
    assert!(store.delete_study(record.id).is_err() && store.study("s").is_ok());
    for forbidden in [
        "DROP TABLE neuralbo.neuralbo_trials",
        "ALTER TABLE neuralbo.neuralbo_trials ADD COLUMN x int",
        "DROP SCHEMA neuralbo CASCADE",
    ] {
        let output = server
            .psql(&database)
            .args(["-c", &format!("SET ROLE {role}"), "-c", forbidden])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("must be owner"),
            "{forbidden}: {said}"
        );
    }
    let stranger = format!("stranger_{database}");
    server.sql(&database, &format!("CREATE ROLE {stranger} LOGIN"));
    let refused = open(&url.replace(&role, &stranger)).err().unwrap();
    assert!(matches!(refused, StoreError::Database { .. }), "{refused}");
}

#[test]
fn tables_live_in_a_schema_of_their_own() {
    let Some(server) = Server::running() else {
        return;
    };
    let (url, database) = server.database();
    std::thread::scope(|scope| (0..8).for_each(|_| _ = scope.spawn(|| open(&url).unwrap())));
    study(open(&url).unwrap().as_ref(), "here");
    study(
        open(&format!("{url}?schema=lab")).unwrap().as_ref(),
        "there",
    );
    let tables = "SELECT string_agg(n, ',' ORDER BY n) FROM (SELECT table_schema || ':' || count(*) AS n FROM information_schema.tables \
                  WHERE table_name LIKE 'neuralbo%' GROUP BY table_schema) t";
    assert_eq!(server.sql(&database, tables), "lab:5,neuralbo:5");
    assert_eq!(open(&url).unwrap().study_names().unwrap(), ["here"]);
    assert_eq!(
        open(&format!("{url}?schema=lab"))
            .unwrap()
            .study_names()
            .unwrap(),
        ["there"]
    );
    let bad = error(&format!("{url}?schema=a;b"));
    assert!(bad.contains("schema"), "{bad}");
}

/// A way to the server that can fall silent: nothing is closed, and nothing arrives.
struct Proxy {
    port: u16,
    silent: Arc<AtomicBool>,
    /// How often clients sent something.
    sent: Arc<AtomicU64>,
}

impl Proxy {
    fn to(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, target) = (
            listener.local_addr().unwrap().port(),
            server.address().to_owned(),
        );
        let silent = Arc::new(AtomicBool::new(false));
        let sent = Arc::new(AtomicU64::new(0));
        let (flag, count) = (silent.clone(), sent.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(&target).unwrap();
                let (there, back) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                pump(there, back, flag.clone(), count.clone());
                pump(server, client, flag.clone(), Arc::default());
            }
        });
        Self { port, silent, sent }
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream, silent: Arc<AtomicBool>, pieces: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut buffer = [0_u8; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            pieces.fetch_add(1, Ordering::SeqCst);
            while silent.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
}

fn claim(store: &dyn Store, study: StudyId) -> Lease {
    let claim = Claim {
        worker: "tester".to_owned(),
        token: Token::fresh(),
        lease: Duration::from_secs(600),
    };
    let Claimed::Trial(trial) = store.claim(study, &claim).unwrap() else {
        panic!("full")
    };
    let lease = Lease::of(study, &trial);
    let params = [("x0", neuralbo::space::Value::from(0.5))]
        .into_iter()
        .collect();
    let provenance = neuralbo::record::Provenance {
        origin: "sampled".to_owned(),
        mean: None,
        sd: None,
        suggest_ms: 0.0,
        based_on: 0,
        pending: Vec::new(),
        batch: None,
        resumes: None,
    };
    store
        .propose(
            &lease,
            &Proposal {
                version: 1,
                params,
                provenance,
                repeat_allowed: true,
            },
        )
        .unwrap();
    lease
}

fn tell(store: &dyn Store, lease: &Lease, value: f64) -> Result<(), StoreError> {
    let definition = Definition::new(unit(), Direction::Minimize);
    store
        .tell(lease, &definition.ending(value.into()).unwrap())
        .map(|_| ())
}

/// A server with a study `s`, and a store that reaches it through a proxy.
fn through_a_proxy(server: &Server) -> (Proxy, Arc<dyn Store>, StudyId) {
    let (url, database) = server.database();
    let id = study(open(&url).unwrap().as_ref(), "s");
    let proxy = Proxy::to(server);
    let port = proxy.port;
    let url = format!("postgres://neuralbo@127.0.0.1:{port}/{database}?sslmode=disable");
    (proxy, open(&url).unwrap(), id)
}

/// Of a new trial, and of one that waits.
#[test]
fn a_claim_takes_one_round_trip() {
    let Some(server) = Server::running() else {
        return;
    };
    let (proxy, store, id) = through_a_proxy(&server);
    let next = || {
        let claim = Claim {
            worker: "tester".to_owned(),
            token: Token::fresh(),
            lease: Duration::from_secs(600),
        };
        let before = proxy.sent.load(Ordering::SeqCst);
        let Claimed::Trial(trial) = store.claim(id, &claim).unwrap() else {
            panic!("full")
        };
        (trial, proxy.sent.load(Ordering::SeqCst) - before)
    };
    // The first ones prepare the statements.
    let first = claim(store.as_ref(), id);
    store.release(&first).unwrap();
    assert_eq!(next().0.attempt, 2);
    let (trial, trips) = next();
    assert_eq!((trial.number, trial.attempt, trips), (1, 1, 1));
    let lease = claim(store.as_ref(), id);
    store.release(&lease).unwrap();
    let (trial, trips) = next();
    assert_eq!((trial.number, trial.attempt, trips), (2, 2, 1));
}

/// What finished, what was lost, the claim, what is running, the point, the result, and again what finished: one round trip each.
#[test]
fn a_trial_takes_seven_round_trips() {
    let Some(server) = Server::running() else {
        return;
    };
    let (proxy, store, _) = through_a_proxy(&server);
    let record = store.study("s").unwrap();
    let mut study = Study::open(store, record, Registry::standard()).unwrap();
    let mut trips = Vec::new();
    for number in 0..6 {
        let before = proxy.sent.load(Ordering::SeqCst);
        let trial = study.ask_one().unwrap();
        assert_eq!(trial.number, number);
        study.tell(&trial, number as f64).unwrap();
        trips.push(proxy.sent.load(Ordering::SeqCst) - before);
    }
    // The first trials prepare the statements.
    assert_eq!(trips[3..], [7, 7, 7], "{trips:?}");
    let best = study.store().best(study.record().id).unwrap().unwrap();
    assert_eq!((best.number, best.seq), (0, Some(1)));
}

#[test]
fn a_silent_server_is_an_error_and_not_a_hang() {
    let Some(server) = Server::running() else {
        return;
    };
    let (url, database) = server.database();
    let id = study(open(&url).unwrap().as_ref(), "s");
    let proxy = Proxy::to(&server);
    let through = format!(
        "postgres://neuralbo@127.0.0.1:{}/{database}?patience=1&sslmode=disable",
        proxy.port
    );
    let store = open(&through).unwrap();
    let lease = claim(store.as_ref(), id);
    proxy.silent.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let error = tell(store.as_ref(), &lease, 7.25).unwrap_err();
        assert!(
            error.is_outage() && error.to_string().contains("did not answer"),
            "{error}"
        );
    }
    let error = open(&through).err().unwrap();
    assert!(error.is_outage(), "{error}");
    proxy.silent.store(false, Ordering::SeqCst);
    tell(store.as_ref(), &lease, 7.25).unwrap();
    let trial = open(&url).unwrap().trial(id, 0).unwrap();
    assert_eq!(
        (trial.state.clone(), trial.value("value")),
        (State::Complete, Some(7.25))
    );
}

/// A session that keeps a lock until it is dropped.
struct Holder {
    psql: Child,
    input: Option<ChildStdin>,
}

impl Holder {
    fn new(server: &Server, database: &str, sql: &str) -> Self {
        let mut psql = server
            .psql(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = psql.stdin.take().unwrap();
        writeln!(input, "BEGIN; {sql};\n\\echo locked").unwrap();
        let lines = BufReader::new(psql.stdout.as_mut().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "locked"));
        Self {
            psql,
            input: Some(input),
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.psql.wait();
    }
}

#[test]
fn a_lock_of_another_session_is_an_error_and_not_a_hang() {
    let Some(server) = Server::running() else {
        return;
    };
    let (url, database) = server.database();
    let store = open(&format!("{url}?patience=1&lock_timeout=200")).unwrap();
    let id = study(store.as_ref(), "s");
    let lease = claim(store.as_ref(), id);
    let holder = Holder::new(
        &server,
        &database,
        "SELECT id FROM neuralbo.neuralbo_studies FOR UPDATE",
    );
    let error = tell(store.as_ref(), &lease, 7.25).unwrap_err();
    assert!(
        error.is_outage() && error.to_string().contains("lock"),
        "{error}"
    );
    assert_eq!(
        store.counts(id).unwrap().running,
        1,
        "looking does not wait"
    );
    drop(holder);
    tell(store.as_ref(), &lease, 7.25).unwrap();
    assert_eq!(store.trial(id, 0).unwrap().value("value"), Some(7.25));
}

#[test]
fn leases_are_by_the_clock_of_the_server() {
    let Some(server) = Server::running() else {
        return;
    };
    let (url, database) = server.database();
    let store = open(&url).unwrap();
    let id = study(store.as_ref(), "s");
    let now = || {
        server
            .sql(
                &database,
                "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint",
            )
            .parse::<i64>()
            .unwrap()
    };
    for _ in 0..3 {
        let before = now();
        let claim = Claim {
            worker: "tester".to_owned(),
            token: Token::fresh(),
            lease: Duration::from_secs(60),
        };
        let Claimed::Trial(trial) = store.claim(id, &claim).unwrap() else {
            panic!("full")
        };
        assert!((before..=now()).contains(&trial.asked_ms));
        assert_eq!(trial.lease_until_ms, trial.asked_ms + 60_000);
    }
}
