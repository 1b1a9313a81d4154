//! Base addresses of an API: their variables, and the absolute address of a relative one (OpenAPI 3.1, 4.6; RFC 3986, 5.2).

use serde_json::Value;

use super::endpoint::{Flow, SchemeKind, Security, Server, Variable};
use super::{serialize, title};

/// Stands for the origin of the site where that is not known.
pub const UNKNOWN: &str = "{baseUrl}";

/// Returns true if `address` begins with a scheme.
fn has_scheme(address: &str) -> bool {
    let Some((scheme, _)) = address.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Origin and path of `base`. Without an origin it is [`UNKNOWN`].
fn split(base: &str) -> (&str, &str) {
    let Some(at) = base.find("://").map(|at| at + "://".len()) else {
        return (UNKNOWN, base);
    };
    let end = base[at..].find(['/', '?', '#']);
    let (origin, path) = base.split_at(end.map_or(base.len(), |end| at + end));
    (origin, &path[..path.find(['?', '#']).unwrap_or(path.len())])
}

/// `path` without its segments `.` and `..` (RFC 3986, 5.2.4).
fn without_dots(path: &str) -> String {
    let mut normalized: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_dots = matches!(segment, "." | "..");
        if segment == ".." {
            normalized.pop();
        } else if !is_dots {
            normalized.push(segment);
        }
        if is_dots && segments.peek().is_none() {
            normalized.push("");
        }
    }
    format!("/{}", normalized.join("/"))
}

/// `reference` as an absolute address; one that has a scheme stays as it is. `base` is the address of the document, or its path
/// below the origin of the site where that is not known.
///
/// Variables in braces are not inspected. An empty reference is the root of the origin: no API is
/// served at the address of its document.
pub fn resolve(reference: &str, base: &str) -> String {
    let reference = reference.trim();
    if has_scheme(reference) {
        return reference.to_owned();
    }
    let (origin, path) = split(base);
    if let Some(rest) = reference.strip_prefix("//") {
        let scheme = origin
            .split_once("://")
            .map_or("https", |(scheme, _)| scheme);
        return format!("{scheme}://{rest}");
    }
    if reference.is_empty() {
        return origin.to_owned();
    }
    if reference.starts_with('/') {
        return format!("{origin}{}", without_dots(reference));
    }
    let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    let folder = if folder.is_empty() { "/" } else { folder };
    format!("{origin}{}", without_dots(&format!("{folder}{reference}")))
}

/// `template` with `values` in place of the variables in braces.
fn filled<'v>(template: &str, variables: impl Iterator<Item = (&'v str, &'v str)>) -> String {
    variables.fold(template.to_owned(), |address, (name, value)| {
        address.replace(&format!("{{{name}}}"), value)
    })
}

/// Variables of an address with the values that they have at first.
fn defaults(variables: &[Variable]) -> impl Iterator<Item = (&str, &str)> {
    let variables = variables.iter();
    variables.map(|variable| (&*variable.name, &*variable.default))
}

/// Returns true for an address without a scheme that begins with a host: relative by the letter,
/// but not meant as such.
fn is_host(address: &str) -> bool {
    let first = address.split('/').next().unwrap_or(address);
    let top = first.rsplit_once('.').filter(|(rest, _)| !rest.is_empty());
    top.is_some_and(|(_, top)| top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// A server as a document has it. A relative address is resolved against `base`, if that is given.
pub(super) fn server(server: &Value, base: Option<&str>) -> Option<Server> {
    let template = server.get("url")?.as_str()?;
    let variables = server.get("variables").and_then(Value::as_object);
    let variables = variables.into_iter().flatten();
    let variables: Vec<Variable> = variables
        .map(|(name, value)| variable(name, value))
        .collect();
    let plain = filled(template, defaults(&variables));
    // A variable may hold the scheme, and an undocumented one cannot be resolved.
    let base = base.filter(|_| !has_scheme(&plain) && !plain.starts_with('{') && !is_host(&plain));
    let is_taken = |name: &str| variables.iter().any(|known| known.name == name);
    let base = base.filter(|base| base.contains("://") || !is_taken("baseUrl"));
    let url = match base {
        // The value of a variable decides whether what follows is a path of the origin.
        Some(base) if template.starts_with('{') && plain.starts_with('/') => {
            format!("{}{template}", split(base).0)
        }
        Some(base) => resolve(template, base),
        None => template.to_owned(),
    };
    let address = filled(&url, defaults(&variables));
    let address = address.strip_suffix('/').unwrap_or(&address).to_owned();
    let label = ["description", "name"]
        .into_iter()
        .find_map(|key| server.get(key)?.as_str())
        .map(title::label);
    Some(Server {
        label: label
            .filter(|label| !label.is_empty())
            .unwrap_or_else(|| url.clone()),
        is_relative: base.is_some() && url.starts_with(UNKNOWN),
        url,
        address,
        variables,
    })
}

fn variable(name: &str, variable: &Value) -> Variable {
    let values = variable.get("enum").and_then(Value::as_array);
    let values: Vec<String> = values.into_iter().flatten().map(serialize::text).collect();
    let default = variable.get("default").map(serialize::text);
    let description = variable.get("description").and_then(Value::as_str);
    Variable {
        name: name.to_owned(),
        default: default
            .or_else(|| values.first().cloned())
            .unwrap_or_default(),
        values,
        description: description.unwrap_or_default().to_owned(),
    }
}

/// An address of a flow of OAuth 2.0 as `server` has it at first: with the values of its variables, and, if it is relative,
/// below its address (OpenAPI 3.1, 4.6).
fn flow_address(url: &str, server: Option<&Server>) -> String {
    let Some(server) = server else {
        return url.to_owned();
    };
    let address = filled(url, defaults(&server.variables));
    match has_scheme(&address) || address.starts_with('{') {
        true => address,
        false => resolve(&address, &format!("{}/", server.address)),
    }
}

/// The addresses of the flows and of the configuration of `security` as `server` has them at first, in place of those that are written. Calls `problem`
/// with what it is about and each that remains without a value for one of its variables, or without a server to be relative to.
pub(super) fn resolve_flows(
    security: &mut Security,
    server: Option<&Server>,
    problem: &mut dyn FnMut(&str, &Flow, &'static str, &str),
) {
    let alternatives = security.alternatives.iter_mut();
    for scheme in alternatives.flat_map(|alternative| &mut alternative.schemes) {
        resolve_flows_of(&scheme.key, &mut scheme.kind, server, problem);
    }
}

/// Like [`resolve_flows`], for one scheme.
pub(super) fn resolve_flows_of(
    key: &str,
    kind: &mut SchemeKind,
    server: Option<&Server>,
    problem: &mut dyn FnMut(&str, &Flow, &'static str, &str),
) {
    let (flows, configuration) = match kind {
        SchemeKind::OAuth2 {
            flows,
            metadata_url,
        } => (flows.as_mut_slice(), metadata_url.as_mut()),
        SchemeKind::OpenIdConnect { url } => (&mut [][..], Some(url)),
        _ => return,
    };
    // Nothing is asked of it here: it is shown.
    if let Some(url) = configuration.filter(|url| !url.is_empty()) {
        *url = flow_address(url, server);
    }
    for flow in flows {
        let before = flow.clone();
        let addresses = [
            ("authorizationUrl", &mut flow.authorization_url),
            ("deviceAuthorizationUrl", &mut flow.device_url),
            ("tokenUrl", &mut flow.token_url),
            ("refreshUrl", &mut flow.refresh_url),
        ];
        for (name, address) in addresses {
            let Some(address) = address else {
                continue;
            };
            *address = flow_address(address, server);
            let rest = address.strip_prefix(UNKNOWN).unwrap_or(address);
            let is_whole = has_scheme(address) || address.starts_with(UNKNOWN);
            if !is_whole || rest.contains('{') {
                problem(key, &before, name, address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn relative_addresses_are_resolved_as_the_standard_says() {
        let base = "https://docs.example.org/specs/v1/api.yaml?x=/y#z";
        for (reference, expected) in [
            ("/api/v1", "https://docs.example.org/api/v1"),
            ("/", "https://docs.example.org/"),
            ("", "https://docs.example.org"),
            ("v2", "https://docs.example.org/specs/v1/v2"),
            ("./v2/", "https://docs.example.org/specs/v1/v2/"),
            ("../v2", "https://docs.example.org/specs/v2"),
            ("../../../v2", "https://docs.example.org/v2"),
            (".", "https://docs.example.org/specs/v1/"),
            ("..", "https://docs.example.org/specs/"),
            ("//api.example.org/v1", "https://api.example.org/v1"),
            ("/{stage}/../v1", "https://docs.example.org/v1"),
            ("https://a.example/x/../y", "https://a.example/x/../y"),
            (" HTTP://a.example", "HTTP://a.example"),
        ] {
            assert_eq!(resolve(reference, base), expected, "{reference}");
        }
    }

    #[test]
    fn without_an_origin_the_site_is_not_known() {
        for (reference, expected) in [
            ("/api/v1", "{baseUrl}/api/v1"),
            ("v2", "{baseUrl}/specs/v2"),
            ("", "{baseUrl}"),
            ("//api.example.org/v1", "https://api.example.org/v1"),
            ("wss://a.example", "wss://a.example"),
        ] {
            assert_eq!(resolve(reference, "/specs/api.yaml"), expected);
        }
    }

    #[track_caller]
    fn check(value: Value, base: &str, expected: (&str, &str, bool)) {
        let made = server(&value, Some(base)).unwrap();
        let made = (&*made.url, &*made.address, made.is_relative);
        assert_eq!(made, expected);
    }

    #[test]
    fn variables_of_a_relative_address_stay() {
        let stage = json!({ "stage": { "default": "test" } });
        let value = json!({ "url": "/{stage}/v1/", "variables": stage });
        let here = ("{baseUrl}/{stage}/v1/", "{baseUrl}/test/v1", true);
        check(value.clone(), "/api.yaml", here);
        let there = (
            "https://h.example/{stage}/v1/",
            "https://h.example/test/v1",
            false,
        );
        check(value, "https://h.example/api.yaml", there);
        let value = json!({ "url": "{base}/v1", "variables": { "base": { "default": "/api" } } });
        let first = (
            "https://h.example{base}/v1",
            "https://h.example/api/v1",
            false,
        );
        check(value, "https://h.example/x/api.yaml", first);
        let value = json!({ "url": "{base}/v1", "variables": { "base": { "default": "https://a.example" } } });
        let whole = ("{base}/v1", "https://a.example/v1", false);
        check(value, "/api.yaml", whole);
        let unknown = json!({ "url": "{{baseUrl}}/v1" });
        check(
            unknown,
            "/api.yaml",
            ("{{baseUrl}}/v1", "{{baseUrl}}/v1", false),
        );
        let host = json!({ "url": "api.example.com/v1" });
        check(
            host,
            "/api.yaml",
            ("api.example.com/v1", "api.example.com/v1", false),
        );
        let version = json!({ "url": "v1.0" });
        check(
            version,
            "/api.yaml",
            ("{baseUrl}/v1.0", "{baseUrl}/v1.0", true),
        );
    }

    #[test]
    fn addresses_of_flows_are_those_of_the_server() {
        let value = json!({ "url": "https://{tenant}.example.com/v2", "variables": { "tenant": { "default": "demo" } } });
        let server = server(&value, None);
        for (written, expected) in [
            (
                "https://{tenant}.example.com/a",
                "https://demo.example.com/a",
            ),
            ("/token", "https://demo.example.com/token"),
            ("../refresh", "https://demo.example.com/refresh"),
            ("token", "https://demo.example.com/v2/token"),
            ("https://{other}.example.com", "https://{other}.example.com"),
            ("{other}/x", "{other}/x"),
        ] {
            assert_eq!(flow_address(written, server.as_ref()), expected);
        }
        assert_eq!(flow_address("/token", None), "/token");
    }
}
