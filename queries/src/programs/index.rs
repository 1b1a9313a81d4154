//! `llms.txt`, the list of pages for programs, and `llms-full.txt`, all of them in one text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::at;
use crate::alternates::default_language;
use crate::binding::model_about;
use crate::body::page_body;
use crate::catalog::{catalog_specs, listed_pages, readable_page};
use crate::config::theme_config;
use crate::db::Db;
use crate::fragment::reached;
use crate::frame::twin_path;
use crate::inputs::Site;
use crate::markdown::{component_markdown, has_fragment, instructions, page_markdown, page_part};
use crate::navigation::{NavigationNode, PageId, Target, navigation_tree};
use crate::openapi::{SpecNode, is_asyncapi, spec_paths};
use crate::outputs::LLMS_FULL;
use crate::search::html::passages;
use crate::search::{breadcrumbs, page_text};
use base::path::encode_path;

/// Maximum number of characters of the list.
const MAX_LIST_CHARS: usize = 100_000;
/// Maximum number of characters of the summary of a page.
const MAX_SUMMARY_CHARS: usize = 300;
/// Maximum number of characters of a summary where the list would be too long.
const SHORT: usize = 80;
/// Lengths of the summaries of written pages and of others, in the order in which they are tried.
const SUMMARIES: [[usize; 2]; 5] = [
    [MAX_SUMMARY_CHARS, MAX_SUMMARY_CHARS],
    [MAX_SUMMARY_CHARS, SHORT],
    [MAX_SUMMARY_CHARS, 0],
    [SHORT, 0],
    [0, 0],
];
/// Most sections that a skill names, and the number of levels of the navigation among which they are looked
/// for.
const MAX_SECTIONS: usize = 30;
const MAX_DEPTH: usize = 3;

/// Entry of a page in the list for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Title.
    pub title: String,
    /// Path of its Markdown, below the root of the site.
    pub path: String,
    /// Path of the page itself.
    pub page_path: String,
    /// Description by its author, else its first words.
    pub summary: String,
    /// Whether somebody has written the page, and no specification alone has made it.
    pub is_written: bool,
}

/// What the list for programs says of a page; `None` if it does not name it: it is not found, or in another language or
/// version than the site shows first.
///
/// Read when the list is composed. Words of a page that has a description must not wake it.
#[salsa::tracked]
pub fn index_entry(db: &dyn Db, page: PageId) -> Option<IndexEntry> {
    let facets = readable_page(db, page)?;
    let language = facets.facets.language.as_ref();
    let is_other = language.is_some() && language != default_language(db, Site::get(db)).as_ref();
    if facets.facets.is_old || is_other {
        return None;
    }
    let summary = match facets.description.as_deref().map(str::trim) {
        Some(description) if !description.is_empty() => description.to_owned(),
        _ => programs_words(db, page).unwrap_or_else(|| first_words(db, page)),
    };
    Some(IndexEntry {
        title: words(&facets.title),
        path: encode_path(&twin_path(&facets.route)),
        page_path: facets.route.href(),
        summary: shortened(&words(&summary), MAX_SUMMARY_CHARS),
        is_written: page.file().is_some(),
    })
}

/// First words of a page.
fn first_words(db: &dyn Db, page: PageId) -> String {
    let text = page_text(db, page);
    let first = text
        .passages
        .iter()
        .flat_map(|passage| passage.body.lines());
    let own = Some(text.summary.as_str()).filter(|summary| !summary.is_empty());
    own.or_else(|| first.into_iter().find(|line| !line.trim().is_empty()))
        .unwrap_or("")
        .to_owned()
}

/// First words of a page whose author tells programs something else than readers.
fn programs_words(db: &dyn Db, page: PageId) -> Option<String> {
    let html = page_body(db, page.file()?).for_programs.as_ref()?;
    let passages = passages(html).into_iter();
    let mut lines = passages.flat_map(|passage| {
        let lines = passage.body.lines().map(str::to_owned);
        lines.collect::<Vec<String>>()
    });
    lines.find(|line| !line.trim().is_empty())
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` with at most so many characters, whole words and a sign of what is left out.
fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let last = text.char_indices().nth(most - 1).map_or(end, |(at, _)| at);
    let cut = text[..last].rfind(' ').unwrap_or(last);
    format!("{}…", text[..cut].trim_end_matches([',', ';', ':', ' ']))
}

/// A text as it stands in a link of Markdown.
fn link_text(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('[', "\\[")
        .replace(']', "\\]")
}

/// Opening of both texts.
fn opening(db: &dyn Db, site: Site) -> String {
    let theme = theme_config(db, site);
    let name = words(&theme.name);
    let instructions = instructions(db, site);
    let mut text = format!("# {name}\n");
    match &theme.description {
        Some(description) => text.push_str(&format!("\n> {}\n", words(description))),
        None if instructions.is_none() => {
            text.push_str(&format!("\n> The documentation of {name}.\n"));
        }
        None => {}
    }
    if let Some(instructions) = instructions {
        text.push_str(&format!("\n{instructions}"));
    }
    text
}

/// The list: pages in the order of the navigation below the labels above them, specifications, links elsewhere. One that is
/// too long says less of operations, whose titles tell most of what they are, then of pages that somebody has written, then
/// names fewer and says so.
pub(super) fn index_text(db: &dyn Db, site: Site, base: &str) -> String {
    let places = breadcrumbs(db, site);
    let mut sections: Vec<(String, Vec<&IndexEntry>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for page in listed_pages(db, site) {
        let Some(entry) = index_entry(db, page) else {
            continue;
        };
        let labels = places.get(&page).map_or(&[][..], |labels| labels);
        let label = match labels {
            [] => "Pages".to_owned(),
            labels => words(&labels.join(" / ")),
        };
        let number = *known.entry(label).or_insert_with_key(|label| {
            sections.push((label.clone(), Vec::new()));
            sections.len() - 1
        });
        sections[number].1.push(entry);
    }
    let opening = format!(
        "{}\nEach page of this list is Markdown. All of them in one text: <{}>\n",
        opening(db, site),
        at(db, site, base, LLMS_FULL)
    );
    let closing = closing(db, site, base);
    let room = MAX_LIST_CHARS.saturating_sub(opening.chars().count() + closing.chars().count());
    let fitting = SUMMARIES
        .iter()
        .find_map(|most| pages(db, site, base, &sections, (*most, room)));
    let list = fitting.unwrap_or_else(|| {
        let whole = pages(db, site, base, &sections, ([0, 0], usize::MAX));
        dropped(&whole.unwrap_or_default(), room)
    });
    format!("{opening}{list}{closing}")
}

/// The sections of the navigation with the numbers of their written pages and of those of the API, a line of
/// Markdown for each: the outermost of which there are several. Empty if there are none.
pub(super) fn section_list(db: &dyn Db, site: Site) -> String {
    let mut sections = (0..MAX_DEPTH).map(|depth| sections_at(db, site, depth));
    let sections = sections.find(|sections| sections.len() > 1);
    let sections = sections.unwrap_or_default();
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let more = sections.len().saturating_sub(MAX_SECTIONS);
    let lines = sections.iter().take(MAX_SECTIONS);
    let lines = lines.map(|(label, [written, others])| {
        let counts = [counted(*written, "page"), counted(*others, "API page")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        format!("- {label}: {}\n", counts.join(", "))
    });
    let mut text: String = lines.collect();
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    text
}

/// The labels at `depth` of the navigation with the numbers of written and other pages below them.
fn sections_at(db: &dyn Db, site: Site, depth: usize) -> Vec<(String, [usize; 2])> {
    let places = breadcrumbs(db, site);
    let mut sections: Vec<(String, [usize; 2])> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for page in listed_pages(db, site) {
        let Some(entry) = index_entry(db, page) else {
            continue;
        };
        let labels = places.get(&page).map_or(&[][..], |labels| labels);
        let Some(label) = labels.get(depth).or_else(|| labels.last()) else {
            continue;
        };
        let number = *known.entry(words(label)).or_insert_with_key(|label| {
            sections.push((label.clone(), [0, 0]));
            sections.len() - 1
        });
        sections[number].1[usize::from(!entry.is_written)] += 1;
    }
    sections
}

/// The list with at most so many characters of each written page and of each other one; `None` if it has
/// more than there is room for.
fn pages(
    db: &dyn Db,
    site: Site,
    base: &str,
    sections: &[(String, Vec<&IndexEntry>)],
    ([written, others], room): ([usize; 2], usize),
) -> Option<String> {
    let (mut text, mut counted, mut length) = (String::new(), 0, 0);
    for (label, entries) in sections {
        text.push_str(&format!("\n## {label}\n\n"));
        for entry in entries {
            let href = at(db, site, base, &entry.path);
            text.push_str(&format!("- [{}]({href})", link_text(&entry.title)));
            let most = if entry.is_written { written } else { others };
            if most > 0 && !entry.summary.is_empty() {
                text.push_str(&format!(": {}", shortened(&entry.summary, most)));
            }
            text.push('\n');
            length += text[counted..].chars().count();
            counted = text.len();
            if length > room {
                return None;
            }
        }
    }
    Some(text)
}

/// As many lines of `list` as fit, and a note with the number of omitted pages.
fn dropped(list: &str, room: usize) -> String {
    let note = |count: usize| {
        format!("\n> {count} more pages are not listed here; the site map has them.\n")
    };
    let room = room.saturating_sub(note(usize::MAX).chars().count());
    let (mut kept, mut length, mut left_out) = (String::new(), 0, 0);
    for line in list.split_inclusive('\n') {
        length += line.chars().count();
        if length <= room {
            kept.push_str(line);
        } else if line.starts_with("- ") {
            left_out += 1;
        }
    }
    kept + &note(left_out)
}

/// The specifications of the API, and where the navigation leads elsewhere.
fn closing(db: &dyn Db, site: Site, base: &str) -> String {
    let mut text = String::new();
    let is_of_channels = |path: &String| {
        let mut specs = spec_paths(db, site).iter();
        specs.any(|(known, spec)| known == path && is_asyncapi(db, *spec))
    };
    let (asyncapi, openapi): (Vec<String>, Vec<String>) = catalog_specs(db, site)
        .into_iter()
        .partition(is_of_channels);
    for (title, specs) in [
        ("OpenAPI specifications", openapi),
        ("AsyncAPI documents", asyncapi),
    ] {
        if !specs.is_empty() {
            text.push_str(&format!("\n## {title}\n\n"));
        }
        text.push_str(&spec_links(db, site, base, specs));
    }
    let tree = navigation_tree(db, site);
    let mut links = Vec::new();
    add_links(&tree.global, &mut links);
    add_links(&tree.nodes, &mut links);
    if !links.is_empty() {
        text.push_str("\n## Optional\n\n");
    }
    for (label, href) in links {
        text.push_str(&format!("- [{}]({href})\n", link_text(label)));
    }
    text
}

/// The specifications of the site, a line of Markdown for each.
pub(super) fn spec_list(db: &dyn Db, site: Site, base: &str) -> String {
    spec_links(db, site, base, catalog_specs(db, site))
}

/// A line of Markdown for each of `specs`, with its address.
fn spec_links(
    db: &dyn Db,
    site: Site,
    base: &str,
    specs: impl IntoIterator<Item = String>,
) -> String {
    let mut text = String::new();
    for spec in specs {
        let href = match spec.contains("://") {
            true => spec.clone(),
            false => at(db, site, base, &encode_path(&format!("/{spec}"))),
        };
        text.push_str(&format!("- [{}]({href})\n", link_text(&spec)));
    }
    text
}

/// Adds the links of `nodes` that lead elsewhere and are shown, each address once.
fn add_links<'a>(nodes: &'a [NavigationNode], links: &mut Vec<(&'a str, &'a str)>) {
    for node in nodes.iter().filter(|node| !node.hidden) {
        if let Target::Href(href) = &node.target
            && href.contains("://")
            && !links.iter().any(|(_, known)| known == href)
        {
            links.push((&node.label, href));
        }
        add_links(&node.children, links);
    }
}

/// All pages of the list in one text, each with its address; behind them the components that are too long for each page.
pub(super) fn full_text(db: &dyn Db, site: Site, base: &str) -> String {
    let mut text = opening(db, site);
    for page in listed_pages(db, site) {
        text.extend(full_text_of(db, site, page, base));
    }
    text.push_str(&full_text_end(db, site));
    text
}

/// Opening of the text of all pages, and the pages that may follow, each by
/// [`super::full_text_of`]; [`full_text_end`] ends it. For callers that do not hold all of it in
/// memory.
pub fn full_text_parts(db: &dyn Db, site: Site) -> (String, Vec<PageId>) {
    (opening(db, site), listed_pages(db, site))
}

/// Part of the text of all pages for one page, whose address begins with `base`; `None` if it is
/// not included.
pub(super) fn full_text_of(db: &dyn Db, site: Site, page: PageId, base: &str) -> Option<String> {
    let entry = index_entry(db, page).as_ref()?;
    // What is about no part of a specification has nothing that is left out.
    let part = has_fragment(db, page).then(|| page_part(db, page));
    let markdown = match part.and_then(|part| part.text.as_deref()) {
        Some(text) => text,
        None => page_markdown(db, page),
    };
    let (title, rest) = markdown.split_once('\n').unwrap_or((markdown, ""));
    let source = at(db, site, base, &entry.page_path);
    Some(format!("\n{title}\n\nSource: <{source}>\n{rest}"))
}

/// End of the text of all pages: the components that are left out of each of them, by
/// specification.
pub fn full_text_end(db: &dyn Db, site: Site) -> String {
    let (mut components, mut covered) = (BTreeMap::new(), HashSet::new());
    for page in listed_pages(db, site) {
        if index_entry(db, page).is_none() || !has_fragment(db, page) {
            continue;
        }
        // Its page tells what a data model is.
        covered.extend(model_about(db, page));
        for node in &page_part(db, page).components {
            let (spec, key) = (node.spec(db), node.pointer(db).clone());
            let name = spec.name(db).to_string();
            let of_spec = components.entry(name).or_insert((spec, BTreeSet::new()));
            of_spec.1.insert(key);
        }
    }
    let mut text = String::new();
    for (name, (spec, named)) in components {
        text.push_str(&format!("\n# Components of {name}\n"));
        let nodes = reached(db, spec, named).into_iter();
        let nodes = nodes.map(|key| SpecNode::new(db, spec, key));
        for node in nodes.filter(|node| !covered.contains(node)) {
            text.push_str(component_markdown(db, node));
        }
    }
    text
}
