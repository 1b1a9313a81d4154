//! Skills: what the author of a site wrote for coding agents (`skill.md`, `.mintlify/skills/NAME/SKILL.md`), and the lists by
//! which agents find them (Agent Skills Discovery, drafts 0.1 and 0.2).

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{SiteOrigin, skill};
use crate::db::Db;
use crate::inputs::{Site, SourceFile};
use crate::outputs::{AGENT_SKILLS, SKILLS, route_table};
use crate::page::skill::SKILL_FILE;
use crate::skill::{SKILL, head, own_file, skill_name};
use base::path::{SitePath, encode_path};

/// Longest description that is listed, in characters (specification of Agent Skills).
const MAX_DESCRIPTION: usize = 1024;

/// A skill that the author of a site wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Name.
    pub name: String,
    /// Purpose, by its frontmatter.
    pub description: Option<String>,
    /// Markdown with its frontmatter.
    pub text: String,
}

/// The skill in `file`, called `name` unless its frontmatter says otherwise.
fn read_skill(db: &dyn Db, file: SourceFile, name: &str) -> Skill {
    let text = String::from_utf8_lossy(&db.bytes(file.digest(db))).into_owned();
    let (own, description) = head(file.path(db), &text);
    Skill {
        name: own.unwrap_or_else(|| name.to_owned()),
        description,
        text,
    }
}

/// The skills of folders of their own, by the names of the folders.
fn in_folders(db: &dyn Db, site: Site) -> Vec<(String, SourceFile)> {
    let files = &route_table(db, site).files;
    let below = files.range(SKILLS.to_owned()..);
    let below = below.take_while(|(path, _)| path.starts_with(SKILLS));
    let named = below.filter_map(|(path, file)| {
        let name = path.strip_prefix(SKILLS)?.strip_suffix(SKILL_FILE)?;
        Some((name.to_owned(), *file))
    });
    named.collect()
}

/// Skills by the author of the site, `skill.md` first.
pub fn skills(db: &dyn Db, site: Site) -> Vec<Skill> {
    let own = own_file(db).map(|file| read_skill(db, file, "skill"));
    let folders = in_folders(db, site).into_iter();
    let folders = folders.map(|(name, file)| read_skill(db, file, &name));
    own.into_iter().chain(folders).collect()
}

/// A row of a list.
struct SkillEntry {
    name: String,
    description: String,
    text: String,
}

/// Every skill of the site as agents find it: those in folders by the names of their folders, and the one of the whole site.
fn list_skills(db: &dyn Db, site: Site, origin: SiteOrigin<'_>) -> Vec<SkillEntry> {
    let of_site = (skill_name(db, site).clone(), skill(db, site, origin));
    let folders = in_folders(db, site).into_iter();
    let folders: Vec<(String, String)> = folders
        .map(|(name, file)| {
            let bytes = db.bytes(file.digest(db));
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    let is_taken = folders.iter().any(|(name, _)| *name == of_site.0);
    let of_site = Some(of_site).filter(|_| !is_taken);
    let all = of_site.into_iter().chain(folders);
    let rows = all.filter_map(|(name, text)| {
        let path = SitePath::new(SKILL)?;
        let description = head(&path, &text).1.unwrap_or_default();
        let description = description.chars().take(MAX_DESCRIPTION).collect();
        Some(SkillEntry {
            name,
            description,
            text,
        })
    });
    rows.collect()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The list of draft 0.1: names, and files below the folder of each.
pub(super) fn list(db: &dyn Db, site: Site, origin: SiteOrigin<'_>) -> String {
    let rows = list_skills(db, site, origin).into_iter().map(
        |row| json!({ "name": row.name, "description": row.description, "files": ["SKILL.md"] }),
    );
    pretty(&json!({ "skills": rows.collect::<Vec<_>>() }))
}

/// The list of draft 0.2: one file for each, with its digest.
pub(super) fn agent_list(db: &dyn Db, site: Site, origin: SiteOrigin<'_>) -> String {
    let rows = list_skills(db, site, origin).into_iter().map(|row| {
        let digest = Sha256::digest(row.text.as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = format!("{AGENT_SKILLS}{}{SKILL_FILE}", encode_path(&row.name));
        json!({
            "name": row.name, "type": "skill-md", "description": row.description,
            "url": super::at(db, site, "", &path), "digest": format!("sha256:{digest}"),
        })
    });
    pretty(&json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": rows.collect::<Vec<_>>(),
    }))
}
