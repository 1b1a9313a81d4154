//! Texts for programs beside the pages, composed of cached facts about the pages.
//!
//! Composed on request and not cached. Memoized is one line for each page, so that an edit of a
//! page costs its own, and as many look-ups as there are pages.

mod index;
mod skills;
mod xml;

pub use index::{IndexEntry, full_text_end, full_text_parts, index_entry};
use index::{full_text, index_text};
pub use skills::{Skill, skills};
pub use xml::{SiteMapEntry, site_map_entry};
use xml::{feed, site_map};

use crate::catalog::overlaid_text;
pub use crate::config::canonical_base;
use crate::config::theme_config;
use crate::db::Db;
use crate::inputs::Site;
use crate::markdown::{has_fragment, page_markdown, page_part, page_twin};
use crate::navigation::PageId;
use crate::outputs::{LLMS, LLMS_FULL, MachineText, SITE_MAP};
use crate::skill::{own_file, skill_name};

/// Addresses of a site that only its server knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteOrigin<'a> {
    /// Start of absolute URLs, such as `https://docs.example.org`. If it is empty they begin with what the author calls
    /// canonical (`seo.metatags.canonical`), else with `/`.
    pub base: &'a str,
    /// Path of the MCP server, such as `/mcp`; `None` if the site has none, as an export.
    pub mcp: Option<&'a str>,
}

impl<'a> From<&'a str> for SiteOrigin<'a> {
    /// Returns the origin of a site without an MCP server.
    fn from(base: &'a str) -> Self {
        Self { base, mcp: None }
    }
}

/// A text for programs; `None` if there is none after all.
pub fn machine_text<'a>(
    db: &dyn Db,
    site: Site,
    text: MachineText,
    origin: impl Into<SiteOrigin<'a>>,
) -> Option<String> {
    let origin = origin.into();
    let base = known_base(db, site, origin.base);
    let origin = SiteOrigin { base, ..origin };
    Some(match text {
        MachineText::Page(page) => page_twin(db, site, page),
        MachineText::Feed(page) => feed(db, site, page, base)?,
        MachineText::Index => index_text(db, site, base),
        MachineText::Full => full_text(db, site, base),
        MachineText::SiteMap => site_map(db, site, base),
        MachineText::Robots => robots(db, site, base),
        MachineText::Skill => skill(db, site, origin),
        MachineText::Skills => skills::list(db, site, origin),
        MachineText::AgentSkills => skills::agent_list(db, site, origin),
        MachineText::Specification(spec, format) => overlaid_text(db, spec, format),
    })
}

/// Asks for what the texts for programs hold of a page: for who has it in memory, and makes these later of what is kept of it.
pub fn read_for_programs(db: &dyn Db, page: PageId) {
    page_markdown(db, page);
    if index_entry(db, page).is_some() && has_fragment(db, page) {
        page_part(db, page);
    }
}

fn known_base<'a>(db: &'a dyn Db, site: Site, base: &'a str) -> &'a str {
    match base {
        "" => canonical_base(db, site).unwrap_or_default(),
        base => base.trim_end_matches('/'),
    }
}

/// Part of the text of all pages ([`full_text_parts`]) for one page; `None` if it is not included.
/// `base` as in [`SiteOrigin`].
pub fn full_text_of(db: &dyn Db, site: Site, page: PageId, base: &str) -> Option<String> {
    index::full_text_of(db, site, page, known_base(db, site, base))
}

/// An address below the root of the site as a whole one.
fn at(db: &dyn Db, site: Site, base: &str, path: &str) -> String {
    format!("{base}{}{path}", site.base_path(db))
}

/// Rules for robots. The line with the site map needs an absolute URL.
fn robots(db: &dyn Db, site: Site, base: &str) -> String {
    let mut text =
        "User-agent: *\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\nAllow: /\n"
            .to_owned();
    if !base.is_empty() {
        text.push_str(&format!("\nSitemap: {}\n", at(db, site, base, SITE_MAP)));
    }
    text
}

/// Instructions for programs that use the documentation: `skill.md` of the author, else generated.
fn skill(db: &dyn Db, site: Site, origin: SiteOrigin<'_>) -> String {
    let base = origin.base;
    if let Some(file) = own_file(db) {
        return String::from_utf8_lossy(&db.bytes(file.digest(db))).into_owned();
    }
    let theme = theme_config(db, site);
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = one_line(&theme.name);
    let described = theme.description.as_deref().map(one_line);
    let description = match &described {
        Some(description) => format!("{description} Use when working with {name}."),
        None => format!("The documentation of {name}. Use when working with {name}."),
    };
    let slug = skill_name(db, site);
    // A YAML string in quotes is a JSON string.
    let quoted = serde_json::Value::from(description);
    let mut text = format!("---\nname: {slug}\ndescription: {quoted}\n---\n\n# {name}\n");
    if let Some(description) = described {
        text.push_str(&format!("\n{description}\n"));
    }
    text.push_str(&format!(
        "\nRead the list of all pages at <{}> first, then the pages that concern the task: each is Markdown at its address with \
         `.md`. All of them in one file are at <{}>.\n",
        at(db, site, base, LLMS),
        at(db, site, base, LLMS_FULL),
    ));
    if let Some(mcp) = origin.mcp {
        // The server answers for the whole host, whatever the path of the site.
        text.push_str(&format!(
            "\nThe MCP server at <{base}{mcp}> (streamable HTTP) searches the pages, reads one or a section of it, and describes \
             operations.\n"
        ));
    }
    let sections = index::section_list(db, site);
    if !sections.is_empty() {
        text.push_str(&format!("\nSections:\n\n{sections}"));
    }
    let specs = index::spec_list(db, site, base);
    if !specs.is_empty() {
        text.push_str(&format!("\nSpecifications of the operations:\n\n{specs}"));
    }
    if let Some(instructions) = crate::markdown::instructions(db, site) {
        text.push_str(&format!("\n{instructions}"));
    }
    text
}
