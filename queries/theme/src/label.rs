//! Words that components show in a line: titles, captions, hints. Authors write them as text, or as
//! elements of JSX, which are rendered; where only words can stand, such as anchors and attributes,
//! their words do.

use maud::{Markup, PreEscaped, Render, html};

use mdx::plain::{self, Headings};

use crate::html::text_of;

/// Words in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    text: String,
    html: Option<String>,
}

impl Label {
    /// The label that `markup` shows: inline HTML, whose blocks become parts of the line.
    pub(crate) fn from_html(markup: &str) -> Self {
        let html = in_line(markup);
        Self {
            text: text_of(&html)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            html: Some(html),
        }
    }

    /// The words alone.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
            && self
                .html
                .as_deref()
                .is_none_or(|html| html.trim().is_empty())
    }

    /// The label as it is, called `name` where only words can stand.
    pub(crate) fn with_name(self, name: &str) -> Self {
        Self {
            text: name.to_owned(),
            ..self
        }
    }

    /// Returns true if it shows only a picture, named by its text.
    pub(crate) fn is_picture(&self) -> bool {
        let html = self.html.as_deref();
        html.is_some_and(|html| text_of(html).trim().is_empty())
    }

    /// The alternative text of its first picture that has one.
    pub(crate) fn alternative(&self) -> Option<String> {
        let (_, alt) = self.html.as_deref()?.split_once(" alt=\"")?;
        let alt = text_of(alt.split('"').next()?);
        (!alt.trim().is_empty()).then(|| alt.trim().to_owned())
    }

    /// The label where a link or a button already is around it: neither holds another.
    pub(crate) fn without_links(&self) -> Markup {
        match &self.html {
            Some(html) => PreEscaped(renamed(html, |name| matches!(name, "a" | "button"))),
            None => html! { (self.text) },
        }
    }
}

/// A line of third-party Markdown without links, since a link or a button is around it.
pub(crate) fn line_of_others(text: &str) -> Markup {
    if !text.contains(['*', '_', '`', '[', '<', '~', '&', '\\']) {
        return html! { (text) };
    }
    let mut code = |_: &str, code: &str| crate::html::escaped(code);
    let drawn = plain::html(text, Headings::Flat, &mut code, &mut str::to_owned);
    Label::from_html(
        drawn
            .trim()
            .trim_start_matches("<p>")
            .trim_end_matches("</p>"),
    )
    .without_links()
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self { text, html: None }
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Render for Label {
    fn render(&self) -> Markup {
        match &self.html {
            Some(html) => PreEscaped(html.clone()),
            None => html! { (self.text) },
        }
    }
}

/// `html` with the tags of blocks as those of spans, as far as it can stand in a line; its words where it cannot.
fn in_line(html: &str) -> String {
    const BLOCKS: &[&str] = &[
        "article",
        "aside",
        "div",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "li",
        "ol",
        "p",
        "section",
        "ul",
    ];
    const NEVER: &[&str] = &[
        "blockquote",
        "details",
        "dl",
        "form",
        "hr",
        "iframe",
        "pre",
        "table",
    ];
    let has_never = html
        .split('<')
        .skip(1)
        .any(|tag| NEVER.contains(&name_of(tag)));
    if has_never {
        return crate::html::escaped(text_of(html).trim());
    }
    renamed(html, |name| BLOCKS.contains(&name))
        .trim()
        .to_owned()
}

/// The name that a tag begins with, behind its bracket.
fn name_of(tag: &str) -> &str {
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    &tag[..end.unwrap_or(tag.len())]
}

/// Attributes that an element keeps as a span.
const LOOKS: &[&str] = &[" class=\"", " style=\""];

/// `html` with the elements that `is_other` names as spans: they keep their class and style, and lead nowhere.
fn renamed(html: &str, is_other: impl Fn(&str) -> bool) -> String {
    as_spans(html, is_other, LOOKS)
}

/// `html` with the elements that `is_other` names as spans, which keep the attributes that begin with one of `allowed`.
pub(crate) fn as_spans(html: &str, is_other: impl Fn(&str) -> bool, allowed: &[&str]) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (slash, tag) = match rest.strip_prefix('/') {
            Some(tag) => ("/", tag),
            None => ("", rest),
        };
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let name = name_of(tag);
        out.push('<');
        out.push_str(slash);
        if !is_other(name) {
            out.push_str(&tag[..end]);
        } else {
            out.push_str("span");
            // Rendered HTML escapes the quotes in its attributes, so that they end at the next
            // quote.
            for allowed in allowed {
                if let Some(start) = tag[..end].find(allowed) {
                    let length = tag[start + allowed.len()..end].find('"').unwrap_or(0);
                    out.push_str(&tag[start..start + allowed.len() + length + 1]);
                }
            }
            out.push('>');
        }
        rest = &tag[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_parts_of_the_line() {
        let label = Label::from_html("<div class=\"a\" id=\"x\"><p>One <b>two</b></p></div>\n");
        assert_eq!(label.text(), "One two");
        let html = label.render().into_string();
        assert_eq!(html, "<span class=\"a\"><span>One <b>two</b></span></span>");
    }

    #[test]
    fn what_cannot_stand_in_a_line_is_words() {
        let label = Label::from_html("<table><tr><td>1 &lt; 2</td></tr></table>");
        assert_eq!(label.render().into_string(), "1 &lt; 2");
    }

    #[test]
    fn a_line_of_others_is_drawn_and_leads_nowhere() {
        for (text, expected) in [
            ("Plain words, 3 > 2", "Plain words, 3 &gt; 2"),
            ("See [the page](/guide)", "See <span>the page</span>"),
            (
                "`code` and **bold**",
                "<code>code</code> and <strong>bold</strong>",
            ),
            ("<https://x.example>", "<span>https://x.example</span>"),
            ("a <script>b</script> c", "a  c"),
        ] {
            assert_eq!(line_of_others(text).into_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_link_holds_no_link() {
        let label = Label::from_html("<a href=\"/a\">A</a> &amp; <code>b</code>");
        let html = label.without_links().into_string();
        assert_eq!(html, "<span>A</span> &amp; <code>b</code>");
        assert_eq!(
            Label::from("A & b").without_links().into_string(),
            "A &amp; b"
        );
    }
}
