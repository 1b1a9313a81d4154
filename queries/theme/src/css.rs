//! Addresses in stylesheets, in styles of elements, and in lists of pictures.

use std::borrow::Cow;

pub mod selectors;

/// `css` with what `rewrite` makes of each address in it: of `url(…)`, and of `@import` (CSS Values 4, 4.5).
pub fn with_urls<'c>(
    css: &'c str,
    rewrite: &mut dyn FnMut(&str) -> Option<String>,
) -> Cow<'c, str> {
    let lower = css.to_ascii_lowercase();
    let named = strings_of_sets(&lower);
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(next) = next_address(&lower, &named, at) {
        at = next.start;
        let (start, end) = extent(css, next);
        let Some(address) = css.get(start..end) else {
            continue;
        };
        if let Some(address) = rewrite(address) {
            out.push_str(&css[done..start]);
            out.push_str(&address);
            done = end;
        }
        at = end.max(at);
    }
    match done {
        0 => Cow::Borrowed(css),
        _ => Cow::Owned(out + &css[done..]),
    }
}

/// A place behind which an address stands.
struct Next {
    start: usize,
    is_function: bool,
}

/// The next place behind which an address stands, from `at` on.
fn next_address(lower: &str, searches: &[usize], at: usize) -> Option<Next> {
    let rest = lower.get(at..)?;
    let find = |sign: &str, is_function| {
        let start = at + rest.find(sign)? + sign.len();
        Some(Next { start, is_function })
    };
    let is_function = false;
    let string = searches.iter().copied().find(|start| *start >= at);
    let string = string.map(|start| Next { start, is_function });
    let all = [find("url(", true), find("@import", false), string];
    all.into_iter().flatten().min_by_key(|next| next.start)
}

/// Places of the strings in `image-set(…)` that are addresses (CSS Images 4, 2.4): each begins an option.
fn strings_of_sets(lower: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, name) in lower.match_indices("image-set(") {
        let (mut depth, mut quote, mut begins) = (1_usize, None, true);
        let start = at + name.len();
        for (i, byte) in lower[start..].bytes().enumerate() {
            match (quote, byte) {
                (Some(begun), _) if begun == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    if begins && depth == 1 {
                        found.push(start + i);
                    }
                    (quote, begins) = (Some(byte), false);
                }
                (None, b'(') => (depth, begins) = (depth + 1, false),
                (None, b')') if depth == 1 => break,
                (None, b')') => depth -= 1,
                (None, b',') if depth == 1 => begins = true,
                (None, b'{' | b'}' | b';') => break,
                (None, _) => begins &= byte.is_ascii_whitespace(),
            }
        }
    }
    found
}

/// Returns the range of the address behind `next`.
fn extent(css: &str, next: Next) -> (usize, usize) {
    let rest = &css[next.start..];
    let inner = rest.trim_start();
    let start = next.start + rest.len() - inner.len();
    match inner.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => {
            let start = start + 1;
            let length = css[start..].find(char::from(*quote)).unwrap_or(0);
            (start, start + length)
        }
        // Behind `@import` a function may stand, which comes next.
        _ if !next.is_function => (start, start),
        _ => {
            let length = css[start..].find(')').unwrap_or(0);
            let address = css[start..start + length].trim_end();
            (start, start + address.len())
        }
    }
}

/// `srcset` with what `rewrite` makes of each address in it (HTML, 4.8.4.2.1).
pub(crate) fn with_sources(srcset: &str, rewrite: &mut dyn FnMut(&str) -> String) -> String {
    let mut candidates = Vec::new();
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if rest.is_empty() {
            return candidates.join(", ");
        }
        let (address, behind) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let is_alone = address.ends_with(',');
        let address = rewrite(address.trim_end_matches(','));
        let (size, behind) = match is_alone {
            true => ("", behind),
            false => behind.split_at(behind.find(',').unwrap_or(behind.len())),
        };
        candidates.push(format!("{address} {}", size.trim()).trim_end().to_owned());
        rest = behind;
    }
}

/// Returns true if `address` may name a file of the site: neither a part of a page nor on another
/// host.
pub fn is_local(address: &str) -> bool {
    let path = address.split(['/', '?', '#']).next().unwrap_or_default();
    !address.is_empty()
        && !address.starts_with("//")
        && !address.starts_with(['#', '?'])
        && !path.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_urls(css: &str, expected: &str) {
        let mut moved = |address: &str| is_local(address).then(|| format!("/base{address}"));
        assert_eq!(with_urls(css, &mut moved), expected);
    }

    #[test]
    fn addresses_of_stylesheets_are_found() {
        check_urls("a{b:url(/c.png)}", "a{b:url(/base/c.png)}");
        check_urls(
            "a{b:image-set('/c.png' 1x type('image/png'), url(/d.png) 2x, \"/e.png\" 3x)}",
            "a{b:image-set('/base/c.png' 1x type('image/png'), url(/base/d.png) 2x, \"/base/e.png\" 3x)}",
        );
        check_urls(
            "a{b:-webkit-image-set( '/c.png' 1x",
            "a{b:-webkit-image-set( '/base/c.png' 1x",
        );
        check_urls(
            "b: URL( \"/c d.png\" ), url('/e')",
            "b: URL( \"/base/c d.png\" ), url('/base/e')",
        );
        check_urls(
            "@import '/a.css'; @import url(/b.css);",
            "@import '/base/a.css'; @import url(/base/b.css);",
        );
        for same in [
            "a{b:url(data:image/png;base64,AA==)}",
            "url(https://a.example/b)",
            "url(//a.example/b)",
            "url(#part)",
            "url()",
            "url(",
            "url(\"",
            "@import",
            "ü { color: red }",
        ] {
            check_urls(same, same);
        }
    }

    #[test]
    fn addresses_of_pictures_are_found() {
        let rebase = |srcset: &str| with_sources(srcset, &mut |address| format!("/base{address}"));
        assert_eq!(rebase("/a.png"), "/base/a.png");
        assert_eq!(
            rebase("/a.png 1x,/b,c.png 2x"),
            "/base/a.png 1x, /base/b,c.png 2x"
        );
        assert_eq!(
            rebase(" /a.png, /b.png 300w ,"),
            "/base/a.png, /base/b.png 300w"
        );
        assert_eq!(rebase(""), "");
    }
}
