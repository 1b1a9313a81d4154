//! Passages of a site for another embedder: the texts of those that lack vectors, and the index
//! that stores the vectors.

use std::collections::BTreeMap;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{passage_texts, route_table, search_document};

use super::SearchService;
use crate::embedder::Passages;
use crate::index::external::{Lacking, PassageVectors};
use quire_engine::meter;

impl Passages for SearchService {
    fn lacking(&self, most: usize, is_skipped: &dyn Fn(&ContentHash) -> bool) -> Vec<Lacking> {
        let ready = self.views.complete();
        ready.map_or_else(Vec::new, |view| view.index.lacking(most, is_skipped))
    }

    fn texts(&self, pages: &[Lacking]) -> BTreeMap<ContentHash, Vec<String>> {
        let mut texts = BTreeMap::new();
        for page in pages {
            let read = || {
                self.host().read(|db, site| {
                    let id = route_table(db, site).pages.get(&page.route).copied()?;
                    search_document(db, id)
                })
            };
            let document = meter::in_background(read);
            let document = match document {
                Ok(Some(document)) => document,
                // It was removed in the meantime.
                Ok(None) => continue,
                Err(error) => {
                    tracing::warn!("failed to embed a page: {error}");
                    continue;
                }
            };
            for passage in &document.passages {
                let digest = passage.digest(&document.title);
                if page.passages.contains(&digest) {
                    texts.insert(digest, passage_texts(&document.title, passage));
                }
            }
        }
        texts
    }

    fn give(&self, routes: &[Route], vectors: &PassageVectors) -> anyhow::Result<()> {
        match self.views.complete() {
            Some(view) => view.index.give(routes, vectors),
            None => Ok(()),
        }
    }
}
