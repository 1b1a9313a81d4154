//! Compares what an API returned with the responses of its document.

use serde_json::Value;

use super::answer::of_status;
use super::call::covers;
use super::faults::faults;
use super::xml::well_formed;
use super::{Violation, values};
use crate::direction::Hidden;
use crate::document::Document;
use crate::endpoint::Settings;
use crate::media::Format;
use crate::merge::Schemas;
use crate::response::response_schema;
use crate::view::Page;

/// A reply of an API.
#[derive(Clone, Copy, Debug)]
pub struct Returned<'a> {
    /// Status code.
    pub status: u16,
    /// Media type, as it was sent; empty if none was.
    pub media: &'a str,
    /// Body.
    pub body: &'a [u8],
}

/// Outcome of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The response that the document has for the status, as written; `None` if it has none.
    pub response: Option<String>,
    /// The media type that the document has for that of the body, as written; `None` if it has none.
    pub media: Option<String>,
    /// Statuses, or media types of the response, that the document has, where that of the reply is
    /// not one of them.
    pub documented: Vec<String>,
    /// Whether the body was held against a schema.
    pub is_checked: bool,
    /// Differences from the document.
    pub violations: Vec<Violation>,
}

/// Holds `returned` against the operation at `pointer`; `None` if there is no such operation.
pub fn check<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    settings: &Settings,
    returned: Returned<'_>,
) -> Option<Verdict> {
    let mut page = Page::new(Schemas::new(document), settings);
    let view = page.operation(pointer)?.view;
    let schemas = &mut page.schemas;
    schemas.demand_formats();
    let mut verdict = Verdict::default();
    let Some(response) = of_status(&view.responses, returned.status) else {
        let statuses = view.responses.iter().map(|one| one.status.clone());
        verdict.documented = statuses.collect();
        return Some(verdict);
    };
    verdict.response = Some(response.status.clone());
    if returned.body.is_empty() || response.media.is_empty() {
        return Some(verdict);
    }
    let kind = |text: &str| {
        let kind = text.split(';').next().unwrap_or_default();
        kind.trim().to_lowercase()
    };
    let media_type = kind(returned.media);
    let is_same = |written: &str| kind(written) == media_type;
    let mut media = response.media.iter();
    let exact = media.find(|one| is_same(&one.name));
    let range = || {
        let mut media = response.media.iter();
        media.find(|one| covers(&kind(&one.name), &media_type))
    };
    let Some(media) = exact.or_else(range) else {
        let media_types = response.media.iter().map(|one| one.name.clone());
        verdict.documented = media_types.collect();
        return Some(verdict);
    };
    verdict.media = Some(media.name.clone());
    let violation = |name: String, message: String| Violation {
        place: "body",
        name,
        message,
        rule: None,
    };
    let text = String::from_utf8_lossy(returned.body);
    let schema = response_schema(schemas, &view.pointer, &response.status, &media.name);
    let name = if media_type.is_empty() {
        &media.name
    } else {
        returned.media
    };
    let value = match (Format::of(name), schema.is_some()) {
        (Format::Json, _) => match serde_json::from_str::<Value>(&text) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("it is no JSON: {error}");
                verdict.is_checked = true;
                verdict.violations.push(violation(String::new(), message));
                return Some(verdict);
            }
        },
        (Format::Xml, _) => {
            verdict.is_checked = true;
            if let Err(why) = well_formed(&text) {
                let message = format!("it is no XML: {why}");
                verdict.violations.push(violation(String::new(), message));
            }
            return Some(verdict);
        }
        (Format::Text, true) => {
            let schema = schema.as_ref()?;
            if schemas.flat(schema).schema.is_binary {
                return Some(verdict);
            }
            values::typed(schemas, schema, &text)
        }
        // Streams, files and forms are what they are.
        _ => return Some(verdict),
    };
    let Some(schema) = schema else {
        return Some(verdict);
    };
    verdict.is_checked = true;
    let found = faults(schemas, &schema, &value, Hidden::WriteOnly).into_iter();
    verdict.violations = found
        .map(|fault| Violation {
            rule: Some(fault.rule),
            ..violation(fault.at, fault.message)
        })
        .collect();
    Some(verdict)
}
