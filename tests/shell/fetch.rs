//! Specifications elsewhere, fetched over https from a server of the test: redirects, versions, faults that pass.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::folder::Folder;

pub(crate) const SPEC: &str = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/pets":{"get":{"summary":"List pets","responses":{}}}}}"#;

/// A server with a certificate of its own, which answers each request with the next of its replies.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) certificate: String,
    /// The heads of the requests so far.
    seen: Arc<Mutex<Vec<String>>>,
    replies: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])
            .expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)
            .expect("a certificate");
        let config = Arc::new(config);
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let replies: Arc<Mutex<Vec<String>>> = Arc::default();
        let (log, script) = (seen.clone(), replies.clone());
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let connection = ServerConnection::new(config.clone()).expect("a connection");
                let mut stream = BufReader::new(StreamOwned::new(connection, stream));
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).unwrap_or(0) == 0 {
                        break;
                    }
                }
                if head.is_empty() {
                    continue;
                }
                log.lock()
                    .expect("nobody panics")
                    .push(head.to_ascii_lowercase());
                let mut script = script.lock().expect("nobody panics");
                let reply = if script.is_empty() {
                    answer("500 Internal Server Error", "", "")
                } else {
                    script.remove(0)
                };
                // The client may have gone.
                let _ = stream.get_mut().write_all(reply.as_bytes());
                stream.get_mut().conn.send_close_notify();
                let _ = stream.get_mut().flush();
            }
        });
        Self {
            port,
            certificate: own.cert.pem(),
            seen,
            replies,
        }
    }

    pub(crate) fn will_say(&self, replies: &[String]) {
        self.replies
            .lock()
            .expect("nobody panics")
            .extend_from_slice(replies);
    }

    pub(crate) fn take_seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().expect("nobody panics"))
    }
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// A site whose only pages are those of a specification of `server`.
fn site(server: &Server) -> Folder {
    let folder = Folder::new(&[("certificate.pem", &server.certificate)]);
    let config = serde_json::json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "groups": [{ "group": "API", "openapi": format!("https://localhost:{}/openapi.json", server.port) }] },
    });
    folder.write("docs.json", config.to_string());
    folder
}

/// The routes of the site, and what is said beside them, where the operator allows the server.
fn routes(folder: &Folder, server: &Server) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["routes", "."])
        .current_dir(folder.path())
        .env("SSL_CERT_FILE", folder.at("certificate.pem"))
        .env("XDG_CACHE_HOME", folder.at("cache"))
        .env(
            "QUIRE_FETCH_ALLOW",
            format!("https://localhost:{}", server.port),
        )
        .env_remove("QUIRE_LOG")
        .output()
        .expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_document_is_sent_again_only_when_it_has_changed() {
    let server = Server::start();
    let folder = site(&server);
    server.will_say(&[answer(
        "200 OK",
        "ETag: \"one\"\r\nLast-Modified: Sat, 01 Aug 2026 10:00:00 GMT\r\n",
        SPEC,
    )]);
    let (out, said) = routes(&folder, &server);
    assert!(out.contains("List pets"), "{out}{said}");
    let seen = server.take_seen();
    assert_eq!(seen.len(), 1);
    assert!(!seen[0].contains("if-none-match"), "{seen:?}");
    server.will_say(&[answer("304 Not Modified", "", "")]);
    let (out, said) = routes(&folder, &server);
    assert!(
        out.contains("List pets") && !said.contains("could not be fetched"),
        "{out}{said}"
    );
    let seen = server.take_seen();
    assert!(seen[0].contains("if-none-match: \"one\""), "{seen:?}");
    assert!(
        seen[0].contains("if-modified-since: sat, 01 aug 2026 10:00:00 gmt"),
        "{seen:?}"
    );
    server.will_say(&[answer(
        "200 OK",
        "ETag: \"two\"\r\n",
        &SPEC.replace("List pets", "List all"),
    )]);
    assert!(routes(&folder, &server).0.contains("List all"));
}

#[test]
fn an_asyncapi_document_elsewhere_is_fetched_too() {
    let server = Server::start();
    let folder = site(&server);
    let config = serde_json::json!({
        "name": "T", "theme": "mint", "colors": { "primary": "#000000" },
        "navigation": { "groups": [{ "group": "Live", "asyncapi": format!("https://localhost:{}/live.json", server.port) }] },
    });
    folder.write("docs.json", config.to_string());
    let live = r#"{"asyncapi":"3.0.0","info":{"title":"T","version":"1"},"channels":{"chat":{"title":"Chat room","address":"/chat"}}}"#;
    server.will_say(&[answer("200 OK", "", live)]);
    let (out, said) = routes(&folder, &server);
    assert!(out.contains("Chat room"), "{out}{said}");
    assert!(out.contains("/api-reference/websockets/chat"), "{out}");
}

#[test]
fn a_fault_that_passes_is_waited_for_and_one_that_stays_is_said() {
    let server = Server::start();
    let folder = site(&server);
    server.will_say(&[
        answer("503 Service Unavailable", "", ""),
        answer("200 OK", "", SPEC),
    ]);
    let (out, said) = routes(&folder, &server);
    assert!(out.contains("List pets"), "{out}{said}");
    assert_eq!(server.take_seen().len(), 2);
    // What is gone is not asked for again and again; what was fetched before is used.
    server.will_say(&[answer("404 Not Found", "", "")]);
    let (out, said) = routes(&folder, &server);
    assert!(out.contains("List pets"), "{out}");
    assert!(
        said.contains("the server answered 404") && said.contains("fetched before is used"),
        "{said}"
    );
    assert_eq!(server.take_seen().len(), 1);
}

#[test]
fn a_redirect_is_followed_but_never_to_what_is_not_encrypted() {
    let server = Server::start();
    let folder = site(&server);
    server.will_say(&[
        answer("302 Found", "Location: /elsewhere.json\r\n", ""),
        answer("200 OK", "", SPEC),
    ]);
    assert!(routes(&folder, &server).0.contains("List pets"));
    assert!(server.take_seen()[1].starts_with("get /elsewhere.json"));
    server.will_say(&[answer(
        "302 Found",
        "Location: http://localhost/plain.json\r\n",
        "",
    )]);
    let (_, said) = routes(&folder, &server);
    assert!(said.contains("not https"), "{said}");
    let circle = answer("302 Found", "Location: /openapi.json\r\n", "");
    server.will_say(&vec![circle; 20]);
    let (_, said) = routes(&folder, &server);
    assert!(said.contains("too many redirects"), "{said}");
    assert!(server.take_seen().len() < 10);
}

#[test]
fn without_leave_nothing_is_fetched_from_this_machine() {
    let server = Server::start();
    let folder = site(&server);
    let output = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["routes", "."])
        .current_dir(folder.path())
        .env("SSL_CERT_FILE", folder.at("certificate.pem"))
        .env("XDG_CACHE_HOME", folder.at("cache"))
        .env_remove("QUIRE_FETCH_ALLOW")
        .env_remove("QUIRE_LOG")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("localhost is not public"), "{said}");
    assert!(said.contains("QUIRE_FETCH_ALLOW"), "{said}");
    assert_eq!(server.take_seen(), [""; 0]);
}

/// The origin that is allowed is no way to another one.
#[test]
fn a_redirect_goes_through_the_door_again() {
    let (server, inside) = (Server::start(), Server::start());
    let folder = site(&server);
    for place in [
        format!("https://localhost:{}/x.json", inside.port),
        format!("https://127.0.0.1:{}/x.json", inside.port),
        format!("//localhost:{}/x.json", inside.port),
        // The same server by another name is another origin.
        format!("https://127.0.0.1:{}/x.json", server.port),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://[fd00:ec2::254]/".to_owned(),
    ] {
        let location = format!("Location: {place}\r\n");
        server.will_say(&[answer("302 Found", &location, "")]);
        let (_, said) = routes(&folder, &server);
        assert!(said.contains("is not public"), "{place}: {said}");
        assert_eq!(server.take_seen().len(), 1, "{place}");
    }
    assert_eq!(inside.take_seen(), [""; 0]);
}
