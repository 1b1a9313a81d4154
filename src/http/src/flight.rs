//! Limits the memory of replies in flight: bytes that the process holds for clients that have not
//! read them yet.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::{Response, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::reply::{Body, BrokenOff, problem, set};

/// Room is given in pieces of so many bytes.
const PIECE: usize = 4 * 1024;

/// Bytes of a file that are read at once, if there is room for them.
const CHUNK: usize = 64 * 1024;

/// The part of what is free that one client may have.
const PART: usize = 8;

/// Room for the replies of a process.
///
/// A client has no more than an eighth of what is free, but for one reply: some that take nothing leave room for whoever comes
/// next.
#[derive(Clone, Debug)]
pub struct Flight {
    room: Arc<Semaphore>,
    pieces: usize,
    clients: Arc<Clients>,
    /// The client; `None` for a trusted proxy, which speaks for many clients and may use
    /// everything.
    client: Option<IpAddr>,
}

/// Pieces by client; no entry is 0.
type Clients = Mutex<BTreeMap<IpAddr, usize>>;

impl Default for Flight {
    /// Room for 256 MiB.
    fn default() -> Self {
        Self::new(256 << 20)
    }
}

impl Flight {
    /// Room for `bytes`, in pieces of 4 KiB, one at least.
    pub fn new(bytes: usize) -> Self {
        let pieces = (bytes / PIECE).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            room: Arc::new(Semaphore::new(pieces)),
            pieces,
            clients: Arc::default(),
            client: None,
        }
    }

    /// Room in the same bounds, for the replies to `client`.
    pub(super) fn of(&self, client: Option<IpAddr>) -> Self {
        let flight = self.clone();
        Self { client, ..flight }
    }

    /// Bytes that are on their way, in whole pieces.
    pub fn bytes(&self) -> usize {
        self.pieces.saturating_sub(self.room.available_permits()) * PIECE
    }

    /// Room for the next bytes of a reply that has `rest` left: a chunk if that is free, else a piece, which is waited for.
    pub(super) async fn chunk(&self, rest: u64) -> Result<(usize, Room), BrokenOff> {
        let most = usize::try_from(rest).map_or(CHUNK, |rest| rest.min(CHUNK));
        if let Some(room) = self.at_once(most) {
            return Ok((most, room));
        }
        let permit = self.room.clone().acquire_owned().await;
        let permit = permit.map_err(|_| BrokenOff)?;
        let room = Room {
            permit: Some(permit),
            _share: None,
        };
        Ok((most.min(PIECE), room))
    }

    /// Room for `bytes`, if the client may have that now.
    pub(super) fn at_once(&self, bytes: usize) -> Option<Room> {
        if bytes == 0 {
            return Some(Room::default());
        }
        let pieces = bytes.div_ceil(PIECE);
        let share = match self.client {
            Some(client) => Some(self.share(client, pieces)?),
            None => None,
        };
        let count = u32::try_from(pieces).ok()?;
        let permit = self.room.clone().try_acquire_many_owned(count).ok()?;
        Some(Room {
            permit: Some(permit),
            _share: share,
        })
    }

    /// Counts `pieces` for `client`, if it may have them.
    fn share(&self, client: IpAddr, pieces: usize) -> Option<Share> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let has = clients.get(&client).copied().unwrap_or(0);
        let most = self.room.available_permits().div_ceil(PART);
        if has > 0 && has + pieces > most {
            return None;
        }
        clients.insert(client, has + pieces);
        Some(Share {
            clients: self.clients.clone(),
            client,
            pieces,
        })
    }

    /// The response with room for its body, if the body is in memory as a whole; 503 if there is none. What is no longer than a
    /// piece needs no room: it tells how the process is, or why there is no more.
    pub(super) fn with_room(&self, mut response: Response<Body>) -> Response<Body> {
        if response.extensions().get::<Streamed>().is_some() {
            return response;
        }
        let Some(length) = response.body().size_hint().exact() else {
            return response;
        };
        if length <= PIECE as u64 {
            return response;
        }
        let room = usize::try_from(length).ok().and_then(|n| self.at_once(n));
        let Some(room) = room else {
            return no_room();
        };
        let inner = std::mem::take(response.body_mut());
        *response.body_mut() = HeldBody { inner, room }.boxed_unsync();
        response
    }
}

/// The reply to who asks for what there is no room for.
pub(super) fn no_room() -> Response<Body> {
    let mut refusal = problem(
        StatusCode::SERVICE_UNAVAILABLE,
        "too-many-replies",
        "too many slow clients; retry later",
    );
    set(&mut refusal, header::RETRY_AFTER, "1");
    refusal
}

/// Mark of a response whose body takes room by itself, as it is sent.
#[derive(Clone, Copy)]
pub(super) struct Streamed;

/// Room that is given back when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Room {
    permit: Option<OwnedSemaphorePermit>,
    _share: Option<Share>,
}

/// Pieces that are counted for a client until this is dropped.
#[derive(Debug)]
struct Share {
    clients: Arc<Clients>,
    client: IpAddr,
    pieces: usize,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(has) = clients.get_mut(&self.client) {
            *has -= self.pieces;
            if *has == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

impl Room {
    /// Returns `bytes` with their reservation, which is released when the last reference is
    /// dropped.
    pub(super) fn of(self, bytes: impl AsRef<[u8]> + Send + 'static) -> Bytes {
        Bytes::from_owner(WithRoom { bytes, _room: self })
    }
}

struct WithRoom<T> {
    bytes: T,
    _room: Room,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for WithRoom<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// A body in memory. Its one part takes the room with it.
struct HeldBody {
    inner: Body,
    room: Room,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let frame = match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => frame,
            other => return other,
        };
        let room = std::mem::take(&mut self.room);
        Poll::Ready(Some(Ok(frame.map_data(|bytes| {
            match room.permit.is_some() {
                true => room.of(bytes),
                false => bytes,
            }
        }))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::reply::full;
    use super::*;

    fn exchange(flight: &Flight, length: usize) -> Response<Body> {
        flight.with_room(Response::new(full(vec![7; length])))
    }

    #[tokio::test]
    async fn room_is_given_back_when_the_last_reader_has_let_go() {
        let flight = Flight::new(64 * 1024);
        let response = exchange(&flight, 50_000);
        assert_eq!(flight.bytes(), 13 * PIECE);
        assert_eq!(response.body().size_hint().exact(), Some(50_000));
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let part = bytes.slice(10..20);
        drop(bytes);
        assert_eq!(flight.bytes(), 13 * PIECE, "a part of it is held");
        drop(part);
        assert_eq!(flight.bytes(), 0);
        drop(exchange(&flight, 50_000));
        assert_eq!(flight.bytes(), 0, "nobody has asked for it");
    }

    #[tokio::test]
    async fn what_has_no_room_is_refused_and_may_come_again() {
        let flight = Flight::new(64 * 1024);
        let first = exchange(&flight, 60_000);
        let second = exchange(&flight, 60_000);
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(second.headers()[header::RETRY_AFTER], "1");
        drop(first);
        assert_eq!(exchange(&flight, 60_000).status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn clients_that_take_nothing_leave_room_for_others() {
        let flight = Flight::new(1 << 20);
        let client = |n: u8| flight.of(Some(IpAddr::from([192, 0, 2, n])));
        let mut responses = Vec::new();
        for n in 0..20 {
            let before = responses.len();
            loop {
                let response = exchange(&client(n), 2 * PIECE);
                if response.status() != StatusCode::OK {
                    break;
                }
                responses.push(response);
            }
            assert!(responses.len() > before, "{n} has one at least");
        }
        // Of a file there is a piece at a time, which is waited for.
        let (length, _piece) = client(0).chunk(1 << 20).await.unwrap();
        assert_eq!(length, PIECE);
        assert_eq!(exchange(&client(99), 2 * PIECE).status(), StatusCode::OK);
        assert_eq!(exchange(&client(0), PIECE).status(), StatusCode::OK);
        responses.clear();
        assert!(flight.clients.lock().unwrap().is_empty());
        // A reply that is larger than that share is sent, if there is room.
        assert_eq!(exchange(&client(0), 1 << 19).status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn a_chunk_is_smaller_where_little_is_free() {
        let flight = Flight::new(CHUNK + PIECE);
        let (length, chunk) = flight.chunk(1 << 40).await.unwrap();
        assert_eq!(length, CHUNK);
        let (length, piece) = flight.chunk(1 << 40).await.unwrap();
        assert_eq!(length, PIECE);
        // Nothing is free any more: it is waited for.
        let mut waiting = Box::pin(flight.chunk(100));
        let waker = std::task::Waker::noop();
        let mut context = Context::from_waker(waker);
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        drop(piece);
        let (length, _) = waiting.await.unwrap();
        assert_eq!(length, 100);
        drop(chunk);
        assert_eq!(flight.bytes(), 0);
    }
}
