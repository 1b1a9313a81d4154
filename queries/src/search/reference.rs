//! The text of what a page shows of a specification: a passage for what is said of it, one for each group of fields.

use super::Passage;
use super::html;
use mdx::plain::{self, Headings};
use openapi::search::{FieldGroup, SearchText};
use theme::html::escaped;

/// What stands before the author's own words: the description, Markdown.
pub(super) fn description(text: &SearchText) -> Vec<Passage> {
    let (body, code) = read(&text.description, '\n');
    let passage = Passage {
        anchor: None,
        headings: Vec::new(),
        body,
        code,
    };
    let is_empty = passage.body.is_empty() && passage.code.is_empty();
    (!is_empty).then_some(passage).into_iter().collect()
}

/// What stands after them: parameters, body, responses, a line for each field.
pub(super) fn fields(text: &SearchText) -> impl Iterator<Item = Passage> {
    text.groups.iter().map(group)
}

fn group(group: &FieldGroup) -> Passage {
    let (mut body, mut code) = read(&group.description, '\n');
    for (name, about) in &group.fields {
        let (about, about_code) = read(about, ' ');
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(name);
        if !about.is_empty() {
            body.push(' ');
            body.push_str(&about);
        }
        code.push_str(&about_code);
    }
    Passage {
        anchor: Some(group.anchor.clone()),
        headings: vec![group.title.clone()],
        body,
        code,
    }
}

/// The prose and the code of `markdown`, lines of the prose ending in `line`.
fn read(markdown: &str, line: char) -> (String, String) {
    let is_plain = !markdown
        .bytes()
        .any(|byte| b"*_`[]<>#&|~\\\n".contains(&byte));
    if is_plain {
        let words: Vec<&str> = markdown.split_whitespace().collect();
        return (words.join(" "), String::new());
    }
    let mut code = |_: &str, source: &str| format!("<pre>{}</pre>", escaped(source));
    let drawn = plain::html(markdown, Headings::Flat, &mut code, &mut str::to_owned);
    let (mut body, mut code) = (String::new(), String::new());
    for passage in html::passages(&drawn) {
        body.push_str(&passage.body);
        code.push_str(&passage.code);
    }
    match line {
        '\n' => (body, code),
        _ => (body.replace('\n', &line.to_string()), code),
    }
}
