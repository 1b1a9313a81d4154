//! The skill of a whole site, and what skills are called.

use serde_json::Value;

use crate::config::theme_config;
use crate::db::Db;
use crate::inputs::{Site, SourceFile, file_named};
use base::path::SitePath;
use mdx::front_matter;

/// The file of the skill of the whole site.
pub const SKILL: &str = "skill.md";

/// The `name` and the description in the frontmatter of a skill.
pub fn head(path: &SitePath, text: &str) -> (Option<String>, Option<String>) {
    let front_matter = front_matter::parse(path, text).value;
    let name = front_matter.other.get("name").and_then(Value::as_str);
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    (name.map(str::to_owned), front_matter.description)
}

/// The skill of the whole site, if its author wrote it.
pub fn own_file(db: &dyn Db) -> Option<SourceFile> {
    file_named(db, &SitePath::new(SKILL)?)
}

/// The name of the skill of the whole site, as it stands in an address: that of its frontmatter, else that of the site.
///
/// Read by the addresses of the site. Wakes when `skill.md` or the theme changes, and is almost always equal to before.
#[salsa::tracked]
pub fn skill_name(db: &dyn Db, site: Site) -> String {
    let own = own_file(db).and_then(|file| {
        let text = String::from_utf8_lossy(&db.bytes(file.digest(db))).into_owned();
        head(file.path(db), &text).0
    });
    let name = slug(&own.unwrap_or_else(|| theme_config(db, site).name.clone()));
    match name.is_empty() {
        true => "docs".to_owned(),
        false => name,
    }
}

/// `name` in lower case, words joined by hyphens.
fn slug(name: &str) -> String {
    let parts = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}
