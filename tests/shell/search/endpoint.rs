//! An endpoint of the tests: makes vectors of texts, remembers what it was asked, and fails as it is told to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use quire_settings::EmbedderSettings;
use serde_json::{Value, json};

use crate::search::invented::embedding;

/// The name of its model.
pub(super) const MODEL: &str = "words-96";

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct EmbeddingRequest {
    pub(super) texts: Vec<String>,
    pub(super) key: Option<String>,
    pub(super) body: Value,
}

/// What it answers once, instead of vectors.
#[derive(Clone)]
pub(super) enum Answer {
    /// A status with these header lines and this body.
    Status(u16, &'static str, String),
    /// A success with this body.
    Body(String),
}

#[derive(Default)]
struct State {
    asked: Vec<EmbeddingRequest>,
    answers: VecDeque<Answer>,
    /// Requests with this text wait until it is taken away.
    held: Option<String>,
}

/// A server that ends with the process.
#[derive(Clone)]
pub(super) struct Endpoint {
    address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
}

/// The numbers of its vector of a text: texts with the same words have nearly the same.
pub(super) fn numbers(text: &str) -> Vec<f32> {
    let words: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let numbers = embedding(&words).vector;
    numbers[..96]
        .iter()
        .map(|number| f32::from(*number) / 50.0)
        .collect()
}

/// An answer with `vectors`, numbered.
pub(super) fn body(vectors: &[Vec<f32>]) -> String {
    let data = vectors.iter().enumerate();
    let data =
        data.map(|(i, numbers)| json!({ "object": "embedding", "index": i, "embedding": numbers }));
    json!({ "object": "list", "data": data.collect::<Vec<_>>(), "model": MODEL }).to_string()
}

impl Endpoint {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = Self {
            address: listener.local_addr().expect("an address"),
            state: Arc::default(),
        };
        let server = endpoint.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                std::thread::spawn(move || server.serve(&stream));
            }
        });
        endpoint
    }

    /// Settings for it: three texts at once.
    pub(super) fn settings(&self) -> EmbedderSettings {
        EmbedderSettings {
            private: true,
            batch: 3,
            ..EmbedderSettings::new(&format!("http://{}/v1", self.address), MODEL)
        }
    }

    /// What it was asked so far.
    pub(super) fn asked(&self) -> Vec<EmbeddingRequest> {
        self.state.0.lock().unwrap().asked.clone()
    }

    /// The texts that it was asked for, in order.
    pub(super) fn texts(&self) -> Vec<String> {
        self.asked()
            .into_iter()
            .flat_map(|asked| asked.texts)
            .collect()
    }

    /// Has it answer the next requests otherwise.
    pub(super) fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.state.0.lock().unwrap().answers.extend(answers);
    }

    /// Has requests wait that hold a text with these words; nothing lets them go.
    pub(super) fn hold(&self, words: Option<&str>) {
        self.state.0.lock().unwrap().held = words.map(str::to_owned);
        self.state.1.notify_all();
    }

    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some((head, bytes)) = read(&mut reader) {
            let request: Value = serde_json::from_slice(&bytes).expect("a request is JSON");
            let texts = request["input"].as_array().expect("texts").iter();
            let texts: Vec<String> = texts
                .map(|text| text.as_str().expect("a text").to_owned())
                .collect();
            assert!(head[0].starts_with("POST /v1/embeddings "), "{}", head[0]);
            let key = head
                .iter()
                .find_map(|line| line.strip_prefix("authorization: "));
            let (state, changed) = &*self.state;
            let mut state = state.lock().unwrap();
            state.asked.push(EmbeddingRequest {
                texts: texts.clone(),
                key: key.map(str::to_owned),
                body: request,
            });
            let answer = state.answers.pop_front();
            let is_held = |state: &mut State| {
                let held = state.held.as_ref();
                held.is_some_and(|held| texts.iter().any(|text| text.contains(held)))
            };
            drop(changed.wait_while(state, is_held).unwrap());
            let (status, headers, body) = match answer {
                None => (
                    200,
                    "",
                    body(&texts.iter().map(|text| numbers(text)).collect::<Vec<_>>()),
                ),
                Some(Answer::Body(body)) => (200, "", body),
                Some(Answer::Status(status, headers, body)) => (status, headers, body),
            };
            let head = format!(
                "HTTP/1.1 {status} Said\r\n{headers}Content-Length: {}\r\n\r\n",
                body.len()
            );
            let mut stream = stream;
            // Who went away hears nothing.
            if stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(body.as_bytes()))
                .is_err()
            {
                return;
            }
        }
    }
}

/// The lines of the head of a request, names of headers in lower case, and its body.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<(Vec<String>, Vec<u8>)> {
    let mut head = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let line = match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
            None => line.to_owned(),
        };
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().ok()?;
        }
        head.push(line);
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    Some((head, bytes))
}
