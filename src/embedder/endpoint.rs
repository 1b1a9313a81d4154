//! An endpoint that makes vectors of texts, as OpenAI defined it: `POST /v1/embeddings` with `{"model", "input"}`.
//!
//! Nothing that it sends is believed before it was looked at, and its key is shown to nobody else: no redirect is followed,
//! and no error holds the key or the address.

use std::time::Duration;

use anyhow::Context;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;

use super::source::Fault;
use crate::fetch::guard;
use crate::index::vectors::Vector;
use crate::settings::EmbedderSettings;

/// Longest a request may take.
const TIME: Duration = Duration::from_secs(60);
/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Largest answer that is read for a text: 8,192 numbers as long as they are ever written.
const MAX_BYTES: usize = 256 << 10;
/// What an answer may have besides.
const MAX_REST: usize = 64 << 10;
/// Most numbers of a vector.
const MAX_DIMENSIONS: usize = 8192;
/// Longest that an endpoint may ask to be left alone.
const MAX_WAIT: u64 = 3600;

/// An endpoint and how it is asked.
pub struct Endpoint {
    client: Client,
    url: Url,
    key: Option<HeaderValue>,
    model: String,
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    // Wider than what is made of it: a number that does not fit is seen here, not by the reader of JSON.
    embedding: Vec<f64>,
}

#[derive(Deserialize)]
struct Complaint {
    error: Said,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Message { message: String },
    Plain(String),
}

impl Endpoint {
    /// The endpoint that `settings` name.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the address or the key.
    pub fn new(settings: &EmbedderSettings) -> anyhow::Result<Self> {
        // It fails only when one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = settings.address()?;
        let mut client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .timeout(TIME)
            .no_proxy()
            .user_agent(concat!("quire/", env!("CARGO_PKG_VERSION")));
        if !settings.private {
            anyhow::ensure!(
                guard::may_ask(url.host_str()),
                "`url` is no public address; for a server in your own network add `private = true`"
            );
            client = client
                .https_only(true)
                .dns_resolver(guard::Resolver::public_only(guard::Network::default()));
        }
        let key = settings.key().context("the key of the embedder")?;
        let key = key.map(|key| {
            let mut header = HeaderValue::from_str(&format!("Bearer {key}"))?;
            header.set_sensitive(true);
            anyhow::Ok(header)
        });
        Ok(Self {
            client: client.build()?,
            url,
            key: key
                .transpose()
                .map_err(|_| anyhow::anyhow!("the key of the embedder holds what no header can"))?,
            model: settings.name(),
            dimensions: settings.dimensions,
        })
    }

    /// The vectors of `texts`, in their order.
    ///
    /// # Errors
    ///
    /// Returns why there are none, and whether there may be some later.
    pub async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, Fault> {
        let mut body = serde_json::json!({ "model": self.model, "input": texts });
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = dimensions.into();
        }
        let mut request = self.client.post(self.url.clone());
        request = request
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let mut reply = request.send().await.map_err(unreachable)?;
        let status = reply.status();
        let wait = reply
            .headers()
            .get(RETRY_AFTER)
            .and_then(|wait| wait.to_str().ok());
        let wait = wait.and_then(|wait| wait.trim().parse::<u64>().ok());
        let most = match status.is_success() {
            true => MAX_REST + texts.len() * MAX_BYTES,
            false => MAX_REST,
        };
        let mut bytes = Vec::new();
        while let Some(chunk) = reply.chunk().await.map_err(unreachable)? {
            if bytes.len() + chunk.len() > most {
                if status.is_success() {
                    return Err(Fault::Useless(
                        "it sent far more than was asked for".to_owned(),
                    ));
                }
                break;
            }
            bytes.extend_from_slice(&chunk);
        }
        if status.is_success() {
            return vectors(&bytes, texts.len(), self.dimensions)
                .map_err(|why| Fault::Useless(why.to_owned()));
        }
        Err(self.fault(status, wait, &bytes))
    }

    fn fault(&self, status: StatusCode, wait: Option<u64>, body: &[u8]) -> Fault {
        let why = format!("it answered {status}");
        match status.as_u16() {
            408 | 425 | 429 | 500..=599 => {
                let wait = wait.map(|wait| Duration::from_secs(wait.min(MAX_WAIT)));
                Fault::Later(wait, why)
            }
            400 | 413 | 414 | 422 => Fault::Refused(match self.said(body) {
                Some(said) => format!("{why}: {said}"),
                None => why,
            }),
            300..=399 => Fault::Closed(format!(
                "{why}: a redirect is not followed; give the address itself"
            )),
            // What these say may hold a part of the key.
            401 | 403 => Fault::Closed(format!("{why}: check the key (`key_env`, `key_file`)")),
            404 | 405 => Fault::Closed(format!("{why}: check `url` and `model`")),
            _ => Fault::Closed(why),
        }
    }

    /// What the endpoint says is wrong, without what it must not say.
    fn said(&self, body: &[u8]) -> Option<String> {
        let complaint: Complaint = serde_json::from_slice(body).ok()?;
        let (Said::Message { message } | Said::Plain(message)) = complaint.error;
        let key = self
            .key
            .as_ref()
            .and_then(|key| key.as_bytes().strip_prefix(b"Bearer "));
        let key = key.map(String::from_utf8_lossy);
        if key.is_some_and(|key| message.contains(&*key)) {
            return None;
        }
        let line: String = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(200)
            .collect();
        (!line.is_empty()).then_some(line)
    }
}

/// Why nothing came. The address is left out: some hold secrets.
fn unreachable(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    if error.is_timeout() {
        return Fault::Later(None, "it did not answer in time".to_owned());
    }
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Fault::Later(None, format!("it cannot be reached: {cause}"))
}

/// The vectors of an answer to `count` texts.
fn vectors(
    bytes: &[u8],
    count: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vector>, &'static str> {
    let answer: Answer = serde_json::from_slice(bytes)
        .map_err(|_| "what it sent is not an answer of `/v1/embeddings`")?;
    if answer.data.len() != count {
        return Err("it sent more or fewer vectors than texts");
    }
    let mut placed: Vec<Option<Vector>> = vec![None; count];
    let is_numbered = answer.data.iter().any(|item| item.index.is_some());
    for (i, item) in answer.data.iter().enumerate() {
        let place = if is_numbered { item.index } else { Some(i) };
        let place = place
            .and_then(|place| placed.get_mut(place))
            .filter(|place| place.is_none());
        let place = place.ok_or("it numbered vectors otherwise than texts")?;
        let numbers: Vec<f32> = item.embedding.iter().map(|number| *number as f32).collect();
        if numbers.is_empty() || numbers.len() > MAX_DIMENSIONS {
            return Err("it sent a vector without numbers, or with too many");
        }
        if dimensions.is_some_and(|dimensions| dimensions != numbers.len()) {
            return Err("it sent vectors of another size than `dimensions`");
        }
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err("it sent a number that is none");
        }
        *place = Some(Vector::of(&numbers));
    }
    let vectors: Option<Vec<Vector>> = placed.into_iter().collect();
    vectors.ok_or("it numbered vectors otherwise than texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &str, expected: Result<&[&[i8]], &str>) {
        let found = vectors(answer.as_bytes(), 2, None);
        let found = found.as_ref().map(|vectors| {
            vectors
                .iter()
                .map(|vector| &vector.numbers[..])
                .collect::<Vec<_>>()
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
            (found, expected) => panic!("{answer}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn vectors_stand_where_they_say() {
        check(
            r#"{"data":[{"index":1,"embedding":[0,-1]},{"index":0,"embedding":[2,1.0e0]}]}"#,
            Ok(&[&[127, 64], &[0, -127]]),
        );
        check(
            r#"{"data":[{"embedding":[0,0]},{"embedding":[1,0]}],"usage":{}}"#,
            Ok(&[&[0, 0], &[127, 0]]),
        );
    }

    #[test]
    fn what_cannot_be_used_is_not() {
        check("", Err("not an answer"));
        check("<html>", Err("not an answer"));
        check("[]", Err("not an answer"));
        check(r#"{"data":[]}"#, Err("more or fewer"));
        check(r#"{"data":[{"embedding":[1]}]}"#, Err("more or fewer"));
        check(
            r#"{"data":[{"embedding":[1]},{"embedding":[]}]}"#,
            Err("without numbers"),
        );
        check(
            r#"{"data":[{"embedding":[1]},{"embedding":[NaN]}]}"#,
            Err("not an answer"),
        );
        check(
            r#"{"data":[{"embedding":[1]},{"embedding":[null]}]}"#,
            Err("not an answer"),
        );
        check(
            r#"{"data":[{"embedding":[1]},{"embedding":[1e39]}]}"#,
            Err("number that is none"),
        );
        for numbers in ["0,\"index\":0", "2,\"index\":0", "1,\"index\":1"] {
            let (a, b) = numbers.split_once(',').unwrap();
            check(
                &format!(r#"{{"data":[{{"index":{a},"embedding":[1]}},{{{b},"embedding":[1]}}]}}"#),
                Err("numbered"),
            );
        }
        check(
            r#"{"data":[{"index":0,"embedding":[1]},{"embedding":[1]}]}"#,
            Err("numbered"),
        );
        let found = vectors(br#"{"data":[{"embedding":[1,2]}]}"#, 1, Some(3));
        assert_eq!(
            found,
            Err("it sent vectors of another size than `dimensions`")
        );
    }
}
