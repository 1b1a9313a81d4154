//! The page of a data model, and samples of any schemas.

use std::sync::Arc;

use serde_json::Value;

use super::direction::{Direction, Hidden};
use super::document::Document;
use super::endpoint::{Example, Model, Modelled, Settings};
use super::media::pretty;
use super::merge::Schemas;
use super::operation::external_docs;
use super::reference::component_name;
use super::schema::Schema;
use super::view::{Page, Scope, meta_description};

/// Models the page of the component at `pointer` (`/components/schemas/Pet`), if it exists.
pub fn model<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    settings: &Settings,
) -> Option<Modelled<Model>> {
    let source = document.value(pointer)?;
    let mut page = Page::new(Schemas::new(document), settings);
    let schema = page.schemas.at(pointer)?;
    let flat = page.schemas.flat(&schema);
    let name = component_name(pointer)?;
    let scope = Scope {
        prefix: name.clone(),
        depth: 0,
        hidden: Hidden::Nothing,
        is_request: true,
    };
    let mut root = page.root(&schema, &scope);
    while let Some(smaller) = page.smaller() {
        page = smaller;
        root = page.root(&schema, &scope);
    }
    // The page is titled by it.
    root.view.title = None;
    // The page ends with it.
    root.view.external_docs = None;
    let examples = sample(&mut page, &schema, &scope).into_iter().collect();
    let description = flat.schema.description.clone().unwrap_or_default();
    Some(Modelled {
        value: Model {
            pointer: pointer.to_owned(),
            name,
            meta_description: meta_description(&description),
            description,
            is_deprecated: flat.schema.is_deprecated,
            root,
            examples,
            external_docs: source.as_object().and_then(external_docs),
        },
        diagnostics: page.schemas.diagnostics.into_iter().collect(),
    })
}

/// A sample; none of a schema that nothing is valid against.
fn sample(page: &mut Page<'_, '_>, schema: &Arc<Schema>, scope: &Scope) -> Option<Example> {
    let value = page.schemas.sample(schema, scope.hidden)?;
    Some(Example {
        key: String::new(),
        label: "Example".to_owned(),
        description: String::new(),
        language: "json".to_owned(),
        text: pretty(&value),
        href: None,
        player: None,
        is_generated: true,
    })
}

/// A sample of the schema at `pointer`; `None` if there is no schema or nothing is valid against it.
pub fn sample_at<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    direction: Direction,
) -> Option<Value> {
    let schema = document.schema(pointer)?;
    Schemas::new(document).sample(&schema, direction.hidden())
}
