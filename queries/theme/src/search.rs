//! Configuration of the search dialog in a page: the source of results, and the place of the reader
//! in the site.

use maud::{Markup, html};

/// Source of the results of a page's search dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchSource {
    /// Service at this URL: `/api/sites/<id>/search`.
    Service(String),
    /// Files of the site, read by the browser: the path of their folder, below the site's base
    /// path.
    Files(String),
}

/// Settings of the dialog for one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchView {
    /// Source of results.
    pub source: SearchSource,
    /// Address of the script of the dialog, which is read when it is first wanted.
    pub script: String,
    /// Address of the script that searches files.
    pub searcher: String,
    /// The version that the page belongs to, where there are several.
    pub version: Option<String>,
    /// The language that the page belongs to, where there are several.
    pub language: Option<String>,
}

/// Renders it as an element of the head.
pub fn search_meta(view: &SearchView) -> Markup {
    let (address, searcher) = match &view.source {
        SearchSource::Service(address) => (address, None),
        SearchSource::Files(address) => (address, Some(&view.searcher)),
    };
    html! {
        meta name="quire-search" content=(address) data-script=(view.script) data-searcher=[searcher]
            data-version=[&view.version] data-language=[&view.language];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(source: SearchSource) -> SearchView {
        SearchView {
            source,
            script: "/_theme/search.js".into(),
            searcher: "/_theme/searcher.js".into(),
            version: Some("\"2\"".into()),
            language: None,
        }
    }

    #[test]
    fn only_files_need_a_searcher() {
        let service = search_meta(&view(SearchSource::Service("/api/sites/a/search".into())));
        assert_eq!(
            service.into_string(),
            "<meta name=\"quire-search\" content=\"/api/sites/a/search\" data-script=\"/_theme/search.js\" \
             data-version=\"&quot;2&quot;\">"
        );
        let files = search_meta(&view(SearchSource::Files("/docs/_search/".into())));
        assert!(
            files
                .into_string()
                .contains("data-searcher=\"/_theme/searcher.js\"")
        );
    }
}
