//! Configuration of the assistant panel in a page, and the button that opens it.
//!
//! The panel is built by scripts that are loaded when it is first opened. Exports have neither
//! panel nor button.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;
use crate::words::Word;

/// Settings of the panel for one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskView {
    /// URL for questions: `/api/sites/<id>/assistant`.
    pub address: String,
    /// URL for ratings of answers.
    pub feedback: String,
    /// Address of the script of the panel.
    pub script: String,
    /// Address of the stylesheet of the panel.
    pub styles: String,
    /// Address of the script of the rows in the search dialog.
    pub search: String,
    /// Address of the words of the page's language; none on pages in English.
    pub words: Option<String>,
}

/// Placeholder of the button in a header that is rendered once for many pages.
pub const SLOT: &str = "<!--quire:ask-->";

/// Panel on a page that is nothing else: before the content, which is shown where no script runs.
pub const PAGE: &str = "<div class=\"ask-page\" data-ask-page data-alone></div>";

/// Makes room next to the page, before the first paint, where the panel was open on the page
/// before.
///
/// Inline, because a file would arrive after the first paint and the page would move.
pub const DOCK: &str = r#"try{var w=+sessionStorage.getItem("quire-ask-dock"),r=document.documentElement;if(w>0){r.setAttribute("data-ask","");r.style.setProperty("--ask-width",w+"px")}}catch(e){}"#;

/// Renders the configuration of the panel as elements of the head.
pub fn ask_meta(view: &AskView) -> Markup {
    html! {
        meta name="quire-assistant" content=(view.address) data-script=(view.script) data-styles=(view.styles)
            data-search=(view.search) data-words=[&view.words] data-feedback=(view.feedback)
            data-selection=(Word::AskAboutThis) data-code=(Word::AskAboutCode);
        script { (PreEscaped(DOCK)) }
    }
}

/// Puts the button into `header`, or nothing.
pub fn with_button(header: &str, has_button: bool) -> String {
    let button = has_button.then(|| button().into_string());
    header.replacen(SLOT, button.as_deref().unwrap_or_default(), 1)
}

/// Renders the button.
fn button() -> Markup {
    html! {
        // On narrow screens only the sign is seen; the word stays for those who hear it. Sites style it by its id.
        button.ask-button id="assistant-entry" type="button" data-ask-open aria-expanded="false"
            aria-keyshortcuts="Control+I Meta+I" {
            (icon("ask").unwrap_or_default())
            span { (Word::Ask) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Header, header};
    use crate::words::fill;

    fn view() -> AskView {
        AskView {
            address: "/api/sites/a/assistant".into(),
            feedback: "/_quire/feedback".into(),
            script: "/_theme/ask.js".into(),
            styles: "/_theme/ask.css".into(),
            search: "/_theme/ask-search.js".into(),
            words: None,
        }
    }

    #[test]
    fn the_button_stands_beside_the_search_or_leaves_no_trace() {
        let html = header(&Header {
            search: true,
            ..Header::default()
        })
        .into_string();
        let asked = fill(&with_button(&html, true), "de");
        let (before, after) = asked.split_once("data-ask-open").expect("a button");
        assert!(before.contains("data-search-open"), "{asked}");
        assert!(after.contains("<span>Fragen</span>"), "{asked}");
        let silent = with_button(&html, false);
        assert!(!silent.contains("ask"), "{silent}");
        // A site that cannot be searched has no place for it.
        let html = header(&Header::default()).into_string();
        assert_eq!(with_button(&html, true), html);
    }

    #[test]
    fn a_page_says_where_questions_go() {
        let html = fill(&ask_meta(&view()).into_string(), "en");
        let (meta, script) = html.split_once("<script>").expect("a script");
        assert!(
            meta.contains("content=\"/api/sites/a/assistant\""),
            "{meta}"
        );
        assert!(meta.contains("data-code=\"Ask about this code\""), "{meta}");
        assert!(!meta.contains("data-words"), "{meta}");
        assert!(!DOCK.contains("</") && !DOCK.contains("<!--") && script.ends_with("</script>"));
    }
}
