//! Access to the operations of a site: by its token, by the signature of a webhook, from this
//! machine.

use hyper::StatusCode;
use hyper::header::{self, HeaderMap};

use super::reply::Refusal;
use super::router::RequestContext;
use crate::sites::SiteSlot;

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

/// Whether the client may change the site: it has the token, or, if none is configured, it is on
/// this machine.
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

/// Whether a page of this very origin sends this. Browsers say so themselves, and no page can say
/// otherwise; whatever else says nothing of it is refused.
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
    let message = "this client has said too much";
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message)
        .with(header::RETRY_AFTER, &wait.to_string())
}

/// Whether a page of another origin sent this (RFC 6454). The scheme may be that of a proxy before
/// this server.
pub(super) fn is_of_other_origin(headers: &HeaderMap, authority: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else {
        return headers.contains_key(header::ORIGIN);
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    !host.eq_ignore_ascii_case(authority)
}

/// Whether `signature` is that of `body` under the secret of the site: `sha256=` and the HMAC in
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
