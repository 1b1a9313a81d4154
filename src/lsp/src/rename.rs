//! Renames: of a heading with the links to it, of a page or a file with everything that names it.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, bail, ensure};
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    RenameFile, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use queries::base::path::{Route, SitePath};
use queries::site::editor::{self, LinkedPlace, links_to};
use queries::site::{PageId, page_anchors};

use crate::moves::{Moves, plan};
use crate::places::occurrences;
use crate::project::{At, Project};
use crate::target::{self, Target, headings};
use crate::text::Text;

/// What can be renamed at an offset, with its range and its present name.
enum RenameTarget {
    Heading { index: usize, range: Range<usize> },
    Page { file: SitePath, range: Range<usize> },
}

fn renamed(at: &At) -> Option<RenameTarget> {
    let source = at.text.as_str();
    let found = at.project.host.read(|db, site| {
        let (target, range) = target::at((db, site), &at.path, source, at.offset)?;
        match target {
            Target::Own(Some(_)) => {
                let headings = headings(source);
                let index = headings.iter().position(|known| known.range == range)?;
                Some(RenameTarget::Heading { index, range })
            }
            Target::Page(place) => match editor::page_at(db, site, &place.route)? {
                PageId::File(file) => {
                    let file = file.path(db).clone();
                    Some(RenameTarget::Page { file, range })
                }
                PageId::Generated(_) => None,
            },
            Target::File(file) => Some(RenameTarget::Page { file, range }),
            _ => None,
        }
    });
    found.ok()?
}

/// Returns the range of what can be renamed at a place, and its present name: the text of a heading, the path of a file.
pub(crate) fn prepare(at: &At) -> Option<(Range<usize>, String)> {
    match renamed(at)? {
        RenameTarget::Heading { range, .. } => {
            let name = at.text.as_str()[range.clone()].to_owned();
            Some((range, name))
        }
        RenameTarget::Page { file, range } => Some((range, file.to_string())),
    }
}

/// Returns the edits of a rename.
///
/// # Errors
///
/// Fails if nothing there can be renamed, or if the name is no path of a file of the site, or is taken.
pub(crate) fn rename(at: &At, name: &str) -> anyhow::Result<WorkspaceEdit> {
    let project = &at.project;
    match renamed(at).context("nothing here can be renamed")? {
        RenameTarget::Heading { index, .. } => rename_heading(at, index, name),
        RenameTarget::Page { file, .. } => {
            let mut new = SitePath::new(name.trim()).context("this is no path of a file")?;
            if new.extension().is_empty() {
                let with_extension = format!("{new}.{}", file.extension());
                new = SitePath::new(&with_extension).context("this is no path of a file")?;
            }
            ensure!(new != file, "this is the present path");
            if project.text(&new).is_some() {
                bail!("{new}: there is a file of this name already");
            }
            let moves = Moves::new(BTreeMap::from([(file.clone(), new.clone())]));
            let mut operations: Vec<DocumentChangeOperation> = edits(project, &moves)
                .into_iter()
                .map(DocumentChangeOperation::Edit)
                .collect();
            let (old, new) = (project.uri_of(&file), project.uri_of(&new));
            let renamed = RenameFile {
                old_uri: old.context("it has no address")?,
                new_uri: new.context("it has no address")?,
                options: None,
                annotation_id: None,
            };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(renamed)));
            Ok(WorkspaceEdit {
                document_changes: Some(DocumentChanges::Operations(operations)),
                ..WorkspaceEdit::default()
            })
        }
    }
}

/// Returns the edits that follow files that the client is about to rename; folders stand for what is in them.
pub(crate) fn will_rename(project: &Project, files: &[(SitePath, SitePath)]) -> WorkspaceEdit {
    let mut renames = BTreeMap::new();
    for (old, new) in files {
        for file in project.host.files_under([old.as_str()]) {
            let rest = file.as_str().strip_prefix(old.as_str());
            let to = rest.and_then(|rest| SitePath::new(&format!("{new}{rest}")));
            if let Some(to) = to {
                renames.insert(file, to);
            }
        }
    }
    let edits = edits(project, &Moves::new(renames));
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(edits)),
        ..WorkspaceEdit::default()
    }
}

/// Returns the edits by which all files follow `moves`, redirects included.
fn edits(project: &Project, moves: &Moves) -> Vec<TextDocumentEdit> {
    let paths = project.host.files_under([""]);
    let text_of = |path: &SitePath| Some(project.text(path)?.as_str().to_owned());
    let planned = plan(paths, &text_of, moves, true);
    let edits = planned.edits.into_iter().filter_map(|edit| {
        let text = project.text(&edit.path)?;
        let changes = changes(&text, &edit.text);
        Some(document_edit(project.uri_of(&edit.path)?, changes))
    });
    edits.collect()
}

fn document_edit(uri: Uri, changes: Vec<TextEdit>) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: changes.into_iter().map(OneOf::Left).collect(),
    }
}

/// Returns the edits that make `new` of `old`: one for each line that differs, or one for all between the first and the last.
fn changes(old: &Text, new: &str) -> Vec<TextEdit> {
    let before: Vec<&str> = old.as_str().split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    if before.len() == after.len() {
        let mut at = 0;
        let mut edits = Vec::new();
        for (before, after) in before.into_iter().zip(after) {
            if before != after {
                edits.push(TextEdit::new(
                    old.range(at..at + before.len()),
                    after.to_owned(),
                ));
            }
            at += before.len();
        }
        return edits;
    }
    let same = |mut pairs: Box<dyn Iterator<Item = (&&str, &&str)> + '_>| {
        let mut len = 0;
        pairs
            .by_ref()
            .take_while(|(a, b)| a == b)
            .for_each(|(line, _)| len += line.len());
        len
    };
    let start = same(Box::new(before.iter().zip(&after)));
    let end = same(Box::new(before.iter().rev().zip(after.iter().rev())));
    let end = end.min(old.as_str().len() - start).min(new.len() - start);
    let range = old.range(start..old.as_str().len() - end);
    vec![TextEdit::new(range, new[start..new.len() - end].to_owned())]
}

fn rename_heading(at: &At, index: usize, name: &str) -> anyhow::Result<WorkspaceEdit> {
    let At {
        project,
        path,
        text,
        ..
    } = at;
    let name = name.trim();
    ensure!(
        !name.is_empty() && !name.contains('\n'),
        "a heading is one line of text"
    );
    let source = text.as_str();
    let headings = headings(source);
    let heading = &headings[index];
    let words: Vec<&str> = headings
        .iter()
        .enumerate()
        .map(|(i, other)| match i == index {
            true => name,
            false => &source[other.range.clone()],
        })
        .collect();
    let ids = editor::heading_ids(&words);
    let mut edits: BTreeMap<SitePath, Vec<TextEdit>> = BTreeMap::new();
    let edit = TextEdit::new(text.range(heading.range.clone()), name.to_owned());
    edits.entry(path.clone()).or_default().push(edit);
    // Headings below may change their numbers, too.
    for (before, after) in headings.iter().zip(&ids) {
        if before.id == *after {
            continue;
        }
        let place = LinkedPlace {
            route: Route::of_page(path),
            anchor: Some(before.id.clone()),
        };
        let links = project.host.read(|db, site| {
            let is_anchor = editor::page_at(db, site, &place.route).is_some_and(|page| {
                matches!(page, PageId::File(file) if page_anchors(db, file).contains(&before.id))
            });
            let links = links_to(db, site, &place).into_iter();
            let links = links.filter(|_| is_anchor);
            links
                .map(|(file, link)| (file.path(db).clone(), link.href))
                .collect::<Vec<_>>()
        });
        for (file, href) in links.unwrap_or_default() {
            let (Some(text), Some((page, _))) = (project.text(&file), href.split_once('#')) else {
                continue;
            };
            let new = format!("{page}#{after}");
            let places = occurrences(text.as_str(), &href);
            let changes = places.map(|range| TextEdit::new(text.range(range), new.clone()));
            edits.entry(file).or_default().extend(changes);
        }
    }
    let changes = edits.into_iter().filter_map(|(file, mut edits)| {
        edits.sort_by_key(|edit| (edit.range.start.line, edit.range.start.character));
        edits.dedup();
        Some(document_edit(project.uri_of(&file)?, edits))
    });
    let changes: Vec<TextDocumentEdit> = changes.collect();
    Ok(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(changes)),
        ..WorkspaceEdit::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Encoding;

    fn applied(old: &str, new: &str) -> String {
        let mut text = Text::new(old.to_owned(), Encoding::Utf16);
        for edit in changes(&text, new).into_iter().rev() {
            text.change(lsp_types::TextDocumentContentChangeEvent {
                range: Some(edit.range),
                range_length: None,
                text: edit.new_text,
            });
        }
        text.as_str().to_owned()
    }

    #[test]
    fn changes_make_the_new_text() {
        let cases = [
            ("a\nb\nc\n", "a\nx\nc\n"),
            ("a\nb\nc", "a\nb\nx\nc"),
            ("a\na\n", "a\na\na\n"),
            ("{\n}\n", "{\n  \"r\": [\n  ]\n}\n"),
            ("", "a\n"),
            ("same\n", "same\n"),
        ];
        for (old, new) in cases {
            assert_eq!(applied(old, new), new, "{old:?}");
        }
    }
}
