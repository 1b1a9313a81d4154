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
    IfPresent "if {} is present:",
    WhenPresent "When {} is present:",
    When "When {}:",
    Is "is",
    Or "or",
    And "and",
    Otherwise "Otherwise:",
    DecodedContent "decoded content",
    ContainsOf "contains {} of",
    ContainsOrMore "contains {} or more of",
    Keys "keys",
    Not "not:",
    SeeAt "see",
    ThisSchema "this schema",
    OptionNumber "Option {}",
    KeyInHeader "API key in header",
    KeyInQuery "API key in query",
    KeyInCookie "API key in cookie",
    ClientCertificate "client certificate",
    UnknownScheme "unknown scheme",
    KeyAbout "An API key that is sent with every request.",
    TokenAbout "A token that is sent in the {} header.",
    BasicAbout "A user name and a password, joined by {} and encoded in Base64.",
    HttpAbout "An HTTP authentication scheme.",
    OauthAbout "An access token from one of the flows below, sent in the {} header.",
    OpenIdAbout "A token from the OpenID provider, sent in the {} header.",
    CertificateAbout "A certificate that the client shows when it connects.",
    AuthorizationUrl "Authorization URL",
    DeviceUrl "Device authorization URL",
    DeviceFlow "Device authorization",
    TokenUrl "Token URL",
    RefreshUrl "Refresh URL",
    ShowAll "Show all on a page",
    Interactive "Interactive content ({}) is not shown here.",
    AtLine "Line {}",
    EndsEarly "The text ends too early",
    ControlInText "A line break or control character within a text",
    BadEscape "An unknown escape",
    TooManyLevels "Too many levels",
    Missing "Missing: {}",
    NotValue "Not a value",
    ExtraText "Something follows the value",
    NotEmail "Not an e-mail address",
    NotUrl "Not an address such as {}",
    NotDate "Not a date such as {}",
    NotTime "Not a time such as {}",
    MinLength "Minimum length: {}",
    MaxLength "Maximum length: {}",
    DoesNotMatch "Does not match {}",
    NotNumber "Not a number",
    NotWhole "Not a whole number",
    MustExceed "Must be greater than {}",
    LessThan "Less than {}",
    MustBeBelow "Must be less than {}",
    GreaterThan "Greater than {}",
    NotAllowed "Not one of the values",
    MinItems "Minimum number of items: {}",
    MaxItems "Maximum number of items: {}",
    ArrayOf "array of {}",
    SendEmpty "Send empty",
    NotSet "Not set",
    KindOf "Kind of {}",
    RemoveOf "Remove {}",
    ChooseFile "Choose a file",
    MovedTo "Moved to place {}",
    MoveUp "Move {} up",
    MoveDown "Move {} down",
    Removed "Removed. Left: {}",
    AddItem "Add item",
    FieldName "Field name",
    Value "Value",
    AddField "Add field",
    RelayUnread "The answer of the site cannot be read.",
    NoAnswerInTime "The API did not answer within 60 seconds.",
    Cancelled "Cancelled",
    RelayStatus "The site answers with status {}.",
    OauthNoFlow "The server does not have this flow.",
    OauthDenied "The sign-in was refused, by you or by the server.",
    OauthClient "The server does not know this client, or its secret is another.",
    OauthGrant "The code or the refresh token is not valid, or not any more. Begin anew.",
    OauthRequest "The server misses something, or does not know the redirect address.",
    OauthScope "The server does not give one of the scopes.",
    OauthUnauthorized "This client may not use this flow.",
    ServerSays "The server says: {}",
    TokenUnreached "The token URL cannot be reached from this page: it does not allow requests from pages of another origin (CORS), or nothing answers there.",
    TokenTooLong "The answer of the token URL is too long.",
    TokenStatus "The token URL answers with status {}.",
    NoToken "The token URL answers without an access token.",
    OauthBack "Back to the documentation",
    ImplicitUnrun "The implicit flow puts the token into an address, where histories and scripts find it.",
    PasswordUnrun "The password flow would hand your password to this page.",
    OddToken "The server calls it a token of the kind {}; it is sent as a bearer token.",
    GoodUntil "It is good until {}.",
    RefreshToken "Refresh the token",
    TokenFilled "A token is filled in.",
    WentWrong "It went wrong here: {}",
    NoFlowUrl "The specification has no usable address for this flow: {}",
    AskingToken "Asking for a token …",
    StrangeState "An answer came back whose state is not the one that was sent, so it was not used: it may be forged, or of an older sign-in. Still waiting for the right one.",
    WaitingSignIn "Waiting for you to sign in in the window that was opened …",
    WindowClosed "The window is closed, or out of sight of this page. If you did not finish, cancel and begin anew.",
    PopupBlocked "The browser blocked the window. Allow pop-ups for this site, or open it yourself:",
    SignInTab "Sign in in a new tab",
    ClientIdMissing "The client ID is missing: the API gives one to each application that is registered with it.",
    SignIn "Sign in and get a token",
    GetToken "Get a token",
    FlowUnrun "This flow is not run from here. Get a token elsewhere and paste it above.",
    RedirectUri "Redirect URI",
    RegisterRedirect "Register this address with the API, so that it leads back here.",
    Copy "Copy",
    SecretPasses "It passes through this page and this site to the token URL.",
    SecretRefused "It is sent from this page; most token URLs refuse that from a browser.",
    SecretWarning "A client secret belongs on a server: use one here that was made for trying things out.",
    SecretIsSent "Secret is sent",
    InHeader "In the {} header",
    InBody "In the body",
    InsecurePage "This page was not read through https, so the browser has no means to protect a code (PKCE). Paste a token instead.",
    ClientId "Client ID",
    ClientSecret "Client secret",
    OnlyIfHas "only if the client has one",
    Flow "Flow",
    Server "Server",
    UserName "User name",
    Password "Password",
    NotTakePart "{} is not sent from here: a page cannot take part in it.",
    PasteToken "Paste a token",
    CookieLost "Browsers let no page set the cookies of another site, so this one is not sent from here.",
    NoAuthorization "No authorization",
    Authorization "Authorization",
    Clear "Clear",
    ClearAbout "Forgets every credential that was typed on this site",
    Remember "Remember on this device",
    BodyText "Body as text",
    FormMode "Form",
    UseExample "Use the example",
    BodyDropped "The body of a {} request is not sent from here: browsers cannot. The samples of the page have it.",
    BodyMedia "Media type of the body",
    Earlier "Earlier",
    Later "Later",
    SaveBody "Save the body",
    Events "Events",
    MockServer "Mock server: answers with examples",
    Close "Close",
    SendRequest "Send a request",
    AnswerHere "What the API answers appears here.",
    SameAsCode "The same request as code",
    History "History",
    NotFromPage "Browsers do not let a page set {}, so it is not sent from here.",
    ClearValues "Clear values",
    NothingNeeded "This request needs nothing but to be sent.",
    DotsInPath "A part of a path cannot be “.” or “..”",
    NotSentYet "Not sent. Values to correct: {}",
    ValuesToCheck "Values to check: {}",
    HistoryEmpty "Requests that were sent from this page appear here until the tab is closed.",
    SendAgain "Send again",
    ClearHistory "Clear history",
    BrowserSilent "The browser does not say why. The likely causes:",
    CauseCors "The API does not allow requests from pages of another origin (CORS).",
    CauseSilent "Nothing answers at this address: a wrong base URL, no connection, or a certificate that is not trusted.",
    CauseBlocked "The browser or an extension stopped it: a page that was read through https may not ask an http address.",
    TimedOut "Timed out",
    NotReached "Not reached",
    SameAsCommand "The same request as a command:",
    WaitingForAnswer "Waiting for the answer …",
    Sending "Sending",
    SentStraight "This site passes no requests on, so the browser sent it straight to the API.",
    Redirected "The answer is that of {}, where the API led to.",
    StatusIs "Status {}",
    Failed "Failed",
    CannotShow "The answer cannot be shown: {}",
    OauthTaken "The answer was handed over. This window can be closed.",
    OauthStrange "This answer belongs to no sign-in that waits, so it was not used. Begin anew where you began.",
    Error "Error",
    OpenInEditor "Open in the editor",
    Hint "Hint:",
    OneError "1 error",
    ManyErrors "{} errors",
    OneWarning "1 warning",
    ManyWarnings "{} warnings",
    SiteProblems "Problems of the site",
    Problems "Problems",
    OneQuery "1 query",
    ManyQueries "{} queries",
    AskTitle "Ask the docs",
    AskFresh "New conversation",
    AskWidth "Width of the panel",
    AskGreeting "What would you like to know?",
    AskOrigin "Answers come from these pages and say where they stand.",
    AskField "Your question",
    AskPlaceholder "Ask a question…",
    AskFurther "Ask a follow-up…",
    AskStop "Stop",
    AskPage "Ask about this page",
    AskSummarize "Summarize this page",
    AskExplain "Explain “{}”",
    AskExplainThis "Explain this",
    AskSelection "Selection",
    AskThisPage "This page",
    AskWaiting "Looking through the pages…",
    AskYou "You asked",
    AskAnswer "Answer",
    AskSources "Sources",
    AskSource "Source {}",
    AskCopy "Copy answer",
    AskHelpful "Helpful",
    AskUnhelpful "Not helpful",
    AskThanks "Thank you for telling us",
    AskUnsent "That could not be sent",
    AskStopped "You stopped this answer.",
    AskCut "The answer broke off.",
    AskFailed "No answer came.",
    AskBusy "Too many questions at once. Try again in a moment.",
    AskDegraded "The language model could not be reached. These are passages from the pages instead.",
    AskModel "Written by a language model. It can be wrong: check the sources.",
    Ask "Ask",
    AskSearching "Looking for a short answer on these pages…",
    AskUnsure "These pages hold no short answer. Ask to see what comes nearest.",
    AskAboutThis "Ask about this",
    AskAboutCode "Ask about this code",
    SentAs "sent as",
    NoAuthentication "No authentication is needed.",
}

/// The words of the form that sends requests.
#[rustfmt::skip]
const FORM: &[Word] = &[
    Word::Language, Word::CopyCode, Word::Code, Word::Show, Word::Picture, Word::Required, Word::Scopes,
    Word::PathParameters, Word::QueryParameters, Word::Headers, Word::Cookies, Word::Body, Word::NoBody,
    Word::AuthorizationCode, Word::ClientCredentials, Word::ImplicitFlow, Word::PasswordFlow, Word::Response,
    Word::BaseUrl, Word::Options, Word::Cancel, Word::Results, Word::Send, Word::Or, Word::OptionNumber, Word::AskStop, Word::KeyInHeader,
    Word::KeyInQuery, Word::KeyInCookie, Word::ClientCertificate, Word::UnknownScheme, Word::AuthorizationUrl,
    Word::TokenUrl, Word::RefreshUrl, Word::AtLine, Word::EndsEarly, Word::ControlInText, Word::BadEscape,
    Word::TooManyLevels, Word::Missing, Word::NotValue, Word::ExtraText, Word::NotEmail, Word::NotUrl,
    Word::NotDate, Word::NotTime, Word::MinLength, Word::MaxLength, Word::DoesNotMatch, Word::NotNumber,
    Word::NotWhole, Word::MustExceed, Word::LessThan, Word::MustBeBelow, Word::GreaterThan, Word::NotAllowed,
    Word::MinItems, Word::MaxItems, Word::ArrayOf, Word::SendEmpty, Word::NotSet, Word::KindOf, Word::RemoveOf,
    Word::ChooseFile, Word::MovedTo, Word::MoveUp, Word::MoveDown, Word::Removed, Word::AddItem, Word::FieldName,
    Word::Value, Word::AddField, Word::RelayUnread, Word::NoAnswerInTime, Word::Cancelled, Word::RelayStatus,
    Word::OauthNoFlow, Word::OauthDenied, Word::OauthClient, Word::OauthGrant, Word::OauthRequest, Word::OauthScope,
    Word::OauthUnauthorized, Word::ServerSays, Word::TokenUnreached, Word::TokenTooLong, Word::TokenStatus,
    Word::NoToken, Word::OauthBack, Word::ImplicitUnrun, Word::PasswordUnrun, Word::OddToken, Word::GoodUntil,
    Word::RefreshToken, Word::TokenFilled, Word::WentWrong, Word::NoFlowUrl, Word::AskingToken, Word::StrangeState,
    Word::WaitingSignIn, Word::WindowClosed, Word::PopupBlocked, Word::SignInTab, Word::ClientIdMissing,
    Word::SignIn, Word::GetToken, Word::FlowUnrun, Word::RedirectUri, Word::RegisterRedirect, Word::Copy,
    Word::SecretPasses, Word::SecretRefused, Word::SecretWarning, Word::SecretIsSent, Word::InHeader, Word::InBody,
    Word::InsecurePage, Word::ClientId, Word::ClientSecret, Word::OnlyIfHas, Word::Flow, Word::Server,
    Word::UserName, Word::Password, Word::NotTakePart, Word::PasteToken, Word::CookieLost, Word::NoAuthorization,
    Word::Authorization, Word::Clear, Word::ClearAbout, Word::Remember, Word::BodyText, Word::FormMode,
    Word::UseExample, Word::BodyDropped, Word::BodyMedia, Word::Earlier, Word::Later, Word::SaveBody, Word::Events,
    Word::MockServer, Word::Close, Word::SendRequest, Word::AnswerHere, Word::SameAsCode, Word::History,
    Word::NotFromPage, Word::ClearValues, Word::NothingNeeded, Word::DotsInPath, Word::NotSentYet,
    Word::ValuesToCheck, Word::HistoryEmpty, Word::SendAgain, Word::ClearHistory, Word::BrowserSilent,
    Word::CauseCors, Word::CauseSilent, Word::CauseBlocked, Word::TimedOut, Word::NotReached, Word::SameAsCommand,
    Word::WaitingForAnswer, Word::Sending, Word::SentStraight, Word::Redirected, Word::StatusIs, Word::Failed,
    Word::CannotShow, Word::OauthTaken, Word::OauthStrange,
];

/// The words of the panel of the assistant, and of its rows in the search dialog.
#[rustfmt::skip]
const ASSISTANT: &[Word] = &[
    Word::CopyCode, Word::Copied, Word::Table, Word::Code, Word::TryAgain, Word::Offline, Word::Send,
    Word::RemoveOf, Word::Close, Word::AskTitle, Word::AskFresh, Word::AskWidth, Word::AskGreeting, Word::AskOrigin,
    Word::AskField, Word::AskPlaceholder, Word::AskFurther, Word::AskStop, Word::AskPage, Word::AskSummarize,
    Word::AskExplain, Word::AskExplainThis, Word::AskSelection, Word::AskThisPage, Word::AskWaiting, Word::AskYou,
    Word::AskAnswer, Word::AskSources, Word::AskSource, Word::AskCopy, Word::AskHelpful, Word::AskUnhelpful,
    Word::AskThanks, Word::AskUnsent, Word::AskStopped, Word::AskCut, Word::AskFailed, Word::AskBusy,
    Word::AskDegraded, Word::AskModel, Word::Ask, Word::AskSearching, Word::AskUnsure,
];

/// The words of what a preview says of itself.
#[rustfmt::skip]
const PREVIEW: &[Word] = &[
    Word::Site, Word::Warning, Word::Close, Word::Error, Word::OpenInEditor, Word::Hint, Word::OneError,
    Word::ManyErrors, Word::OneWarning, Word::ManyWarnings, Word::SiteProblems, Word::Problems, Word::OneQuery,
    Word::ManyQueries,
];

/// The words that the scripts of every page say.
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

/// The marker of a label that only counts, such as `Option 2`; other labels as they are.
pub fn numbered(label: &str) -> Cow<'_, str> {
    let is_number = |text: &&str| text.bytes().all(|sign| sign.is_ascii_digit());
    let number = label.strip_prefix("Option ").filter(is_number);
    number.map_or(Cow::Borrowed(label), |number| {
        Cow::Owned(Word::OptionNumber.about(number))
    })
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
            .filter(|count| is_count(count))
            .map(str::to_owned)
    };
    let counted = |text: &str| {
        units
            .into_iter()
            .find_map(|word| Some(word.of(of(word, text)?).0))
    };
    if let Some(rest) = text.strip_prefix("exactly ")
        && let Some(inner) = counted(rest)
    {
        return Spoken(format!("{}{inner}{END}", Word::Exactly.marker()));
    }
    if let Some(inner) = counted(text) {
        return Spoken(inner);
    }
    // The first holds what the second asks for, too.
    for word in [Word::MultipleOf, Word::ContainsOrMore, Word::ContainsOf] {
        if let Some(count) = of(word, text) {
            return word.of(count);
        }
    }
    let mut out = String::new();
    let inner = text.trim();
    match known(inner).filter(|_| !inner.is_empty()) {
        Some(word) => {
            let (before, after) = text.split_once(inner).unwrap_or_default();
            out.push_str(before);
            out.push_str(word.marker());
            out.push_str(after);
        }
        None => push_escaped(&mut out, text),
    }
    Spoken(out)
}

/// A sentence of the frame that speaks of one name between backticks, as markup; none if `text` is no such sentence. For texts
/// that are made where nothing is drawn.
pub fn sentence(text: &str) -> Option<Spoken> {
    let mut parts = text.split('`');
    let (before, name, after) = (parts.next()?, parts.next(), parts.next());
    let Some((name, after)) = name.zip(after) else {
        return known(text).map(|word| Spoken(word.marker().to_owned()));
    };
    let word = known(&format!("{before}{{}}{after}"))?;
    Some(word.around(&maud::html! { code { (name) } }))
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
pub fn of_scripts(tag: &str, is_preview: bool) -> Option<String> {
    let at = position(tag)?;
    let own = SCRIPTS.iter().chain(PREVIEW.iter().filter(|_| is_preview));
    Some(script_json(&json(own, &read_all()[at])))
}

/// The parts of the theme that are read when they are wanted and have words of their own, by the names of these files.
const PARTS: &[(&str, &[Word])] = &[("form-words", FORM), ("ask-words", ASSISTANT)];

/// The files that hold the words of a part in a language: name, content. In English the parts know theirs.
pub fn files() -> impl Iterator<Item = (String, String)> {
    let languages = || LANGUAGES.iter().zip(read_all());
    PARTS.iter().flat_map(move |(part, words)| {
        languages().map(move |((code, _), texts)| {
            let content = format!("export default {};\n", json(words.iter(), texts));
            (format!("{part}.{code}.js"), content)
        })
    })
}

/// The name of the file that holds the words of `part` for a page in the language `tag`; none in English.
pub fn file_of(part: &str, tag: &str) -> Option<String> {
    let (code, _) = LANGUAGES[position(tag)?];
    Some(format!("{part}.{code}.js"))
}

fn json<'a>(words: impl Iterator<Item = &'a Word>, texts: &[&str]) -> String {
    let said = words.map(|word| {
        let name = ENGLISH[word.number()].0;
        (name.to_owned(), texts[word.number()].into())
    });
    serde_json::Value::Object(said.collect()).to_string()
}

/// Every text in English and in the language `tag`.
pub fn pairs(tag: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let texts = texts(tag).iter().copied();
    english().iter().copied().zip(texts)
}

fn english() -> &'static [&'static str] {
    static TEXTS: OnceLock<Vec<&'static str>> = OnceLock::new();
    TEXTS.get_or_init(|| ENGLISH.iter().map(|(_, text)| *text).collect())
}

/// The texts of a language, in the order of [`Word`]: those of the tag, of its language, of English.
fn texts(tag: &str) -> &'static [&'static str] {
    position(tag).map_or(english(), |at| &read_all()[at])
}

/// Where the language `tag` is in [`LANGUAGES`]: by the tag, else by its language.
fn position(tag: &str) -> Option<usize> {
    let tag = language::tag(tag).to_ascii_lowercase();
    let of = |code: &str| LANGUAGES.iter().position(|(known, _)| *known == code);
    of(&tag).or_else(|| of(tag.split('-').next().unwrap_or("")))
}

/// The texts of every language, in the order of [`LANGUAGES`].
fn read_all() -> &'static [Vec<&'static str>] {
    static TEXTS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    TEXTS.get_or_init(|| LANGUAGES.iter().map(|(_, file)| read(file)).collect())
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::assets::ASSETS;
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

    /// What a script says by name, with the English that stands there: calls such as `say("Send", "Send")`, and lines of a table.
    fn said_by(asset: &str) -> BTreeMap<String, String> {
        let asset = ASSETS.iter().find(|one| one.name == asset).expect(asset);
        let script = std::str::from_utf8(asset.bytes).unwrap();
        let mut said = BTreeMap::new();
        for call in ["say(\"", "Say(\"", "Words(\""] {
            for (at, _) in script.match_indices(call) {
                let rest = &script[at + call.len() - 1..];
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let Some(Ok(name)) = strings.next() else {
                    continue;
                };
                let Some(rest) = rest[strings.byte_offset()..].strip_prefix(", ") else {
                    continue;
                };
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                if let Some(Ok(english)) = strings.next() {
                    assert_eq!(
                        said.insert(name, english.clone())
                            .unwrap_or(english.clone()),
                        english
                    );
                }
            }
        }
        let table = script
            .split_once("const english = {\n")
            .map(|(_, rest)| rest);
        let table = table.and_then(|rest| Some(rest.split_once("\n};")?.0));
        for line in table.unwrap_or_default().lines() {
            let (name, english) = line.split_once(": ").expect(line);
            said.insert(
                name.to_owned(),
                serde_json::from_str(english.trim_end_matches(',')).expect(line),
            );
        }
        said
    }

    #[test]
    fn scripts_say_the_words_of_their_part_in_the_english_of_the_table() {
        for (assets, words, is_whole) in [
            (&["playground.js"][..], FORM, true),
            (&["ask.js", "ask-search.js"], ASSISTANT, true),
            (&["reload.js"], PREVIEW, true),
            (&["quire.js", "search.js", "seldom.js"], SCRIPTS, false),
        ] {
            let table: BTreeMap<String, String> = words
                .iter()
                .map(|word| ENGLISH[word.number()])
                .map(|(name, english)| (name.to_owned(), english.to_owned()))
                .collect();
            let mut said: BTreeMap<String, String> =
                assets.iter().flat_map(|asset| said_by(asset)).collect();
            if assets == ["playground.js"] {
                // Said by the English name of a kind of credential.
                for name in [
                    "KeyInHeader",
                    "KeyInQuery",
                    "KeyInCookie",
                    "ClientCertificate",
                    "UnknownScheme",
                ] {
                    said.insert(name.to_owned(), table[name].clone());
                }
            }
            assert!(said.len() > 10, "{assets:?}");
            for (name, english) in &said {
                // Scripts of a preview say a word of every page, too.
                let all = ENGLISH.iter().find(|(known, _)| known == name);
                assert_eq!(
                    all.map(|(_, text)| *text),
                    Some(&**english),
                    "{assets:?} {name}"
                );
                assert!(table.contains_key(name), "{assets:?} {name}");
            }
            assert!(!is_whole || said.len() == table.len(), "{assets:?}");
        }
    }

    #[test]
    fn a_file_holds_the_words_of_one_part_in_one_language() {
        let name = file_of("form-words", "de-AT").expect("German has words");
        assert_eq!(name, "form-words.de.js");
        let asset = ASSETS
            .iter()
            .find(|asset| asset.name == name)
            .expect("a file");
        let text = std::str::from_utf8(asset.bytes).unwrap();
        assert!(
            text.starts_with("export default {") && text.ends_with("};\n"),
            "{text}"
        );
        assert!(text.contains("\"SendRequest\":\"Anfrage senden\"") && !text.contains("AskTitle"));
        assert!(asset.is_words() && !asset.needs_server());
        let ask = ASSETS.iter().find(|asset| asset.name == "ask-words.ar.js");
        assert!(ask.is_some_and(|asset| asset.is_words() && asset.needs_server()));
        assert_eq!(file_of("form-words", "en-GB"), None);
        assert_eq!(
            file_of("ask-words", "zh-Hant").as_deref(),
            Some("ask-words.zh-hant.js")
        );
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
            ("contains 2 or more of", "enthält 2 oder mehr von"),
            ("contains 1 – 3 of", "enthält 1 – 3 von"),
            (" or ", " oder "),
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
