//! Replies: HTML, JSON, bytes and problems, with entity tags, 304 and compression.

use std::io::Write;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use queries::base::content::ContentHash;

use super::packed;
use quire_engine::gzip::{self, unpacked};
pub(super) use quire_site::media::JSON;
use quire_site::media::is_compressible;
pub use quire_site::media::media_type;

/// The body of every reply.
pub type Body = UnsyncBoxBody<Bytes, BrokenOff>;

/// Error at the end of an incomplete body: the connection is closed, so that the client does not
/// take it for complete.
#[derive(Debug)]
pub struct BrokenOff;

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a reply was broken off")
    }
}

impl std::error::Error for BrokenOff {}

/// Bodies shorter than this are not worth compressing.
const WORTH_COMPRESSING: usize = 1024;

/// A body that is all there.
pub fn full(bytes: impl Into<Bytes>) -> Body {
    let body = Full::new(bytes.into());
    body.map_err(|never| match never {}).boxed_unsync()
}

/// Sets `name` to `value`; a value that is no header text is left out.
pub fn set(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// An error as the interface defines it: a stable code for programs, a sentence for people.
pub fn problem(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    refusal(
        status,
        &serde_json::json!({ "code": code, "message": message }),
    )
}

fn refusal(status: StatusCode, error: &serde_json::Value) -> Response<Body> {
    let body = serde_json::json!({ "error": error });
    let mut response = Response::new(full(format!("{body}\n")));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, JSON);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// A reply that refuses a request, as the error of whatever leads to a reply.
#[derive(Debug)]
pub struct Refusal(Box<Response<Body>>);

impl Refusal {
    /// A refusal with a stable code for programs and a sentence for people.
    pub fn new(status: StatusCode, code: &str, message: &str) -> Self {
        Self(Box::new(problem(status, code, message)))
    }

    /// A refusal that names what it is about, a host or a number, so that pages can say it in their own words.
    pub fn about(status: StatusCode, code: &str, message: &str, about: &str) -> Self {
        let error = serde_json::json!({ "code": code, "message": message, "about": about });
        Self(Box::new(refusal(status, &error)))
    }

    /// Sets the header `name` to `value`.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        set(&mut self.0, name, value);
        self
    }
}

impl From<Refusal> for Response<Body> {
    fn from(refusal: Refusal) -> Self {
        *refusal.0
    }
}

/// A page of the console; not cached.
pub(super) fn console(html: String) -> Response<Body> {
    let mut response = Response::new(full(html));
    set(
        &mut response,
        header::CONTENT_TYPE,
        "text/html; charset=utf-8",
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    // It holds words of readers and of repositories, and one script, which is a file.
    set(
        &mut response,
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response
}

/// A value as JSON; not cached.
pub(super) fn json(status: StatusCode, value: &serde_json::Value) -> Response<Body> {
    let text = format!("{value}\n");
    let digest = ContentHash::of(text.as_bytes()).short();
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, JSON);
    set(&mut response, header::CACHE_CONTROL, "no-store");
    set(&mut response, header::ETAG, &format!("\"{digest}\""));
    response
}

/// A redirect to `location`; `permanent` ones are remembered by browsers. Methods are kept (RFC 9110, 15.4.8 and 15.4.9).
pub fn redirect(location: &str, permanent: bool) -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = if permanent {
        StatusCode::PERMANENT_REDIRECT
    } else {
        StatusCode::TEMPORARY_REDIRECT
    };
    set(&mut response, header::LOCATION, location);
    response
}

/// Something with a digest: sent, or confirmed as unchanged (RFC 9110, 13.1.2).
pub struct Entity<'a> {
    /// The bytes.
    pub bytes: Bytes,
    /// The digest that stands for them.
    pub digest: ContentHash,
    /// Distinguishes bytes with the same digest; `None`: nothing does, so they are compressed for
    /// each request.
    pub variant: Option<u64>,
    /// Media type of the bytes.
    pub media_type: &'a str,
    /// Caching.
    pub caching: Caching,
}

/// Caching policy of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Ask each time whether it is still current.
    Revalidate,
    /// Cached for ever: the digest is part of the address.
    Immutable,
}

/// The variant of bytes whose digest is their own.
pub const EXACT: Option<u64> = Some(0);

/// The reply for `entity` to a request with these headers. Compressed bytes are kept (`packed.rs`).
pub fn entity(request: &HeaderMap, entity: Entity<'_>) -> Response<Body> {
    let (encoding, key) = encoding_of(request, &entity, entity.bytes.len());
    encoded(request, entity, encoding, |bytes| match key {
        Some(key) => packed::BODIES.get(key, || encoding.encode(bytes)),
        None => encoding.encode(bytes),
    })
}

/// Returns the reply for `entity`, whose bytes are gzip already: sent as they are, or decompressed
/// for clients that do not accept gzip.
pub fn gzip_entity(request: &HeaderMap, entity: Entity<'_>) -> Response<Body> {
    let encoding = gzip_encoding(request);
    encoded(request, entity, encoding, |bytes| match encoding {
        Encoding::Gzip => bytes,
        _ => unpacked(&bytes).into(),
    })
}

/// Returns the reply for `entity`, whose bytes are compressed by [`gzip::pack`]; `size` is their
/// number without. The reply equals that of [`entity`] for the bytes that `unpack` returns, which is
/// called only if neither gzip nor a body that is kept can be sent.
///
/// # Errors
///
/// Returns that of `unpack`.
pub fn packed_entity(
    request: &HeaderMap,
    entity: Entity<'_>,
    size: u64,
    unpack: impl FnOnce(Bytes) -> anyhow::Result<Bytes>,
) -> anyhow::Result<Response<Body>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (encoding, key) = encoding_of(request, &entity, size);
    let tag = tag_of(&entity, encoding);
    if let Some(response) = not_modified(request, &tag, entity.caching) {
        return Ok(response);
    }
    let kept = key.and_then(|key| packed::BODIES.kept(&key));
    let bytes = match (encoding, kept) {
        (Encoding::Gzip, _) => entity.bytes,
        (_, Some(kept)) => kept,
        (_, None) => {
            let bytes = unpack(entity.bytes)?;
            match key {
                Some(key) => packed::BODIES.get(key, || encoding.encode(bytes)),
                None => encoding.encode(bytes),
            }
        }
    };
    let entity = Entity { bytes, ..entity };
    Ok(encoded(request, entity, encoding, |bytes| bytes))
}

/// The confirmation that the client has `entity`, whose bytes are not needed for it: there are `size`
/// of them. `None` if the client does not have it.
pub fn confirmed(request: &HeaderMap, entity: &Entity<'_>, size: u64) -> Option<Response<Body>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (encoding, _) = encoding_of(request, entity, size);
    not_modified(request, &tag_of(entity, encoding), entity.caching)
}

/// Like [`confirmed`], for what [`gzip_entity`] sends.
pub fn gzip_confirmed(request: &HeaderMap, entity: &Entity<'_>) -> Option<Response<Body>> {
    let encoding = gzip_encoding(request);
    not_modified(request, &tag_of(entity, encoding), entity.caching)
}

/// The encoding in which bytes that are gzip already are sent.
fn gzip_encoding(request: &HeaderMap) -> Encoding {
    match takes_gzip(request) {
        true => Encoding::Gzip,
        false => Encoding::Identity,
    }
}

/// The entity tag of `entity` in `encoding`.
fn tag_of(entity: &Entity<'_>, encoding: Encoding) -> String {
    format!("\"{}{}\"", entity.digest.short(), encoding.suffix())
}

/// The encoding in which `entity` of `size` bytes is sent, and the key of the body in it.
fn encoding_of(
    request: &HeaderMap,
    entity: &Entity<'_>,
    size: usize,
) -> (Encoding, Option<packed::Key>) {
    let encoding = match is_compressible(entity.media_type) && size >= WORTH_COMPRESSING {
        true => preferred_encoding(request),
        false => Encoding::Identity,
    };
    let key = entity.variant.zip(encoding.name());
    let key = key.map(|(variant, encoding)| packed::Key {
        digest: entity.digest,
        variant,
        encoding,
    });
    (encoding, key)
}

fn encoded(
    request: &HeaderMap,
    entity: Entity<'_>,
    encoding: Encoding,
    encode: impl FnOnce(Bytes) -> Bytes,
) -> Response<Body> {
    let tag = tag_of(&entity, encoding);
    if let Some(response) = not_modified(request, &tag, entity.caching) {
        return response;
    }
    let mut response = Response::new(full(encode(entity.bytes)));
    set(&mut response, header::CONTENT_TYPE, entity.media_type);
    if let Some(name) = encoding.name() {
        set(&mut response, header::CONTENT_ENCODING, name);
    }
    mark(&mut response, &tag, entity.caching);
    response
}

/// The confirmation of what the client has, if it has `tag` (RFC 9110, 13.1.2).
pub(super) fn not_modified(
    request: &HeaderMap,
    tag: &str,
    caching: Caching,
) -> Option<Response<Body>> {
    if !matches_tag(request, tag) {
        return None;
    }
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    mark(&mut response, tag, caching);
    Some(response)
}

/// Sets the tag of what is sent, and how long it may be kept.
pub(super) fn mark(response: &mut Response<Body>, tag: &str, caching: Caching) {
    set(response, header::ETAG, tag);
    set(response, header::VARY, "Accept-Encoding");
    let caching = match caching {
        Caching::Revalidate => "no-cache",
        Caching::Immutable => "public, max-age=31536000, immutable",
    };
    set(response, header::CACHE_CONTROL, caching);
}

fn matches_tag(request: &HeaderMap, tag: &str) -> bool {
    let given = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok());
    given.flat_map(|list| list.split(',')).any(|given| {
        let given = given.trim();
        given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Gzip => "-gz",
            Self::Brotli => "-br",
        }
    }

    fn encode(self, bytes: Bytes) -> Bytes {
        let mut out = Vec::with_capacity(bytes.len() / 3);
        let encoded = match self {
            Self::Identity => return bytes,
            Self::Gzip => return gzip::pack(&bytes).into(),
            Self::Brotli => {
                let mut encoder = brotli::CompressorWriter::new(&mut out, 32 * 1024, 5, 20);
                encoder.write_all(&bytes).and_then(|()| encoder.flush())
            }
        };
        // Writing into memory does not fail.
        if encoded.is_err() {
            bytes
        } else {
            Bytes::from(out)
        }
    }
}

/// The best encoding the client takes (RFC 9110, 12.5.3): br, then gzip.
fn preferred_encoding(request: &HeaderMap) -> Encoding {
    match (accepts_encoding(request, "br"), takes_gzip(request)) {
        (true, _) => Encoding::Brotli,
        (false, true) => Encoding::Gzip,
        (false, false) => Encoding::Identity,
    }
}

fn takes_gzip(request: &HeaderMap) -> bool {
    accepts_encoding(request, "gzip") || accepts_encoding(request, "*")
}

/// Returns true if the client accepts `encoding`. Weight 0 refuses it.
fn accepts_encoding(request: &HeaderMap, encoding: &str) -> bool {
    let given = request
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    given.flat_map(|list| list.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or("");
        let refused = parts.any(|part| {
            part.strip_prefix("q=")
                .is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0))
        });
        name.eq_ignore_ascii_case(encoding) && !refused
    })
}
