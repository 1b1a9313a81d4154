//! Drawings that authors write as text, such as icons: parsed as a browser does, and written again
//! from shapes and their appearance. A drawing is data: nothing in it runs, loads anything or links
//! anywhere.

use std::collections::BTreeMap;

use html5gum::{HtmlString, Token, Tokenizer};

use super::sanitize::{push_attribute, push_escaped};

/// The elements of a drawing, in small letters as a tokenizer of HTML gives them. A browser puts the capitals back (HTML, 13.2.6.5).
const ELEMENTS: &[&str] = &[
    "circle",
    "clippath",
    "defs",
    "desc",
    "ellipse",
    "g",
    "line",
    "lineargradient",
    "mask",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialgradient",
    "rect",
    "stop",
    "svg",
    "symbol",
    "text",
    "title",
    "tspan",
    "use",
];

/// Attributes for the place and the appearance of a shape.
const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "clip-path",
    "clip-rule",
    "clippathunits",
    "color",
    "cx",
    "cy",
    "d",
    "display",
    "dx",
    "dy",
    "fill",
    "fill-opacity",
    "fill-rule",
    "focusable",
    "font-family",
    "font-size",
    "font-weight",
    "fx",
    "fy",
    "gradienttransform",
    "gradientunits",
    "height",
    "id",
    "mask",
    "maskcontentunits",
    "maskunits",
    "offset",
    "opacity",
    "overflow",
    "paint-order",
    "pathlength",
    "patterncontentunits",
    "patterntransform",
    "patternunits",
    "points",
    "preserveaspectratio",
    "r",
    "role",
    "rx",
    "ry",
    "shape-rendering",
    "spreadmethod",
    "stop-color",
    "stop-opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "transform",
    "vector-effect",
    "version",
    "viewbox",
    "visibility",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
    "y",
    "y1",
    "y2",
];

/// Maximum nesting; deeper elements are left out.
const MAX_DEPTH: usize = 32;

/// The drawing that `text`, which begins with `<svg`, is; `None` if it is none.
///
/// Elements and attributes that are not of a drawing are left out: scripts with everything in them,
/// handlers of events, foreign content, pictures, links. A `style` becomes the corresponding
/// attributes; an address may only be one of the drawing itself.
pub fn drawing(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<String> = Vec::new();
    // The elements that are being left out with everything in them.
    let mut dropped: Vec<String> = Vec::new();
    for token in Tokenizer::new(text.trim_start()) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = as_text(&tag.name);
                let is_fitting = ELEMENTS.contains(&name.as_str())
                    && open.len() < MAX_DEPTH
                    && open.is_empty() == (name == "svg");
                if !dropped.is_empty() || !is_fitting {
                    if open.is_empty() {
                        return None;
                    }
                    if !tag.self_closing {
                        dropped.push(name);
                    }
                    continue;
                }
                let attributes: BTreeMap<String, String> = (tag.attributes.iter())
                    .map(|(name, value)| (as_text(name), as_text(value)))
                    .collect();
                start(&mut out, &name, &attributes);
                match tag.self_closing {
                    true => out.push_str("/>"),
                    false => {
                        out.push('>');
                        open.push(name);
                    }
                }
            }
            Token::EndTag(tag) => {
                let name = as_text(&tag.name);
                if let Some(at) = dropped.iter().rposition(|around| *around == name) {
                    dropped.truncate(at);
                } else if dropped.is_empty() && open.contains(&name) {
                    while let Some(last) = open.pop() {
                        out.push_str("</");
                        out.push_str(&last);
                        out.push('>');
                        if last == name {
                            break;
                        }
                    }
                    if open.is_empty() {
                        return Some(out);
                    }
                }
            }
            Token::String(string) if dropped.is_empty() && !open.is_empty() => {
                push_escaped(&mut out, &as_text(&string));
            }
            Token::String(string) if open.is_empty() && !as_text(&string).trim().is_empty() => {
                return None;
            }
            _ => {}
        }
    }
    // It ends in the middle, or is one element that holds nothing.
    while let Some(last) = open.pop() {
        out.push_str("</");
        out.push_str(&last);
        out.push('>');
    }
    (!out.is_empty()).then_some(out)
}

fn as_text(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn start(out: &mut String, name: &str, attributes: &BTreeMap<String, String>) {
    out.push('<');
    out.push_str(name);
    let mut attribute = |name: &str, value: &str| push_attribute(out, name, value);
    let style = attributes.get("style").map_or("", String::as_str);
    let declared: BTreeMap<String, &str> = (style.split(';'))
        .filter_map(|declaration| declaration.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    for (key, value) in attributes {
        let is_own = matches!(key.as_str(), "href" | "xlink:href") && name == "use";
        match key.as_str() {
            _ if is_own && value.trim_start().starts_with('#') => attribute("href", value),
            // A style is stronger than an attribute (SVG 2, 6.6).
            known
                if ATTRIBUTES.contains(&known)
                    && !declared.contains_key(known)
                    && is_still(value) =>
            {
                attribute(known, value);
            }
            _ => {}
        }
    }
    for (key, value) in &declared {
        if ATTRIBUTES.contains(&key.as_str()) && is_still(value) {
            attribute(key, value);
        }
    }
}

/// Returns true if a value refers to no address outside the drawing itself.
fn is_still(value: &str) -> bool {
    let bare: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = bare.to_ascii_lowercase();
    let mut addresses = bare.split("url(").skip(1);
    !bare.contains('\\')
        && addresses.all(|address| address.trim_start_matches(['"', '\'']).starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(drawing(text).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn a_drawing_is_written_as_it_is() {
        let icon = r##"<svg fill="none" stroke="currentColor" viewbox="0 0 24 24" xmlns="http://www.w3.org/2000/svg"><path d="M5 12h14"/><g transform="rotate(3)"><circle cx="1" cy="2" r="3"></circle></g></svg>"##;
        check(icon, icon);
        check(
            r##"<svg viewBox="0 0 1 1"><defs><linearGradient id="a"><stop offset="0" style="stop-color: red; behavior: x"/></linearGradient></defs><rect fill="url(#a)"/><use xlink:href="#a"/></svg>"##,
            r##"<svg viewbox="0 0 1 1"><defs><lineargradient id="a"><stop offset="0" stop-color="red"/></lineargradient></defs><rect fill="url(#a)"/><use href="#a"/></svg>"##,
        );
    }

    #[test]
    fn nothing_in_a_drawing_runs_or_loads() {
        check(
            "<svg onload=alert(1)><path d='M0'/></svg>",
            r#"<svg><path d="M0"/></svg>"#,
        );
        check(
            "<svg><script>alert(1)</script><path onclick=x /></svg>",
            "<svg><path/></svg>",
        );
        check(
            "<svg><foreignObject><img src=x onerror=alert(1)></foreignObject><g/></svg>",
            "<svg><g/></svg>",
        );
        check(
            "<svg><a href=javascript:alert(1)><rect/></a><circle/></svg>",
            "<svg><circle/></svg>",
        );
        check(
            "<svg><use href=https://evil.example/x.svg#a /><use href=data:image/svg+xml,x /></svg>",
            "<svg><use/><use/></svg>",
        );
        check(
            "<svg><path fill=\"url(https://evil.example)\" style=\"mask: u\\72l(//evil.example); stroke: url( 'http://e' )\"/></svg>",
            "<svg><path/></svg>",
        );
        check(
            "<svg><animate onbegin=alert(1) attributeName=x /><set/><style>*{}</style>a&lt;b</svg>",
            "<svg>a&lt;b</svg>",
        );
        check("<svg></svg><script>alert(1)</script>", "<svg></svg>");
        check(
            "<svg><g></svg><img src=x onerror=alert(1)>",
            "<svg><g></g></svg>",
        );
    }

    #[test]
    fn what_is_no_drawing_is_none() {
        for text in [
            "<svgx onload=x>",
            "<img src=x>",
            "svg",
            "",
            "<script>",
            "<p><svg/>",
        ] {
            assert_eq!(drawing(text), None, "{text}");
        }
        assert_eq!(drawing("<svg/>").as_deref(), Some("<svg/>"));
        let deep = format!("<svg>{}{}</svg>", "<g>".repeat(99), "</g>".repeat(99));
        let drawn = drawing(&deep).expect("a drawing");
        assert!(drawn.matches("<g>").count() < 40, "{drawn}");
        assert_eq!(drawn.matches("<g>").count(), drawn.matches("</g>").count());
    }
}
