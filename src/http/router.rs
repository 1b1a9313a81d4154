//! One table: what a path means. Everything that is not in it is looked up in the closed map of the site's outputs.

use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::header;
use hyper::{Method, Request, Response, StatusCode};

use super::events::Events;
use super::gate::{self, Hosts};
use super::reply::{Body, full, problem, set};
use super::site;
use crate::publish::Publisher;
use crate::watch::WatchHandle;

/// What requests are answered from.
pub struct Router {
    /// The hosts that are this server.
    pub hosts: Hosts,
    /// The site.
    pub publisher: Arc<Publisher>,
    /// Open previews.
    pub events: Arc<Events>,
    /// Present while files are watched: a request waits until every write before it has been seen.
    pub watch: Option<WatchHandle>,
    /// Opens files of the site; a path is given, never an address.
    pub open_file: OpenFile,
}

/// Opens a file of the site; `None` when it is gone.
pub type OpenFile = Arc<dyn Fn(&queries::path::SitePath) -> Option<std::fs::File> + Send + Sync>;

impl Router {
    /// The reply to `request`.
    pub async fn reply(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let path = match gate::check(&request, &self.hosts) {
            Ok(path) => path,
            Err(refusal) => return *refusal,
        };
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            let mut response = problem(
                StatusCode::METHOD_NOT_ALLOWED,
                "method-not-allowed",
                "only GET and HEAD are served here",
            );
            set(&mut response, header::ALLOW, "GET, HEAD");
            return response;
        }
        let mut response = match path.as_str() {
            "/_quire/events" => self.events.clone().stream(&request, self.publisher.clone()),
            "/_quire/healthz" => {
                let mut response = Response::new(full("ok\n"));
                set(
                    &mut response,
                    header::CONTENT_TYPE,
                    "text/plain; charset=utf-8",
                );
                response
            }
            _ => {
                if let Some(watch) = &self.watch
                    && !path.starts_with("/_theme/")
                {
                    watch.sync().await;
                }
                site::reply(&self, &path, request.uri().query(), request.headers()).await
            }
        };
        set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(
            &mut response,
            header::REFERRER_POLICY,
            "strict-origin-when-cross-origin",
        );
        if request.headers().contains_key(header::TRANSFER_ENCODING) {
            set(&mut response, header::CONNECTION, "close");
        }
        if is_head {
            if let Some(length) = response.body().size_hint().exact() {
                let length = length.to_string();
                set(&mut response, header::CONTENT_LENGTH, &length);
            }
            *response.body_mut() = full("");
        }
        response
    }
}
