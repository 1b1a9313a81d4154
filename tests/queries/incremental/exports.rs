//! A component that a page does not import: the file that exports it is named, and edits of other files look for nothing.

use queries::site::site_diagnostics;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"},
    "navigation": {"pages": ["index", "other"]}}"##;

fn museum() -> TestSite {
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: A\n---\n\n<Price of=\"a\" />\n"),
        ("other.mdx", "---\ntitle: B\n---\n\nText.\n"),
        (
            "snippets/parts.jsx",
            "export const Price = () => <b>1</b>;\n",
        ),
        ("snippets/words.mdx", "export const word = 'a';\n\nText.\n"),
    ]);
    site.outputs();
    hints(&site);
    site.take();
    site
}

fn hints(site: &TestSite) -> Vec<String> {
    let found = site_diagnostics(&site.db, site.site);
    found.into_iter().filter_map(|found| found.hint).collect()
}

#[test]
fn the_file_that_exports_an_unknown_component_is_named() {
    let mut site = museum();
    let import = "snippets/parts.jsx exports it: add `import { Price } from '/snippets/parts.jsx'`";
    assert_eq!(hints(&site), [import]);
    // What the hint says to write mends it.
    let text = site.text("index.mdx");
    let line = "---\n\nimport { Price } from '/snippets/parts.jsx'\n\n<";
    site.set("index.mdx", text.replace("---\n\n<", line));
    assert_eq!(hints(&site), [""; 0]);
    site.set("index.mdx", text);
    site.set("snippets/parts.jsx", "export const Cost = 1;\n");
    assert_ne!(hints(&site), [import]);
    site.set(
        "snippets/words.mdx",
        "export function Price() { return null }\n",
    );
    let import = "snippets/words.mdx exports it: add `import { Price } from '/snippets/words.mdx'`";
    assert_eq!(hints(&site), [import]);
    assert_eq!(differences(&site.outputs(), &site.fresh().outputs()), "");
}

#[test]
fn the_file_of_the_same_language_is_named() {
    let page = "---\ntitle: A\n---\n\n<Price />\n";
    let mut files = vec![("docs.json", DOCS), ("index.mdx", page), ("fr/b.mdx", page)];
    for path in ["snippets/es/a.jsx", "snippets/fr/a.jsx", "snippets/z.jsx"] {
        files.push((path, "export const Price = 1;\n"));
    }
    let site = TestSite::new(&files);
    let found = hints(&site);
    let starts = found
        .iter()
        .filter_map(|hint| hint.split_once(" exports it"));
    let named: Vec<&str> = starts.map(|(path, _)| path).collect();
    assert_eq!(named, ["snippets/fr/a.jsx", "snippets/z.jsx"]);
}

#[test]
fn edits_of_other_files_look_for_no_export() {
    let mut site = museum();
    // The first edit of a file is a promotion, which wakes its readers.
    let text = site.text("snippets/words.mdx");
    site.set("snippets/words.mdx", format!("{text}\n"));
    hints(&site);
    site.take();
    site.set("other.mdx", "---\ntitle: B\n---\n\nOther text.\n");
    hints(&site);
    let executed = site.take_keys();
    for query in ["file_exports", "bucket_exports"] {
        assert!(!executed.contains_key(query), "{query}");
    }
    // Words of a snippet stop at what it exports.
    site.set("snippets/words.mdx", "export const word = 'b';\n\nText.\n");
    hints(&site);
    let executed = site.take_keys();
    assert_eq!(executed.get("file_exports").map(Vec::len), Some(1));
    for query in ["bucket_exports", "page_diagnostics"] {
        assert!(!executed.contains_key(query), "{query}");
    }
}
