//! Parameters and fields of an API.

use maud::{Markup, PreEscaped, html};

use crate::label::Label;
use crate::pill::{deprecated_pill, plain_pill, required_pill};
use crate::words::Word;

/// A parameter of a request or a field of a response.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Name.
    pub name: Label,
    /// Type, in the words of the author: `string`, `array of Ticket`.
    pub kind: Option<Label>,
    /// Location: `path`, `query`, `header`, `body`.
    pub location: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it will go away.
    pub deprecated: bool,
    /// Default value.
    pub default: Option<Label>,
    /// Example value.
    pub placeholder: Option<Label>,
    /// The values that it may have, if there are few.
    pub options: Vec<String>,
    /// Labels before the name.
    pub pre: Vec<String>,
    /// Labels behind everything else.
    pub post: Vec<String>,
    /// Id to link to.
    pub id: Option<String>,
}

/// Renders a field around its rendered description and nested fields.
pub fn field(view: &Field, children: PreEscaped<&str>) -> Markup {
    html! {
        div.field id=[view.id.as_deref()] {
            div.field-head {
                @for label in &view.pre { (plain_pill(label)) }
                code.field-name.field-struck[view.deprecated] { (view.name) }
                @if let Some(id) = &view.id {
                    a.anchor href={ "#" (id) } aria-label=(Word::LinkTo.of(view.name.text())) {}
                }
                @if let Some(kind) = &view.kind { span.field-type { (kind) } }
                @if let Some(location) = &view.location { span.field-location { (location) } }
                @if view.required { (required_pill()) }
                @if view.deprecated { (deprecated_pill()) }
                @if let Some(default) = &view.default { span.field-default { "default " code { (default) } } }
                @if let Some(example) = &view.placeholder { span.field-default { "example " code { (example) } } }
                @if !view.options.is_empty() {
                    span.field-default { (Word::OneOf) " " @for (i, option) in view.options.iter().enumerate() {
                        @if i > 0 { ", " } code { (option) }
                    } }
                }
                @for label in &view.post { (plain_pill(label)) }
            }
            div.field-body { (children) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_author_is_escaped() {
        let x = || "<x>".to_owned();
        let view = Field {
            name: x().into(),
            kind: Some(x().into()),
            location: Some(x()),
            default: Some(x().into()),
            placeholder: Some(x().into()),
            options: vec![x()],
            pre: vec![x()],
            post: vec![x()],
            id: Some(x()),
            required: true,
            deprecated: true,
        };
        assert!(!field(&view, PreEscaped("")).into_string().contains("<x>"));
    }
}
