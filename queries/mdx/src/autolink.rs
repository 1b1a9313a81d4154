//! Bare addresses in text as links (GFM 6.9, extended autolinks): `https://…`, `http://…`, `www.…` and `a@b.c`.

use std::collections::VecDeque;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

/// Returns true if `text` may hold a bare address: a quick check that spares most fragments the
/// work.
pub(super) fn may_hold_one(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr(b'@', bytes).is_some()
        || memchr::memmem::find(bytes, b"://").is_some()
        || memchr::memmem::find(bytes, b"www.").is_some()
}

/// Events in which bare addresses are links.
pub(super) struct Autolinks<'a, I: Iterator<Item = Event<'a>>> {
    events: std::iter::Peekable<I>,
    /// Events that an earlier text was split into.
    ready: VecDeque<Event<'a>>,
    /// Number of open links, images and code blocks: in them addresses are text.
    closed: usize,
}

impl<'a, I: Iterator<Item = Event<'a>>> Autolinks<'a, I> {
    pub(super) fn new(events: I) -> Self {
        Self {
            events: events.peekable(),
            ready: VecDeque::new(),
            closed: 0,
        }
    }

    /// `text` with the texts that follow it at once: the parser splits at every character that might mean something.
    fn merged(&mut self, text: CowStr<'a>) -> CowStr<'a> {
        if !matches!(self.events.peek(), Some(Event::Text(_))) {
            return text;
        }
        let mut whole = text.into_string();
        while let Some(Event::Text(more)) =
            self.events.next_if(|event| matches!(event, Event::Text(_)))
        {
            whole.push_str(&more);
        }
        whole.into()
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Autolinks<'a, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let event = self.events.next()?;
        match event {
            Event::Text(text) if self.closed == 0 => {
                let text = self.merged(text);
                let Some(first) = next_address(&text, 0) else {
                    return Some(Event::Text(text));
                };
                take_apart(&text, first, &mut self.ready);
                self.ready.pop_front()
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => {
                self.closed += 1;
                Some(event)
            }
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => {
                self.closed = self.closed.saturating_sub(1);
                Some(event)
            }
            event => Some(event),
        }
    }
}

/// An address in a text.
struct Address {
    start: usize,
    end: usize,
    /// Prefix that makes it a URL.
    prefix: &'static str,
}

fn take_apart(text: &str, first: Address, out: &mut VecDeque<Event<'_>>) {
    let mut at = 0;
    let mut address = Some(first);
    while let Some(Address { start, end, prefix }) = address {
        if start > at {
            out.push_back(Event::Text(text[at..start].to_owned().into()));
        }
        let shown = &text[start..end];
        out.push_back(Event::Start(Tag::Link {
            link_type: LinkType::Autolink,
            dest_url: format!("{prefix}{shown}").into(),
            title: "".into(),
            id: "".into(),
        }));
        out.push_back(Event::Text(shown.to_owned().into()));
        out.push_back(Event::End(TagEnd::Link));
        at = end;
        address = next_address(text, at);
    }
    if at < text.len() {
        out.push_back(Event::Text(text[at..].to_owned().into()));
    }
}

/// The first address at or after `from`.
fn next_address(text: &str, from: usize) -> Option<Address> {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b':', b'@', b'w', &bytes[from..])
        .map(|at| from + at)
        .find_map(|at| match bytes[at] {
            b':' => with_scheme(text, from, at),
            b'@' => email(text, from, at),
            _ => with_www(text, from, at),
        })
}

/// Returns the address whose `://` is at `colon`.
fn with_scheme(text: &str, from: usize, colon: usize) -> Option<Address> {
    if !text[colon..].starts_with("://") {
        return None;
    }
    let before = &text.as_bytes()[from..colon];
    let len = [5, 4].into_iter().find(|len| {
        before.len() >= *len
            && (before[before.len() - len..].eq_ignore_ascii_case(b"https")
                || before[before.len() - len..].eq_ignore_ascii_case(b"http"))
    })?;
    let start = colon - len;
    if text[..start].ends_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let domain = colon + 3;
    is_domain(&text[domain..]).then(|| Address {
        start,
        end: domain + path_len(&text[domain..]),
        prefix: "",
    })
}

fn with_www(text: &str, from: usize, start: usize) -> Option<Address> {
    let follows = match text[..start].chars().next_back() {
        None => true,
        Some(_) if start == from => false,
        Some(c) => c.is_whitespace() || matches!(c, '(' | '*' | '_' | '[' | ']' | '~'),
    };
    let rest = &text[start..];
    let is_address = follows && rest.starts_with("www.") && is_domain(&rest[4..]);
    is_address.then(|| Address {
        start,
        end: start + path_len(rest),
        prefix: "http://",
    })
}

fn email(text: &str, from: usize, at: usize) -> Option<Address> {
    let bytes = text.as_bytes();
    let local = bytes[from..at]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'+' | b'-'))
        .count();
    let start = at - local;
    if local == 0 || text[..start].ends_with(['/', ':']) {
        return None;
    }
    let domain = &text[at + 1..];
    let len = domain
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        .count();
    let domain = domain[..len].trim_end_matches('.');
    let labels = || domain.split('.');
    let is_address = labels().count() >= 2
        && labels().all(|label| !label.is_empty())
        && !domain.ends_with(['-', '_'])
        && labels()
            .next_back()
            .is_some_and(|last| last.bytes().any(|b| b.is_ascii_alphabetic()));
    is_address.then(|| Address {
        start,
        end: at + 1 + domain.len(),
        prefix: "mailto:",
    })
}

/// Returns true if `text` begins with a domain: no underscore in its last two labels.
fn is_domain(text: &str) -> bool {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'))
        .unwrap_or(text.len());
    let domain = text[..end].trim_end_matches('.');
    text.starts_with(char::is_alphanumeric)
        && !domain.rsplit('.').take(2).any(|label| label.contains('_'))
}

/// The length of the address at the start of `text`: to a blank or `<`, without what ends a sentence, and with as many
/// closing parentheses as it opens.
fn path_len(text: &str) -> usize {
    let end = text
        .find(|c: char| c.is_whitespace() || c == '<')
        .unwrap_or(text.len());
    let mut path = &text[..end];
    let count = |path: &str, paren: u8| path.bytes().filter(|b| *b == paren).count();
    let mut surplus = count(path, b')').saturating_sub(count(path, b'('));
    loop {
        let Some(last) = path.bytes().next_back() else {
            return 0;
        };
        match last {
            b')' if surplus > 0 => surplus -= 1,
            b'!' | b'"' | b'\'' | b'*' | b',' | b'.' | b':' | b';' | b'?' | b'_' | b'~' | b']' => {}
            _ => return path.len(),
        }
        path = &path[..path.len() - 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(address) = next_address(text, at) {
            found.push(format!(
                "{}{}",
                address.prefix,
                &text[address.start..address.end]
            ));
            at = address.end;
        }
        found
    }

    #[test]
    fn addresses_end_where_a_reader_would_end_them() {
        for (text, expected) in [
            ("see https://a.b/c.", "https://a.b/c"),
            ("(https://a.b/c)", "https://a.b/c"),
            ("https://a.b/c_(d))", "https://a.b/c_(d)"),
            (
                "http://localhost:8000/x?y=1&z=2, then",
                "http://localhost:8000/x?y=1&z=2",
            ),
            ("at www.a.b/x!", "http://www.a.b/x"),
            ("mail me+x@a-b.org.", "mailto:me+x@a-b.org"),
            ("https://mcp.${DOMAIN}.com)", "https://mcp.${DOMAIN}.com"),
            ("“https://a.b”x", "https://a.b”x"),
            ("HTTPS://A.B", "HTTPS://A.B"),
        ] {
            assert_eq!(addresses(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_an_address_is_text() {
        for text in [
            "://",
            "https://",
            "https:// x",
            "xhttps://a.b",
            "a@b",
            "@scope/package",
            "npm:@a/b",
            "user@",
            "redis://a.b",
            "https://a_b.c",
            "wwww.a.b",
            "git@",
            "x@1.2.3",
            "a@b.c-",
        ] {
            assert_eq!(addresses(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn long_runs_cost_linear_time() {
        let text = "a".repeat(200_000) + "@";
        assert_eq!(addresses(&text), [""; 0]);
        assert_eq!(addresses(&"@".repeat(200_000)), [""; 0]);
        assert_eq!(addresses(&"https://".repeat(20_000)).len(), 1);
    }
}
