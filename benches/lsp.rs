//! The language server while someone types on a site of 10,000 pages: time from a key to the answer, for each kind of request.
//!
//! `cargo bench --bench lsp`; `QUIRE_BENCH_PAGES` sets the number of pages, `QUIRE_BENCH_KEYS` that of keys for each kind.

#![allow(clippy::print_stdout, reason = "figures for who measures")]

#[path = "support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use quire_lsp::Options;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pause between two keys of someone who types fast. Findings are collected in some of the pauses.
const BETWEEN_KEYS: Duration = Duration::from_millis(90);

struct Client {
    connection: Connection,
    next: i32,
    findings: usize,
}

impl Client {
    fn send(&self, message: Message) {
        self.connection.sender.send(message).expect("a server");
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request::new(id.clone(), method.to_owned(), params).into());
        loop {
            match self.connection.receiver.recv().expect("an answer") {
                Message::Response(response) if response.id == id => {
                    return response.response_result.expect("a result");
                }
                other => self.note(&other),
            }
        }
    }

    /// Counts findings for the document that is typed in.
    fn note(&mut self, message: &Message) {
        if let Message::Notification(notification) = message
            && notification.method == "textDocument/publishDiagnostics"
        {
            let found = notification.params["diagnostics"].as_array();
            self.findings = found.map_or(0, Vec::len);
        }
    }

    /// Waits until the document has `findings` findings.
    fn wait(&mut self, findings: usize) {
        while self.findings != findings {
            let message = self.connection.receiver.recv().expect("findings");
            self.note(&message);
        }
    }
}

fn number(name: &str, default: usize) -> usize {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() {
    let (pages, keys) = (
        number("QUIRE_BENCH_PAGES", 10_000),
        number("QUIRE_BENCH_KEYS", 200),
    );
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in support::site(pages, 1) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        std::fs::write(path, text).expect("it is written");
    }
    let (client, server) = Connection::memory();
    let options = Options {
        site: Some(folder.path().to_owned()),
        preview: String::new(),
        version: String::new(),
    };
    let server = std::thread::spawn(move || quire_lsp::serve_on(&server, options));
    let mut client = Client {
        connection: client,
        next: 0,
        findings: 0,
    };
    let uri = |n: usize| {
        format!(
            "file://{}/{}.mdx",
            folder.path().display(),
            support::path(n)
        )
    };
    let since = Instant::now();
    let params = json!({ "capabilities": {}, "processId": null, "rootUri": null });
    client.request("initialize", params);
    client.notify("initialized", json!({}));
    let page = format!("{}.mdx", support::path(0));
    let text = std::fs::read_to_string(folder.path().join(page)).expect("a page");
    let body = text.find("\n---\n").expect("a frontmatter") + 5;
    let line = text[..body].matches('\n').count();
    let document = json!({ "uri": uri(0), "languageId": "mdx", "version": 0, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let at = |line: usize, character: usize| json!({ "textDocument": { "uri": uri(0) }, "position": { "line": line, "character": character } });
    client.request("textDocument/hover", at(line, 0));
    println!("first answer after {:.2} s", since.elapsed().as_secs_f64());
    let change = |client: &Client, from: (usize, usize), to: (usize, usize), text: &str| {
        let range = json!({
            "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 },
        });
        let params = json!({
            "textDocument": { "uri": uri(0), "version": 1 },
            "contentChanges": [{ "range": range, "text": text }],
        });
        client.notify("textDocument/didChange", params);
    };
    // A line of its own to type in: each kind of request has a beginning of it.
    change(&client, (line, 0), (line, 0), "\n[dead](/nowhere)\n\n");
    client.wait(1);
    println!(
        "first findings after {:.2} s",
        since.elapsed().as_secs_f64()
    );
    let line = line + 2;
    let target = support::path(pages / 2);
    let link = format!("[a](/{target}) ");
    let heading = "## Typed words\n";
    let kinds: &[(&str, &str, String, usize)] = &[
        (
            "completion of a component",
            "textDocument/completion",
            "<Ca".to_owned(),
            3,
        ),
        (
            "completion of a link",
            "textDocument/completion",
            format!("[a](/{}", &target[..5]),
            9,
        ),
        (
            "completion of an icon",
            "textDocument/completion",
            "<Card icon=\"ro".to_owned(),
            14,
        ),
        ("hover on a link", "textDocument/hover", link.clone(), 8),
        (
            "definition of a link",
            "textDocument/definition",
            link.clone(),
            8,
        ),
        (
            "references of a page",
            "textDocument/references",
            link.clone(),
            8,
        ),
        (
            "references of a heading",
            "textDocument/references",
            heading.to_owned(),
            6,
        ),
        (
            "symbols of a document",
            "textDocument/documentSymbol",
            String::new(),
            0,
        ),
        (
            "links of a document",
            "textDocument/documentLink",
            String::new(),
            0,
        ),
        ("symbols of the site", "workspace/symbol", String::new(), 0),
        (
            "rename of a heading",
            "textDocument/rename",
            heading.to_owned(),
            6,
        ),
        ("code actions", "textDocument/codeAction", link, 8),
    ];
    println!("ms from the key to the answer: p50, p99, maximum");
    for (name, method, words, column) in kinds {
        change(&client, (line, 0), (line + 1, 0), &format!("{words}\n"));
        let mut took: Vec<f64> = Vec::new();
        for key in 0..keys {
            let mut params = at(line, *column);
            params["context"] =
                json!({ "includeDeclaration": false, "diagnostics": [], "triggerKind": 1 });
            params["range"] = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } });
            params["newName"] = "Other words".into();
            params["query"] = "page-99".into();
            let since = Instant::now();
            // The key goes into the line below: the request stays what it is.
            change(&client, (line + 1, 0), (line + 1, 0), ["x", " "][key % 2]);
            client.request(method, params);
            took.push(since.elapsed().as_secs_f64() * 1000.0);
            std::thread::sleep(BETWEEN_KEYS);
        }
        took.sort_by(f64::total_cmp);
        let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
        println!("{name}: {:.2}, {:.2}, {:.2}", at(0.5), at(0.99), at(1.0));
        // The line that is typed in stays short.
        change(&client, (line + 1, 0), (line + 2, 0), "\n");
    }
    change(&client, (line, 0), (line + 1, 0), "\n");
    client.wait(1);
    let mut took: Vec<f64> = Vec::new();
    for _ in 0..keys.min(50) {
        let since = Instant::now();
        change(&client, (line, 0), (line, 0), "[b](/no-page)");
        client.wait(2);
        took.push(since.elapsed().as_secs_f64() * 1000.0);
        change(&client, (line, 0), (line + 1, 0), "\n");
        client.wait(1);
    }
    took.sort_by(f64::total_cmp);
    let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
    println!("a finding after its key: {:.2}, {:.2}", at(0.5), at(0.99));
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    server.join().expect("no panic").expect("it ends well");
}
