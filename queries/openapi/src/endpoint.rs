//! The pages of a reference as plain data, everything decided: templates render it without further
//! queries.

use super::direction::Direction;
use super::playground::Playground;
use base::diagnostic::Diagnostic;

/// A page model and what was wrong with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modelled<T> {
    /// The page.
    pub value: T,
    /// Diagnostics; sorted, each once.
    pub diagnostics: Vec<Diagnostic<String>>,
}

/// Subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A request that a reader sends.
    Operation,
    /// A request that the API sends; it has no path, no servers and no code samples.
    Webhook,
}

/// The page of an operation or of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Subject.
    pub kind: Kind,
    /// The pointer of the operation, such as `/paths/~1users/get`.
    pub pointer: String,
    /// The `operationId`.
    pub operation_id: Option<String>,
    /// Its tag.
    pub tag: Option<Tag>,
    /// The summary, or the beginning of a long one; without one, `METHOD /path`.
    pub title: String,
    /// Method in upper case.
    pub method: String,
    /// The path as written; the name of a webhook.
    pub path: String,
    /// The path with its parameters marked; one text for a webhook.
    pub segments: Vec<Segment>,
    /// Servers; none for webhooks.
    pub servers: Vec<Server>,
    /// Markdown.
    pub description: String,
    /// The first paragraph of the description as plain text, at most 160 characters, cut at a word.
    pub meta_description: Option<String>,
    /// `x-docs.content`, MDX.
    pub content: Option<String>,
    /// Whether it should not be used any more.
    pub is_deprecated: bool,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Authentication of requests.
    pub security: Security,
    /// Path, query, header and cookie parameters, in this order; groups without rows are left out.
    pub parameters: Vec<ParameterGroup>,
    /// Request body.
    pub body: Option<Body>,
    /// Requests that the API sends later.
    pub callbacks: Vec<Callback>,
    /// Responses, in the order of the document.
    pub responses: Vec<Response>,
    /// The response whose tab is open: the first 2xx, else the first.
    pub open_response: usize,
    /// Code that sends the request: those of the author first; none for webhooks.
    pub samples: Vec<CodeSample>,
    /// Data of the interactive playground; `None` for webhooks.
    pub playground: Option<Playground>,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Name.
    pub name: String,
    /// `x-group`, else the name.
    pub label: String,
}

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Literal text.
    Text(String),
    /// A parameter, without its braces.
    Parameter(String),
}

/// A link of the document's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Destination.
    pub href: String,
    /// Text.
    pub label: String,
}

/// A base address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Absolute, with its variables in braces.
    pub url: String,
    /// Address with the defaults of its variables, without a trailing slash.
    pub address: String,
    /// Set when it is below the origin of the site, which is not known and written as
    /// [`UNKNOWN`](super::server::UNKNOWN).
    pub is_relative: bool,
    /// The first paragraph of the description as plain text, else the URL.
    pub label: String,
    /// Variables.
    pub variables: Vec<Variable>,
}

/// A variable of a server's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value unless another is chosen.
    pub default: String,
    /// The values it can have; any when empty.
    pub values: Vec<String>,
    /// Markdown.
    pub description: String,
}

/// Authentication of requests. Without alternatives there is no section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// One of these is needed.
    pub alternatives: Vec<Alternative>,
    /// Whether none is needed either.
    pub is_optional: bool,
    /// Whether the document declares that no authentication is needed (`security: [{}]`).
    pub is_none: bool,
}

/// Schemes that are needed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The names of the schemes, joined by ` + `.
    pub label: String,
    /// Schemes.
    pub schemes: Vec<Scheme>,
}

/// A security scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// The id of its row, `auth-…`.
    pub anchor: String,
    /// Key under `securitySchemes`.
    pub key: String,
    /// Name of the row: the name of the header, of the query parameter or of the cookie; else the
    /// key.
    pub name: String,
    /// Short description: `API key in header`, `Bearer <token>`, `client certificate`.
    pub label: String,
    /// Markdown; a fixed sentence where the author wrote none.
    pub description: String,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// Kind of the scheme.
    pub kind: SchemeKind,
    /// `x-default`: what the field of the playground is filled with.
    pub prefill: Option<String>,
}

/// The kinds of security schemes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemeKind {
    /// A key in a header, a query parameter or a cookie.
    ApiKey {
        /// Location.
        location: Location,
    },
    /// A token in the `Authorization` header.
    Bearer {
        /// Format of the token, such as `JWT`.
        format: Option<String>,
    },
    /// A user name and a password.
    Basic,
    /// Another HTTP scheme, documented only.
    Http {
        /// Name, such as `digest`.
        scheme: String,
    },
    /// OAuth 2.
    OAuth2 {
        /// Flows, in the order of the document.
        flows: Vec<Flow>,
        /// URL of the authorization server metadata (RFC 8414; OpenAPI 3.2).
        metadata_url: Option<String>,
    },
    /// OpenID Connect.
    OpenIdConnect {
        /// URL of its configuration.
        url: String,
    },
    /// A client certificate.
    MutualTls,
    /// The document names a scheme that it does not define.
    Unknown,
}

/// A flow of OAuth 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Name, such as `authorizationCode`.
    pub name: String,
    /// URL where a user gives consent.
    pub authorization_url: Option<String>,
    /// URL where a device requests the code that its user types elsewhere (OpenAPI 3.2).
    pub device_url: Option<String>,
    /// URL that issues tokens.
    pub token_url: Option<String>,
    /// URL that renews tokens.
    pub refresh_url: Option<String>,
    /// Scopes.
    pub scopes: Vec<Scope>,
}

/// A scope of OAuth 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Whether this operation needs it.
    pub is_required: bool,
}

/// Location of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Location {
    /// Path.
    Path,
    /// After the `?`.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

impl Location {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Path, Self::Query, Self::Header, Self::Cookie];

    /// The word of the specification; anchors of rows begin with it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }

    /// The heading above its parameters.
    pub fn title(self) -> &'static str {
        match self {
            Self::Path => "Path parameters",
            Self::Query => "Query parameters",
            Self::Header => "Headers",
            Self::Cookie => "Cookies",
        }
    }

    /// The id of that heading.
    pub fn anchor(self) -> String {
        self.title().to_ascii_lowercase().replace(' ', "-")
    }
}

/// The parameters of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterGroup {
    /// The place.
    pub location: Location,
    /// Parameters, in the order of the document; a path item's first.
    pub rows: Vec<Row>,
}

/// A request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// `body`.
    pub anchor: String,
    /// `Body`, or `Payload` of a webhook.
    pub title: String,
    /// Whether a request must have one.
    pub is_required: bool,
    /// Markdown.
    pub description: String,
    /// Forms.
    pub media: Vec<MediaType>,
    /// The form that is open first; an index into `media`.
    pub open_media: usize,
}

/// One form of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// Name as written, such as `application/json`.
    pub name: String,
    /// Schema of the content; `None` without one.
    pub root: Option<Root>,
    /// Examples, at least one if there is a schema that has a value.
    pub examples: Vec<Example>,
}

/// The schema of a body, of a response or of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its view.
    pub view: View,
    /// `No writable properties`, where every property is hidden in this direction.
    pub note: Option<String>,
}

/// A row of a reference page: a parameter, a property or a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The id of the element, unique on the page.
    pub anchor: String,
    /// Name.
    pub name: Name,
    /// Pills before the name.
    pub before: Vec<String>,
    /// Pills after the type, in order.
    pub after: Vec<Pill>,
    /// Whether it is required; `after` has a pill for that, too.
    pub is_required: bool,
    /// Whether it should not be used any more; also one of `after`.
    pub is_deprecated: bool,
    /// Markdown.
    pub description: String,
    /// Its view.
    pub view: View,
}

/// The name of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Name as in the document.
    Plain(String),
    /// A pattern that names match, rendered in code with the mark `pattern`.
    Pattern(String),
    /// The keys of a map, such as `[key: string]`.
    Key(String),
    /// A place in a tuple, such as `[0]`, or `[…]`.
    Index(String),
}

impl Name {
    /// The text of the name.
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Pattern(text) | Self::Key(text) | Self::Index(text) => text,
        }
    }
}

/// A pill after a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pill {
    /// Origin.
    pub kind: PillKind,
    /// Text.
    pub text: String,
}

/// Origin of a pill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PillKind {
    /// `required`.
    Required,
    /// `deprecated`.
    Deprecated,
    /// `read-only`.
    ReadOnly,
    /// `write-only`.
    WriteOnly,
    /// A key of `api.params.post`.
    Configured,
    /// `x-docs.post`.
    Own,
}

/// View of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Type.
    pub label: Label,
    /// The title of the schema, where it is not the label.
    pub title: Option<String>,
    /// Constraints.
    pub chips: Vec<Phrase>,
    /// The text of a reference that leads nowhere.
    pub note: Option<Phrase>,
    /// The default, as it is printed.
    pub default: Option<String>,
    /// Examples, as they are printed.
    pub examples: Vec<String>,
    /// Author's names of the examples, in their order; none where they have no names.
    pub example_labels: Vec<String>,
    /// The values it can have.
    pub values: Vec<EnumValue>,
    /// External documentation.
    pub external_docs: Option<Link>,
    /// Annotations of parts that have no row of their own.
    pub annotations: Vec<Annotation>,
    /// Contents.
    pub contents: Contents,
}

/// Words and values of a part of a schema that has no row of its own: of the items of an array, of a branch of a union
/// without a chooser, of `null`, of a schema that is referred to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// The part: [`EACH`] for items, else a type; `None` of the schema itself.
    pub subject: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Markdown.
    pub description: String,
    /// Whether it should not be used any more.
    pub is_deprecated: bool,
    /// The default, as it is printed.
    pub default: Option<String>,
    /// Examples, as they are printed.
    pub examples: Vec<String>,
    /// External documentation.
    pub external_docs: Option<Link>,
}

impl Annotation {
    /// Returns true if it has no text about its subject.
    pub fn is_empty(&self) -> bool {
        let subject = self.subject.clone();
        *self
            == Self {
                subject,
                ..Self::default()
            }
    }
}

/// Subject of the annotations of each item of an array.
pub const EACH: &str = "each:";

/// A type, in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The parts, one after the other.
    pub parts: Vec<LabelPart>,
    /// Whether it leads back to a schema that is open around it; rendered as the mark `recursive`.
    pub is_recursive: bool,
}

/// A part of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPart {
    /// Text.
    pub text: String,
    /// The page of the data model it names.
    pub href: Option<String>,
}

impl Label {
    /// A label of one text.
    pub fn text(text: impl Into<String>) -> Self {
        let parts = vec![LabelPart {
            text: text.into(),
            href: None,
        }];
        Self {
            parts,
            is_recursive: false,
        }
    }

    /// The whole label as text, without the mark.
    pub fn plain(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }
}

/// A short text, some of which is code.
pub type Phrase = Vec<Span>;

/// A piece of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Text.
    pub text: String,
    /// Whether it is rendered as code.
    pub is_code: bool,
}

impl Span {
    /// Words.
    pub fn words(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_code: false,
        }
    }

    /// Code.
    pub fn code(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_code: true,
        }
    }
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Printed form: a JSON literal, strings without quotes (`""` stays).
    pub text: String,
    /// The name beside it.
    pub name: Option<String>,
    /// Markdown.
    pub description: String,
}

/// Contents of an object, an array or a union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Rows, in order. The rows of an array of objects are those of the object.
    pub rows: Vec<Row>,
    /// Choosers between branches, below the rows.
    pub choosers: Vec<Chooser>,
    /// Blocks with a title: conditions, what `contains` asks for, what a string decodes to.
    pub blocks: Vec<Block>,
    /// Place of the rest, if it is not here.
    pub elsewhere: Option<Elsewhere>,
    /// The page that has all of it, in place of everything else.
    pub shared: Option<Shared>,
}

impl Contents {
    /// Returns true if there is nothing to open.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
            && self.choosers.is_empty()
            && self.blocks.is_empty()
            && self.elsewhere.is_none()
            && self.shared.is_none()
    }
}

/// A component whose rows are on a page of their own: too many to be on each page that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The pointer of the component.
    pub pointer: String,
    /// Direction of its values.
    pub direction: Direction,
    /// The page of its rows.
    pub href: String,
    /// Number of initial rows.
    pub rows: usize,
    /// Number of branches of the first of its choosers.
    pub branches: usize,
}

/// A choice between branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chooser {
    /// `one of` or `any of`.
    pub words: String,
    /// The property that decides, if there is one.
    pub property: Option<String>,
    /// The branches, in order.
    pub branches: Vec<Branch>,
}

/// A branch of a chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The id of the element, unique on the page.
    pub anchor: String,
    /// Tab.
    pub label: String,
    /// Markdown.
    pub description: String,
    /// Its view.
    pub view: View,
}

/// Rows under a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Such as: When `kind` is `"card"`.
    pub title: Phrase,
    /// Its view.
    pub view: View,
}

/// Link to the place where a schema is shown in full, if it is not shown here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Why it is not shown here.
    pub why: Why,
    /// The name of the component, if it has one.
    pub name: Option<String>,
    /// URL of the page of the data model, else of the first occurrence on this page (`#…`), else of
    /// the specification file.
    pub href: Option<String>,
    /// Whether `href` leads to the specification file.
    pub is_source: bool,
}

/// Why a schema is not shown in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Open around this place already.
    Recursive,
    /// Deeper than a page goes, or than a page with very many rows goes.
    Deeper,
    /// On the page three times already.
    Repeated,
    /// The page has as many rows as a page may have.
    Full,
}

/// An example of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The key that the document names it by; empty for one without.
    pub key: String,
    /// Tab: the summary, else the key; `Example` where there is one only.
    pub label: String,
    /// Markdown.
    pub description: String,
    /// The language of the text, for coloring: `json`, `xml`, `text`.
    pub language: String,
    /// The text; empty if it is elsewhere.
    pub text: String,
    /// URL of the value (`externalValue`); shown as a link, never fetched.
    pub href: Option<String>,
    /// Player, if the text is the URL of a picture, a sound or a video.
    pub player: Option<Player>,
    /// Whether it was generated.
    pub is_generated: bool,
}

/// Player for the URL in an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Picture.
    Image,
    /// Sound.
    Audio,
    /// Video.
    Video,
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// `response-<status>`.
    pub anchor: String,
    /// Status as written: `200`, `2XX`, `default`.
    pub status: String,
    /// Tab: the status, or `Default`.
    pub label: String,
    /// A few words (OpenAPI 3.2, 4.17).
    pub summary: Option<String>,
    /// Markdown.
    pub description: String,
    /// Headers.
    pub headers: Vec<Row>,
    /// Forms; none means "No body".
    pub media: Vec<MediaType>,
    /// The form that is open first; an index into `media`.
    pub open_media: usize,
    /// Links to operations that can follow.
    pub links: Vec<ResponseLink>,
}

/// A link of a response: an operation that takes values of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseLink {
    /// Key.
    pub name: String,
    /// The operation, as the document names it.
    pub target: String,
    /// The page of the operation.
    pub href: Option<String>,
    /// Markdown.
    pub description: String,
    /// Parameters and the expressions that fill them; `body` for the request body.
    pub parameters: Vec<(String, String)>,
}

/// Requests that the API sends because of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// `callback-<name>`.
    pub anchor: String,
    /// Key.
    pub name: String,
    /// Each expression with each of its methods.
    pub requests: Vec<CallbackRequest>,
}

/// A request that the API sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackRequest {
    /// The id of the element.
    pub anchor: String,
    /// Method in upper case.
    pub method: String,
    /// URL expression, such as `{$request.body#/callbackUrl}`.
    pub expression: String,
    /// The row of this page that holds the address, as `#…`.
    pub href: Option<String>,
    /// The summary of the operation.
    pub title: Option<String>,
    /// Markdown.
    pub description: String,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// Parameters.
    pub parameters: Vec<ParameterGroup>,
    /// Body that it sends.
    pub body: Option<Body>,
    /// Expected responses.
    pub responses: Vec<Response>,
    /// The response whose tab is open.
    pub open_response: usize,
}

/// Code that sends the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSample {
    /// The language: one of ours, else as the author wrote it, in lower case.
    pub id: String,
    /// Tab.
    pub label: String,
    /// The language for coloring.
    pub language: String,
    /// The code, once for each form of the body (those of the author and requests without a body have one).
    pub variants: Vec<CodeVariant>,
    /// Whether the author wrote it.
    pub is_authored: bool,
}

/// Code for one form of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeVariant {
    /// The media type; `None` if there is no choice.
    pub media: Option<String>,
    /// The code.
    pub source: String,
}

/// The page of a data model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The pointer of the component.
    pub pointer: String,
    /// Name, which is the title of the page.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// The first paragraph of the description as plain text.
    pub meta_description: Option<String>,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// Its root; properties of both directions.
    pub root: Root,
    /// A sample, and examples of the author.
    pub examples: Vec<Example>,
    /// External documentation.
    pub external_docs: Option<Link>,
}

/// Settings of the site for the models of pages.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Settings {
    /// The keys of schemas that are shown as pills (`api.params.post`).
    pub pills: Vec<String>,
    /// The languages of code samples, in order; ours when empty.
    pub languages: Vec<String>,
    /// Whether code samples have parameters that are not required but have an example or a default.
    pub has_optional: bool,
    /// Whether code is written where the author brings some, or none.
    pub is_generated: bool,
    /// Whether the playground begins with examples (`api.examples.prefill`).
    pub is_prefilled: bool,
    /// Whether the playground sends requests through the site (`api.playground.proxy`).
    pub is_relayed: bool,
    /// Whether requests that go straight to the API carry cookies (`api.playground.credentials`).
    pub sends_cookies: bool,
    /// Whether what is in a row is open at first (`api.params.expanded`).
    pub is_expanded: bool,
    /// Number of rows of a page above which components are shown no deeper than [`SHALLOW`]; above
    /// half of it, each component is shown once.
    pub rows: usize,
}

/// Depth of components on a page that would have more rows than [`Settings::rows`].
pub const SHALLOW: usize = 4;

impl Default for Settings {
    fn default() -> Self {
        Self {
            pills: Vec::new(),
            languages: Vec::new(),
            has_optional: true,
            is_generated: true,
            is_prefilled: false,
            is_relayed: true,
            sends_cookies: false,
            is_expanded: false,
            rows: 1500,
        }
    }
}

impl Endpoint {
    /// Returns the contents of the element with this id, wherever it is on the page.
    pub fn contents_at(&self, anchor: &str) -> Option<&Contents> {
        let parameters = self.parameters.iter().flat_map(|group| &group.rows);
        let headers = self.responses.iter().flat_map(|response| &response.headers);
        let bodies = self.body.iter().flat_map(|body| &body.media);
        let responses = self.responses.iter().flat_map(|response| &response.media);
        let roots = bodies
            .chain(responses)
            .filter_map(|media| media.root.as_ref());
        let callback_roots = self
            .callbacks
            .iter()
            .flat_map(|callback| &callback.requests);
        let callback_roots = callback_roots.flat_map(|request| {
            let bodies = request.body.iter().flat_map(|body| &body.media);
            let responses = request
                .responses
                .iter()
                .flat_map(|response| &response.media);
            bodies
                .chain(responses)
                .filter_map(|media| media.root.as_ref())
        });
        parameters
            .chain(headers)
            .find_map(|row| row.contents_at(anchor))
            .or_else(|| {
                roots
                    .chain(callback_roots)
                    .find_map(|root| root.view.contents.contents_at(anchor))
            })
    }
}

impl Row {
    fn contents_at(&self, anchor: &str) -> Option<&Contents> {
        if self.anchor == anchor {
            return Some(&self.view.contents);
        }
        self.view.contents.contents_at(anchor)
    }
}

impl Contents {
    /// Returns the contents of the row or branch with this id, at any depth.
    pub fn contents_at(&self, anchor: &str) -> Option<&Contents> {
        let rows = self.rows.iter().find_map(|row| row.contents_at(anchor));
        rows.or_else(|| {
            let branches = self.choosers.iter().flat_map(|chooser| &chooser.branches);
            branches.into_iter().find_map(|branch| {
                if branch.anchor == anchor {
                    return Some(&branch.view.contents);
                }
                branch.view.contents.contents_at(anchor)
            })
        })
        .or_else(|| {
            let blocks = self.blocks.iter();
            blocks
                .map(|block| &block.view.contents)
                .find_map(|contents| contents.contents_at(anchor))
        })
    }
}
