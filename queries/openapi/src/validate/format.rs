//! Formats for checks that a schema asks a server to make: those of texts that are reported to
//! authors, some more, and those of numbers. What is not known here is allowed.

use serde_json::Number;

use crate::format;

/// Returns true if `text` is of `format`, as far as the format is known.
pub(super) fn is_of_format(format: &str, text: &str) -> bool {
    match format {
        "duration" => is_duration(text),
        "uri-reference" | "iri-reference" => is_printable(text),
        "byte" => is_base64(text),
        "json-pointer" => is_pointer(text),
        format => format::is_of_format(format, text),
    }
}

/// Returns true if a number is of `format`, as far as the format is known.
pub(super) fn is_in_format(format: &str, number: &Number) -> bool {
    let is_between = |min: i64, max: i64| {
        let whole = number.as_i64();
        whole.is_some_and(|whole| (min..=max).contains(&whole))
            // A whole number may be written with a fraction of zero.
            || number.as_f64().is_some_and(|wide| {
                !number.is_i64() && !number.is_u64() && wide >= min as f64 && wide <= max as f64
            })
    };
    match format {
        "int8" => is_between(i8::MIN.into(), i8::MAX.into()),
        "int16" => is_between(i16::MIN.into(), i16::MAX.into()),
        "int32" => is_between(i32::MIN.into(), i32::MAX.into()),
        "int64" => is_between(i64::MIN, i64::MAX),
        "uint8" => is_between(0, u8::MAX.into()),
        "uint16" => is_between(0, u16::MAX.into()),
        "uint32" => is_between(0, u32::MAX.into()),
        _ => true,
    }
}

/// ISO 8601, as RFC 3339, appendix A has it.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else {
        return false;
    };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    // Numbers, each with its unit, in the order of the units.
    let is_part = |text: &str, units: &str| {
        let (mut digits, mut units) = (0, units.chars());
        text.chars().all(|c| {
            if c.is_ascii_digit() || (digits > 0 && matches!(c, '.' | ',')) {
                digits += 1;
                return true;
            }
            std::mem::take(&mut digits) > 0 && units.any(|unit| unit == c)
        }) && digits == 0
    };
    let is_long_enough = !date.is_empty() || time.is_some();
    is_long_enough
        && is_part(date, "YMWD")
        && time.is_none_or(|time| !time.is_empty() && is_part(time, "HMS"))
}

fn is_printable(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c))
}

/// RFC 4648, 4.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

/// RFC 6901, 3.
fn is_pointer(text: &str) -> bool {
    let mut tildes = text.match_indices('~');
    (text.is_empty() || text.starts_with('/'))
        && tildes.all(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &str, right: &[&str], wrong: &[&str]) {
        for text in right {
            assert!(is_of_format(format, text), "{format} {text}");
        }
        for text in wrong {
            assert!(!is_of_format(format, text), "{format} {text}");
        }
    }

    #[test]
    fn texts_are_of_their_formats() {
        check(
            "duration",
            &["P1D", "PT1H30M", "P1Y2M3DT4.5S", "P2W"],
            &["", "P", "PT", "1D", "P1", "P1DT", "P1D2Y"],
        );
        check("uri-reference", &["", "/a", "a?b"], &["a b"]);
        check("byte", &["", "c3RyaW5n", "YQ=="], &["a", "YQ=a", "a-b_"]);
        check("json-pointer", &["", "/a~1b/~0"], &["a", "/~2", "/~"]);
        check("whatever", &["anything"], &[]);
    }

    #[test]
    fn numbers_are_in_their_formats() {
        let number = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        for (format, text, expected) in [
            ("int32", "2147483647", true),
            ("int32", "2147483648", false),
            ("int32", "1.0", true),
            ("int64", "9223372036854775807", true),
            ("int64", "9223372036854775808", false),
            ("uint8", "-1", false),
            ("double", "1e300", true),
        ] {
            assert_eq!(
                is_in_format(format, &number(text)),
                expected,
                "{format} {text}"
            );
        }
    }
}
