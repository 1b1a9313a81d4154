//! Parameters and fields of an API.

use super::children;
use crate::components::fields::{Field, field};
use crate::html::slot;
use crate::instance::Instance;
use crate::prose::Writer;
use mdx::value;

/// Draws `<ParamField>` or `<ResponseField>`.
pub(super) fn draw_field<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> maud::Markup {
    let location = ["path", "query", "body", "header"]
        .into_iter()
        .find(|name| element.prop(name).is_some());
    let name = location
        .and_then(|location| element.text(location))
        .or_else(|| element.text("name"));
    let name = name.unwrap_or_default();
    // Published links name fields so: `#param-icons`.
    let id = (!name.is_empty()).then(|| {
        let slug = mdx::heading::slug(&name);
        writer.ids.claim(format!("param-{slug}"))
    });
    let text_of = |name: &str| {
        let value = element.json(name)?;
        Some(value::to_text(&value).unwrap_or_else(|| value.to_string()))
    };
    let view = Field {
        name,
        kind: element.text("type"),
        location: location
            .filter(|_| &*element.name != "ResponseField")
            .map(str::to_owned),
        required: element.flag("required"),
        deprecated: element.flag("deprecated"),
        default: text_of("default"),
        placeholder: text_of("placeholder"),
        options: element.texts("enum"),
        pre: element.texts("pre"),
        post: element.texts("post"),
        id,
    };
    field(&view, slot(&children(writer, element)))
}
