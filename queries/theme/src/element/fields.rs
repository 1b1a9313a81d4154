//! Parameters and fields of an API.

use super::children;
use crate::components::fields::{Field, field};
use crate::html::slot;
use crate::instance::Instance;
use crate::label::Label;
use crate::prose::Writer;

/// Renders `<ParamField>` or `<ResponseField>`.
pub(super) fn draw_field<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> maud::Markup {
    let location = ["path", "query", "body", "header", "cookie"]
        .into_iter()
        .find(|name| element.prop(name).is_some());
    let name = location
        .and_then(|location| writer.label(element, location))
        .or_else(|| writer.label(element, "name"));
    let name = name.unwrap_or_default();
    // Published links name fields so: `#param-expires-in-days` of `expiresInDays`.
    let id = (!name.text().is_empty()).then(|| {
        let slug = mdx::heading::field_slug(name.text());
        writer.ids.claim(format!("param-{slug}"))
    });
    let mut value_of = |name: &str| {
        writer.label(element, name).or_else(|| {
            let value = element.json(name)?;
            Some(Label::from(value.to_string()))
        })
    };
    let (default, placeholder) = (value_of("default"), value_of("placeholder"));
    let view = Field {
        name,
        kind: writer.label(element, "type"),
        location: location
            .filter(|_| &*element.name != "ResponseField")
            .map(str::to_owned),
        required: element.flag("required"),
        deprecated: element.flag("deprecated"),
        default,
        placeholder,
        options: element.texts("enum"),
        pre: element.texts("pre"),
        post: element.texts("post"),
        id,
    };
    field(&view, slot(&children(writer, element)))
}
