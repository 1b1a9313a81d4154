//! Streamed replies of unknown length. A stream ends when its client disconnects or its site is
//! unloaded, whatever its writer does, so a graceful shutdown never waits for one.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use hyper::{Response, header};
use tokio::sync::{mpsc, watch};

use super::reply::{Body, BrokenOff, set};

/// Maximum number of messages that wait for a slow client.
const QUEUE: usize = 16;

/// Streams the output of `write` as server-sent events until it returns, the client disconnects, or
/// `revision` becomes `None` (the site is unloaded).
pub(super) fn events<W>(
    mut revision: watch::Receiver<Option<u64>>,
    write: impl FnOnce(mpsc::Sender<Bytes>) -> W,
) -> Response<Body>
where
    W: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(QUEUE);
    let client = sender.clone();
    let writing = write(sender);
    tokio::spawn(async move {
        tokio::select! {
            () = writing => {}
            () = client.closed() => {}
            // If the sender of `revision` is dropped, the site is gone as well.
            _ = revision.wait_for(Option::is_none) => {}
        }
    });
    let body = StreamBody {
        parts: receiver,
        is_whole: None,
        is_flushed: false,
    };
    let mut response = Response::new(body.boxed_unsync());
    set(&mut response, header::CONTENT_TYPE, "text/event-stream");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Streams a response of another server. `write` forwards it and returns true if it was complete.
/// An incomplete reply, or one whose site is unloaded, is aborted, so the client notices; when the
/// client disconnects, `write` is dropped.
///
/// At most one part waits for a slow client: `write` waits, too (backpressure).
pub(super) fn handed_on<W>(
    mut revision: watch::Receiver<Option<u64>>,
    write: impl FnOnce(mpsc::Sender<Bytes>) -> W,
) -> Response<Body>
where
    W: Future<Output = bool> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(1);
    let client = sender.clone();
    let writing = write(sender);
    let is_whole = Arc::new(AtomicBool::new(false));
    let body = StreamBody {
        parts: receiver,
        is_whole: Some(is_whole.clone()),
        is_flushed: false,
    };
    tokio::spawn(async move {
        tokio::select! {
            whole = writing => is_whole.store(whole, Ordering::Release),
            () = client.closed() => {}
            _ = revision.wait_for(Option::is_none) => {}
        }
    });
    Response::new(body.boxed_unsync())
}

/// Body that ends when all senders are dropped.
struct StreamBody {
    parts: mpsc::Receiver<Bytes>,
    /// For bodies that can be aborted: set before the end if the body is complete.
    is_whole: Option<Arc<AtomicBool>>,
    /// Set once `poll_frame` has waited before an abort, so that earlier frames could be written.
    is_flushed: bool,
}

impl hyper::body::Body for StreamBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let received = std::task::ready!(self.parts.poll_recv(cx));
        Poll::Ready(match (received, &self.is_whole) {
            (Some(bytes), _) => Some(Ok(Frame::data(bytes))),
            (None, Some(is_whole)) if !is_whole.load(Ordering::Acquire) => {
                // An error discards what is not written yet; returning `Pending` once gives time to
                // write it.
                if !std::mem::replace(&mut self.is_flushed, true) {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(Err(BrokenOff))
            }
            (None, _) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_ends_with_its_site_although_its_writer_never_does() {
        let (site, revision) = watch::channel(Some(1));
        let response = events(revision, |sender| async move {
            sender.send(Bytes::from("data: 1\n\n")).await.unwrap();
            std::future::pending::<()>().await;
        });
        let mut body = response.into_body();
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), "data: 1\n\n");
        site.send_replace(Some(2));
        site.send_replace(None);
        assert!(body.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_writer_ends_with_its_client() {
        let (_site, revision) = watch::channel(Some(1));
        let (alive, ended) = tokio::sync::oneshot::channel::<()>();
        let response = events(revision, |_| async move {
            let _alive = alive;
            std::future::pending::<()>().await;
        });
        drop(response);
        assert!(ended.await.is_err());
    }

    #[tokio::test]
    async fn what_is_handed_on_ends_only_where_it_ended() {
        for is_whole in [true, false] {
            let (_site, revision) = watch::channel(Some(1));
            let response = handed_on(revision, move |sender| async move {
                sender.send(Bytes::from("part")).await.unwrap();
                is_whole
            });
            let mut body = response.into_body();
            let frame = body.frame().await.unwrap().unwrap();
            assert_eq!(frame.into_data().unwrap(), "part");
            assert_eq!(body.frame().await.is_none(), is_whole);
        }
    }

    #[tokio::test]
    async fn what_is_handed_on_is_broken_off_with_its_site() {
        let (site, revision) = watch::channel(Some(1));
        let response = handed_on(revision, |sender| async move {
            sender.send(Bytes::from("part")).await.unwrap();
            std::future::pending().await
        });
        let mut body = response.into_body();
        body.frame().await.unwrap().unwrap();
        site.send_replace(None);
        assert!(body.frame().await.unwrap().is_err());
    }
}
