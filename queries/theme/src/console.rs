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
    /// Number of its pages, if it is loaded.
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

/// Changes of a preview.
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
    /// Number of unchanged pages.
    pub same: usize,
    /// Diagnostics of the preview that the site does not have: place and message.
    pub introduced: Vec<(String, String)>,
    /// Number of diagnostics of the site that the preview no longer has.
    pub mended: usize,
}

/// Feedback on a page.
#[derive(Clone, Debug, Default)]
pub struct PageFeedback {
    /// Id of the site.
    pub site: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Subject.
    pub kind: &'static str,
    /// Path of the page; empty for the site as a whole.
    pub path: String,
    /// Whether it helped.
    pub helpful: Option<bool>,
    /// Text as written by the reader.
    pub text: String,
}

/// Renders the list of feedback.
pub fn feedback(entries: &[PageFeedback]) -> String {
    let body = html! {
        header.console-header { h1 { "Feedback" } }
        @if entries.is_empty() {
            p.console-empty { "Nobody has said anything yet." }
        } @else {
            table {
                thead { tr { th { "When" } th { "Site" } th { "About" } th { "Page" } th { "Helpful" } th { "Text" } } }
                tbody {
                    @for one in entries {
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

/// A day of the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountedDay {
    /// Days since 1970 (UTC).
    pub number: u64,
    /// Number of page views.
    pub views: u64,
    /// Number of searches.
    pub searches: u64,
    /// Number of searches without results.
    pub without_result: u64,
}

/// The counts of a site.
#[derive(Clone, Debug, Default)]
pub struct CountedSite {
    /// Id of the site.
    pub site: String,
    /// Days in their order.
    pub days: Vec<CountedDay>,
    /// Routes of pages with how often they were read, the most first.
    pub pages: Vec<(String, u64)>,
    /// Queries without results, with their numbers of searches, the most frequent first.
    pub queries: Vec<(String, u64)>,
}

/// Renders page views and searches.
pub fn analytics(sites: &[CountedSite]) -> String {
    let days = sites.iter().map(|site| site.days.len()).max().unwrap_or(0);
    let body = html! {
        header.console-header {
            h1 { "Readers" }
            p { "The last " (count(days, "day")) ", counted without cookies and without anything about who reads. Days are those of UTC." }
        }
        @for site in sites { (counted_site(site)) }
    };
    document("Readers", &body)
}

fn counted_site(site: &CountedSite) -> Markup {
    let sum = |of: fn(&CountedDay) -> u64| site.days.iter().map(of).sum::<u64>();
    let (views, searches) = (sum(|day| day.views), sum(|day| day.searches));
    let without_result = sum(|day| day.without_result);
    html! {
        section.console-counted {
            h2 { (site.site) }
            dl.console-sums {
                div { dt { "Page views" } dd { (views) } }
                div { dt { "Searches" } dd { (searches) } }
                div { dt { "Without a result" } dd { (without_result) } }
            }
            div.console-charts {
                (chart("Page views by day", &site.days, |day| day.views, |_| 0))
                (chart("Searches by day (strong: without a result)", &site.days, |day| day.searches, |day| day.without_result))
            }
            div.console-lists {
                (counted_list("Pages", "Page", "Views", &site.pages, "No page was read yet."))
                (counted_list("Searches without a result", "Searched for", "Times", &site.queries, "Every search found something."))
            }
            details.console-days {
                summary { "The numbers of each day" }
                table {
                    thead { tr { th scope="col" { "Day" } th scope="col" { "Views" } th scope="col" { "Searches" } th scope="col" { "Without a result" } } }
                    tbody {
                        @for day in site.days.iter().rev() {
                            tr { td { (date(day.number)) } td { (day.views) } td { (day.searches) } td { (day.without_result) } }
                        }
                    }
                }
            }
        }
    }
}

/// Bars for a number of each day, and within them for a part of it. The numbers themselves are in the table below.
fn chart(
    title: &str,
    days: &[CountedDay],
    whole: fn(&CountedDay) -> u64,
    part: fn(&CountedDay) -> u64,
) -> Markup {
    const HEIGHT: u64 = 80;
    let most = days.iter().map(whole).max().unwrap_or(0);
    let height = |number: u64| match number {
        0 => 0,
        // What is there is seen.
        number => (number * HEIGHT).div_ceil(most).max(1),
    };
    let busiest = days.iter().find(|day| most > 0 && whole(day) == most);
    let summary = match busiest {
        Some(day) => format!("{title}: at most {most}, on {}", date(day.number)),
        None => format!("{title}: none"),
    };
    let (first, last) = (days.first(), days.last());
    html! {
        figure.console-chart {
            figcaption { (title) span { (most) } }
            svg viewBox={ "0 0 " (days.len() * 10) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(summary) {
                @for (i, day) in days.iter().enumerate() {
                    @for (class, height) in [("console-bar", height(whole(day))), ("console-bar-part", height(part(day)))] {
                        @if height > 0 {
                            rect class=(class) x=(i * 10 + 1) y=(HEIGHT - height) width="8" height=(height) {
                                title { (date(day.number)) ": " (whole(day)) }
                            }
                        }
                    }
                }
            }
            p.console-span aria-hidden="true" {
                @for day in first.into_iter().chain(last) { span { (date(day.number)) } }
            }
        }
    }
}

fn counted_list(
    title: &str,
    what: &str,
    number: &str,
    rows: &[(String, u64)],
    nothing: &str,
) -> Markup {
    html! {
        section {
            h3 { (title) }
            @if rows.is_empty() {
                p.console-empty { (nothing) }
            } @else {
                table {
                    thead { tr { th scope="col" { (what) } th scope="col" { (number) } } }
                    tbody { @for (name, count) in rows { tr { td { (name) } td { (count) } } } }
                }
            }
        }
    }
}

/// A moment in seconds since 1970 as a date and a time, UTC.
pub fn moment(at: u64) -> String {
    let seconds = at % 86_400;
    let (hour, minute) = (seconds / 3600, seconds % 3600 / 60);
    format!("{} {hour:02}:{minute:02}", date(at / 86_400))
}

/// Formats a date, given as the number of days since 1970-01-01.
pub fn date(days: u64) -> String {
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
    format!("{}-{month:02}-{date:02}", era * 400 + year)
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
    fn bars_are_as_high_as_their_numbers_and_texts_are_escaped() {
        let day = |number, views| CountedDay {
            number,
            views,
            ..CountedDay::default()
        };
        let html = analytics(&[CountedSite {
            site: "docs".into(),
            days: vec![day(0, 1), day(1, 0), day(2, 400), day(3, 200)],
            pages: vec![("/a".into(), 601)],
            queries: vec![("<b>".into(), 2)],
        }]);
        let heights: Vec<&str> = (html.split(" height=\"").skip(1))
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        assert_eq!(heights, ["1", "80", "40"]);
        assert!(html.contains("at most 400, on 1970-01-03"), "{html}");
        assert!(html.contains("<td>&lt;b&gt;</td><td>2</td>"), "{html}");
        assert!(html.contains("<td>/a</td><td>601</td>"), "{html}");
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
