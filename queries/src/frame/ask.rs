//! What a page needs for the assistant: the address to ask at, the scripts and styles of the panel, and its button.

use super::address::site_href;
use super::foot::FEEDBACK;
use crate::db::Db;
use theme::ask::AskView;
use theme::assets::asset_url;
use theme::document::Document;

/// Adds to `document` what opens a panel that asks at `address`.
pub(super) fn add_ask(db: &dyn Db, document: &mut Document, address: &str) {
    let part = |name: &str| site_href(db, &asset_url(name));
    let is_english = document.lang.split('-').next() == Some("en");
    document.css_url = part("served.css");
    document.js_url = part("served.js");
    document.ask = Some(AskView {
        address: address.to_owned(),
        feedback: FEEDBACK.to_owned(),
        script: part("ask.js"),
        styles: part("ask.css"),
        search: part("ask-search.js"),
        words: (!is_english).then(|| part("ask-words.js")),
        language: document.lang.clone(),
    });
}
