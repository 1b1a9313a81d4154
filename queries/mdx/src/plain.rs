//! Third-party Markdown: the descriptions of a specification. CommonMark with tables, strikethrough
//! and task lists; HTML in it is limited to an allow-list, components mean nothing, and nothing in
//! it can close an element around it.

mod sanitize;
mod svg;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

pub use pulldown_cmark::BlockQuoteKind;
pub use sanitize::Links;
pub use svg::drawing;

use super::autolink::{self, Autolinks};

/// Treatment of headings in a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headings {
    /// The highest of them gets this level, the others follow.
    From(u8),
    /// Paragraphs: in a place where a heading would break the outline of the page.
    Flat,
}

/// Returns true if a link may lead to `href`: a relative address, the web, mail or a telephone,
/// nothing that a browser runs.
pub fn is_safe_link(href: &str) -> bool {
    sanitize::is_safe(href, sanitize::LINK_SCHEMES)
}

/// Treatment of an HTML element in third-party text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Shown as it is.
    Shown,
    /// Only its content is shown.
    Unwrapped,
    /// Left out with all that is in it.
    LeftOut,
}

/// Returns the treatment of the element `name` in third-party text.
pub fn fate(name: &str) -> Fate {
    let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    // A box to tick is all that a description may hold of a form, and Markdown writes it.
    if name.eq_ignore_ascii_case("input") {
        Fate::LeftOut
    } else if is(sanitize::ELEMENTS) {
        Fate::Shown
    } else if is(sanitize::DROPPED) {
        Fate::LeftOut
    } else {
        Fate::Unwrapped
    }
}

/// Returns true if the element `name` keeps `attribute` in third-party text.
pub fn keeps(name: &str, attribute: &str) -> bool {
    sanitize::keeps(name, attribute)
}

/// Parts of a heading that can be linked to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadingName {
    /// The id of its element; none if it is empty.
    pub id: String,
    /// HTML after its text.
    pub link: String,
}

/// Called with the level and the text of each rendered heading; returns how it can be linked to.
pub type Names<'a> = &'a mut dyn FnMut(u8, &str) -> HeadingName;

/// Renderer of the blocks that each output has in a form of its own.
pub trait Blocks {
    /// Renders a block of code from the info string of its fence and its text.
    fn code(&mut self, info: &str, source: &str) -> String;

    /// Renders an alert (`> [!NOTE]`) from its rendered content.
    fn alert(&mut self, kind: BlockQuoteKind, inner: &str) -> String {
        let _ = kind;
        format!("<blockquote>\n{inner}</blockquote>\n")
    }
}

impl<F: FnMut(&str, &str) -> String> Blocks for F {
    fn code(&mut self, info: &str, source: &str) -> String {
        self(info, source)
    }
}

/// Maximum depth of alerts within alerts; those below are quotations.
const MAX_ALERTS: usize = 4;

/// Renders `text`; `link` maps each address as written to its target.
pub fn html(text: &str, headings: Headings, blocks: &mut dyn Blocks, link: Links<'_>) -> String {
    sectioned(text, headings, blocks, link, &mut |_, _| {
        HeadingName::default()
    })
}

/// Renders `text` as [`html()`] does, with headings that `name` makes places to link to.
pub fn sectioned(
    text: &str,
    headings: Headings,
    blocks: &mut dyn Blocks,
    link: Links<'_>,
    name: Names<'_>,
) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let parser = Parser::new_ext(text, options);
    // Links do not nest, and those that are written as HTML are not known here.
    let has_links = memchr::memmem::find(text.as_bytes(), b"<a").is_some()
        || memchr::memmem::find(text.as_bytes(), b"<A").is_some();
    let events: Vec<Event<'_>> = match autolink::may_hold_one(text) && !has_links {
        true => Autolinks::new(parser).collect(),
        false => parser.collect(),
    };
    rendered(events, headings, blocks, link, name, 0)
}

/// Renders `events`, which are within `depth` alerts.
fn rendered(
    events: Vec<Event<'_>>,
    headings: Headings,
    renderer: &mut dyn Blocks,
    link: Links<'_>,
    name: Names<'_>,
    depth: usize,
) -> String {
    let levels = events.iter().filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(*level as u8),
        _ => None,
    });
    let highest = levels.min().unwrap_or(1);
    let mut titles = titles(&events).into_iter();
    let count = events.len();
    let mut sections: Vec<(u8, String)> = Vec::new();
    let mut blocks = Vec::new();
    let mut block: Option<(String, String)> = None;
    let mut out = Vec::with_capacity(count);
    let mut events = events.into_iter();
    while let Some(event) = events.next() {
        match (event, &mut block) {
            (Event::Start(Tag::CodeBlock(kind)), _) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                block = Some((language, String::new()));
            }
            (Event::End(TagEnd::CodeBlock), _) => {
                let (language, source) = block.take().unwrap_or_default();
                out.push(Event::Html(sanitize::placeholder(blocks.len()).into()));
                blocks.push(renderer.code(&language, &source));
            }
            (Event::Start(Tag::BlockQuote(Some(kind))), _) if depth < MAX_ALERTS => {
                // Headings in a box are no part of the page's outline.
                let inner = within_quote(&mut events);
                let inner = rendered(inner, Headings::Flat, renderer, link, name, depth + 1);
                out.push(Event::Html(sanitize::placeholder(blocks.len()).into()));
                blocks.push(renderer.alert(kind, &inner));
            }
            (Event::Start(Tag::BlockQuote(_)), _) => out.push(Event::Start(Tag::BlockQuote(None))),
            (Event::Text(text), Some((_, source))) => source.push_str(&text),
            (Event::Start(Tag::Heading { level, .. }), _) => {
                match shifted(level, highest, headings) {
                    Some(level) => {
                        let begin = sanitize::heading(sections.len());
                        out.push(Event::InlineHtml(begin.into()));
                        sections.push((level, titles.next().unwrap_or_default()));
                    }
                    None => out.extend([Event::Start(Tag::Paragraph), Event::Start(Tag::Strong)]),
                }
            }
            (Event::End(TagEnd::Heading(level)), _) => match shifted(level, highest, headings) {
                Some(level) => {
                    let end = sanitize::heading_end(level, sections.len() - 1);
                    out.push(Event::Html(end.into()));
                }
                None => out.extend([Event::End(TagEnd::Strong), Event::End(TagEnd::Paragraph)]),
            },
            (Event::Html(html), _) => out.push(Event::Html(sanitize::guarded(&html).into())),
            (Event::InlineHtml(html), _) => {
                out.push(Event::InlineHtml(sanitize::guarded(&html).into()));
            }
            (event, _) => out.push(event),
        }
    }
    let mut drawn = String::new();
    html::push_html(&mut drawn, out.into_iter());
    let parts = sanitize::Parts {
        blocks: &blocks,
        sections: &sections,
    };
    sanitize::sanitized(&drawn, parts, link, name)
}

/// Takes the events up to the end of the quotation that has begun, the end included.
fn within_quote<'t>(events: &mut impl Iterator<Item = Event<'t>>) -> Vec<Event<'t>> {
    let mut open = 1;
    let mut inner = Vec::new();
    for event in events {
        match &event {
            Event::Start(Tag::BlockQuote(_)) => open += 1,
            Event::End(TagEnd::BlockQuote(_)) => open -= 1,
            _ => {}
        }
        if open == 0 {
            break;
        }
        inner.push(event);
    }
    inner
}

/// The texts of the headings among `events`.
fn titles(events: &[Event<'_>]) -> Vec<String> {
    let mut titles = Vec::new();
    let mut title: Option<String> = None;
    for event in events {
        match (event, &mut title) {
            (Event::Start(Tag::Heading { .. }), _) => title = Some(String::new()),
            (Event::End(TagEnd::Heading(_)), _) => {
                let title = title.take().unwrap_or_default();
                let words: Vec<&str> = title.split_whitespace().collect();
                titles.push(words.join(" "));
            }
            (Event::Text(text) | Event::Code(text), Some(title)) => title.push_str(text),
            (Event::SoftBreak | Event::HardBreak, Some(title)) => title.push(' '),
            _ => {}
        }
    }
    titles
}

/// Renders a text of one line, such as the description of a page, as the content of a paragraph:
/// emphasis, code and links, whose addresses `link` gives. `None` if there is nothing of them in
/// it, or more than that: then it is text as it is.
pub fn line(text: &str, link: Links<'_>) -> Option<String> {
    let is_kept = |tag: &Tag<'_>| {
        matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }
        )
    };
    let (mut paragraphs, mut kept) = (0, 0);
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Paragraph) => paragraphs += 1,
            Event::Start(tag) if is_kept(&tag) => kept += 1,
            Event::Code(_) => kept += 1,
            Event::Text(_) | Event::SoftBreak | Event::End(_) => {}
            _ => return None,
        }
    }
    if paragraphs != 1 || kept == 0 {
        return None;
    }
    let drawn = html(
        text,
        Headings::Flat,
        &mut |_: &str, _: &str| String::new(),
        link,
    );
    let inner = drawn.trim().strip_prefix("<p>")?.strip_suffix("</p>")?;
    Some(inner.to_owned())
}

/// The level that a heading gets; `None` if it is none.
fn shifted(level: HeadingLevel, highest: u8, headings: Headings) -> Option<u8> {
    let Headings::From(first) = headings else {
        return None;
    };
    Some((level as u8 - highest).saturating_add(first).min(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut code = |language: &str, code: &str| format!("[{language}|{code}]");
        let mut link = |href: &str| href.to_owned();
        let drawn = html(text, Headings::From(2), &mut code, &mut link);
        assert_eq!(drawn.trim(), expected, "{text}");
    }

    #[test]
    fn scripts_go_and_bold_stays() {
        check("a <script>alert(1)</script><b>b</b>", "<p>a <b>b</b></p>");
        check("<script>\nalert('</style>')\n</script>\n\nx", "<p>x</p>");
        check("<style>b{}</style><i>x", "<i>x</i>");
        check("<iframe src=x></iframe>y", "y");
    }

    #[test]
    fn attributes_that_run_or_style_go() {
        check(
            "<a href=\"javascript:alert(1)\" onclick=x style=\"a\" title=t>x</a>",
            "<p><a title=\"t\">x</a></p>",
        );
        check("[x](JaVa\tscript:alert)", "<p>[x](JaVa\tscript:alert)</p>");
        check("[x](<java&#10;script:alert(1)>)", "<p><a>x</a></p>");
        check(
            "![x](data:text/html,y)",
            "<p><img alt=\"x\" loading=\"lazy\"></p>",
        );
    }

    #[test]
    fn alerts_are_blocks_of_their_own() {
        struct Marks;
        impl Blocks for Marks {
            fn code(&mut self, _: &str, source: &str) -> String {
                format!("[{source}]")
            }
            fn alert(&mut self, kind: BlockQuoteKind, inner: &str) -> String {
                format!("({kind:?} {})", inner.trim())
            }
        }
        let render = |text: &str| {
            let mut link = |href: &str| href.to_owned();
            html(text, Headings::From(2), &mut Marks, &mut link)
        };
        for (text, expected) in [
            ("> [!NOTE]\n> a *b*", "(Note <p>a <em>b</em></p>)"),
            (
                "> [!caution]\n> # T\n>\n> <b>x",
                "(Caution <p><strong>T</strong></p>\n<p><b>x</b></p>)",
            ),
            ("> [!TIP]\n> ```\n> c\n> ```", "(Tip [c\n])"),
            ("> [!NOTE]\n> > [!TIP]\n> > a", "(Note (Tip <p>a</p>))"),
            (
                "- > [!WARNING]\n  > a",
                "<ul>\n<li>(Warning <p>a</p>)\n</li>\n</ul>",
            ),
            (
                "> [!OTHER]\n> a",
                "<blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>",
            ),
        ] {
            assert_eq!(render(text).trim(), expected, "{text}");
        }
        let nested: String = (1..=9)
            .map(|n| format!("{}[!NOTE]\n", "> ".repeat(n)))
            .collect();
        assert_eq!(
            render(&format!("{nested}{}x", "> ".repeat(9)))
                .matches("(Note")
                .count(),
            MAX_ALERTS
        );
        let mut code = |_: &str, _: &str| String::new();
        let quoted = html(
            "> [!NOTE]\n> a",
            Headings::Flat,
            &mut code,
            &mut str::to_owned,
        );
        assert_eq!(quoted.trim(), "<blockquote>\n<p>a</p>\n</blockquote>");
    }

    #[test]
    fn bare_addresses_are_links() {
        check(
            "See https://a.example/b. And `https://c.example`.",
            "<p>See <a href=\"https://a.example/b\">https://a.example/b</a>. And <code>https://c.example</code>.</p>",
        );
        check(
            "<a href=\"https://a.example\">https://a.example</a>",
            "<p><a href=\"https://a.example\">https://a.example</a></p>",
        );
    }

    #[test]
    fn nothing_ends_what_stands_around_it() {
        check(
            "</div></section>x<details><b>",
            "x<details><b></b></details>",
        );
        check("<b>\n\nx\n\n</i>\n</b>", "<b>\n<p>x</p>\n\n</b>");
    }

    #[test]
    fn code_is_drawn_by_whoever_asks() {
        check("```json x\n{}\n```", "[json x|{}\n]");
        check(
            "<x-code data-n=0></x-code>\n\n    a",
            "<p>&lt;x-code data-n=0&gt;</p>\n[|a]",
        );
    }

    #[test]
    fn a_line_is_drawn_if_it_is_one() {
        let line = |text| super::line(text, &mut |href| format!("/docs{href}"));
        assert_eq!(
            line("Run `a<b>` in **isolated** [boxes](/x).").as_deref(),
            Some(
                "Run <code>a&lt;b&gt;</code> in <strong>isolated</strong> <a href=\"/docs/x\">boxes</a>."
            )
        );
        // Nothing of Markdown, HTML, a list, a heading, two paragraphs: text as it is.
        for text in [
            "A & b_c_d",
            "Of <b>T</b> and *x*",
            "- a *b*",
            "# *a*",
            "*a*\n\nb",
            "",
            "1. `a`",
            "![a](b)",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
        assert_eq!(
            line("[a](javascript:x) *b*").as_deref(),
            Some("<a>a</a> <em>b</em>")
        );
    }

    #[test]
    fn headings_begin_where_the_page_says() {
        check("# A\n\n### B", "<h2>A</h2>\n<h4>B</h4>");
        let flat = html(
            "# A",
            Headings::Flat,
            &mut |_: &str, _: &str| String::new(),
            &mut |_| String::new(),
        );
        assert_eq!(flat, "<p><strong>A</strong></p>\n");
    }

    #[test]
    fn headings_have_the_names_that_they_are_given() {
        let mut headings = Vec::new();
        let html = sectioned(
            "# A `b`\n*c*\n==\n\n<svg>\n\n## never shown\n\n</svg>\n\n## <b>D\n</x-heading><x-heading data-n=0>\n\n#\n",
            Headings::From(2),
            &mut |_: &str, _: &str| String::new(),
            &mut str::to_owned,
            &mut |level, title| {
                headings.push((level, title.to_owned()));
                HeadingName {
                    id: title.to_lowercase().replace(' ', "\""),
                    link: "<a></a>".to_owned(),
                }
            },
        );
        assert_eq!(
            html,
            "<h2 id=\"a&quot;b\">A <code>b</code><a></a></h2>\n<h2 id=\"c\"><em>c</em><a></a></h2>\n\n<h3 id=\"d\"><b>D<a></a></b></h3>\n<p>&lt;x-heading data-n=0&gt;</p>\n<h2></h2>\n"
        );
        let headings: Vec<_> = headings
            .iter()
            .map(|(level, title)| (*level, title.as_str()))
            .collect();
        assert_eq!(headings, [(2, "A b"), (2, "c"), (3, "D")]);
    }

    #[test]
    fn tables_and_tasks() {
        check(
            "|a|\n|-:|\n|b|",
            "<div class=\"table-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table><thead><tr><th align=\"right\">a</th></tr></thead><tbody>\n<tr><td align=\"right\">b</td></tr>\n</tbody></table></div>",
        );
        check(
            "- [x] a",
            "<ul>\n<li><input type=\"checkbox\" disabled aria-label=\"Task\" checked>\na</li>\n</ul>",
        );
    }
}
