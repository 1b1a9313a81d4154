//! HTML elements: written as they stand, with the attributes of HTML.

use super::{children, inline};
use crate::css::{self, selectors};
use crate::html::{attribute, push_escaped};
use crate::image::AuthoredAttributes;
use crate::instance::{Children, Instance, words};
use crate::prose::paragraphs::{VOID, holds_block, without_headings, without_links};
use crate::prose::{OutlineEntry, Writer};
use base::diagnostic::Code;
use mdx::js::builtin::to_json;
use mdx::js::eval::Value;
use mdx::plain::{Fate, fate, keeps};

/// HTML elements that hold text only: their paragraphs get no tags.
const PHRASING: &[&str] = &[
    "a", "abbr", "b", "button", "cite", "code", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6",
    "i", "kbd", "label", "mark", "p", "s", "small", "span", "strong", "sub", "summary", "sup",
    "text", "title", "u",
];

/// Returns true if the element `name` holds text only.
pub(crate) fn is_phrasing(name: &str) -> bool {
    PHRASING.contains(&name)
}

pub(super) fn draw_html<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> String {
    let name = &*element.name;
    let is_untrusted = writer.is_of_specification();
    if is_untrusted && fate(name) != Fate::Shown {
        report_untrusted(writer, element);
        return match fate(name) {
            Fate::LeftOut => String::new(),
            _ => children(writer, element),
        };
    }
    let mut out = format!("<{name}");
    let image = (name == "img").then(|| writer.image(&element.text("src").unwrap_or_default()));
    let mut authored = AuthoredAttributes::default();
    let mut is_named = false;
    for (prop, value) in &element.props {
        // What a reader or a form is sent to may be a page; what is shown is a file.
        let is_link = match &**prop {
            "href" => matches!(name, "a" | "area"),
            "cite" | "action" | "formAction" | "formaction" | "longDesc" | "longdesc" => true,
            _ => false,
        };
        let mut link = |href: &str| {
            if &**prop == "ping" {
                writer.endpoint(href)
            } else if is_link {
                writer.link(href)
            } else {
                writer.asset(href)
            }
        };
        let json = match words(value) {
            Some(words) => Some(words.into()),
            None => to_json(value).ok(),
        };
        let Some((prop, value)) = json.and_then(|value| attribute(prop, &value, &mut link)) else {
            continue;
        };
        // What it looks like and what it is called is the page's affair: it could cover the page or stand for a part of it.
        if is_untrusted && !keeps(name, &prop) {
            continue;
        }
        out.push(' ');
        out.push_str(&prop);
        if image.is_some() {
            authored.see(&prop, value.as_deref().unwrap_or_default());
        }
        is_named |= NAMING.contains(&prop.as_str());
        if let Some(value) = value {
            match prop.as_str() {
                "id" => writer.ids.note(&value),
                // What a fragment names besides ids (HTML, 7.4.6.3).
                "name" if name == "a" => writer.ids.note(&value),
                "class" => writer.see_classes(&value),
                _ => {}
            }
            out.push_str("=\"");
            push_escaped(&mut out, &value);
            out.push('"');
        }
    }
    if let Some(image) = image {
        image.push_attributes(&mut out, &authored, &mut writer.heights);
    }
    if !is_named {
        push_name(&mut out, element);
    }
    let depth = heading_level(name).and_then(|level| writer.depth(level));
    if let Some(depth) = depth.filter(|_| element.prop("aria-level").is_none()) {
        out.push_str(&format!(" aria-level=\"{depth}\""));
    }
    out.push('>');
    if VOID.contains(&name) {
        return out;
    }
    let html = element
        .prop("dangerouslySetInnerHTML")
        .filter(|_| !is_untrusted);
    let html = html.and_then(|html| html.member(&Value::text("__html")).ok());
    let inner = if let Some(Value::Text(html)) = html {
        html.to_string()
    } else if name == "style" {
        let css = raw_text(element, writer);
        let mut moved = |address: &str| css::is_local(address).then(|| writer.asset(address));
        css::with_urls(&selectors::adapted(&css), &mut moved).into_owned()
    } else if name == "script" {
        raw_text(element, writer)
    } else if is_phrasing(name) {
        let inner = inline(writer, element).trim_end_matches('\n').to_owned();
        match name {
            "a" => without_links(inner),
            _ => inner,
        }
    } else {
        children(writer, element)
    };
    if let (Some(level), Some(id)) = (heading_level(name), element.text("id")) {
        let title = crate::html::text_of(&inner).trim().to_owned();
        writer.body.outline.push(OutlineEntry { level, id, title });
    }
    // HTML ends a paragraph where a block begins, and would tear the two apart.
    let is_torn = name == "p" && holds_block(&inner);
    let name = if is_torn { "div" } else { name };
    if is_torn {
        out.replace_range(1..2, "div");
    }
    match heading_level(name) {
        Some(_) => out.push_str(&without_headings(&inner)),
        None => out.push_str(&inner),
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
    out
}

/// Reports HTML that a specification may not bring.
fn report_untrusted<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) {
    let name = &element.name;
    let message = format!("`<{name}>` of a specification is not shown");
    let hint = "write it on a page of the site, which may hold any HTML";
    let at = element.at.unwrap_or(0);
    writer.report(Code::UntrustedHtml, at, name.len() + 1, message, hint);
}

/// Attributes that name an element for assistive technology.
const NAMING: &[&str] = &["alt", "title", "aria-label", "aria-labelledby"];

/// Adds what says to those who do not see an image or a frame what it is, where the author has not: an image is passed over
/// instead of read out by its address (HTML, 4.8.4.4), a frame has the name of the host that it comes from.
fn push_name(out: &mut String, element: &Instance<'_>) {
    match &*element.name {
        "img" => out.push_str(" alt=\"\""),
        "iframe" => {
            let src = element.text("src").unwrap_or_default();
            let host = src.split_once("//").map_or("", |(_, rest)| rest);
            let end = host.find(['/', '?', '#']).unwrap_or(host.len());
            let host = host[..end].rsplit('@').next().unwrap_or_default();
            if !host.is_empty() {
                out.push_str(" title=\"");
                push_escaped(out, host);
                out.push('"');
            }
        }
        // Keyboard users must be able to scroll it.
        "pre" if element.prop("tabIndex").is_none() => out.push_str(" tabindex=\"0\""),
        _ => {}
    }
}

fn heading_level(name: &str) -> Option<u8> {
    name.strip_prefix('h')?
        .parse()
        .ok()
        .filter(|level| (1..=6).contains(level))
}

/// The content of `<style>` and `<script>`: a template string, or the text as it stands.
fn raw_text(element: &Instance<'_>, writer: &mut Writer<'_>) -> String {
    let text = match &element.children {
        Children::Fragment(fragment) => match writer.only_expression(fragment) {
            Some(value) => value.to_text().unwrap_or_default().to_string(),
            None => fragment.text.clone(),
        },
        Children::Values(values) => values
            .iter()
            .filter_map(|value| value.to_text().ok())
            .map(|text| text.to_string())
            .collect(),
    };
    // The text must not be able to end its own element.
    text.replace("</", "<\\/")
}
