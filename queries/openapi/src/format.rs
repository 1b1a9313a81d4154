//! Formats of texts: whether a text has the `format` of its schema (JSON Schema 2020-12 Validation,
//! 7.3).
//!
//! Formats are annotations and make no value invalid: samples and choices between branches do not
//! ask. Authors get reports of examples that are not of their format.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use serde_json::Value;

use crate::merge::Schemas;
use crate::schema::Schema;
use base::data::pointer;
use base::diagnostic::{Code, Diagnostic, Severity};

/// Maximum depth to which examples are inspected.
const MAX_DEPTH: usize = 24;

/// A text that is not of the format of its schema.
struct WrongFormat {
    /// JSON pointer of the text within the value.
    at: String,
    /// Format.
    format: String,
}

impl Schemas<'_, '_> {
    /// The first text in `value` that is not of its format. Unions are not checked: another branch
    /// may be meant.
    fn wrong_format(&mut self, schema: &Arc<Schema>, value: &Value) -> Option<WrongFormat> {
        self.wrong_at(schema, value, &mut String::new(), 0)
    }

    /// Reports the first text of the example `value` at `pointer` that is not of its format.
    pub(crate) fn check_formats(&mut self, schema: &Arc<Schema>, value: &Value, pointer: &str) {
        if let Some(WrongFormat { at, format }) = self.wrong_format(schema, value) {
            let subject = match &at[..] {
                "" => "it".to_owned(),
                at => format!("`{at}`"),
            };
            let message =
                format!("the example is not valid: {subject} is not of the format `{format}`");
            let place = format!("{}{at}", pointer.split('&').next().unwrap_or(pointer));
            let mut problem = Diagnostic::new(Code::ExampleMismatch, place, message);
            // A format is an annotation of the author, not a constraint of the validator.
            problem.severity = Severity::Info;
            self.diagnostics.insert(problem);
        }
    }

    fn wrong_at(
        &mut self,
        schema: &Arc<Schema>,
        value: &Value,
        at: &mut String,
        depth: usize,
    ) -> Option<WrongFormat> {
        let flat = self.flat(schema);
        if depth > MAX_DEPTH || !flat.unions.is_empty() {
            return None;
        }
        let merged = flat.schema.clone();
        let length = at.len();
        match value {
            Value::String(text) => {
                let mut formats = merged.formats.iter();
                let format = formats.find(|format| !is_of_format(format, text))?;
                Some(WrongFormat {
                    at: at.clone(),
                    format: format.clone(),
                })
            }
            Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                let schema = merged.prefix_items.get(index).or(merged.items.as_ref())?;
                pointer::push_item(at, index);
                let found = self.wrong_at(schema, item, at, depth + 1);
                at.truncate(length);
                found
            }),
            Value::Object(members) => members.iter().find_map(|(name, member)| {
                let schema = merged.property(name)?.clone();
                pointer::push(at, name);
                let found = self.wrong_at(&schema, member, at, depth + 1);
                at.truncate(length);
                found
            }),
            _ => None,
        }
    }
}

/// Returns true if a text is of a format; every text is of an unknown format.
pub(crate) fn is_of_format(format: &str, text: &str) -> bool {
    match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => {
            let separator = text.find(['T', 't', ' ']);
            separator.is_some_and(|at| is_date(&text[..at]) && is_time(&text[at + 1..]))
        }
        "email" => is_email(text),
        "uuid" => is_uuid(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uri" | "url" => is_uri(text),
        "hostname" => is_hostname(text),
        _ => true,
    }
}

/// `2025-01-15` (RFC 3339, 5.6).
fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// `09:30:00Z`, `09:30:00.5+02:00` (RFC 3339, 5.6).
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else {
        return false;
    };
    let Some([hour, minute, second]) = numbers(clock, ':', [2, 2, 2]) else {
        return false;
    };
    let zone = match rest.strip_prefix('.') {
        Some(digits) => digits.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let has_empty_fraction = rest.starts_with('.') && zone.len() + 1 == rest.len();
    let is_zone = matches!(zone, "Z" | "z")
        || zone.strip_prefix(['+', '-']).is_some_and(|offset| {
            numbers(offset, ':', [2, 2]).is_some_and(|[hours, minutes]| hours < 24 && minutes < 60)
        });
    hour < 24 && minute < 60 && second <= 60 && is_zone && !has_empty_fraction
}

/// Numbers of so many digits each, with a separator between them.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(separator);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(found)
}

/// A mailbox without a quoted part (RFC 5321, 4.1.2).
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_atom = |part: &str| {
        let free = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
        !part.is_empty() && part.chars().all(free)
    };
    let is_literal = domain.starts_with('[') && domain.ends_with(']');
    (local.starts_with('"') || local.split('.').all(is_atom)) && (is_literal || is_hostname(domain))
}

fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let are_right = [8, 4, 4, 4, 12].into_iter().all(|digits| {
        parts
            .next()
            .is_some_and(|part| part.len() == digits && is_hex(part))
    });
    are_right && parts.next().is_none()
}

/// An absolute address with a scheme; templates of addresses count as such (RFC 3986, 3).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme
        && !rest.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || "<>\"\\^`".contains(c))
}

/// Labels of letters, digits and hyphens (RFC 1123, 2.1), of any script.
fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        let free = |c: char| c.is_alphanumeric() || c == '-';
        (1..=63).contains(&label.len())
            && label.chars().all(free)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_other_texts() {
        for (format, right, wrong) in [
            (
                "date",
                &["2025-01-15", "2024-02-29"][..],
                &[
                    "tomorrow",
                    "2025-02-29",
                    "2025-1-5",
                    "20250115",
                    "2025-01-15T00:00:00Z",
                ][..],
            ),
            (
                "time",
                &["09:30:00Z", "23:59:60+02:00", "09:30:00.123Z"],
                &["9:30", "09:30:00", "25:00:00Z", "09:30:00.Z"],
            ),
            (
                "date-time",
                &["2025-01-15T09:30:00Z", "2025-01-15 09:30:00.1-05:00"],
                &["2025-01-15", "yesterday", "2025-01-15T09:30:00"],
            ),
            (
                "email",
                &["a@b.co", "a.b+c@example.com", "ü@example.com"],
                &["a", "@b", "a b@c.d", "a..b@c.d"],
            ),
            (
                "uuid",
                &["123e4567-e89b-42d3-a456-426614174000"],
                &["not-a-uuid", "123e4567e89b42d3a456426614174000"],
            ),
            ("ipv4", &["192.0.2.1"], &["192.0.2", "256.1.1.1", "::1"]),
            ("ipv6", &["2001:db8::1", "::"], &["192.0.2.1", "2001"]),
            (
                "uri",
                &["https://example.com/{id}", "urn:a:b", "mailto:a@b.co"],
                &["/path", "example.com", "a b:c", "1a:b"],
            ),
            (
                "hostname",
                &["example.com", "localhost", "a-b.co"],
                &["-a.co", "a_b", "a..b", ""],
            ),
            ("color", &["anything"], &[]),
        ] {
            for text in right {
                assert!(is_of_format(format, text), "{format} {text}");
            }
            for text in wrong {
                assert!(!is_of_format(format, text), "{format} {text}");
            }
        }
    }
}
