//! What the kind of an edit alone says about the queries that may run, without knowing how they read each other.
//!
//! For an edit of a page that was edited before, the laws are exact or tight; the first edit of a page also pays for the
//! demotion of what rests on it, and is bound by the laws that hold for every edit. The configuration is never demoted.

use std::collections::BTreeMap;

use queries::inputs::ImageSize;
use queries::links::link_diagnostics;
use queries::page::is_page;
use queries::path::SitePath;

use super::script::{Edit, IMAGE, Kind, SNIPPET};
use crate::support::TestSite;

/// What an edit found.
pub(super) struct Before {
    /// Whether all files it writes had been lowered by an earlier edit.
    is_lowered: bool,
    /// The files that the next promotion would write.
    lowered: Vec<String>,
    /// The pages written that were there, with what they held.
    held: BTreeMap<String, String>,
    /// Whether a page written has a broken link: the place of which is looked for in the text.
    has_broken_link: bool,
    /// How large the picture was.
    image_size: Option<ImageSize>,
}

impl Before {
    pub(super) fn new(site: &TestSite, edit: Option<&Edit>) -> Self {
        let lowered: Vec<String> = site.lowered().map(SitePath::to_string).collect();
        let written = || edit.iter().flat_map(|edit| edit.written.iter());
        let existing = || {
            written()
                .map(|(path, _)| path)
                .filter(|path| site.exists(path))
        };
        Self {
            is_lowered: written().all(|(path, _)| lowered.contains(path)),
            held: existing()
                .map(|path| (path.clone(), site.text(path)))
                .collect(),
            has_broken_link: has_broken_link(site, existing()),
            image_size: image_size(site),
            lowered,
        }
    }
}

fn image_size(site: &TestSite) -> Option<ImageSize> {
    site.file(IMAGE).image_size(&site.db)
}

fn has_broken_link<'a>(site: &TestSite, paths: impl IntoIterator<Item = &'a String>) -> bool {
    let mut pages = paths.into_iter().filter(|path| is_page_path(path));
    let is_broken = pages.any(|path| !link_diagnostics(&site.db, site.file(path)).is_empty());
    site.take();
    is_broken
}

/// In how many tabs the page at `path` stands; a page in none is in the first sidebar, if it is anywhere.
fn listings(site: &TestSite, path: &str) -> usize {
    let docs = site.text("docs.json");
    let name = format!("\"{}\"", path.trim_end_matches(".mdx"));
    let tabs = docs.split("\"tab\"").skip(1);
    tabs.filter(|tab| tab.contains(&name)).count().max(1)
}

fn is_page_path(path: &str) -> bool {
    SitePath::new(path).is_some_and(|path| is_page(&path))
}

/// Says which laws `executed` breaks; empty when it keeps them all.
pub(super) fn broken(
    edit: &Edit,
    before: &Before,
    executed: &BTreeMap<String, Vec<String>>,
    site: &TestSite,
) -> String {
    let mut broken = String::new();
    let mut law = |holds: bool, text: &str| {
        if !holds {
            broken.push_str(&format!("{text}; but ran: {executed:?}\n"));
        }
    };
    let keys = |query: &str| executed.get(query).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = executed.keys().map(String::as_str).collect();

    // For every edit: the text of a page is read once if it changed, and never otherwise.
    let mut drawn = Vec::new();
    let mut touched: Vec<String> = match edit.kind {
        Kind::Promote => before.lowered.clone(),
        _ => edit
            .written
            .iter()
            .filter(|(path, text)| before.held.get(path) != Some(text))
            .map(|(path, _)| path.clone())
            .collect(),
    };
    // Whoever imports a snippet is drawn again with it.
    let importers = |path: &String| path == SNIPPET;
    if touched.iter().any(importers) {
        let files = site.files().map(|file| file.path(&site.db).to_string());
        let mut pages: Vec<String> = files.filter(|path| is_page_path(path)).collect();
        pages.retain(|path| site.text(path).contains(SNIPPET));
        drawn.extend(pages);
    }
    // So is whoever shows a picture that has another size; other pixels wake nobody.
    if before.image_size != image_size(site) {
        let files = site.files().map(|file| file.path(&site.db).to_string());
        let mut pages: Vec<String> = files.filter(|path| is_page_path(path)).collect();
        pages.retain(|path| site.text(path).contains("!["));
        drawn.extend(pages);
    }
    drawn.extend(touched.iter().cloned());
    drawn.retain(|path| is_page_path(path) && site.exists(path));
    drawn.sort();
    drawn.dedup();
    // A page that comes back as it was is not drawn again; one that is still gone is not drawn.
    touched.retain(|path| is_page_path(path) && site.exists(path));
    touched.sort();
    if edit.kind == Kind::Undelete {
        law(
            keys("page_body").len() <= 1,
            "a page that comes back is drawn at most once",
        );
    } else {
        law(
            keys("page_body") == drawn,
            "bodies are drawn of the pages written, those that import what was written, and no other",
        );
        law(
            keys("front_matter") == touched,
            "frontmatter is read of the pages written and no other",
        );
    }
    // Passages are told apart by their texts alone, and their keys do not show them.
    let keyed = (executed.iter()).filter(|(query, _)| !query.starts_with("passage_"));
    for (query, keys) in keyed {
        let mut once = keys.clone();
        once.dedup();
        law(once == *keys, &format!("{query} runs once for each key"));
    }
    // Sections: at most one for each tab, or the one of a site without navigation.
    law(
        keys("section_sidebar").len() <= 3,
        "a sidebar is drawn once for each section",
    );
    law(
        keys("section_header").len() <= 3,
        "a header is drawn once for each section",
    );

    let is_of_pages = touched.len() == 1 && before.is_lowered;
    match edit.kind {
        Kind::Save => law(names.is_empty(), "a save without a change runs nothing"),
        Kind::Words if is_of_pages && !before.has_broken_link => {
            // Its anchors are looked at only if some page links to one, its imports only if it has any.
            let mut names = names.clone();
            names.retain(|name| !matches!(*name, "page_anchors" | "page_imports"));
            names.retain(|name| !OF_SEARCH.contains(name));
            let expected = [
                "front_matter",
                "page_body",
                "page_diagnostics",
                "page_links",
            ];
            law(names == expected, "words wake their page alone");
            for query in ["page_facets", "page_text", "search_digest", "bucket_search"] {
                law(
                    keys(query).len() <= 1,
                    &format!("{query} is asked of the page alone"),
                );
            }
            law(
                keys("passage_embeddings").len() <= 1,
                "words embed their passage alone",
            );
            law(
                keys("page_anchors").len() <= 1,
                "anchors are those of the page",
            );
            law(
                keys("page_imports").len() <= 1,
                "imports are those of the page",
            );
        }
        Kind::Words | Kind::Jsx if is_of_pages => {
            // A broken tag may swallow headings and links, and is a finding of its bucket.
            law(
                !names.iter().any(|name| is_of_site(name)),
                "a body wakes nothing of the site",
            );
            law(
                !names.contains(&"page_label"),
                "a body leaves the label asleep",
            );
        }
        Kind::Heading if is_of_pages => {
            law(
                !names.iter().any(|name| is_of_site(name)),
                "a heading wakes nothing of the site",
            );
            law(
                !names.contains(&"page_label"),
                "a heading leaves the label asleep",
            );
        }
        Kind::Link if is_of_pages => {
            law(
                !names.iter().any(|name| is_of_site(name)),
                "a link wakes nothing of the site",
            );
            law(
                keys("link_diagnostics").len() <= 1,
                "a link is checked on its page alone",
            );
            law(
                keys("bucket_diagnostics").len() <= 1,
                "a link is a finding of its bucket alone",
            );
        }
        Kind::Title | Kind::FrontMatter if is_of_pages => {
            law(
                !names.iter().any(|name| is_of_site(name)),
                "a title wakes nothing of the site",
            );
            law(
                keys("section_sidebar").len() <= listings(site, &touched[0]),
                "a title is in the sidebars that list the page",
            );
            law(
                !names.contains(&"section_header"),
                "a title is in no header",
            );
            law(
                keys("link_diagnostics").len() <= 1,
                "a title wakes no check of another page",
            );
        }
        Kind::Color | Kind::NavLabel => {
            for query in [
                "page_section",
                "sections_by_page",
                "page_list",
                "route_table",
                "link_diagnostics",
                "bucket_diagnostics",
                "page_text",
                "page_text_digest",
                "embedded_passages",
            ] {
                law(
                    !names.contains(&query),
                    &format!("a color or label leaves {query} asleep"),
                );
            }
            if edit.kind == Kind::Color {
                law(
                    !names.iter().any(|name| name.starts_with("section")),
                    "a color wakes no section",
                );
                law(
                    !names.contains(&"navigation_tree"),
                    "a color leaves the navigation asleep",
                );
                let mut of_search = OF_SEARCH.iter();
                law(
                    !of_search.any(|name| names.contains(name)),
                    "a color is not found",
                );
            }
        }
        Kind::Image if before.image_size == image_size(site) => {
            law(names.is_empty(), "other pixels wake nobody");
        }
        Kind::Stylesheet => law(
            names == ["own_files"],
            "a stylesheet wakes the list of such files alone",
        ),
        Kind::Promote => {
            // The readers of a digest: its page, the check of one with a broken link, who imports a snippet.
            let allowed = [
                "front_matter",
                "link_diagnostics",
                "own_files",
                "page_body",
                "page_imports",
            ];
            law(
                names.iter().all(|name| allowed.contains(name)),
                "a promotion reads the files once",
            );
        }
        _ => {}
    }
    broken
}

/// The queries behind what can be found of a page that was edited.
const OF_SEARCH: &[&str] = &[
    "bucket_search",
    "embedded_passages",
    "embedded_title",
    "page_facets",
    "page_text",
    "page_text_digest",
    "passage_embeddings",
    "passage_windows",
    "search_digest",
    "search_manifest",
];

/// Whether a query is of the site or a section as a whole, apart from sidebars, which show titles.
fn is_of_site(name: &str) -> bool {
    matches!(
        name,
        "site_config"
            | "navigation_config"
            | "theme_config"
            | "redirects"
            | "seo_config"
            | "navigation_tree"
            | "sections"
            | "home_page"
            | "has_navigation"
            | "sections_by_page"
            | "page_section"
            | "section_header"
            | "page_list"
            | "route_table"
            | "frame_header"
            | "site_frame"
            | "own_files"
            | "bucket_own_files"
            | "bucket_pages"
            | "bucket_assets"
            | "placements"
            | "page_indexing"
            | "search_config"
    )
}
