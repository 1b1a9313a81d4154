//! Access to the operations of a site: by its token, by the signature of a webhook, or by where administrators come in.
//! Never by an address: behind a proxy everybody has that of the proxy.

use std::net::IpAddr;

use hyper::header::{self, HeaderMap};
use hyper::{Response, StatusCode};

use super::gate::host_name;
use super::reply::{Body, Refusal, set};
use super::router::{Entrance, RequestContext};
use quire_site::sites::{HostMatch, SiteSlot};

/// The clients that may use an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Every client, and pages of every origin: the reply says nothing that the site does not say
    /// to everyone.
    Anyone,
    /// Clients that may change the site: see [`allowed`].
    Token,
    /// Clients that may change the site, and those that signed the body: see [`signed`].
    SignatureOrToken,
}

/// The signature of a webhook.
pub(super) fn signature(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-hub-signature-256")?.to_str().ok()
}

/// Returns true if the client has the token of the site; `None` if none is configured.
fn has_token(slot: &SiteSlot, headers: &HeaderMap) -> anyhow::Result<Option<bool>> {
    let Some(token) = slot.settings.token()? else {
        return Ok(None);
    };
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer "));
    // The time that this takes tells nothing about the token: digests are compared.
    Ok(Some(given.is_some_and(|given| {
        blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes())
    })))
}

/// Returns true if the client may see what only administrators see: of the site at a host, or of
/// all sites where the host is none.
pub(super) fn may_see(at: &HostMatch, context: &RequestContext<'_>) -> bool {
    let has_token = || match at {
        HostMatch::Site(slot) | HostMatch::Preview(slot, _) => {
            matches!(has_token(slot, context.headers), Ok(Some(true)))
        }
        HostMatch::Machine | HostMatch::Unknown => false,
    };
    context.entrance.is_for_administrators() || has_token()
}

/// Checks that the client may change the site: it has the token, or uses the socket, or, if there
/// is no token, the admin listener.
pub(super) fn allowed(slot: &SiteSlot, context: &RequestContext<'_>) -> Result<(), Refusal> {
    let refuse = |message: &str| {
        let refusal = Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", message);
        Err(refusal.with(header::WWW_AUTHENTICATE, "Bearer"))
    };
    if is_of_other_origin(context.headers, &context.target.authority) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "foreign-origin",
            "a page of another origin may not do this",
        ));
    }
    if context.entrance == Entrance::Socket {
        return Ok(());
    }
    match has_token(slot, context.headers) {
        Ok(Some(true)) => Ok(()),
        Ok(Some(false)) => refuse("send `Authorization: Bearer TOKEN`"),
        Ok(None) if context.entrance == Entrance::Admin => Ok(()),
        Ok(None) => refuse(
            "the site has no token (`token_env`, `token_file`), so this is done through the socket of the daemon or its \
             admin listener",
        ),
        Err(error) => {
            tracing::error!(site = slot.id, "failed to read the token: {error:#}");
            refuse("failed to read the token of the site")
        }
    }
}

/// Returns true if a page of this very origin sends the request. Browsers say so in headers that no
/// page can set; a request without them is refused.
pub(super) fn is_from_own_page(headers: &HeaderMap, authority: &str) -> bool {
    let site = headers.get("sec-fetch-site");
    let is_of_site = site.map(|site| site == "same-origin");
    let is_of_origin = headers
        .contains_key(header::ORIGIN)
        .then(|| !is_of_other_origin(headers, authority));
    match (is_of_site, is_of_origin) {
        (None, None) => false,
        (is_of_site, is_of_origin) => is_of_site != Some(false) && is_of_origin != Some(false),
    }
}

/// Refuses what no page of this very origin sends: see [`is_from_own_page`].
pub(super) fn own_page(context: &RequestContext<'_>) -> Result<(), Refusal> {
    match is_from_own_page(context.headers, &context.target.authority) {
        true => Ok(()),
        false => Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "foreign-origin",
            "only a page of the site may say this",
        )),
    }
}

/// The refusal of a client that may say more in `wait` seconds.
pub(super) fn said_too_much(wait: u64) -> Refusal {
    let message = "rate limit exceeded";
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message)
        .with(header::RETRY_AFTER, &wait.to_string())
}

/// Returns true if a page of another origin sent the request (RFC 6454). The scheme may be that of
/// a proxy before this server.
pub(super) fn is_of_other_origin(headers: &HeaderMap, authority: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else {
        return headers.contains_key(header::ORIGIN);
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    !host.eq_ignore_ascii_case(authority)
}

/// Returns true if a page of another site sends the request, or makes a browser load it, while the
/// author of a draft visits that site. Pages of this machine are the author's; a followed link
/// shows the draft to its reader alone.
pub(super) fn is_of_other_site(headers: &HeaderMap, authority: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_elsewhere = match text("sec-fetch-site") {
        // Behind a proxy that gives the server another name, browsers know better than the names.
        Some("same-origin" | "none") => return false,
        other => other.is_some(),
    };
    match headers.contains_key(header::ORIGIN) {
        true => is_of_other_origin(headers, authority) && own_machine(headers).is_none(),
        false => is_elsewhere && text("sec-fetch-mode") != Some("navigate"),
    }
}

/// The origin of the page that sends this, if that is of this machine.
pub(super) fn own_machine(headers: &HeaderMap) -> Option<&str> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else {
        return None;
    };
    let origin = origin.to_str().ok()?;
    let (scheme, host) = origin.split_once("://")?;
    let host = host_name(host)?;
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    let is_here = host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address: IpAddr| address.is_loopback());
    (is_here && matches!(scheme, "http" | "https")).then_some(origin)
}

/// Lets pages of this machine read `response`, and those of no other origin, whatever it says of that.
pub(super) fn only_own_machine(response: &mut Response<Body>, headers: &HeaderMap) {
    let allows = header::ACCESS_CONTROL_ALLOW_ORIGIN;
    if response.headers_mut().remove(&allows).is_none() {
        return;
    }
    if let Some(origin) = own_machine(headers) {
        set(response, allows, origin);
    }
    let vary = header::HeaderValue::from_static("origin");
    response.headers_mut().append(header::VARY, vary);
}

/// Checks that `signature` is that of `body` with the secret of the site: `sha256=` and the HMAC in
/// hexadecimal digits.
pub(super) fn signed(slot: &SiteSlot, signature: &str, body: &[u8]) -> Result<(), Refusal> {
    let refuse = |message: &str| {
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "bad-signature",
            message,
        ))
    };
    let secret = match slot.settings.webhook_secret() {
        Ok(Some(secret)) => secret,
        Ok(None) => return refuse("the site has no secret for webhooks"),
        Err(error) => {
            tracing::error!(
                site = slot.id,
                "failed to read the webhook secret: {error:#}"
            );
            return refuse("failed to read the webhook secret of the site");
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
