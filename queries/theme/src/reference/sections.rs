//! The sections of an endpoint's page: authorization, parameters, body, callbacks, responses.

use maud::{Markup, html};

use super::{Writer, is_webhook};
use crate::components::tabs::tab_list;
use crate::icon::icon;
use crate::pill::{deprecated_pill, required_pill};
use crate::words::{self, Word};
use mdx::plain::Headings;
use openapi::endpoint::{
    Alternative, Body, Callback, CallbackRequest, Endpoint, Flow, MediaType, ParameterGroup,
    Response, ResponseLink, Scheme, SchemeKind, Security,
};

/// Sets of tabs that switch to the same choice together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch<'a> {
    /// None: each set switches on its own.
    Alone,
    /// Sets on the page with this name.
    Linked(&'a str),
    /// All sets on the site; the choice is stored in the browser.
    Site,
}

impl Writer<'_> {
    pub(super) fn security(&mut self, security: &Security) -> Markup {
        if security.is_none {
            return html! {
                section.reference-section.api-section {
                    (self.heading(super::AUTHORIZATIONS, Word::Authorizations.english()))
                    p.section-note { (Word::NoAuthentication) }
                }
            };
        }
        if security.alternatives.is_empty() {
            return html! {};
        }
        let needs = !security.is_optional;
        let is_one = security.alternatives.len() == 1;
        let titles: Vec<(&str, Markup)> = (security.alternatives.iter())
            .map(|alternative| (alternative.label.as_str(), html! {}))
            .collect();
        html! {
            section.reference-section.api-section {
                (self.heading(super::AUTHORIZATIONS, Word::Authorizations.english()))
                @if security.is_optional { p.section-note { (Word::OptionalAuthorization) } }
                @if is_one {
                    @for alternative in &security.alternatives { (self.schemes(alternative, needs)) }
                } @else {
                    div.chooser data-tabs {
                        p.chooser-words { span { (Word::OneOf) } }
                        (tab_list(&titles, 0))
                        @for (i, alternative) in security.alternatives.iter().enumerate() {
                            section.tab-panel data-tab=(alternative.label) data-active[i == 0] {
                                p.tab-title { (alternative.label) }
                                (self.schemes(alternative, needs))
                            }
                        }
                    }
                }
            }
        }
    }

    fn schemes(&mut self, alternative: &Alternative, is_needed: bool) -> Markup {
        html! { ul.rows { @for scheme in &alternative.schemes { (self.scheme(scheme, is_needed)) } } }
    }

    pub(super) fn scheme(&mut self, scheme: &Scheme, is_needed: bool) -> Markup {
        // A scheme of several alternatives has one id.
        let is_new = !self.anchors.contains(&scheme.anchor);
        if is_new {
            self.anchors.push(scheme.anchor.clone());
        }
        let id = is_new.then_some(&scheme.anchor);
        html! {
            li.row id=[id] {
                div.row-head {
                    code.row-name { @if scheme.is_deprecated { s { (scheme.name) } } @else { (scheme.name) } }
                    span.row-type dir="auto" { (words::spoken(&scheme.label)) }
                    @if is_needed { (required_pill()) }
                    @if scheme.is_deprecated { (deprecated_pill()) }
                    a.anchor href={ "#" (scheme.anchor) } aria-label=(Word::LinkTo.of(&scheme.name)) {}
                }
                @match words::sentence(&scheme.description) {
                    Some(own) => { div.reference-text { p { (own) } } }
                    None => (self.text(&scheme.description, Headings::Flat)),
                }
                @match &scheme.kind {
                    SchemeKind::OAuth2 { flows, metadata_url } => {
                        @if let Some(url) = metadata_url {
                            p.row-value { span { (Word::MetadataUrl) ": " } code { (url) } }
                        }
                        @for flow in flows { (self.flow(flow)) }
                    }
                    SchemeKind::OpenIdConnect { url } => {
                        p.row-value { span { (Word::Configuration) " " } code { (url) } }
                    }
                    SchemeKind::Bearer { format: Some(format) } => {
                        p.row-value { span { (Word::Format) " " } code { (format) } }
                    }
                    _ => {}
                }
            }
        }
    }

    fn flow(&mut self, flow: &Flow) -> Markup {
        let addresses = [
            (Word::AuthorizationUrl, &flow.authorization_url),
            (Word::DeviceUrl, &flow.device_url),
            (Word::TokenUrl, &flow.token_url),
            (Word::RefreshUrl, &flow.refresh_url),
        ];
        html! {
            div.flow {
                p.flow-name { (words::spoken(flow_title(&flow.name))) }
                @for (title, address) in addresses {
                    @if let Some(address) = address { p.row-value { span { (title) ": " } code { (address) } } }
                }
                @if !flow.scopes.is_empty() {
                    p.values-title { (Word::Scopes) }
                    ul.value-list data-told {
                        @for scope in &flow.scopes {
                            li {
                                code { (scope.name) }
                                @if scope.is_required { (required_pill()) }
                                (self.text(&scope.description, Headings::Flat))
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn parameters(&mut self, group: &ParameterGroup) -> Markup {
        let heading = self.heading(&group.location.anchor(), group.location.title());
        let rows = self.rows(&group.rows);
        section(heading, rows)
    }

    pub(super) fn body(&mut self, body: &Body) -> Markup {
        let head = html! {
            (self.heading(&body.anchor, &body.title))
            @if body.is_required { (required_pill()) }
            @if let [media] = &body.media[..] { code.media-name.api-section-heading-subtitle { (media.name) } }
        };
        let content = html! {
            (self.text(&body.description, Headings::Flat))
            (self.forms(&body.media, body.open_media, Switch::Site))
        };
        html! {
            section.reference-section.api-section {
                div.section-head.api-section-heading { (head) @if has_folds(&content) { (fold_button()) } }
                (content)
            }
        }
    }

    /// Renders the forms of a body: one as it is, several behind a list to choose from.
    fn forms(&mut self, media: &[MediaType], open: usize, switch: Switch<'_>) -> Markup {
        if let [one] = media {
            return html! { @if let Some(root) = &one.root { (self.root(root)) } };
        }
        if media.is_empty() {
            return html! {};
        }
        let linked = match switch {
            Switch::Linked(name) => Some(name),
            Switch::Alone | Switch::Site => None,
        };
        html! {
            div.forms data-tabs data-sync[switch == Switch::Site] data-linked=[linked] {
                (media_select(media, open))
                @for (i, form) in media.iter().enumerate() {
                    section.tab-panel data-tab=(form.name) data-active[i == open] {
                        p.tab-title { code { (form.name) } }
                        @match &form.root {
                            Some(root) => (self.root(root)),
                            None => { p.schema-note { (Word::NoSchema) } }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn callbacks(&mut self, callbacks: &[Callback]) -> Markup {
        if callbacks.is_empty() {
            return html! {};
        }
        let section = html! { (self.heading("callbacks", Word::Callbacks.english())) };
        self.is_outlined = false;
        let rendered = html! {
            section.reference-section.api-section {
                (section)
                details.accordion.callbacks {
                    summary {
                        span.chevron { (icon("chevron-right").unwrap_or_default()) }
                        span.accordion-text {
                            span.accordion-title {
                                @for (i, callback) in callbacks.iter().enumerate() {
                                    @if i > 0 { ", " } (callback.name)
                                }
                            }
                            span.accordion-description { (Word::CallbackAbout) }
                        }
                    }
                    div.accordion-body {
                        @for callback in callbacks { (self.callback(callback)) }
                    }
                }
            }
        };
        self.is_outlined = true;
        rendered
    }

    fn callback(&mut self, callback: &Callback) -> Markup {
        self.anchors.push(callback.anchor.clone());
        html! {
            section.callback id=(callback.anchor) {
                h3 { (callback.name) }
                @for request in &callback.requests { (self.callback_request(request)) }
            }
        }
    }

    fn callback_request(&mut self, request: &CallbackRequest) -> Markup {
        let is_new = !self.anchors.contains(&request.anchor);
        self.anchors.push(request.anchor.clone());
        html! {
            div.callback-request id=[is_new.then_some(&request.anchor)] {
                p.endpoint-line {
                    span.endpoint-method.method.method-pill data-method=(request.method.to_ascii_lowercase()) { (request.method) }
                    @match &request.href {
                        Some(href) => a.endpoint-path href=(href) { code { (request.expression) } },
                        None => code.endpoint-path { (request.expression) },
                    }
                    @if request.is_deprecated { (deprecated_pill()) }
                }
                @if let Some(title) = &request.title { p.row-title { (title) } }
                (self.text(&request.description, Headings::Flat))
                @for group in &request.parameters {
                    p.reference-heading { (group.location.title()) }
                    (self.rows(&group.rows))
                }
                @if let Some(body) = &request.body {
                    (self.body(body))
                    (self.called_examples(&body.media, body.open_media, None))
                }
                @if !request.responses.is_empty() {
                    p.reference-heading { (Word::ExpectedResponses) }
                    (self.statuses(&request.responses, request.open_response, Switch::Alone))
                }
            }
        }
    }

    pub(super) fn responses(&mut self, view: &Endpoint) -> Markup {
        if view.responses.is_empty() {
            return html! {};
        }
        let title = if is_webhook(view) {
            Word::ExpectedResponses.english()
        } else {
            Word::Responses.english()
        };
        let heading = self.heading("responses", title);
        let responses = self.statuses(
            &view.responses,
            view.open_response,
            Switch::Linked("status"),
        );
        section(heading, responses)
    }

    /// Renders the examples of a body that has no place beside the text: what a callback sends or
    /// expects.
    fn called_examples(
        &mut self,
        media: &[MediaType],
        open: usize,
        status: Option<&str>,
    ) -> Markup {
        if media.iter().all(|media| media.examples.is_empty()) {
            return html! {};
        }
        html! {
            div.called-examples {
                p.part-title { (Word::Examples) }
                (self.media_examples(media, open, status))
            }
        }
    }

    fn statuses(&mut self, responses: &[Response], open: usize, switch: Switch<'_>) -> Markup {
        let linked = (switch == Switch::Linked("status")).then_some("status");
        html! {
            div.responses data-tabs data-linked=[linked] {
                (status_tabs(responses, open))
                @for (i, response) in responses.iter().enumerate() {
                    (self.anchor(&response.anchor))
                    section.tab-panel id=(response.anchor) data-tab=(response.label) data-active[i == open] {
                        p.tab-title { (response.label) }
                        (self.response(response, linked.is_some()))
                    }
                }
            }
        }
    }

    fn response(&mut self, response: &Response, is_linked: bool) -> Markup {
        let name = format!("media-{}", response.status);
        let switch = if is_linked {
            Switch::Linked(&name)
        } else {
            Switch::Alone
        };
        html! {
            @if let Some(summary) = &response.summary { p.row-title { (summary) } }
            (self.text(&response.description, Headings::Flat))
            @if !response.headers.is_empty() {
                p.part-title { (Word::Headers) }
                (self.rows(&response.headers))
            }
            @match &response.media[..] {
                [] => { p.schema-note { (Word::NoBody) } }
                [one] => { p.part-title { (Word::Body) code.media-name { (one.name) } } }
                _ => { p.part-title { (Word::Body) } }
            }
            (self.forms(&response.media, response.open_media, switch))
            // Those of the operation itself are next to the text.
            @if !is_linked { (self.called_examples(&response.media, response.open_media, None)) }
            @if !response.links.is_empty() {
                p.part-title { (Word::Links) }
                ul.links { @for link in &response.links { (self.response_link(link)) } }
            }
        }
    }

    fn response_link(&mut self, link: &ResponseLink) -> Markup {
        html! {
            li.row {
                div.row-head {
                    code.row-name { (link.name) }
                    @match &link.href {
                        Some(href) => a.row-type href=(href) { (link.target) },
                        None => span.row-type { (link.target) },
                    }
                }
                (self.text(&link.description, Headings::Flat))
                @for (name, expression) in &link.parameters {
                    p.row-value { code { (name) " = " (expression) } }
                }
            }
        }
    }
}

/// A section below its heading; where it has several folds, a button next to the heading opens and
/// closes all of them.
pub(super) fn section(heading: Markup, content: Markup) -> Markup {
    html! {
        section.reference-section.api-section {
            @if has_folds(&content) {
                div.section-head.api-section-heading { (heading) (fold_button()) }
            } @else {
                div.api-section-heading { (heading) }
            }
            (content)
        }
    }
}

fn has_folds(content: &Markup) -> bool {
    content.0.matches(" row-children").nth(1).is_some()
}

fn fold_button() -> Markup {
    html! {
        button.fold-all type="button" data-fold-all {
            span.fold-all-open { (icon("chevrons-up-down").unwrap_or_default()) (Word::ExpandAll) }
            span.fold-all-close { (icon("chevrons-down-up").unwrap_or_default()) (Word::CollapseAll) }
        }
    }
}

/// Returns the name of a flow (RFC 6749, 1.3); for an unknown one, its name in the document.
fn flow_title(name: &str) -> &str {
    match name {
        "authorizationCode" => "Authorization code",
        "clientCredentials" => "Client credentials",
        "deviceAuthorization" => "Device authorization",
        "implicit" => "Implicit (deprecated)",
        "password" => "Password (deprecated)",
        other => other,
    }
}

/// Renders the row of statuses, each with the color of its class.
pub(super) fn status_tabs(responses: &[Response], open: usize) -> Markup {
    let titles: Vec<(&str, Markup)> = (responses.iter())
        .map(|response| {
            let class = response.status.get(..1).unwrap_or("");
            (
                response.label.as_str(),
                html! { span.status-dot data-status=(class) {} },
            )
        })
        .collect();
    tab_list(&titles, open)
}

/// Renders the list of media types to choose from.
pub(super) fn media_select(media: &[MediaType], open: usize) -> Markup {
    html! {
        div.tab-select.option-dropdown {
            select aria-label=(Word::MediaType) {
                @for (i, form) in media.iter().enumerate() { option selected[i == open] { (form.name) } }
            }
            (icon("chevron-down").unwrap_or_default())
        }
    }
}
