//! Components of a page as scripts of browsers: each file is compiled once, a page joins those that it needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use island::{Fault, Linked, Part, Runtime, Script, Target, Use};

use super::page_body;
use super::sources::with_variables;
use crate::config::content_config;
use crate::db::Db;
use crate::imports::page_imports;
use crate::inputs::{Site, SourceFile};
use base::content::ContentHash;
use base::diagnostic::Diagnostic;
use base::path::{Route, SitePath};
use theme::assets::{ISLANDS as CORE, MORE_OF_ISLANDS as MORE, asset_url};

/// Prefix of the paths of the scripts of pages.
pub const ISLANDS: &str = "/_islands";

/// Path of the script of the page at `route`.
pub fn islands_path(route: &Route) -> String {
    match route.as_str() {
        "/" => format!("{ISLANDS}/index.js"),
        route => format!("{ISLANDS}{route}.js"),
    }
}

/// Components of a page that a script goes on with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageIslands {
    /// The module.
    pub script: Arc<str>,
    /// Its digest.
    pub digest: Option<ContentHash>,
    /// Whether it goes on with the use of this number.
    pub is_live: Vec<bool>,
    /// Why it does not; empty where the page has a diagnostic already.
    pub reasons: Vec<String>,
}

/// What the script of a page says of a use: nothing of where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageUse {
    /// Name of the component; empty for an expression.
    name: String,
    /// File in whose scope it stands.
    file: SitePath,
    /// JSX.
    source: String,
    /// Names that it knows besides, with their values.
    locals: Vec<(String, String)>,
    /// Components of the theme that it shows.
    parts: Vec<(String, String)>,
}

/// The uses of components with state on a page. A projection of [`page_body`]: words around them wake no script.
#[salsa::tracked]
pub fn page_uses(db: &dyn Db, file: SourceFile) -> Vec<PageUse> {
    let uses = page_body(db, file).islands.iter().map(|island| PageUse {
        name: island.name.clone(),
        file: island.file.clone(),
        source: island.source.clone(),
        locals: island.locals.clone(),
        parts: island.parts.clone(),
    });
    uses.collect()
}

/// A file as the body of a function: what an edit of a component compiles. Wakes with the file and the variables of the
/// site.
#[salsa::tracked]
pub fn file_script(db: &dyn Db, file: SourceFile) -> Result<Script, Fault> {
    let path = file.path(db);
    let bytes = db.bytes(file.digest(db));
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if text.contains("{{") {
        text = with_variables(&text, &content_config(db, Site::get(db)).variables);
    }
    if matches!(path.extension().as_str(), "mdx" | "md") {
        text = mdx::parse(path, &text).modules.join("\n\n");
    }
    island::script(&text)
}

/// The script of a page, if it uses components with state. Wakes with the uses, and with the scripts of the files that
/// they need.
#[salsa::tracked]
pub fn page_islands(db: &dyn Db, file: SourceFile) -> PageIslands {
    let uses = page_uses(db, file);
    if uses.is_empty() {
        return PageIslands::default();
    }
    let mut files = Files {
        db,
        page: file,
        known: Vec::new(),
    };
    let compiled: Vec<Result<Use, String>> = uses.iter().map(|used| files.used(used)).collect();
    let linked = files.linked();
    let parts: BTreeMap<&String, &String> = uses
        .iter()
        .flat_map(|used| used.parts.iter().map(|(key, html)| (key, html)))
        .collect();
    let parts: Vec<Part> = parts
        .into_iter()
        .map(|(key, html)| Part {
            key: key.clone(),
            html: html.clone(),
        })
        .collect();
    let live: Vec<Option<Use>> = compiled.iter().map(|used| used.clone().ok()).collect();
    let base_path = Site::get(db).base_path(db);
    let runtime = Runtime {
        core: format!("{base_path}{}", asset_url(CORE)),
        more: format!("{base_path}{}", asset_url(MORE)),
    };
    let module = island::module(&runtime, &linked, &live, &parts, theme::is_component);
    let reasons = compiled.into_iter().map(|used| match (&module, used) {
        (_, Err(reason)) => Some(reason),
        (Err(fault), Ok(_)) => Some(fault.message.clone()),
        (Ok(_), Ok(_)) => None,
    });
    let reasons: Vec<Option<String>> = reasons.collect();
    let is_live: Vec<bool> = reasons.iter().map(Option::is_none).collect();
    let script = module.ok().filter(|_| is_live.contains(&true));
    PageIslands {
        digest: (script.as_ref()).map(|script| ContentHash::of(script.as_bytes())),
        script: script.unwrap_or_default().into(),
        is_live,
        reasons: reasons.into_iter().map(Option::unwrap_or_default).collect(),
    }
}

/// Diagnostics of the uses of a page that its script does not go on with: `otherwise` are those without the reason.
pub(super) fn island_diagnostics(
    db: &dyn Db,
    file: SourceFile,
    otherwise: &[Diagnostic],
) -> Vec<Diagnostic> {
    if otherwise.is_empty() {
        return Vec::new();
    }
    let reasons = &page_islands(db, file).reasons;
    let faults = otherwise.iter().zip(reasons);
    let faults = faults.filter(|(_, reason)| !reason.is_empty());
    let faults = faults.map(|(diagnostic, reason)| {
        let mut diagnostic = diagnostic.clone();
        diagnostic.message.push_str(reason);
        diagnostic
    });
    faults.collect()
}

/// The files that the uses of a page need, in the order in which they were found.
struct Files<'db> {
    db: &'db dyn Db,
    page: SourceFile,
    known: Vec<(SourceFile, &'db Script, Vec<Target>)>,
}

impl<'db> Files<'db> {
    /// A use, compiled; or why it cannot be.
    fn used(&mut self, used: &PageUse) -> Result<Use, String> {
        let file = match self.page.path(self.db) == &used.file {
            true => Some(self.page),
            false => {
                let mut imported = page_imports(self.db, self.page).values().copied();
                imported.find(|file| file.path(self.db) == &used.file)
            }
        };
        let file = file.ok_or_else(|| format!("{} is not there", used.file))?;
        let file = self.number(file)?;
        // What the page does not have is reported as such.
        let root = used.name.split('.').next().unwrap_or_default();
        if root.starts_with(|c: char| c.is_ascii_uppercase()) && !self.knows(file, root) {
            return Err(String::new());
        }
        let (code, free) = island::expression(&used.source).map_err(|fault| fault.message)?;
        Ok(Use {
            file,
            code,
            free,
            locals: used.locals.clone(),
        })
    }

    /// The number of a file, whose imports are followed; or why it has no script.
    fn number(&mut self, file: SourceFile) -> Result<usize, String> {
        if let Some(number) = self.known.iter().position(|(known, _, _)| *known == file) {
            return Ok(number);
        }
        let path = file.path(self.db);
        let script = match file_script(self.db, file) {
            Ok(script) => script,
            Err(fault) => return Err(format!("{path} is no script: {}", fault.message)),
        };
        let number = self.known.len();
        self.known.push((file, script, Vec::new()));
        for import in &script.imports {
            let key = (path.clone(), import.from.clone());
            let target = match page_imports(self.db, self.page).get(&key) {
                None => Target::Package,
                Some(found) if is_markdown(self.db, *found) && import.name == "default" => {
                    Target::Markdown
                }
                Some(found) => Target::File(self.number(*found)?),
            };
            self.known[number].2.push(target);
        }
        Ok(number)
    }

    /// Returns true if `name` has a value in a file.
    fn knows(&self, file: usize, name: &str) -> bool {
        let (_, script, targets) = &self.known[file];
        let mut imports = script.imports.iter().zip(targets);
        script.names.iter().any(|known| known == name)
            || imports.any(|(import, target)| {
                let is_react = import.from.starts_with("react");
                import.local == name && (*target != Target::Package || is_react)
            })
    }

    fn linked(&self) -> Vec<Linked<'db>> {
        let linked = self.known.iter().map(|(_, script, targets)| Linked {
            script,
            targets: targets.clone(),
        });
        linked.collect()
    }
}

fn is_markdown(db: &dyn Db, file: SourceFile) -> bool {
    matches!(file.path(db).extension().as_str(), "mdx" | "md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_path() {
        let path = |route: &str| islands_path(&Route::new(route).unwrap());
        assert_eq!(path("/"), "/_islands/index.js");
        assert_eq!(path("/a/b"), "/_islands/a/b.js");
    }
}
