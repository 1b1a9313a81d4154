//! The addresses of generated pages: those of the reference product (REFERENCE-PRODUCT 4.2), made safe and unique.
//!
//! Where ours differs, the other one redirects to it, so that links written for the reference product keep working.

/// Longest segment of a generated address, in bytes: file systems end at 255, and an export adds to it.
const MAX_SEGMENT_BYTES: usize = 120;

/// A name as the reference product writes it into an address.
pub fn reference(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            ' ' => text.push('-'),
            '{' => {
                if let Some(end) = rest.find('}') {
                    text.push('-');
                    rest = &rest[end + 1..];
                }
            }
            c => text.push(c),
        }
    }
    let text = text.strip_prefix('-').unwrap_or(&text);
    let text = text.strip_suffix('-').unwrap_or(text);
    let text: String = text
        .chars()
        .filter(|c| !"{}(),.'\n/".contains(*c))
        .collect();
    text.replace("--", "-").to_lowercase()
}

/// An address whose segments need no escape in a URL (RFC 3986, 3.3) but for letters of other scripts, none longer than a file
/// system takes. Empty segments vanish, and quotes, brackets and stars, which shells and attributes read otherwise.
pub fn safe(address: &str) -> String {
    let segments = address.split('/').map(safe_segment);
    let segments: Vec<String> = segments.filter(|segment| !segment.is_empty()).collect();
    segments.join("/")
}

fn safe_segment(segment: &str) -> String {
    if segment.bytes().all(|byte| byte == b'.') {
        return String::new();
    }
    let is_safe = |c: char| c.is_alphanumeric() || "-_.~@:+=!$&;".contains(c);
    let mut text = String::with_capacity(segment.len());
    let mut was_replaced = false;
    for c in segment.chars() {
        if is_safe(c) {
            // A dash for what was left out is one dash, whatever stood beside it.
            if !(was_replaced && c == '-') {
                text.push(c);
            }
            was_replaced = was_replaced && c == '-';
        } else {
            if !text.ends_with('-') {
                text.push('-');
            }
            was_replaced = true;
        }
    }
    let changed = text != segment;
    let text = if changed {
        text.trim_matches('-')
    } else {
        &text
    };
    if text.len() <= MAX_SEGMENT_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_SEGMENT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    // Words are not cut unless one is longer than half of it.
    let cut = match cut.rfind('-') {
        Some(dash) if dash > MAX_SEGMENT_BYTES / 2 => &cut[..dash],
        _ => cut,
    };
    cut.to_owned()
}

/// The address of an operation below `directory`, as the reference product has it; without a slash before it.
pub fn operation(directory: &str, tag: Option<&str>, summary: Option<&str>, name: &str) -> String {
    let file = summary.map(reference);
    let file = file.unwrap_or_else(|| reference(name));
    let folder = tag.map(reference).unwrap_or_default();
    let parts = [directory.trim_matches('/'), &folder, &file];
    let parts: Vec<&str> = parts
        .into_iter()
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/").to_lowercase()
}

/// The address that an author wrote (`x-docs.href`): without slashes around it and without an extension.
pub fn href(href: &str) -> String {
    let href = href.trim_matches('/').to_lowercase();
    let (folder, name) = href.rsplit_once('/').unwrap_or(("", &href));
    let name = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str, is_safe: &str) {
        assert_eq!(reference(name), expected);
        assert_eq!(safe(expected), is_safe);
    }

    #[test]
    fn names_become_addresses_as_in_the_reference_product() {
        check("Get User (admin)", "get-user-admin", "get-user-admin");
        check("Don't stop", "dont-stop", "dont-stop");
        check("a -- b", "a--b", "a--b");
        check("{id} thing", "-thing", "-thing");
        check("Ends.", "ends", "ends");
        check("Привет мир", "привет-мир", "привет-мир");
        check("a\nb", "ab", "ab");
        check("List  two  spaces", "list-two-spaces", "list-two-spaces");
        check("x:y;z?", "x:y;z?", "x:y;z");
        check("@me / a=b", "@me-a=b", "@me-a=b");
        check("GET /users", "get-users", "get-users");
        check("a+b=c \"q\"", "a+b=c-\"q\"", "a+b=c-q");
        check("Trail space ", "trail-space", "trail-space");
        check("Emoji 🚀 go", "emoji-🚀-go", "emoji-go");
        check("User & Groups", "user-&-groups", "user-&-groups");
        check("  pad ", "-pad", "-pad");
        check("v1.0, beta", "v10-beta", "v10-beta");
        check("snake_tag", "snake_tag", "snake_tag");
    }

    #[test]
    fn operations_stand_below_their_tag() {
        let at = |tag, summary, name| operation("api-reference", tag, summary, name);
        assert_eq!(
            at(
                Some("Zoo Animals"),
                None,
                "patch-/zoo/{id}/animals/{animalId}"
            ),
            "api-reference/zoo-animals/patch-zoo-animals"
        );
        assert_eq!(
            at(None, None, "post-/v1/foo_bar/baz.json:batchGet"),
            "api-reference/post-v1foo_barbazjson:batchget"
        );
        assert_eq!(operation(".", None, Some("List users"), ""), "list-users");
        assert_eq!(
            operation("Docs/API Ref", None, Some("A"), ""),
            "docs/api ref/a"
        );
    }

    #[test]
    fn written_addresses_lose_their_extension() {
        assert_eq!(href("no-slash"), "no-slash");
        assert_eq!(href("/deep/er/Page.Name"), "deep/er/page");
        assert_eq!(href("/trail/"), "trail");
    }

    #[test]
    fn addresses_lead_nowhere_else_and_end() {
        assert_eq!(safe("../../etc/passwd"), "etc/passwd");
        assert!(safe(&"word-".repeat(100)).len() <= MAX_SEGMENT_BYTES);
        assert!(safe(&"ж".repeat(100)).len() <= MAX_SEGMENT_BYTES);
    }
}
