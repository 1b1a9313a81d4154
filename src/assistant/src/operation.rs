//! What is said of an operation: method and path, what a request must have, and the code that sends it.

use queries::site::{Block, PageBlocks, markdown};

/// How many required fields are named.
const MOST_FIELDS: usize = 12;
/// How many lines of code are quoted.
const MOST_LINES: usize = 40;

/// The lead, the required fields and the sample of the operation of a page.
pub(super) fn quote((method, path): (&str, &str), page: &PageBlocks) -> String {
    let mut parts = vec![format!("`{method} {path}`")];
    let fields = page.required.iter().take(MOST_FIELDS).map(|field| {
        let label = match field.label.is_empty() {
            true => String::new(),
            false => format!(", {}", field.label),
        };
        format!("- `{}` ({}{label})", field.name, field.place)
    });
    let fields: Vec<String> = fields.collect();
    if !fields.is_empty() {
        parts.push(format!("Required:\n\n{}", fields.join("\n")));
    }
    if let Some(sample) = &page.sample
        && sample.code.lines().count() <= MOST_LINES
    {
        parts.push(markdown(&[Block::Code {
            language: Some(sample.language.clone()),
            title: None,
            text: sample.code.clone(),
        }]));
    }
    parts.join("\n\n")
}
