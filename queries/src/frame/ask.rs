//! Assistant of a page: its address, the scripts and styles of the panel, and its button.

use super::address::site_href;
use super::foot::FEEDBACK;
use crate::db::Db;
use theme::ask::AskView;
use theme::assets::asset_url;
use theme::document::Document;
use theme::words;

/// Adds to `document` what opens a panel that asks at `address`.
pub(super) fn add_ask(db: &dyn Db, document: &mut Document, address: &str) {
    let part = |name: &str| site_href(db, &asset_url(name));
    let words = words::file_of("ask-words", &document.lang);
    document.css_url = part("served.css");
    document.js_url = part("served.js");
    document.ask = Some(AskView {
        address: address.to_owned(),
        feedback: FEEDBACK.to_owned(),
        script: part("ask.js"),
        styles: part("ask.css"),
        search: part("ask-search.js"),
        words: words.map(|name| part(&name)),
    });
}
