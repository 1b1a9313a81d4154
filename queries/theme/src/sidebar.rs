//! Navigation next to the page: groups and pages of one section, any depth.
//!
//! It is rendered once for all pages of its section. The HTML has no active state; marks say where, for each page, the two
//! attributes go that show it: ` aria-current="page"` on its link, ` open` on what encloses it.
//!
//! A section can have thousands of links. Consecutive ones are rendered in lists ([`links`]) that
//! the sidebar refers to, so that a new label renders only its surroundings and copies nothing.

mod compose;

pub use compose::{bare, sidebar_for, sidebar_part, whole_script};

use std::collections::BTreeMap;
use std::sync::Arc;

use maud::{Markup, html};

use crate::html::push_escaped;
use crate::icon::{icon, symbol, user_icon};
use crate::pill::{deprecated_pill, method_badge, nav_pill};
use crate::switcher::{Switcher, switcher};
use base::content::ContentHash;

/// Content of a sidebar.
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
    /// Consecutive links, rendered.
    Links(Arc<Links>),
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
    /// Entries.
    pub entries: Vec<SidebarEntry>,
}

/// A rendered sidebar without active state, and where the state of each page goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidebar {
    /// The HTML of what it lists, in order.
    pieces: Vec<Piece>,
    /// Positions of marks by address, outside of lists of links.
    marks: BTreeMap<String, Vec<(Position, Mark)>>,
    /// The lists of the groups, in order of their beginnings.
    lists: Vec<List>,
    /// Icons: the number of each as text, and its SVG `<symbol>`.
    icons: Vec<(String, String)>,
    /// Positions of icons and their numbers, outside of lists of links; in order.
    uses: Vec<(Position, usize)>,
    /// Length of the HTML in bytes.
    length: usize,
    /// The digest of the HTML, so that the digest of a page need not read its sidebar again.
    pub digest: ContentHash,
}

/// Part that can be left out: the list of a group, a part of a long one, a group with its list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    /// Start of the heading of the group, which can lead to a page.
    heading: Position,
    /// Start of its first entry.
    start: Position,
    /// End of its last entry.
    end: Position,
    /// Replacement for its entries where they are left out.
    rest: String,
}

/// A part of the HTML of a sidebar.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// HTML of its own.
    Own(String),
    /// A list of links.
    Links {
        /// The list.
        links: Arc<Links>,
        /// Number in the sidebar of each icon of the list.
        icons: Vec<usize>,
        /// Marks in the tags of the groups around the list.
        open_groups: Vec<(Position, Mark)>,
    },
}

/// A place in the HTML of a sidebar: the number of a piece, and a byte position in it.
type Position = (usize, usize);

/// Consecutive links, rendered without active state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    html: String,
    /// Each address that leads to a page of the site, and where its mark goes; in order.
    marks: Vec<(String, usize)>,
    /// The icons, each once.
    icons: Vec<String>,
    /// Positions of the numbers of icons, with the icons; in order.
    uses: Vec<(usize, usize)>,
    /// Number of links.
    count: usize,
    /// The address of the first that leads to a page of the site.
    first: Option<String>,
    /// Replacement for the links where they are left out.
    rest: String,
    /// The digest of all of it.
    digest: ContentHash,
}

impl Links {
    /// Returns true if there are no links.
    pub fn is_empty(&self) -> bool {
        self.html.is_empty()
    }

    /// Returns the positions of the marks of links to `href`.
    fn marks_of(&self, href: &str) -> impl Iterator<Item = usize> {
        let start = (self.marks).partition_point(|(known, _)| known.as_str() < href);
        let of_href = (self.marks[start..].iter()).take_while(move |(known, _)| known == href);
        of_href.map(|(_, at)| *at)
    }
}

/// Returns the position in the tag of the item whose link begins before `at`: `<li>` and `<a` are
/// all that is between.
fn item_of((piece, at): Position) -> Position {
    (piece, at - ">".len() - "<a".len())
}

/// Attribute written at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// ` aria-current="page"`
    Current,
    /// ` open`
    Open,
    /// ` data-active`, of what holds the current link
    Active,
}

impl Mark {
    fn text(self) -> &'static str {
        match self {
            Self::Current => " aria-current=\"page\"",
            Self::Open => " open",
            Self::Active => " data-active",
        }
    }
}

/// Renders the sidebar of a section.
pub fn sidebar(view: &SidebarView) -> Sidebar {
    let mut writer = HtmlWriter::default();
    if let Some(dropdown) = &view.dropdown {
        writer.draw(&switcher(dropdown));
    }
    if !view.anchors.is_empty() {
        writer
            .html
            .push_str(r#"<ul class="sidebar-anchors nav-anchors">"#);
        for anchor in &view.anchors {
            writer.html.push_str("<li>");
            writer.link(anchor, "sidebar-anchor nav-anchor");
            writer.html.push_str("</li>");
        }
        writer.html.push_str("</ul>");
    }
    writer.top_level(&view.entries);
    writer.finish()
}

/// Renders consecutive links; nothing if there are none.
pub fn links(views: &[SidebarLink]) -> Links {
    let mut writer = HtmlWriter {
        uses: Some(Vec::new()),
        ..HtmlWriter::default()
    };
    for view in views {
        writer.item(view);
    }
    let marks = writer.marks.into_iter();
    let mut marks: Vec<(String, usize)> = marks
        .filter(|(_, (_, mark))| *mark == Mark::Current)
        .map(|(href, ((_, at), _))| (href, at))
        .collect();
    let first = marks.first().map(|(href, _)| href.clone());
    marks.sort();
    let uses = writer.uses.unwrap_or_default();
    let numbers: Vec<u8> = (uses.iter())
        .flat_map(|(at, icon)| [at.to_le_bytes(), icon.to_le_bytes()])
        .flatten()
        .collect();
    let icons = writer.icons.iter().map(String::as_bytes);
    let texts = [writer.html.as_bytes(), &numbers].into_iter().chain(icons);
    Links {
        digest: ContentHash::of_parts(texts),
        html: writer.html,
        marks,
        icons: writer.icons,
        uses,
        count: views.len(),
        rest: more_link(first.as_deref(), views.len()),
        first,
    }
}

/// Number of links from which a list is left out on pages that it does not contain.
const MANY: usize = 32;

/// Number of links per part of a long list: a page has the part with its neighbors, without the
/// rest.
const PART: usize = 16;

/// A link that stands for `count` entries that are left out. It leads to the page at `first`, in whose sidebar they are.
fn more_link(first: Option<&str>, count: usize) -> String {
    let Some(first) = first else {
        return String::new();
    };
    html! { li { a.sidebar-link.sidebar-more href=(first) { "+" (count) } } }.into_string()
}

/// Writes the HTML and notes positions on the way.
#[derive(Default)]
struct HtmlWriter {
    /// Pieces before `html`.
    pieces: Vec<Piece>,
    html: String,
    /// Marks in the tags of the groups around the place being written.
    open_groups: Vec<(Position, Mark)>,
    /// Address and position, in order of writing.
    marks: Vec<(String, (Position, Mark))>,
    /// The icons, each once however often it is used.
    icons: Vec<String>,
    /// Positions of the numbers of icons in a list of links, where the numbers of the sidebar are
    /// unknown.
    uses: Option<Vec<(usize, usize)>>,
    /// Positions of icons, in order.
    own_uses: Vec<(Position, usize)>,
    /// The lists of groups that were written.
    lists: Vec<List>,
    /// First page and number of entries of each list around the current position.
    open_lists: Vec<(Option<String>, usize)>,
}

impl HtmlWriter {
    fn draw(&mut self, markup: &Markup) {
        self.html.push_str(&markup.0);
    }

    /// Renders an icon as a use of one that is written at the end: sidebars repeat a few icons
    /// often, and are on every page.
    fn shared(&mut self, markup: &Markup) {
        let Some(symbol) = symbol(&markup.0) else {
            self.draw(markup);
            return;
        };
        let number = self.icon(&symbol);
        self.own_uses.push((self.position(), number));
        self.html.push_str(
            r##"<svg class="icon" width="16" height="16" aria-hidden="true"><use href="#quire-icon-"##,
        );
        match &mut self.uses {
            Some(uses) => uses.push((self.html.len(), number)),
            None => self.html.push_str(&number.to_string()),
        }
        self.html.push_str(r#""></use></svg>"#);
    }

    /// The number of an icon.
    fn icon(&mut self, symbol: &str) -> usize {
        let known = self.icons.iter().position(|known| known == symbol);
        known.unwrap_or_else(|| {
            self.icons.push(symbol.to_owned());
            self.icons.len() - 1
        })
    }

    /// Returns the position of the next character.
    fn position(&self) -> Position {
        (self.pieces.len(), self.html.len())
    }

    /// Writes a list of links that was rendered before.
    fn links(&mut self, links: &Arc<Links>) {
        self.count(links.first.as_deref(), links.count);
        let own = std::mem::take(&mut self.html);
        self.pieces.push(Piece::Own(own));
        let icons = links.icons.iter().map(|icon| self.icon(icon)).collect();
        self.pieces.push(Piece::Links {
            links: links.clone(),
            icons,
            open_groups: self.open_groups.clone(),
        });
    }

    /// A link as an item of a list.
    fn item(&mut self, link: &SidebarLink) {
        self.html.push_str("<li>");
        self.link(link, "sidebar-link");
        self.html.push_str("</li>");
    }

    /// Counts links of the lists around them.
    fn count(&mut self, first: Option<&str>, links: usize) {
        for (known, count) in &mut self.open_lists {
            if known.is_none() {
                *known = first.map(str::to_owned);
            }
            *count += links;
        }
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
                    self.item(link);
                }
                SidebarEntry::Links(links) => {
                    self.list_until(&mut in_list, true);
                    self.links(links);
                }
            }
        }
        self.list_until(&mut in_list, false);
    }

    /// Opens or closes the list around loose pages of the top level.
    fn list_until(&mut self, in_list: &mut bool, is_wanted: bool) {
        if *in_list != is_wanted {
            self.html.push_str(if is_wanted {
                r#"<ul class="sidebar-list">"#
            } else {
                "</ul>"
            });
            *in_list = is_wanted;
        }
    }

    /// A group of the top level: its title and its list, always open. The title is no heading:
    /// those of a page are headings of its text.
    fn section(&mut self, group: &SidebarGroup) {
        self.html.push_str("<section");
        self.open_groups.push((self.position(), Mark::Active));
        self.html.push_str(
            r#" class="sidebar-group"><div class="sidebar-heading sidebar-group-header">"#,
        );
        let heading = self.position();
        self.group_label(group, "sidebar-root", true);
        self.html.push_str("</div>");
        self.list(heading, Some(&group.label), &group.entries);
        self.open_groups.pop();
        self.html.push_str("</section>");
    }

    /// The list below `heading`. Assistive technology says its `name`.
    fn list(&mut self, heading: Position, name: Option<&str>, entries: &[SidebarEntry]) {
        self.html.push_str(r#"<ul class="sidebar-list""#);
        if let Some(name) = name {
            self.html.push_str(r#" aria-label=""#);
            push_escaped(&mut self.html, name);
            self.html.push('"');
        }
        self.html.push('>');
        let (start, at) = (self.position(), self.lists.len());
        self.open_lists.push((None, 0));
        let is_link = |entry: &SidebarEntry| matches!(entry, SidebarEntry::Link(_));
        for entries in entries.chunk_by(|one, next| is_link(one) && is_link(next)) {
            match entries.len() < MANY {
                true => self.entries(entries),
                false => entries.chunks(PART).for_each(|part| self.part(part)),
            }
        }
        let (first, count) = self.open_lists.pop().unwrap_or_default();
        let list = List {
            heading,
            start,
            end: self.position(),
            rest: more_link(first.as_deref(), count),
        };
        // Those within it were written before it.
        self.lists.insert(at, list);
        self.html.push_str("</ul>");
    }

    fn entries(&mut self, entries: &[SidebarEntry]) {
        for entry in entries {
            match entry {
                SidebarEntry::Link(link) => self.item(link),
                SidebarEntry::Links(links) => self.links(links),
                SidebarEntry::Group(group) => {
                    self.html.push_str("<li>");
                    self.nested(group);
                    self.html.push_str("</li>");
                }
            }
        }
    }

    /// A part of a long list.
    fn part(&mut self, links: &[SidebarEntry]) {
        let start = self.position();
        self.open_lists.push((None, 0));
        self.entries(links);
        let (first, count) = self.open_lists.pop().unwrap_or_default();
        // Where it leads to no page it is not left out.
        if first.is_some() {
            self.lists.push(List {
                heading: start,
                start,
                end: self.position(),
                rest: more_link(first.as_deref(), count),
            });
        }
    }

    /// A group inside a group: it opens and closes. A page of its own is a link next to the fold: a
    /// summary is a button, and a button holds no link.
    fn nested(&mut self, group: &SidebarGroup) {
        let (heading, at_list) = (self.position(), self.lists.len());
        self.open_lists.push((None, 0));
        let root_mark = group.root.as_ref();
        if root_mark.is_some() {
            self.html.push_str(r#"<div class="sidebar-rooted">"#);
            self.group_label(group, "sidebar-link sidebar-root", false);
        }
        self.html.push_str("<details");
        let at = self.position();
        self.html.push_str(if group.expanded {
            r#" open class="sidebar-nested"><summary>"#
        } else {
            r#" class="sidebar-nested"><summary>"#
        });
        if !group.expanded {
            self.open_groups.push((at, Mark::Open));
        }
        match root_mark {
            Some(root) => {
                if !group.expanded {
                    self.marks.push((root.clone(), (at, Mark::Open)));
                }
                self.draw(&html! { span.unseen { (group.label) } });
            }
            None => self.group_label(group, "sidebar-root", false),
        }
        self.html.push_str(r#"<span class="chevron">"#);
        self.shared(&icon("chevron-right").unwrap_or_default());
        self.html.push_str("</span></summary>");
        self.list(heading, None, &group.entries);
        self.html.push_str("</details>");
        if root_mark.is_some() {
            self.html.push_str("</div>");
        }
        if !group.expanded {
            self.open_groups.pop();
        }
        let (first, count) = self.open_lists.pop().unwrap_or_default();
        if let (Some(first), None) = (first, root_mark) {
            // All that is left of it is a link: a page in it has its list.
            let rest =
                html! { a.sidebar-link.sidebar-more href=(first) { (group.label) " +" (count) } };
            let list = List {
                heading,
                start: heading,
                end: self.position(),
                rest: rest.into_string(),
            };
            self.lists.insert(at_list, list);
        }
    }

    /// The name of a group; a link of `class` if it has a page of its own.
    fn group_label(&mut self, group: &SidebarGroup, class: &str, is_top: bool) {
        if let Some(root) = &group.root {
            self.anchor(root, class, false);
        }
        let drawn = user_icon(group.icon.as_deref());
        if !drawn.0.is_empty() {
            self.html
                .push_str(r#"<span class="sidebar-icon sidebar-group-icon">"#);
            self.shared(&drawn);
            self.html.push_str("</span>");
        }
        self.draw(&html! {
            span.sidebar-label.sidebar-title[is_top] { (group.label) }
            @if let Some(tag) = &group.tag { (nav_pill(tag)) }
        });
        if group.root.is_some() {
            self.html.push_str("</a>");
        }
    }

    fn link(&mut self, link: &SidebarLink, class: &str) {
        let first = (!link.external).then_some(link.href.as_str());
        self.count(first, 1);
        // Written in place: a section can have thousands of these.
        self.anchor(&link.href, class, link.external);
        let drawn = user_icon(link.icon.as_deref());
        if !drawn.0.is_empty() {
            // A `<div>`, as sites of the reference select it.
            self.html.push_str(r#"<div class="sidebar-icon">"#);
            self.shared(&drawn);
            self.html.push_str("</div>");
        }
        if let Some(method) = &link.method {
            self.draw(&method_badge(method, "method-nav-pill"));
        }
        self.html.push_str(r#"<span class="sidebar-label">"#);
        push_escaped(&mut self.html, &link.label);
        self.html.push_str("</span>");
        if let Some(tag) = &link.tag {
            self.draw(&nav_pill(tag));
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
        let is_item = self.html.ends_with("<li>");
        self.html.push_str("<a");
        let at = self.position();
        if !external {
            if is_item {
                self.marks
                    .push((href.to_owned(), (item_of(at), Mark::Active)));
            }
            self.marks.push((href.to_owned(), (at, Mark::Current)));
            for &group in &self.open_groups {
                self.marks.push((href.to_owned(), group));
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
        self.pieces.push(Piece::Own(self.html));
        let mut marks: BTreeMap<String, Vec<(Position, Mark)>> = BTreeMap::new();
        for (href, mark) in self.marks {
            marks.entry(href).or_default().push(mark);
        }
        // Lists of links stand for what they hold, and the icons, in their order, say which numbers they got.
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Own(html) => html.as_bytes(),
            Piece::Links { links, .. } => &links.digest.as_bytes()[..],
        });
        let texts = texts.chain(self.icons.iter().map(String::as_bytes));
        let lengths = self.pieces.iter().map(|piece| match piece {
            Piece::Own(html) => html.len(),
            Piece::Links { links, .. } => links.html.len(),
        });
        let symbols = self.icons.iter().enumerate().map(|(number, inner)| {
            let symbol = format!("<symbol id=\"quire-icon-{number}\"{inner}</symbol>");
            (number.to_string(), symbol)
        });
        Sidebar {
            digest: ContentHash::of_parts(texts),
            length: lengths.chain(self.icons.iter().map(String::len)).sum(),
            icons: symbols.collect(),
            uses: self.own_uses,
            lists: self.lists,
            pieces: self.pieces,
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
        let html = sidebar_for(&example(), Some(href), "").concat();
        assert_eq!(
            html.matches("<a aria-current=\"page\" class=").count(),
            current,
            "{html}"
        );
        // Each as the item of its list too, where it does not stand above a list of its own.
        let items = html.matches("<li data-active><a aria-current").count();
        let roots = html.matches("sidebar-rooted\"><a aria-current").count();
        assert_eq!(items + roots, current, "{html}");
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
    fn the_root_of_a_group_stands_beside_what_folds() {
        let html = sidebar_for(&example(), None, "").concat();
        let mut summaries = html.split("<summary>").skip(1);
        assert!(summaries.clone().count() == 2, "{html}");
        assert!(summaries.all(|rest| !rest[..rest.find("</summary>").unwrap()].contains("<a")));
        let root = r#"<a class="sidebar-link sidebar-root" href="/inner"><span class="sidebar-label">Inner</span></a><details"#;
        assert!(html.contains(root), "{html}");
    }

    #[test]
    fn a_page_that_stands_twice_is_marked_twice() {
        check_marks("/a", 2, 2);
    }

    #[test]
    fn an_unknown_page_changes_nothing() {
        let example = example();
        let unmarked = sidebar_for(&example, None, "").concat();
        assert_eq!(
            sidebar_for(&example, Some("/nowhere"), "").concat(),
            unmarked
        );
        assert!(!unmarked.contains("aria-current"));
    }

    #[test]
    fn labels_are_escaped() {
        let html = sidebar_for(&example(), None, "").concat();
        assert!(html.contains("A &amp; &lt;b&gt;"));
    }

    /// Links with and without icons that other links have too, one twice and one that leads elsewhere; at the top, and
    /// within groups that open.
    fn views(draw: impl Fn(Vec<SidebarLink>) -> Vec<SidebarEntry>) -> SidebarView {
        let link = |href: &str, icon: Option<&str>| SidebarLink {
            label: format!("To {href}"),
            href: href.into(),
            icon: icon.map(str::to_owned),
            external: href.contains(':'),
            ..SidebarLink::default()
        };
        let first = vec![link("/b", Some("bolt")), link("/a", None), link("/b", None)];
        let second = vec![
            link("/c", Some("users")),
            link("https://x.example", Some("bolt")),
            link("/a", Some("/own.svg")),
        ];
        let deep = group("Deep", Some("/deep"), draw(second.clone()));
        let mut inner = draw(first.clone());
        inner.push(deep);
        inner.extend(draw(second.clone()));
        let top = SidebarEntry::Group(SidebarGroup {
            icon: Some("users".into()),
            ..match group("Top", None, vec![group("Inner", None, inner)]) {
                SidebarEntry::Group(group) => group,
                _ => unreachable!("it is a group"),
            }
        });
        let mut entries = draw(second);
        entries.push(top);
        entries.extend(draw(first));
        SidebarView {
            anchors: vec![link("/anchor", Some("bolt"))],
            entries,
            ..SidebarView::default()
        }
    }

    #[test]
    fn links_that_were_drawn_before_look_like_others() {
        let one_by_one = sidebar(&views(|links| {
            links.into_iter().map(SidebarEntry::Link).collect()
        }));
        let sidebar_html = sidebar(&views(|views| {
            vec![SidebarEntry::Links(Arc::new(links(&views)))]
        }));
        for href in [
            "/a",
            "/b",
            "/c",
            "/deep",
            "/anchor",
            "/nowhere",
            "https://x.example",
        ] {
            let (is, should_be) = (
                sidebar_for(&sidebar_html, Some(href), "").concat(),
                sidebar_for(&one_by_one, Some(href), "").concat(),
            );
            assert_eq!(is, should_be, "{href}");
        }
        let html = sidebar_for(&sidebar_html, None, "").concat();
        assert_eq!(html, sidebar_for(&one_by_one, None, "").concat());
        assert_eq!(html.matches("href=\"#quire-icon-1\"").count(), 4, "{html}");
    }

    #[test]
    fn a_sidebar_with_another_link_or_icon_has_another_digest() {
        let of = |label: &str, icon: &str| {
            let link = SidebarLink {
                label: label.into(),
                href: "/a".into(),
                icon: Some(icon.into()),
                ..SidebarLink::default()
            };
            let entries = vec![SidebarEntry::Links(Arc::new(links(&[link])))];
            let view = SidebarView {
                entries,
                ..SidebarView::default()
            };
            sidebar(&view).digest
        };
        assert_eq!(of("A", "bolt"), of("A", "bolt"));
        assert_ne!(of("A", "bolt"), of("B", "bolt"));
        assert_ne!(of("A", "bolt"), of("A", "users"));
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
        let html = sidebar_for(&sidebar, None, "").concat();
        assert_eq!(html.matches("<details open").count(), 1);
        let html = sidebar_for(&sidebar, Some("/p"), "").concat();
        assert_eq!(html.matches(" open").count(), 1);
    }
}
