//! Examples next to the rows: code that sends the request, example responses.

use maud::{Markup, html};

use super::Writer;
use super::sections::{media_select, status_tabs};
use crate::components::code_block::code_body;
use crate::components::tabs::tab_list;
use crate::icon::icon;
use crate::words::Word;
use mdx::plain::{Headings, is_safe_link};
use openapi::endpoint::{Body, CodeSample, Endpoint, Example, Kind, MediaType, Player, Response};

/// Maximum number of languages shown as tabs; more are chosen from a list, since further tabs would
/// be cut off.
const MAX_TABS: usize = 3;

fn language_tabs(samples: &[CodeSample]) -> Markup {
    let titles: Vec<(&str, Markup)> = samples
        .iter()
        .map(|sample| (sample.label.as_str(), html! {}))
        .collect();
    tab_list(&titles, 0)
}

fn language_select(samples: &[CodeSample]) -> Markup {
    html! {
        div.tab-select.language-select.option-dropdown {
            select aria-label=(Word::Language) { @for sample in samples { option { (sample.label) } } }
            (icon("chevron-down").unwrap_or_default())
        }
    }
}

/// The media type of a body that has one.
fn only_media(body: &Body) -> Option<&str> {
    match &body.media[..] {
        [one] => Some(&one.name),
        _ => None,
    }
}

/// The name of its language, by which it is chosen elsewhere, if a sample is not called by it.
fn language_label(sample: &CodeSample) -> Option<&'static str> {
    let language = openapi::code::language(&sample.id)?;
    (language.label != sample.label).then_some(language.label)
}

impl Writer<'_> {
    /// Renders the code samples; the payload of a webhook in their place.
    pub(super) fn samples(&mut self, view: &Endpoint) -> Markup {
        if view.kind == Kind::Webhook {
            return match &view.body {
                Some(body) => self.payload(body),
                None => html! {},
            };
        }
        if view.samples.is_empty() {
            return html! { @if let Some(body) = &view.body { (self.body_examples(body)) } };
        }
        let is_long = view.samples.len() > MAX_TABS;
        html! {
            section.reference-panel.samples id="request-example" aria-label=(Word::Request) {
                div data-tabs data-sync {
                    div.reference-panel-head { span.reference-panel-title { (Word::Request) } }
                    @if is_long { (language_select(&view.samples)) } @else { (language_tabs(&view.samples)) }
                    @for (i, sample) in view.samples.iter().enumerate() {
                        section.tab-panel data-tab=(sample.label) data-also=[language_label(sample)]
                            data-language=(sample.id) data-sample[!sample.is_authored] data-active[i == 0] {
                            p.tab-title { (sample.label) }
                            (self.sample(sample, view.body.as_ref()))
                        }
                    }
                }
            }
            @if let Some(body) = &view.body { (self.body_examples(body)) }
        }
    }

    /// Renders the sample in one language: one version for each media type of the body; the
    /// selector of the media type switches between them.
    fn sample(&mut self, sample: &CodeSample, body: Option<&Body>) -> Markup {
        if let [variant] = &sample.variants[..] {
            return self.plain_code(&sample.language, &variant.source);
        }
        let open = body.map_or("", |body| {
            body.media
                .get(body.open_media)
                .map_or("", |media| &media.name)
        });
        let shown = sample
            .variants
            .iter()
            .position(|variant| variant.media.as_deref() == Some(open));
        html! {
            div.sample-variants data-tabs data-sync {
                @for (i, variant) in sample.variants.iter().enumerate() {
                    section.tab-panel data-tab=[variant.media.as_deref()] data-active[i == shown.unwrap_or(0)] {
                        (self.plain_code(&sample.language, &variant.source))
                    }
                }
            }
        }
    }

    pub(super) fn plain_code(&self, language: &str, source: &str) -> Markup {
        html! { div.sample-code data-code { (code_body(&self.code(language, source))) } }
    }

    /// Renders the examples of a request's body where there are several: code has the first.
    fn body_examples(&mut self, body: &Body) -> Markup {
        if body.media.iter().all(|media| media.examples.len() < 2) {
            return html! {};
        }
        html! {
            section.reference-panel id="body-examples" aria-label=(Word::Body) data-media=[only_media(body)] {
                div.reference-panel-head { span.reference-panel-title { (Word::Body) } }
                (self.media_examples(&body.media, body.open_media, None))
            }
        }
    }

    fn payload(&mut self, body: &Body) -> Markup {
        let has_example = body.media.iter().any(|media| !media.examples.is_empty());
        html! {
            @if has_example {
                section.reference-panel aria-label=(Word::Payload) {
                    div.reference-panel-head { span.reference-panel-title { (Word::Payload) } }
                    (self.media_examples(&body.media, body.open_media, None))
                }
            }
        }
    }

    /// Renders the examples of the responses, under the same statuses as their rows.
    pub(super) fn response_examples(&mut self, view: &Endpoint) -> Markup {
        let has_example = |response: &Response| {
            response
                .media
                .iter()
                .any(|media| !media.examples.is_empty())
        };
        if !view.responses.iter().any(has_example) {
            return html! {};
        }
        html! {
            section.reference-panel id="response-example" aria-label=(Word::Response) {
                div data-tabs data-linked="status" {
                    div.reference-panel-head { span.reference-panel-title { (Word::Response) } }
                    (status_tabs(&view.responses, view.open_response))
                    @for (i, response) in view.responses.iter().enumerate() {
                        section.tab-panel data-tab=(response.label) data-active[i == view.open_response] {
                            p.tab-title { (response.label) }
                            @if has_example(response) {
                                (self.media_examples(&response.media, response.open_media, Some(&response.status)))
                            } @else {
                                p.no-example { (Word::NoBody) }
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn media_examples(
        &mut self,
        media: &[MediaType],
        open: usize,
        status: Option<&str>,
    ) -> Markup {
        if let [one] = media {
            return self.examples(&one.examples);
        }
        let linked = status.map(|status| format!("media-{status}"));
        html! {
            div data-tabs data-linked=[linked.as_deref()] data-sync[linked.is_none()] {
                (media_select(media, open))
                @for (i, form) in media.iter().enumerate() {
                    section.tab-panel data-tab=(form.name) data-active[i == open] {
                        p.tab-title { (form.name) }
                        (self.examples(&form.examples))
                    }
                }
            }
        }
    }

    /// Renders examples: one as it is, several behind a list to choose from.
    pub(super) fn examples(&mut self, examples: &[Example]) -> Markup {
        match examples {
            [] => html! { p.no-example { (Word::NoExample) } },
            [one] => self.example(one),
            several => html! {
                div data-tabs {
                    div.tab-select {
                        select data-examples aria-label=(Word::Example) { @for example in several { option { (example.label) } } }
                        (icon("chevron-down").unwrap_or_default())
                    }
                    @for (i, example) in several.iter().enumerate() {
                        section.tab-panel data-tab=(example.label) data-active[i == 0] {
                            p.tab-title { (example.label) }
                            (self.example(example))
                        }
                    }
                }
            },
        }
    }

    pub(super) fn example(&mut self, example: &Example) -> Markup {
        html! {
            (self.text(&example.description, Headings::Flat))
            @match (&example.href, example.player) {
                (Some(href), _) => {
                    p.no-example {
                        @if is_safe_link(href) { a href=(href) rel="noreferrer" { (href) } } @else { (href) }
                    }
                }
                (None, Some(player)) => {
                    div.player {
                        @match player {
                            Player::Image => img src=(example.text) alt=(example.label) loading="lazy";,
                            Player::Audio => audio src=(example.text) controls preload="none" {},
                            Player::Video => video src=(example.text) controls preload="none" {},
                        }
                    }
                    (self.plain_code("text", &example.text))
                }
                (None, None) => (self.plain_code(&example.language, &example.text)),
            }
        }
    }
}
