//! The navigation beside the page: groups and pages of one section, any depth.
//!
//! It is rendered once for all pages of its section. The HTML has no active state; [`Sidebar::marks`] says where, for
//! each page, the two attributes go that show it: ` aria-current="page"` on its link, ` open` on what encloses it.

use maud::{Markup, html};

use crate::html::push_escaped;
use crate::icon::{icon, user_icon};
use crate::pill::{deprecated_pill, method_badge, tag_pill};
use crate::switcher::{Switcher, switcher};
use base::content::ContentHash;

/// What stands in a sidebar.
#[derive(Clone, Debug, Default)]
pub struct SidebarView {
    /// Links above everything, with icons: anchors of the site.
    pub anchors: Vec<SidebarLink>,
    /// A menu to another part of the site, above the entries.
    pub dropdown: Option<Switcher>,
    /// Groups and pages, in order.
    pub entries: Vec<SidebarEntry>,
}

/// One entry. Hidden ones are not passed.
#[derive(Clone, Debug)]
pub enum SidebarEntry {
    /// A page or an external address.
    Link(SidebarLink),
    /// A group of entries.
    Group(SidebarGroup),
}

/// A link.
#[derive(Clone, Debug, Default)]
pub struct SidebarLink {
    /// Text.
    pub label: String,
    /// Address, as it is written in `href`; the key of the page's marks.
    pub href: String,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// Method of the operation it documents.
    pub method: Option<String>,
    /// A short tag: `New`.
    pub tag: Option<String>,
    /// Whether what it documents will go away.
    pub deprecated: bool,
    /// Whether it leaves the site.
    pub external: bool,
}

/// A group.
#[derive(Clone, Debug, Default)]
pub struct SidebarGroup {
    /// Heading.
    pub label: String,
    /// Name or address of an icon.
    pub icon: Option<String>,
    /// A short tag.
    pub tag: Option<String>,
    /// Address of the page the heading leads to.
    pub root: Option<String>,
    /// Whether a nested group is open to begin with.
    pub expanded: bool,
    /// What it holds.
    pub entries: Vec<SidebarEntry>,
}

/// A rendered sidebar without active state, and where the state of each page goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidebar {
    /// The HTML.
    pub html: String,
    /// For each address, in order of addresses: byte positions in `html`, ascending, and what to write there.
    pub marks: Vec<(String, Vec<(usize, Mark)>)>,
    /// The digest of the HTML, so that the digest of a page need not read its sidebar again.
    pub digest: ContentHash,
}

/// What is written at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// ` aria-current="page"`
    Current,
    /// ` open`
    Open,
}

impl Mark {
    /// The text of the mark.
    pub fn text(self) -> &'static str {
        match self {
            Self::Current => " aria-current=\"page\"",
            Self::Open => " open",
        }
    }
}

/// Draws the sidebar of a section.
pub fn sidebar(view: &SidebarView) -> Sidebar {
    let mut writer = HtmlWriter::default();
    writer.html.push_str(r##"<nav class="sidebar" id="quire-navigation" aria-label="Documentation" data-live="sidebar" tabindex="-1"><div class="sidebar-scroll"><a class="sidebar-close" href="#quire-content" aria-label="Close navigation" data-drawer-close>"##);
    writer.draw(&icon("x").unwrap_or_default());
    writer.html.push_str("</a>");
    if let Some(dropdown) = &view.dropdown {
        writer.draw(&switcher(dropdown));
    }
    if !view.anchors.is_empty() {
        writer.html.push_str(r#"<ul class="sidebar-anchors">"#);
        for anchor in &view.anchors {
            writer.html.push_str("<li>");
            writer.link(anchor, "sidebar-anchor");
            writer.html.push_str("</li>");
        }
        writer.html.push_str("</ul>");
    }
    writer.top_level(&view.entries);
    writer.icon_table();
    writer.html.push_str(r##"</div></nav><a class="drawer-backdrop" href="#quire-content" tabindex="-1" aria-hidden="true" data-drawer-close></a>"##);
    writer.finish()
}

/// The sidebar as the page at `href` shows it, in pieces: it is most of many pages, and copied once, into the page.
pub fn sidebar_for<'a>(sidebar: &'a Sidebar, href: &str) -> Vec<&'a str> {
    let marks = sidebar
        .marks
        .binary_search_by(|(known, _)| known.as_str().cmp(href))
        .map_or(&[][..], |at| &sidebar.marks[at].1);
    let mut pieces = Vec::with_capacity(2 * marks.len() + 1);
    let mut from = 0;
    for &(at, mark) in marks {
        pieces.extend([&sidebar.html[from..at], mark.text()]);
        from = at;
    }
    pieces.push(&sidebar.html[from..]);
    pieces
}

/// Writes the HTML and notes positions on the way.
#[derive(Default)]
struct HtmlWriter {
    html: String,
    /// Positions in the tags of the collapsed groups around the place being written.
    open_groups: Vec<usize>,
    /// Address and position, in order of writing.
    marks: Vec<(String, (usize, Mark))>,
    /// The icons, each once however often it is used.
    icons: Vec<String>,
}

impl HtmlWriter {
    fn draw(&mut self, markup: &Markup) {
        self.html.push_str(&markup.0);
    }

    /// Draws an icon as a use of one that is written at the end: sidebars repeat a few icons often, and stand on every
    /// page.
    fn shared(&mut self, drawn: Markup) -> Markup {
        let Some(rest) = drawn.0.strip_prefix("<svg class=\"icon\"") else {
            return drawn;
        };
        let symbol = rest
            .replace(r#" width="16" height="16""#, "")
            .replace(r#" aria-hidden="true" focusable="false""#, "");
        let number = self
            .icons
            .iter()
            .position(|known| *known == symbol)
            .unwrap_or_else(|| {
                self.icons.push(symbol);
                self.icons.len() - 1
            });
        html! { svg.icon width="16" height="16" aria-hidden="true" { use href={ "#quire-icon-" (number) } {} } }
    }

    /// Writes the icons that were used.
    fn icon_table(&mut self) {
        if self.icons.is_empty() {
            return;
        }
        self.html
            .push_str(r#"<svg class="icon-table" aria-hidden="true">"#);
        for (number, symbol) in std::mem::take(&mut self.icons).into_iter().enumerate() {
            let inner = symbol.trim_end_matches("</svg>");
            self.html.push_str(&format!(
                "<symbol id=\"quire-icon-{number}\"{inner}</symbol>"
            ));
        }
        self.html.push_str("</svg>");
    }

    fn top_level(&mut self, entries: &[SidebarEntry]) {
        let mut in_list = false;
        for entry in entries {
            match entry {
                SidebarEntry::Group(group) => {
                    self.list_until(&mut in_list, false);
                    self.section(group);
                }
                SidebarEntry::Link(link) => {
                    self.list_until(&mut in_list, true);
                    self.html.push_str("<li>");
                    self.link(link, "sidebar-link");
                    self.html.push_str("</li>");
                }
            }
        }
        self.list_until(&mut in_list, false);
    }

    /// Opens or closes the list that loose pages of the top level stand in.
    fn list_until(&mut self, in_list: &mut bool, wanted: bool) {
        if *in_list != wanted {
            self.html.push_str(if wanted {
                r#"<ul class="sidebar-list">"#
            } else {
                "</ul>"
            });
            *in_list = wanted;
        }
    }

    /// A group of the top level: a heading and its list, always open.
    fn section(&mut self, group: &SidebarGroup) {
        self.html
            .push_str(r#"<section class="sidebar-group"><h2 class="sidebar-heading">"#);
        self.group_label(group);
        self.html.push_str("</h2>");
        self.list(&group.entries);
        self.html.push_str("</section>");
    }

    fn list(&mut self, entries: &[SidebarEntry]) {
        self.html.push_str(r#"<ul class="sidebar-list">"#);
        for entry in entries {
            self.html.push_str("<li>");
            match entry {
                SidebarEntry::Link(link) => self.link(link, "sidebar-link"),
                SidebarEntry::Group(group) => self.nested(group),
            }
            self.html.push_str("</li>");
        }
        self.html.push_str("</ul>");
    }

    /// A group inside a group: it opens and closes.
    fn nested(&mut self, group: &SidebarGroup) {
        self.html.push_str("<details");
        let at = self.html.len();
        self.html.push_str(if group.expanded {
            r#" open class="sidebar-nested"><summary>"#
        } else {
            r#" class="sidebar-nested"><summary>"#
        });
        if !group.expanded {
            self.open_groups.push(at);
        }
        self.group_label(group);
        let chevron = self.shared(icon("chevron-right").unwrap_or_default());
        self.draw(&html! { span.chevron { (chevron) } });
        self.html.push_str("</summary>");
        self.list(&group.entries);
        self.html.push_str("</details>");
        if !group.expanded {
            self.open_groups.pop();
        }
    }

    fn group_label(&mut self, group: &SidebarGroup) {
        let icon = self.shared(user_icon(group.icon.as_deref()));
        let inner = html! {
            (icon)
            span.sidebar-label { (group.label) }
            @if let Some(tag) = &group.tag { (tag_pill(tag)) }
        };
        match &group.root {
            Some(root) => {
                self.anchor(root, "sidebar-root", false);
                self.draw(&inner);
                self.html.push_str("</a>");
            }
            None => self.draw(&inner),
        }
    }

    fn link(&mut self, link: &SidebarLink, class: &str) {
        let drawn = self.shared(user_icon(link.icon.as_deref()));
        // Written in place: a section can have thousands of these, and each edit of its labels draws all of them.
        self.anchor(&link.href, class, link.external);
        if !drawn.0.is_empty() {
            self.draw(&html! { span.sidebar-icon { (drawn) } });
        }
        if let Some(method) = &link.method {
            self.draw(&method_badge(method));
        }
        self.html.push_str(r#"<span class="sidebar-label">"#);
        push_escaped(&mut self.html, &link.label);
        self.html.push_str("</span>");
        if let Some(tag) = &link.tag {
            self.draw(&tag_pill(tag));
        }
        if link.deprecated {
            self.draw(&deprecated_pill());
        }
        if link.external {
            let arrow = icon("arrow-up-right").unwrap_or_default();
            self.draw(&html! { span.sidebar-external { (arrow) } });
        }
        self.html.push_str("</a>");
    }

    /// Opens a link, and notes where its marks go.
    fn anchor(&mut self, href: &str, class: &str, external: bool) {
        self.html.push_str("<a");
        let at = self.html.len();
        if !external {
            self.marks.push((href.to_owned(), (at, Mark::Current)));
            for &group in &self.open_groups {
                self.marks.push((href.to_owned(), (group, Mark::Open)));
            }
        }
        self.html.push_str(" class=\"");
        self.html.push_str(class);
        self.html.push_str("\" href=\"");
        push_escaped(&mut self.html, href);
        self.html.push_str(match external {
            true => "\" rel=\"noopener\">",
            false => "\">",
        });
    }

    fn finish(mut self) -> Sidebar {
        self.marks.sort();
        self.marks.dedup();
        let mut marks: Vec<(String, Vec<(usize, Mark)>)> = Vec::new();
        for (href, mark) in self.marks {
            match marks.last_mut() {
                Some((last, list)) if *last == href => list.push(mark),
                _ => marks.push((href, vec![mark])),
            }
        }
        Sidebar {
            digest: ContentHash::of(self.html.as_bytes()),
            html: self.html,
            marks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(label: &str, href: &str) -> SidebarEntry {
        SidebarEntry::Link(SidebarLink {
            label: label.into(),
            href: href.into(),
            ..SidebarLink::default()
        })
    }

    fn group(label: &str, root: Option<&str>, entries: Vec<SidebarEntry>) -> SidebarEntry {
        SidebarEntry::Group(SidebarGroup {
            label: label.into(),
            root: root.map(str::to_owned),
            entries,
            ..SidebarGroup::default()
        })
    }

    fn example() -> Sidebar {
        let inner = group(
            "Inner",
            Some("/inner"),
            vec![page("Deep", "/deep"), page("A & <b>", "/a")],
        );
        let outer = group("Outer", None, vec![inner, page("Beside", "/beside")]);
        sidebar(&SidebarView {
            entries: vec![
                page("Home", "/"),
                group("Top", None, vec![outer, page("A again", "/a")]),
            ],
            ..SidebarView::default()
        })
    }

    #[track_caller]
    fn check_marks(href: &str, current: usize, open: usize) {
        let html = sidebar_for(&example(), href).concat();
        assert_eq!(
            html.matches("<a aria-current=\"page\" class=").count(),
            current,
            "{html}"
        );
        assert_eq!(html.matches("<details open class=").count(), open, "{html}");
    }

    #[test]
    fn a_page_is_marked_and_its_groups_are_open() {
        check_marks("/deep", 1, 2);
        check_marks("/beside", 1, 1);
        check_marks("/", 1, 0);
    }

    #[test]
    fn the_root_of_a_group_opens_it() {
        check_marks("/inner", 1, 2);
    }

    #[test]
    fn a_page_that_stands_twice_is_marked_twice() {
        check_marks("/a", 2, 2);
    }

    #[test]
    fn an_unknown_page_changes_nothing() {
        assert_eq!(sidebar_for(&example(), "/nowhere").concat(), example().html);
    }

    #[test]
    fn labels_are_escaped() {
        assert!(example().html.contains("A &amp; &lt;b&gt;"));
    }

    #[test]
    fn an_expanded_group_is_open_for_everyone() {
        let nested = SidebarGroup {
            label: "N".into(),
            expanded: true,
            entries: vec![page("P", "/p")],
            ..SidebarGroup::default()
        };
        let sidebar = sidebar(&SidebarView {
            entries: vec![group("G", None, vec![SidebarEntry::Group(nested)])],
            ..SidebarView::default()
        });
        assert_eq!(sidebar.html.matches("<details open").count(), 1);
        assert_eq!(
            sidebar_for(&sidebar, "/p")
                .concat()
                .matches(" open")
                .count(),
            1
        );
    }
}
