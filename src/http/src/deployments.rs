//! Deployments of a site. `/api/sites/<id>/deployments`

use hyper::header;
use hyper::{Response, StatusCode};
use queries::base::content::ContentHash;
use serde::Deserialize;

use super::api::Call;
use super::reply::{Body, Refusal, json, set};
use quire_site::sites::SiteSlot;
use quire_site::sites::deploy::{self, Cause, Deployment, KeyReused, NoRelease, Order, QuotaUsed};

/// Header with the key of a request that may be repeated.
const KEY: &str = "idempotency-key";

/// Longest `Idempotency-Key`.
const MAX_KEY: usize = 255;

/// Longest reason for a rollback, in characters.
const MAX_REASON: usize = 500;

/// Lists the last deployments.
pub(super) async fn list(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let last = call.slot.deployments.last(50);
    let list = serde_json::json!({ "deployments": last });
    Ok(json(StatusCode::OK, &list))
}

/// Shows the deployment of a number.
pub(super) async fn show(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let number: Option<u64> = call.argument.parse().ok();
    let known = number.and_then(|number| call.slot.deployments.get(number));
    let found = match (known, number) {
        (None, Some(number)) => {
            // Another process may have accepted it just now.
            let deployments = call.slot.deployments.clone();
            let read = tokio::task::spawn_blocking(move || {
                deployments.refresh()?;
                anyhow::Ok(deployments.get(number))
            });
            let read = read.await.map_err(anyhow::Error::from);
            read.and_then(|read| read).map_err(|error| {
                tracing::error!(site = call.slot.id, "failed to read deployments: {error:#}");
                let why = "the deployments cannot be read at present; ask again in some seconds";
                Refusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "unreadable-deployments",
                    why,
                )
            })?
        }
        (known, _) => known,
    };
    match found {
        Some(deployment) => Ok(json(
            StatusCode::OK,
            &deployment_json(&call.slot, &deployment),
        )),
        None => Err(unknown()),
    }
}

/// Accepts a deployment.
pub(super) async fn deploy(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let header = |name: &str| {
        let value = call.context.headers.get(name);
        value.and_then(|value| value.to_str().ok())
    };
    let (cause, key) = match call.is_signed {
        true => {
            if header("x-github-event") == Some("ping") {
                let ready = serde_json::json!({ "status": "ready" });
                return Ok(json(StatusCode::OK, &ready));
            }
            if !is_for(&call) {
                let ignored =
                    serde_json::json!({ "status": "ignored", "reason": "another branch" });
                return Ok(json(StatusCode::OK, &ignored));
            }
            (Cause::Webhook, key_in(&call, "x-github-delivery")?)
        }
        false => (Cause::Api, None),
    };
    let key = key_in(&call, KEY)?.or(key);
    accept(
        &call,
        Request {
            cause,
            key: key.map(str::to_owned),
            reason: None,
            from: None,
        },
    )
    .await
}

/// Publishes the release of an earlier deployment again, as a deployment of its own.
pub(super) async fn roll_back(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let from = call.argument.parse().map_err(|_| unknown())?;
    let request: Rollback = match call.body.is_empty() {
        true => Rollback::default(),
        false => serde_json::from_slice(&call.body).map_err(|error| {
            let why = format!("the body must be JSON such as {{\"reason\": \"…\"}}: {error}");
            Refusal::new(StatusCode::BAD_REQUEST, "bad-body", &why)
        })?,
    };
    if (request.reason.as_ref()).is_some_and(|reason| reason.chars().count() > MAX_REASON) {
        let why = format!("`reason` has at most {MAX_REASON} characters");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad-body", &why));
    }
    if call.slot.is_followed() {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            "follows-folder",
            "this site publishes every change of its folder; set `watch = false`, so that only deployments publish",
        ));
    }
    let key = key_in(&call, KEY)?.map(str::to_owned);
    accept(
        &call,
        Request {
            cause: Cause::Rollback,
            key,
            reason: request.reason,
            from: Some(from),
        },
    )
    .await
}

/// Compares the release of a deployment with that of another: the one that was published before
/// it, or that of the number in `with`.
pub(super) async fn compare(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let number: u64 = call.argument.parse().map_err(|_| unknown())?;
    let query = call.context.query.unwrap_or("");
    let with = query.split('&').find_map(|part| part.strip_prefix("with="));
    let with: Option<u64> = with
        .map(|with| with.parse().map_err(|_| unknown()))
        .transpose()?;
    let slot = call.slot.clone();
    let compared = tokio::task::spawn_blocking(move || slot.deployments.compare(number, with));
    match compared.await {
        Ok(Ok(diff)) => Ok(json(StatusCode::OK, &serde_json::json!(diff))),
        Ok(Err(error)) if error.is::<NoRelease>() => Err(refused(&call.slot, &error)),
        error => {
            tracing::error!(
                site = call.slot.id,
                "failed to compare deployments: {error:?}"
            );
            Err(Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "unreadable-release",
                "what was stored of a deployment cannot be read; the log of the daemon says why",
            ))
        }
    }
}

/// Body of a rollback.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Rollback {
    reason: Option<String>,
}

/// The key of a request in the header `name`. One that cannot be read is not left out: who sends it
/// again would deploy twice.
fn key_in<'a>(call: &Call<'a>, name: &str) -> Result<Option<&'a str>, Refusal> {
    let Some(key) = call.context.headers.get(name) else {
        return Ok(None);
    };
    let key = key.to_str().ok();
    let key = key.filter(|key| !key.is_empty() && key.len() <= MAX_KEY);
    key.map(Some).ok_or_else(|| {
        Refusal::new(
            StatusCode::BAD_REQUEST,
            "bad-idempotency-key",
            "`Idempotency-Key` has 1 to 255 characters of ASCII",
        )
    })
}

/// Request for a deployment.
struct Request {
    cause: Cause,
    key: Option<String>,
    reason: Option<String>,
    from: Option<u64>,
}

async fn accept(call: &Call<'_>, request: Request) -> Result<Response<Body>, Refusal> {
    let slot = call.slot.clone();
    let accepting = slot.clone();
    let what = (request.from).map_or(String::new(), |from| format!("rollback {from}\n"));
    let digest = ContentHash::of_joined(&[what.as_bytes(), &call.body]).short();
    // What is written down is run, also if whoever asked has gone meanwhile and nobody waits for this.
    let accepted = tokio::task::spawn_blocking(move || {
        let accepted = accepting.deployments.accept(Order {
            cause: request.cause,
            key: request.key.as_deref(),
            request: Some(&digest),
            reason: request.reason.as_deref(),
            from: request.from,
        })?;
        // One that was accepted before may be one that nobody runs: of another process.
        if !accepted.0.status.is_final() {
            deploy::start(accepting, accepted.0.id);
        }
        anyhow::Ok(accepted)
    });
    match accepted.await {
        Ok(Ok((deployment, _))) => {
            let mut response = json(StatusCode::ACCEPTED, &deployment_json(&slot, &deployment));
            set(
                &mut response,
                header::LOCATION,
                &address(&slot, &deployment),
            );
            Ok(response)
        }
        Ok(Err(error)) => Err(refused(&slot, &error)),
        Err(error) => Err(refused(&slot, &error.into())),
    }
}

/// The refusal that tells of `error`.
fn refused(slot: &SiteSlot, error: &anyhow::Error) -> Refusal {
    if error.is::<KeyReused>() {
        return Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            "this `Idempotency-Key` was sent with another body before",
        );
    }
    if let Some(used) = error.downcast_ref::<QuotaUsed>() {
        let wait = used.wait.to_string();
        return Refusal::new(
            StatusCode::TOO_MANY_REQUESTS,
            "quota-used",
            &used.to_string(),
        )
        .with(header::RETRY_AFTER, &wait);
    }
    match error.downcast_ref::<NoRelease>() {
        Some(NoRelease::Unknown) => unknown(),
        Some(missing) => Refusal::new(StatusCode::CONFLICT, "no-release", &missing.to_string()),
        None => {
            tracing::error!(site = slot.id, "failed to accept a deployment: {error:?}");
            Refusal::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "not-accepted",
                "the deployment could not be written down in the storage of the daemon, whose log says why; it is not done, unless only the answer of the storage was lost: send it again with an `Idempotency-Key`",
            )
        }
    }
}

fn unknown() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "unknown-deployment",
        "no deployment has that number",
    )
}

fn address(slot: &SiteSlot, deployment: &Deployment) -> String {
    format!("/api/sites/{}/deployments/{}", slot.id, deployment.id)
}

fn deployment_json(slot: &SiteSlot, deployment: &Deployment) -> serde_json::Value {
    let mut value = serde_json::to_value(deployment).unwrap_or_default();
    value["url"] = address(slot, deployment).into();
    // The key is the client's own.
    if let Some(fields) = value.as_object_mut() {
        fields.remove("key");
        fields.remove("request");
    }
    value
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Push {
    #[serde(rename = "ref")]
    name: Option<String>,
}

/// Returns true if a webhook is about the published branch.
fn is_for(call: &Call<'_>) -> bool {
    let push: Push = serde_json::from_slice(&call.body).unwrap_or_default();
    let branch = push
        .name
        .as_deref()
        .and_then(|name| name.strip_prefix("refs/heads/"));
    let settings = &call.slot.settings;
    let published = match &call.preview {
        Some(preview) => Some(preview.tree.name.as_str()),
        None => settings.git.is_some().then_some(settings.branch.as_str()),
    };
    published.is_none_or(|published| branch.is_none_or(|branch| branch == published))
}
