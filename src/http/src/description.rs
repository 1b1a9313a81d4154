//! The description of the operations for programs: an OpenAPI document. `GET /_quire/openapi.json`

use hyper::{Response, StatusCode, header};

use super::reply::{self, Body, full, set};

/// The document, OpenAPI 3.1. It is written by hand; a test holds it against the tables of operations.
const DOCUMENT: &str = include_str!("openapi.json");

/// The document, as it is for every host.
pub(super) fn show() -> Response<Body> {
    let mut response = Response::new(full(DOCUMENT));
    *response.status_mut() = StatusCode::OK;
    set(&mut response, header::CONTENT_TYPE, reply::JSON);
    set(&mut response, header::CACHE_CONTROL, "no-cache");
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::{analytics, api, completions, conformity, feedback, mcp, relay, router};
    use super::*;

    #[test]
    fn every_operation_is_described_and_no_other() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let described = paths.iter().flat_map(|(path, item)| {
            let methods = ["get", "post", "delete", "options", "put", "patch", "head"];
            let given = methods
                .into_iter()
                .filter(|method| item.get(method).is_some());
            given.map(move |method| (path.clone(), method.to_uppercase()))
        });
        let described: BTreeSet<(String, String)> = described.collect();
        let mut there: BTreeSet<(String, String)> = api::described().collect();
        there.extend(router::paths().map(|path| (path.to_owned(), "GET".to_owned())));
        let both = [feedback::PATH, analytics::PATH];
        let posts = [completions::PATH, conformity::PATH, mcp::PATH, relay::PATH];
        there.extend(both.map(|path| (path.to_owned(), "GET".to_owned())));
        let posts = both.into_iter().chain(posts);
        there.extend(posts.map(|path| (path.to_owned(), "POST".to_owned())));
        assert_eq!(described, there);
    }
}
