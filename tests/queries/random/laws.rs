//! What the kind of an edit alone says about the queries that may run, without knowing how they
//! read each other.
//!
//! For an edit of a page that was edited before, the laws are exact or tight; the first edit of a
//! page also pays for the demotion of what rests on it, and is bound by the laws that hold for
//! every edit. The configuration is never demoted. Evicted results are made again after any edit,
//! and are new to those who still hold: nothing may have been evicted since the start.

use std::collections::BTreeMap;

use base::image::ImageSize;
use base::path::SitePath;
use queries::links::link_diagnostics;
use queries::page::is_page;

use super::script::{COMPONENT, IMAGE, Kind, SNIPPET, STYLESHEET};
use super::stage::Files;
use crate::support::TestSite;

/// An edit, and what it found.
pub(super) struct Edit {
    kind: Kind,
    /// The files that it writes, without those that it removes.
    written: Vec<String>,
    /// Whether all pages are there that were there, and no other.
    has_same_pages: bool,
    /// Whether all files it writes had been lowered by an earlier edit.
    is_lowered: bool,
    /// The files that the next promotion would write.
    lowered: Vec<String>,
    /// Whether a page written has a broken link: the place of which is looked for in the text.
    has_broken_link: bool,
    /// How large the picture was.
    image_size: Option<ImageSize>,
}

impl Edit {
    /// An edit that is not written yet, of a site that was asked for everything.
    pub(super) fn new(site: &TestSite, kind: Kind, before: &Files, after: &Files) -> Self {
        let lowered: Vec<String> = site.lowered().map(SitePath::to_string).collect();
        let written = after
            .iter()
            .filter(|(path, text)| before.get(*path) != Some(text));
        let written: Vec<String> = written.map(|(path, _)| path.clone()).collect();
        let mut pages = written.iter().filter(|path| is_page_path(path));
        let has_broken_link = pages.any(|path| {
            site.exists(path) && !link_diagnostics(&site.db, site.file(path)).is_empty()
        });
        Self {
            kind,
            is_lowered: written.iter().all(|path| lowered.contains(path)),
            has_same_pages: before.keys().eq(after.keys()),
            lowered,
            has_broken_link,
            written,
            image_size: image_size(site),
        }
    }

    /// Says which laws `executed` breaks; empty when it keeps them all.
    pub(super) fn broken_laws(
        &self,
        executed: &BTreeMap<String, Vec<String>>,
        site: &TestSite,
    ) -> String {
        let mut laws = Laws {
            executed,
            broken: String::new(),
        };
        let touched = self.for_every_edit(site, &mut laws);
        let is_of_page = touched.len() == 1 && self.is_lowered;
        match self.kind {
            "save" => laws.hold(executed.is_empty(), "a save without a change runs nothing"),
            "words" | "words of another" | "code" | "jsx" | "heading" | "link" if is_of_page => {
                self.of_text(&mut laws);
            }
            // What cannot be read says no subject either.
            "front matter" if is_of_page && has_subject(&site.text(&touched[0])) => {}
            "title" | "front matter" if is_of_page => of_title(&touched[0], site, &mut laws),
            "color" => of_color(&mut laws),
            "label" => of_label(&mut laws),
            "picture" if self.image_size == image_size(site) => {
                laws.hold(executed.is_empty(), "other pixels wake nobody");
            }
            "style" => {
                assert_eq!(self.written, [STYLESHEET]);
                let is_alone = executed.keys().eq(["own_files", "own_style"]);
                laws.hold(
                    is_alone,
                    "a stylesheet wakes itself and the list of such files",
                );
            }
            "component" => {
                assert_eq!(self.written, [COMPONENT]);
                laws.sleep(OF_SITE, "a component wakes nothing of the site");
                laws.hold(
                    laws.keys("file_script") == self.written,
                    "a component is compiled once, and nothing else is",
                );
            }
            "promote" => {
                // Who reads a digest: its page, what is stored under it beside its markup, the check
                // of one with a broken link, who imports a snippet, an endpoint of the author's own.
                let readers = [
                    "front_matter",
                    "link_diagnostics",
                    "file_exports",
                    "file_script",
                    "manual_reference",
                    "own_files",
                    "page_body",
                    "page_facts",
                    "page_imports",
                ];
                let is_reader = |query: &String| readers.contains(&&**query);
                laws.hold(
                    executed.keys().all(is_reader),
                    "a promotion reads the files once",
                );
            }
            _ => {}
        }
        laws.broken
    }

    /// The text of a page is read once if it changed, and never otherwise. Returns the pages
    /// written.
    fn for_every_edit(&self, site: &TestSite, laws: &mut Laws<'_>) -> Vec<String> {
        let mut touched = match self.kind {
            "promote" => self.lowered.clone(),
            _ => self.written.clone(),
        };
        let pages = site.files().map(|file| file.path(&site.db).to_string());
        let pages: Vec<String> = pages.filter(|path| is_page_path(path)).collect();
        let mut drawn = touched.clone();
        let mut also_with = |part: &str| {
            let more = pages.iter().filter(|path| site.text(path).contains(part));
            drawn.extend(more.cloned());
        };
        // Whoever imports a snippet is drawn again with it; so is whoever shows a picture that has
        // another size.
        for imported in [SNIPPET, COMPONENT] {
            if touched.iter().any(|path| path == imported) {
                also_with(imported);
            }
        }
        if self.image_size != image_size(site) {
            also_with("![");
        }
        drawn.retain(|path| pages.contains(path));
        drawn.sort();
        drawn.dedup();
        touched.retain(|path| pages.contains(path));
        touched.sort();
        // Variables and the meaning of dollars stand in the configuration; a page that comes back
        // as it was is not drawn.
        let is_of_config = matches!(self.kind, "room" | "latex" | "docs broken");
        if self.has_same_pages && !is_of_config {
            laws.hold(
                laws.keys("page_body") == drawn,
                "bodies are drawn of the pages written, those that import what was written, and no other",
            );
            laws.hold(
                laws.keys("front_matter") == touched,
                "frontmatter is read of the pages written and no other",
            );
        }
        for (query, keys) in laws.executed {
            let mut once = keys.clone();
            once.dedup();
            laws.hold(once == *keys, &format!("{query} runs once for each key"));
        }
        touched
    }

    /// What is in the text of a page wakes its page.
    fn of_text(&self, laws: &mut Laws<'_>) {
        laws.sleep(OF_SITE, "a body wakes nothing of the site");
        laws.sleep(
            &["page_card", "page_label", "page_title"],
            "a body says no title",
        );
        if self.kind == "link" || (self.kind.starts_with("words") && !self.has_broken_link) {
            laws.at_most_once(&["link_diagnostics", "bucket_diagnostics"]);
        }
        if !self.kind.starts_with("words") {
            return;
        }
        let of_page = [
            "page_anchors",
            "page_blocks",
            "page_binding",
            "page_body",
            "page_facets",
            "page_facts",
            "page_kind",
            "page_shape",
            "page_imports",
            "page_label",
            "page_links",
            "page_markdown",
            "page_text",
            "page_text_digest",
            "bucket_search",
            "front_matter",
            "manual_reference",
            "search_digest",
        ];
        laws.at_most_once(&of_page);
        laws.at_most_once(&["file_script", "page_uses"]);
        laws.sleep(&["page_islands"], "words compile no component");
        laws.hold(
            laws.keys("passage_embeddings").len() <= 1,
            "words embed their passage alone",
        );
    }
}

fn of_title(path: &str, site: &TestSite, laws: &mut Laws<'_>) {
    laws.sleep(OF_SITE, "a title wakes nothing of the site");
    laws.sleep(&["section_header"], "a title is in no header");
    laws.at_most_once(&["link_diagnostics", "page_card"]);
    laws.hold(
        laws.keys("section_sidebar").len() <= listings(site, path),
        "a title is in the sidebars that list the page",
    );
}

fn of_color(laws: &mut Laws<'_>) {
    laws.sleep(ASLEEP_BELOW_LOOKS, "a color wakes frames alone");
    laws.sleep(
        &[
            "navigation_tree",
            "sections",
            "section_sidebar",
            "section_header",
        ],
        "a color wakes no section",
    );
    laws.sleep(OF_SEARCH, "a color is not found");
    laws.sleep(&["page_card"], "a card says no color");
}

fn of_label(laws: &mut Laws<'_>) {
    laws.sleep(ASLEEP_BELOW_LOOKS, "a label wakes lists alone");
}

/// What neither a color nor a label is part of.
const ASLEEP_BELOW_LOOKS: &[&str] = &[
    "bucket_diagnostics",
    "embedded_passages",
    "link_diagnostics",
    "model_reference",
    "operation_reference",
    "page_blocks",
    "page_list",
    "page_section",
    "page_text",
    "page_text_digest",
    "redirect_diagnostics",
    "route_table",
    "sections_by_page",
    "first_pages",
];

/// The queries behind what can be found of a page that was edited.
const OF_SEARCH: &[&str] = &[
    "bucket_search",
    "embedded_passages",
    "embedded_title",
    "page_blocks",
    "page_facets",
    "page_kind",
    "page_markdown",
    "page_shape",
    "page_text",
    "page_text_digest",
    "passage_embeddings",
    "passage_windows",
    "search_digest",
    "search_manifest",
];

/// Queries of the site or of a section as a whole, apart from sidebars, which show titles.
const OF_SITE: &[&str] = &[
    "breadcrumbs",
    "bucket_assets",
    "bucket_own_files",
    "bucket_pages",
    "card_look",
    "frame_header",
    "has_navigation",
    "home_page",
    "navigation_config",
    "navigation_tree",
    "own_files",
    "page_indexing",
    "page_list",
    "page_section",
    "placements",
    "redirect_diagnostics",
    "redirects",
    "route_table",
    "search_config",
    "section_header",
    "sections",
    "sections_by_page",
    "first_pages",
    "seo_config",
    "site_config",
    "site_frame",
    "skill_name",
    "subject_pages",
    "theme_config",
];

/// What ran, and which laws it breaks.
struct Laws<'a> {
    executed: &'a BTreeMap<String, Vec<String>>,
    broken: String,
}

impl<'a> Laws<'a> {
    fn keys(&self, query: &str) -> &'a [String] {
        self.executed.get(query).map_or(&[][..], Vec::as_slice)
    }

    fn hold(&mut self, holds: bool, law: &str) {
        if !holds {
            let executed = self.executed;
            self.broken += &format!("{law}; but ran: {executed:?}\n");
        }
    }

    fn sleep(&mut self, queries: &[&str], law: &str) {
        for query in queries {
            self.hold(self.keys(query).is_empty(), &format!("{law}, not {query}"));
        }
    }

    fn at_most_once(&mut self, queries: &[&str]) {
        for query in queries {
            self.hold(self.keys(query).len() <= 1, &format!("{query} runs once"));
        }
    }
}

fn image_size(site: &TestSite) -> Option<ImageSize> {
    site.file(IMAGE).image_size(&site.db)
}

/// How many lists of `docs.json` have the page at `path`; a page in none is in the first sidebar,
/// if it is anywhere.
fn listings(site: &TestSite, path: &str) -> usize {
    let name = format!("\"{}\"", path.trim_end_matches(".mdx"));
    site.text("docs.json").matches(&name).count().max(1)
}

fn has_subject(text: &str) -> bool {
    let keys = ["\nopenapi:", "\nopenapi-schema:", "\nasyncapi:", "\napi:"];
    keys.iter().any(|key| text.contains(key))
}

fn is_page_path(path: &str) -> bool {
    SitePath::new(path).is_some_and(|path| is_page(&path))
}
