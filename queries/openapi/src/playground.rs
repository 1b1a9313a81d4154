//! Data of an interactive playground, as JSON of the page.
//!
//! It is derived from the same model as the rows, and holds no text that the page does not have.

use serde::Serialize;
use serde_json::{Number, Value};

use super::endpoint::Location;

/// The data of the playground of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Playground {
    /// A name of the document among those that the browser knows; what a reader typed is remembered by it.
    pub spec: String,
    /// Whether requests go through the site rather than straight to the API.
    pub relay: bool,
    /// Whether requests that go straight to the API carry the cookies that the browser has for it.
    #[serde(skip_serializing_if = "is_false")]
    pub credentials: bool,
    /// Whether bodies begin with their samples.
    #[serde(skip_serializing_if = "is_false")]
    pub prefilled: bool,
    /// Method in upper case.
    pub method: String,
    /// Path with `{name}` for parameters.
    pub path: String,
    /// Base addresses; none means that nothing can be sent.
    pub servers: Vec<PlaygroundServer>,
    /// Alternatives of schemes that are needed together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<PlaygroundScheme>>,
    /// Whether the request may be sent without any of them.
    #[serde(skip_serializing_if = "is_false")]
    pub security_optional: bool,
    /// Parameters in the order of the page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<PlaygroundParameter>,
    /// Forms of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<PlaygroundBody>,
    /// Whether the body is needed.
    #[serde(skip_serializing_if = "is_false")]
    pub body_required: bool,
    /// Whether the method cannot have a body in a browser (GET, HEAD).
    #[serde(skip_serializing_if = "is_false")]
    pub drops_body: bool,
    /// The requests of the samples, one for each form of the body, where a reader chooses their
    /// authentication, or an example of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<PlaygroundSample>,
    /// The value of the `Accept` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
}

/// A base address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundServer {
    /// URL with variables in braces.
    pub url: String,
    /// Label in the chooser.
    pub label: String,
    /// Whether it is below the origin of the site, which is written as `{baseUrl}`.
    #[serde(skip_serializing_if = "is_false")]
    pub relative: bool,
    /// Variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<PlaygroundVariable>,
}

/// A variable of a base address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundVariable {
    /// Name.
    pub name: String,
    /// Value at first.
    pub default: String,
    /// Values; any when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Application of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Credential {
    /// The value as it is, in a header, a query parameter or a cookie.
    Key,
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …` of a user name and a password.
    Basic,
    /// Documented only.
    None,
}

/// A security scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundScheme {
    /// Key under `securitySchemes`; values are remembered by it.
    pub key: String,
    /// Short description.
    pub label: String,
    /// Application.
    pub kind: Credential,
    /// Location.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The name of the header, of the query parameter or of the cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `x-default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<String>,
    /// Ways to get a token.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<PlaygroundFlow>,
}

/// A way to get a token (OpenAPI 3.1, 4.8.29).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundFlow {
    /// `authorizationCode`, `clientCredentials`, `implicit`, `password`.
    pub name: String,
    /// URL for consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// URL that issues tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// URL that renews tokens, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// Possible scopes of a token.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<PlaygroundScope>,
}

/// Something that a token may be good for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundScope {
    /// Name.
    pub name: String,
    /// Permission that it grants.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether the operation needs it.
    #[serde(skip_serializing_if = "is_false")]
    pub required: bool,
}

/// Input of a value, with its constraints: a reader sees them, and may send something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    tag = "input"
)]
pub enum Input {
    /// A line of text.
    Text {
        /// The type of the field: `text`, `password`, `date`, `datetime-local`, `email`, `url`.
        #[serde(rename = "type")]
        kind: String,
        /// Whether it has several lines.
        #[serde(skip_serializing_if = "is_false")]
        multiline: bool,
        /// Fewest characters.
        #[serde(skip_serializing_if = "Option::is_none")]
        min_length: Option<u64>,
        /// Maximum number of characters.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_length: Option<u64>,
        /// Regular expressions that all match.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        patterns: Vec<String>,
    },
    /// A number, as text.
    Number {
        /// Whether it has no fraction.
        integer: bool,
        /// Least value.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<Limit>,
        /// Greatest value.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<Limit>,
    },
    /// True or false.
    Boolean,
    /// One of these, as JSON texts.
    Choice {
        /// The values.
        values: Vec<Value>,
    },
    /// A list.
    List {
        /// Items.
        item: Box<Input>,
        /// Fewest items.
        #[serde(skip_serializing_if = "Option::is_none")]
        min_items: Option<u64>,
        /// Maximum number of items.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_items: Option<u64>,
    },
    /// Named values.
    Object {
        /// Fields.
        fields: Vec<InputField>,
        /// Input for the values of other keys.
        #[serde(skip_serializing_if = "Option::is_none")]
        others: Option<Box<Input>>,
    },
    /// One of several inputs.
    Union {
        /// The branches with their labels.
        branches: Vec<InputBranch>,
    },
    /// Any JSON text.
    Json,
    /// A file.
    File,
}

/// A limit of a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// The number, as written.
    pub number: Number,
    /// Whether the number itself is outside.
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive: bool,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputField {
    /// Name.
    pub name: String,
    /// Whether it is needed.
    #[serde(skip_serializing_if = "is_false")]
    pub required: bool,
    /// Input.
    #[serde(flatten)]
    pub input: Input,
    /// Value at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<Value>,
}

/// A branch of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputBranch {
    /// Label in the chooser.
    pub label: String,
    /// Input.
    #[serde(flatten)]
    pub input: Input,
}

/// Style of a parameter (OpenAPI 3.1, 4.8.12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// `;color=blue`.
    Matrix,
    /// `.blue`.
    Label,
    /// `color=blue`.
    Form,
    /// `blue`.
    Simple,
    /// `color=blue%20black`.
    SpaceDelimited,
    /// `color=blue%7Cblack`.
    PipeDelimited,
    /// `color=blue%09black`, of Swagger 2.0.
    TabDelimited,
    /// Like `form`, not encoded, in cookies (OpenAPI 3.2).
    Cookie,
    /// `color%5BR%5D=100`.
    DeepObject,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundParameter {
    /// Name.
    pub name: String,
    /// Location.
    #[serde(rename = "in")]
    pub location: Location,
    /// Style.
    pub style: Style,
    /// Whether each item is written on its own.
    pub explode: bool,
    /// Whether reserved characters stay.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_reserved: bool,
    /// Whether it may be sent empty.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_empty: bool,
    /// Whether it is written as JSON (`content`).
    #[serde(skip_serializing_if = "is_false")]
    pub json: bool,
    /// Other serialization (`content`): `form` or `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'static str>,
    /// Whether it is the query as a whole.
    #[serde(skip_serializing_if = "is_false")]
    pub whole: bool,
    /// Separators of the items of arrays within an array, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<char>,
    /// Whether it is needed.
    #[serde(skip_serializing_if = "is_false")]
    pub required: bool,
    /// Input.
    #[serde(flatten)]
    pub input: Input,
    /// Value at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<Value>,
}

/// A form of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundBody {
    /// The media type.
    pub media: String,
    /// Input with one field per property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The text at first; empty for files.
    pub sample: String,
    /// Serializations of its properties, where it is a form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<PlaygroundEncoding>,
}

/// Serialization of a property of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundEncoding {
    /// The property.
    pub name: String,
    /// The type of its part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Style.
    pub style: Style,
    /// Whether each item is written on its own.
    pub explode: bool,
    /// Whether reserved characters stay.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_reserved: bool,
    /// Whether it is written as JSON.
    #[serde(skip_serializing_if = "is_false")]
    pub json: bool,
    /// Separators of the items of arrays within an array, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<char>,
    /// Whether an object is written by the style, and not as JSON.
    #[serde(skip_serializing_if = "is_false")]
    pub styled: bool,
    /// Headers of its part, as far as the document defines their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

/// The request of a sample, without base address and credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaygroundSample {
    /// Request target after the base address.
    pub target: String,
    /// Headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<SampleBody>,
}

/// The body of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SampleBody {
    /// The sample of its form of the body.
    Sample,
    /// A text.
    Text(String),
    /// A form in parts.
    Parts(Vec<SamplePart>),
    /// A file.
    File,
}

/// A part of a form; one without a text is a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplePart {
    /// Name.
    pub name: String,
    /// Content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Media type, where it is not the usual one.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Headers of its own: names and values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

fn is_false(value: &bool) -> bool {
    !value
}
