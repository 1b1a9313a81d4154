//! Resources: pages as Markdown, specifications, and the skills that authors write for programs.

use queries::base::path::encode_path;
use queries::site::{Skill, catalog_pages, catalog_specs, page_markdown, skills, spec_text};

use super::pages::{not_found, page_at, path_of};
use super::{Failure, SiteTools};

/// Number of resources per page of the list.
pub(super) const LISTED: usize = 100;

/// Prefix of the addresses of pages.
const PAGES: &str = "docs://pages";
const SPECS: &str = "docs://specs/";
const SKILLS: &str = "docs://skills/";

const MARKDOWN: &str = "text/markdown";

/// The template of the addresses of pages.
pub(super) const TEMPLATE: &str = "docs://pages/{+path}";

/// Something that can be read.
pub(super) struct ResourceEntry {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) media_type: &'static str,
}

/// Something that was read.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) media_type: &'static str,
}

/// The part of the list that begins at `cursor`, and where the next begins.
pub(super) fn list(
    tools: &SiteTools,
    cursor: Option<&str>,
) -> Result<(Vec<ResourceEntry>, Option<String>), Failure> {
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => (cursor.parse()).map_err(|_| {
            Failure::invalid("the cursor is none of this server; begin without one")
        })?,
    };
    let (skills, pages, specs) = tools.read(|db, site| {
        let (pages, specs) = (catalog_pages(db, site), catalog_specs(db, site));
        (skills(db, site), pages, specs)
    })?;
    let mut all: Vec<ResourceEntry> = skills.iter().map(of_skill).collect();
    all.extend(pages.into_iter().map(|page| ResourceEntry {
        uri: format!("{PAGES}{}", page.route.href()),
        name: page.route.to_string(),
        title: page.title,
        description: page.description,
        media_type: MARKDOWN,
    }));
    all.extend(specs.into_iter().map(|spec| ResourceEntry {
        uri: format!("{SPECS}{}", spec_name(&spec)),
        title: format!("OpenAPI specification {spec}"),
        description: None,
        media_type: match spec.ends_with(".json") {
            true => "application/json",
            false => "application/yaml",
        },
        name: spec,
    }));
    let total = all.len();
    let part: Vec<ResourceEntry> = all.into_iter().skip(from).take(LISTED).collect();
    let next =
        (from + part.len() < total && !part.is_empty()).then(|| (from + part.len()).to_string());
    Ok((part, next))
}

/// A specification as the address of its resource names it: an address elsewhere is one segment.
fn spec_name(path: &str) -> String {
    match path.contains("://") {
        true => encode_path(path).replace('/', "%2F").replace(':', "%3A"),
        false => encode_path(path),
    }
}

fn of_skill(skill: &Skill) -> ResourceEntry {
    ResourceEntry {
        uri: format!("{SKILLS}{}", encode_path(&skill.name)),
        name: skill.name.clone(),
        title: format!("Skill: {}", skill.name),
        description: skill.description.clone(),
        media_type: MARKDOWN,
    }
}

/// Resource at `uri`.
pub(super) fn read(tools: &SiteTools, uri: &str) -> Result<Text, Failure> {
    if let Some(name) = uri.strip_prefix(SKILLS) {
        let skills = tools.read(skills)?;
        let mut named = skills
            .into_iter()
            .filter(|skill| encode_path(&skill.name) == name);
        let skill = named.next().ok_or_else(|| nothing(uri))?;
        return Ok(Text {
            text: skill.text,
            media_type: MARKDOWN,
        });
    }
    if let Some(name) = uri.strip_prefix(SPECS) {
        let found = tools.read(|db, site| {
            let specs = catalog_specs(db, site);
            let path = specs.iter().find(|path| spec_name(path) == name)?;
            spec_text(db, site, path)
        })?;
        let (text, is_yaml) = found.ok_or_else(|| nothing(uri))?;
        return Ok(Text {
            text,
            media_type: match is_yaml {
                true => "application/yaml",
                false => "application/json",
            },
        });
    }
    let path = uri.strip_prefix(PAGES).filter(|path| path.starts_with('/'));
    let path = path_of(path.ok_or_else(|| nothing(uri))?);
    let text = tools.read(|db, site| {
        let found = page_at(db, site, &path).ok_or_else(|| not_found(db, site, &path))?;
        Ok::<_, Failure>(page_markdown(db, found.page).to_string())
    })?;
    text.map(|text| Text {
        text,
        media_type: MARKDOWN,
    })
    .map_err(|failure| match failure {
        Failure::Wrong(message) => Failure::Unknown(message),
        other => other,
    })
}

fn nothing(uri: &str) -> Failure {
    Failure::Unknown(format!("there is no resource `{uri}`"))
}
