//! Buckets of the S3 server of the tests (`tests/python/s3.py`).

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::daemon::send;
use super::repository;

/// The server, which ends with this process: with its input.
struct S3 {
    address: String,
    _process: Child,
}

/// Returns the address of a new bucket, `s3://…/PREFIX`, and the environment that leads to it;
/// `None`, and a line that says so, if its packages are not installed.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
pub(crate) fn bucket(test: &str) -> Option<(String, Vec<(String, String)>)> {
    static SERVER: OnceLock<Option<S3>> = OnceLock::new();
    static BUCKETS: AtomicU64 = AtomicU64::new(0);
    let Some(server) = SERVER.get_or_init(start) else {
        eprintln!("SKIPPED {test} on a bucket: run tests/python/environment first");
        return None;
    };
    let name = format!("bucket-{}", BUCKETS.fetch_add(1, Ordering::SeqCst));
    let host = server.address.trim_start_matches("http://");
    let address = host.parse().expect("an address");
    let made = send(address, "PUT", host, &format!("/{name}"), &[], "");
    assert_eq!(made.status, 200, "{}", made.text());
    let variables = [
        ("AWS_ENDPOINT_URL", server.address.as_str()),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_REGION", "us-east-1"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Some((format!("s3://{name}/sites"), variables.to_vec()))
}

fn start() -> Option<S3> {
    let python = repository().join("target/python/bin/python");
    if !python.exists() {
        return None;
    }
    let mut process = Command::new(python)
        .arg("-B")
        .arg(repository().join("tests/python/s3.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut address = String::new();
    let mut said = BufReader::new(process.stdout.take().expect("its output"));
    said.read_line(&mut address).expect("a line");
    assert!(address.starts_with("http://"), "no S3 server: {address}");
    Some(S3 {
        address: address.trim().to_owned(),
        _process: process,
    })
}
