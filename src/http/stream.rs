//! Replies that go on while there is something to tell. They end with their site and with their
//! client, whatever writes them: a graceful stop waits for none.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use hyper::{Response, header};
use tokio::sync::{mpsc, watch};

use super::reply::{Body, set};

/// Messages that wait for a slow client, at most.
const QUEUE: usize = 16;

/// Sends what `write` writes as server-sent events, until it returns, the client is gone, or
/// `revision` says that the site ends.
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
            // Without a sender nobody could say it any more.
            _ = revision.wait_for(Option::is_none) => {}
        }
    });
    let mut response = Response::new(StreamBody(receiver).boxed_unsync());
    set(&mut response, header::CONTENT_TYPE, "text/event-stream");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Body that ends when nobody can send to it any more.
struct StreamBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let received = self.0.poll_recv(cx);
        received.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
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
}
