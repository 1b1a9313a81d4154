//! Components with many rows: rendered once for each direction, on a page of their own that all
//! others lead to.
//!
//! A row whose values are such a component shows its type and size; the page of the component has
//! the rest. What a body, a response or a data model is itself stays in its place, and so does
//! everything that is written in place.

use super::direction::Direction;
use super::document::Document;
use super::endpoint::{Modelled, Root, Settings};
use super::merge::Schemas;
use super::reference::component_name;
use super::view::{Page, Scope};

/// Maximum number of rows of a component, with nested ones, that is shown at each of its uses.
pub const LARGE: usize = 100;

/// Prefix of the ids of the rows of a component.
pub const ROWS: &str = "rows";

/// Content of a component, as the page of its rows shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRows {
    /// The name of the component.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// Its root.
    pub root: Root,
}

/// Models the contents of the component at `pointer` (`/components/schemas/Pet`), if it exists.
pub fn shared_rows<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    direction: Direction,
    settings: &Settings,
) -> Option<Modelled<SharedRows>> {
    let mut page = Page::new(Schemas::new(document), settings);
    let schema = page.schemas.at(pointer)?;
    let scope = scope(direction);
    let mut root = page.root(&schema, &scope);
    while let Some(smaller) = page.smaller() {
        page = smaller;
        root = page.root(&schema, &scope);
    }
    let flat = page.schemas.flat(&schema);
    Some(Modelled {
        value: SharedRows {
            name: component_name(pointer)?,
            description: flat.schema.description.clone().unwrap_or_default(),
            root,
        },
        diagnostics: page.schemas.diagnostics.into_iter().collect(),
    })
}

/// Returns true if the component at `pointer` has more than [`LARGE`] rows, including those of
/// components in it. Counts no further than that.
pub fn is_large<'d>(document: &dyn Document<'d>, pointer: &str, settings: &Settings) -> bool {
    let settings = Settings {
        rows: LARGE,
        ..settings.clone()
    };
    let mut page = Page::counting(Schemas::new(document), &settings);
    let Some(schema) = page.schemas.at(pointer) else {
        return false;
    };
    page.root(&schema, &scope(Direction::Model));
    page.is_discarded()
}

fn scope(direction: Direction) -> Scope {
    Scope {
        prefix: ROWS.to_owned(),
        depth: 0,
        hidden: direction.hidden(),
        is_request: direction.is_request(),
    }
}
