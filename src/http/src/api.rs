//! Operations on a site, one row each: search, assistant, deployments and previews. `/api/sites/<id>/…`
//!
//! On the host of a preview an operation is about the preview, never about the site that it is a preview of: what changes
//! something must name the preview there, too.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header;
use hyper::{Method, Response, StatusCode};

use super::access::{self, Access};
#[cfg(test)]
use super::description::DescribedOperation;
use super::rates::Kind;
use super::reply::{Body, Refusal, set};
use super::router::{RequestContext, not_allowed, started, visit};
use super::{assistant, body, deployments, previews, search};
use quire_site::service::Service;
use quire_site::sites::preview::Preview;
use quire_site::sites::{HostMatch, SiteSlot, Sites};

/// One operation: a row of the table.
struct Operation {
    /// Methods it answers.
    methods: &'static [Method],
    /// Path below that of the site.
    path: &'static [Segment],
    /// The clients that may call it.
    access: Access,
    /// The limit of how often it may be called.
    rate: Option<Kind>,
    /// Largest body, in bytes; without one what is sent is not read.
    max_body: usize,
    /// Meaning on the host of a preview.
    on_preview: OnPreview,
    /// The function that answers.
    handler: Handler,
}

/// One segment of a path.
enum Segment {
    /// The one of this name.
    Is(&'static str),
    /// Any one: the argument of the operation.
    Argument,
}

/// The meaning of an operation on the host of a preview.
#[derive(Clone, Copy)]
enum OnPreview {
    /// The preview answers, and is opened if need be.
    Answers,
    /// The reply depends on no site.
    Same,
    /// There is no such operation, for this reason.
    Refused(&'static str),
}

type Handler = for<'a> fn(Call<'a>) -> Answer<'a>;

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Response<Body>, Refusal>> + Send + 'a>>;

/// A request that is let through.
pub(super) struct Call<'a> {
    /// The request.
    pub(super) context: &'a RequestContext<'a>,
    /// The site that it is about; that of the preview on the host of one.
    pub(super) slot: Arc<SiteSlot>,
    /// The preview, on the host of one.
    pub(super) preview: Option<Arc<Preview>>,
    /// The segment of the path that is the argument, or nothing.
    pub(super) argument: &'a str,
    /// The body.
    pub(super) body: Bytes,
    /// Whether the body is signed, so that it comes from a webhook.
    pub(super) is_signed: bool,
}

use OnPreview::{Answers, Refused, Same};
use Segment::{Argument, Is};

const NO_RELEASES: OnPreview = Refused("nothing is stored of what a preview shows");

const NO_PREVIEWS: OnPreview = Refused("a preview has no previews");

/// Every operation. Rows of one path are listed in `Allow` in their order.
static OPERATIONS: &[Operation] = &[
    Operation {
        methods: &[Method::POST],
        path: &[Is("search")],
        access: Access::Anyone,
        rate: Some(Kind::Search),
        max_body: 16 * 1024,
        on_preview: Answers,
        handler: |call| Box::pin(search::answer(call)),
    },
    Operation {
        methods: &[Method::OPTIONS],
        path: &[Is("search")],
        access: Access::Anyone,
        rate: None,
        max_body: 0,
        on_preview: Same,
        handler: |call| Box::pin(search::preflight(call)),
    },
    Operation {
        methods: &[Method::POST],
        path: &[Is("assistant")],
        access: Access::Anyone,
        rate: Some(Kind::Assistant),
        // A conversation with what was selected.
        max_body: 256 * 1024,
        on_preview: Answers,
        handler: |call| Box::pin(assistant::answer(call)),
    },
    Operation {
        methods: &[Method::OPTIONS],
        path: &[Is("assistant")],
        access: Access::Anyone,
        rate: None,
        max_body: 0,
        on_preview: Same,
        handler: |call| Box::pin(search::preflight(call)),
    },
    Operation {
        methods: &[Method::GET, Method::HEAD],
        path: &[Is("deployments")],
        access: Access::Token,
        rate: None,
        max_body: 0,
        on_preview: Answers,
        handler: |call| Box::pin(deployments::list(call)),
    },
    Operation {
        methods: &[Method::POST],
        path: &[Is("deployments")],
        access: Access::SignatureOrToken,
        rate: Some(Kind::Deployment),
        // Webhooks tell a lot.
        max_body: 256 * 1024,
        on_preview: Answers,
        handler: |call| Box::pin(deployments::deploy(call)),
    },
    Operation {
        methods: &[Method::GET, Method::HEAD],
        path: &[Is("deployments"), Argument],
        access: Access::Token,
        rate: None,
        max_body: 0,
        on_preview: Answers,
        handler: |call| Box::pin(deployments::show(call)),
    },
    Operation {
        methods: &[Method::GET, Method::HEAD],
        path: &[Is("deployments"), Argument, Is("diff")],
        access: Access::Token,
        rate: None,
        max_body: 0,
        on_preview: NO_RELEASES,
        handler: |call| Box::pin(deployments::compare(call)),
    },
    Operation {
        methods: &[Method::POST],
        path: &[Is("deployments"), Argument, Is("rollback")],
        access: Access::Token,
        rate: Some(Kind::Deployment),
        max_body: 16 * 1024,
        on_preview: NO_RELEASES,
        handler: |call| Box::pin(deployments::roll_back(call)),
    },
    Operation {
        methods: &[Method::GET, Method::HEAD],
        path: &[Is("previews")],
        access: Access::Token,
        rate: None,
        max_body: 0,
        on_preview: NO_PREVIEWS,
        handler: |call| Box::pin(previews::list(call)),
    },
    Operation {
        methods: &[Method::POST],
        path: &[Is("previews")],
        access: Access::Token,
        rate: None,
        max_body: 16 * 1024,
        on_preview: NO_PREVIEWS,
        handler: |call| Box::pin(previews::open(call)),
    },
    Operation {
        methods: &[Method::DELETE],
        path: &[Is("previews"), Argument],
        access: Access::Token,
        rate: None,
        max_body: 0,
        on_preview: NO_PREVIEWS,
        handler: |call| Box::pin(previews::close(call)),
    },
];

/// The operations of the table; that GET answers to HEAD goes without saying.
#[cfg(test)]
pub(super) fn described() -> impl Iterator<Item = DescribedOperation> {
    let argument = |path: &[Segment]| match path {
        [Is("deployments"), ..] => "{number}",
        _ => "{label}",
    };
    OPERATIONS.iter().flat_map(move |row| {
        let segments = row.path.iter().map(|segment| match segment {
            Is(name) => *name,
            Argument => argument(row.path),
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let methods = row.methods.iter().filter(|method| **method != Method::HEAD);
        methods.map(move |method| DescribedOperation {
            path: format!("/api/sites/{{id}}/{path}"),
            method: method.clone(),
            has_body: row.max_body > 0,
            access: Some(row.access),
            is_limited: Some(row.rate.is_some()),
        })
    })
}

/// The reply for `/api/sites/` and `rest`.
pub(super) async fn reply(
    sites: &Sites,
    at: &HostMatch,
    context: &RequestContext<'_>,
    rest: &str,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let answer = answer(sites, at, context, rest, body).await;
    if !is_for_anyone(rest) {
        return answer;
    }
    Ok(for_anyone(answer.unwrap_or_else(Response::from)))
}

/// `response` as pages of another origin can read it, a refusal too.
pub(super) fn for_anyone(mut response: Response<Body>) -> Response<Body> {
    set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    response
}

/// Returns true if pages of any origin may call the operation at `/api/sites/` and `rest`.
pub(super) fn is_for_anyone(rest: &str) -> bool {
    let path: Vec<&str> = rest.split('/').skip(1).collect();
    let mut rows = OPERATIONS.iter().filter(|row| row.is_at(&path));
    rows.any(|row| row.access == Access::Anyone)
}

async fn answer(
    sites: &Sites,
    at: &HostMatch,
    context: &RequestContext<'_>,
    rest: &str,
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let mut path = rest.split('/');
    let id = path.next().unwrap_or("");
    let path: Vec<&str> = path.collect();
    // A host that is a site speaks for that site alone.
    let (slot, label) = match at {
        HostMatch::Site(slot) => ((slot.id == id).then(|| slot.clone()), None),
        HostMatch::Preview(slot, label) => {
            let is_read = id == slot.id && is_for_anyone(rest);
            let is_meant = is_read || id == slot.preview_id(label);
            (is_meant.then(|| slot.clone()), Some(label.as_str()))
        }
        HostMatch::Machine | HostMatch::Unknown => (sites.get(id), None),
    };
    let Some(slot) = slot else {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-site",
            "no site of this host has that id",
        ));
    };
    let rows = operations_at(&path, label.is_some())?;
    call(&rows, slot, label, context, &path, body).await
}

/// The operations at `path`, at least one.
fn operations_at(path: &[&str], on_preview: bool) -> Result<Vec<&'static Operation>, Refusal> {
    let mut why = "a site has no such operation";
    let mut rows = Vec::new();
    for row in OPERATIONS.iter().filter(|row| row.is_at(path)) {
        match row.on_preview {
            Refused(reason) if on_preview => why = reason,
            _ => rows.push(row),
        }
    }
    match rows.is_empty() {
        true => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-operation",
            why,
        )),
        false => Ok(rows),
    }
}

/// Calls the one of `rows` that has the method of the request, if it is let through.
async fn call(
    rows: &[&Operation],
    site: Arc<SiteSlot>,
    label: Option<&str>,
    context: &RequestContext<'_>,
    path: &[&str],
    body: Incoming,
) -> Result<Response<Body>, Refusal> {
    let row = rows.iter().find(|row| row.methods.contains(context.method));
    let Some(row) = row else {
        return Err(not_allowed(rows.iter().flat_map(|row| row.methods)));
    };
    // Who may not call it has nothing opened and nothing read; a signature is that of the body.
    let signature = match row.access {
        Access::Anyone | Access::Token => None,
        Access::SignatureOrToken => access::signature(context.headers),
    };
    // Who tries tokens is counted, too.
    let limited = row.rate.and_then(|kind| Some((context.rates?, kind)));
    if let (Some((rates, kind)), Some(client)) = (limited, context.limited) {
        rates.enter_client(kind, client)?;
    }
    if row.access != Access::Anyone && signature.is_none() {
        access::allowed(&site, context)?;
    }
    let body = match row.max_body {
        0 => Bytes::new(),
        most => body::read(body, most).await?,
    };
    if let Some(signature) = signature {
        access::signed(&site, signature, &body)?;
    }
    // What is the site's is not used up by those who may not ask.
    if let Some((rates, kind)) = limited {
        rates.enter_site(kind, &site.id)?;
    }
    let preview = match (label, row.on_preview) {
        (Some(label), Answers) => Some(visit(&site, label, context).await?),
        _ => None,
    };
    let call = Call {
        context,
        slot: preview
            .as_ref()
            .map_or(site, |preview| preview.slot.clone()),
        preview,
        argument: row.argument(path),
        body,
        is_signed: signature.is_some(),
    };
    let mut response = (row.handler)(call).await?;
    if let (Some((rates, kind)), Some(client)) = (limited, context.limited) {
        rates.tell(kind, client, &mut response);
    }
    Ok(response)
}

impl Operation {
    fn is_at(&self, path: &[&str]) -> bool {
        let is_there = |(segment, given): (&Segment, &&str)| match segment {
            Is(name) => name == given,
            Argument => true,
        };
        self.path.len() == path.len() && self.path.iter().zip(path).all(is_there)
    }

    fn argument<'a>(&self, path: &[&'a str]) -> &'a str {
        let mut segments = self.path.iter().zip(path);
        let found = segments.find(|(segment, _)| matches!(segment, Argument));
        found.map_or("", |(_, given)| given)
    }
}

impl Call<'_> {
    /// The site, started if need be; a preview shows what its ref is now.
    pub(super) async fn service(&self) -> Result<Arc<Service>, Refusal> {
        if let Some(preview) = &self.preview {
            preview.follow().await;
        }
        started(&self.slot).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_and_a_path_are_one_row() {
        for row in OPERATIONS {
            let path: Vec<&str> = row.path.iter().map(Segment::example).collect();
            let rows = operations_at(&path, false).expect("a row");
            for method in row.methods {
                let of_method = rows.iter().filter(|row| row.methods.contains(method));
                assert_eq!(of_method.count(), 1, "{method} {path:?}");
            }
        }
    }

    #[test]
    fn an_argument_is_one_segment() {
        let rows = |path: &[&str]| operations_at(path, false).map_or(0, |rows| rows.len());
        assert_eq!(rows(&["deployments"]), 2);
        assert_eq!(rows(&["deployments", ""]), 1);
        assert_eq!(rows(&["deployments", "1"]), 1);
        assert_eq!(rows(&["deployments", "1", ""]), 0);
        assert_eq!(rows(&["search", "1"]), 0);
        assert_eq!(rows(&[]), 0);
    }

    impl Segment {
        fn example(&self) -> &'static str {
            match self {
                Is(name) => name,
                Argument => "1",
            }
        }
    }
}
