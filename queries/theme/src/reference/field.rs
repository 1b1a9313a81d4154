//! Rendering of one row: its name, its type, pills, constraints, values.

use maud::{Markup, html};

use super::{Writer, external};
use crate::pill::plain_pill;
use crate::words::{self, Word};
use mdx::plain::Headings;
use openapi::endpoint::{
    Annotation, EACH, EnumValue, Label, Name, Pill, PillKind, Row, Span, View,
};

/// Number of values shown before the rest is folded.
const SHOWN_VALUES: usize = 8;

impl Writer<'_> {
    /// Renders the first line of a row.
    pub(super) fn row_head(&mut self, row: &Row) -> Markup {
        html! {
            div.row-head {
                @for label in &row.before { (plain_pill(label)) }
                (name(&row.name, row.is_deprecated))
                (self.label(&row.view.label))
                @for pill in &row.after { (pill_of(pill)) }
                a.anchor href={ "#" (row.anchor) } aria-label=(Word::LinkTo.of(row.name.text())) {}
            }
        }
    }

    /// Renders a type.
    pub(super) fn label(&mut self, label: &Label) -> Markup {
        html! {
            span.row-type {
                @for part in &label.parts {
                    @match &part.href {
                        Some(href) => a href=(href) { (part.text) },
                        None => (part.text),
                    }
                }
            }
            @if label.is_recursive { span.pill { (Word::Recursive) } }
        }
    }

    /// Renders constraints, the default, examples and values.
    pub(super) fn details(&mut self, view: &View) -> Markup {
        let title = view
            .title
            .as_ref()
            .filter(|title| **title != view.label.plain());
        html! {
            @if let Some(title) = title { p.row-title { (title) } }
            @if let Some(note) = &view.note { p.row-note { (self.phrase(note)) } }
            @if !view.chips.is_empty() {
                ul.chips { @for chip in &view.chips { li.chip { (self.phrase(chip)) } } }
            }
            @if let Some(default) = &view.default {
                p.row-value { span { (Word::Default) " " } code { (default) } }
            }
            @let labels = &view.example_labels;
            @match &view.examples[..] {
                [] => {}
                [one] if !one.contains('\n') => {
                    p.row-value { span { (Word::ExampleIs) " " } code { (one) } (example_label(labels.first())) }
                }
                several => { div.row-value {
                    span { (if several.len() == 1 { Word::ExampleIs } else { Word::ExamplesAre }) }
                    @for (i, example) in several.iter().enumerate() {
                        " "
                        @if example.contains('\n') { pre tabindex="0" { code { (example) } } } @else { code { (example) } }
                        (example_label(labels.get(i)))
                    }
                } }
            }
            (self.values(&view.values))
            @if let Some(link) = &view.external_docs { (external(link)) }
            @if !view.annotations.is_empty() {
                ul.annotations { @for one in &view.annotations { li { (self.annotation(one)) } } }
            }
        }
    }

    /// Renders the annotations of a part of a schema.
    fn annotation(&mut self, annotation: &Annotation) -> Markup {
        html! {
            @match annotation.subject.as_deref() {
                Some(EACH) => { span.annotation-subject { (Word::Each) } " " }
                Some(subject) => { code.annotation-subject { (subject) } " " }
                None => {}
            }
            @if annotation.is_deprecated { span.pill { (Word::DeprecatedMark) } " " }
            @if let Some(title) = &annotation.title { span.value-name { (title) } }
            (self.text(&annotation.description, Headings::Flat))
            @if let Some(default) = &annotation.default {
                p.row-value { span { (Word::Default) " " } code { (default) } }
            }
            @if !annotation.examples.is_empty() {
                div.row-value {
                    span { (if annotation.examples.len() == 1 { Word::ExampleIs } else { Word::ExamplesAre }) }
                    @for example in &annotation.examples { " " code { (example) } }
                }
            }
            @if let Some(link) = &annotation.external_docs { (external(link)) }
        }
    }

    fn values(&mut self, values: &[EnumValue]) -> Markup {
        let (shown, rest) = values.split_at(values.len().min(SHOWN_VALUES));
        // A single one more is no shorter than the words that would stand for it.
        let (shown, rest) = if rest.len() == 1 {
            (values, &[][..])
        } else {
            (shown, rest)
        };
        html! {
            @if !values.is_empty() {
                div.values {
                    p.values-title { (Word::AllowedValues) }
                    (self.value_list(shown))
                    @if !rest.is_empty() {
                        details.values-more {
                            summary { (Word::ShowMore.of(rest.len().to_string())) }
                            (self.value_list(rest))
                        }
                    }
                }
            }
        }
    }

    fn value_list(&mut self, values: &[EnumValue]) -> Markup {
        let is_told = |value: &EnumValue| value.name.is_some() || !value.description.is_empty();
        let is_told = values.iter().any(is_told);
        html! {
            ul.value-list data-told[is_told] {
                @for value in values {
                    li {
                        code { (value.text) }
                        @if let Some(name) = &value.name { span.value-name { (name) } }
                        (self.text(&value.description, Headings::Flat))
                    }
                }
            }
        }
    }

    /// Renders a phrase. Words around others are one word that speaks of them: not every language
    /// says them in this order.
    pub(super) fn phrase(&self, phrase: &[Span]) -> Markup {
        let is = |span: &Span, words: &str| !span.is_code && span.text == words;
        match phrase {
            [first, name, second, rest @ ..] if is(first, "if ") && is(second, " is present: ") => {
                html! { (Word::IfPresent.around(&span(name))) " " (self.phrase(rest)) }
            }
            [first, name, second] if is(first, "When ") && is(second, " is present:") => {
                html! { (Word::WhenPresent.around(&span(name))) }
            }
            [first, inner @ .., last] if is(first, "When ") && is(last, ":") => {
                html! { (Word::When.around(&self.phrase(inner))) }
            }
            _ => html! { @for one in phrase { (span(one)) } },
        }
    }
}

fn span(span: &Span) -> Markup {
    html! { @if span.is_code { code { (span.text) } } @else { (words::constraint(&span.text)) } }
}

/// Renders the author's name of an example.
fn example_label(label: Option<&String>) -> Markup {
    html! { @if let Some(label) = label { " " span.value-name { (label) } } }
}

fn name(name: &Name, is_deprecated: bool) -> Markup {
    let mark = match name {
        Name::Pattern(_) => Some(Word::Pattern),
        Name::Plain(_) | Name::Key(_) | Name::Index(_) => None,
    };
    html! {
        @if is_deprecated {
            // Struck through for the eye; the pill behind it says it for the ear.
            code.row-name { s { (name.text()) } }
        } @else {
            code.row-name { (name.text()) }
        }
        @if let Some(mark) = mark { span.pill { (mark) } }
    }
}

fn pill_of(pill: &Pill) -> Markup {
    let class = match pill.kind {
        PillKind::Required => Some("pill-required"),
        PillKind::Deprecated => Some("pill-deprecated"),
        PillKind::ReadOnly | PillKind::WriteOnly => Some("pill-built-in"),
        PillKind::Configured | PillKind::Own => None,
    };
    html! { span.pill.{ (class.unwrap_or("pill-own")) } { (if is_ours(pill.kind) { words::spoken(&pill.text) } else { pill.text.as_str().into() }) } }
}

fn is_ours(kind: PillKind) -> bool {
    !matches!(kind, PillKind::Configured | PillKind::Own)
}
