//! Sidebar as a page shows it: whole, or the branch of the page.
//!
//! A section can have a thousand links, and each of its pages would hold them all. Beyond
//! [`Sidebar::is_large`] a page holds its own branch, with a link for each list that is left out,
//! and a script that is the same for the whole section puts the rest in place before the first
//! paint. Without JavaScript the branch is what there is: every page can be reached by it.

use super::{Links, MANY, Mark, Piece, Position, Sidebar, item_of};
use crate::words::{self, Word};

const OPEN: &str = r#"<nav class="sidebar" id="quire-navigation" aria-label=""#;
const OPENED: &str = r#"" data-live="sidebar" tabindex="-1""#;
const SCROLL: &str =
    r#"<div class="sidebar-body" id="sidebar"><div class="sidebar-scroll" id="sidebar-content">"#;
const CLOSE: &str = r##"</div></div></nav><a class="drawer-backdrop" href="#quire-content" tabindex="-1" aria-hidden="true" data-drawer-close></a>"##;
const BARE: &str = r##"</nav><a class="drawer-backdrop" href="#quire-content" tabindex="-1" aria-hidden="true" data-drawer-close></a>"##;

/// Number of bytes of HTML from which a script completes it. Compressed it is a tenth of that,
/// which is not worth another request.
const LARGE: usize = 16 << 10;

/// Function that completes a sidebar; it is in the same file as the HTML that it inserts. It runs
/// while the page is parsed.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/js/sidebar.js"));

impl Sidebar {
    /// Returns true if pages contain only their branch of it.
    pub fn is_large(&self) -> bool {
        self.length > LARGE
    }
}

/// The sidebar as the page at `href` shows it, or as no page does, in pieces: it is most of many pages, and copied once,
/// into the page. `drawer` stands above it on narrow screens.
pub fn sidebar_for<'a>(sidebar: &'a Sidebar, href: Option<&str>, drawer: &'a str) -> Vec<&'a str> {
    let mut parts = vec![
        OPEN,
        Word::Documentation.marker(),
        OPENED,
        ">",
        drawer,
        SCROLL,
    ];
    entries(sidebar, &marks_for(sidebar, href), false, &mut parts);
    parts.push(CLOSE);
    parts
}

/// The branch of the sidebar with the page at `href`, and the script at `address` that knows the
/// rest.
pub fn sidebar_part<'a>(
    sidebar: &'a Sidebar,
    href: Option<&str>,
    address: &'a str,
    drawer: &'a str,
) -> Vec<&'a str> {
    let mut parts = vec![
        OPEN,
        Word::Documentation.marker(),
        OPENED,
        " data-whole=\"",
        address,
        "\">",
        drawer,
        SCROLL,
    ];
    entries(sidebar, &marks_for(sidebar, href), true, &mut parts);
    parts.extend([CLOSE, "<script src=\"", address, "\"></script>"]);
    parts
}

/// Returns the replacement of the sidebar on a page without one: the drawer of narrow screens.
pub fn bare(drawer: &str) -> Vec<&str> {
    match drawer {
        "" => Vec::new(),
        drawer => vec![
            OPEN,
            Word::Documentation.marker(),
            OPENED,
            " data-bare>",
            drawer,
            BARE,
        ],
    }
}

/// The script at `address`, which puts all of the sidebar in place of a branch, in the words of `language`.
pub fn whole_script(sidebar: &Sidebar, address: &str, language: &str) -> String {
    let mut parts = Vec::new();
    entries(sidebar, &[], false, &mut parts);
    let json = |text: &str| serde_json::to_string(text).expect("texts are JSON");
    // A line separator is a line break to old readers of JavaScript, and none in JSON.
    let html = json(&words::fill(&parts.concat(), language)).replace('\u{2028}', "\\u2028");
    let html = html.replace('\u{2029}', "\\u2029");
    let function = SCRIPT.trim_end().trim_end_matches(';');
    format!("({function})({}, {html});\n", json(address))
}

/// Writes what the sidebar lists, then the icons of that; with `is_branch`, without the lists that do not hold the page.
fn entries<'a>(
    sidebar: &'a Sidebar,
    marks: &[(Position, Mark)],
    is_branch: bool,
    parts: &mut Vec<&'a str>,
) {
    let mut used = vec![false; sidebar.icons.len()];
    let mut left_out: Option<Position> = None;
    let mut marks = marks.iter().peekable();
    let mut own_uses = sidebar.uses.iter().peekable();
    let mut lists = sidebar.lists.iter().peekable();
    let currents: Vec<Position> = (marks.clone())
        .filter(|(_, mark)| *mark == Mark::Current)
        .map(|(at, _)| *at)
        .collect();
    let holds_page = |start: Position, end: Position| {
        let from = currents.partition_point(|at| *at < start);
        currents.get(from).is_some_and(|at| *at < end)
    };
    for (number, piece) in sidebar.pieces.iter().enumerate() {
        let mut from = 0;
        let end_of = |end: Position, from: &mut usize| match end.0 == number {
            true => {
                *from = end.1;
                None
            }
            false => Some(end),
        };
        if let Some(end) = left_out {
            left_out = end_of(end, &mut from);
        }
        let html = match piece {
            Piece::Own(html) => html,
            Piece::Links { links, icons, .. } => {
                if left_out.is_some() {
                    continue;
                }
                let is_here = holds_page((number, 0), (number + 1, 0));
                match is_branch && links.count >= MANY && !is_here {
                    true => parts.push(&links.rest),
                    false => {
                        let marks =
                            std::iter::from_fn(|| marks.next_if(|((at, _), _)| *at <= number));
                        let marks = marks.filter(|((at, _), _)| *at == number);
                        let marks = marks.map(|((_, at), mark)| (*at, mark.text()));
                        write_list(sidebar, (links, icons), marks, &mut used, parts);
                    }
                }
                continue;
            }
        };
        loop {
            // What comes next: a mark, an icon, the beginning of a list.
            let mark = marks.peek().map(|(at, _)| *at);
            let icon = own_uses.peek().map(|(at, _)| *at);
            let list = lists.peek().map(|list| list.start);
            let next = [mark, icon, list].into_iter().flatten().min();
            let Some(next) = next.filter(|(piece, _)| *piece <= number) else {
                break;
            };
            let is_shown = left_out.is_none() && next >= (number, from);
            if mark == Some(next) {
                let text = marks.next().map_or("", |(_, mark)| mark.text());
                if is_shown {
                    parts.extend([&html[from..next.1], text]);
                    from = next.1;
                }
            } else if icon == Some(next) {
                if let Some((_, icon)) = own_uses.next().filter(|_| is_shown) {
                    used[*icon] = true;
                }
            } else if let Some(list) = lists.next().filter(|_| is_shown && is_branch)
                && !holds_page(list.heading, list.end)
            {
                parts.extend([&html[from..next.1], &list.rest]);
                left_out = end_of(list.end, &mut from);
            }
        }
        if left_out.is_none() {
            parts.push(&html[from..]);
        }
    }
    if used.contains(&true) {
        parts.push(r#"<svg class="icon-table" aria-hidden="true">"#);
        let icons = sidebar.icons.iter().zip(used).filter(|(_, used)| *used);
        parts.extend(icons.map(|((_, symbol), _)| symbol.as_str()));
        parts.push("</svg>");
    }
}

/// Writes a list of links, with the numbers that its icons have in the sidebar.
fn write_list<'a>(
    sidebar: &'a Sidebar,
    (links, icons): (&'a Links, &[usize]),
    marks: impl Iterator<Item = (usize, &'static str)>,
    used: &mut [bool],
    parts: &mut Vec<&'a str>,
) {
    let mut marks = marks.peekable();
    let mut uses = links.uses.iter().peekable();
    let mut from = 0;
    loop {
        let mark = marks.peek().map(|(at, _)| *at);
        let icon = uses.peek().map(|(at, _)| *at);
        let Some(at) = [mark, icon].into_iter().flatten().min() else {
            break;
        };
        parts.push(&links.html[from..at]);
        from = at;
        if mark == Some(at) {
            parts.extend(marks.next().map(|(_, text)| text));
        } else if let Some(icon) = uses.next().and_then(|(_, icon)| icons.get(*icon)) {
            used[*icon] = true;
            parts.push(&sidebar.icons[*icon].0);
        }
    }
    parts.push(&links.html[from..]);
}

/// Returns the marks on the page at `href` with their positions, in order.
fn marks_for(sidebar: &Sidebar, href: Option<&str>) -> Vec<(Position, Mark)> {
    let Some(href) = href else {
        return Vec::new();
    };
    let mut marks = sidebar.marks.get(href).cloned().unwrap_or_default();
    for (number, piece) in sidebar.pieces.iter().enumerate() {
        let Piece::Links {
            links, open_groups, ..
        } = piece
        else {
            continue;
        };
        for at in links.marks_of(href) {
            marks.push(((number, at), Mark::Current));
            marks.push((item_of((number, at)), Mark::Active));
            marks.extend(open_groups);
        }
    }
    marks.sort();
    marks.dedup();
    marks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::sidebar::{SidebarEntry, SidebarGroup, SidebarLink, SidebarView, links, sidebar};

    const SCRIPT_AT: &str = "/_sidebar/0.ab.js";

    fn link(href: &str, icon: Option<&str>) -> SidebarLink {
        SidebarLink {
            label: format!("To {href}"),
            href: href.into(),
            icon: icon.map(str::to_owned),
            ..SidebarLink::default()
        }
    }

    fn run(name: &str, count: usize) -> SidebarEntry {
        let views =
            (0..count).map(|i| link(&format!("/{name}/{i}"), (i % 7 == 0).then_some("bolt")));
        SidebarEntry::Links(Arc::new(links(&views.collect::<Vec<_>>())))
    }

    fn group(label: &str, root: Option<&str>, entries: Vec<SidebarEntry>) -> SidebarEntry {
        SidebarEntry::Group(SidebarGroup {
            label: label.into(),
            root: root.map(str::to_owned),
            icon: Some("users".into()),
            entries,
            ..SidebarGroup::default()
        })
    }

    /// Two groups; in the first, one that leads to a page, and runs of many links; in the second, groups within groups.
    fn example() -> Sidebar {
        let inner = group("Inner", Some("/inner"), vec![run("inner", 5)]);
        let deepest = group("Deepest", None, vec![run("deepest", 2)]);
        let deep = group(
            "Deep",
            None,
            vec![SidebarEntry::Link(link("/deep", None)), deepest],
        );
        let outside = SidebarLink {
            external: true,
            ..link("https://x.example", None)
        };
        sidebar(&SidebarView {
            entries: vec![
                SidebarEntry::Link(link("/", None)),
                group(
                    "A",
                    None,
                    vec![
                        run("a", 64),
                        run("b", 64),
                        inner,
                        SidebarEntry::Link(outside),
                    ],
                ),
                group("B", None, vec![deep, run("c", 3)]),
            ],
            ..SidebarView::default()
        })
    }

    fn part(href: &str) -> String {
        sidebar_part(&example(), Some(href), SCRIPT_AT, "").concat()
    }

    fn hrefs(html: &str) -> BTreeSet<String> {
        let pieces = html.split("href=\"").skip(1);
        let hrefs = pieces.filter_map(|piece| Some(piece.split_once('"')?.0.to_owned()));
        hrefs.filter(|href| href.starts_with('/')).collect()
    }

    #[test]
    fn a_branch_holds_the_list_of_its_page_and_counts_the_others() {
        let html = part("/b/3");
        assert!(html.contains(r#"<a aria-current="page" class="sidebar-link" href="/b/3">"#));
        assert!(
            html.contains("href=\"/b/63\"") && !html.contains("href=\"/a/1\""),
            "{html}"
        );
        for (first, count) in [("/a/0", 64), ("/inner/0", 5), ("/deep", 6)] {
            let rest = format!(
                r#"<li><a class="sidebar-link sidebar-more" href="{first}">+{count}</a></li>"#
            );
            assert!(html.contains(&rest), "{rest} in {html}");
        }
    }

    #[test]
    fn a_long_list_is_held_by_parts_and_a_group_without_the_page_is_a_link() {
        let long = |name: &str, count: usize| {
            let links = (0..count).map(|i| SidebarEntry::Link(link(&format!("/{name}/{i}"), None)));
            group(name, None, links.collect())
        };
        let view = SidebarView {
            entries: vec![group("API", None, vec![long("a", 70), long("b", 31)])],
            ..SidebarView::default()
        };
        let sidebar = sidebar(&view);
        let part = |href: &str| sidebar_part(&sidebar, Some(href), SCRIPT_AT, "").concat();
        let html = part("/a/20");
        let more = |first: &str, words: &str| {
            format!(r#"<a class="sidebar-link sidebar-more" href="{first}">{words}</a>"#)
        };
        for (first, words) in [
            ("/a/0", "+16"),
            ("/a/32", "+16"),
            ("/a/48", "+16"),
            ("/a/64", "+6"),
            ("/b/0", "b +31"),
        ] {
            assert!(html.contains(&more(first, words)), "{first} in {html}");
        }
        assert_eq!(hrefs(&html).len(), 16 + 5);
        assert!(html.contains(r#"<a aria-current="page" class="sidebar-link" href="/a/20">"#));
        assert_eq!(html.matches("<details open").count(), 1);
        let html = part("/b/3");
        assert!(html.contains(&more("/a/0", "a +70")), "{html}");
        assert_eq!(hrefs(&html).len(), 31 + 1);
        assert_eq!(html.matches("<li").count(), html.matches("</li>").count());
        let mut seen = BTreeSet::new();
        let mut waiting = vec!["/b/3".to_owned()];
        while let Some(href) = waiting.pop() {
            let found = hrefs(&part(&href)).into_iter();
            waiting.extend(found.filter(|href| seen.insert(href.clone())));
        }
        assert_eq!(seen.len(), 70 + 31);
    }

    #[test]
    fn the_page_of_a_group_shows_its_list() {
        let html = part("/inner");
        assert!(html.contains("href=\"/inner/4\""), "{html}");
        assert_eq!(html.matches("<details open").count(), 1);
    }

    #[test]
    fn every_page_is_reached_by_branches_alone() {
        let whole = hrefs(&sidebar_for(&example(), None, "").concat());
        assert_eq!(whole.len(), 1 + 128 + 1 + 5 + 1 + 2 + 3);
        for start in ["/", "/c/2", "/nowhere"] {
            let mut seen = BTreeSet::new();
            let mut waiting = vec![start.to_owned()];
            while let Some(href) = waiting.pop() {
                let found = hrefs(&part(&href)).into_iter();
                waiting.extend(found.filter(|href| seen.insert(href.clone())));
            }
            assert!(whole.is_subset(&seen), "{start}");
        }
    }

    #[test]
    fn a_branch_has_the_icons_that_it_uses_and_no_others() {
        for href in ["/a/0", "/deep", "/inner/2", "/nowhere"] {
            for html in [part(href), sidebar_for(&example(), Some(href), "").concat()] {
                let ids = |before: &str| -> BTreeSet<String> {
                    let pieces = html.split(before).skip(1);
                    pieces
                        .map(|piece| piece.split('"').next().unwrap_or("").to_owned())
                        .collect()
                };
                assert_eq!(
                    ids("href=\"#quire-icon-"),
                    ids("<symbol id=\"quire-icon-"),
                    "{href}"
                );
            }
        }
    }

    #[test]
    fn the_script_holds_all_of_it_as_one_text() {
        let script = whole_script(&example(), SCRIPT_AT, "en");
        let start = script.rfind("})(").expect("it is called") + 3;
        let arguments = format!("[{}]", script[start..].trim_end().trim_end_matches(");"));
        let [address, html]: [String; 2] = serde_json::from_str(&arguments).unwrap();
        assert_eq!(address, SCRIPT_AT);
        assert_eq!(
            format!(
                "{OPEN}{}{OPENED}>{SCROLL}{html}{CLOSE}",
                Word::Documentation.english()
            ),
            words::in_english(&sidebar_for(&example(), None, "").concat())
        );
    }
}
