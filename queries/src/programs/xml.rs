//! `sitemap.xml` and the feeds of pages.

use super::at;
use crate::alternates::{Alternate, page_alternates};
use crate::config::theme_config;
use crate::db::Db;
use crate::feed::{feed_entries, feed_path, has_feed};
use crate::head::modified_of;
use crate::inputs::Site;
use crate::navigation::PageId;
use crate::outputs::route_table;
use crate::page::{front_matter_of, route_of, title_of};
use crate::search::is_listed_for_robots;
use base::path::encode_path;

/// Entry of a page in the site map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteMapEntry {
    /// Address of the page below the root of the host.
    pub href: String,
    /// When it was last changed, as far as its author or its history says so.
    pub modified: Option<String>,
    /// The page in all of its languages.
    pub alternates: Vec<Alternate>,
}

/// What the site map says of a page; `None` if it does not name it: it is hidden, robots are asked to leave it alone, or it
/// leads elsewhere.
///
/// Read when the site map is composed. Words of the page wake it as they wake its frontmatter, and it is equal to before.
#[salsa::tracked]
pub fn site_map_entry(db: &dyn Db, page: PageId) -> Option<SiteMapEntry> {
    if !is_listed_for_robots(db, page) {
        return None;
    }
    let front_matter = front_matter_of(db, page);
    if front_matter.url.is_some() {
        return None;
    }
    Some(SiteMapEntry {
        href: crate::head::page_href(db, page),
        modified: modified_of(db, page, &front_matter),
        alternates: page_alternates(db, page).clone(),
    })
}

/// The pages that robots may list, in the order of their addresses (sitemaps.org, and the extension of Google for
/// languages).
pub(super) fn site_map(db: &dyn Db, site: Site, base: &str) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
                    xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
        .to_owned();
    for page in route_table(db, site).pages.values() {
        let Some(entry) = site_map_entry(db, *page) else {
            continue;
        };
        let whole = |href: &str| escaped(&format!("{base}{href}"));
        text.push_str(&format!("  <url>\n    <loc>{}</loc>\n", whole(&entry.href)));
        if let Some(modified) = &entry.modified {
            text.push_str(&format!("    <lastmod>{}</lastmod>\n", escaped(modified)));
        }
        let default = entry
            .alternates
            .iter()
            .find(|alternate| alternate.is_default);
        let default = default.map(|alternate| ("x-default", alternate));
        let all = entry.alternates.iter();
        let all = all.map(|alternate| (alternate.language.as_str(), alternate));
        for (language, alternate) in all.chain(default) {
            text.push_str(&format!(
                "    <xhtml:link rel=\"alternate\" hreflang=\"{}\" href=\"{}\"/>\n",
                escaped(language),
                whole(&alternate.href)
            ));
        }
        text.push_str("  </url>\n");
    }
    text.push_str("</urlset>\n");
    text
}

/// The feed of a page; `None` if it has none.
pub(super) fn feed(db: &dyn Db, site: Site, page: PageId, base: &str) -> Option<String> {
    let file = page.file().filter(|file| has_feed(db, *file))?;
    let route = route_of(db, page);
    let own = at(db, site, base, &route.href());
    let address = at(db, site, base, &encode_path(&feed_path(&route)));
    let theme = theme_config(db, site);
    let title = format!("{} - {}", title_of(db, page), theme.name);
    let front_matter = front_matter_of(db, page);
    let description = front_matter
        .description
        .as_ref()
        .or(theme.description.as_ref());
    let description = description.unwrap_or(&title);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\n<channel>\n  \
         <title>{}</title>\n  <link>{}</link>\n  <description>{}</description>\n  \
         <atom:link href=\"{}\" rel=\"self\" type=\"application/rss+xml\"/>\n",
        escaped(&title),
        escaped(&own),
        escaped(description),
        escaped(&address),
    );
    for entry in feed_entries(db, file) {
        let link = escaped(&format!("{own}#{}", encode_path(&entry.anchor)));
        text.push_str(&format!(
            "  <item>\n    <title>{}</title>\n    <link>{link}</link>\n    <guid isPermaLink=\"true\">{link}</guid>\n",
            escaped(&entry.title),
        ));
        if let Some(date) = &entry.date {
            text.push_str(&format!("    <pubDate>{date}</pubDate>\n"));
        }
        text.push_str(&format!(
            "    <description>{}</description>\n  </item>\n",
            escaped(&entry.text)
        ));
    }
    text.push_str("</channel>\n</rss>\n");
    Some(text)
}

/// `text` as XML has it (XML 1.0, 2.2): some characters may not be in it at all.
fn escaped(text: &str) -> String {
    let is_char = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let plain: String = text.chars().filter(is_char).collect();
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
