//! Content negotiation of pages: HTML for people, Markdown for programs (RFC 9110, 12.5.1).

use hyper::header::{self, HeaderMap};

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// The media type of the text that the client would rather have than HTML; `None`: it wants HTML, or does not say.
///
/// Only who names `text/markdown` or `text/plain` gets it: browsers take everything, and mean HTML. Of two that weigh the
/// same the one that is named first counts.
pub(super) fn wants_text(request: &HeaderMap) -> Option<&'static str> {
    let given = request.get_all(header::ACCEPT).iter();
    let given = given.filter_map(|value| value.to_str().ok());
    let mut best: Option<(f32, Option<&'static str>)> = None;
    for item in given.flat_map(|list| list.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let form = match parts.next().unwrap_or("").to_ascii_lowercase().as_str() {
            "text/markdown" => Some(MARKDOWN),
            "text/plain" => Some(PLAIN),
            "text/html" | "application/xhtml+xml" => None,
            _ => continue,
        };
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
        let weight: f32 = weight.unwrap_or(1.0);
        if weight > 0.0 && best.is_none_or(|(known, _)| weight > known) {
            best = Some((weight, form));
        }
    }
    best.and_then(|(_, form)| form)
}

/// Returns true if the client names HTML: pages of the server itself are for people, other clients
/// get JSON.
pub(super) fn takes_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &str, expected: Option<&str>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().expect("a value"));
        assert_eq!(wants_text(&headers), expected, "{accept}");
    }

    #[test]
    fn browsers_and_clients_that_take_everything_get_html() {
        assert_eq!(wants_text(&HeaderMap::new()), None);
        for accept in [
            "*/*",
            "text/*",
            "application/json",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            "text/html, text/plain",
            "text/markdown;q=0.5, text/html;q=0.6",
            "text/markdown;q=0",
        ] {
            check(accept, None);
        }
    }

    #[test]
    fn who_names_markdown_or_plain_text_gets_it() {
        for accept in [
            "text/markdown",
            "Text/Markdown, */*",
            "text/markdown, text/html, */*",
            "text/html;q=0.9, text/markdown",
            "text/plain;q=0.2, text/markdown;q=0.8",
        ] {
            check(accept, Some(MARKDOWN));
        }
        check("text/plain", Some(PLAIN));
        check("text/plain, */*;q=0.8", Some(PLAIN));
    }
}
