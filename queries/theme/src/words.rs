//! The words of the frame in every language: markers while a page is drawn, texts when it is put together.
//!
//! What is drawn of a page or a section is kept, and it does not know the language that it is shown in: two languages may
//! show the same operation. So templates write a [`Word`], which is a marker of a few bytes, and [`fill`] puts the text of
//! a language in its place when a page is composed. What reads drawn HTML for something else takes [`in_english`].

use std::borrow::Cow;
use std::sync::OnceLock;

use maud::{Markup, Render};

use crate::document::script_json;
use crate::html::push_escaped;
use crate::language;

/// Begins a marker. No character: Unicode keeps it for programs (The Unicode Standard, 23.7).
const START: char = '\u{FDD0}';
/// Ends the argument of a marker.
const END: char = '\u{FDD1}';
/// The first of the characters that number the words, in the private use area.
const FIRST: u32 = 0xE000;

macro_rules! words {
    ($($name:ident $english:literal,)+) => {
        /// A word or a sentence of the frame; `{}` stands for what it speaks of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Word { $($name,)+ }

        /// Name and English text, in the order of [`Word`].
        const ENGLISH: &[(&str, &str)] = &[$((stringify!($name), $english),)+];
        const ALL: &[Word] = &[$(Word::$name,)+];
    };
}

words! {
    Skip "Skip to content",
    Announcement "Announcement",
    DismissAnnouncement "Dismiss announcement",
    OpenNavigation "Open navigation",
    CloseNavigation "Close navigation",
    Documentation "Documentation",
    Site "Site",
    Sections "Sections",
    HomeOf "{}, home",
    Search "Search",
    SearchPrompt "Search…",
    Theme "Theme",
    ThemeSystem "Theme: system",
    ThemeLight "Theme: light",
    ThemeDark "Theme: dark",
    OnThisPage "On this page",
    Previous "Previous",
    Next "Next",
    Neighbors "Neighboring pages",
    Breadcrumbs "Breadcrumbs",
    Language "Language",
    Version "Version",
    Product "Product",
    Section "Section",
    LinkTo "Link to {}",
    CopyCode "Copy code",
    Copied "Copied",
    ShowLines "Show all {} lines",
    ShowPrompt "Show the prompt",
    Table "Table",
    Done "Done",
    ToDo "To do",
    Footnote "Footnote {}",
    Footnotes "Footnotes",
    BackToText "Back to the text",
    View "View",
    ShowEntries "Show entries with",
    Code "Code",
    Examples "Examples",
    ChildAttributes "child attributes",
    Show "Show {}",
    Hide "Hide {}",
    Note "Note",
    Tip "Tip",
    Info "Info",
    Warning "Warning",
    Check "Check",
    Danger "Danger",
    Enlarge "Enlarge: {}",
    EnlargePicture "Enlarge the picture",
    Picture "Picture",
    Deprecated "Deprecated",
    DeprecatedMark "deprecated",
    Required "required",
    ReadOnly "read-only",
    WriteOnly "write-only",
    Recursive "recursive",
    Pattern "pattern",
    Default "Default:",
    ExampleIs "Example:",
    ExamplesAre "Examples:",
    AllowedValues "Allowed values",
    ShowMore "Show {} more",
    Authorizations "Authorizations",
    OptionalAuthorization "Optional: the request may be sent without.",
    OneOf "one of",
    AnyOf "any of",
    Configuration "Configuration:",
    Format "Format:",
    Scopes "Scopes",
    PathParameters "Path parameters",
    QueryParameters "Query parameters",
    Headers "Headers",
    Cookies "Cookies",
    Body "Body",
    Payload "Payload",
    Links "Links",
    NoSchema "No schema",
    NoBody "No body",
    NoExample "No example",
    Callbacks "Callbacks",
    CallbackAbout "Requests that the API sends because of this one",
    ExpectedResponses "Expected responses",
    Responses "Responses",
    ExpandAll "Expand all",
    CollapseAll "Collapse all",
    AuthorizationCode "Authorization code",
    ClientCredentials "Client credentials",
    ImplicitFlow "Implicit (deprecated)",
    PasswordFlow "Password (deprecated)",
    MediaType "Media type",
    Properties "Properties",
    Example "Example",
    Request "Request",
    Response "Response",
    TryIt "Try it",
    UsedBy "Used by",
    BaseUrl "Base URL",
    AddressVariables "Variables of the address",
    CopyAddress "Copy address",
    CopyName "Copy name",
    Options "{} options",
    Details "details",
    OneProperty "1 property",
    ManyProperties "{} properties",
    Characters "{} characters",
    Items "{} items",
    Exactly "exactly {}",
    MultipleOf "multiple of {}",
    UniqueItems "unique items",
    Matches "matches",
    Deeper "deeper than this page goes",
    ShownBefore "shown before",
    NotShown "not shown on this page",
    InSpecification "in the specification",
    PageNotFound "Page not found",
    NotThere "This page does not exist",
    NothingAt "Nothing is published at {}.",
    MayHaveMoved "It may have moved, or the link has a typing error.",
    PerhapsLookingFor "Perhaps you were looking for",
    GoHome "Go to the home page",
    ConceptKind "Concept",
    ReferenceKind "Reference",
    ModelKind "Data model",
    ChangelogKind "Changelog",
    ClearSearch "Clear the search",
    Cancel "Cancel",
    CloseSearch "Close the search",
    WhereToSearch "Where to search",
    Results "Results",
    ToMove "to move",
    ToOpen "to open",
    InNewTab "in a new tab",
    WhatLookingFor "What are you looking for?",
    TypeAWord "Type a word, a question, or the name of an endpoint.",
    Forget "Forget “{}”",
    RecentSearches "Recent searches",
    NoResults "No results for {}",
    NotTogether "No page has these words next to each other.",
    TheseFind "These find something:",
    AnotherWord "Another word may find it.",
    SearchEverywhere "Search everywhere",
    NoAnswer "The search did not answer",
    TryAgain "Try again",
    Offline "You seem to be offline.",
    BackSoon "It may be back in a moment.",
    Found "Pages found: {}",
    InScope "In {}",
    Everywhere "Everywhere",
    MoreActions "More actions for this page",
    PageActions "Page actions",
    CopyPage "Copy page",
    CopyPageAbout "Copy this page as Markdown",
    ViewMarkdown "View as Markdown",
    ViewMarkdownAbout "Open this page as plain text",
    AskAssistant "Ask the assistant",
    AskAssistantAbout "Ask a question about this page",
    SavePdf "Save as PDF",
    SavePdfAbout "Open the print dialog, which can save a PDF",
    DownloadSpec "Download API spec",
    DownloadSpecAbout "Download the OpenAPI specification",
    OpenIn "Open in {}",
    AskAbout "Ask {} about this page",
    OpenPageIn "Open this page in {}",
    ConnectTo "Connect to {}",
    InstallIn "Install the MCP server in {}",
    CopyMcp "Copy MCP server URL",
    CopyMcpAbout "Copy the address of the MCP server",
    CopyInstall "Copy MCP install command",
    CopyInstallAbout "Copy the command that installs the MCP server",
    CouldNotCopy "Could not copy",
    LastModified "Last modified",
    SuggestEdits "Suggest edits",
    RaiseIssue "Raise issue",
    WasHelpful "Was this page helpful?",
    Yes "Yes",
    No "No",
    WhatMissing "What was good, or what is missing? (optional)",
    Send "Send",
    Thanks "Thank you for your feedback.",
    NotSent "This could not be sent. Please try again later.",
    ChosenBy "chosen by {}",
    SentAs "sent as",
    NoAuthentication "No authentication is needed.",
}

/// The words that scripts say.
#[rustfmt::skip]
const SCRIPTS: &[Word] = &[
    Word::Copied, Word::Theme, Word::ThemeSystem, Word::ThemeLight, Word::ThemeDark, Word::Enlarge,
    Word::EnlargePicture, Word::Picture, Word::CloseNavigation, Word::Search, Word::SearchPrompt, Word::ConceptKind,
    Word::ReferenceKind, Word::ModelKind, Word::ChangelogKind, Word::ClearSearch, Word::Cancel, Word::CloseSearch,
    Word::WhereToSearch, Word::Results, Word::ToMove, Word::ToOpen, Word::InNewTab, Word::WhatLookingFor,
    Word::TypeAWord, Word::Forget, Word::RecentSearches, Word::NoResults, Word::NotTogether, Word::TheseFind,
    Word::AnotherWord, Word::SearchEverywhere, Word::NoAnswer, Word::TryAgain, Word::Offline, Word::BackSoon,
    Word::Found, Word::InScope, Word::Everywhere,
];

impl Word {
    fn number(self) -> usize {
        self as usize
    }

    /// The marker, for texts that are escaped and drawn later.
    pub fn marker(self) -> &'static str {
        static MARKERS: OnceLock<Vec<String>> = OnceLock::new();
        let marker = |(number, _)| {
            let sign = FIRST + u32::try_from(number).unwrap_or(0);
            [START].into_iter().chain(char::from_u32(sign)).collect()
        };
        let all = MARKERS.get_or_init(|| ALL.iter().enumerate().map(marker).collect());
        &all[self.number()]
    }

    /// The marker, with what the word speaks of; `text` is plain text.
    pub fn of(self, text: impl AsRef<str>) -> Spoken {
        let mut out = self.marker().to_owned();
        push_escaped(&mut out, text.as_ref());
        out.push(END);
        Spoken(out)
    }

    /// The marker around a plain text, as plain text: for what is escaped and drawn later.
    pub fn about(self, text: &str) -> String {
        format!("{}{text}{END}", self.marker())
    }

    /// The marker around markup that is drawn.
    pub fn around(self, inner: &Markup) -> Spoken {
        Spoken(format!("{}{}{END}", self.marker(), inner.0))
    }

    /// The English text.
    pub fn english(self) -> &'static str {
        ENGLISH[self.number()].1
    }

    fn has_argument(self) -> bool {
        self.english().contains("{}")
    }
}

impl Render for Word {
    fn render_to(&self, out: &mut String) {
        out.push_str(self.marker());
    }
}

/// A word with what it speaks of: markup, ready to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken(String);

impl Render for Spoken {
    fn render_to(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

/// The marker of an English text that is a word of the frame; other texts as they are. For titles and pills that are made
/// where nothing is drawn.
pub fn spoken(text: &str) -> Cow<'_, str> {
    match known(text) {
        Some(word) => Cow::Borrowed(word.marker()),
        None => Cow::Borrowed(text),
    }
}

fn known(text: &str) -> Option<Word> {
    ALL.iter().copied().find(|word| word.english() == text)
}

/// A constraint in words, such as `3 – 40 characters`, `exactly 5 items`, `multiple of 10`: markup.
pub fn constraint(text: &str) -> Spoken {
    let units = [Word::Characters, Word::Items, Word::ManyProperties];
    let of = |word: Word, text: &str| {
        let (before, after) = word.english().split_once("{}")?;
        text.strip_prefix(before)?
            .strip_suffix(after)
            .map(str::to_owned)
    };
    let counted = |text: &str| {
        let count = |word| of(word, text).filter(|count| is_count(count));
        units
            .into_iter()
            .find_map(|word| Some(word.of(count(word)?).0))
    };
    if let Some(rest) = of(Word::Exactly, text)
        && let Some(inner) = counted(&rest)
    {
        return Spoken(format!("{}{inner}{END}", Word::Exactly.marker()));
    }
    if let Some(inner) = counted(text) {
        return Spoken(inner);
    }
    if let Some(step) = of(Word::MultipleOf, text).filter(|step| is_count(step)) {
        return Word::MultipleOf.of(step);
    }
    let mut out = String::new();
    match known(text.trim_end()) {
        Some(word) => {
            out.push_str(word.marker());
            out.push_str(&text[text.trim_end().len()..]);
        }
        None => push_escaped(&mut out, text),
    }
    Spoken(out)
}

/// Whether `text` is a number or a range of numbers.
fn is_count(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || " –≤≥.-e+".contains(sign))
}

/// Puts the texts of the language `tag` (BCP 47) in the places of the markers.
pub fn fill(html: &str, tag: &str) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 64);
    fill_into(&mut out, html, texts(tag), 0);
    out
}

/// `html` with English texts in the places of the markers; nothing is copied where there are none.
pub fn in_english(html: &str) -> Cow<'_, str> {
    match html.contains(START) {
        true => Cow::Owned(fill(html, "en")),
        false => Cow::Borrowed(html),
    }
}

/// How deep words stand in what words speak of.
const DEEPEST: usize = 4;

fn fill_into(out: &mut String, html: &str, texts: &[&str], depth: usize) {
    let mut rest = html;
    while let Some(at) = rest.find(START) {
        out.push_str(&rest[..at]);
        rest = &rest[at + START.len_utf8()..];
        let sign = rest.chars().next();
        let number = sign.and_then(|sign| u32::from(sign).checked_sub(FIRST));
        let word = number.and_then(|number| ALL.get(usize::try_from(number).ok()?));
        let (Some(sign), Some(word)) = (sign, word) else {
            // Of the author of the page: it is no marker.
            out.push(START);
            continue;
        };
        rest = &rest[sign.len_utf8()..];
        let text = texts[word.number()];
        if !word.has_argument() {
            push_escaped(out, text);
            continue;
        }
        let end = argument_end(rest);
        let (argument, after) = rest.split_at(end);
        rest = after.strip_prefix(END).unwrap_or(after);
        let (before, behind) = text.split_once("{}").unwrap_or((text, ""));
        push_escaped(out, before);
        if depth < DEEPEST {
            fill_into(out, argument, texts, depth + 1);
        }
        push_escaped(out, behind);
    }
    out.push_str(rest);
}

/// Where the argument at the beginning of `rest` ends, of which words with arguments may be a part.
fn argument_end(rest: &str) -> usize {
    let mut open = 0;
    let mut signs = rest.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            END if open == 0 => return at,
            END => open -= 1,
            START => {
                let number = signs
                    .next()
                    .and_then(|(_, sign)| u32::from(sign).checked_sub(FIRST));
                let word = number.and_then(|number| ALL.get(usize::try_from(number).ok()?));
                open += usize::from(word.is_some_and(|word| word.has_argument()));
            }
            _ => {}
        }
    }
    rest.len()
}

/// The texts that scripts say on a page in the language `tag`, as a JSON object; none in English, which they know.
pub fn of_scripts(tag: &str) -> Option<String> {
    let texts = texts(tag);
    if std::ptr::eq(texts, english()) {
        return None;
    }
    let said = SCRIPTS
        .iter()
        .map(|word| (ENGLISH[word.number()].0, texts[word.number()]));
    let said: serde_json::Map<String, serde_json::Value> = said
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    Some(script_json(&serde_json::Value::Object(said).to_string()))
}

fn english() -> &'static [&'static str] {
    static TEXTS: OnceLock<Vec<&'static str>> = OnceLock::new();
    TEXTS.get_or_init(|| ENGLISH.iter().map(|(_, text)| *text).collect())
}

/// The texts of a language, in the order of [`Word`]: those of the tag, of its language, of English.
fn texts(tag: &str) -> &'static [&'static str] {
    static TEXTS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    let all = TEXTS.get_or_init(|| LANGUAGES.iter().map(|(_, file)| read(file)).collect());
    let tag = language::tag(tag).to_ascii_lowercase();
    let position = |code: &str| LANGUAGES.iter().position(|(known, _)| *known == code);
    let language = tag.split('-').next().unwrap_or("");
    position(&tag)
        .or_else(|| position(language))
        .map_or(english(), |at| &all[at])
}

/// Reads lines of name, equals sign and text; what has no line is English.
fn read(file: &'static str) -> Vec<&'static str> {
    let mut texts = english().to_vec();
    for line in file.lines() {
        if let Some((name, text)) = line.split_once(" = ")
            && let Some(at) = ENGLISH.iter().position(|(known, _)| *known == name)
        {
            texts[at] = text;
        }
    }
    texts
}

macro_rules! languages {
    ($($code:literal)+) => {
        const LANGUAGES: &[(&str, &str)] = &[$(($code, include_str!(concat!("../words/", $code, ".txt"))),)+];
    };
}

languages! {
    "ar" "ca" "cs" "da" "de" "es" "fi" "fr" "he" "hi" "hu" "id" "it" "ja" "ko" "lv" "nl" "no" "pl" "pt" "ro" "ru" "sv"
    "tr" "uk" "uz" "vi" "zh" "zh-hant"
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn every_language_that_has_a_name_has_every_word() {
        for (code, _) in language::NAMES {
            assert_eq!(
                std::ptr::eq(texts(code), english()),
                *code == "en",
                "{code}"
            );
        }
        for (code, file) in LANGUAGES {
            let names: Vec<&str> = file
                .lines()
                .map(|line| line.split_once(" = ").expect(line).0)
                .collect();
            let all: Vec<&str> = ENGLISH.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, all, "{code}");
            for (word, text) in ALL.iter().zip(read(file)) {
                let count = |text: &str| text.matches("{}").count();
                assert_eq!(count(text), count(word.english()), "{code} {word:?}");
                assert!(
                    !text.trim().is_empty() && text.trim() == text,
                    "{code} {word:?}"
                );
            }
        }
    }

    #[test]
    fn a_region_has_the_words_of_its_language_and_a_script_its_own() {
        assert_eq!(texts("pt-BR"), texts("pt"));
        assert_eq!(texts("cn"), texts("zh"));
        assert_eq!(texts("ua"), texts("uk"));
        assert_ne!(texts("zh-Hant"), texts("zh-Hans"));
        assert_eq!(texts("tlh"), english());
    }

    #[test]
    fn markers_become_texts_with_what_they_speak_of() {
        let drawn = html! { a aria-label=(Word::LinkTo.of("a \"b\" <c>")) { (Word::Previous) } }
            .into_string();
        assert_eq!(
            fill(&drawn, "en"),
            r#"<a aria-label="Link to a &quot;b&quot; &lt;c&gt;">Previous</a>"#
        );
        assert!(fill(&drawn, "de").contains(">Zurück<"), "{drawn}");
        assert_eq!(in_english("<p>none</p>"), "<p>none</p>");
        assert!(matches!(in_english("none"), Cow::Borrowed(_)));
    }

    #[test]
    fn constraints_are_said_in_other_languages() {
        for (text, german) in [
            ("3 – 40 characters", "3 – 40 Zeichen"),
            ("exactly 5 items", "genau 5 Elemente"),
            ("multiple of 0.5", "Vielfaches von 0.5"),
            ("unique items", "eindeutige Elemente"),
            ("≤ 7 properties", "≤ 7 Eigenschaften"),
            ("a < b characters", "a &lt; b characters"),
            ("date-time", "date-time"),
        ] {
            let spoken = constraint(text).0;
            assert_eq!(fill(&spoken, "de"), german);
            assert_eq!(fill(&spoken, "en"), text.replace('<', "&lt;"));
        }
    }

    #[test]
    fn what_authors_write_is_no_marker() {
        for text in [
            "\u{FDD0}",
            "\u{FDD0}x",
            "\u{FDD0}\u{F000}",
            "\u{FDD1}",
            "a\u{FDD0}\u{E000}",
        ] {
            let filled = fill(text, "fr");
            assert!(
                filled.starts_with(text) || text.contains('\u{E000}'),
                "{text:?}"
            );
        }
        // Words that are never closed take what is there, and end.
        let word = Word::LinkTo.marker();
        let deep = word.repeat(500);
        assert!(fill(&deep, "en").len() < 500);
    }
}
