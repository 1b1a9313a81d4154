//! Overlays (OpenAPI Overlay Specification 1.0.0): documents that describe changes of a
//! specification, and their application.
//!
//! Values in, values out; which slices of the specification that is, is the business of the cut. An
//! overlay that is wrong changes what it can: each action is independent.

mod read;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json_path::{JsonPath, PathElement};

use super::pointer;
use crate::diagnostic::{Code, Diagnostic};
use crate::path::SitePath;
use crate::place::Place;

/// An overlay document.
pub struct Overlay {
    path: SitePath,
    actions: Vec<Action>,
    /// Diagnostics of the document by itself.
    pub problems: Vec<Diagnostic>,
}

/// One change of an overlay.
struct Action {
    /// Pointer of the action in its document.
    at: String,
    /// Target as it is written.
    text: String,
    target: JsonPath,
    change: Change,
}

/// Effect of an action on its selection.
enum Change {
    Update(Value),
    Remove,
}

/// The pointers at which a specification was changed, each with its place in the overlay; without
/// removed ones.
pub type ChangedPointers = BTreeMap<String, Option<Place>>;

/// A pointer with the pointer of its origin, while both are walked.
struct Walk<'w> {
    at: String,
    origin: String,
    overlay: &'w SitePath,
    changes: &'w mut ChangedPointers,
}

impl Walk<'_> {
    fn note(&mut self) {
        let origin = Place::value(self.overlay, self.origin.clone());
        self.changes.insert(self.at.clone(), Some(origin));
    }

    /// Runs `step` at a member of both.
    fn with_member(&mut self, here: &str, there: &str, step: impl FnOnce(&mut Self)) {
        let (at, origin) = (self.at.len(), self.origin.len());
        pointer::push(&mut self.at, here);
        pointer::push(&mut self.origin, there);
        step(self);
        self.at.truncate(at);
        self.origin.truncate(origin);
    }

    /// Merges `update` into `target`: objects member by member, lists by appending; everything else
    /// is replaced.
    fn merge(&mut self, target: &mut Value, update: &Value) {
        match (target, update) {
            (Value::Object(target), Value::Object(update)) => {
                for (name, update) in update {
                    self.with_member(name, name, |walk| match target.get_mut(name) {
                        Some(member) => walk.merge(member, update),
                        None => {
                            target.insert(name.clone(), update.clone());
                            walk.note();
                        }
                    });
                }
            }
            (Value::Array(items), Value::Array(more)) => {
                for (i, item) in more.iter().enumerate() {
                    let (here, there) = (items.len().to_string(), i.to_string());
                    self.with_member(&here, &there, Self::note);
                    items.push(item.clone());
                }
            }
            // The structure of an overlay may be that of its document, with names and nothing behind them.
            (Value::Object(_) | Value::Array(_), Value::Null) => {}
            (target, update) if target == update => {}
            (target, update) => {
                *target = update.clone();
                self.note();
            }
        }
    }
}

/// Name of the kind of a value.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Maximum number of nodes that a filter visits.
const MAX_VISITED_NODES: f64 = 5e7;

/// Returns true if filters of `target` that search the whole document for each node would visit too
/// many nodes.
fn is_too_much(target: &str, root: &Value) -> bool {
    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Object(members) => members.values().map(count).sum(),
            _ => 0,
        }
    }
    let roots = target.match_indices('$').skip(1);
    let searches =
        roots.filter(|(at, _)| target[*at..].contains(['*', '?']) || target[*at..].contains(".."));
    match searches.count() {
        0 => false,
        searches => (count(root) as f64).powi(searches as i32 + 1) > MAX_VISITED_NODES,
    }
}

/// The pointers that `target` selects, in an order in which removing one moves no other that is still to come.
fn selected(target: &JsonPath, root: &Value) -> Vec<String> {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum Step<'v> {
        Name(&'v str),
        Index(usize),
    }
    let found = target.query_located(root);
    let paths = found.locations().map(|path| {
        let steps = path.iter().map(|step| match step {
            PathElement::Name(name) => Step::Name(name),
            PathElement::Index(index) => Step::Index(*index),
        });
        (steps.collect::<Vec<_>>(), path.to_json_pointer())
    });
    let mut paths: Vec<_> = paths.collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .rev()
        .map(|(_, pointer)| pointer)
        .collect()
}

impl Overlay {
    /// Changes `root`, the specification `source`. Records the changed values in `changed`; returns
    /// what could not be done.
    pub fn apply(
        &self,
        source: &SitePath,
        root: &mut Value,
        changed: &mut ChangedPointers,
    ) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for action in &self.actions {
            if is_too_much(&action.text, root) {
                let message =
                    "the filter reads the document once for each node, and there are too many";
                let place = Place::value(&self.path, format!("{}/target", action.at));
                let problem = Diagnostic::new(Code::OverlayInvalid, place, message);
                problems
                    .push(problem.hint("compare with `@`, the node itself, rather than with `$`"));
                continue;
            }
            let mut pointers = selected(&action.target, root);
            if pointers.is_empty() {
                let message = format!("`{}` selects nothing in `{source}`", action.text);
                let place = Place::value(&self.path, format!("{}/target", action.at));
                let problem = Diagnostic::new(Code::OverlayUnmatched, place, message);
                problems.push(
                    problem.hint(
                        "check the names for typos, and whether an earlier action removed them",
                    ),
                );
            }
            match &action.change {
                Change::Update(update) => {
                    pointers.reverse();
                    problems.extend(self.update(action, update, root, &pointers, changed));
                }
                Change::Remove => problems.extend(self.remove(action, root, &pointers, changed)),
            }
        }
        problems
    }

    fn update(
        &self,
        action: &Action,
        update: &Value,
        root: &mut Value,
        pointers: &[String],
        changed: &mut ChangedPointers,
    ) -> Option<Diagnostic> {
        let mut problem = None;
        for pointer in pointers {
            let Some(target) = root.pointer_mut(pointer) else {
                continue;
            };
            let mut walk = Walk {
                at: pointer.clone(),
                origin: format!("{}/update", action.at),
                overlay: &self.path,
                changes: changed,
            };
            let (message, hint) = match (&mut *target, update) {
                (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)) => {
                    walk.merge(target, update);
                    continue;
                }
                (Value::Array(items), entry) => {
                    pointer::push_item(&mut walk.at, items.len());
                    items.push(entry.clone());
                    walk.note();
                    continue;
                }
                (Value::Object(_), update) => (
                    format!(
                        "the target selects an object, and `update` is {}",
                        kind_of(update)
                    ),
                    "an object is updated with an object that has the members to change",
                ),
                (target, _) => (
                    format!(
                        "the target selects {}, which cannot be updated",
                        kind_of(target)
                    ),
                    "select the object around it, and name the member in `update`",
                ),
            };
            // One cause, however many nodes it meets.
            problem.get_or_insert_with(|| {
                let place = Place::value(&self.path, format!("{}/target", action.at));
                Diagnostic::new(Code::OverlayInvalid, place, message).hint(hint)
            });
        }
        problem
    }

    fn remove(
        &self,
        action: &Action,
        root: &mut Value,
        pointers: &[String],
        changed: &mut ChangedPointers,
    ) -> Option<Diagnostic> {
        let mut problem = None;
        for pointer in pointers {
            let Some((around, _)) = pointer.rsplit_once('/') else {
                let message = "the document as a whole cannot be removed";
                let place = Place::value(&self.path, format!("{}/target", action.at));
                problem = Some(Diagnostic::new(Code::OverlayInvalid, place, message));
                continue;
            };
            let name = pointer::segments(pointer).last().unwrap_or_default();
            match root.pointer_mut(around) {
                Some(Value::Object(members)) => {
                    members.shift_remove(&name);
                    changed.insert(pointer.clone(), None);
                }
                Some(Value::Array(items)) => {
                    let index = name.parse::<usize>().ok();
                    if let Some(index) = index.filter(|index| *index < items.len()) {
                        items.remove(index);
                        changed.insert(around.to_owned(), None);
                    }
                }
                _ => {}
            }
        }
        problem
    }

    /// Adds to `needed` the pointers below which the specification is read or changed.
    pub fn reach(&self, needed: &mut Vec<String>) {
        for action in &self.actions {
            let (prefix, is_whole) = read::static_prefix(&action.text);
            match &action.change {
                Change::Update(update) if is_whole => leaves(&prefix, update, 3, needed),
                _ => needed.push(prefix),
            }
        }
    }
}

/// The pointers at which merging `update` into `at` ends, down to `levels` below.
fn leaves(at: &str, update: &Value, levels: usize, found: &mut Vec<String>) {
    match update {
        Value::Object(members) if levels > 0 && !members.is_empty() => {
            for (name, member) in members {
                leaves(&pointer::child(at, name), member, levels - 1, found);
            }
        }
        _ => found.push(at.to_owned()),
    }
}

#[cfg(test)]
mod tests;
