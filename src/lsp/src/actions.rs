//! Code actions: what a hint says to write, leaving out a finding, and the preview of a page.

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};
use queries::base::path::SitePath;
use queries::site::is_page;
use quire_engine::report::IGNORE;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cursor;
use crate::text::Text;

/// Command that opens the page in a running preview.
pub(crate) const OPEN_PREVIEW: &str = "quire.openPreview";

/// Data of a finding: what a quick fix writes.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Mend {
    /// The word that was meant.
    pub(crate) word: String,
    /// Edits.
    pub(crate) edits: Vec<TextEdit>,
}

/// Returns what can be done about `diagnostics` of the document at `path`, and with it.
pub(crate) fn actions(
    uri: &Uri,
    path: &SitePath,
    text: &Text,
    diagnostics: &[Diagnostic],
) -> Vec<CodeActionOrCommand> {
    let mut actions: Vec<CodeAction> = Vec::new();
    for diagnostic in diagnostics {
        if let Some(Mend { word, edits }) = mend(diagnostic) {
            actions.push(CodeAction {
                title: format!("Replace with `{word}`"),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(workspace_edit(uri, edits)),
                is_preferred: Some(true),
                ..CodeAction::default()
            });
        }
    }
    for diagnostic in diagnostics {
        actions.extend(ignored(uri, path, text, diagnostic));
    }
    let mut actions: Vec<CodeActionOrCommand> =
        actions.into_iter().map(CodeActionOrCommand::from).collect();
    if is_page(path) {
        let argument = Value::String(uri.as_str().to_owned());
        let title = "Open the page in the preview".to_owned();
        let command = Command {
            title: title.clone(),
            command: OPEN_PREVIEW.to_owned(),
            arguments: Some(vec![argument]),
        };
        actions.push(CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::SOURCE),
            command: Some(command),
            ..CodeAction::default()
        }));
    }
    actions
}

fn mend(diagnostic: &Diagnostic) -> Option<Mend> {
    serde_json::from_value(diagnostic.data.clone()?).ok()
}

/// Returns the action that has a finding of the text of a page left out.
fn ignored(uri: &Uri, path: &SitePath, text: &Text, diagnostic: &Diagnostic) -> Option<CodeAction> {
    let lsp_types::NumberOrString::String(code) = diagnostic.code.as_ref()? else {
        return None;
    };
    let start = text.offset(Position::new(diagnostic.range.start.line, 0));
    let body = cursor::front_matter(text.as_str()).map_or(0, |block| block.end);
    if !is_page(path) || start < body {
        return None;
    }
    let line = text.as_str()[start..].lines().next().unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    let at = Position::new(diagnostic.range.start.line, 0);
    let comment = format!("{indent}{{/* {IGNORE} {code} */}}\n");
    let edit = TextEdit::new(Range::new(at, at), comment);
    Some(CodeAction {
        title: format!("Ignore `{code}` here"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(workspace_edit(uri, vec![edit])),
        ..CodeAction::default()
    })
}

fn workspace_edit(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version: None,
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    };
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![edit])),
        ..WorkspaceEdit::default()
    }
}
