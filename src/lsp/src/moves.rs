//! Moved files, and the edits by which everything that names them follows.

mod config;
mod moved;
mod text;

use std::collections::BTreeMap;

use queries::base::path::SitePath;

pub use moved::Moves;

/// New text of a file, with the number of changed places.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Path before the move.
    pub path: SitePath,
    /// Text.
    pub text: String,
    /// Number of links, imports and entries that follow.
    pub places: usize,
}

/// Edits that follow a move.
#[derive(Clone, Debug, Default)]
pub struct MovePlan {
    /// Edits.
    pub edits: Vec<Edit>,
    /// File of redirects, and the number of those that are added to it.
    pub redirects: Option<(SitePath, usize)>,
}

/// Returns the edits by which the files at `paths` follow `moves`. `text_of` returns the text of a file, `None` for what is no
/// text.
pub fn plan(
    paths: impl IntoIterator<Item = SitePath>,
    text_of: &dyn Fn(&SitePath) -> Option<String>,
    moves: &Moves,
    has_redirects: bool,
) -> MovePlan {
    let configs = configs(text_of);
    let is_read = |path: &SitePath| match path.extension().as_str() {
        "mdx" | "md" | "jsx" | "tsx" => true,
        "json" => configs.contains(path),
        _ => false,
    };
    let paths = paths.into_iter().filter(is_read);
    let mut edits: BTreeMap<SitePath, Edit> = paths
        .filter_map(|path| {
            let edit = edit(&path, &text_of(&path)?, moves)?;
            Some((path, edit))
        })
        .collect();
    let redirects = match has_redirects {
        true => add_redirects(text_of, moves, &mut edits),
        false => None,
    };
    MovePlan {
        edits: edits.into_values().collect(),
        redirects,
    }
}

/// Returns the change of one file; `None` if nothing in it names what is moved.
fn edit(path: &SitePath, text: &str, moves: &Moves) -> Option<Edit> {
    let (text, places) = match path.extension().as_str() {
        "json" => config::rewrite(text, moves),
        _ => text::rewrite(path, text, moves),
    };
    (places > 0).then(|| Edit {
        path: path.clone(),
        text,
        places,
    })
}

/// Returns the configuration and the files that it refers to.
fn configs(text_of: &dyn Fn(&SitePath) -> Option<String>) -> Vec<SitePath> {
    let mut found: Vec<SitePath> = (["docs.json", "mint.json"].iter())
        .filter_map(|name| SitePath::new(name))
        .collect();
    let mut at = 0;
    while let Some(path) = found.get(at).cloned() {
        at += 1;
        let Some(text) = text_of(&path) else {
            continue;
        };
        let references = config::references(&text);
        let named = references.iter().filter_map(|words| path.resolve(words));
        for named in named.collect::<Vec<_>>() {
            if !found.contains(&named) {
                found.push(named);
            }
        }
    }
    found
}

/// Adds redirects of pages to the configuration, or to the file of redirects that it names; returns
/// that file and their number.
fn add_redirects(
    text_of: &dyn Fn(&SitePath) -> Option<String>,
    moves: &Moves,
    edits: &mut BTreeMap<SitePath, Edit>,
) -> Option<(SitePath, usize)> {
    let routes = moves.routes();
    let config = SitePath::new("docs.json")?;
    let of = |path: &SitePath, edits: &BTreeMap<SitePath, Edit>| match edits.get(path) {
        Some(edit) => Some(edit.text.clone()),
        None => text_of(path),
    };
    let text = of(&config, edits)?;
    let path = match config::redirects_file(&text) {
        Some(named) => config.resolve(&named)?,
        None => config,
    };
    let text = config::with_redirects(&of(&path, edits)?, &routes)?;
    let edit = edits.entry(path.clone()).or_insert_with(|| Edit {
        path: path.clone(),
        text: String::new(),
        places: 0,
    });
    edit.text = text;
    Some((path, routes.len()))
}
