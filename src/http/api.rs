//! Operations on a site: search, deployments and previews. `/api/sites/<id>/…`

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::{Method, Response, StatusCode};
use queries::content::ContentHash;
use serde::Deserialize;

use super::body;
use super::reply::{Body, full, problem, set};
use super::router::{RequestContext, only, started, visit};
use super::search;
use crate::sites::deploy::{self, Cause, Deployment};
use crate::sites::{HostMatch, SiteSlot, Sites};

/// Largest body of a request for a deployment, in bytes: webhooks tell a lot.
const MAX_BODY: usize = 256 * 1024;

/// Longest `Idempotency-Key`.
const MAX_KEY: usize = 255;

/// The reply for `/api/sites/` and `rest`.
pub(super) async fn reply(
    sites: &Sites,
    at: &HostMatch,
    context: &RequestContext<'_>,
    rest: &str,
    body: Incoming,
) -> Response<Body> {
    let mut parts = rest.split('/');
    let id = parts.next().unwrap_or("");
    // A host that is a site speaks for that site alone.
    let slot = match at {
        HostMatch::Site(slot) | HostMatch::Preview(slot, _) => {
            (slot.id == id).then(|| slot.clone())
        }
        HostMatch::Machine | HostMatch::Unknown => sites.get(id),
    };
    let Some(slot) = slot else {
        return problem(
            StatusCode::NOT_FOUND,
            "unknown-site",
            "no site of this host has that id",
        );
    };
    match (parts.next(), parts.next(), parts.next()) {
        (Some("search"), None, None) => {
            let service = match at {
                HostMatch::Preview(slot, label) => match visit(slot, label).await {
                    Ok(preview) => {
                        preview.follow().await;
                        started(&preview.slot).await
                    }
                    Err(refusal) => Err(refusal),
                },
                _ => started(&slot).await,
            };
            search::reply(service, context, body).await
        }
        (Some("deployments"), None, None) => {
            if let Some(refusal) = only(context, &[Method::GET, Method::HEAD, Method::POST]) {
                return refusal;
            }
            match *context.method {
                Method::POST => deploy(slot, context, body).await,
                _ => match allowed(&slot, context) {
                    Ok(()) => json(
                        StatusCode::OK,
                        &serde_json::json!({ "deployments": slot.deployments.last(50) }),
                    ),
                    Err(refusal) => *refusal,
                },
            }
        }
        (Some("deployments"), Some(number), None) => {
            if let Some(refusal) = only(context, &[Method::GET, Method::HEAD]) {
                return refusal;
            }
            if let Err(refusal) = allowed(&slot, context) {
                return *refusal;
            }
            match number
                .parse()
                .ok()
                .and_then(|number| slot.deployments.get(number))
            {
                Some(deployment) => json(StatusCode::OK, &shown(&slot, &deployment)),
                None => problem(
                    StatusCode::NOT_FOUND,
                    "unknown-deployment",
                    "no deployment has that number",
                ),
            }
        }
        (Some("previews"), None, None) => {
            if let Some(refusal) = only(context, &[Method::GET, Method::HEAD, Method::POST]) {
                return refusal;
            }
            if let Err(refusal) = allowed(&slot, context) {
                return *refusal;
            }
            match *context.method {
                Method::POST => open_preview(&slot, context, body).await,
                _ => list_previews(slot).await,
            }
        }
        (Some("previews"), Some(label), None) => {
            if let Some(refusal) = only(context, &[Method::DELETE]) {
                return refusal;
            }
            if let Err(refusal) = allowed(&slot, context) {
                return *refusal;
            }
            match slot.previews.close(label) {
                true => {
                    let mut response = Response::new(full(""));
                    *response.status_mut() = StatusCode::NO_CONTENT;
                    response
                }
                false => problem(
                    StatusCode::NOT_FOUND,
                    "unknown-preview",
                    "no open preview is called so",
                ),
            }
        }
        _ => problem(
            StatusCode::NOT_FOUND,
            "unknown-operation",
            "a site has no such operation",
        ),
    }
}

/// Accepts a deployment.
async fn deploy(
    slot: Arc<SiteSlot>,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Response<Body> {
    let body = match body::read(body, MAX_BODY).await {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    let header = |name: &str| {
        context
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let (cause, key) = match header("x-hub-signature-256") {
        Some(signature) => {
            if let Err(refusal) = signed(&slot, signature, &body) {
                return *refusal;
            }
            if header("x-github-event") == Some("ping") {
                return json(StatusCode::OK, &serde_json::json!({ "status": "ready" }));
            }
            if !is_for(&slot, &body) {
                return json(
                    StatusCode::OK,
                    &serde_json::json!({ "status": "ignored", "reason": "another branch" }),
                );
            }
            (Cause::Webhook, header("x-github-delivery"))
        }
        None => {
            if let Err(refusal) = allowed(&slot, context) {
                return *refusal;
            }
            (Cause::Api, None)
        }
    };
    let key = header("idempotency-key").or(key);
    if key.is_some_and(|key| key.is_empty() || key.len() > MAX_KEY) {
        return problem(
            StatusCode::BAD_REQUEST,
            "bad-idempotency-key",
            "`Idempotency-Key` has 1 to 255 characters",
        );
    }
    let (accepting, key) = (slot.clone(), key.map(str::to_owned));
    // What is written down is run, also if whoever asked has gone meanwhile and nobody waits for this.
    let accepted = tokio::task::spawn_blocking(move || {
        let accepted = accepting.deployments.accept(cause, key.as_deref())?;
        if let (deployment, true) = &accepted {
            tokio::spawn(deploy::run(accepting, deployment.id));
        }
        anyhow::Ok(accepted)
    });
    match accepted.await {
        Ok(Ok((deployment, _))) => {
            let mut response = json(StatusCode::ACCEPTED, &shown(&slot, &deployment));
            set(
                &mut response,
                header::LOCATION,
                &address(&slot, &deployment),
            );
            response
        }
        error => {
            tracing::error!(
                site = slot.id,
                "a deployment could not be accepted: {error:?}"
            );
            problem(
                StatusCode::INSUFFICIENT_STORAGE,
                "not-accepted",
                "the deployment could not be written down in the state folder of the daemon, so it is not done; its log says why",
            )
        }
    }
}

fn address(slot: &SiteSlot, deployment: &Deployment) -> String {
    format!("/api/sites/{}/deployments/{}", slot.id, deployment.id)
}

fn shown(slot: &SiteSlot, deployment: &Deployment) -> serde_json::Value {
    let mut value = serde_json::to_value(deployment).unwrap_or_default();
    value["url"] = address(slot, deployment).into();
    // The key is the client's own.
    if let Some(fields) = value.as_object_mut() {
        fields.remove("key");
    }
    value
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Push {
    #[serde(rename = "ref")]
    name: Option<String>,
}

/// Whether a webhook is about what the site publishes: of a push to another branch nothing changes.
fn is_for(slot: &SiteSlot, body: &[u8]) -> bool {
    let push: Push = serde_json::from_slice(body).unwrap_or_default();
    let branch = push
        .name
        .as_deref()
        .and_then(|name| name.strip_prefix("refs/heads/"));
    slot.settings.git.is_none() || branch.is_none_or(|branch| branch == slot.settings.branch)
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    #[serde(rename = "ref")]
    name: Option<String>,
}

async fn open_preview(
    slot: &Arc<SiteSlot>,
    context: &RequestContext<'_>,
    body: Incoming,
) -> Response<Body> {
    let body = match body::read(body, 16 * 1024).await {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    let wanted: Wanted = match body::json(context.headers, &body) {
        Ok(wanted) => wanted,
        Err(refusal) => return *refusal,
    };
    let Some(name) = wanted.name else {
        return problem(
            StatusCode::BAD_REQUEST,
            "missing-field",
            "`ref` is missing: a branch, tag or commit",
        );
    };
    let (parent, sought) = (slot.clone(), name.clone());
    let label = tokio::task::spawn_blocking(move || {
        let listed = parent.previews.list(&parent).unwrap_or_default();
        let found = listed.into_iter().find(|listed| listed.name == sought);
        found.map(|listed| listed.label)
    });
    // What no ref is called may be a commit.
    let label = label
        .await
        .ok()
        .flatten()
        .unwrap_or_else(|| name.to_ascii_lowercase());
    let preview = match visit(slot, &label).await {
        Ok(preview) => preview,
        Err(refusal) => return *refusal,
    };
    if let Err(error) = preview.slot.service().await {
        slot.previews.close(&label);
        return problem(StatusCode::UNPROCESSABLE_ENTITY, "no-site", &error);
    }
    let host = format!("{label}--{}.localhost", slot.id);
    let mut response = json(
        StatusCode::CREATED,
        &serde_json::json!({
            "ref": preview.tree.name, "label": label, "commit": preview.tree.commit(),
            "opened": preview.opened, "host": host,
        }),
    );
    set(&mut response, header::LOCATION, &format!("//{host}/"));
    response
}

async fn list_previews(slot: Arc<SiteSlot>) -> Response<Body> {
    match tokio::task::spawn_blocking(move || slot.previews.list(&slot)).await {
        Ok(Ok(previews)) => json(StatusCode::OK, &serde_json::json!({ "previews": previews })),
        _ => problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "site-not-ready",
            "the repository of the site cannot be read",
        ),
    }
}

/// Whether the client may change the site: it has the token, or, if none is configured, it is on this machine.
fn allowed(slot: &SiteSlot, context: &RequestContext<'_>) -> Result<(), Box<Response<Body>>> {
    let refuse = |message: &str| {
        let mut response = problem(StatusCode::UNAUTHORIZED, "unauthorized", message);
        set(&mut response, header::WWW_AUTHENTICATE, "Bearer");
        Err(Box::new(response))
    };
    if is_from_elsewhere(context.headers) {
        return Err(Box::new(problem(
            StatusCode::FORBIDDEN,
            "foreign-origin",
            "a page of another origin may not do this",
        )));
    }
    match slot.settings.token() {
        Ok(Some(token)) => {
            let given = context
                .headers
                .get(header::AUTHORIZATION)
                .and_then(|value| value.to_str().ok());
            let given = given.and_then(|value| value.strip_prefix("Bearer "));
            // The time that this takes tells nothing about the token: digests are compared.
            let is_right = given.is_some_and(|given| {
                blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes())
            });
            if is_right {
                Ok(())
            } else {
                refuse("send `Authorization: Bearer TOKEN`")
            }
        }
        Ok(None) if context.is_from_here => Ok(()),
        Ok(None) => refuse("the site has no token, so only this machine may do this"),
        Err(error) => {
            tracing::error!(site = slot.id, "the token cannot be read: {error:#}");
            refuse("the token of the site cannot be read")
        }
    }
}

/// Whether a page of another origin sent this (RFC 6454): browsers say so themselves.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &header::HeaderValue| value.to_str().ok())
    };
    let Some(origin) = text(header::ORIGIN) else {
        return false;
    };
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    text(header::HOST) != Some(host)
}

/// Whether `signature` is that of `body` under the secret of the site: `sha256=` and the HMAC in hexadecimal digits.
fn signed(slot: &SiteSlot, signature: &str, body: &[u8]) -> Result<(), Box<Response<Body>>> {
    let refuse = |message: &str| {
        Err(Box::new(problem(
            StatusCode::UNAUTHORIZED,
            "bad-signature",
            message,
        )))
    };
    let secret = match slot.settings.webhook_secret() {
        Ok(Some(secret)) => secret,
        Ok(None) => return refuse("the site has no secret for webhooks"),
        Err(error) => {
            tracing::error!(
                site = slot.id,
                "the secret of webhooks cannot be read: {error:#}"
            );
            return refuse("the secret of the site cannot be read");
        }
    };
    let digest = signature.strip_prefix("sha256=").and_then(unhex);
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    match digest.is_some_and(|digest| ring::hmac::verify(&key, body, &digest).is_ok()) {
        true => Ok(()),
        false => refuse("the signature is not that of the body"),
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks_exact(2);
    if !digits.remainder().is_empty() {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.map(byte).collect()
}

fn json(status: StatusCode, value: &serde_json::Value) -> Response<Body> {
    let text = format!("{value}\n");
    let digest = ContentHash::of(text.as_bytes()).short();
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    set(
        &mut response,
        header::CONTENT_TYPE,
        "application/json; charset=utf-8",
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    set(&mut response, header::ETAG, &format!("\"{digest}\""));
    response
}
