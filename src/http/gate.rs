//! What a request must be before anything else looks at it: one valid `Host`, and a path that is decoded once and stays
//! inside the site (RFC 9112, 3.2). What the parser would hide from here is in `lines.rs`.

use hyper::header::{self, HeaderMap};
use hyper::{Request, Response, StatusCode, Version};

use super::reply::{Body, problem};

/// Longest request target, in bytes.
const MAX_TARGET: usize = 8 * 1024;
/// Most header fields.
pub const MAX_HEADERS: usize = 64;

/// The hosts that are this server. A page from elsewhere that has its name point here is refused: DNS rebinding.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// Names besides `localhost`, its subdomains and literal addresses.
    pub names: Vec<String>,
}

impl Hosts {
    fn accepts(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(literal) => {
                return literal
                    .split(']')
                    .next()
                    .is_some_and(|ip| ip.parse::<std::net::Ipv6Addr>().is_ok());
            }
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        name == "localhost"
            || name.ends_with(".localhost")
            || name.parse::<std::net::Ipv4Addr>().is_ok()
            || self.names.contains(&name)
    }
}

/// The decoded path of an acceptable request, or the reply that refuses it.
pub fn check<B>(request: &Request<B>, hosts: &Hosts) -> Result<String, Box<Response<Body>>> {
    let refuse = |status, code: &str, message: &str| Err(Box::new(problem(status, code, message)));
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
    let Some(host) = only_host(request.version(), request.headers(), request.uri().host()) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "bad-host",
            "exactly one Host is needed",
        );
    };
    if !hosts.accepts(&host) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "unknown-host",
            "this server does not serve that host",
        );
    }
    match decode_path(request.uri().path()) {
        Some(path) => Ok(path),
        None => refuse(
            StatusCode::BAD_REQUEST,
            "bad-path",
            "the path is not a path of a site",
        ),
    }
}

fn only_host(version: Version, headers: &HeaderMap, authority: Option<&str>) -> Option<String> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host
            .to_str()
            .ok()
            .map(str::to_owned)
            .filter(|host| !host.is_empty()),
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
    fn only_our_own_hosts_are_accepted() {
        let hosts = Hosts {
            names: vec!["docs.example.org".into()],
        };
        for host in [
            "localhost:3000",
            "museum.localhost",
            "127.0.0.1:1",
            "[::1]:3000",
            "docs.example.org",
        ] {
            assert!(hosts.accepts(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "[evil]",
            "docs.example.org.evil",
            "",
        ] {
            assert!(!hosts.accepts(host), "{host}");
        }
    }
}
