//! Bodies of requests: read whole, within limits of size and time.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use serde::de::DeserializeOwned;

use super::reply::Refusal;

/// Time limit of the body of a request.
const TIME: Duration = Duration::from_secs(10);

/// The body, at most `most` bytes of it, or the reply that refuses it.
pub(super) async fn read(body: Incoming, most: usize) -> Result<Bytes, Refusal> {
    let refuse = |status, code, message: &str| {
        // What is left of the body would be taken for the next request.
        Err(Refusal::new(status, code, message).with(header::CONNECTION, "close"))
    };
    match tokio::time::timeout(TIME, Limited::new(body, most).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body-too-large",
            &format!("the body is longer than {most} bytes"),
        ),
        Ok(Err(_)) => refuse(
            StatusCode::BAD_REQUEST,
            "bad-body",
            "the body ended too early",
        ),
        Err(_) => refuse(
            StatusCode::REQUEST_TIMEOUT,
            "body-too-slow",
            "timed out reading the request body (10 s)",
        ),
    }
}

/// `bytes` as JSON; an empty body is the default.
pub(super) fn json<T: DeserializeOwned + Default>(
    headers: &HeaderMap,
    bytes: &[u8],
) -> Result<T, Refusal> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(T::default());
    }
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media_type = media_type
        .unwrap_or("application/json")
        .split(';')
        .next()
        .unwrap_or("");
    if !media_type.trim().eq_ignore_ascii_case("application/json") {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not-json",
            "send `Content-Type: application/json`",
        ));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        Refusal::new(
            StatusCode::BAD_REQUEST,
            "bad-json",
            &format!("invalid request body: {error}"),
        )
    })
}
