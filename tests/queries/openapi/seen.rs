//! What tests look at of the page of an operation, and the pages of single schemas.

use openapi::endpoint::{Contents, Endpoint, Modelled, Row, View};
use serde_json::Value;

use super::{both_ways, outline, page};

pub(super) const POST: &str = "/paths/~1p/post";

/// The schema of the body of a request.
pub(super) fn request(page: &Modelled<Endpoint>) -> &View {
    &page.value.body.as_ref().unwrap().media[0]
        .root
        .as_ref()
        .unwrap()
        .view
}

/// The schema of the first response.
pub(super) fn response(page: &Modelled<Endpoint>) -> &View {
    &page.value.responses[0].media[0].root.as_ref().unwrap().view
}

/// The example of a body as compact JSON; of none, nothing.
pub(super) fn sent(page: &Modelled<Endpoint>) -> String {
    compact(
        page.value.body.as_ref().unwrap().media[0]
            .examples
            .first()
            .map(|one| one.text.as_str()),
    )
}

/// The example of the first response, likewise.
pub(super) fn returned(page: &Modelled<Endpoint>) -> String {
    compact(
        page.value.responses[0].media[0]
            .examples
            .first()
            .map(|one| one.text.as_str()),
    )
}

pub(super) fn compact(text: Option<&str>) -> String {
    let Some(text) = text else {
        return String::new();
    };
    serde_json::from_str::<Value>(text).map_or(text.to_owned(), |value| value.to_string())
}

/// The row of this name.
pub(super) fn row<'a>(contents: &'a Contents, name: &str) -> &'a Row {
    let found = contents.rows.iter().find(|row| row.name.text() == name);
    found.unwrap_or_else(|| panic!("no row {name} in\n{}", outline(contents)))
}

/// The constraints of a schema, as text.
pub(super) fn chips(view: &View) -> Vec<String> {
    let text = |chip: &openapi::endpoint::Phrase| {
        chip.iter()
            .map(|span| span.text.as_str())
            .collect::<String>()
    };
    view.chips.iter().map(text).collect()
}

/// The page of `POST /p` with this schema in both directions.
pub(super) fn schema(text: &str) -> Modelled<Endpoint> {
    page(&both_ways("3.1.0", "{}", text), POST)
}

/// As [`schema`], in OpenAPI 3.0.
pub(super) fn schema30(text: &str) -> Modelled<Endpoint> {
    page(&both_ways("3.0.3", "{}", text), POST)
}

/// As [`schema`], with components.
pub(super) fn with(schemas: &str, text: &str) -> Modelled<Endpoint> {
    page(&both_ways("3.1.0", schemas, text), POST)
}

pub(super) const PETS: &str = "{Cat: {type: object, required: [petType], properties: {petType: {type: string}, lives: {type: integer}}}, Dog: {type: object, required: [petType], properties: {petType: {type: string}, bark: {type: boolean}}}}";
