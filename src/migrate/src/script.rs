//! Configuration in JavaScript and TypeScript, read as data as far as its literals go. No program is
//! run: whatever only a program can tell is a node that says so.

mod evaluate;
mod nesting;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use queries::base::path::SitePath;
use serde_json::Value;

use crate::folder::{Folder, join, parent};
use crate::node::{Data, Node, Place};

use self::evaluate::Module;

/// Maximum number of values that a configuration may come to.
const MAX_VALUES: usize = 500_000;

/// Deepest chain of modules that import each other.
const MAX_CHAIN: usize = 16;

/// Endings of modules, in the order in which they are looked for.
const ENDINGS: &[&str] = &[
    "",
    ".ts",
    ".mts",
    ".js",
    ".mjs",
    ".cjs",
    ".cts",
    ".tsx",
    ".jsx",
    ".json",
    "/index.ts",
    "/index.js",
];

/// The exports of a module: `default` and others by name.
pub(crate) type Exports = BTreeMap<String, Node>;

/// Reads modules of one folder.
pub(crate) struct Scripts<'f> {
    folder: &'f Folder,
    /// Modules that are being read.
    chain: RefCell<Vec<String>>,
    /// Modules that were read.
    modules: RefCell<BTreeMap<String, Exports>>,
    /// Number of values that may still be made.
    budget: Cell<usize>,
}

impl<'f> Scripts<'f> {
    /// Returns a reader of modules in `folder`.
    pub(crate) fn new(folder: &'f Folder) -> Self {
        Self {
            folder,
            chain: RefCell::default(),
            modules: RefCell::default(),
            budget: Cell::new(MAX_VALUES),
        }
    }

    /// The value that the module at `path` exports by default, or as `module.exports`.
    pub(crate) fn default_export(&self, path: &str) -> Node {
        let exports = self.exports(path);
        let place = Place::of_file(path);
        exports
            .get("default")
            .cloned()
            .unwrap_or_else(|| Node::unknown("a module without an export that is a literal", place))
    }

    /// The exports of the module at `path`.
    pub(crate) fn exports(&self, path: &str) -> Exports {
        if let Some(known) = self.modules.borrow().get(path) {
            return known.clone();
        }
        let failed = |why: &str, at: usize| {
            let node = Node::unknown(why, Place::at(path, at));
            Exports::from([("default".to_owned(), node)])
        };
        let is_circle = self.chain.borrow().iter().any(|module| module == path);
        if is_circle || self.chain.borrow().len() >= MAX_CHAIN {
            return failed("modules that import each other", 0);
        }
        let Some(text) = self.folder.read(path) else {
            return failed("a file that cannot be read", 0);
        };
        self.chain.borrow_mut().push(path.to_owned());
        let exports = match path.ends_with(".json") {
            true => match serde_json::from_str::<Value>(&text) {
                Ok(value) => of_json(path, &value),
                Err(_) => failed("a file that is not valid JSON", 0),
            },
            false => self
                .parse(path, &text)
                .unwrap_or_else(|(why, at)| failed(&why, at)),
        };
        self.chain.borrow_mut().pop();
        self.modules
            .borrow_mut()
            .insert(path.to_owned(), exports.clone());
        exports
    }

    fn parse(&self, path: &str, text: &str) -> Result<Exports, (String, usize)> {
        if !nesting::is_readable(text) {
            return Err(("a file that is nested too deeply".to_owned(), 0));
        }
        let allocator = Allocator::default();
        let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
        // Configurations of either kind are written with `import` and with `require`.
        let kind = if kind.is_typescript() {
            kind
        } else {
            kind.with_unambiguous(true)
        };
        let parsed = Parser::new(&allocator, text, kind).parse();
        let is_empty = parsed.program.body.is_empty();
        if is_empty && let Some(error) = parsed.diagnostics.iter().next() {
            let at = error
                .labels
                .iter()
                .next()
                .map_or(0, |label| label.offset() as usize);
            return Err((
                format!("a file with a syntax error ({})", error.message),
                at,
            ));
        }
        let module = Module::new(self, path, &parsed.program);
        Ok(module.exports())
    }

    /// Path of the module that `specifier` names in the file at `from`; `None` for a package and for
    /// what is not in the folder.
    fn resolve(&self, from: &str, specifier: &str) -> Option<String> {
        if !specifier.starts_with("./") && !specifier.starts_with("../") {
            return None;
        }
        let stem = join(parent(from), specifier)?;
        // `./a.js` names the file `a.ts` in TypeScript.
        let bare = stem.rsplit_once('.').map(|(bare, _)| format!("{bare}.ts"));
        let candidates = ENDINGS
            .iter()
            .map(|ending| format!("{stem}{ending}"))
            .chain(bare);
        let candidates: Vec<String> = candidates.collect();
        self.folder.first(&candidates)
    }

    /// Takes `count` values from the budget; false if there are not as many left.
    fn spend(&self, count: usize) -> bool {
        let left = self.budget.get().checked_sub(count);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }
}

fn of_json(path: &str, value: &Value) -> Exports {
    let Some(site_path) = SitePath::new(path) else {
        return Exports::new();
    };
    let node = Node::of_value(&site_path, value);
    let mut exports: Exports = match &node.data {
        Data::Object(members) => members.iter().cloned().collect(),
        _ => Exports::new(),
    };
    exports.insert("default".to_owned(), node);
    exports
}

#[cfg(test)]
mod tests;
