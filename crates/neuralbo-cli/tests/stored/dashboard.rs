//! The dashboard and reports, from the command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::folder::{Folder, program, stderr};
use crate::servers::postgres;

fn folder_with_a_study() -> Folder {
    let folder = Folder::new();
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "6",
        "--seed",
        "1",
    ];
    let output = folder
        .neuralbo(&run)
        .args(["--", "echo", "{x}"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

/// The dashboard and the address that it printed.
fn started(folder: &Folder, options: &[&str]) -> (Child, String) {
    started_on("neuralbo.db", folder, options)
}

fn started_on(storage: &str, folder: &Folder, options: &[&str]) -> (Child, String) {
    let mut command = Command::new(program());
    command
        .args(["dashboard", storage, "--port", "0"])
        .args(options)
        .current_dir(folder.path(""));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    (child, line.trim().to_owned())
}

fn ask(url: &str, path: &str) -> Value {
    let address = url.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

#[test]
fn the_dashboard_shows_the_storage_until_it_is_interrupted() {
    let folder = folder_with_a_study();
    let (mut child, url) = started(&folder, &[]);
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert_eq!(ask(&url, "/api/studies/s")["counts"]["complete"], 6);
    assert_eq!(ask(&url, "/api/info")["editable"], false);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_dashboard_of_a_server_ends_in_order() {
    let Some(server) = postgres() else { return };
    neuralbo_store::open(&server).unwrap();
    let (child, url) = started_on(&server, &Folder::new(), &[]);
    assert_eq!(ask(&url, "/api/info")["editable"], false);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{output:?}");
    // What it serves, and nothing of a panic or of the password.
    assert!(
        said.starts_with("the studies of postgres://") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_dashboard_that_may_act_says_its_token() {
    let folder = folder_with_a_study();
    let (mut child, url) = started(&folder, &["--allow-edit"]);
    assert_eq!(ask(&url, "/api/info")["editable"], true);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child.stderr.unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("token for changing studies: "), "{said}");
}

#[test]
fn wrong_input_is_named_and_nothing_is_made() {
    let folder = folder_with_a_study();
    for (options, words) in [
        (&["missing.db"][..], "missing.db"),
        (&["--token", "short"], "--token"),
        (&["--host-name", "a b"], "--host-name"),
        (&["--host", "everywhere"], "everywhere"),
        (&["--port", "70000"], "70000"),
    ] {
        let output = folder
            .neuralbo(&["dashboard"])
            .args(options)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(
            stderr(&output).contains(words),
            "{options:?}: {}",
            stderr(&output)
        );
    }
    assert!(!folder.path("missing.db").exists());
    let output = folder.neuralbo(&["report", "none"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("none") && !folder.path("none.html").exists());
}

#[test]
fn a_port_in_use_names_the_option_that_finds_another() {
    let folder = folder_with_a_study();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = folder
        .neuralbo(&["dashboard", "--port", &port])
        .output()
        .unwrap();
    let said = stderr(&output);
    assert!(
        output.status.code() == Some(1) && said.contains(&port) && said.contains("--port 0"),
        "{said}"
    );
}

#[test]
fn a_report_is_one_file() {
    let folder = folder_with_a_study();
    let output = folder
        .neuralbo(&["report", "s", "-o", "page.html"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    let data = page
        .split("id=\"data\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["/api/studies/s"]["counts"]["complete"], 6);
    assert_eq!(
        data["/api/studies/s/trials"]["trials"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    assert!(
        folder
            .neuralbo(&["report", "s"])
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(folder.path("s.html").exists());
}
