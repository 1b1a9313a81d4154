//! Feeds: what a page with entries of a changelog says in RSS 2.0.

mod date;

use crate::body::page_body;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::page::front_matter;
use crate::search::html::passages;
use base::path::Route;
use theme::html::text_of;
use theme::prose::islands::without_marks;
use theme::words::in_english;

/// Maximum number of entries of a feed: the first of the page.
const MAX_ENTRIES: usize = 15;

/// Markup that the theme opens an `<Update>` with.
const UPDATE: &str = "<section class=\"update\" id=\"";

/// An entry of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEntry {
    /// Title.
    pub title: String,
    /// Anchor on the page.
    pub anchor: String,
    /// When it was published, as RSS writes it; `None`: the author does not say it by a date.
    pub date: Option<String>,
    /// Plain text.
    pub text: String,
}

/// Returns true if a page has a feed: it has an `<Update>`, or `rss: true`; never with `rss:
/// false`.
///
/// Read by the page while it is composed and by links to the feed. Words of the page must not wake these.
#[salsa::tracked(returns(copy))]
pub fn has_feed(db: &dyn Db, file: SourceFile) -> bool {
    let wanted = front_matter(db, file).value.rss;
    wanted.unwrap_or_else(|| page_body(db, file).html.contains(UPDATE))
}

/// The entries of the feed of a page: one for each heading of an `<Update>`, or one for an `<Update>` without headings, or
/// whose `rss` says what stands in the feed; of a page without any, one for each of its headings. Of headings the outermost
/// count.
///
/// Read when the feed is requested. Wakes with the body.
#[salsa::tracked]
pub fn feed_entries(db: &dyn Db, file: SourceFile) -> Vec<FeedEntry> {
    entries(&in_english(&without_marks(&page_body(db, file).html)))
}

/// Path of the feed of the page at `route`.
pub fn feed_path(route: &Route) -> String {
    format!("{}/rss.xml", route.as_str().trim_end_matches('/'))
}

fn entries(html: &str) -> Vec<FeedEntry> {
    let mut entries = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find(UPDATE) {
        let end = at + section_end(&rest[at..]);
        add_update(&rest[at..end], &mut entries);
        rest = &rest[end..];
    }
    if entries.is_empty() {
        add_headings(html, None, &mut entries);
    }
    entries.truncate(MAX_ENTRIES);
    entries
}

/// End of the section that `html` begins with.
fn section_end(html: &str) -> usize {
    let mut depth = 0;
    for (at, _) in html.match_indices('<') {
        if html[at..].starts_with("<section") {
            depth += 1;
        } else if html[at..].starts_with("</section>") {
            depth -= 1;
            if depth == 0 {
                return at + "</section>".len();
            }
        }
    }
    html.len()
}

fn between<'a>(html: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = html.split_once(begin)?;
    Some(rest.split_once(end)?.0)
}

fn add_update(html: &str, entries: &mut Vec<FeedEntry>) {
    let anchor = between(html, UPDATE, "\"").unwrap_or_default();
    let (side, body) = html
        .split_once("<div class=\"update-body\">")
        .unwrap_or((html, ""));
    let label = between(side, "<a class=\"update-label\"", "</a>");
    let label = label.and_then(|label| label.split_once('>'));
    let label = label.map_or_else(String::new, |(_, label)| text_of(label));
    let description = between(side, "<p class=\"update-description\">", "</p>").map(text_of);
    let given = [Some(label.as_str()), description.as_deref()];
    let date = given.into_iter().flatten().find_map(date::of_text);
    // What the author wrote for the feed stands there alone.
    let head = &html[..html.find('>').unwrap_or(html.len())];
    let given = |name: &str| between(head, &format!(" {name}=\""), "\"").map(text_of);
    let own = [given("data-feed-title"), given("data-feed-text")];
    if own.iter().any(Option::is_some) {
        let [title, text] = own;
        entries.push(FeedEntry {
            title: title.unwrap_or(label),
            anchor: text_of(anchor),
            date,
            text: text.unwrap_or_else(|| plain(body)),
        });
        return;
    }
    let known = entries.len();
    add_headings(body, date.as_deref(), entries);
    if entries.len() == known {
        entries.push(FeedEntry {
            title: match description.filter(|text| date::of_text(text).is_none()) {
                Some(description) if date::of_text(&label).is_some() => {
                    format!("{label}: {description}")
                }
                _ => label,
            },
            anchor: text_of(anchor),
            date,
            text: plain(body),
        });
    }
}

/// Adds an entry for each of the outermost headings that can be linked to.
fn add_headings(html: &str, date: Option<&str>, entries: &mut Vec<FeedEntry>) {
    let headings: Vec<(usize, u8)> = (html.match_indices("<h"))
        .filter_map(|(at, _)| {
            let level = *html.as_bytes().get(at + 2)?;
            let tag = &html[at..at + html[at..].find('>')?];
            (level.is_ascii_digit() && tag.contains(" id=\"")).then_some((at, level))
        })
        .collect();
    let Some(outermost) = headings.iter().map(|(_, level)| *level).min() else {
        return;
    };
    let mut starts: Vec<usize> = headings
        .iter()
        .filter(|(_, level)| *level == outermost)
        .map(|(at, _)| *at)
        .collect();
    starts.push(html.len());
    for pair in starts.windows(2) {
        let part = &html[pair[0]..pair[1]];
        let close = format!("</h{}>", char::from(outermost));
        let (heading, text) = part.split_once(&close).unwrap_or((part, ""));
        // The heading by itself, as search reads it: without its permalink.
        let title = passages(&format!("{heading}{close}")).pop();
        let title = title.and_then(|mut passage| passage.headings.pop());
        entries.push(FeedEntry {
            title: title.unwrap_or_default(),
            anchor: between(heading, " id=\"", "\"")
                .map(text_of)
                .unwrap_or_default(),
            date: date.map(str::to_owned),
            text: plain(text),
        });
    }
}

/// Visible text of `html`, with the titles of its passages.
fn plain(html: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for passage in passages(html) {
        lines.extend(passage.headings.last().cloned());
        lines.extend((!passage.body.is_empty()).then_some(passage.body));
    }
    lines.join("\n")
}
