//! The words of the frame in every language: markers while a page is drawn, texts when it is put together.
//!
//! What is drawn of a page or a section is kept, and it does not know the language that it is shown in: two languages may
//! show the same operation. So templates write a [`Word`], which is a marker of a few bytes, and [`fill`] puts the text of
//! a language in its place when a page is composed. What reads drawn HTML for something else takes [`in_english`].

mod fill;
mod languages;
mod scripts;
mod sentences;

pub use fill::{fill, in_english};
pub use languages::pairs;
pub use scripts::{file_of, files, of_scripts};
pub use sentences::{constraint, numbered, sentence, spoken};

use std::sync::OnceLock;

use maud::{Markup, Render};

use crate::html::push_escaped;

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
    RelayTarget "{} is no server of this API. Whoever runs this site can allow it with --relay-allow.",
    RelayAddress "{} is not at a public address. Whoever runs this site can allow it with --relay-allow.",
    RelayUnreached "The API cannot be reached: {}",
    RelayTooLong "The body is longer than {} MiB.",
    RelayTimeout "The API did not answer in time.",
    RelayBusy "There are too many requests. Wait a moment.",
    RelayStops "The site is being restarted. Send the request again in a moment.",
    RelayForeign "Only the pages of this site send requests through it.",
    RelayMalformed "The site cannot pass this request on: {}",
    DiagramFailed "This diagram could not be drawn: {}",
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
