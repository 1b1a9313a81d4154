//! The tokens of JSX: tags with their attributes, and expressions with JavaScript's own idea of brackets.

use super::{Attribute, AttributeValue};

/// Number of bytes in which the end of a tag or an expression is searched, by the number of earlier
/// ones that never ended: a page of a hundred thousand stray braces still costs linear time.
const REACHES: [(u32, usize); 4] = [(0, usize::MAX), (64, 4096), (1024, 1024), (16_384, 256)];

/// The part of `text` in which the end of what begins there is looked for, after so many `failures` to find one.
pub(super) fn within_reach(text: &str, failures: u32) -> &str {
    let reaches = REACHES.iter().rev();
    let reach = reaches.copied().find(|(after, _)| *after <= failures);
    let mut end = reach.map_or(text.len(), |(_, reach)| reach.min(text.len()));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A tag, as tokenized at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) kind: TagKind,
    pub(super) attributes: Vec<Attribute>,
    /// Offsets of the attributes.
    pub(super) starts: Vec<usize>,
    /// Length in bytes.
    pub(super) len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Opening,
    Closing,
    SelfClosing,
}

/// Name of the object that holds the components of the theme.
pub(crate) const THEME: &str = "MintlifyComponents";

/// The component that `name` names as a member of [`THEME`].
pub(crate) fn of_theme(name: &str) -> Option<&str> {
    name.strip_prefix(THEME)?.strip_prefix('.')
}

/// Tokenizes the tag at the start of `text`, which begins with `<`. `None` if it is not a tag.
pub(super) fn tag(text: &str) -> Option<Tag> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let closing = bytes.get(at) == Some(&b'/');
    if closing {
        at += 1;
        at += space_len(&text[at..]);
    }
    let (mut name, name_len) = spaced_name(&text[at..], name_len);
    at += name_len;
    if let Some(of_theme) = of_theme(&name) {
        name = of_theme.to_owned();
    }
    let (mut attributes, mut starts) = (Vec::new(), Vec::new());
    loop {
        let gap = space_len(&text[at..]);
        at += gap;
        match *bytes.get(at)? {
            // A fragment is opened by `<>` alone: `< >` are two signs.
            b'>' if gap > 0 && name.is_empty() && !closing => return None,
            b'>' => {
                let kind = if closing {
                    TagKind::Closing
                } else {
                    TagKind::Opening
                };
                return Some(Tag {
                    name,
                    kind,
                    attributes,
                    starts,
                    len: at + 1,
                });
            }
            b'/' if !closing && !name.is_empty() => {
                at += 1;
                at += space_len(&text[at..]);
                return (bytes.get(at) == Some(&b'>')).then_some(Tag {
                    name,
                    kind: TagKind::SelfClosing,
                    attributes,
                    starts,
                    len: at + 1,
                });
            }
            // A fragment and a closing tag hold nothing else; attributes are set off by space.
            _ if closing || name.is_empty() || (gap == 0 && attributes.is_empty()) => return None,
            b'{' => {
                let len = expression_len(&text[at..])?;
                let inner = text[at + 1..at + len - 1].trim();
                if !is_comment(inner) {
                    starts.push(at);
                    attributes.push(Attribute {
                        name: String::new(),
                        value: AttributeValue::Expression(inner.to_owned()),
                    });
                }
                at += len;
            }
            _ => {
                let (name, len) = spaced_name(&text[at..], attribute_name_len);
                if len == 0 {
                    return None;
                }
                starts.push(at);
                at += len;
                let before_equals = space_len(&text[at..]);
                if bytes.get(at + before_equals) != Some(&b'=') {
                    attributes.push(Attribute {
                        name,
                        value: AttributeValue::Absent,
                    });
                    continue;
                }
                at += before_equals + 1;
                at += space_len(&text[at..]);
                let (value, len) = attribute_value(&text[at..])?;
                attributes.push(Attribute { name, value });
                at += len;
            }
        }
    }
}

fn attribute_value(text: &str) -> Option<(AttributeValue, usize)> {
    match *text.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let end = 1 + memchr::memchr(quote, &text.as_bytes()[1..])?;
            Some((AttributeValue::Text(unescape(&text[1..end])), end + 1))
        }
        b'{' => {
            let len = expression_len(text)?;
            Some((
                AttributeValue::Expression(text[1..len - 1].trim().to_owned()),
                len,
            ))
        }
        // `attr=value` without quotes is HTML, not JSX, but it is plain what is meant.
        byte if byte.is_ascii_alphanumeric() || b"#/.".contains(&byte) => {
            let len = text
                .find(|c: char| c.is_whitespace() || "\"'{}<>`=".contains(c))
                .unwrap_or(text.len());
            let len = if text[..len].ends_with('/') && text[len..].starts_with('>') {
                len - 1
            } else {
                len
            };
            Some((AttributeValue::Text(text[..len].to_owned()), len))
        }
        _ => None,
    }
}

/// The length of the name at the start of `text`: `a`, `Tree.Folder`, `x-y`, `svg:rect`.
fn name_len(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
        return 0;
    }
    text.find(|c: char| !(c.is_alphanumeric() || "_$-.:".contains(c)))
        .unwrap_or(text.len())
}

/// The name at the start of `text` without the space that JSX allows around its dots and colons, and its length with it;
/// `part_len` is the length of a name without any.
fn spaced_name(text: &str, part_len: impl Fn(&str) -> usize) -> (String, usize) {
    let mut len = part_len(text);
    let mut name = text[..len].to_owned();
    while !name.is_empty() {
        let gap = space_len(&text[len..]);
        let rest = &text[len + gap..];
        // A part ends with the sign, or the sign begins the next one.
        let has_sign = name.ends_with(['.', ':']);
        let sign = usize::from(!has_sign && rest.starts_with(['.', ':']));
        if sign == 0 && (!has_sign || gap == 0) {
            break;
        }
        let after = sign + space_len(&rest[sign..]);
        let part = part_len(&rest[after..]);
        if part == 0 {
            break;
        }
        name.push_str(&rest[..sign]);
        name.push_str(&rest[after..after + part]);
        len += gap + after + part;
    }
    (name, len)
}

fn attribute_name_len(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || "_$@:".contains(c)) {
        return 0;
    }
    text.find(|c: char| !(c.is_alphanumeric() || "_$-.:@".contains(c)))
        .unwrap_or(text.len())
}

fn space_len(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The length of the `{…}` at the start of `text`, braces included; `None` if it never ends. Strings, template strings
/// and comments are skipped as JavaScript does. Inside JSX text an apostrophe is no string, so a string that would run
/// over its line is taken as an apostrophe.
pub(super) fn expression_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut strings = Strings::default();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'`' if open.last() == Some(&b'`') => {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            b'\\' if open.last() == Some(&b'`') => at += 1,
            b'$' if open.last() == Some(&b'`') && bytes.get(at + 1) == Some(&b'{') => {
                open.push(b'{');
                at += 1;
            }
            _ if open.last() == Some(&b'`') => {}
            b'`' => open.push(b'`'),
            b'{' | b'(' | b'[' => open.push(bytes[at]),
            b'}' | b')' | b']' => {
                let opener = match bytes[at] {
                    b'}' => b'{',
                    b')' => b'(',
                    _ => b'[',
                };
                // A bracket that closes nothing is text of JSX inside the expression; a brace is never text.
                if open.last() == Some(&opener) {
                    open.pop();
                } else if opener == b'{' {
                    while open.pop().is_some_and(|top| top != b'{') {}
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            quote @ (b'"' | b'\'') => {
                if let Some(len) = strings.len(bytes, at, quote) {
                    at += len - 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = memchr::memmem::find(&bytes[at + 2..], b"*/")?;
                at += end + 3;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') && at > 0 && bytes[at - 1] != b':' => {
                at += memchr::memchr(b'\n', &bytes[at..])? - 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The length of the ESM statements at the start of `text`: up to a blank line outside of brackets and strings.
pub(super) fn module_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut strings = Strings::default();
    let mut failures = 0;
    let mut at = 0;
    while at < bytes.len() {
        at += match bytes[at] {
            b'{' | b'(' | b'[' | b'`' => expression_len(within_reach(&text[at..], failures))
                .unwrap_or_else(|| {
                    failures += 1;
                    1
                }),
            quote @ (b'"' | b'\'') => strings.len(bytes, at, quote).unwrap_or(1),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at)
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                memchr::memmem::find(&bytes[at..], b"*/").map_or(1, |end| end + 2)
            }
            b'\n'
                if text[at + 1..]
                    .split('\n')
                    .next()
                    .is_none_or(|line| line.trim().is_empty()) =>
            {
                return at + 1;
            }
            _ => 1,
        };
    }
    bytes.len()
}

/// Strings on the way through a text. Where one does not end, neither does one that begins further on with the same sign: each of
/// its signs is escaped. So its end is not looked for again.
#[derive(Default)]
struct Strings {
    /// Offsets before which no string in double quotes, and none in single quotes, ends.
    endless: [usize; 2],
}

impl Strings {
    /// The length of the string that begins at `at` with `quote`, quotes included; `None` if it does not end on its line.
    fn len(&mut self, bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
        let endless = &mut self.endless[usize::from(quote == b'\'')];
        if at < *endless {
            return None;
        }
        let mut end = at + 1;
        loop {
            match bytes.get(end) {
                None | Some(b'\n') => {
                    *endless = end;
                    return None;
                }
                Some(b'\\') => end += 2,
                Some(byte) if *byte == quote => return Some(end + 1 - at),
                Some(_) => end += 1,
            }
        }
    }
}

/// Returns true if the source of an expression is only comments.
pub(super) fn is_comment(source: &str) -> bool {
    let mut rest = source.trim();
    while let Some(comment) = rest.strip_prefix("/*") {
        let Some(end) = comment.find("*/") else {
            return false;
        };
        rest = comment[end + 2..].trim_start();
    }
    rest.is_empty()
}

/// Resolves the character references of an attribute string.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        unescaped.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = (rest.bytes().take(11)).position(|byte| byte == b';');
        let character = end.and_then(|end| match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some('\u{a0}'),
            reference => {
                let digits = reference.strip_prefix('#')?;
                let code = match digits.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => digits.parse().ok()?,
                };
                char::from_u32(code)
            }
        });
        match (character, end) {
            (Some(character), Some(end)) => {
                unescaped.push(character);
                rest = &rest[end + 1..];
            }
            _ => {
                unescaped.push('&');
                rest = &rest[1..];
            }
        }
    }
    unescaped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_over_several_lines_with_all_kinds_of_values() {
        let text = "<Card\n  title=\"A > B &amp; C\"\n  cols={2}\n  style={{ a: '}' }}\n  horizontal\n  {/* c */}\n>rest";
        let tag = tag(text).unwrap();
        assert_eq!(
            (tag.name.as_str(), tag.kind, &text[tag.len..]),
            ("Card", TagKind::Opening, "rest")
        );
        let values: Vec<_> = tag
            .attributes
            .iter()
            .map(|a| (a.name.as_str(), a.value.clone()))
            .collect();
        assert_eq!(
            values,
            [
                ("title", AttributeValue::Text("A > B & C".into())),
                ("cols", AttributeValue::Expression("2".into())),
                ("style", AttributeValue::Expression("{ a: '}' }".into())),
                ("horizontal", AttributeValue::Absent),
            ]
        );
    }

    #[test]
    fn space_stands_where_jsx_allows_it() {
        for (text, name, attributes) in [
            ("</ Note>", "Note", ""),
            ("</\n  Note\n>", "Note", ""),
            ("</ >", "", ""),
            ("<Note / >", "Note", ""),
            ("<Tree . File name = \"a\" / >", "Tree.File", "name"),
            ("<Tree. File>", "Tree.File", ""),
            (
                "<svg : rect xlink : href='#a' x />",
                "svg:rect",
                "xlink:href x",
            ),
        ] {
            let tag = tag(text).unwrap();
            let names: Vec<&str> = tag.attributes.iter().map(|a| a.name.as_str()).collect();
            assert_eq!(
                (&*tag.name, &*names.join(" "), tag.len),
                (name, attributes, text.len()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_a_tag() {
        for text in [
            "<5s",
            "< b",
            "< >",
            "<=",
            "<https://x.y>",
            "<a@b.c>",
            "<Card title=\"open",
            "<//>",
            "<a b=>",
        ] {
            assert_eq!(tag(text), None, "{text}");
        }
    }

    #[test]
    fn brackets_match_as_in_javascript() {
        for (text, inner) in [
            ("{'}'} x", "{'}'}"),
            ("{`a ${b + `}`} }`} x", "{`a ${b + `}`} }`}"),
            ("{/* } */ 1} x", "{/* } */ 1}"),
            ("{<p>don't</p>} x", "{<p>don't</p>}"),
        ] {
            assert_eq!(expression_len(text).map(|len| &text[..len]), Some(inner));
        }
        assert_eq!(expression_len("{ never"), None);
    }
}
