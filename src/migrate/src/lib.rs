//! Sites of Docusaurus, VitePress, MkDocs and `mint.json`, read as `docs.json`.
//!
//! Pages stay where they are. Where the address of one changes by that, a redirect leads from the old
//! one to the new. What cannot be carried over is a line of the report. Nothing is written here, no
//! program is run, and nothing outside of the folder is read.

mod docusaurus;
mod draft;
mod folder;
mod mint;
mod mkdocs;
mod navigation;
mod node;
mod page;
mod report;
mod script;
mod vitepress;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::draft::Draft;
use crate::folder::Folder;

/// Size of the stack on which configurations are parsed: `script/nesting.rs` bounds how much of it a
/// file can need. The system gives memory to what is used of it.
pub(crate) const STACK: usize = 1 << 30;

/// A generator of documentation sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Docusaurus 2 and 3.
    Docusaurus,
    /// VitePress.
    Vitepress,
    /// MkDocs, with or without Material.
    Mkdocs,
    /// The configuration `mint.json`.
    Mint,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Docusaurus, Self::Vitepress, Self::Mkdocs, Self::Mint];

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docusaurus => "Docusaurus",
            Self::Vitepress => "VitePress",
            Self::Mkdocs => "MkDocs",
            Self::Mint => "mint.json",
        }
    }

    /// Files by which a site of it is recognized, the first that counts first.
    fn files(self) -> Vec<String> {
        let names = |names: &[&str]| {
            let folders = ["", "website/", "docs/"].into_iter();
            let paths =
                folders.flat_map(|folder| names.iter().map(move |name| format!("{folder}{name}")));
            paths.collect()
        };
        match self {
            Self::Docusaurus => names(docusaurus::FILES),
            Self::Vitepress => vitepress::files(),
            Self::Mkdocs => mkdocs::FILES
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            Self::Mint => names(&["mint.json"]),
        }
    }
}

/// What a site comes to.
#[derive(Clone, Debug)]
pub struct Migration {
    /// The generator of the site.
    pub tool: Tool,
    /// Path of its configuration, from the folder.
    pub source: String,
    /// Folder to serve, from the folder; empty for the folder itself.
    pub served: String,
    /// `docs.json` of the folder to serve.
    pub config: Value,
    /// Text of `.mintignore` beside it; empty if none is needed.
    pub ignored: String,
    /// Paths of pages, with titles that the navigation had for them and they themselves do not.
    pub titles: Vec<(String, String)>,
    /// Counts.
    pub counts: Counts,
    /// Pages in the folder that no navigation lists, by name.
    pub unlisted: Vec<String>,
    /// What was not carried over, line by line.
    pub report: Vec<String>,
}

/// Counts of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Pages in the navigation.
    pub listed: usize,
    /// Groups of the navigation.
    pub groups: usize,
    /// Redirects.
    pub redirects: usize,
}

/// Reads the site in `folder`, which is of `tool`, or of the one whose configuration is there.
///
/// # Errors
///
/// If the folder cannot be read, or no configuration is in it.
pub fn migrate(folder: &Path, tool: Option<Tool>) -> anyhow::Result<Migration> {
    let run = || {
        let all = Folder::open(folder)?;
        let (tool, source) =
            detect(&all, tool).with_context(|| format!("migrate {}", folder.display()))?;
        Ok(read(&all, tool, source))
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, run).context("start a thread")?;
        thread
            .join()
            .map_err(|_| anyhow::anyhow!("{}: it could not be read", folder.display()))?
    })
}

/// The generator of the site in `folder`, and its configuration.
fn detect(folder: &Folder, chosen_tool: Option<Tool>) -> anyhow::Result<(Tool, String)> {
    let tools = Tool::ALL
        .into_iter()
        .filter(|tool| chosen_tool.is_none_or(|chosen_tool| chosen_tool == *tool));
    let tools: Vec<Tool> = tools.collect();
    for tool in &tools {
        if let Some(file) = folder.first(&tool.files()) {
            return Ok((*tool, file));
        }
    }
    let looked: Vec<String> = tools
        .iter()
        .map(|tool| {
            let files = match tool {
                Tool::Docusaurus => "docusaurus.config.{js,ts,mjs,cjs,mts}",
                Tool::Vitepress => {
                    ".vitepress/config.{js,ts,mjs,mts,cjs}, also in docs/, doc/ and website/"
                }
                Tool::Mkdocs => "mkdocs.{yml,yaml}",
                Tool::Mint => "mint.json",
            };
            format!("{} ({files})", tool.name())
        })
        .collect();
    bail!(
        "no configuration was found; looked for {}",
        looked.join(", ")
    )
}

fn read(folder: &Folder, tool: Tool, source: String) -> Migration {
    let mut draft = match tool {
        Tool::Docusaurus => docusaurus::read(folder, &source),
        Tool::Vitepress => vitepress::read(folder, &source),
        Tool::Mkdocs => mkdocs::read(folder, &source),
        Tool::Mint => mint::read(folder, &source),
    };
    let (config, redirects) = draft.finish();
    let listed = draft.counts.pages.len();
    let pages = draft.pages.iter().map(|page| draft.page_name(&page.path));
    let pages: BTreeSet<String> = pages.collect();
    let unlisted = pages.difference(&draft.counts.pages).cloned().collect();
    let counts = Counts {
        listed,
        groups: draft.counts.groups,
        redirects,
    };
    let ignored = match draft.ignored.is_empty() {
        true => String::new(),
        false => format!("{}\n", draft.ignored.join("\n")),
    };
    Migration {
        tool,
        titles: titles(&draft),
        unlisted,
        report: draft.report.lines(folder),
        served: draft.served,
        source,
        config,
        ignored,
        counts,
    }
}

/// The files of pages whose labels differ from their titles, with the labels; each file once.
fn titles(draft: &Draft<'_>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let labels = draft.counts.labels.iter();
    let labels = labels.filter(|(page, _)| seen.insert(page.clone()));
    let labels = labels.filter_map(|(page, label)| {
        let file = draft.page_at(&Draft::route(page))?;
        let has_own = file.meta.text_of("sidebarTitle").is_some();
        (!has_own).then(|| (file.path.as_str().to_owned(), label.clone()))
    });
    labels.collect()
}

/// Returns the text of a page with `title` as its title in the sidebar.
pub fn with_sidebar_title(text: &str, title: &str) -> String {
    let line = format!("sidebarTitle: {}\n", Value::from(title));
    match page::split(text) {
        (Some(_), _) => {
            let start = text.find('\n').map_or(0, |at| at + 1);
            format!("{}{line}{}", &text[..start], &text[start..])
        }
        (None, _) => format!("---\n{line}---\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{migrate, with_sidebar_title};

    /// Whatever is cut off or put into a configuration, it is read.
    #[test]
    fn no_configuration_ends_a_migration() {
        let configs = [
            (
                "docusaurus.config.js",
                "const a = { i18n: { locales: ['en', 'de'] }, presets: [['classic', { docs: { path: 'docs', \
                 routeBasePath: '/', versions: { current: { label: 'é' } } } }]], plugins: [['x', {}]], \
                 themeConfig: { navbar: { items: [{ to: '/a', label: 'A' }] } } };\nmodule.exports = a;",
            ),
            (
                ".vitepress/config.ts",
                "const s = (b: string) => [{ text: `é${b}`, link: b, items: [{ link: '/docs/a' }] }]\n\
                 export default { rewrites: { 'docs/:x*': ':x*' }, locales: { root: { lang: 'é' } }, \
                 themeConfig: { nav: [{ text: 'A', link: '/a' }], sidebar: { '/': s('/docs/a'), '/b': s('b') } } }",
            ),
            (
                "mkdocs.yml",
                "site_name: !ENV [A, é]\ntheme: {name: material, palette: {primary: teal}}\nnav:\n- A: a.md\n\
                 - é:\n  - b/\n  - [c]\nplugins:\n- redirects:\n    redirect_maps: {a.md: b.md}\n- i18n\n",
            ),
            (
                "mint.json",
                "{\"name\": \"é\", \"navigation\": [{\"group\": \"a\", \"pages\": [\"docs/a\"]}]}",
            ),
        ];
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [".vitepress", "docs"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("docs/a.md"), "---\ntitle: é\n---\n:::note\n").unwrap();
        for (name, text) in configs {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for &at in ends.iter().step_by(7) {
                let (before, after) = text.split_at(at);
                for part in ["", "[", "'", ",é", "\n- ", ": "] {
                    let text = if part.is_empty() {
                        before.to_owned()
                    } else {
                        format!("{before}{part}{after}")
                    };
                    std::fs::write(root.join(name), &text).unwrap();
                    assert!(migrate(root, None).is_ok(), "{text}");
                }
            }
            std::fs::remove_file(root.join(name)).unwrap();
        }
    }

    #[test]
    fn a_title_is_a_line_of_the_frontmatter() {
        for (text, expected) in [
            ("# A\n", "---\nsidebarTitle: \"B: c\"\n---\n\n# A\n"),
            (
                "---\ntitle: A\n---\nx\n",
                "---\nsidebarTitle: \"B: c\"\ntitle: A\n---\nx\n",
            ),
            ("---\n---\n", "---\nsidebarTitle: \"B: c\"\n---\n"),
        ] {
            assert_eq!(with_sidebar_title(text, "B: c"), expected);
        }
    }
}
