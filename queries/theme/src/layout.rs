//! The order of the parts on a page: strings rendered before, put together in one pass.

use maud::{Markup, html};

use crate::article::Mode;

/// The rendered parts of a page. Empty ones take no room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// Output of [`crate::document::open`].
    pub document_open: &'a str,
    /// Output of [`crate::banner::banner`].
    pub banner: &'a str,
    /// Output of [`crate::header::header`].
    pub header: &'a str,
    /// Output of [`crate::sidebar::sidebar_for`]; of [`crate::sidebar::bare`] where the page has no
    /// sidebar.
    pub sidebar: &'a [&'a str],
    /// Output of [`crate::article::article`] or of a page in its place.
    pub article: &'a str,
    /// Output of [`crate::pager::pager`].
    pub pager: &'a str,
    /// Output of [`crate::footer::footer`].
    pub footer: &'a str,
    /// Output of [`crate::toc::toc`].
    pub toc: &'a str,
    /// Output of [`crate::document::close`].
    pub document_close: &'a str,
}

/// The script that goes on with the components of a page: `core` imports `script`, and shows what readers without
/// scripts see if that cannot be had.
pub fn island_script(core: &str, script: &str) -> Markup {
    html! {
        link rel="modulepreload" href=(script);
        script type="module" src=(core) data-islands=(script) {}
    }
}

/// Puts a page together.
pub fn page(mode: Mode, parts: &Parts<'_>) -> String {
    let before = [
        parts.document_open,
        parts.banner,
        parts.header,
        "<div class=\"layout\" id=\"body-content\" data-mode=\"",
        mode.name(),
        "\">",
    ];
    let after = [
        "<div class=\"main-column\" id=\"content-area\"><main id=\"quire-content\" tabindex=\"-1\" data-live=\"main\">",
        parts.article,
        parts.pager,
        "</main>",
        parts.footer,
        "</div>",
        if mode.has_toc() { parts.toc } else { "" },
        "</div>",
        parts.document_close,
    ];
    [&before[..], parts.sidebar, &after].concat().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_centred_page_has_no_contents() {
        let parts = Parts {
            toc: "TOC",
            article: "TEXT",
            ..Parts::default()
        };
        let html = page(Mode::Center, &parts);
        assert!(html.contains("TEXT") && !html.contains("TOC"));
        let html = page(Mode::Wide, &parts);
        assert!(!html.contains("TOC"));
        let html = page(Mode::Default, &parts);
        assert!(html.contains("TOC"));
    }
}
