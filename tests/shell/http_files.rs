//! Files of a site: sent as they are read, whole or in part, and held by nobody who does not take them.

use quire_http::server::Limits;

use crate::support::client::{Connection, Reply};
use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::wait_until;

const LARGE: usize = 24 << 20;

/// Bytes of which no two parts are the same.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn site(files: &[(&str, Vec<u8>)]) -> Folder {
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name": "T", "theme": "mint", "colors": {"primary": "#000000"}, "navigation": {"pages": ["start"]}}"##,
        ),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
    ]);
    for (path, bytes) in files {
        folder.write(path, bytes);
    }
    folder
}

fn ask(connection: &mut Connection, target: &str, headers: &[(&str, &str)]) -> Reply {
    connection.request("GET", target, headers);
    connection.reply()
}

/// Bytes of replies that the process holds, as its metrics say.
fn held(preview: &Preview) -> usize {
    let metrics = Connection::open(preview.admin)
        .get("/_quire/metrics")
        .text();
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("quire_http_reply_bytes "));
    line.and_then(|bytes| bytes.parse().ok()).expect("a number")
}

#[test]
fn parts_of_a_file_are_sent() {
    let video = noise(300_000);
    let folder = site(&[("video.mp4", video.clone()), ("empty.mp4", Vec::new())]);
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    let whole = ask(&mut connection, "/video.mp4", &[]);
    assert_eq!(whole.status, 200);
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    assert_eq!(whole.header("content-type"), Some("video/mp4"));
    assert!(whole.body == video);
    let tag = whole.header("etag").expect("a tag").to_owned();
    for (range, part) in [
        ("bytes=0-1", 0..2),
        ("bytes=100000-", 100_000..300_000),
        ("bytes=-5", 299_995..300_000),
        ("bytes=65530-65540", 65_530..65_541),
    ] {
        let reply = ask(&mut connection, "/video.mp4", &[("Range", range)]);
        assert_eq!(reply.status, 206, "{range}");
        let said = format!("bytes {}-{}/300000", part.start, part.end - 1);
        assert_eq!(reply.header("content-range"), Some(said.as_str()));
        assert_eq!(reply.header("etag"), Some(tag.as_str()));
        assert!(reply.body == video[part], "{range}");
    }
    // The rest of what is there already, and of what is there no more.
    let (rest, mine) = (("Range", "bytes=299999-"), ("If-Range", tag.as_str()));
    assert_eq!(
        ask(&mut connection, "/video.mp4", &[rest, mine]).status,
        206
    );
    let other = ("If-Range", "\"another\"");
    let reply = ask(&mut connection, "/video.mp4", &[rest, other]);
    assert_eq!(reply.status, 200);
    assert!(reply.body == video);
    let beyond = ask(&mut connection, "/video.mp4", &[("Range", "bytes=300000-")]);
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("content-range"), Some("bytes */300000"));
    assert_eq!(beyond.body.len(), 0);
    // What the client has goes before the part that it asks for (RFC 9110, 13.2.2).
    let known = ("If-None-Match", tag.as_str());
    let reply = ask(&mut connection, "/video.mp4", &[known, rest]);
    assert_eq!(reply.status, 304);
    connection.request("HEAD", "/video.mp4", &[rest]);
    let head = connection.reply_to_head();
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-length"), Some("300000"));
    let empty = ask(&mut connection, "/empty.mp4", &[]);
    assert_eq!(
        (empty.status, empty.header("content-length")),
        (200, Some("0"))
    );
    let empty = ask(&mut connection, "/empty.mp4", &[("Range", "bytes=0-")]);
    assert_eq!(empty.status, 416);
}

#[test]
fn text_is_compressed_and_has_no_parts() {
    let words = "Words of a text. ".repeat(1000);
    let folder = site(&[("words.txt", words.clone().into_bytes())]);
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    let headers = [("Accept-Encoding", "br"), ("Range", "bytes=0-1")];
    let reply = ask(&mut connection, "/words.txt", &headers);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-encoding"), Some("br"));
    assert_eq!(reply.header("accept-ranges"), None);
    assert_eq!(reply.decoded(), words.as_bytes());
}

#[test]
fn clients_that_take_nothing_hold_little() {
    let video = noise(LARGE);
    let folder = site(&[("video.mp4", video.clone())]);
    let preview = Preview::start(folder.path(), Limits::default());
    const CLIENTS: usize = 12;
    let mut slow: Vec<Connection> = (0..CLIENTS).map(|_| preview.connect()).collect();
    for client in &mut slow {
        client.request("GET", "/video.mp4", &[]);
        assert_eq!(client.try_head().expect("a head").0, 200);
    }
    // The system takes what fits into the buffers of the sockets; of the rest a chunk is in memory. Until a client is stuck,
    // the next chunk may be read while one is sent. The metrics are a reply, too.
    let stuck = CLIENTS * 64 * 1024..=(CLIENTS + 1) * 64 * 1024;
    wait_until("all of them are stuck", || stuck.contains(&held(&preview)));
    let reply = preview.get("/video.mp4");
    assert!(reply.status == 200 && reply.body == video);
    drop(slow);
    wait_until("what they held is given back", || {
        held(&preview) < 64 * 1024
    });
}

#[test]
fn a_file_that_is_replaced_meanwhile_is_sent_to_its_end() {
    let video = noise(LARGE);
    let folder = site(&[("video.mp4", video.clone())]);
    let preview = Preview::of(&folder);
    let mut client = preview.connect();
    client.request("GET", "/video.mp4", &[]);
    let (status, headers) = client.try_head().expect("a head");
    assert_eq!(status, 200);
    assert!(headers.contains(&("content-length".to_owned(), LARGE.to_string())));
    folder.write("next.mp4", b"another");
    std::fs::rename(folder.at("next.mp4"), folder.at("video.mp4")).expect("it is replaced");
    client.request("GET", "/start", &[]);
    assert_eq!(client.read(LARGE), video);
    assert_eq!(client.reply().status, 200);
    assert_eq!(preview.get("/video.mp4").body, b"another");
}

#[test]
fn a_file_that_is_written_meanwhile_is_broken_off() {
    let folder = site(&[("video.mp4", noise(LARGE))]);
    let preview = Preview::of(&folder);
    let mut client = preview.connect();
    client.request("GET", "/video.mp4", &[]);
    assert_eq!(client.try_head().expect("a head").0, 200);
    folder.write("video.mp4", vec![7; LARGE]);
    let sent = client.read_to_end();
    assert!(sent < LARGE, "{sent} of {LARGE} bytes look whole");
}
