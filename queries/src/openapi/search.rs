//! What can be found of an endpoint.

use super::endpoint::{Contents, Endpoint, Row, View};

/// The words of an endpoint's page, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchText {
    /// The title.
    pub title: String,
    /// The description, Markdown.
    pub description: String,
    /// The method, the path as a whole and cut into words, the `operationId`, the tag, the statuses.
    pub words: Vec<String>,
    /// Parameters and properties with their descriptions and the values they can have, four levels deep.
    pub fields: Vec<(String, String)>,
}

impl SearchText {
    /// All of it as text, a line for each thing.
    pub fn text(&self) -> String {
        let mut lines = vec![
            self.title.clone(),
            self.description.clone(),
            self.words.join(" "),
        ];
        let fields = self.fields.iter();
        lines.extend(fields.map(|(name, about)| format!("{name} {about}").trim_end().to_owned()));
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

/// How deep properties are found.
const MAX_DEPTH: usize = 4;

/// The search text of an endpoint.
pub fn search_text(endpoint: &Endpoint) -> SearchText {
    let mut words = vec![endpoint.method.clone(), endpoint.path.clone()];
    words.extend(path_words(&endpoint.path));
    words.extend(endpoint.operation_id.clone());
    words.extend(endpoint.tag.as_ref().map(|tag| tag.label.clone()));
    words.extend(
        endpoint
            .responses
            .iter()
            .map(|response| response.status.clone()),
    );
    let mut text = SearchText {
        title: endpoint.title.clone(),
        description: endpoint.description.clone(),
        words: Vec::new(),
        fields: Vec::new(),
    };
    for row in endpoint.parameters.iter().flat_map(|group| &group.rows) {
        add_row(row, 1, &mut text.fields);
    }
    let bodies = endpoint.body.iter().flat_map(|body| &body.media);
    let responses = endpoint.responses.iter().flat_map(|response| {
        for row in &response.headers {
            add_row(row, 1, &mut text.fields);
        }
        &response.media
    });
    let roots: Vec<&View> = bodies
        .chain(responses)
        .filter_map(|media| media.root.as_ref())
        .map(|root| &root.view)
        .collect();
    for view in roots {
        add_contents(&view.contents, 0, &mut text.fields);
    }
    let mut seen = Vec::new();
    for word in words {
        if !word.is_empty() && !seen.contains(&word) {
            seen.push(word);
        }
    }
    text.words = seen;
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for field in text.fields {
        if known.insert(field.clone()) {
            fields.push(field);
        }
    }
    text.fields = fields;
    text
}

fn add_row(row: &Row, depth: usize, fields: &mut Vec<(String, String)>) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut about = row.description.clone();
    for value in &row.view.values {
        about.push(' ');
        about.push_str(&value.text);
    }
    fields.push((row.name.text().to_owned(), about.trim().to_owned()));
    add_contents(&row.view.contents, depth, fields);
}

fn add_contents(contents: &Contents, depth: usize, fields: &mut Vec<(String, String)>) {
    for row in &contents.rows {
        add_row(row, depth + 1, fields);
    }
    for branch in contents
        .choosers
        .iter()
        .flat_map(|chooser| &chooser.branches)
    {
        add_contents(&branch.view.contents, depth, fields);
    }
    for block in &contents.blocks {
        add_contents(&block.view.contents, depth, fields);
    }
}

/// The words of a path: cut at `/`, `{}`, `-`, `_` and where small letters become capitals.
fn path_words(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in path.split(['/', '{', '}', '-', '_', '.']) {
        let mut word = String::new();
        let mut was_lower = false;
        for c in piece.chars() {
            if c.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = c.is_lowercase() || c.is_ascii_digit();
            word.push(c);
        }
        words.push(piece.to_owned());
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}
