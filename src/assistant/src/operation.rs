//! Quote of an operation: method and path, requirements of a request, and the code that sends it.

use queries::site::{Block, PageBlocks, markdown};

/// Maximum number of required fields listed.
const MAX_FIELDS: usize = 12;
/// Maximum number of quoted lines of code.
const MAX_LINES: usize = 40;

/// The lead, the required fields and the sample of the operation of a page.
pub(super) fn quote((method, path): (&str, &str), page: &PageBlocks) -> String {
    let mut parts = vec![format!("`{method} {path}`")];
    let fields = page.required.iter().take(MAX_FIELDS).map(|field| {
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
        && sample.code.lines().count() <= MAX_LINES
    {
        parts.push(markdown(&[Block::Code {
            language: Some(sample.language.clone()),
            title: None,
            text: sample.code.clone(),
        }]));
    }
    parts.join("\n\n")
}
