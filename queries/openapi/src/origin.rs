//! Origins (scheme, host and port) of the servers and token endpoints that a specification and its
//! pages name. The relay sends requests of readers to these only.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::endpoint::Server;
use super::index::{Method, OTHERS};
use super::server::server;
use base::data::pointer;

/// Maximum number of URLs of one server, from the combinations of the values of its variables.
/// Further combinations are ignored.
const MAX_URLS: usize = 1024;

/// Maximum depth below a member outside of OpenAPI at which a path item is searched: the target of
/// a reference.
const DEPTH: usize = 3;

/// Returns the scheme, host and port of the absolute URL `address` in lower case, otherwise as
/// written; comparisons normalize both sides. `None` if it is not absolute, or not HTTP or HTTPS.
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

/// Stands for any label, or part of one, in the host of an origin: what a variable without a list of values is replaced by.
const ANY: &str = "*";

/// Second levels of domains of countries under which anybody has a name.
const SHARED: [&str; 18] = [
    "ac", "asso", "co", "com", "edu", "go", "gob", "gouv", "gov", "ltd", "mil", "ne", "net", "nom",
    "or", "org", "plc", "sch",
];

/// Addresses in a slice to which requests of a reader may be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Origins; with `*` in the host where a variable has no list of values.
    pub origins: BTreeSet<String>,
    /// Whether a server is below the origin of the document.
    pub is_relative: bool,
    /// Addresses of tokens with variables, which servers name.
    pub templates: BTreeSet<String>,
    /// Values of the variables of servers; any when empty.
    pub variables: BTreeMap<String, BTreeSet<String>>,
}

impl Named {
    /// Adds what `other` names, whose relative addresses are relative to `base`.
    pub fn add(&mut self, other: &Self, base: Option<&str>) {
        self.origins.extend(other.origins.iter().cloned());
        if other.is_relative {
            self.origins.extend(base.and_then(of_address));
        }
        self.templates.extend(other.templates.iter().cloned());
        for (name, values) in &other.variables {
            match self.variables.get_mut(name) {
                // One server that takes anything is enough.
                Some(known) if known.is_empty() || values.is_empty() => known.clear(),
                Some(known) => known.extend(values.iter().cloned()),
                None => {
                    self.variables.insert(name.clone(), values.clone());
                }
            }
        }
    }

    /// All origins, those of templates with the values of variables among them.
    pub fn all(mut self) -> BTreeSet<String> {
        for template in &self.templates {
            let mut addresses = vec![template.clone()];
            for (name, values) in &self.variables {
                let name = format!("{{{name}}}");
                if !template.contains(&name) {
                    continue;
                }
                let any = BTreeSet::from([ANY.to_owned()]);
                let values = if values.is_empty() { &any } else { values };
                addresses = (addresses.iter())
                    .flat_map(|address| values.iter().map(|value| address.replace(&name, value)))
                    .take(MAX_URLS)
                    .collect();
            }
            self.origins
                .extend(addresses.iter().filter_map(|address| bounded(address)));
        }
        self.origins
    }
}

/// Origin of `address`; `None` if [`ANY`] occurs anywhere but in labels below a registrable domain.
fn bounded(address: &str) -> Option<String> {
    let origin = of_address(address)?;
    if !origin.contains(ANY) {
        return Some(origin);
    }
    let (_, authority) = origin.split_once("://")?;
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let fixed: Vec<&str> = host
        .rsplit('.')
        .take_while(|label| !label.contains(ANY))
        .collect();
    let is_country = fixed.first().is_some_and(|top| top.len() == 2);
    let is_shared = is_country && fixed.get(1).is_some_and(|label| SHARED.contains(label));
    let least = if is_shared { 3 } else { 2 };
    let is_number =
        (fixed.first()).is_some_and(|top| top.bytes().all(|byte| byte.is_ascii_digit()));
    let is_bounded = fixed.len() >= least && !is_number && !port.contains(ANY);
    (is_bounded && fixed.iter().all(|label| !label.is_empty())).then_some(origin)
}

/// Returns true if `origin` is the one that `pattern` means: the same, or one with other labels where `pattern` has `*`. Both are
/// of the form that the URL standard gives them.
pub fn covers(pattern: &str, origin: &str) -> bool {
    if !pattern.contains(ANY) {
        return pattern == origin;
    }
    let parts = |text: &str| -> Option<(String, Vec<String>)> {
        let (scheme, authority) = text.split_once("://")?;
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        let labels = host.split('.').map(str::to_owned).collect();
        Some((format!("{scheme} {port}"), labels))
    };
    let (Some((pattern, wanted)), Some((origin, labels))) = (parts(pattern), parts(origin)) else {
        return false;
    };
    pattern == origin
        && wanted.len() == labels.len()
        && (wanted.iter().zip(&labels)).all(|(wanted, label)| is_label(wanted, label))
}

/// Returns true if `label` is `pattern` with something in place of each [`ANY`].
fn is_label(pattern: &str, label: &str) -> bool {
    let Some((first, rest)) = pattern.split_once(ANY) else {
        return pattern == label;
    };
    let Some(label) = label.strip_prefix(first) else {
        return false;
    };
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let ends = (1..=label.len()).take_while(|end| label[..*end].chars().all(is_good));
    label.is_ascii() && ends.into_iter().any(|end| is_label(rest, &label[end..]))
}

/// Origins of the servers in the slice of a document at `key`: of the document, of path items
/// and of operations; and where the flows of security schemes give tokens.
pub fn of_slice(key: &str, value: &Value) -> Named {
    let mut origins = Named::default();
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

fn of_path_item(item: &Value, depth: usize, origins: &mut Named) {
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

fn of_owners(owners: &Value, origins: &mut Named) {
    for owner in owners
        .as_object()
        .into_iter()
        .flat_map(|owners| owners.values())
    {
        of_owner(owner, origins);
    }
}

fn of_owner(owner: &Value, origins: &mut Named) {
    if let Some(servers) = owner.get("servers") {
        of_servers(servers, origins);
    }
}

/// Collects the token URLs of a scheme. The sign-in page is opened by a browser, and nothing is
/// sent to it on its behalf, so its URL does not count.
fn of_scheme(scheme: &Value, origins: &mut Named) {
    let flows = scheme.get("flows").and_then(Value::as_object);
    for flow in flows.into_iter().flat_map(|flows| flows.values()) {
        let addresses = ["tokenUrl", "refreshUrl"].map(|name| flow.get(name)?.as_str());
        for address in addresses.into_iter().flatten() {
            let host = address.find("://").map_or("", |at| &address[at + 3..]);
            let host = &host[..host.find(['/', '?', '#']).unwrap_or(host.len())];
            match address.strip_prefix("//") {
                Some(rest) => origins
                    .origins
                    .extend(of_address(&format!("https://{rest}"))),
                None if host.contains('{') => {
                    origins.templates.insert(address.to_owned());
                }
                None => origins.origins.extend(of_address(address)),
            }
        }
    }
}

fn of_servers(servers: &Value, named_origins: &mut Named) {
    let servers = servers.as_array().into_iter().flatten();
    for server in servers.filter_map(|one| server(one, Some(""))) {
        for variable in &server.variables {
            let values = variable.values.iter().cloned().collect();
            named_origins.add(
                &Named {
                    variables: BTreeMap::from([(variable.name.clone(), values)]),
                    ..Named::default()
                },
                None,
            );
        }
        named_origins.is_relative |= server.is_relative;
        let addresses = addresses(&server);
        let origins = addresses.iter().filter_map(|address| bounded(address));
        named_origins.origins.extend(origins);
    }
}

/// The addresses of a server, as far as the end of their authority: one for each choice of the
/// values that its variables list. A variable without a list has its default and [`ANY`].
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
        let free = [variable.default.clone(), ANY.to_owned()];
        let values = match &variable.values[..] {
            [] => &free,
            values => values,
        };
        addresses = (addresses.iter())
            .flat_map(|address| values.iter().map(|value| address.replace(&name, value)))
            .take(MAX_URLS)
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
        let origins = of_slice(key, &value).all();
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
    fn a_variable_without_a_list_is_any_label_below_a_domain_of_somebody() {
        let check_url = |url: &str, expected: &[&str]| {
            let free = json!({ "default": "demo" });
            let variables = json!({ "a": free, "b": free, "c": { "enum": ["x", "y"] } });
            check(
                "/servers",
                json!([{ "url": url, "variables": variables }]),
                expected,
            );
        };
        check_url(
            "https://{a}.h.example/{b}",
            &["https://*.h.example", "https://demo.h.example"],
        );
        check_url(
            "https://api-{a}.h.example:8443",
            &[
                "https://api-*.h.example:8443",
                "https://api-demo.h.example:8443",
            ],
        );
        check_url(
            "https://{a}.{c}.h.example",
            &[
                "https://*.x.h.example",
                "https://*.y.h.example",
                "https://demo.x.h.example",
                "https://demo.y.h.example",
            ],
        );
        for (url, only) in [
            ("https://{a}.com", "https://demo.com"),
            ("https://{a}.co.uk", "https://demo.co.uk"),
            ("https://h.{a}", "https://h.demo"),
            ("https://{a}", "https://demo"),
            ("{a}://h.example", ""),
            ("https://{a}.0.0.1", "https://demo.0.0.1"),
        ] {
            check_url(
                url,
                if only.is_empty() {
                    &[]
                } else {
                    std::slice::from_ref(&only)
                },
            );
        }
        check_url(
            "https://{a}.h.co.uk",
            &["https://*.h.co.uk", "https://demo.h.co.uk"],
        );
    }

    #[test]
    fn a_label_stands_where_the_variable_stands() {
        let pattern = "https://api-*.h.example:8443";
        for origin in [
            "https://api-x.h.example:8443",
            "https://api-x-1_y.h.example:8443",
        ] {
            assert!(covers(pattern, origin), "{origin}");
        }
        for origin in [
            "https://api-.h.example:8443",
            "https://api-x.y.h.example:8443",
            "https://api-x.h.example",
            "http://api-x.h.example:8443",
            "https://api-x.h.example.org:8443",
            "https://api-x.h.example.:8443",
            "https://x.h.example:8443",
        ] {
            assert!(!covers(pattern, origin), "{origin}");
        }
        assert!(covers("https://*.h.example", "https://xn--a.h.example"));
        assert!(!covers("https://*.h.example", "https://h.example"));
        assert!(!covers("https://*.h.example", "https://.h.example"));
    }

    #[test]
    fn addresses_of_tokens_have_the_values_of_servers() {
        let mut named_origins = Named::default();
        let servers = json!([{ "url": "https://{tenant}.{zone}.h.example", "variables": {
            "tenant": { "default": "demo" }, "zone": { "enum": ["eu", "us"] } } }]);
        named_origins.add(&of_slice("/servers", &servers), None);
        let flow = json!({ "tokenUrl": "https://{tenant}.login.example/{zone}", "refreshUrl": "https://{zone}.again.example" });
        let other = json!({ "tokenUrl": "https://{nobody}.login.example" });
        let scheme =
            json!({ "type": "oauth2", "flows": { "clientCredentials": flow, "x": other } });
        named_origins.add(&of_slice("/components/securitySchemes/a", &scheme), None);
        let origins = named_origins.all();
        for origin in [
            "https://*.login.example",
            "https://eu.again.example",
            "https://us.again.example",
            "https://*.eu.h.example",
        ] {
            assert!(origins.contains(origin), "{origin}");
        }
        assert!(!origins.iter().any(|origin| origin.contains("nobody")));
    }

    #[test]
    fn a_relative_server_is_at_the_origin_of_its_document() {
        let relative = of_slice(
            "/servers",
            &json!([{ "url": "/api/v1" }, { "url": "//other.example/v1" }]),
        );
        let mut named = Named::default();
        named.add(&relative, Some("https://docs.example/specs/api.yaml"));
        let origins: Vec<String> = named.all().into_iter().collect();
        assert_eq!(origins, ["https://docs.example", "https://other.example"]);
        let mut unknown = Named::default();
        unknown.add(&relative, None);
        assert_eq!(unknown.all().len(), 1);
    }

    #[test]
    fn a_list_without_end_is_cut() {
        let values: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let server = json!([{
            "url": "https://{a}-{b}-{c}.example",
            "variables": { "a": { "enum": values }, "b": { "enum": values }, "c": { "enum": values } },
        }]);
        assert_eq!(of_slice("/servers", &server).origins.len(), MAX_URLS);
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
