//! Parts that all pages of a section share: header and sidebar, one memo each per section.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::address::{file_href, icon_name, icon_of_page, is_external, route_href, site_href};
use super::frame_header;
use crate::alternates::switches;
use crate::db::Db;
use crate::head::{language_of, page_href};
use crate::inputs::{Site, SourceFile};
use crate::navigation::section::{Choice, runs};
use crate::navigation::{NavigationNode, PageId, PageRun, Section, Target, sections};
use crate::openapi::GeneratedPage;
use crate::page::{PageLabel, label_of, listed_label, page_label};
use base::path::Route;
use config::navigation::{Align, MAX_CHOICES, NodeKind};
use openapi::index::OperationEntry;
use theme::header::{self, HeaderMenuItem, HeaderTab};
use theme::html::escaped;
use theme::language;
use theme::sidebar::{self, Links, Sidebar, SidebarEntry, SidebarGroup, SidebarLink, SidebarView};
use theme::switcher::{Switcher, SwitcherItem, SwitcherKind};

/// The header of a section, drawn: the bar, and what narrow screens have of it in the drawer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionHeader {
    /// Output of [`header::header`].
    pub bar: String,
    /// Output of [`header::drawer`].
    pub drawer: String,
}

impl SectionHeader {
    /// Renders both.
    pub(super) fn of(view: &header::Header) -> Self {
        Self {
            bar: header::header(view).into_string(),
            drawer: header::drawer(view).into_string(),
        }
    }
}

/// The header of a section: what every page has, and the switchers and tabs above the section.
///
/// Read by the pages of the section. Wakes when a choice above it changes and when the bar does; labels elsewhere in the
/// navigation, colors and titles must not wake it.
#[salsa::tracked]
pub fn section_header<'db>(db: &'db dyn Db, section: Section<'db>) -> SectionHeader {
    let mut view = frame_header(db, Site::get(db)).clone();
    view.has_sidebar = true;
    for (depth, step) in section.breadcrumb(db).iter().enumerate() {
        let choices = step.visible_choices();
        match step.kind {
            NodeKind::Language | NodeKind::Version | NodeKind::Product => {
                let kind = match step.kind {
                    NodeKind::Language => SwitcherKind::Language,
                    NodeKind::Version => SwitcherKind::Version,
                    _ => SwitcherKind::Product,
                };
                let mut switcher = switcher(db, kind, step.chosen, &choices);
                if kind != SwitcherKind::Product {
                    for (item, (i, choice)) in switcher.items.iter_mut().zip(&choices) {
                        if choice.href.is_none() {
                            item.href = choice_mark(depth, *i);
                        }
                    }
                }
                view.switchers.push(switcher);
            }
            NodeKind::Tab if view.tabs.is_empty() => {
                // The items of a menu are known for the tab that is shown; the others lead to their first page.
                let menu = section
                    .breadcrumb(db)
                    .get(depth + 1)
                    .filter(|next| next.kind == NodeKind::Item);
                for &(i, choice) in &choices {
                    let active = i == step.chosen;
                    let items = menu.filter(|_| active).map_or_else(Vec::new, |menu| {
                        menu.choices
                            .iter()
                            .filter(|item| !item.hidden)
                            .take(MAX_CHOICES)
                            .map(|item| menu_item(db, item))
                            .collect()
                    });
                    view.tabs.push(HeaderTab {
                        label: choice.label.clone(),
                        href: choice_href(db, choice),
                        icon: choice.icon.as_ref().map(|icon| icon_name(db, icon)),
                        active,
                        align_end: choice.align == Some(Align::End),
                        external: is_external(choice.href.as_deref()),
                        items,
                    });
                }
            }
            _ => {}
        }
    }
    for (node, href) in global_links(db, section, NodeKind::Tab) {
        view.tabs.push(HeaderTab {
            label: node.label.clone(),
            href: site_href(db, href),
            icon: node.icon.as_ref().map(|icon| icon_name(db, icon)),
            external: is_external(Some(href)),
            ..HeaderTab::default()
        });
    }
    SectionHeader::of(&view)
}

/// The links of a kind that are shown everywhere around a section.
fn global_links<'db>(
    db: &'db dyn Db,
    section: Section<'db>,
    kind: NodeKind,
) -> impl Iterator<Item = (&'db NavigationNode, &'db str)> {
    let nodes = section.global(db).iter();
    let nodes = nodes.filter(move |node| node.kind == kind && !node.hidden);
    let links = nodes.filter_map(|node| match &node.target {
        Target::Href(href) => Some((node, href.as_str())),
        _ => None,
    });
    links.take(MAX_CHOICES)
}

/// The header of a section as the page of `file` shows it: another language or version leads to the same page there, if
/// there is one, and to the first page of that part otherwise.
pub(super) fn header_for(db: &dyn Db, section: Section<'_>, page: Option<PageId>) -> SectionHeader {
    let header = section_header(db, section);
    let mut hrefs = BTreeMap::new();
    for (depth, step) in section.breadcrumb(db).iter().enumerate() {
        if !matches!(step.kind, NodeKind::Language | NodeKind::Version) {
            continue;
        }
        let around = section.position(db).get(..depth).unwrap_or_default();
        let switch = switches(db, Site::get(db)).get(around);
        for (i, choice) in step.visible_choices() {
            let is_link = choice.href.is_some();
            let found = switch.filter(|_| !is_link).and_then(|switch| {
                let twin = switch.destination(db, page, step.chosen, i)?;
                Some(page_href(db, twin))
            });
            let href = found.unwrap_or_else(|| choice_href(db, choice));
            hrefs.insert(choice_mark(depth, i), escaped(&href));
        }
    }
    let mut header = header.clone();
    if !hrefs.is_empty() {
        header.bar = with_choices(&header.bar, &hrefs);
        header.drawer = with_choices(&header.drawer, &hrefs);
    }
    header
}

/// Prefix of marks of choices.
const CHOICE_MARK: &str = "quire:choice/";

/// Placeholder in a memoized header for the destination of a choice, which differs by page.
fn choice_mark(depth: usize, choice: usize) -> String {
    format!("{CHOICE_MARK}{depth}/{choice}")
}

/// `html` with the addresses of `hrefs` in the places of their marks.
fn with_choices(html: &str, hrefs: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(html.len() + 32 * hrefs.len());
    let mut rest = html;
    while let Some(at) = rest.find(CHOICE_MARK) {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let end = marked.find('"').unwrap_or(marked.len());
        let (mark, after) = marked.split_at(end);
        // What only looks like a mark is of the author.
        let is_whole = before.ends_with('"');
        let href = hrefs.get(mark).filter(|_| is_whole);
        out.push_str(href.map_or(mark, String::as_str));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The sidebar of a section, without the state of any page.
///
/// Read by the pages of the section. Wakes when the section's part of the navigation changes, or the label of one of its
/// pages; words, the labels of tabs and everything of other sections must not wake it.
#[salsa::tracked]
pub fn section_sidebar<'db>(db: &'db dyn Db, section: Section<'db>) -> Sidebar {
    let mut view = SidebarView::default();
    for step in section.sidebar_switchers(db) {
        let choices = step.visible_choices();
        match step.kind {
            NodeKind::Anchor => {
                view.anchors
                    .extend(choices.iter().map(|(_, choice)| SidebarLink {
                        label: choice.label.clone(),
                        href: choice_href(db, choice),
                        icon: choice.icon.as_ref().map(|icon| icon_name(db, icon)),
                        external: is_external(choice.href.as_deref()),
                        ..SidebarLink::default()
                    }));
            }
            _ => {
                view.dropdown = Some(switcher(db, SwitcherKind::Dropdown, step.chosen, &choices));
            }
        }
    }
    for (node, href) in global_links(db, section, NodeKind::Anchor) {
        view.anchors.push(SidebarLink {
            label: node.label.clone(),
            href: site_href(db, href),
            icon: node.icon.as_ref().map(|icon| icon_name(db, icon)),
            external: is_external(Some(href)),
            ..SidebarLink::default()
        });
    }
    let drawn = section.runs(db).iter();
    let drawn = drawn.map(|run| (run.files(db), run_links(db, *run)));
    let listed = SectionPages {
        generated: section.generated(db),
        runs: drawn.collect(),
    };
    view.entries = sidebar_entries(db, &listed, section.nodes(db));
    sidebar::sidebar(&view)
}

/// Prefix of the paths of scripts with whole sidebars.
pub const SIDEBARS: &str = "/_sidebar/";

/// The address of the script that knows the whole sidebar of `section`, as it is written into HTML; none if pages hold it.
pub(super) fn script_of(db: &dyn Db, site: Site, section: Section<'_>) -> Option<String> {
    let sidebar = section_sidebar(db, section);
    if !sidebar.is_large() {
        return None;
    }
    let number = sections(db, site).iter().position(|it| *it == section)?;
    let digest = sidebar.digest.short();
    Some(format!(
        "{}{SIDEBARS}{number}.{digest}.js",
        site.base_path(db)
    ))
}

/// The script at `path`, and whether it is still what its address says.
///
/// After an edit the section of that number answers: a page that was read a moment ago gets the sidebar of now.
pub fn sidebar_script(db: &dyn Db, site: Site, path: &str) -> Option<(String, bool)> {
    let name = path.strip_prefix(SIDEBARS)?.strip_suffix(".js")?;
    let (number, _) = name.split_once('.')?;
    let section = *sections(db, site).get(number.parse::<usize>().ok()?)?;
    let current = script_of(db, site, section)?;
    let asked = format!("{}{path}", site.base_path(db));
    let language = language_of(db, section);
    let language = language.as_deref().unwrap_or(language::DEFAULT);
    let script = sidebar::whole_script(section_sidebar(db, section), &asked, language);
    Some((script, asked == current))
}

/// The paths of all scripts that know sidebars.
pub fn sidebar_scripts(db: &dyn Db, site: Site) -> Vec<String> {
    let base = site.base_path(db).len();
    let scripts = sections(db, site).iter();
    let scripts = scripts.filter_map(|section| script_of(db, site, *section));
    scripts.map(|address| address[base..].to_owned()).collect()
}

/// The links of consecutive pages of the sidebar, rendered.
///
/// Read by the sidebar of their section. Wakes with the label or the address of one of its pages; labels of the navigation
/// must not wake it.
#[salsa::tracked]
pub fn run_links<'db>(db: &'db dyn Db, run: PageRun<'db>) -> Arc<Links> {
    let files = run.files(db).iter();
    let links = files.filter_map(|file| {
        let label = page_label(db, *file);
        page_link(db, label, || file_href(db, *file))
    });
    Arc::new(sidebar::links(&links.collect::<Vec<_>>()))
}

/// Facts of a section about the pages that it lists.
struct SectionPages<'db> {
    /// Generated pages.
    generated: &'db HashMap<GeneratedPage, (Route, OperationEntry)>,
    /// Links of the runs.
    runs: FxHashMap<&'db [SourceFile], &'db Arc<Links>>,
}

fn sidebar_entries(
    db: &dyn Db,
    list: &SectionPages<'_>,
    nodes: &[NavigationNode],
) -> Vec<SidebarEntry> {
    let mut entries = Vec::new();
    for node in nodes.iter().filter(|node| !node.hidden) {
        match &node.target {
            Target::Files(files) => {
                let links = runs(files).filter_map(|run| list.runs.get(run).copied());
                let links = links.filter(|links| !links.is_empty()).cloned();
                entries.extend(links.map(SidebarEntry::Links));
            }
            _ => entries.extend(sidebar_entry(db, list, node)),
        }
    }
    entries
}

/// The link to a page of the site; none if it is hidden.
fn page_link(
    db: &dyn Db,
    label: &PageLabel,
    own_href: impl FnOnce() -> String,
) -> Option<SidebarLink> {
    if label.hidden == Some(true) {
        return None;
    }
    Some(SidebarLink {
        label: label.label.clone(),
        href: label
            .url
            .as_deref()
            .map_or_else(own_href, |url| site_href(db, url)),
        icon: label
            .icon
            .as_deref()
            .map(|icon| icon_of_page(db, icon, label.icon_type.as_deref())),
        method: label.method.clone(),
        tag: label.tag.clone(),
        deprecated: label.deprecated,
        external: is_external(label.url.as_deref()),
    })
}

fn sidebar_entry(
    db: &dyn Db,
    list: &SectionPages<'_>,
    node: &NavigationNode,
) -> Option<SidebarEntry> {
    let icon = node.icon.as_ref().map(|icon| icon_name(db, icon));
    if node.kind == NodeKind::Group {
        let entries = sidebar_entries(db, list, &node.children);
        if entries.is_empty() && node.root.is_none() {
            return None;
        }
        return Some(SidebarEntry::Group(SidebarGroup {
            label: node.label.clone(),
            icon,
            tag: node.tag.clone(),
            root: node.root.map(|file| file_href(db, file)),
            expanded: node.expanded == Some(true),
            entries,
        }));
    }
    let link = match &node.target {
        Target::File(file) => page_link(db, page_label(db, *file), || file_href(db, *file))?,
        Target::Generated(page) => match list.generated.get(page) {
            Some((route, entry)) => page_link(db, &listed_label(entry), || route_href(db, route))?,
            None => {
                let page = PageId::Generated(*page);
                page_link(db, label_of(db, page), || page_href(db, page))?
            }
        },
        Target::Href(href) => SidebarLink {
            label: node.label.clone(),
            href: site_href(db, href),
            icon,
            external: is_external(Some(href)),
            ..SidebarLink::default()
        },
        // A page without a file and an operation that nobody knows have nowhere to lead.
        Target::Missing(_) | Target::None | Target::Files(_) => return None,
    };
    Some(SidebarEntry::Link(link))
}

fn switcher(
    db: &dyn Db,
    kind: SwitcherKind,
    chosen: usize,
    choices: &[(usize, &Choice)],
) -> Switcher {
    let mut view = Switcher {
        kind,
        ..Switcher::default()
    };
    for &(i, choice) in choices {
        let is_language = kind == SwitcherKind::Language;
        let label = if is_language {
            language::name(&choice.label).to_owned()
        } else {
            choice.label.clone()
        };
        let icon = choice.icon.as_ref().map(|icon| icon_name(db, icon));
        if i == chosen {
            view.current = label.clone();
            view.icon = icon.clone();
        }
        view.items.push(SwitcherItem {
            label,
            href: choice_href(db, choice),
            lang: is_language.then(|| language::tag(&choice.label).to_owned()),
            tag: choice.tag.clone(),
            description: choice.description.clone(),
            icon,
            current: i == chosen,
        });
    }
    view
}

fn menu_item(db: &dyn Db, choice: &Choice) -> HeaderMenuItem {
    HeaderMenuItem {
        label: choice.label.clone(),
        href: choice_href(db, choice),
        description: choice.description.clone(),
        icon: choice.icon.as_ref().map(|icon| icon_name(db, icon)),
    }
}

fn choice_href(db: &dyn Db, choice: &Choice) -> String {
    match (&choice.href, choice.first_page) {
        (Some(href), _) => site_href(db, href),
        (None, Some(page)) => page_href(db, page),
        (None, None) => site_href(db, "/"),
    }
}
