//! Rows of components that have a page of their own, and facts about those pages together with the
//! pages that link there.

use std::collections::{HashSet, VecDeque};

use crate::binding::{model_about, operation_about};
use crate::body::Reference;
use crate::body::reads::grammar_spans;
use crate::body::reference::{model_shared, of_drawn, reference_shared, source_key};
use crate::db::Db;
use crate::inputs::Spec;
use crate::navigation::PageId;
use crate::reference::{ComponentRows, SpecDocument, SpecRead, page_level};
use crate::store::Kind;
use crate::trace::{ReadLog, Subject, cached};
use base::diagnostic::Diagnostic;
use openapi::direction::Direction;
use openapi::search::{FieldGroup, MAX_DEPTH, SharedFields, shared_text};
use openapi::shared::shared_rows;
use theme::reference;

/// Rows of a component, rendered once for all pages that link to it. Wakes when the component
/// changes, or another that it reaches without a page of its own.
#[salsa::tracked(lru = 256)]
pub fn component_rows(db: &dyn Db, rows: ComponentRows) -> Reference {
    let (node, direction) = (rows.node(db), rows.direction(db));
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    cached(
        db,
        Kind::ComponentRows,
        Subject::of(&[
            &source_key(db, spec),
            pointer.as_bytes(),
            direction.word().as_bytes(),
        ]),
        (spec, (pointer.as_str(), direction)),
        drawn_rows,
    )
}

/// Renders what is in the component at `pointer`.
fn drawn_rows(log: &ReadLog<'_, SpecRead>, (pointer, direction): (&str, Direction)) -> Reference {
    let document = SpecDocument::new(log);
    let (settings, base_path) = (document.settings(), document.base_path());
    let Some(modelled) = shared_rows(&document, pointer, direction, settings) else {
        return Reference::default();
    };
    let context = reference::Context {
        base_path,
        by_grammar: &|language, code| grammar_spans(log, language, code),
        is_expanded: settings.is_expanded,
    };
    let drawn = reference::shared_rows(&modelled.value, context);
    Reference {
        search: shared_text(&modelled.value),
        diagnostics: page_level(document.path(), modelled.diagnostics),
        ..of_drawn(drawn, None)
    }
}

/// A row whose contents are on a page of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsLink {
    /// The id of the row.
    pub anchor: String,
    /// The rows.
    pub rows: ComponentRows,
}

/// The rows of a reference of `spec` that lead to pages of rows.
pub(super) fn rows_links(db: &dyn Db, spec: Spec, reference: &Reference) -> Vec<RowsLink> {
    let links = reference.shared.iter().map(|link| RowsLink {
        anchor: link.anchor.clone(),
        rows: ComponentRows::at(db, spec, &link.pointer, link.direction),
    });
    links.collect()
}

/// The pages of rows that a reference of `spec` leads to.
pub fn rows_of(db: &dyn Db, spec: Spec, reference: &Reference) -> Vec<ComponentRows> {
    let rows = rows_links(db, spec, reference)
        .into_iter()
        .map(|link| link.rows);
    let mut seen = HashSet::new();
    rows.filter(|rows| seen.insert(*rows)).collect()
}

/// The rows of a page that lead to pages of rows.
pub fn links_of_page(db: &dyn Db, page: PageId) -> &[RowsLink] {
    match (operation_about(db, page), model_about(db, page)) {
        (Some(operation), _) => reference_shared(db, operation),
        (None, Some(node)) => model_shared(db, node),
        (None, None) => &[],
    }
}

/// The places of the page of rows that links can lead to, and the rows on it that lead to others.
#[salsa::tracked]
pub fn rows_anchors(db: &dyn Db, rows: ComponentRows) -> (Vec<String>, Vec<RowsLink>) {
    let drawn = component_rows(db, rows);
    let links = rows_links(db, rows.node(db).spec(db), drawn);
    (drawn.anchors.clone(), links)
}

/// Diagnostics of the page of rows itself.
#[salsa::tracked]
fn rows_faults(db: &dyn Db, rows: ComponentRows) -> Vec<Diagnostic> {
    component_rows(db, rows).diagnostics.clone()
}

/// Diagnostics of the page of rows, and of all that it links to. Read where diagnostics of the
/// linking pages are listed.
#[salsa::tracked]
pub fn rows_diagnostics(db: &dyn Db, rows: ComponentRows) -> Vec<Diagnostic> {
    let (mut seen, mut open, mut found) = (HashSet::new(), vec![rows], Vec::new());
    while let Some(rows) = open.pop() {
        if !seen.insert(rows) {
            continue;
        }
        found.extend_from_slice(rows_faults(db, rows));
        let links = rows_anchors(db, rows).1.iter();
        open.extend(links.map(|link| link.rows));
    }
    found.sort();
    found.dedup();
    found
}

/// The groups of fields of `reference`, which `page` shows, as deep as they would be found if all of it were on one page.
///
/// Interns nothing: to intern counts as a change, and the text of a page that is made again would wake its readers.
pub fn whole_groups(db: &dyn Db, page: PageId, reference: &Reference) -> Vec<FieldGroup> {
    let mut groups = reference.search.groups.clone();
    if groups.iter().all(|group| group.shared.is_empty()) {
        return groups;
    }
    let links = links_of_page(db, page);
    // What one group has need not be found in the next.
    for group in &mut groups {
        let mut seen = HashSet::new();
        let mut open = VecDeque::new();
        let mut add = |open: &mut VecDeque<_>, shared: SharedFields, links: &[RowsLink]| {
            let rows = rows_among(db, links, &shared);
            if let Some(rows) = rows.filter(|rows| seen.insert((shared.depth, *rows))) {
                open.push_back((shared.depth, rows));
            }
        };
        for shared in std::mem::take(&mut group.shared) {
            add(&mut open, shared, links);
        }
        while let Some((depth, rows)) = open.pop_front() {
            let levels = component_rows(db, rows).search.groups.iter();
            for level in levels.take(MAX_DEPTH.saturating_sub(depth)) {
                group.fields.extend_from_slice(&level.fields);
                for inner in &level.shared {
                    let inner = SharedFields {
                        depth: depth + inner.depth,
                        ..inner.clone()
                    };
                    add(&mut open, inner, &rows_anchors(db, rows).1);
                }
            }
        }
        group.unite();
    }
    groups
}

/// The rows that `shared` names: what is found of a row is rendered as well, so one of `links`
/// leads to them.
fn rows_among(db: &dyn Db, links: &[RowsLink], shared: &SharedFields) -> Option<ComponentRows> {
    let mut rows = links.iter().map(|link| link.rows);
    rows.find(|rows| {
        *rows.node(db).pointer(db) == shared.pointer && rows.direction(db) == shared.direction
    })
}

/// Sets how many results each query of this module keeps that lets go of its results.
pub(super) fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    component_rows::set_lru_capacity(db, capacity);
}
