//! What is sent to an API, byte by byte, and what is handed on of its answer.

use std::io::Write;

use serde_json::{Value, json};

use super::support::{Api, Playground, Program, answer, code, parts, request, unsized_request};
use crate::fetch::Server;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use quire_settings::SiteSettings;

/// Bytes of every value, so many of them.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|n| (n % 251 + n / 251) as u8).collect()
}

#[test]
fn a_request_and_its_answer_are_what_they_were() {
    let mut reply = b"HTTP/1.1 418 Short And Stout\r\nX-One: 1\r\nx-one: 2\r\nX-Latin: \xe9\r\n\
        Set-Cookie: a=1; Secure\r\nContent-Type: application/x-tea\r\nContent-Length: 2000\r\n\r\n"
        .to_vec();
    reply.extend(bytes(2000));
    let api = Api::saying(reply);
    let playground = Playground::of(&api);
    let line = json!({
        "method": "PATCH", "url": api.url("/a%20b/%2F?x=%C3%A4&y=a+b&y=#part"),
        "headers": [["Accept", "text/html"], ["X-Key", "k"], ["x-key", "l"], ["Cookie", "c=1"],
            ["Authorization", "Bearer t"], ["Host", "elsewhere"], ["Content-Length", "7"],
            ["Transfer-Encoding", "chunked"], ["X-Forwarded-For", "1.2.3.4"], ["Origin", "https://docs.example"],
            ["Accept-Encoding", "gzip, br"], ["User-Agent", "reader"], ["Content-Type", "application/x-own"]],
    });
    let sent = bytes(1000);
    let reply = playground.send(&line, &sent);
    let seen = api.take_seen();
    let mut lines: Vec<&str> = seen[0].head.trim_end().split("\r\n").collect();
    assert_eq!(
        lines.remove(0),
        "PATCH /a%20b/%2F?x=%C3%A4&y=a+b&y= HTTP/1.1"
    );
    lines.sort_unstable();
    let host = format!("host: {}", api.address);
    let mut expected = [
        "accept-encoding: identity",
        "accept: text/html",
        "authorization: Bearer t",
        "content-length: 1000",
        "content-type: application/x-own",
        "cookie: c=1",
        &host,
        "user-agent: reader",
        "via: 1.1 quire",
        "x-key: k",
        "x-key: l",
    ];
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert_eq!(seen[0].body, sent);

    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("content-type"),
        Some("application/octet-stream")
    );
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    for name in ["set-cookie", "x-one", "access-control-allow-origin"] {
        assert_eq!(reply.header(name), None, "{name}");
    }
    let (line, body) = parts(&reply.body);
    assert_eq!(body, bytes(2000));
    assert_eq!(line["status"], 418);
    assert_eq!(line["reason"], "Short And Stout");
    assert_eq!(line["redirects"], 0);
    let url = line["url"].as_str().unwrap();
    assert!(url.starts_with(&api.url("/a%20b/%2F?x=%C3%A4")), "{url}");
    assert_eq!(
        line["headers"],
        json!([
            ["x-one", "1"],
            ["x-one", "2"],
            ["x-latin", "\u{e9}"],
            ["set-cookie", "a=1; Secure"],
            ["content-type", "application/x-tea"],
            ["content-length", "2000"]
        ])
    );
    assert_eq!(playground.ended("answered"), 1);
}

/// The methods of documents, with and without a body.
#[test]
fn every_method_that_a_document_describes_is_sent() {
    let api = Api::saying("HTTP/1.1 204 No Content\r\n\r\n");
    let playground = Playground::of(&api);
    for method in [
        "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY",
    ] {
        for body in [&b""[..], b"{}"] {
            let line = json!({ "method": method, "url": api.url("/"), "headers": [] });
            let reply = playground.send(&line, body);
            assert_eq!(parts(&reply.body).0["status"], 204, "{method}");
            let seen = api.take_seen().remove(0);
            assert!(
                seen.head.starts_with(&format!("{method} / HTTP/1.1\r\n")),
                "{}",
                seen.head
            );
            assert_eq!(seen.body, body, "{method}");
            let has_length = seen.head.contains("content-length: ");
            let expects_body = ["PUT", "POST", "PATCH", "QUERY"].contains(&method);
            assert_eq!(
                has_length,
                expects_body || !body.is_empty(),
                "{}",
                seen.head
            );
            assert!(!seen.head.contains("transfer-encoding"), "{}", seen.head);
            assert!(
                seen.head.contains("\r\nuser-agent: quire/"),
                "{}",
                seen.head
            );
            assert!(!seen.head.contains("origin:") && !seen.head.contains("quire-relay"));
        }
    }
}

#[test]
fn a_long_body_is_sent_while_it_comes_and_is_whole() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let playground = Playground::of(&api);
    let line = json!({ "method": "PUT", "url": api.url("/"), "headers": [] });
    for size in [
        (256 << 10) - 1,
        256 << 10,
        (256 << 10) + 1,
        3 << 20,
        10 << 20,
    ] {
        let sent = bytes(size);
        let reply = playground.send(&line, &sent);
        assert_eq!(parts(&reply.body).1, b"ok", "{size}");
        let seen = api.take_seen().remove(0);
        assert!(seen.body == sent, "{size}: {} came", seen.body.len());
        assert!(
            seen.head.contains(&format!("content-length: {size}\r\n")),
            "{}",
            seen.head
        );
    }
    // Of unknown length, as a stream.
    let sent = bytes(1 << 20);
    let mut connection = playground.preview.connect();
    let whole = request(&playground.host(), &line, &sent);
    connection.send(unsized_request(&whole));
    assert_eq!(parts(&connection.reply().body).1, b"ok");
    let seen = api.take_seen().remove(0);
    assert!(seen.body == sent && seen.is_whole);
}

/// An answer that is packed, though nobody asked for that.
fn packed(content: &[u8]) -> Vec<u8> {
    let mut archive = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    archive.write_all(content).unwrap();
    let archive = archive.finish().unwrap();
    let mut reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-A: b\r\nContent-Length: {}\r\n\r\n",
        archive.len()
    )
    .into_bytes();
    reply.extend(&archive);
    reply
}

#[test]
fn an_answer_that_is_packed_is_unpacked_as_far_as_it_may_be_long() {
    let api = Api::saying(packed(b"{\"a\": 1}"));
    let playground = Playground::of(&api);
    let reply = playground.get(&api.url("/"));
    let (line, body) = parts(&reply.body);
    assert_eq!(body, b"{\"a\": 1}");
    assert_eq!(line["headers"], json!([["x-a", "b"]]));
    let seen = api.take_seen().remove(0);
    assert!(
        seen.head.contains("accept-encoding: identity"),
        "{}",
        seen.head
    );
    // An archive of nothing much may be long.
    let api = Api::saying(packed(&vec![0; 64 << 20]));
    let playground = Playground::of(&api);
    let reply = playground.get(&api.url("/"));
    let (line, body) = parts(&reply.body);
    let ending = format!("{}too-large", line["mark"].as_str().unwrap());
    let came = body.strip_suffix(ending.as_bytes()).expect("why it ends");
    assert_eq!(came.len(), 25 << 20);
    // What is none is broken off.
    let api =
        Api::saying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain");
    let playground = Playground::of(&api);
    let reply = playground.get(&api.url("/"));
    assert_eq!(parts(&reply.body).0["status"], 200);
    assert!(reply.body.ends_with(b"broken"));
    // A head speaks of what is not there.
    let api =
        Api::saying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n");
    let playground = Playground::of(&api);
    let reply = playground.send(&json!({ "method": "HEAD", "url": api.url("/") }), b"");
    assert_eq!(parts(&reply.body).1, b"");
}

#[test]
fn many_header_fields_are_handed_on() {
    let fields: String = (0..300).map(|n| format!("X-{n}: {n}\r\n")).collect();
    let api = Api::saying(answer("200 OK", &fields, "ok"));
    let playground = Playground::of(&api);
    let given: Vec<[String; 2]> = (0..150)
        .map(|n| [format!("Y-{n}"), n.to_string()])
        .collect();
    let line = json!({ "method": "GET", "url": api.url("/"), "headers": given });
    let reply = playground.send(&line, b"");
    let (line, body) = parts(&reply.body);
    assert_eq!(body, b"ok");
    assert!(
        line["headers"]
            .as_array()
            .unwrap()
            .contains(&json!(["x-299", "299"]))
    );
    assert!(api.take_seen()[0].head.contains("y-149: 149"));
}

#[test]
fn an_answer_of_any_framing_is_handed_on() {
    for (reply, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 204 No Content\r\n\r\n", ""),
        ("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", ""),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", "until the end"),
        (
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end",
            "until the end",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            "abcde",
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "ok",
        ),
        (
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 1\r\n\r\nx",
            "x",
        ),
        ("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "x"),
    ] {
        let api = Api::saying(reply);
        let playground = Playground::of(&api);
        let got = playground.get(&api.url("/"));
        assert_eq!(got.status, 200, "{reply}");
        // A reader is not asked for a password by the site.
        assert_eq!(got.header("www-authenticate"), None);
        assert_eq!(parts(&got.body).1, body.as_bytes(), "{reply}");
    }
}

#[test]
fn an_answer_that_is_none_is_said() {
    for reply in [
        "",
        "SSH-2.0-x\r\n",
        "HTTP/1.1 banana\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
    ] {
        let api = Api::saying(reply);
        let playground = Playground::of(&api);
        let got = playground.get(&api.url("/secret-path?secret=1"));
        assert_eq!(
            (got.status, &*code(&got)),
            (502, "relay-unreachable"),
            "{reply:?}"
        );
        assert!(!got.text().contains("secret"), "{}", got.text());
        assert_eq!(playground.ended("relay-unreachable"), 1);
    }
}

/// The program itself, which trusts a certificate of the test.
#[test]
fn an_api_with_tls_is_who_it_says() {
    let server = Server::start();
    server.will_say(&[crate::fetch::answer("200 OK", "", "over TLS")]);
    let folder = super::support::site(&[]);
    folder.write("certificate.pem", &server.certificate);
    let origin = format!("https://localhost:{}", server.port);
    let trusted = folder.at("certificate.pem");
    let other = format!("https://127.0.0.1:{}", server.port);
    let allowed = ["--relay-allow", &origin, "--relay-allow", &other];
    let program = Program::start(&folder, &allowed, &[("SSL_CERT_FILE", &trusted)]);
    let reply = program.get(&format!("{origin}/x"));
    assert_eq!(parts(&reply.body).1, b"over TLS", "{}", reply.text());
    // A certificate is for a name.
    let reply = program.get(&format!("{other}/x"));
    assert_eq!(code(&reply), "relay-unreachable");
    assert!(reply.text().contains("TLS: "), "{}", reply.text());
}

#[test]
fn a_machine_without_certificates_asks_what_needs_none() {
    let api = Api::saying(answer("200 OK", "", "plain"));
    let folder = super::support::site(&[]);
    let (plain, secured) = (api.origin(), "https://localhost:9443".to_owned());
    let allowed = ["--relay-allow", &plain, "--relay-allow", &secured];
    let (file, nowhere) = (folder.at("none.pem"), folder.at("none"));
    let variables = [("SSL_CERT_FILE", &*file), ("SSL_CERT_DIR", &*nowhere)];
    let program = Program::start(&folder, &allowed, &variables);
    let reply = program.get(&format!("{plain}/x"));
    assert_eq!(parts(&reply.body).1, b"plain", "{}", reply.text());
    let reply = program.get(&format!("{secured}/x"));
    assert_eq!(code(&reply), "relay-unreachable");
    assert!(
        reply.text().contains("install `ca-certificates`"),
        "{}",
        reply.text()
    );
}

/// A site in a daemon that names an address inside, with which it is told from one that does not.
fn naming(server: &str) -> Folder {
    super::support::site(&[server.to_owned()])
}

#[test]
fn each_site_of_a_daemon_has_the_origins_of_its_own() {
    let api = Api::saying(answer("200 OK", "", "ok"));
    let (one, two, state) = (
        naming("http://10.0.0.1"),
        naming("http://10.0.0.2"),
        Folder::new(&[]),
    );
    let sites = [("one", &one), ("two", &two)];
    let sites = sites.map(|(id, folder)| (id, SiteSettings::of_folder(folder.path())));
    let mut settings = settings(state.path(), &sites);
    settings.relay.allow = vec![api.origin()];
    let daemon = Daemon::start(settings);
    let ask = |host: &str, url: &str| {
        let host = format!("{host}:{}", daemon.address.port());
        let line = json!({ "method": "GET", "url": url, "headers": [] });
        let mut connection = crate::support::client::Connection::open(daemon.address);
        connection.send(request(&host, &line, b""));
        connection.reply()
    };
    for (host, url, expected) in [
        ("one.localhost", "http://10.0.0.1/x", "relay-address"),
        ("one.localhost", "http://10.0.0.2/x", "relay-target"),
        ("two.localhost", "http://10.0.0.1/x", "relay-target"),
        ("two.localhost", "http://10.0.0.2/x", "relay-address"),
        // Exactly this scheme and port.
        ("one.localhost", "https://10.0.0.1/x", "relay-target"),
        ("one.localhost", "http://10.0.0.1:81/x", "relay-target"),
        ("one.localhost", "http://10.0.0.1:80/x", "relay-address"),
        ("localhost", "http://10.0.0.1/x", "unknown-operation"),
        ("elsewhere.example", "http://10.0.0.1/x", "unknown-host"),
    ] {
        assert_eq!(code(&ask(host, url)), expected, "{host} {url}");
    }
    // What the operator allows is for every site.
    for host in ["one.localhost", "two.localhost"] {
        let reply = ask(host, &api.url("/x"));
        assert_eq!(parts(&reply.body).1, b"ok");
    }
    let metrics = daemon.ask("localhost", "/_quire/metrics").text();
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} is not there: {metrics}"))
            .trim()
            .to_owned()
    };
    assert_eq!(
        value("quire_relay_requests_total{outcome=\"answered\"}"),
        "2"
    );
    assert_eq!(
        value("quire_relay_requests_total{outcome=\"relay-target\"}"),
        "4"
    );
    assert_eq!(
        value("quire_relay_requests_total{outcome=\"relay-address\"}"),
        "3"
    );
    assert_eq!(
        value("quire_relay_bytes_total{direction=\"received\"}"),
        "4"
    );
    assert_eq!(value("quire_relay_in_flight"), "0");
}

/// An administrator may do more than a reader.
#[test]
fn nobody_becomes_an_administrator_by_it() {
    let (folder, state) = (super::support::site(&[]), Folder::new(&[]));
    let inside = Daemon::start(settings(
        state.path(),
        &[("docs", SiteSettings::of_folder(folder.path()))],
    ));
    let admin = inside.admin.expect("an address");
    assert_eq!(inside.ask("localhost", "/_quire/status").status, 200);
    // However careless its operator is.
    let origins = [inside.address, admin].map(|address| format!("http://{address}"));
    let playground = Playground::with(super::support::settings(&origins), Default::default());
    for (method, path, status) in [
        ("GET", "/_quire/status", 404),
        ("GET", "/_quire/metrics", 404),
        ("POST", "/api/sites/docs/deployments", 401),
        ("POST", "/_quire/relay", 403),
    ] {
        for origin in &origins {
            let url = format!("{origin}{path}");
            let headers = json!([["Quire-Relay", "1"], ["Origin", origin], ["Via", ""]]);
            let line = json!({ "method": method, "url": url, "headers": headers });
            let reply = playground.send(&line, b"");
            assert_eq!(parts(&reply.body).0["status"], status, "{url}");
        }
    }
}

#[test]
fn an_edit_of_the_documents_changes_where_requests_go() {
    let folder = naming("http://10.0.0.1");
    let preview = crate::support::preview::Preview::of(&folder);
    let ask = |url: &str| {
        let line = json!({ "method": "GET", "url": url, "headers": [] });
        let mut connection = preview.connect();
        connection.send(request(&preview.address.to_string(), &line, b""));
        code(&connection.reply())
    };
    assert_eq!(ask("http://10.0.0.2/"), "relay-target");
    let spec = std::fs::read_to_string(folder.at("api.json")).unwrap();
    folder.write("api.json", spec.replace("10.0.0.1", "10.0.0.2"));
    // What was written before the question is known to it.
    assert_eq!(ask("http://10.0.0.2/"), "relay-address");
    assert_eq!(ask("http://10.0.0.1/"), "relay-target");
    folder.write(
        "page.mdx",
        "---\ntitle: P\napi: GET http://10.0.0.3/v1\n---\n",
    );
    assert_eq!(ask("http://10.0.0.3/"), "relay-address");
    let config = std::fs::read_to_string(folder.at("docs.json")).unwrap();
    let mut config: Value = serde_json::from_str(&config).unwrap();
    config["api"] = json!({ "mdx": { "server": "http://10.0.0.4/v1" } });
    folder.write("docs.json", config.to_string());
    assert_eq!(ask("http://10.0.0.4/"), "relay-address");
}
