//! What a page tells the panel of the assistant, and the button that opens it.
//!
//! The panel itself is made by scripts that are read when it is first wanted. Nothing of it is in an export.

use maud::{Markup, PreEscaped, html};

use crate::icon::icon;

/// What the panel needs to know of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskView {
    /// Where questions go: `/api/sites/<id>/assistant`.
    pub address: String,
    /// Where opinions about answers go.
    pub feedback: String,
    /// Address of the script of the panel.
    pub script: String,
    /// Address of the stylesheet of the panel.
    pub styles: String,
    /// Address of the script of the rows in the search dialog.
    pub search: String,
    /// Address of the words of other languages; none on pages in English.
    pub words: Option<String>,
    /// The language of the page, as HTML has it.
    pub language: String,
}

/// Where the button stands in a header that is drawn once for many pages.
pub const SLOT: &str = "<!--quire:ask-->";

/// Where the panel stands on a page that is nothing else: before the content, which is shown where no script runs.
pub const PAGE: &str = "<div class=\"ask-page\" data-ask-page data-alone></div>";

/// Makes room beside the page, before the first paint, where the panel was open on the page before.
///
/// Inline, because a file would arrive after the first paint and the page would move.
pub const DOCK: &str = r#"try{var w=+sessionStorage.getItem("quire-ask-dock"),r=document.documentElement;if(w>0){r.setAttribute("data-ask","");r.style.setProperty("--ask-width",w+"px")}}catch(e){}"#;

/// Draws what the panel is told as elements of the head.
pub fn ask_meta(view: &AskView) -> Markup {
    let words = words(&view.language);
    html! {
        meta name="quire-assistant" content=(view.address) data-script=(view.script) data-styles=(view.styles)
            data-search=(view.search) data-words=[&view.words] data-feedback=(view.feedback)
            data-selection=(words.selection) data-code=(words.code);
        script { (PreEscaped(DOCK)) }
    }
}

/// Puts the button into `header`; without a language there is none.
pub fn with_button(header: &str, language: Option<&str>) -> String {
    let button = language.map(|language| button(language).into_string());
    header.replacen(SLOT, button.as_deref().unwrap_or_default(), 1)
}

/// Draws the button.
fn button(language: &str) -> Markup {
    html! {
        // On narrow screens only the sign is seen; the word stays for those who hear it. Sites style it by its id.
        button.ask-button id="assistant-entry" type="button" data-ask-open aria-expanded="false"
            aria-keyshortcuts="Control+I Meta+I" {
            (icon("ask").unwrap_or_default())
            span { (words(language).ask) }
        }
    }
}

/// Words that are there before the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words {
    /// On the button.
    ask: &'static str,
    /// On the button beside selected text.
    selection: &'static str,
    /// On the button beside code.
    code: &'static str,
}

/// The words of `language`, a tag of HTML; those of English where there are none.
fn words(language: &str) -> Words {
    let lower = language.to_ascii_lowercase();
    let is_of = |code: &str| lower == code || lower.split('-').next() == Some(code);
    let row = WORDS.iter().find(|(code, ..)| is_of(code));
    row.map_or(ENGLISH, |(_, ask, selection, code)| Words {
        ask,
        selection,
        code,
    })
}

const ENGLISH: Words = Words {
    ask: "Ask",
    selection: "Ask about this",
    code: "Ask about this code",
};

/// Tag or language, and the words. A tag stands above its language.
#[rustfmt::skip]
const WORDS: &[(&str, &str, &str, &str)] = &[
    ("ar", "اسأل", "اسأل عن هذا", "اسأل عن هذا الكود"),
    ("ca", "Pregunta", "Pregunta sobre això", "Pregunta sobre aquest codi"),
    ("cs", "Zeptat se", "Zeptat se na to", "Zeptat se na tento kód"),
    ("da", "Spørg", "Spørg om dette", "Spørg om denne kode"),
    ("de", "Fragen", "Dazu fragen", "Zu diesem Code fragen"),
    ("es", "Preguntar", "Preguntar sobre esto", "Preguntar sobre este código"),
    ("fi", "Kysy", "Kysy tästä", "Kysy tästä koodista"),
    ("fr", "Demander", "Demander à ce sujet", "Demander à propos de ce code"),
    ("he", "שאלה", "לשאול על זה", "לשאול על הקוד הזה"),
    ("hi", "पूछें", "इसके बारे में पूछें", "इस कोड के बारे में पूछें"),
    ("hu", "Kérdezz", "Kérdezz erről", "Kérdezz erről a kódról"),
    ("id", "Tanya", "Tanyakan ini", "Tanyakan kode ini"),
    ("it", "Chiedi", "Chiedi di questo", "Chiedi di questo codice"),
    ("ja", "質問", "これについて質問", "このコードについて質問"),
    ("ko", "질문", "이 부분 질문하기", "이 코드 질문하기"),
    ("lv", "Jautāt", "Jautāt par šo", "Jautāt par šo kodu"),
    ("nl", "Vragen", "Hierover vragen", "Over deze code vragen"),
    ("no", "Spør", "Spør om dette", "Spør om denne koden"),
    ("pl", "Zapytaj", "Zapytaj o to", "Zapytaj o ten kod"),
    ("pt", "Perguntar", "Perguntar sobre isto", "Perguntar sobre este código"),
    ("ro", "Întreabă", "Întreabă despre asta", "Întreabă despre acest cod"),
    ("ru", "Спросить", "Спросить об этом", "Спросить об этом коде"),
    ("sv", "Fråga", "Fråga om detta", "Fråga om den här koden"),
    ("tr", "Sor", "Bunu sor", "Bu kodu sor"),
    ("uk", "Запитати", "Запитати про це", "Запитати про цей код"),
    ("uz", "Soʻrash", "Bu haqda soʻrash", "Bu kod haqida soʻrash"),
    ("vi", "Hỏi", "Hỏi về phần này", "Hỏi về đoạn mã này"),
    ("zh-hant", "提問", "詢問這段內容", "詢問這段程式碼"),
    ("zh", "提问", "询问这段内容", "询问这段代码"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Header, header};
    use crate::language;

    fn view() -> AskView {
        AskView {
            address: "/api/sites/a/assistant".into(),
            feedback: "/_quire/feedback".into(),
            script: "/_theme/ask.js".into(),
            styles: "/_theme/ask.css".into(),
            search: "/_theme/ask-search.js".into(),
            words: None,
            language: "en".into(),
        }
    }

    #[test]
    fn the_button_stands_beside_the_search_or_leaves_no_trace() {
        let html = header(&Header {
            search: true,
            ..Header::default()
        })
        .into_string();
        let asked = with_button(&html, Some("de"));
        let (before, after) = asked.split_once("data-ask-open").expect("a button");
        assert!(before.contains("data-search-open"), "{asked}");
        assert!(after.contains("<span>Fragen</span>"), "{asked}");
        let silent = with_button(&html, None);
        assert!(!silent.contains("ask"), "{silent}");
        // A site that cannot be searched has no place for it.
        let html = header(&Header::default()).into_string();
        assert_eq!(with_button(&html, Some("en")), html);
    }

    #[test]
    fn a_page_says_where_questions_go() {
        let html = ask_meta(&view()).into_string();
        let (meta, script) = html.split_once("<script>").expect("a script");
        assert!(
            meta.contains("content=\"/api/sites/a/assistant\""),
            "{meta}"
        );
        assert!(meta.contains("data-code=\"Ask about this code\""), "{meta}");
        assert!(!meta.contains("data-words"), "{meta}");
        assert!(!DOCK.contains("</") && !DOCK.contains("<!--") && script.ends_with("</script>"));
    }

    #[test]
    fn every_language_that_has_a_name_has_words() {
        for (code, _) in language::NAMES {
            let own = words(language::tag(code));
            assert_eq!(own == ENGLISH, *code == "en", "{code}");
        }
        assert_eq!(words("zh-Hans").ask, "提问");
        assert_eq!(words("zh-Hant").ask, "提問");
        assert_eq!(words("pt-BR").ask, "Perguntar");
        assert_eq!(words("tlh"), ENGLISH);
    }
}
