//! Components of Docusaurus and Starlight, as the components that show the same.

use mdx::js::eval::Value;

use crate::instance::{Children, Instance};

/// Names of the components, apart from those that the theme has too.
pub(super) const NAMES: &[&str] = &["TabItem", "Aside", "Admonition", "CardGrid", "LinkCard"];

/// Returns `element` as a component of this theme if it is one of another tool.
///
/// Only asked for names that the author has not given to a component.
pub(super) fn adopted<'a>(element: &Instance<'a>) -> Option<Instance<'a>> {
    let name = match &*element.name {
        "TabItem" => "Tab",
        "Aside" | "Admonition" => "Callout",
        "CardGrid" => "CardGroup",
        "LinkCard" => "Card",
        "Badge" if element.prop("text").is_some() => "Badge",
        _ => return None,
    };
    let mut adopted = element.with_name(name);
    let mut set = |name: &str, value: Value| adopted.props.push((name.into(), value));
    match &*element.name {
        "TabItem" if element.prop("title").is_none() => {
            let title = element.prop("label").or_else(|| element.prop("value"));
            title
                .into_iter()
                .for_each(|title| set("title", title.clone()));
        }
        "Aside" | "Admonition" => set("type", kind(element)),
        "LinkCard" => adopted.children = text(element.prop("description")),
        "Badge" => adopted.children = text(element.prop("text")),
        _ => {}
    }
    Some(adopted)
}

fn text<'a>(value: Option<&Value>) -> Children<'a> {
    Children::Values(value.into_iter().cloned().collect())
}

/// Kind of a callout of another tool, as `type` of a callout.
fn kind(element: &Instance<'_>) -> Value {
    Value::text(match element.text("type").as_deref() {
        Some("tip") => "tip",
        Some("info" | "important") => "info",
        Some("warning" | "caution") => "warning",
        Some("danger") => "danger",
        _ => "note",
    })
}
