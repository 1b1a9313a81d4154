//! Numbers of a text, as they are compared: without separators of thousands, with their units.

use super::units::{Unit, unit_of};

/// A number of a text.
#[derive(Debug)]
pub(super) struct Number {
    /// As it is compared.
    pub(super) value: String,
    /// As it is written, if it has digits only.
    pub(super) digits: String,
    pub(super) unit: Option<Unit>,
    /// Whether it is `1st` to `12th`, which is a word.
    pub(super) is_ordinal: bool,
    /// Bytes of the text from its first digit to behind its last one.
    span: (usize, usize),
}

impl Number {
    /// Returns true if `next` can be the thousands that follow this number after a blank.
    pub(super) fn is_grouped_with(&self, next: &Self) -> bool {
        (1..=3).contains(&self.digits.len())
            && next.digits.len() == 3
            && self.span.1 + 1 == next.span.0
            && self.unit.is_none()
    }
}

/// The numbers of `text`, which is normalized.
pub(super) fn numbers_of(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() || byte == b'_' {
            let is_version =
                matches!(byte, b'v' | b'V') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            // Digits within a word are letters of it.
            let length = bytes[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
            at += if is_version { 1 } else { length.count() };
        } else if byte.is_ascii_digit() {
            let number = number_at(text, at);
            at = number.span.1;
            found.push(number);
        } else {
            at += 1;
        }
    }
    found
}

/// The number whose first digit is at `start`.
fn number_at(text: &str, start: usize) -> Number {
    let rest = &text[start..];
    let mut signs = rest.char_indices().peekable();
    let mut end = 0;
    while let Some((at, c)) = signs.next() {
        let is_divider = matches!(
            c,
            '.' | ',' | '\'' | '_' | ':' | '\u{a0}' | '\u{202f}' | '\u{2009}'
        );
        let is_followed = signs.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if !(c.is_ascii_digit() || is_divider && is_followed) {
            break;
        }
        end = at + c.len_utf8();
    }
    let written = &rest[..end];
    let mut value = plain_number(written);
    let after = &rest[end..];
    let suffix = after.chars().next();
    let is_alone = |at: usize| !after[at..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .any(|ending| after.starts_with(ending))
        && is_alone(2)
        && value.len() <= 2
        && value.as_str() < "13";
    match suffix {
        Some('k' | 'K') if is_alone(1) && !value.contains('.') => value.push_str("000"),
        _ => {}
    }
    let unit = unit_of(&text[..start], after);
    let is_plain = written.bytes().all(|byte| byte.is_ascii_digit());
    Number {
        value,
        digits: if is_plain {
            written.to_owned()
        } else {
            String::new()
        },
        unit,
        is_ordinal,
        span: (start, start + end),
    }
}

/// A number without separators of thousands and leading zeros; its decimals after a dot.
fn plain_number(written: &str) -> String {
    let is_divider = |c: char| !c.is_ascii_digit();
    let mut groups = written.split(is_divider);
    let first = groups.next().unwrap_or("");
    let others: Vec<&str> = groups.collect();
    if written.contains(':') {
        return written.to_owned();
    }
    if others.is_empty() {
        let bare = written.trim_start_matches('0');
        return if bare.is_empty() { "0" } else { bare }.to_owned();
    }
    let (last, inner) = others.split_last().unwrap_or((&"", &[]));
    let are_thousands =
        first.len() <= 3 && first != "0" && inner.iter().all(|group| group.len() == 3);
    match (are_thousands, last.len()) {
        (true, 3) => format!("{first}{}", others.concat()),
        (true, _) => format!("{first}{}.{last}", inner.concat()),
        (false, _) => written.replace(is_divider, "."),
    }
}
