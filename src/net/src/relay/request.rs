//! Requests of readers, checked, without the header fields of the connection or of the
//! documentation site.

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde::Deserialize;

use super::Fault;

/// Maximum number of header fields.
const MAX_HEADERS: usize = 256;
/// Longest address, in bytes.
const MAX_URL: usize = 16 * 1024;

/// A request to send.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

/// The first line of what a page sends.
#[derive(Deserialize)]
struct Line {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

impl Ask {
    /// Reads the line that a page sends before the body.
    pub(super) fn read(line: &[u8]) -> Result<Self, Fault> {
        let line: Line = serde_json::from_slice(line).map_err(|error| {
            malformed(format!("the first line is not what is expected: {error}"))
        })?;
        Ok(Self {
            method: method(&line.method)?,
            url: address(&line.url)?,
            headers: headers(&line.headers)?,
        })
    }
}

fn malformed(why: impl Into<String>) -> Fault {
    Fault::Malformed(why.into())
}

/// A method that a document can describe (OpenAPI 3.2, 4.9.1).
fn method(name: &str) -> Result<Method, Fault> {
    const METHODS: [&str; 9] = [
        "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY",
    ];
    let name = name.to_ascii_uppercase();
    let known = METHODS
        .contains(&&*name)
        .then(|| Method::from_bytes(name.as_bytes()));
    known
        .and_then(Result::ok)
        .ok_or_else(|| malformed("`method` is none that a document can describe"))
}

/// An absolute address of HTTP, in the form that the URL standard gives it: a host in decimal,
/// octal or hexadecimal digits is the address that it means, before anybody looks at it.
pub(super) fn address(text: &str) -> Result<Url, Fault> {
    if text.len() > MAX_URL {
        return Err(malformed("`url` is longer than 16 KiB"));
    }
    // A parser takes these away or for something else, and two that do so differently see two
    // hosts.
    if text.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err(malformed("`url` holds white space or control characters"));
    }
    let url =
        Url::parse(text).map_err(|error| malformed(format!("`url` is no address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(malformed("`url` is no address of http or https"));
    }
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    let Some(rest) = rest.strip_prefix("//") else {
        return Err(malformed("`url` has no `//` behind its scheme"));
    };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if authority.is_empty() || authority.contains(['@', '\\']) {
        return Err(malformed(
            "`url` needs a host, without a user and without a password",
        ));
    }
    if url.port().is_some_and(|port| BAD_PORTS.contains(&port)) {
        return Err(malformed(
            "`url` has a port that browsers send no requests to",
        ));
    }
    Ok(url)
}

/// Ports of other protocols (Fetch, 2.10): what a request says there would be taken for something
/// else.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Fields that are of a connection, of the documentation site or of a proxy, or that this program
/// sets itself.
const DROPPED: [&str; 18] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "origin",
    "referer",
    "te",
    "trailer",
    "trailers",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-real-ip",
    "quire-relay",
];

/// Beginnings of the names of such fields.
const DROPPED_KINDS: [&str; 3] = ["proxy-", "sec-", "x-forwarded-"];

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Fault> {
    if pairs.len() > MAX_HEADERS {
        return Err(malformed("`headers` has more than 256 fields"));
    }
    let of_connection: Vec<String> = pairs
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("connection"))
        .flat_map(|(_, names)| names.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let known = HeaderName::from_bytes(name.as_bytes());
        let known = known.map_err(|_| malformed("`headers` has a name that is none"))?;
        let mut value = header_value(value)
            .ok_or_else(|| malformed(format!("the value of `{known}` is none of a header")))?;
        let name = known.as_str();
        let is_dropped = DROPPED.contains(&name)
            || DROPPED_KINDS.iter().any(|kind| name.starts_with(kind))
            || of_connection.iter().any(|other| other == name);
        if !is_dropped {
            // Whoever prints it prints no secret.
            value.set_sensitive(true);
            headers.append(known, value);
        }
    }
    // An archive that comes all the same is taken apart.
    let identity = HeaderValue::from_static("identity");
    headers.insert(header::ACCEPT_ENCODING, identity);
    // Nobody takes the request for one of this machine, least of all this program itself (RFC
    // 9110, 7.6.3).
    headers.insert(header::VIA, HeaderValue::from_static("1.1 quire"));
    Ok(headers)
}

/// A value as browsers send it: each character is a byte, without the white space around it.
fn header_value(value: &str) -> Option<HeaderValue> {
    let value = value.trim_matches([' ', '\t']);
    let bytes: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(c).ok()).collect();
    HeaderValue::from_bytes(&bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_headers(pairs: &[(&str, &str)]) -> Result<Vec<String>, Fault> {
        let pairs: Vec<(String, String)> = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let headers = headers(&pairs)?;
        let lines = headers.iter();
        let lines = lines
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())));
        Ok(lines.collect())
    }

    #[test]
    fn what_is_of_the_connection_or_of_the_site_is_left_out() {
        let mut headers = vec![
            ("X-Key", " secret\t"),
            ("Cookie", "a=1; b=2"),
            ("Authorization", "Bearer t"),
            ("Accept", "application/json"),
            ("Connection", "close, X-Hop ,"),
            ("x-hop", "1"),
            ("Accept-Encoding", "gzip"),
        ];
        let names: Vec<String> = DROPPED.iter().map(|name| name.to_uppercase()).collect();
        headers.extend(names.iter().map(|name| (name.as_str(), "x")));
        for name in [
            "Proxy-Authorization",
            "Proxy-Connection",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "Sec-Fetch-Site",
            "Sec-WebSocket-Key",
        ] {
            headers.push((name, "x"));
        }
        assert_eq!(
            sent_headers(&headers).unwrap(),
            [
                "x-key: secret",
                "cookie: a=1; b=2",
                "authorization: Bearer t",
                "accept: application/json",
                "accept-encoding: identity",
                "via: 1.1 quire",
            ]
        );
    }

    #[test]
    fn a_field_that_would_be_two_is_refused() {
        for (name, value) in [
            ("X-A", "1\r\nX-B: 2"),
            ("X-A", "1\nX-B: 2"),
            ("X-A", "1\rX-B"),
            ("X-A", "1\0"),
            ("X-A", "\u{7f}"),
            ("X-A", "\u{1b}[2J"),
            ("X-A", "π"),
            ("X-A\r\nX-B", "1"),
            ("X A", "1"),
            ("X-A:", "1"),
            ("", "1"),
            ("Ü", "1"),
            // Not even one that is left out anyway.
            ("Host", "a\r\nX-B: 2"),
        ] {
            assert!(
                sent_headers(&[(name, value)]).is_err(),
                "{name:?}: {value:?}"
            );
        }
        assert_eq!(
            sent_headers(&[("X-A", "é\t.")]).unwrap()[0],
            "x-a: \u{fffd}\t."
        );
        let many = vec![("X-A", "1"); MAX_HEADERS + 1];
        assert!(sent_headers(&many).is_err());
    }

    #[test]
    fn methods_are_those_of_documents() {
        for name in ["get", "POST", "Trace", "QUERY"] {
            assert_eq!(method(name).unwrap(), *name.to_uppercase());
        }
        for name in ["", "CONNECT", "GET /", "GET\r\n", "PURGE", "GET "] {
            assert!(method(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_line_has_its_three_members() {
        let ask = Ask::read(br#"{"method":"GET","url":"https://a.example/x?y=1"}"#).unwrap();
        assert_eq!(ask.url.as_str(), "https://a.example/x?y=1");
        for line in [
            "",
            "{}",
            "[]",
            r#"{"method":"GET","url":"https://a.example","url":"https://b.example"}"#,
            r#"{"method":"GET","url":"https://a.example","headers":{"a":"b"}}"#,
            r#"{"method":"GET","url":"https://a.example","headers":[["a"]]}"#,
            r#"{"method":"GET","url":"https://a.example"} x"#,
        ] {
            assert!(Ask::read(line.as_bytes()).is_err(), "{line}");
        }
    }
}
