//! Previews of a site. `/api/sites/<id>/previews`

use hyper::header;
use hyper::{Response, StatusCode};
use serde::Deserialize;

use super::api::Call;
use super::body;
use super::reply::{Body, Refusal, full, json, set};
use super::router::visit;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PreviewRequest {
    #[serde(rename = "ref")]
    name: Option<String>,
}

/// Opens the preview of a ref.
pub(super) async fn open(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let slot = &call.slot;
    let wanted: PreviewRequest = body::json(call.context.headers, &call.body)?;
    let Some(name) = wanted.name else {
        return Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "missing-field",
            "`ref` is missing: a branch, tag or commit",
        ));
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
    let preview = visit(slot, &label, call.context).await?;
    if let Err(error) = preview.service().await {
        slot.previews.close(&label);
        return Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "no-site",
            &error,
        ));
    }
    let host = format!("{}.localhost", preview.slot.id);
    let mut response = json(
        StatusCode::CREATED,
        &serde_json::json!({
            "ref": preview.tree.name, "label": label, "commit": preview.tree.commit(),
            "opened": preview.opened, "host": host,
        }),
    );
    set(&mut response, header::LOCATION, &format!("//{host}/"));
    Ok(response)
}

/// Lists the refs and what is open of them.
pub(super) async fn list(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let slot = call.slot;
    match tokio::task::spawn_blocking(move || slot.previews.list(&slot)).await {
        Ok(Ok(previews)) => {
            let list = serde_json::json!({ "previews": previews });
            Ok(json(StatusCode::OK, &list))
        }
        _ => Err(Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "site-not-ready",
            "failed to read the repository of the site",
        )),
    }
}

/// Closes the preview of a label.
pub(super) async fn close(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    if !call.slot.previews.close(call.argument) {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-preview",
            "no open preview is called so",
        ));
    }
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
