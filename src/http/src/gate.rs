//! Validation of requests before anything else reads them: one valid `Host`, and a path that is
//! decoded once and stays inside the site (RFC 9112, 3.2). `lines.rs` checks what the parser would
//! hide from here.

use hyper::header::{self, HeaderMap};
use hyper::{Request, StatusCode, Version};

use super::reply::Refusal;

/// Longest request target, in bytes.
const MAX_TARGET: usize = 8 * 1024;
/// Maximum number of header fields.
pub const MAX_HEADERS: usize = 64;

/// Target of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name of the host in lower case, without a port; a literal IPv6 address in its brackets.
    pub host: String,
    /// The host as it was sent, with its port if it has one.
    pub authority: String,
    /// The decoded path.
    pub path: String,
}

/// The name in a `Host` (RFC 9110, 7.2); `None` if it is none.
pub(super) fn host_name(host: &str) -> Option<String> {
    if let Some(literal) = host.strip_prefix('[') {
        let (ip, port) = literal.split_once(']')?;
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        let ip = ip.parse::<std::net::Ipv6Addr>().ok().filter(|_| is_port)?;
        return Some(format!("[{ip}]"));
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        Some(_) => return None,
        None => host,
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    (!name.is_empty() && name.chars().all(is_good)).then_some(name)
}

fn is_port(port: &str) -> bool {
    port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Target of a valid request, or the reply that refuses it.
pub fn check<B>(request: &Request<B>) -> Result<Target, Refusal> {
    let refuse = |status, code: &str, message: &str| Err(Refusal::new(status, code, message));
    let target = request
        .uri()
        .path_and_query()
        .map_or("", |target| target.as_str());
    if target.len() > MAX_TARGET {
        return refuse(
            StatusCode::URI_TOO_LONG,
            "target-too-long",
            "the address is longer than 8 KB",
        );
    }
    if request.headers().len() > MAX_HEADERS {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return refuse(
            status,
            "too-many-headers",
            "the request has more than 64 header fields",
        );
    }
    let Some(host) = only_host(
        request.version(),
        request.headers(),
        request
            .uri()
            .authority()
            .map(|authority| authority.as_str()),
    ) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "bad-host",
            "request must have exactly one Host header that matches the target",
        );
    };
    let authority = host;
    let Some(host) = host_name(&authority) else {
        return refuse(StatusCode::BAD_REQUEST, "bad-host", "the Host is no host");
    };
    match decode_path(request.uri().path()) {
        Some(path) => Ok(Target {
            host,
            authority,
            path,
        }),
        None => refuse(
            StatusCode::BAD_REQUEST,
            "bad-path",
            "the path is not a path of a site",
        ),
    }
}

/// The host of a request. Where the target names one, too (`:authority` of HTTP/2, the absolute form of HTTP/1.1), they are the
/// same: a proxy that looks at one of them must not let in what is answered by the other (RFC 9113, 8.3.1).
fn only_host(version: Version, headers: &HeaderMap, authority: Option<&str>) -> Option<String> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => {
            let host = host.to_str().ok().filter(|host| !host.is_empty())?;
            let is_named = authority.is_none_or(|named| named.eq_ignore_ascii_case(host));
            is_named.then(|| host.to_owned())
        }
        (None, None) if version == Version::HTTP_2 => authority.map(str::to_owned),
        _ => None,
    }
}

/// Decodes `%XX` once. `None` for what is not UTF-8, control characters, backslashes, and segments `.` or `..`.
fn decode_path(path: &str) -> Option<String> {
    let decoded = percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()?;
    let bad = decoded.chars().any(|c| c.is_control() || c == '\\')
        || decoded
            .split('/')
            .any(|segment| segment == "." || segment == "..");
    (!bad && decoded.starts_with('/')).then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_site_are_refused() {
        for path in [
            "/../a",
            "/a/..",
            "/a/%2e%2e/b",
            "/a%5c..%5cb",
            "/%00",
            "/a\u{7f}",
            "a",
            "/%ff",
            "/./a",
        ] {
            assert_eq!(decode_path(path), None, "{path}");
        }
        assert_eq!(
            decode_path("/a%20b/%C3%BC%252e").as_deref(),
            Some("/a b/ü%2e")
        );
    }

    #[test]
    fn the_host_of_http_2_has_its_port() {
        let of = |uri: &str, host: Option<&str>| {
            let mut request = Request::builder().version(Version::HTTP_2).uri(uri);
            if let Some(host) = host {
                request = request.header(header::HOST, host);
            }
            let target = check(&request.body(()).unwrap()).ok()?;
            Some(format!("{} {}", target.host, target.authority))
        };
        let uri = "http://Docs.Example:8080/x";
        assert_eq!(
            of(uri, None).as_deref(),
            Some("docs.example Docs.Example:8080")
        );
        assert_eq!(
            of(uri, Some("docs.example:8080")).as_deref(),
            Some("docs.example docs.example:8080")
        );
        for other in ["other", "docs.example", "docs.example:80", ""] {
            assert_eq!(of(uri, Some(other)), None, "{other}");
        }
        assert_eq!(of("http://user@docs.example/x", None), None);
        assert_eq!(of("/x", None), None);
    }

    #[test]
    fn names_of_hosts() {
        for (host, name) in [
            ("localhost:3000", Some("localhost")),
            ("Museum.LOCALHOST.", Some("museum.localhost")),
            ("127.0.0.1:1", Some("127.0.0.1")),
            ("[::1]:3000", Some("[::1]")),
            ("[0:0::1]", Some("[::1]")),
            ("docs.example.org", Some("docs.example.org")),
            ("", None),
            (":80", None),
            ("[evil]", None),
            ("[::1]evil", None),
            ("a:b", None),
            ("a b", None),
            ("a/b", None),
            ("user@host", None),
        ] {
            assert_eq!(host_name(host).as_deref(), name, "{host}");
        }
    }
}
