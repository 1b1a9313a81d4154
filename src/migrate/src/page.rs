//! Pages of the folder: what their frontmatter says to other generators, and what they use that is
//! not carried over.

use queries::base::data::yaml;
use queries::base::path::SitePath;
use regex::Regex;

use crate::folder::{Folder, join, parent};
use crate::node::{Node, Place};
use crate::report::Report;

/// A page as its file has it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Path of the file, from the root of the folder.
    pub(crate) path: SitePath,
    /// Frontmatter; an empty object if there is none or it cannot be read.
    pub(crate) meta: Node,
    /// First heading of level 1.
    pub(crate) heading: Option<String>,
}

impl Page {
    /// Reads the page at `path`.
    pub(crate) fn read(folder: &Folder, path: &SitePath) -> Self {
        let text = folder.read(path.as_str()).unwrap_or_default();
        let (meta, body) = split(&text);
        let value = meta
            .and_then(|meta| yaml::parse(meta).ok())
            .unwrap_or_default();
        Self {
            path: path.clone(),
            meta: Node::of_value(path, &value),
            heading: first_heading(body),
        }
    }

    /// The title that the page has by itself.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.meta.text_of("title");
        title
            .filter(|title| !title.trim().is_empty())
            .or(self.heading.as_deref())
    }

    /// Returns true if the frontmatter keeps the page out of a published site.
    pub(crate) fn is_draft(&self) -> bool {
        self.meta.bool_of("draft") == Some(true)
    }
}

/// Returns true if the file at `path` is a page.
pub(crate) fn is_page(path: &SitePath) -> bool {
    matches!(path.extension().as_str(), "md" | "mdx")
}

/// Splits `text` into its frontmatter, without the lines around it, and the body.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let Some(rest) = text
        .strip_prefix("---")
        .filter(|rest| rest.starts_with(['\n', '\r', ' ']))
    else {
        return (None, text);
    };
    let Some((_, rest)) = rest.split_once('\n') else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

/// The text of the first heading of level 1, outside of code.
fn first_heading(body: &str) -> Option<String> {
    let mut is_code = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_code = !is_code;
        }
        if let (false, Some(heading)) = (is_code, line.strip_prefix("# ")) {
            let heading = heading.split(" {#").next().unwrap_or(heading);
            return Some(heading.trim().trim_end_matches('#').trim().to_owned());
        }
    }
    None
}

/// A feature of pages of another generator: its name, what to write instead, and how it is found.
pub(crate) type Feature = (&'static str, &'static str, &'static str);

/// Features of pages of Docusaurus.
pub(crate) const DOCUSAURUS: &[Feature] = &[
    // Those of tabs, admonitions and code blocks are understood.
    (
        "`import` of `@theme/…`",
        "write another component of Quire; remove the `import`",
        r#"(?m)^import [^\n]*from ['"]@theme/(?:[BD-SU-Z]|A[^d]|C[^o]|T[^a])"#,
    ),
    (
        "`import` of `@site/…`",
        "move what is imported into a snippet, and import it by its path from the root",
        r#"(?m)^import [^\n]*from ['"]@site/"#,
    ),
    (
        "`import` of `@docusaurus/…`",
        "write plain links and pictures; remove the `import`",
        r#"(?m)^import [^\n]*from ['"]@docusaurus/"#,
    ),
    (
        "`require()` of a picture",
        "write the path of the picture: `src=\"./picture.png\"`",
        r"\{\s*require\(",
    ),
    (
        "`<!-- truncate -->` of blog posts",
        "remove the line; lists of posts are not made",
        r"<!--\s*truncate\s*-->|\{/\*\s*truncate\s*\*/\}",
    ),
];

/// Features of pages of VitePress.
pub(crate) const VITEPRESS: &[Feature] = &[
    (
        "`<script setup>`",
        "remove it; components of Vue are not run",
        r"(?m)^\s*<script\b",
    ),
    (
        "`<style>`",
        "move its rules into a `.css` file of the site",
        r"(?m)^\s*<style\b",
    ),
    (
        "`layout: home`",
        "write the hero and the features of the page as text, with `<Card>` in `<CardGroup>`",
        r"(?m)^layout:\s*home\b",
    ),
    (
        "`{{ … }}` of Vue",
        "write the value itself, or a variable of `docs.json`",
        r"\{\{[^}\n]+\}\}",
    ),
    (
        "`<<< @/file` of code",
        "write the code into the page, or into a snippet",
        r"(?m)^\s*<<<\s",
    ),
    (
        "`<!--@include: …-->`",
        "make the file a snippet, and import it",
        r"<!--\s*@include:",
    ),
    (
        "`[[toc]]`",
        "remove it; each page lists its headings",
        r"(?m)^\s*\[\[toc\]\]",
    ),
];

/// Features of pages of MkDocs.
pub(crate) const MKDOCS: &[Feature] = &[
    (
        "`--8<--` snippets",
        "make the file a snippet, and import it",
        r"(?m)^[ \t]*-{1,}8<-{1,}",
    ),
    (
        "`::: module` of mkdocstrings",
        "write the reference as pages; it is not generated from code",
        r"(?m)^::: [A-Za-z_]",
    ),
    (
        "`{: … }` and `{ .class }` of attribute lists",
        "they are left out; write HTML with `className` where they matter",
        r"\{:?\s*[.#][A-Za-z]",
    ),
    (
        "`:icon-name:` of Material",
        "write `<Icon icon=\"…\" />`",
        r":(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:",
    ),
];

/// Counts the `features` that each of `pages` uses.
pub(crate) fn count_features(
    folder: &Folder,
    pages: &[Page],
    features: &[&'static [Feature]],
    report: &mut Report,
) {
    let compiled = features.iter().copied().flatten();
    let compiled = compiled
        .filter_map(|(name, hint, pattern)| Some((*name, *hint, Regex::new(pattern).ok()?)));
    let compiled: Vec<_> = compiled.collect();
    for page in pages {
        let Some(text) = folder.read(page.path.as_str()) else {
            continue;
        };
        let text = without_code(&text);
        for (name, hint, pattern) in &compiled {
            if let Some(found) = pattern.find(&text) {
                let blank = found.as_str().len() - found.as_str().trim_start().len();
                let place = Place::at(page.path.as_str(), found.start() + blank);
                report.count(name, hint, place);
            }
        }
    }
}

/// Counts pages with links to documents that are relative to one of `roots`, folders of documents,
/// and not to the page.
pub(crate) fn count_links_from_roots(
    folder: &Folder,
    pages: &[Page],
    roots: &[String],
    report: &mut Report,
) {
    let Ok(link) = Regex::new(r"\]\(([^)\s#:]+\.mdx?)[)#]") else {
        return;
    };
    for page in pages {
        let path = page.path.as_str();
        let Some(root) = roots
            .iter()
            .find(|root| path.starts_with(&format!("{root}/")))
        else {
            continue;
        };
        let text = folder.read(path).unwrap_or_default();
        let text = without_code(&text);
        let found = link.captures_iter(&text).find_map(|found| {
            let target = found.get(1)?;
            let is_at = |folder_of: &str| {
                join(folder_of, target.as_str()).is_some_and(|path| folder.has(&path))
            };
            let is_plain = !target.as_str().starts_with(['.', '/']);
            (is_plain && !is_at(parent(path)) && is_at(root)).then(|| target.start())
        });
        if let Some(at) = found {
            report.count(
                "links relative to the folder of documents",
                "write them relative to the page (`../a.md`), or from the root (`/docs/a`)",
                Place::at(path, at),
            );
        }
    }
}

/// `text` with blanks in place of fenced code, as long as before.
fn without_code(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let sign = ["```", "~~~"]
            .into_iter()
            .find(|sign| start.starts_with(sign));
        let is_code = fence.is_some() || sign.is_some();
        match (fence, sign) {
            (None, Some(sign)) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign => fence = None,
            _ => {}
        }
        match is_code {
            true => output.extend(
                line.bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            ),
            false => output.push_str(line),
        }
    }
    output
}
