//! Files as they are: read from the disk while they are sent, whole or in part (RFC 9110, 14).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};
use queries::base::content::ContentHash;

use super::flight::{Flight, Streamed};
use super::reply::{Body, BrokenOff, Caching, full, mark, not_modified, set};
use quire_site::service::Content;

/// A file that is sent.
pub(super) struct Opened<'a> {
    /// Content.
    pub content: Content,
    /// Digest that stands for its bytes.
    pub digest: ContentHash,
    /// Media type.
    pub media_type: &'a str,
    /// Caching.
    pub caching: Caching,
}

/// A file whose bytes are not at hand.
#[derive(Clone, Copy)]
pub(super) struct Described<'a> {
    /// Number of its bytes.
    pub length: u64,
    /// Digest that stands for its bytes.
    pub digest: ContentHash,
    /// Media type.
    pub media_type: &'a str,
    /// Caching.
    pub caching: Caching,
}

impl Described<'_> {
    fn tag(&self) -> String {
        format!("\"{}\"", self.digest.short())
    }
}

/// The reply for which the bytes of a file are not needed: the client has them, or asks for the
/// header alone. `None` if they are.
pub(super) fn reply_without_bytes(
    method: &Method,
    headers: &HeaderMap,
    file: Described<'_>,
) -> Option<Response<Body>> {
    if let Some(mut response) = not_modified(headers, &file.tag(), file.caching) {
        set(&mut response, header::ACCEPT_RANGES, "bytes");
        return Some(response);
    }
    let is_head = *method == Method::HEAD;
    is_head.then(|| {
        let mut response = Response::new(Unread(file.length).boxed_unsync());
        set(&mut response, header::CONTENT_TYPE, file.media_type);
        set(&mut response, header::ACCEPT_RANGES, "bytes");
        mark(&mut response, &file.tag(), file.caching);
        response
    })
}

/// The body that a reply to `HEAD` describes: so many bytes, which nobody takes.
struct Unread(u64);

impl HttpBody for Unread {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        Poll::Ready(Some(Err(BrokenOff)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

/// Sends a file, or the part of it that is asked for.
pub(super) fn reply(
    method: &Method,
    headers: &HeaderMap,
    opened: Opened<'_>,
    flight: &Flight,
) -> io::Result<Response<Body>> {
    let length = match &opened.content {
        Content::Open(file) => file.metadata()?.len(),
        Content::Read(bytes) => bytes.len() as u64,
    };
    let described = Described {
        length,
        digest: opened.digest,
        media_type: opened.media_type,
        caching: opened.caching,
    };
    if let Some(response) = reply_without_bytes(method, headers, described) {
        return Ok(response);
    }
    let tag = described.tag();
    let wanted = match *method == Method::GET {
        true => requested_part(headers, &tag, length),
        // Of other methods none is defined (RFC 9110, 14.2).
        false => RequestedRange::Whole,
    };
    let (status, part) = match wanted {
        RequestedRange::Whole => (StatusCode::OK, 0..length),
        RequestedRange::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        RequestedRange::Nothing => (StatusCode::RANGE_NOT_SATISFIABLE, 0..0),
    };
    let content_range = match status {
        StatusCode::PARTIAL_CONTENT => {
            Some(format!("bytes {}-{}/{}", part.start, part.end - 1, length))
        }
        StatusCode::RANGE_NOT_SATISFIABLE => Some(format!("bytes */{length}")),
        _ => None,
    };
    let mut response = match opened.content {
        Content::Open(file) if !part.is_empty() => {
            let body = FileBody {
                stamp: Stamp::of(&file)?,
                file,
                part,
                flight: flight.clone(),
                pending_read: None,
            };
            let mut response = Response::new(body.boxed_unsync());
            response.extensions_mut().insert(Streamed);
            response
        }
        // A part of what is in memory fits there.
        Content::Read(bytes) if !part.is_empty() => {
            Response::new(full(bytes.slice(part.start as usize..part.end as usize)))
        }
        _ => Response::new(full("")),
    };
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, opened.media_type);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    if let Some(content_range) = content_range {
        set(&mut response, header::CONTENT_RANGE, &content_range);
    }
    mark(&mut response, &tag, opened.caching);
    Ok(response)
}

/// Requested part of a file.
#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    Whole,
    Part(Range<u64>),
    /// Nothing that it has.
    Nothing,
}

/// Requested part of a file with `tag` and `length`. Several ranges at once, and malformed ones,
/// are answered with the whole file (RFC 9110, 14.2).
fn requested_part(headers: &HeaderMap, tag: &str, length: u64) -> RequestedRange {
    let mut given = headers.get_all(header::RANGE).iter();
    let (Some(range), None) = (given.next(), given.next()) else {
        return RequestedRange::Whole;
    };
    // A part is of use only to who has the rest of the same file (RFC 9110, 13.1.5). No date is ever sent, so none is known.
    let is_other = |condition: &header::HeaderValue| condition.as_bytes() != tag.as_bytes();
    if headers.get_all(header::IF_RANGE).iter().any(is_other) {
        return RequestedRange::Whole;
    }
    let spec = range.to_str().ok().and_then(|range| {
        let (unit, spec) = range.split_once('=')?;
        let spec = unit
            .trim()
            .eq_ignore_ascii_case("bytes")
            .then(|| spec.trim());
        spec?.split_once('-')
    });
    let Some((first, last)) = spec else {
        return RequestedRange::Whole;
    };
    let (Ok(first), Ok(last)) = (number(first), number(last)) else {
        return RequestedRange::Whole;
    };
    let part = match (first, last) {
        (None, None) => return RequestedRange::Whole,
        (None, Some(most)) => length.saturating_sub(most)..length,
        (Some(first), None) => first..length,
        (Some(first), Some(last)) if first > last => return RequestedRange::Whole,
        (Some(first), Some(last)) => first..last.saturating_add(1).min(length),
    };
    match part.is_empty() {
        true => RequestedRange::Nothing,
        false => RequestedRange::Part(part),
    }
}

/// Digits, or nothing. A number too large for any file is larger than every file.
fn number(text: &str) -> Result<Option<u64>, ()> {
    match text {
        "" => Ok(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Some(digits.parse().unwrap_or(u64::MAX)))
        }
        _ => Err(()),
    }
}

/// Metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// A part of a file that is read as it is taken. A file that is written in the meantime breaks it
/// off before its end: nobody is left with a mixture that looks whole.
struct FileBody {
    file: Arc<File>,
    stamp: Stamp,
    /// Range that is left to send.
    part: Range<u64>,
    flight: Flight,
    pending_read: Option<Reading>,
}

type Reading = Pin<Box<dyn Future<Output = Result<Bytes, BrokenOff>> + Send>>;

async fn read(
    file: Arc<File>,
    part: Range<u64>,
    stamp: Stamp,
    flight: Flight,
) -> Result<Bytes, BrokenOff> {
    let rest = part.end - part.start;
    let (length, room) = flight.chunk(rest).await?;
    let reading = tokio::task::spawn_blocking(move || {
        let mut bytes = vec![0; length];
        read_at(&file, &mut bytes, part.start)?;
        if length as u64 == rest && Stamp::of(&file)? != stamp {
            return Err(io::Error::other("it was written while it was sent"));
        }
        Ok(bytes)
    });
    match reading.await {
        Ok(Ok(bytes)) => Ok(room.of(bytes)),
        Ok(Err(error)) => {
            tracing::warn!("failed to send a file: {error}");
            Err(BrokenOff)
        }
        Err(_) => Err(BrokenOff),
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                bytes = &mut bytes[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        if self.part.is_empty() {
            return Poll::Ready(None);
        }
        let this = &mut *self;
        let reading = this.pending_read.get_or_insert_with(|| {
            let file = this.file.clone();
            Box::pin(read(
                file,
                this.part.clone(),
                this.stamp,
                this.flight.clone(),
            ))
        });
        let read = ready!(reading.as_mut().poll(cx));
        this.pending_read = None;
        match read {
            Ok(bytes) => {
                this.part.start += bytes.len() as u64;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Err(error) => {
                this.part.start = this.part.end;
                Poll::Ready(Some(Err(error)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.part.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.part.end - self.part.start)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn parse_range(range: &str, condition: Option<&str>, length: u64) -> RequestedRange {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, range.parse().unwrap());
        if let Some(condition) = condition {
            headers.insert(header::IF_RANGE, condition.parse().unwrap());
        }
        requested_part(&headers, "\"tag\"", length)
    }

    #[test]
    fn parts_are_those_of_rfc_9110() {
        for (range, expected) in [
            ("bytes=0-499", RequestedRange::Part(0..500)),
            ("Bytes=500-999", RequestedRange::Part(500..1000)),
            ("bytes=-500", RequestedRange::Part(9500..10000)),
            ("bytes=9500-", RequestedRange::Part(9500..10000)),
            ("bytes=0-0", RequestedRange::Part(0..1)),
            ("bytes=-1", RequestedRange::Part(9999..10000)),
            // More than there is.
            ("bytes=9999-10000", RequestedRange::Part(9999..10000)),
            ("bytes=-20000", RequestedRange::Part(0..10000)),
            (
                "bytes=5-99999999999999999999999",
                RequestedRange::Part(5..10000),
            ),
            (
                "bytes=0-18446744073709551615",
                RequestedRange::Part(0..10000),
            ),
            // Nothing of it.
            ("bytes=10000-", RequestedRange::Nothing),
            ("bytes=99999999999999999999999-", RequestedRange::Nothing),
            ("bytes=-0", RequestedRange::Nothing),
            // What is no part, or several, or of another unit.
            ("bytes=500-499", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("bytes=", RequestedRange::Whole),
            ("bytes", RequestedRange::Whole),
            ("bytes=a-b", RequestedRange::Whole),
            ("bytes=+1-2", RequestedRange::Whole),
            ("bytes=0-1,4-5", RequestedRange::Whole),
            ("lines=0-1", RequestedRange::Whole),
        ] {
            assert_eq!(parse_range(range, None, 10000), expected, "{range}");
        }
        assert_eq!(parse_range("bytes=0-", None, 0), RequestedRange::Nothing);
        assert_eq!(parse_range("bytes=-5", None, 0), RequestedRange::Nothing);
    }

    #[test]
    fn a_part_of_another_file_is_the_whole_of_this_one() {
        let part = || RequestedRange::Part(5..10);
        assert_eq!(parse_range("bytes=5-", Some("\"tag\""), 10), part());
        for other in [
            "\"other\"",
            "W/\"tag\"",
            "Wed, 21 Oct 2026 07:28:00 GMT",
            "tag",
        ] {
            assert_eq!(
                parse_range("bytes=5-", Some(other), 10),
                RequestedRange::Whole,
                "{other}"
            );
        }
        let mut twice = HeaderMap::new();
        twice.append(header::RANGE, "bytes=0-1".parse().unwrap());
        twice.append(header::RANGE, "bytes=4-5".parse().unwrap());
        assert_eq!(requested_part(&twice, "\"tag\"", 10), RequestedRange::Whole);
    }

    fn body(file: File, flight: &Flight) -> Body {
        let opened = Opened {
            content: Content::Open(Arc::new(file)),
            digest: ContentHash::of(b"x"),
            media_type: "video/mp4",
            caching: Caching::Revalidate,
        };
        let response = reply(&Method::GET, &HeaderMap::new(), opened, flight).unwrap();
        response.into_body()
    }

    fn file(length: usize) -> (File, Vec<u8>) {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..length).map(|i| (i / 7) as u8).collect();
        file.write_all(&bytes).unwrap();
        (file, bytes)
    }

    #[tokio::test]
    async fn a_file_is_sent_in_chunks_and_no_more_of_it_is_held() {
        let flight = Flight::default();
        let (file, bytes) = file(300_001);
        let mut body = body(file, &flight);
        let (mut got, mut most) = (Vec::new(), 0);
        while let Some(frame) = body.frame().await {
            let chunk = frame.unwrap().into_data().unwrap();
            most = most.max(flight.bytes());
            got.extend_from_slice(&chunk);
        }
        assert!(got == bytes, "{} of {} bytes", got.len(), bytes.len());
        assert_eq!(most, 64 * 1024);
        assert_eq!(flight.bytes(), 0);
    }

    #[tokio::test]
    async fn a_file_that_is_cut_or_written_meanwhile_is_broken_off() {
        for length in [70_000, 300_001] {
            let flight = Flight::default();
            let (file, _) = file(300_001);
            let mut writer = file.try_clone().unwrap();
            let mut body = body(file, &flight);
            body.frame().await.unwrap().unwrap();
            writer.set_len(length).unwrap();
            if length > 70_000 {
                // The same length at another time.
                writer.write_all(b"").unwrap();
                writer.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }
            let rest = body.collect().await;
            assert!(rest.is_err(), "{length}");
            assert_eq!(flight.bytes(), 0);
        }
    }
}
