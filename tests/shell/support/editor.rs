//! An editor: starts `quire lsp`, and keeps the texts of its documents as the server should.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::PATIENCE;
use super::folder::Folder;
use super::program::quire;

pub(crate) struct Editor {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    root: PathBuf,
    next: i64,
    /// Findings by path, as they were sent last.
    diagnostics: BTreeMap<String, Vec<Value>>,
    /// Messages of the server but findings and answers.
    pub(crate) others: Vec<Value>,
    /// Texts of open documents, by path.
    pub(crate) open: BTreeMap<String, String>,
    /// What the server can do.
    pub(crate) capabilities: Value,
}

impl Editor {
    /// Starts the server for the folder `root` of `folder`.
    #[track_caller]
    pub(crate) fn start(folder: &Folder, root: &str) -> Self {
        Self::start_with(folder, root, &[])
    }

    #[track_caller]
    pub(crate) fn start_with(folder: &Folder, root: &str, arguments: &[&str]) -> Self {
        let root = folder.path().join(root);
        let mut child = quire()
            .arg("lsp")
            .args(arguments)
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.at("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Self {
            child,
            input,
            messages,
            root,
            next: 0,
            diagnostics: BTreeMap::new(),
            others: Vec::new(),
            open: BTreeMap::new(),
            capabilities: Value::Null,
        };
        let folder = json!({ "uri": uri(&editor.root), "name": "site" });
        let params = json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [folder],
            "capabilities": {
                "general": { "positionEncodings": ["utf-16"] },
                "window": { "showDocument": { "support": true } },
                "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
            },
        });
        editor.capabilities = editor.request("initialize", params)["capabilities"].clone();
        editor.notify("initialized", json!({}));
        editor
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        uri(&self.root.join(path))
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        self.input.flush().expect("it reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and returns the response as a whole.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.note(message);
        }
    }

    fn note(&mut self, message: Value) {
        if message["method"] != "textDocument/publishDiagnostics" {
            self.others.push(message);
            return;
        }
        let params = &message["params"];
        let root = uri(&self.root);
        let uri = params["uri"].as_str().expect("an address");
        let path = uri
            .strip_prefix(&root)
            .unwrap_or(uri)
            .trim_start_matches('/');
        let found = params["diagnostics"].as_array().expect("a list").clone();
        self.diagnostics.insert(path.to_owned(), found);
    }

    /// Waits until the findings are such that `is_met` holds.
    #[track_caller]
    pub(crate) fn wait_for(
        &mut self,
        what: &str,
        is_met: impl Fn(&BTreeMap<String, Vec<Value>>) -> bool,
    ) {
        while !is_met(&self.diagnostics) {
            let Ok(message) = self.messages.recv_timeout(PATIENCE) else {
                panic!("{what}: {:#?}", self.diagnostics);
            };
            self.note(message);
        }
    }

    /// The findings of a document, as they were sent last.
    pub(crate) fn findings(&self, path: &str) -> Vec<Value> {
        self.diagnostics.get(path).cloned().unwrap_or_default()
    }

    /// The codes of the findings of a document.
    pub(crate) fn codes(found: &BTreeMap<String, Vec<Value>>, path: &str) -> Vec<String> {
        let found = found.get(path).map(Vec::as_slice).unwrap_or_default();
        let codes = found.iter().map(|found| found["code"].as_str());
        codes.map(|code| code.expect("a code").to_owned()).collect()
    }

    /// Opens a document as it is on disk.
    #[track_caller]
    pub(crate) fn open(&mut self, path: &str) {
        let text = std::fs::read_to_string(self.root.join(path)).expect("it is there");
        let document = json!({
            "uri": self.uri(path), "languageId": "mdx", "version": 0, "text": text,
        });
        self.open.insert(path.to_owned(), text);
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range of bytes of an open document.
    pub(crate) fn edit(&mut self, path: &str, range: std::ops::Range<usize>, text: &str) {
        let uri = self.uri(path);
        let document = self.open.get_mut(path).expect("an open document");
        let (start, end) = (
            position(document, range.start),
            position(document, range.end),
        );
        document.replace_range(range, text);
        let change = json!({ "range": { "start": start, "end": end }, "text": text });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 1 }, "contentChanges": [change] }),
        );
    }

    /// Replaces `old` in an open document.
    #[track_caller]
    pub(crate) fn replace(&mut self, path: &str, old: &str, new: &str) {
        let at = self.open[path].find(old).expect("the old text");
        self.edit(path, at..at + old.len(), new);
    }

    pub(crate) fn close(&mut self, path: &str) {
        self.open.remove(path);
        let uri = self.uri(path);
        self.notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": uri } }),
        );
    }

    /// Parameters of a request about the end of `words` in an open document.
    #[track_caller]
    pub(crate) fn after(&self, path: &str, words: &str) -> Value {
        let text = &self.open[path];
        let at = text
            .find(words)
            .unwrap_or_else(|| panic!("{words} in {text}"));
        self.at(path, at + words.len())
    }

    pub(crate) fn at(&self, path: &str, offset: usize) -> Value {
        json!({
            "textDocument": { "uri": self.uri(path) },
            "position": position(&self.open[path], offset),
        })
    }

    /// Applies the edits of documents of a workspace edit to their files; returns the paths that are renamed.
    #[track_caller]
    pub(crate) fn apply(&mut self, edit: &Value) -> Vec<(String, String)> {
        let mut renamed = Vec::new();
        let root = uri(&self.root) + "/";
        let path_of = |uri: &Value| {
            let uri = uri.as_str().expect("an address");
            uri.strip_prefix(&root)
                .expect("a file of the site")
                .to_owned()
        };
        for change in edit["documentChanges"].as_array().expect("a list") {
            if change["kind"] == "rename" {
                let (old, new) = (path_of(&change["oldUri"]), path_of(&change["newUri"]));
                let to = self.root.join(&new);
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("it is made");
                std::fs::rename(self.root.join(&old), to).expect("it is moved");
                renamed.push((old, new));
                continue;
            }
            let path = self.root.join(path_of(&change["textDocument"]["uri"]));
            let mut text = std::fs::read_to_string(&path).expect("it is there");
            let edits = change["edits"].as_array().expect("a list");
            for edit in edits.iter().rev() {
                let at = |end: &str| offset(&text, &edit["range"][end]);
                let range = at("start")..at("end");
                text.replace_range(range, edit["newText"].as_str().expect("a text"));
            }
            std::fs::write(&path, text).expect("it is written");
        }
        renamed
    }

    /// Ends the server as editors do; returns whether it ended well.
    pub(crate) fn end(mut self) -> bool {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("it ends").success()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It has ended already, but for a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Position of the protocol, in UTF-16.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// Byte offset of a position.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let (line, column) = (&position["line"], &position["character"]);
    let line = line.as_u64().expect("a line") as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = column.as_u64().expect("a column") as usize;
    for (at, c) in text[start..].char_indices() {
        if units == 0 || c == '\n' {
            return start + at;
        }
        units -= c.len_utf16();
    }
    text.len()
}
