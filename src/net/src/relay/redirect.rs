//! Redirects: followed within an origin, handed on as they are otherwise. A browser would follow
//! the others, too, and send them less; the page says where they lead instead.

use reqwest::{Method, StatusCode, Url};

/// The request that a redirect asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) url: Url,
    pub(super) method: Method,
    /// Whether the body is sent again.
    pub(super) keeps_body: bool,
}

/// Next request after a response with `status` and `location`, if the redirect may be followed
/// (Fetch, 4.4).
pub(super) fn next(
    status: StatusCode,
    location: Option<&str>,
    url: &Url,
    method: &Method,
    has_body: bool,
) -> Option<Next> {
    let to = url.join(location?).ok()?;
    let is_within =
        to.origin() == url.origin() && to.username().is_empty() && to.password().is_none();
    if !is_within {
        return None;
    }
    let (method, keeps_body) = match status.as_u16() {
        301 | 302 if *method == Method::POST => (Method::GET, false),
        // A body is sent again only where that is asked for.
        301 | 302 if has_body => return None,
        301 | 302 => (method.clone(), false),
        303 if *method == Method::HEAD => (Method::HEAD, false),
        303 => (Method::GET, false),
        307 | 308 => (method.clone(), true),
        _ => return None,
    };
    Some(Next {
        url: to,
        method,
        keeps_body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, method: &str, has_body: bool, location: &str, expected: Option<&str>) {
        let url = Url::parse("https://a.example/v1/x?y=1").unwrap();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let status = StatusCode::from_u16(status).unwrap();
        let next = next(status, Some(location), &url, &method, has_body);
        let shown = next.map(|next| {
            let body = if next.keeps_body { " with body" } else { "" };
            format!("{} {}{body}", next.method, next.url)
        });
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn methods_change_as_in_browsers() {
        let there = Some("GET https://a.example/z");
        for status in [301, 302, 303] {
            check(status, "POST", true, "/z", there);
            check(status, "GET", false, "/z", there);
            check(
                status,
                "HEAD",
                false,
                "/z",
                Some("HEAD https://a.example/z"),
            );
        }
        check(303, "PUT", true, "/z", there);
        check(302, "PUT", true, "/z", None);
        check(
            302,
            "DELETE",
            false,
            "/z",
            Some("DELETE https://a.example/z"),
        );
        for status in [307, 308] {
            check(
                status,
                "POST",
                true,
                "z",
                Some("POST https://a.example/v1/z with body"),
            );
        }
        for status in [200, 300, 304, 305, 306, 404] {
            check(status, "GET", false, "/z", None);
        }
    }

    #[test]
    fn another_origin_is_not_followed() {
        for location in [
            "http://a.example/z",
            "https://a.example:8443/z",
            "https://b.example/z",
            "//b.example/z",
            "\\\\b.example/z",
            "https://a.example.b.example/z",
            "https://a.example@b.example/z",
            "https://user@a.example/z",
            "https://127.0.0.1/z",
            "file:///etc/passwd",
            "data:text/plain,x",
            "javascript:alert(1)",
            "https://a.example./z",
        ] {
            check(307, "GET", false, location, None);
        }
        check(
            307,
            "GET",
            false,
            "https://A.example:443/z",
            Some("GET https://a.example/z with body"),
        );
    }
}
