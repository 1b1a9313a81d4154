//! An endpoint of a model, over HTTP: asked with JSON, and not believed before what it sends was looked at.
//!
//! Its key is sent to no other server: no redirect is followed, and no error contains the key or
//! the address.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, Response, StatusCode, Url};
use serde::Deserialize;

use crate::network::Door;
use crate::network::guard::Network;
use quire_settings::NamedEndpoint;

/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Longest that an endpoint may ask to be left alone.
const MAX_WAIT: u64 = 3600;
/// Largest complaint that is read.
const MAX_COMPLAINT: usize = 64 << 10;
/// Maximum number of characters of an error message that is passed on.
const MAX_SAID: usize = 200;

/// Why an endpoint gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A later request may succeed, after this long if the endpoint says so.
    Later(Option<Duration>, String),
    /// Refusal of what was sent.
    Refused(String),
    /// No request can succeed: wrong key, address or model, or a folder that cannot be read.
    Closed(String),
    /// The response cannot be used.
    Useless(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Later(_, why) | Self::Refused(why) | Self::Closed(why) | Self::Useless(why)) =
            self;
        f.write_str(why)
    }
}

/// Header that the key is sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `x-api-key: …`, as Anthropic wants it.
    ApiKey,
}

/// An endpoint and how it is asked.
pub struct Endpoint {
    door: Door,
    url: Url,
    headers: HeaderMap,
    key: Option<String>,
}

#[derive(Deserialize)]
struct Complaint {
    error: ErrorBody,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorBody {
    Message { message: String },
    Plain(String),
}

impl Endpoint {
    /// The operation of `named` whose path ends in `ending`. A request takes no longer than `time`; without it, as long as
    /// whoever asks waits.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the address or the key.
    pub fn new(
        named: &NamedEndpoint<'_>,
        ending: &str,
        key_header: KeyHeader,
        time: Option<Duration>,
    ) -> anyhow::Result<Self> {
        let url = named.address(ending)?;
        // The operator wrote the address: it may be anywhere if they say so, too.
        let origin = url.origin().ascii_serialization();
        let allowed: BTreeSet<String> = named.private.then_some(origin).into_iter().collect();
        let is_private = named.private;
        let door = Door::new(Network::default(), allowed, move |client| {
            let client = client.connect_timeout(CONNECT);
            let client = client.https_only(!is_private);
            match time {
                Some(time) => client.timeout(time),
                None => client,
            }
        });
        anyhow::ensure!(
            door.reaches(&url).is_ok(),
            "`url` is no public address; for a server in your own network add `private = true`"
        );
        let key = named.key()?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &key {
            let (name, value) = match key_header {
                KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
                KeyHeader::ApiKey => (HeaderName::from_static("x-api-key"), key.clone()),
            };
            let mut value =
                HeaderValue::from_str(&value).context("the key holds what no header can")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self {
            door,
            url,
            headers,
            key,
        })
    }

    /// Sends this header with every request.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        self
    }

    /// The reply to `body`, which is JSON, if it is a success; its own body is not read yet.
    ///
    /// # Errors
    ///
    /// Returns why there is none, and whether there may be one later.
    pub async fn post(&self, body: String) -> Result<Response, Fault> {
        let request = self.door.request(Method::POST, self.url.clone());
        let request = request.map_err(|error| Fault::Closed(error.to_string()))?;
        let request = request.headers(self.headers.clone()).body(body);
        let mut reply = request.send().await.map_err(unreachable)?;
        let status = reply.status();
        if status.is_success() {
            return Ok(reply);
        }
        let wait = reply.headers().get(RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse::<u64>().ok());
        let mut complaint = Vec::new();
        while complaint.len() < MAX_COMPLAINT
            && let Ok(Some(chunk)) = reply.chunk().await
        {
            complaint.extend_from_slice(&chunk);
        }
        Err(self.fault(status, wait, &complaint))
    }

    /// The body of `reply`, which has at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Returns that it is longer, or does not come.
    pub async fn read(mut reply: Response, most: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = next_chunk(&mut reply).await? {
            if bytes.len() + chunk.len() > most {
                return Err(Fault::Useless(
                    "it sent far more than was asked for".to_owned(),
                ));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn fault(&self, status: StatusCode, wait: Option<u64>, complaint: &[u8]) -> Fault {
        let why = format!("it answered {status}");
        match status.as_u16() {
            408 | 425 | 429 | 500..=599 => {
                let wait = wait.map(|wait| Duration::from_secs(wait.min(MAX_WAIT)));
                Fault::Later(wait, why)
            }
            400 | 413 | 414 | 422 => Fault::Refused(match self.said_in(complaint) {
                Some(detail) => format!("{why}: {detail}"),
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

    /// Error message of the endpoint, without secrets.
    fn said_in(&self, complaint: &[u8]) -> Option<String> {
        let complaint: Complaint = serde_json::from_slice(complaint).ok()?;
        let (ErrorBody::Message { message } | ErrorBody::Plain(message)) = complaint.error;
        self.fit_to_print(&message)
    }

    /// A line of `message` for people; `None` if it is empty or holds the key.
    pub fn fit_to_print(&self, message: &str) -> Option<String> {
        if self.key.as_ref().is_some_and(|key| message.contains(key)) {
            return None;
        }
        let line = message.chars().take(MAX_SAID);
        let line: String = line.map(|c| if c.is_control() { ' ' } else { c }).collect();
        (!line.trim().is_empty()).then_some(line)
    }
}

/// The next bytes of a body; `None` at its end.
///
/// # Errors
///
/// Returns that they do not come.
pub async fn next_chunk(reply: &mut Response) -> Result<Option<Bytes>, Fault> {
    reply.chunk().await.map_err(unreachable)
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
