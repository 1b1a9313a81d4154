//! What can be found of real sites: the text of every page, without signs of the theme and with anchors that are there.

use std::path::Path;

use queries::body::{page_body, reference_of};
use queries::navigation::PageId;
use queries::search::{page_text, search_document};
use queries::site::{Block, Database, answer_blocks, route_table};

use crate::corpus::corpus;
use crate::support::TestSite;

/// The files of a real site that its pages are made of.
fn files(root: &Path, folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(root, &path, found);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_string_lossy();
        let is_read = [".mdx", ".md", ".jsx", ".tsx", ".json", ".yaml", ".yml"]
            .iter()
            .any(|end| name.ends_with(end));
        if is_read {
            found.push((name.clone().into_owned(), std::fs::read(&path).unwrap()));
        }
    }
}

/// What differs between the blocks of a page and what is found of it: both have the same passages with the same words and
/// the same code, in the same order.
fn faults_of_blocks(db: &Database, page: PageId) -> Vec<String> {
    let Some(document) = search_document(db, page) else {
        return Vec::new();
    };
    let found = &document.passages;
    let Some(blocks) = answer_blocks(db, page) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    let passages = blocks.passages.iter().map(|part| &part.passage);
    if !passages.eq(found) {
        faults.push("its blocks are cut otherwise".to_owned());
    }
    for part in &blocks.passages {
        let (mut words, mut code) = (String::new(), String::new());
        for block in &part.blocks {
            for line in block.lines() {
                words.push_str(&line.text);
                words.push('\n');
            }
            if let Block::Code { text, title, .. } = block {
                code.push_str(title.as_deref().unwrap_or(""));
                code.push_str(text);
            }
        }
        // Cells are apart from each other, which only blocks know of.
        let letters = |text: &str| -> String { text.split_whitespace().collect() };
        if letters(&words) != letters(&part.passage.body) {
            let anchor = part.passage.anchor.as_deref().unwrap_or("");
            faults.push(format!(
                "#{anchor} has other words:\n{words}\n{}",
                part.passage.body
            ));
        }
        if letters(&code) != letters(&part.passage.code) {
            let anchor = part.passage.anchor.as_deref().unwrap_or("");
            faults.push(format!(
                "#{anchor} has other code:\n{code}\n{}",
                part.passage.code
            ));
        }
    }
    faults
}

/// Lines that only the theme writes.
const CHROME: &[&str] = &[
    "Copy",
    "Copy code",
    "Show the prompt",
    "Show child attributes",
    "Hide child attributes",
    "Open in Cursor",
    "↩",
];

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn the_text_of_real_pages_is_what_a_reader_sees() {
    let Some(corpus) = corpus() else {
        eprintln!("SKIPPED the_text_of_real_pages_is_what_a_reader_sees: no corpus");
        return;
    };
    let mut wrong = String::new();
    let mut sites: Vec<_> = std::fs::read_dir(corpus.join("sites"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    sites.sort();
    for folder in sites {
        let mut found = Vec::new();
        files(&folder, &folder, &mut found);
        let site = TestSite::new(&found);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (mut pages, mut html_bytes, mut text_bytes, mut passages) = (0, 0, 0, 0);
        let table = route_table(&site.db, site.site).clone();
        for (route, page) in &table.pages {
            let PageId::File(file) = *page else { continue };
            let body = page_body(&site.db, file);
            let given = reference_of(&site.db, *page);
            let text = page_text(&site.db, *page).clone();
            let has_anchor = |anchor: &String| {
                let given = given.is_some_and(|given| given.anchors.contains(anchor));
                given || body.anchors.contains(anchor)
            };
            pages += 1;
            html_bytes += body.html.len();
            passages += text.passages.len();
            let mut fault = |what: &str| wrong.push_str(&format!("{name}{route}: {what}\n"));
            for fault_of_blocks in faults_of_blocks(&site.db, *page) {
                fault(&fault_of_blocks);
            }
            let mut seen = std::collections::BTreeSet::new();
            for passage in &text.passages {
                text_bytes += passage.body.len() + passage.code.len();
                if let Some(anchor) = &passage.anchor {
                    if !has_anchor(anchor) {
                        fault(&format!("#{anchor} is no anchor"));
                    }
                    if !seen.insert(anchor) {
                        fault(&format!("#{anchor} is there twice"));
                    }
                    if passage.headings.last().is_none_or(String::is_empty) {
                        fault(&format!("#{anchor} has no heading"));
                    }
                }
                let lines = passage.body.lines();
                let lines = lines.chain(passage.headings.iter().map(String::as_str));
                for line in lines {
                    // A component of the site may have a button of that name.
                    if CHROME.contains(&line) && body.islands.is_empty() {
                        fault(&format!("{line:?} is of the theme"));
                    }
                    if line.trim() != line || line.contains("  ") {
                        fault(&format!("blanks in {line:?}"));
                    }
                    if line.contains('<') && given.is_none() && !body.html.contains("&lt;") {
                        fault(&format!("a tag is left in {line:?}"));
                    }
                    if line.contains("&lt;") && !body.html.contains("&amp;lt;") {
                        fault(&format!("a reference is left in {line:?}"));
                    }
                }
            }
        }
        eprintln!(
            "{name}: {pages} pages, {passages} passages, {text_bytes} bytes of text in {html_bytes} of HTML"
        );
        // Between the markup of a changelog and that of a page of code.
        assert!(
            html_bytes / 12 < text_bytes && text_bytes < html_bytes,
            "{name}: {text_bytes} bytes of text in {html_bytes} of HTML"
        );
    }
    let wrong: Vec<&str> = wrong.lines().take(20).collect();
    assert_eq!(wrong, [""; 0]);
}
