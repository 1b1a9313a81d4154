//! Origins: where the requests of an API go, and where its tokens are given, as its document and its
//! pages name it. Only these are sent to for a reader.

use std::collections::BTreeSet;

use serde_json::Value;

use super::endpoint::Server;
use super::index::{Method, OTHERS};
use super::operation::server;
use base::data::pointer;

/// Most values that the variables of one server can have together. A list of this length is no
/// mistake of this program; what is beyond is left out.
const MOST: usize = 1024;

/// How deep below a member that is no part of OpenAPI a path item is looked for: one that a
/// reference leads to.
const DEPTH: usize = 3;

/// The scheme, host and port of the absolute address `address`, in lower case, as it is written
/// otherwise: whoever compares makes both of one form. `None` if there is none, or if it is not of
/// HTTP.
pub fn of_address(address: &str) -> Option<String> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(&*scheme, "http" | "https") {
        return None;
    }
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '{' | '}' | '@');
    let is_good = !authority.is_empty() && !authority.contains(is_odd);
    is_good.then(|| format!("{scheme}://{}", authority.to_lowercase()))
}

/// The origins of the servers in the slice of a document at `key`: of the document, of path items
/// and of operations; and where the flows of security schemes give tokens.
pub fn of_slice(key: &str, value: &Value) -> BTreeSet<String> {
    let mut origins = BTreeSet::new();
    let segments: Vec<_> = pointer::segments(key).collect();
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    match segments[..] {
        ["servers"] | ["paths", _, "servers"] => of_servers(value, &mut origins),
        ["paths", _, member] if Method::of(member).is_some() => of_owner(value, &mut origins),
        ["paths", _, OTHERS] => of_owners(value, &mut origins),
        ["paths", _] => of_path_item(value, 0, &mut origins),
        ["components", "securitySchemes", _] => of_scheme(value, &mut origins),
        // A path item that a reference leads to is where components are, or beside what OpenAPI
        // knows.
        ["components", "pathItems", _] => of_path_item(value, 0, &mut origins),
        ["components", kind, _] if kind.starts_with("x-") => {
            of_path_item(value, DEPTH, &mut origins);
        }
        [name, ..] if name.starts_with("x-") => of_path_item(value, DEPTH, &mut origins),
        _ => {}
    }
    origins
}

fn of_path_item(item: &Value, depth: usize, origins: &mut BTreeSet<String>) {
    of_owner(item, origins);
    for (name, member) in item.as_object().into_iter().flatten() {
        if Method::of(name).is_some() {
            of_owner(member, origins);
        } else if name == OTHERS {
            of_owners(member, origins);
        } else if depth > 0 && member.is_object() {
            of_path_item(member, depth - 1, origins);
        }
    }
}

fn of_owners(owners: &Value, origins: &mut BTreeSet<String>) {
    for owner in owners
        .as_object()
        .into_iter()
        .flat_map(|owners| owners.values())
    {
        of_owner(owner, origins);
    }
}

fn of_owner(owner: &Value, origins: &mut BTreeSet<String>) {
    if let Some(servers) = owner.get("servers") {
        of_servers(servers, origins);
    }
}

/// Where a browser reads the page of a sign-in nothing is sent on its behalf: that address does not count.
fn of_scheme(scheme: &Value, origins: &mut BTreeSet<String>) {
    let flows = scheme.get("flows").and_then(Value::as_object);
    for flow in flows.into_iter().flat_map(|flows| flows.values()) {
        let addresses = ["tokenUrl", "refreshUrl"].map(|name| flow.get(name)?.as_str());
        origins.extend(addresses.into_iter().flatten().filter_map(of_address));
    }
}

fn of_servers(servers: &Value, origins: &mut BTreeSet<String>) {
    let servers = servers.as_array().into_iter().flatten();
    for server in servers.filter_map(server) {
        let addresses = addresses(&server);
        origins.extend(addresses.iter().filter_map(|address| of_address(address)));
    }
}

/// The addresses of a server, as far as the end of their authority: one for each choice of the
/// values that its variables list. A variable without a list has its default alone.
fn addresses(server: &Server) -> Vec<String> {
    // Variables behind the authority are no part of the origin.
    let start = server.url.find("://").map(|at| at + "://".len());
    let end = start.and_then(|start| Some(start + server.url[start..].find(['/', '?', '#'])?));
    let template = &server.url[..end.unwrap_or(server.url.len())];
    let mut addresses = vec![template.to_owned()];
    for variable in &server.variables {
        let name = format!("{{{}}}", variable.name);
        if !template.contains(&name) {
            continue;
        }
        let free = std::slice::from_ref(&variable.default);
        let values = match &variable.values[..] {
            [] => free,
            values => values,
        };
        addresses = (addresses.iter())
            .flat_map(|address| values.iter().map(|value| address.replace(&name, value)))
            .take(MOST)
            .collect();
    }
    addresses
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(key: &str, value: Value, expected: &[&str]) {
        let origins = of_slice(key, &value);
        let origins: Vec<&str> = origins.iter().map(String::as_str).collect();
        assert_eq!(origins, expected, "{key}");
    }

    #[test]
    fn servers_of_documents_path_items_and_operations() {
        let servers =
            json!([{ "url": "https://A.example/v1" }, { "url": "http://b.example:8080" }]);
        let both = ["http://b.example:8080", "https://a.example"];
        check("/servers", servers.clone(), &both);
        check("/paths/~1a/servers", servers.clone(), &both);
        let operation = json!({ "servers": servers });
        check("/paths/~1a/get", operation.clone(), &both);
        let item = json!({ "get": operation });
        check("/components/pathItems/a", item.clone(), &both);
        check("/components/x-paths/a", item.clone(), &both);
        check("/x-paths", json!({ "a": item }), &both);
    }

    #[test]
    fn tokens_are_given_where_a_scheme_says() {
        let flow = json!({
            "authorizationUrl": "https://page.example/a", "tokenUrl": "https://Token.example/t",
            "refreshUrl": "https://again.example", "scopes": { "https://scope.example": "" },
        });
        let scheme = json!({ "type": "oauth2", "flows": { "authorizationCode": flow, "implicit": {}, "x": 1 } });
        let expected = ["https://again.example", "https://token.example"];
        check("/components/securitySchemes/a", scheme.clone(), &expected);
        check("/components/schemas/a", scheme, &[]);
        let relative = json!({ "flows": { "password": { "tokenUrl": "token" } } });
        check("/components/securitySchemes/a", relative, &[]);
    }

    #[test]
    fn what_only_looks_like_a_server_is_none() {
        let servers = json!([{ "url": "https://a.example" }]);
        let operation = json!({ "servers": servers });
        check("/components/schemas/servers", servers.clone(), &[]);
        check("/components/examples/a", operation.clone(), &[]);
        check("/webhooks/a/post", operation.clone(), &[]);
        check("/info", operation.clone(), &[]);
        check("/paths/~1a/parameters", operation, &[]);
        let example = json!({ "responses": { "200": { "example": { "servers": servers } } } });
        check("/paths/~1a/get", example, &[]);
    }

    #[test]
    fn variables_have_every_value_that_they_list_else_their_default() {
        let server = json!([{
            "url": "{scheme}://{region}.example:{port}/{version}",
            "variables": {
                "scheme": { "enum": ["http", "https"], "default": "https" },
                "region": { "default": "eu" },
                "port": { "enum": [443, "8443"], "default": "8443" },
                "version": { "enum": ["a@b", "c"], "default": "c" },
            },
        }]);
        let expected = [
            "http://eu.example:443",
            "http://eu.example:8443",
            "https://eu.example:443",
            "https://eu.example:8443",
        ];
        check("/servers", server, &expected);
        let whole = json!([{ "url": "{base}/v1", "variables": { "base": { "default": "https://a.example/x" } } }]);
        check("/servers", whole, &["https://a.example"]);
    }

    #[test]
    fn a_list_without_end_is_cut() {
        let values: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let server = json!([{
            "url": "https://{a}-{b}-{c}.example",
            "variables": { "a": { "enum": values }, "b": { "enum": values }, "c": { "enum": values } },
        }]);
        assert_eq!(of_slice("/servers", &server).len(), MOST);
    }

    #[test]
    fn addresses_without_an_origin() {
        for address in [
            "",
            "/v1",
            "//a.example/v1",
            "a.example",
            "ftp://a.example",
            "javascript://a.example/%0a",
            "https://",
            "https:///a.example",
            "https://{host}/v1",
            "https://user@a.example",
            "https://a .example",
        ] {
            assert_eq!(of_address(address), None, "{address}");
        }
        for (address, origin) in [
            (" HTTPS://A.Example?x=1", "https://a.example"),
            ("http://a.example:80#x", "http://a.example:80"),
            ("https://[::1]:1/x", "https://[::1]:1"),
            ("https://a.example\\@b.example", "https://a.example"),
        ] {
            assert_eq!(of_address(address).as_deref(), Some(origin), "{address}");
        }
    }
}
