//! Deployments of a site. `/api/sites/<id>/deployments`

use hyper::header;
use hyper::{Response, StatusCode};
use queries::base::content::ContentHash;
use serde::Deserialize;

use super::api::Call;
use super::reply::{Body, Refusal, json, set};
use quire_site::sites::SiteSlot;
use quire_site::sites::deploy::{self, Cause, Deployment, KeyReused};

/// Longest `Idempotency-Key`.
const MAX_KEY: usize = 255;

/// Lists the last deployments.
pub(super) async fn list(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let last = call.slot.deployments.last(50);
    let list = serde_json::json!({ "deployments": last });
    Ok(json(StatusCode::OK, &list))
}

/// Shows the deployment of a number.
pub(super) async fn show(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let number = call.argument.parse().ok();
    let found = number.and_then(|number| call.slot.deployments.get(number));
    match found {
        Some(deployment) => Ok(json(
            StatusCode::OK,
            &deployment_json(&call.slot, &deployment),
        )),
        None => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-deployment",
            "no deployment has that number",
        )),
    }
}

/// Accepts a deployment.
pub(super) async fn deploy(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let slot = call.slot.clone();
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
            (Cause::Webhook, header("x-github-delivery"))
        }
        false => (Cause::Api, None),
    };
    // One that cannot be read is not left out: who sends it again would deploy twice.
    let is_unread = call.context.headers.contains_key("idempotency-key");
    let given = header("idempotency-key");
    let key = given.or(key);
    if is_unread && given.is_none() || key.is_some_and(|key| key.is_empty() || key.len() > MAX_KEY)
    {
        return Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "bad-idempotency-key",
            "`Idempotency-Key` has 1 to 255 characters of ASCII",
        ));
    }
    let (accepting, key) = (slot.clone(), key.map(str::to_owned));
    let request = ContentHash::of(&call.body).short();
    // What is written down is run, also if whoever asked has gone meanwhile and nobody waits for this.
    let accepted = tokio::task::spawn_blocking(move || {
        let accepted = &accepting.deployments;
        let accepted = accepted.accept_request(cause, key.as_deref(), Some(&request))?;
        if let (deployment, true) = &accepted {
            tokio::spawn(deploy::run(accepting, deployment.id));
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
        Ok(Err(error)) if error.is::<KeyReused>() => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            "this `Idempotency-Key` was sent with another body before",
        )),
        error => {
            tracing::error!(site = slot.id, "failed to accept a deployment: {error:?}");
            Err(Refusal::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "not-accepted",
                "the deployment could not be written down in the state folder of the daemon, so it is not done; its log says why",
            ))
        }
    }
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
