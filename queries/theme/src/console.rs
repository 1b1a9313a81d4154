//! Pages of the server itself: the list of its sites, and what a preview changes. They stand outside of every site.

use maud::{DOCTYPE, Markup, html};

use crate::assets;

/// A site in the list of sites.
#[derive(Clone, Debug, Default)]
pub struct SiteEntry {
    /// Id.
    pub id: String,
    /// Name, if it is in memory.
    pub name: Option<String>,
    /// How many pages it has, if it is in memory.
    pub pages: Option<usize>,
    /// The labels of its open previews.
    pub previews: Vec<String>,
    /// Why it cannot be read.
    pub failure: Option<String>,
    /// Errors found in it.
    pub errors: usize,
    /// Warnings about it.
    pub warnings: usize,
}

/// What a preview changes.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// The branch, tag or commit.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// The id of the site.
    pub site: String,
    /// The address of the site itself, without a path.
    pub before: String,
    /// Pages that only the preview has: route and title.
    pub added: Vec<(String, String)>,
    /// Pages that say something else.
    pub changed: Vec<(String, String)>,
    /// Pages that only the site has.
    pub removed: Vec<(String, String)>,
    /// How many pages say the same.
    pub same: usize,
    /// What is wrong in the preview and not in the site: place and message.
    pub introduced: Vec<(String, String)>,
    /// How much is wrong in the site and no longer in the preview.
    pub mended: usize,
}

/// Something that was said of a page.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Id of the site.
    pub site: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// What it is about.
    pub kind: &'static str,
    /// Path of the page; empty for the site as a whole.
    pub path: String,
    /// Whether it helped.
    pub helpful: Option<bool>,
    /// In their own words.
    pub text: String,
}

/// The list of what readers said.
pub fn feedback(said: &[Said]) -> String {
    let body = html! {
        header.console-header { h1 { "Feedback" } }
        @if said.is_empty() {
            p.console-empty { "Nobody has said anything yet." }
        } @else {
            table {
                thead { tr { th { "When" } th { "Site" } th { "About" } th { "Page" } th { "Helpful" } th { "Text" } } }
                tbody {
                    @for one in said {
                        tr {
                            td { (moment(one.at)) }
                            td { (one.site) }
                            td { (one.kind) }
                            td { code { (one.path) } }
                            td { @match one.helpful { Some(true) => "yes", Some(false) => "no", None => "" } }
                            td { (one.text) }
                        }
                    }
                }
            }
        }
    };
    document("Feedback", &body)
}

/// A moment in seconds since 1970 as a date and a time, UTC.
fn moment(at: u64) -> String {
    let (days, seconds) = (at / 86_400, at % 86_400);
    // Years begin in March here, so that the day that some have more is the last.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, year) = match month {
        0..=9 => (month + 3, year),
        _ => (month - 9, year + 1),
    };
    format!(
        "{}-{month:02}-{date:02} {:02}:{:02}",
        era * 400 + year,
        seconds / 3600,
        seconds % 3600 / 60
    )
}

/// The list of sites.
pub fn front(sites: &[SiteEntry]) -> String {
    let body = html! {
        header.console-header {
            h1 { "Sites" }
            p { "Each is at its own host of this machine." }
        }
        @if sites.is_empty() {
            p.console-empty { "No site is configured." }
        }
        ul.console-sites {
            @for site in sites {
                li.console-site {
                    // The port is that of this page; a script-less page cannot know it, so the address has none of its own.
                    a.console-name href={ "//" (site.id) ".localhost" } data-site=(site.id) { (site.name.as_deref().unwrap_or(&site.id)) }
                    @if site.name.as_ref().is_some_and(|name| *name != site.id) {
                        span.console-id { (site.id) }
                    }
                    p.console-facts { (facts(site)) }
                    @if let Some(failure) = &site.failure {
                        p.console-failure { (sentence(failure)) }
                    }
                    @if !site.previews.is_empty() {
                        ul.console-previews aria-label="Previews" {
                            @for label in &site.previews {
                                li {
                                    a href={ "//" (label) "--" (site.id) ".localhost" } data-site={ (label) "--" (site.id) } { (label) }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    document("Sites", &body)
}

fn facts(site: &SiteEntry) -> String {
    let Some(pages) = site.pages else {
        return match site.failure {
            Some(_) => "cannot be read".to_owned(),
            None => "not in memory; it comes with the first visit".to_owned(),
        };
    };
    let mut facts = vec![count(pages, "page")];
    if site.errors > 0 {
        facts.push(count(site.errors, "error"));
    }
    if site.warnings > 0 {
        facts.push(count(site.warnings, "warning"));
    }
    facts.join(" · ")
}

fn count(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// The page that shows what a preview changes.
pub fn difference(view: &Difference) -> String {
    let short = view.commit.get(..12).unwrap_or(&view.commit);
    let is_same = view.added.is_empty() && view.changed.is_empty() && view.removed.is_empty();
    let body = html! {
        header.console-header {
            p.console-eyebrow { (view.site) " · preview" }
            h1 { (view.name) }
            p {
                code { (short) } " · "
                (count(view.changed.len(), "changed page")) " · "
                (count(view.added.len(), "new page")) " · "
                (count(view.removed.len(), "removed page")) " · "
                (view.same) " the same"
            }
            p { a.button href="/" { "Open the preview" } }
        }
        @if is_same {
            p.console-empty { "Every page says what it says on the site." }
        }
        @if !view.introduced.is_empty() {
            section.console-problems {
                h2 { (count(view.introduced.len(), "new problem")) }
                ul {
                    @for (place, message) in &view.introduced {
                        li { code { (place) } " " (sentence(message)) }
                    }
                }
            }
        }
        @if view.mended > 0 {
            p.console-mended { (count(view.mended, "problem")) " of the site mended." }
        }
        @if !view.changed.is_empty() {
            section {
                h2 { "Changed" }
                @for (route, title) in &view.changed {
                    (page(route, title, Some(&view.before), true))
                }
            }
        }
        @if !view.added.is_empty() {
            section {
                h2 { "New" }
                @for (route, title) in &view.added {
                    (page(route, title, None, true))
                }
            }
        }
        @if !view.removed.is_empty() {
            section {
                h2 { "Removed" }
                @for (route, title) in &view.removed {
                    (page(route, title, Some(&view.before), false))
                }
            }
        }
    };
    document(&format!("{} · {}", view.name, view.site), &body)
}

/// A page before and after. The frames load when the row is opened.
fn page(route: &str, title: &str, before: Option<&str>, has_after: bool) -> Markup {
    html! {
        details.console-page {
            summary { span.console-title { (title) } code { (route) } }
            div.console-pair {
                @if let Some(before) = before {
                    figure {
                        figcaption { "Before " a href={ (before) (route) } { "open" } }
                        iframe loading="lazy" title={ "Before: " (title) } src={ (before) (route) } {}
                    }
                }
                @if has_after {
                    figure {
                        figcaption { "After " a href=(route) { "open" } }
                        iframe loading="lazy" title={ "After: " (title) } src=(route) {}
                    }
                }
            }
        }
    }
}

/// `text` with what stands between backticks as code.
fn sentence(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                link rel="stylesheet" href=(assets::asset_url("quire.css"));
                link rel="stylesheet" href=(assets::asset_url("console.css"));
                script defer src=(assets::asset_url("console.js")) {}
            }
            body.console { main.console-main { (body) } }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_repositories_are_escaped() {
        let html = difference(&Difference {
            name: "<script>".into(),
            changed: vec![("/a".into(), "<b>".into())],
            ..Difference::default()
        });
        assert!(
            !html.contains("<script>") && !html.contains("<b>"),
            "{html}"
        );
    }

    #[test]
    fn moments_are_dates() {
        for (at, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_795_418_040, "2026-11-23 07:14"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(moment(at), expected);
        }
    }
}
