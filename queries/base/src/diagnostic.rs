//! Diagnostics of a user's files, as values that queries return next to their results.
//!
//! A diagnostic has a place, a message, and advice. Its place is an address ([`Place`]), so that an
//! edit elsewhere in the file does not wake its readers. The table of codes is [`Code`]; a test
//! checks that each has a fixture.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::place::Place;

/// Severity. `check` fails on errors, and on warnings with `--strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Something the user wrote cannot be shown as meant.
    Error,
    /// Something is doubtful, or was read leniently.
    Warning,
    /// Something the user may want to know.
    Info,
}

impl Severity {
    /// The word in front of the code: `error`, `warning` or `info`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One message for the author.
///
/// `P` is the type of its place: a [`Place`], or the JSON pointer (RFC 6901) of a value as long as
/// it is not known in which file its document is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Diagnostic<P = Place> {
    /// Place.
    pub place: P,
    /// Kind; it decides the severity.
    pub code: Code,
    /// Message, in one line, without a full stop; the user's own words in backticks.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
    /// Value that belongs at the place instead of the one that is there, if the advice is a word for a word. What a file
    /// writes for it depends on its quotes: [`Located`](crate::place::Located) spans hold text, not values.
    pub replacement: Option<String>,
    /// Severity: that of its code, unless the author of the site sets another.
    pub severity: Severity,
}

impl<P> Diagnostic<P> {
    /// A diagnostic without a hint.
    pub fn new(code: Code, place: impl Into<P>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            code,
            message: message.into(),
            hint: None,
            replacement: None,
            severity: code.severity(),
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(self, advice: impl Into<Advice>) -> Self {
        self.advise(Some(advice.into()))
    }

    /// Adds advice, if there is any.
    #[must_use]
    pub fn advise(mut self, advice: Option<Advice>) -> Self {
        if let Some(Advice { hint, replacement }) = advice {
            self.hint = Some(hint);
            self.replacement = replacement;
        }
        self
    }

    /// Severity.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Moves the diagnostic to another place.
    pub fn at<Q>(self, place: impl FnOnce(P) -> Q) -> Diagnostic<Q> {
        Diagnostic {
            place: place(self.place),
            code: self.code,
            message: self.message,
            hint: self.hint,
            replacement: self.replacement,
            severity: self.severity,
        }
    }
}

/// Advice for an author: a sentence, and the value that can be put in place of the diagnosed one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Advice {
    /// Sentence.
    pub hint: String,
    /// Replacement ([`Diagnostic::replacement`]).
    pub replacement: Option<String>,
}

impl<T: Into<String>> From<T> for Advice {
    fn from(hint: T) -> Self {
        Self {
            hint: hint.into(),
            replacement: None,
        }
    }
}

/// A value and what was wrong with its source. Parsing never fails: what could be read is in `value`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed<T> {
    /// Value, as far as it could be read.
    pub value: T,
    /// Diagnostics of the rest.
    pub diagnostics: Vec<Diagnostic>,
}

/// Maximum number of diagnostics of one code that are listed for one page: each costs a look at the
/// text for its place, and nobody reads the ten thousandth.
pub const MAX_LISTED_PER_CODE: usize = 100;

/// Counts of the diagnostics of a page by their code, of which the first [`MAX_LISTED_PER_CODE`] are listed.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<Code, usize>);

impl Tally {
    /// Counts one of `code`; returns whether it is listed.
    pub fn count(&mut self, code: Code) -> bool {
        let count = self.0.entry(code).or_default();
        *count += 1;
        *count <= MAX_LISTED_PER_CODE
    }

    /// Returns true if the next one of `code` is counted and not listed.
    pub fn is_full(&self, code: Code) -> bool {
        (self.0.get(&code)).is_some_and(|count| *count >= MAX_LISTED_PER_CODE)
    }

    /// Adds to `diagnostics`, at the place of the last one of a code, the number of further ones.
    pub fn add_rest(self, diagnostics: &mut Vec<Diagnostic>) {
        for (code, count) in self.0 {
            let more = count.saturating_sub(MAX_LISTED_PER_CODE);
            let last = diagnostics.iter().rfind(|last| last.code == code);
            let Some(last) = last.filter(|_| more > 0) else {
                continue;
            };
            let message = format!("and {more} more of these on this page");
            let rest = Diagnostic::new(code, last.place.clone(), message);
            diagnostics.push(rest.hint("fix these first; the rest is reported afterwards"));
        }
    }
}

/// A word that an author may have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The word.
    pub word: String,
    /// Whether no other word can be meant, so that it can be put in place of what was written.
    pub is_only: bool,
}

impl Near {
    /// Advice to write the word in place of the whole of what the diagnostic is about.
    pub fn advice(self) -> Advice {
        let word = self.word.clone();
        self.advice_with(Some(word))
    }

    /// Advice to write the word, where the diagnosed place is more than what it replaces:
    /// `replacement` is the value of the whole place, if it can be told.
    pub fn advice_with(self, replacement: Option<String>) -> Advice {
        Advice {
            hint: format!("did you mean `{}`?", self.word),
            replacement: replacement.filter(|_| self.is_only),
        }
    }

    /// The word in other surroundings.
    #[must_use]
    pub fn map(self, change: impl FnOnce(String) -> String) -> Self {
        Self {
            word: change(self.word),
            is_only: self.is_only,
        }
    }
}

/// The candidate nearest to `word`, for "did you mean"; `None` when nothing is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_two(word, candidates).map(|(nearest, _)| nearest)
}

/// Like [`nearest`], with whether it can be put in place of `word`: no other one is as near, and a letter is amiss, or two of
/// a long word. Numbers that differ are no slip of the hand.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near> {
    let (nearest, is_only) = nearest_two(word, candidates)?;
    let digits = |text: &str| {
        let digits = text.chars().filter(char::is_ascii_digit);
        digits.collect::<String>()
    };
    Some(Near {
        word: nearest.to_owned(),
        is_only: is_only && is_slip(word, nearest) && digits(word) == digits(nearest),
    })
}

/// Returns true if `word` is `other` but for a slip of the hand: a letter, or two of a long word.
fn is_slip(word: &str, other: &str) -> bool {
    let length = word.chars().count().min(other.chars().count());
    distance(word, other) <= if length < 8 { 1 } else { 2 }
}

/// Number of letters that are added, left out, swapped with the next one or other ones, whatever their case.
pub fn distance(word: &str, other: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), &other.to_lowercase())
}

/// The candidate nearest to `word`, and whether every other one is further.
fn nearest_two<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<(&'a str, bool)> {
    let lower = word.to_lowercase();
    let mut found: Option<(usize, &str, bool)> = None;
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        if distance > 1 + candidate.chars().count().min(word.chars().count()) / 4 {
            continue;
        }
        found = match found {
            Some((least, nearest, is_only)) if (least, nearest) <= (distance, candidate) => {
                let is_only = is_only && (least < distance || nearest == candidate);
                Some((least, nearest, is_only))
            }
            Some((least, ..)) => Some((distance, candidate, distance < least)),
            None => Some((distance, candidate, true)),
        };
    }
    found.map(|(_, nearest, is_only)| (nearest, is_only))
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $severity:ident $name:literal,)+) => {
        /// The kinds of diagnostics, with their stable kebab-case names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$variant,)+];

            /// The code of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// The stable name, as printed and as used in filters.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The severity of every diagnostic with this code.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// Returns the meaning of the code, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// Neither `docs.json` nor `mint.json` is in the folder, and nothing that a site could be made of.
    MissingConfig = Error "missing-config",
    /// There is no `docs.json`; the navigation follows the folders and the specifications.
    DerivedConfig = Info "derived-config",
    /// A legacy `mint.json` was read as if upgraded.
    LegacyConfig = Warning "legacy-config",
    /// A configuration file is not valid JSON.
    InvalidJson = Error "invalid-json",
    /// A specification is not valid YAML.
    InvalidYaml = Error "invalid-yaml",
    /// A `quire.toml` is not valid TOML.
    InvalidToml = Error "invalid-toml",
    /// A file that is being written ends in the middle; its last whole version stays in use.
    TruncatedFile = Error "truncated-file",
    /// A file or folder cannot be read; what it held before stays in use.
    UnreadableFile = Error "unreadable-file",
    /// A required field of the configuration is absent.
    MissingField = Error "missing-field",
    /// A field of the configuration has a value of the wrong type or outside its range.
    InvalidField = Error "invalid-field",
    /// A field of the configuration is not known and was ignored, or one of a frontmatter is nearly one that is known.
    UnknownField = Info "unknown-field",
    /// A field of the configuration or of a frontmatter is known and has no effect yet.
    UnusedField = Info "unused-field",
    /// A key of an object appears twice; the last one wins.
    DuplicateKey = Warning "duplicate-key",
    /// A `$ref` of the configuration names a file that is not there.
    MissingRef = Error "missing-ref",
    /// A `$ref` of the configuration leads back to itself.
    CyclicRef = Error "cyclic-ref",
    /// A navigation element has several kinds of children; only the first kind is used.
    ExtraChildren = Warning "extra-children",
    /// A navigation element has more tabs, versions or other choices beside each other than are shown.
    TooManyChoices = Warning "too-many-choices",
    /// A page named in the navigation has no file.
    MissingPage = Warning "missing-page",
    /// A specification named in the configuration is not there, or is no document of its kind.
    MissingSpec = Error "missing-spec",
    /// An overlay that the configuration names is not in the repository.
    MissingOverlay = Error "missing-overlay",
    /// An overlay, or an action of one, that changes nothing because it is wrong in itself.
    OverlayInvalid = Error "overlay-invalid",
    /// The target of an action of an overlay selects nothing.
    OverlayUnmatched = Warning "overlay-unmatched",
    /// An overlay says that it extends another specification than the one that it is applied to.
    OverlayExtends = Info "overlay-extends",
    /// A specification is of a version that cannot be read.
    UnsupportedVersion = Error "unsupported-version",
    /// A specification is of a version newer than what is known.
    VersionNewer = Warning "version-newer",
    /// A specification is of Swagger 2.0; it is read as the document of OpenAPI 3.0 that says the same.
    SwaggerConverted = Info "swagger-converted",
    /// A specification is of AsyncAPI 2; it is read as the document of AsyncAPI 3.0 that says the same.
    AsyncapiConverted = Info "asyncapi-converted",
    /// A reference of a specification leads nowhere.
    RefMissing = Error "ref-missing",
    /// A reference of a specification leads out of the document; such references are never followed.
    RefExternal = Error "ref-external",
    /// A chain of references of a specification returns to itself without meeting anything.
    RefLoop = Error "ref-loop",
    /// A path item and the one it refers to define the same field.
    PathitemConflict = Warning "pathitem-conflict",
    /// `nullable` stands in a schema without `type`, where it means nothing.
    NullableWithoutType = Warning "nullable-without-type",
    /// `nullable` stands beside an `enum` that does not list `null`.
    NullableEnum = Info "nullable-enum",
    /// `exclusiveMinimum: true` without `minimum`, or the same for the maximum.
    BoundWithoutValue = Warning "bound-without-value",
    /// The members of an `allOf` contradict each other.
    AllofConflict = Warning "allof-conflict",
    /// A member of a composition allows no properties but its own, so that those of the others would be excluded.
    AllofClosed = Info "allof-closed",
    /// A branch under a discriminator has no name, so no value chooses it.
    DiscriminatorInline = Info "discriminator-inline",
    /// A property is both read-only and write-only.
    ReadwriteConflict = Warning "readwrite-conflict",
    /// An example is not valid against its schema.
    ExampleMismatch = Warning "example-mismatch",
    /// No sample that was generated is valid against its schema.
    SampleUnverified = Info "sample-unverified",
    /// A schema requires itself without end.
    SchemaInfinite = Warning "schema-infinite",
    /// A page has more rows than are shown.
    PageRowLimit = Info "page-row-limit",
    /// A parameter has a style that is not defined for its type.
    StyleUndefined = Warning "style-undefined",
    /// Parts of a body have no names, and no sample of code makes them.
    PositionalParts = Info "positional-parts",
    /// A header parameter is one that OpenAPI ignores.
    HeaderReserved = Info "header-reserved",
    /// A key of `responses` is no status.
    StatusInvalid = Warning "status-invalid",
    /// A security requirement names a scheme that is not defined.
    SecurityMissing = Error "security-missing",
    /// An address of an OAuth 2.0 flow has a variable without a value, or no server to be relative to.
    OauthAddress = Warning "oauth-address",
    /// A link of a response names an operation that is not there.
    LinkMissing = Warning "link-missing",
    /// A link of a response gives a parameter that its operation does not have.
    LinkParameter = Info "link-parameter",
    /// An expression of a link names a part of the request or the response that is not described.
    LinkExpression = Info "link-expression",
    /// The address of a callback is in a part of the request that is not described.
    CallbackExpression = Info "callback-expression",
    /// An encoding of a property that the body does not have.
    EncodingUnknown = Info "encoding-unknown",
    /// A pill is not a text.
    PillType = Warning "pill-type",
    /// A specification before OpenAPI 3.1 has webhooks, which have no pages.
    WebhooksNeed31 = Warning "webhooks-need-31",
    /// A specification names a dialect of JSON Schema that is not known; it is read as 2020-12.
    DialectUnknown = Warning "dialect-unknown",
    /// The metadata of an operation name the operation of its page, which is the operation itself.
    MetadataOpenapi = Warning "metadata-openapi",
    /// A field of a specification that its object does not have, or has from a later version on.
    SpecFieldUnknown = Warning "spec-field-unknown",
    /// A field that an object of a specification must have.
    SpecFieldMissing = Warning "spec-field-missing",
    /// A field of a specification that holds a value of another type.
    SpecFieldType = Warning "spec-field-type",
    /// A value that a field of a specification cannot have.
    SpecValueInvalid = Warning "spec-value-invalid",
    /// Two fields of which an object of a specification has one.
    SpecFieldsExclusive = Warning "spec-fields-exclusive",
    /// A keyword of schemas of another version of OpenAPI.
    KeywordVersion = Warning "keyword-version",
    /// A keyword of schemas that means nothing for their type.
    KeywordType = Warning "keyword-type",
    /// Keywords beside a `$ref` of OpenAPI 3.0, where they mean nothing.
    RefSiblings = Warning "ref-siblings",
    /// A reference to a component of another kind than stands there.
    RefKind = Warning "ref-kind",
    /// An array that does not say what it holds.
    ArrayItems = Info "array-items",
    /// Values of `enum` that repeat, or are not of the type of their schema.
    EnumInvalid = Warning "enum-invalid",
    /// A default that its schema or its list of values does not allow.
    DefaultInvalid = Warning "default-invalid",
    /// A `pattern` that is not a regular expression.
    PatternInvalid = Warning "pattern-invalid",
    /// Bounds between which there is nothing.
    RangeEmpty = Warning "range-empty",
    /// Two bounds on one side, of which the narrower counts.
    RangeDoubled = Info "range-doubled",
    /// A union that leaves no choice: of one schema, or of the same one twice.
    UnionChoice = Info "union-choice",
    /// A required property that the schema does not describe.
    RequiredUndefined = Warning "required-undefined",
    /// A discriminator whose property is not described.
    DiscriminatorProperty = Warning "discriminator-property",
    /// A discriminator whose property is not required.
    DiscriminatorOptional = Info "discriminator-optional",
    /// A discriminator that leads to a schema that is not there.
    DiscriminatorMapping = Warning "discriminator-mapping",
    /// Parameters of one name and place.
    ParameterDuplicate = Warning "parameter-duplicate",
    /// A part of a path that no parameter describes.
    PathParameterMissing = Warning "path-parameter-missing",
    /// A parameter of the path that the path does not have.
    PathParameterUnused = Warning "path-parameter-unused",
    /// A path that no request can have.
    PathInvalid = Warning "path-invalid",
    /// Paths that are the same but for the names of their parameters.
    PathAmbiguous = Warning "path-ambiguous",
    /// Paths that one request fits alike, if its parameters are what the other path names.
    PathOverlap = Info "path-overlap",
    /// A path that ends in a slash.
    PathTrailingSlash = Info "path-trailing-slash",
    /// Operations that share an `operationId`.
    OperationIdDuplicate = Warning "operation-id-duplicate",
    /// An operation without an `operationId`.
    OperationIdMissing = Info "operation-id-missing",
    /// An `operationId` that cannot stand in an address.
    OperationIdUnsafe = Info "operation-id-unsafe",
    /// An operation with the summary of another one.
    SummaryDuplicate = Info "summary-duplicate",
    /// An operation without a summary.
    OperationSummary = Info "operation-summary",
    /// An operation without a description.
    OperationDescription = Info "operation-description",
    /// An operation without tags.
    OperationTags = Info "operation-tags",
    /// An operation of which nothing says what its requests must show.
    OperationSecurity = Info "operation-security",
    /// An operation that describes no success.
    SuccessResponse = Info "success-response",
    /// An operation that describes no mistake of its client.
    ErrorResponse = Info "error-response",
    /// A request body of a method for which it has no meaning.
    BodyUnexpected = Info "body-unexpected",
    /// Servers of a webhook, whose requests go where their receiver says.
    WebhookServers = Info "webhook-servers",
    /// A callback within a callback.
    CallbackNested = Info "callback-nested",
    /// A name of a media type that is none.
    MediaTypeInvalid = Warning "media-type-invalid",
    /// A component whose name no reference can have.
    ComponentName = Warning "component-name",
    /// A component that nothing refers to.
    ComponentUnused = Info "component-unused",
    /// A scope that its security scheme does not list.
    ScopeUndefined = Warning "scope-undefined",
    /// A document without servers.
    ServersMissing = Info "servers-missing",
    /// A variable in the URL of a server that is not described.
    ServerVariable = Warning "server-variable",
    /// A variable of a server that its URL does not have.
    ServerVariableUnused = Info "server-variable-unused",
    /// The URL of a server that ends in a slash.
    ServerTrailingSlash = Info "server-trailing-slash",
    /// A server with a name for examples.
    ServerExample = Info "server-example",
    /// A tag that the list of tags does not have.
    TagUndefined = Info "tag-undefined",
    /// A tag that is listed twice.
    TagDuplicate = Warning "tag-duplicate",
    /// A tag without a description.
    TagDescription = Info "tag-description",
    /// A document whose `info` has no description.
    InfoDescription = Info "info-description",
    /// A document whose `info` has no contact.
    InfoContact = Info "info-contact",
    /// A document whose `info` has no license.
    InfoLicense = Info "info-license",
    /// A license that does not say where its terms are.
    LicenseUrl = Info "license-url",
    /// A key of `x-docs` that means nothing there.
    ExtensionUnknown = Warning "extension-unknown",
    /// A script in a text of a specification.
    TextScript = Warning "text-script",
    /// A specification describes no operation.
    NoOperations = Warning "no-operations",
    /// An entry names an operation, but no specification is in scope or it was not found there.
    UnresolvedOperation = Warning "unresolved-operation",
    /// A rule of AsyncAPI that a document breaks, so that something of it is on no page.
    AsyncapiInvalid = Warning "asyncapi-invalid",
    /// A page names a channel that no AsyncAPI document has.
    UnresolvedChannel = Warning "unresolved-channel",
    /// The `api:` of a page is relative, and no server is set.
    ServerMissing = Error "server-missing",
    /// A page names a schema that no specification has, or several have.
    UnresolvedSchema = Warning "unresolved-schema",
    /// Two files claim one route.
    RouteCollision = Error "route-collision",
    /// A source redirects twice, or is an address of the site, which comes first.
    DuplicateRedirect = Warning "duplicate-redirect",
    /// The frontmatter of a page is not valid YAML.
    InvalidFrontMatter = Error "invalid-frontmatter",
    /// A field of the frontmatter has a value of the wrong type.
    InvalidFrontMatterField = Warning "invalid-frontmatter-field",
    /// What looks like frontmatter is none, because of where or how it is written: it is shown as text.
    MisplacedFrontMatter = Warning "misplaced-frontmatter",
    /// A file is not valid UTF-8; the bad bytes are shown as replacement characters.
    InvalidUtf8 = Warning "invalid-utf8",
    /// A tag is never closed.
    UnclosedTag = Error "unclosed-tag",
    /// A closing tag has no opening tag.
    UnexpectedClosingTag = Error "unexpected-closing-tag",
    /// More block quotes and lists stand in each other on a line than are drawn; the marks of the others are text.
    DeepNesting = Warning "deep-nesting",
    /// A page has more parts than are drawn; the rest is left out.
    PageNodeLimit = Warning "page-node-limit",
    /// A `<` begins no tag and was read as text.
    StrayAngle = Warning "stray-angle",
    /// A `{` does not begin an expression; shown as text.
    StrayBrace = Warning "stray-brace",
    /// Pages are written in the syntax of another tool, which is shown as text.
    ForeignSyntax = Warning "foreign-syntax",
    /// A component is not known; its children are shown.
    UnknownComponent = Warning "unknown-component",
    /// A text of a specification holds HTML that is not shown: whoever writes an API need not be who writes the site.
    UntrustedHtml = Warning "untrusted-html",
    /// An expression cannot be evaluated when the site is built.
    UnsupportedExpression = Warning "unsupported-expression",
    /// A formula that is not LaTeX, or uses what cannot be drawn.
    InvalidFormula = Warning "invalid-formula",
    /// A component cannot be rendered at build time; where no script runs, what it holds is shown.
    UnsupportedComponent = Warning "unsupported-component",
    /// A component with state shows what its states show, all at once, and does not react to readers.
    StaticComponent = Warning "static-component",
    /// A component shows something only once a script brings it; it is in no text of the build.
    ScriptOnlyContent = Info "script-only-content",
    /// An import names a file that is not there.
    MissingImport = Warning "missing-import",
    /// A link leads to a page that is not on the site.
    BrokenLink = Warning "broken-link",
    /// A link leads to another site, which says that nothing is there.
    DeadLink = Warning "dead-link",
    /// A link leads to another site, which does not say whether something is there.
    UncertainLink = Info "uncertain-link",
    /// A link leads to a heading that is not on its page.
    BrokenAnchor = Warning "broken-anchor",
    /// A page shows a file that is not on the site; whole folders that are not there are counted for the site.
    MissingFile = Warning "missing-file",
    /// A component names an icon that no free set has; the nearest one is drawn, or none.
    UnknownIcon = Info "unknown-icon",
    /// A block of code names a language that is not known; it is shown without colors.
    UnknownLanguage = Info "unknown-language",
    /// A class is written as a utility is, with a variant or a value in brackets, and has no rule.
    UnknownUtility = Info "unknown-utility",
    /// A component has a prop that it does not know, whose name is nearly that of one it knows.
    UnknownProp = Info "unknown-prop",
    /// A redirect leads to nothing, or from what is never asked for.
    BrokenRedirect = Warning "broken-redirect",
    /// Redirects lead in a circle.
    RedirectLoop = Warning "redirect-loop",
    /// A page is in no navigation.
    OrphanPage = Info "orphan-page",
    /// A stylesheet or a script in a folder of examples, or far down, is on every page of the site.
    StrayAsset = Info "stray-asset",
    /// A page could not be drawn because of a fault of the program; its last good version stays up.
    InternalFault = Error "internal-fault",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_beyond_the_limit_are_summarized() {
        let path = crate::path::SitePath::of_url("a.mdx");
        let mut tally = Tally::default();
        let mut reported = Vec::new();
        for _ in 0..MAX_LISTED_PER_CODE + 7 {
            if tally.count(Code::StrayBrace) {
                let place = Place::File(path.clone());
                reported.push(Diagnostic::new(Code::StrayBrace, place, "a"));
            }
        }
        assert!(tally.count(Code::StrayAngle) && tally.is_full(Code::StrayBrace));
        tally.add_rest(&mut reported);
        assert_eq!(reported.len(), MAX_LISTED_PER_CODE + 1);
        assert_eq!(
            reported[MAX_LISTED_PER_CODE].message,
            "and 7 more of these on this page"
        );
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(
            nearest("navgation", ["navigation", "name"]),
            Some("navigation")
        );
        assert_eq!(nearest("Colors", ["colors"]), Some("colors"));
        assert_eq!(nearest("collapsed", ["colors", "navigation"]), None);
    }

    #[test]
    fn a_word_is_replaced_only_by_the_only_near_one() {
        let is_only = |word: &str, candidates: &[&str]| {
            near(word, candidates.iter().copied()).map(|near| near.is_only)
        };
        assert_eq!(is_only("titel", &["title", "tile", "title"]), Some(true));
        assert_eq!(is_only("card", &["cart", "care"]), Some(false));
        assert_eq!(is_only("card", &["care", "cart"]), Some(false));
        assert_eq!(is_only("guide-2", &["guide-1"]), Some(false));
        assert_eq!(is_only("guide-2", &["giude-2"]), Some(true));
        assert_eq!(is_only("Warn", &["Card"]), Some(false));
        assert_eq!(is_only("css-selectors", &["id-selectors"]), Some(false));
        assert_eq!(is_only("descripton", &["description"]), Some(true));
        assert_eq!(is_only("title", &["navigation"]), None);
    }
}
