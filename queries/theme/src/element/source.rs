//! The text that a component reads in a language of its own: of diagrams, of formulas.

use crate::instance::{Children, Instance};
use crate::prose::{BodyPart, Writer};

/// The text of the prop `prop`, of the expression or the code block between the tags, or what else stands there.
pub(super) fn of<'a>(writer: &mut Writer<'a>, element: &Instance<'a>, prop: &str) -> String {
    if let Some(text) = element.text(prop) {
        return text;
    }
    if let Children::Fragment(fragment) = &element.children
        && let Some(value) = writer.only_expression(fragment)
        && let Ok(text) = value.to_text()
    {
        return text.to_string();
    }
    for part in writer.parts(&element.children) {
        if let BodyPart::Code { code, .. } = part {
            return code;
        }
    }
    match &element.children {
        Children::Fragment(fragment) => fragment.text.trim().to_owned(),
        Children::Values(values) => {
            let texts = values.iter().filter_map(|value| value.to_text().ok());
            texts.map(|text| text.to_string()).collect()
        }
    }
}
