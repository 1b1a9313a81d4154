//! Quote of an operation: method and path, requirements of a request, and the code that sends it.

use queries::site::{Block, CodeLanguage, PageBlocks, RequestSample, code_language, markdown};

/// Maximum number of required fields listed.
const MAX_FIELDS: usize = 12;
/// Maximum number of quoted lines of code.
const MAX_LINES: usize = 40;

/// The lead, the required fields and a sample of the operation of a page: that in `language`, or else the first.
pub(super) fn quote(
    (method, path): (&str, &str),
    page: &PageBlocks,
    language: Option<&CodeLanguage>,
) -> String {
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
    let sample = language.and_then(|language| sample_in(page, language));
    if let Some(sample) = sample.or(page.samples.first())
        && sample.code.lines().count() <= MAX_LINES
    {
        parts.push(code(sample));
    }
    parts.join("\n\n")
}

/// The code of `sample`, as CommonMark.
pub(super) fn code(sample: &RequestSample) -> String {
    markdown(&[Block::Code {
        language: Some(sample.language.clone()),
        title: None,
        text: sample.code.clone(),
    }])
}

/// The sample of a page in `language`, if it has one.
pub(super) fn sample_in<'a>(
    page: &'a PageBlocks,
    language: &CodeLanguage,
) -> Option<&'a RequestSample> {
    let named = page
        .samples
        .iter()
        .find(|sample| sample.label == language.label);
    let colored = || {
        let mut samples = page.samples.iter();
        samples
            .find(|sample| code_language(&sample.language).is_some_and(|of| of.id == language.id))
    };
    named.or_else(colored)
}
