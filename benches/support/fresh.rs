//! From a write of a file to an answer over HTTP that has it: the program as it is released, asked once after each write.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::generated;
use crate::latency::percentiles;
use crate::random_numbers::Random;

/// How many pages the site has.
const PAGES: usize = 1_000;
/// How many files are written.
const WRITES: usize = 200;

/// `quire dev` of a folder; it ends with this.
struct Preview {
    child: Child,
    address: String,
}

impl Preview {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
            .arg("dev")
            .arg(folder)
            .args(["--port", "0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(said.read_line(&mut line).expect("a line") > 0, "it ended");
            if let Some((_, after)) = line.split_once("http://") {
                let end = |c: char| c.is_whitespace() || c == '/';
                break after.split(end).next().expect("an address").to_owned();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, address }
    }

    /// What is answered to a request, and its body.
    fn ask(&self, request: &str, target: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connect");
        stream.set_nodelay(true).expect("a mode");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a limit");
        let head = format!(
            "{request} {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("send");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// The addresses of the pages that answer `query`.
    fn found(&self, target: &str, query: &str) -> Vec<String> {
        let body = json!({ "query": query, "semantic": true }).to_string();
        let answer = self.ask("POST", target, &body);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let start = body.find('{').expect("an object");
        let end = body.rfind('}').expect("its end");
        let value: Value = serde_json::from_str(&body[start..=end]).expect("JSON");
        let results = value["results"].as_array().expect("results").iter();
        let urls = results.map(|one| one["url"].as_str().expect("an address").to_owned());
        urls.collect()
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.child.kill().expect("it ends");
        self.child.wait().expect("it ended");
    }
}

/// Prints how many first questions after a write are answered with it, and how long that takes from before the write.
pub(crate) fn fresh() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    let mut files = generated::site(PAGES, 1);
    // New pages are found though the navigation does not list them.
    let config = &mut files[0].1;
    *config = config.replacen('{', r#"{"seo":{"indexing":"all"},"#, 1);
    for (path, text) in &files {
        write(path, text);
    }
    let preview = Preview::start(folder.path());
    let home = preview.ask("GET", &format!("/{}", generated::path(0)), "");
    let (_, after) = (home.split_once("name=\"quire-search\" content=\"")).expect("an address");
    let target = after.split('"').next().expect("an address").to_owned();
    let start = Instant::now();
    preview.found(&target, "webhooks");
    println!(
        "\n{PAGES} pages; first question of all {:?}",
        start.elapsed()
    );
    let pages = &files[1..];
    let random = &mut Random::new(5);
    let mut times: [Vec<Duration>; 3] = Default::default();
    let (mut right, mut added) = (0, Vec::<(String, String)>::new());
    for i in 0..WRITES {
        let word = format!("zq{i}xj");
        // A word in an old page; every tenth a new page, and every tenth one that goes.
        let kind = match i % 10 {
            4 => 1,
            9 => 2,
            _ => 0,
        };
        let (path, text) = match kind {
            1 => {
                let text = format!("---\ntitle: Added {word}\n---\n\nWhat is new here.\n");
                (format!("added/page-{i}.mdx"), text)
            }
            _ => {
                let (path, text) = &pages[random.below(pages.len())];
                (path.clone(), format!("{text}\n{word} is said here.\n"))
            }
        };
        let route = |path: &str| format!("/{}", path.trim_end_matches(".mdx"));
        let start = Instant::now();
        let is_right = match (kind, added.pop()) {
            (2, Some((path, word))) => {
                std::fs::remove_file(folder.path().join(&path)).expect("removed");
                !preview.found(&target, &word).contains(&route(&path))
            }
            (_, last) => {
                added.extend(last);
                write(&path, &text);
                let found = preview.found(&target, &word);
                if kind == 1 {
                    added.push((path.clone(), word));
                }
                found.first() == Some(&route(&path))
            }
        };
        times[kind].push(start.elapsed());
        right += usize::from(is_right);
    }
    println!("first question after a write: {right} of {WRITES} right");
    let names = ["a word in a page", "a new page", "a page less"];
    for (name, times) in names.into_iter().zip(times) {
        println!("{name:18} {}", percentiles(times));
    }
}
