//! Idle detection of a connection: requests count, and parts of replies that the client reads;
//! HTTP/2 frames outside of requests do not. An idle connection is closed, whatever the client
//! sends to keep it open.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

use super::reply::{Body, BrokenOff};
use super::shares::Share;

/// Number of bytes of a reply given to HTTP/2 at a time. HTTP/2 buffers them until the client has
/// window; only the rest, which is still here, shows that the client does not read.
const PART: usize = 16 << 10;

/// The requests of a connection.
pub(super) struct Activity {
    state: Mutex<State>,
    /// Notified when the server has no work left for the client, and when a request has ended.
    idle: Notify,
}

struct State {
    /// Number of requests whose answer is not complete.
    open: usize,
    /// Number of open requests that wait for the server, not for the client.
    busy: usize,
    /// When something happened last.
    last_event: Instant,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                open: 0,
                busy: 0,
                last_event: Instant::now(),
            }),
            idle: Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client has taken something.
    pub(super) fn note(&self) {
        self.state().last_event = Instant::now();
    }

    /// A request has come.
    pub(super) fn begin(self: &Arc<Self>) -> Ongoing {
        let mut state = self.state();
        state.open += 1;
        state.busy += 1;
        state.last_event = Instant::now();
        Ongoing {
            activity: self.clone(),
            is_busy: true,
        }
    }

    /// Returns when no request was open for `idle`, or none but those whose client took nothing for `stalled`.
    pub(super) async fn ended(&self, idle: Duration, stalled: Duration) {
        loop {
            let until = {
                let state = self.state();
                let patience = if state.open == 0 { idle } else { stalled };
                (state.busy == 0).then(|| state.last_event + patience)
            };
            match until {
                None => self.idle.notified().await,
                Some(until) if until <= Instant::now() => return,
                Some(until) => {
                    // Whichever comes first, the state is looked at again.
                    let rested = self.idle.notified();
                    let _ = tokio::time::timeout_at(until.into(), rested).await;
                }
            }
        }
    }
}

/// A request that is being answered; dropped when the answer is complete or the client has
/// disconnected.
pub(super) struct Ongoing {
    activity: Arc<Activity>,
    is_busy: bool,
}

impl Ongoing {
    /// Records whether the request waits for this program.
    fn set_busy(&mut self, is_busy: bool) {
        let mut state = self.activity.state();
        state.last_event = Instant::now();
        match (self.is_busy, is_busy) {
            (false, true) => state.busy += 1,
            (true, false) => state.busy -= 1,
            _ => return,
        }
        self.is_busy = is_busy;
        if state.busy == 0 {
            self.activity.idle.notify_one();
        }
    }

    /// `response`, of which it is known when the client takes it; it has its share until then.
    pub(super) fn watch(
        self,
        response: Response<Body>,
        share: Option<Share>,
        in_parts: bool,
    ) -> Response<Body> {
        response.map(|body| {
            let watched = WatchedBody {
                body,
                remainder: Bytes::new(),
                in_parts,
                request: self,
                _share: share,
            };
            watched.boxed_unsync()
        })
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.last_event = Instant::now();
        state.open -= 1;
        state.busy -= usize::from(self.is_busy);
        self.activity.idle.notify_one();
    }
}

/// The body of a reply, with its request.
struct WatchedBody {
    body: Body,
    /// Rest of the last frame.
    remainder: Bytes,
    in_parts: bool,
    request: Ongoing,
    /// Share of the requests that are not answered to their end.
    _share: Option<Share>,
}

impl WatchedBody {
    /// Takes the part of `bytes` that may be handed on at once.
    fn part(&mut self, mut bytes: Bytes) -> Frame<Bytes> {
        if self.in_parts && bytes.len() > PART {
            self.remainder = bytes.split_off(PART);
        }
        Frame::data(bytes)
    }
}

impl hyper::body::Body for WatchedBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let this = &mut *self;
        if !this.remainder.is_empty() {
            let rest = std::mem::take(&mut this.remainder);
            this.request.set_busy(false);
            return Poll::Ready(Some(Ok(this.part(rest))));
        }
        let polled = Pin::new(&mut this.body).poll_frame(cx);
        this.request.set_busy(polled.is_pending());
        polled.map_ok(|frame| match frame.into_data() {
            Ok(bytes) => this.part(bytes),
            Err(frame) => frame,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.remainder.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.remainder.len() as u64);
        let mut hint = SizeHint::new();
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(body.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Body as _;

    use crate::reply::full;

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn a_connection_without_a_request_ends() {
        let activity = Activity::new();
        activity.ended(SHORT, LONG).await;
        drop(activity.begin());
        activity.ended(SHORT, LONG).await;
    }

    #[tokio::test]
    async fn a_reply_that_nobody_takes_ends_it() {
        let activity = Activity::new();
        let reply = Response::new(full(vec![7; 2 * PART + 1]));
        let mut body = activity.begin().watch(reply, None, true).into_body();
        for length in [PART, PART] {
            let frame = body.frame().await.unwrap().unwrap();
            assert_eq!(frame.into_data().unwrap().len(), length);
            activity.ended(LONG, SHORT).await;
        }
        assert_eq!(body.size_hint().exact(), Some(1));
        assert!(!body.is_end_stream());
        let last = body.frame().await.unwrap().unwrap();
        assert_eq!(last.into_data().unwrap().len(), 1);
        assert!(body.is_end_stream());
    }

    #[tokio::test]
    async fn a_request_that_waits_for_this_program_does_not() {
        let activity = Activity::new();
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let request = activity.begin();
        let answering = tokio::spawn(async move {
            let _ = receiver.await;
            drop(request);
        });
        let ended = activity.ended(SHORT, SHORT);
        tokio::pin!(ended);
        // It has been asked, and waits to be notified.
        assert!(futures_pending(ended.as_mut()));
        sender.send(()).unwrap();
        answering.await.unwrap();
        ended.await;
    }

    fn futures_pending(future: Pin<&mut impl Future<Output = ()>>) -> bool {
        let mut context = Context::from_waker(std::task::Waker::noop());
        future.poll(&mut context).is_pending()
    }
}
