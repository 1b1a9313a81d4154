//! Skills, which an author writes for coding agents: which files hold them.

use base::path::SitePath;

/// The folder in which an author keeps a folder for each skill.
const SKILL_FOLDERS: &str = ".mintlify/skills/";
/// Suffix of the path of a skill.
pub const SKILL_FILE: &str = "/SKILL.md";

/// The name of the skill in the file at `path`: that of its folder.
pub fn skill_in(path: &SitePath) -> Option<&str> {
    let name = path.as_str().strip_prefix(SKILL_FOLDERS)?;
    let name = name.strip_suffix(SKILL_FILE)?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

/// The file of the skill `name` in a folder of its own.
pub fn skill_file(name: &str) -> Option<SitePath> {
    let path = SitePath::new(&format!("{SKILL_FOLDERS}{name}{SKILL_FILE}"))?;
    (skill_in(&path) == Some(name)).then_some(path)
}
