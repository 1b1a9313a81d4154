//! An endpoint that makes vectors of texts, as OpenAI defined it: `POST /v1/embeddings` with `{"model", "input"}`.

use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;

use crate::index::vectors::Vector;
use quire_net::endpoint::{self, Fault, KeyHeader};
use quire_settings::EmbedderSettings;

/// Longest a request may take.
const TIME: Duration = Duration::from_secs(60);
/// Largest answer that is read for a text: 8,192 numbers as long as they are ever written.
const MAX_BYTES: usize = 256 << 10;
/// Maximum number of bytes of a response besides the vectors.
const MAX_REST: usize = 64 << 10;
/// Maximum number of dimensions of a vector.
const MAX_DIMENSIONS: usize = 8192;

/// An endpoint and how it is asked.
pub struct Endpoint {
    endpoint: endpoint::Endpoint,
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

impl Endpoint {
    /// The endpoint that `settings` name.
    ///
    /// # Errors
    ///
    /// Returns an error if the address or the key is invalid.
    pub fn new(settings: &EmbedderSettings) -> anyhow::Result<Self> {
        let named = settings.endpoint();
        let endpoint =
            endpoint::Endpoint::new(&named, "/embeddings", KeyHeader::Bearer, Some(TIME));
        Ok(Self {
            endpoint: endpoint.context("the embedder")?,
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
        let reply = self.endpoint.post(body.to_string()).await?;
        let most = MAX_REST + texts.len() * MAX_BYTES;
        let bytes = endpoint::Endpoint::read(reply, most).await?;
        vectors(&bytes, texts.len(), self.dimensions).map_err(|why| Fault::Useless(why.to_owned()))
    }
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
    let mut by_index: Vec<Option<Vector>> = vec![None; count];
    let is_numbered = answer.data.iter().any(|item| item.index.is_some());
    for (i, item) in answer.data.iter().enumerate() {
        let place = if is_numbered { item.index } else { Some(i) };
        let place = place
            .and_then(|place| by_index.get_mut(place))
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
    let vectors: Option<Vec<Vector>> = by_index.into_iter().collect();
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
