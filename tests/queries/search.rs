//! What can be found: of small sites in every word, of real sites by what must hold for all of them.

mod corpus;
mod documents;
mod embeddings;

use queries::navigation::PageId;
use queries::search::{SearchDocument, search_document};
use queries::site::route_table;

use crate::support::TestSite;

/// The documents of a site in order of their routes.
pub(super) fn documents(site: &TestSite) -> Vec<(PageId, SearchDocument)> {
    let table = route_table(&site.db, site.site).clone();
    let documents = table.pages.values().filter_map(|&page| {
        let document = search_document(&site.db, page)?;
        Some((page, (*document).clone()))
    });
    documents.collect()
}

/// A document as text: what is empty is left out.
pub(super) fn shown(document: &SearchDocument) -> String {
    let mut text = format!("{} {:?}\n", document.route, document.title);
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("  {name} {value}\n"));
        }
    };
    line("description", document.description.clone());
    line("keywords", document.keywords.join(", "));
    line("names", document.names.join(", "));
    line("tab", document.facets.tab.clone().unwrap_or_default());
    line(
        "version",
        document.facets.version.clone().unwrap_or_default(),
    );
    line(
        "language",
        document.facets.language.clone().unwrap_or_default(),
    );
    line("tags", document.facets.tags.join(", "));
    if document.boost != 1000 {
        line("boost", document.boost.to_string());
    }
    for passage in &document.passages {
        let anchor = passage.anchor.as_deref().unwrap_or("");
        text.push_str(&format!("  #{anchor} {}\n", passage.headings.join(" > ")));
        for line in passage.body.lines() {
            text.push_str(&format!("    {line}\n"));
        }
        for line in passage.code.lines() {
            text.push_str(&format!("    | {line}\n"));
        }
    }
    text
}
