//! Raw HTML in pages: JSX attributes become those of HTML, scripts in attributes go.

use crate::css;
use maud::PreEscaped;
use serde_json::Value;

use mdx::value;

/// Bytes with a meaning in HTML.
const SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    signs[b'&' as usize] = true;
    signs[b'<' as usize] = true;
    signs[b'>' as usize] = true;
    signs[b'"' as usize] = true;
    signs
};

/// Appends `text` with the characters escaped that mean something in HTML.
pub fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| SIGNS[usize::from(byte)]) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Returns the first offset of `sign` in `text`: for texts that are whole pages. `str::find`
/// inspects each byte.
pub fn find(text: &str, sign: &str) -> Option<usize> {
    match sign.as_bytes() {
        [byte] => memchr::memchr(*byte, text.as_bytes()),
        sign => memchr::memmem::find(text.as_bytes(), sign),
    }
}

/// `text`, escaped.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text);
    out
}

/// The text of rendered HTML: without tags, the common references resolved.
pub fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = rest[at..].find('>').map_or("", |end| &rest[at + end + 1..]);
    }
    text.push_str(rest);
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// The HTML attribute that `name` of JSX with `value` means; `None` if it has none: handlers of events, keys, values that
/// are no text. `link` resolves addresses.
pub fn attribute(
    name: &str,
    value: &Value,
    link: &mut dyn FnMut(&str) -> String,
) -> Option<(String, Option<String>)> {
    let name = html_name(name)?;
    // As React has them: these are words, and others are there or not.
    let is_word = name.starts_with("aria-") || name.starts_with("data-");
    let text = match value {
        Value::Bool(true) if is_word => "true".to_owned(),
        Value::Bool(true) => return Some((name, None)),
        Value::Bool(false) if is_word => "false".to_owned(),
        Value::Bool(false) | Value::Null => return None,
        Value::Object(style) if name == "style" => style_text(style),
        Value::Array(_) | Value::Object(_) => return None,
        other => value::to_text(other)?,
    };
    let text = match name.as_str() {
        "href" | "src" | "poster" | "action" | "formaction" | "xlink:href" | "data" | "cite"
        | "background" | "longdesc" | "manifest" | "usemap" => link(&text),
        "ping" => {
            let addresses: Vec<String> = text.split_ascii_whitespace().map(link).collect();
            addresses.join(" ")
        }
        "srcset" | "imagesrcset" => css::with_sources(&text, link),
        // Attributes of SVG have values of stylesheets, too.
        "style" | "fill" | "stroke" | "filter" | "mask" | "clip-path" | "cursor"
        | "marker-start" | "marker-mid" | "marker-end" => with_urls(&text, link),
        _ => text,
    };
    Some((name, Some(text)))
}

fn with_urls(text: &str, link: &mut dyn FnMut(&str) -> String) -> String {
    let mut moved = |address: &str| css::is_local(address).then(|| link(address));
    css::with_urls(text, &mut moved).into_owned()
}

/// The name in HTML of the JSX attribute `name`.
fn html_name(name: &str) -> Option<String> {
    let is_handler = name.len() > 2 && name[..2].eq_ignore_ascii_case("on");
    if name.is_empty()
        || is_handler
        || matches!(
            name,
            "key" | "ref" | "dangerouslySetInnerHTML" | "srcdoc" | "srcDoc"
        )
    {
        return None;
    }
    Some(match name {
        "className" => "class".to_owned(),
        "htmlFor" => "for".to_owned(),
        "viewBox"
        | "preserveAspectRatio"
        | "gradientUnits"
        | "gradientTransform"
        | "patternUnits"
        | "clipPathUnits"
        | "markerWidth"
        | "markerHeight"
        | "refX"
        | "refY"
        | "stdDeviation"
        | "baseFrequency"
        | "textLength"
        | "pathLength"
        | "attributeName"
        | "repeatCount"
        | "spreadMethod"
        | "startOffset" => name.to_owned(),
        "xlinkHref" => "xlink:href".to_owned(),
        "xmlnsXlink" => "xmlns:xlink".to_owned(),
        // Presentation attributes of SVG have hyphens where JSX has capitals.
        _ if is_svg_presentation(name) => hyphenated(name),
        _ => name.to_ascii_lowercase(),
    })
}

fn is_svg_presentation(name: &str) -> bool {
    let prefixes = [
        "stroke",
        "fill",
        "clip",
        "color",
        "font",
        "stop",
        "text",
        "marker",
        "dominant",
        "alignment",
        "baseline",
        "flood",
        "lighting",
        "paint",
        "pointer",
        "shape",
        "vector",
        "letter",
        "word",
        "mask",
    ];
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && prefixes.iter().any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(char::is_uppercase))
        })
}

fn hyphenated(name: &str) -> String {
    let mut hyphenated = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            hyphenated.push('-');
        }
        hyphenated.push(c.to_ascii_lowercase());
    }
    hyphenated
}

/// The CSS text of a style object: names hyphenated, bare numbers in pixels where CSS wants a length.
fn style_text(style: &serde_json::Map<String, Value>) -> String {
    let mut css = String::new();
    for (name, value) in style {
        let is_bare = matches!(
            name.as_str(),
            "opacity"
                | "zIndex"
                | "flex"
                | "flexGrow"
                | "flexShrink"
                | "order"
                | "fontWeight"
                | "lineHeight"
                | "zoom"
                | "gridColumn"
                | "gridRow"
                | "columnCount"
                | "aspectRatio"
                | "scale"
                | "tabSize"
        );
        let text = match value {
            Value::Number(number) if is_bare || number.as_f64() == Some(0.0) => number.to_string(),
            Value::Number(number) => format!("{number}px"),
            Value::String(text) => text.clone(),
            _ => continue,
        };
        let name = if name.starts_with("--") {
            name.clone()
        } else {
            hyphenated(name)
        };
        if text.contains([';', '{', '}'])
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            continue;
        }
        css.push_str(&format!("{name}:{text};"));
    }
    css.trim_end_matches(';').to_owned()
}

/// HTML that was rendered before, as a slot of a template.
pub fn slot(html: &str) -> PreEscaped<&str> {
    PreEscaped(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_attribute(name: &str, source: &str, expected: Option<&str>) {
        let value = value::literal(source).unwrap();
        let got = attribute(name, &value, &mut |href| format!("/base{href}"));
        let got =
            got.map(|(name, value)| value.map_or(name.clone(), |value| format!("{name}={value}")));
        assert_eq!(got.as_deref(), expected);
    }

    #[test]
    fn jsx_attributes_become_html() {
        check_attribute("className", "'a b'", Some("class=a b"));
        check_attribute(
            "style",
            "{ fontSize: 12, opacity: 0.5, '--x': '1' }",
            Some("style=font-size:12px;opacity:0.5;--x:1"),
        );
        check_attribute("strokeWidth", "2", Some("stroke-width=2"));
        check_attribute("autoPlay", "true", Some("autoplay"));
        check_attribute("disabled", "false", None);
        check_attribute("src", "'/a.png'", Some("src=/base/a.png"));
    }

    #[test]
    fn handlers_and_what_ends_a_style_go() {
        check_attribute("onClick", "'alert(1)'", None);
        check_attribute("ONLOAD", "'alert(1)'", None);
        check_attribute(
            "style",
            "{ color: 'red;background:url(x)' }",
            Some("style="),
        );
    }
}
