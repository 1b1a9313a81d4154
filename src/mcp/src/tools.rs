//! The tools: name, description, schema of what they take, and who answers. Answers are Markdown and nothing else: a client
//! that hands both forms of an answer to its model would pay for it twice.

use std::pin::Pin;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Failure, SiteTools, operations, pages, questions};
use quire_site::service::Synced;

/// Maximum number of search results, of operations per page of their list, and of characters of
/// arguments.
pub(super) const MAX_RESULTS: usize = 20;
pub(super) const MAX_LISTED: usize = 200;
pub(super) const MAX_QUERY: usize = 1000;
pub(super) const MAX_NAME: usize = 500;
pub(super) const MAX_FEEDBACK: usize = 2000;
/// Farthest that a list or a text is read on from.
pub(super) const MAX_OFFSET: usize = 100_000_000;

/// A tool.
pub struct Tool {
    /// Name.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Purpose, and when to call it, for models.
    pub description: &'static str,
    /// JSON schema of its arguments.
    pub input: fn() -> Value,
    /// Whether the tool changes nothing.
    pub is_read_only: bool,
    /// The function that runs the tool.
    pub(super) handler: Handler,
}

/// Handler of a tool.
pub(super) enum Handler {
    /// A blocking function; runs on a thread where that is allowed.
    Blocks(fn(&SiteTools, &Arguments<'_>) -> Result<String, Failure>),
    /// An async function, which waits for blocking work elsewhere.
    Waits(for<'a> fn(&'a SiteTools, &'a Arguments<'a>, Synced) -> Answer<'a>),
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 'a>>;

/// Every tool.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "search",
        title: "Search the documentation",
        description: "Finds pages of this documentation by words and by meaning. Use it first, with a few key words, an error \
            message, an identifier or a short question; put words that must stand together in double quotes. Returns titles, \
            addresses and excerpts, best first; read a whole page with `get_page`.",
        input: || {
            object(
                json!({
                    "query": text("What to look for.", MAX_QUERY),
                    "limit": number("Most pages to return.", 1, MAX_RESULTS, 5),
                    "version": text("Only pages of this version of the documentation, by its label, such as `v2`.", MAX_NAME),
                    "language": text("Only pages in this language, by its code, such as `en`.", MAX_NAME),
                    "tab": text("Only pages below the tab of this label.", MAX_NAME),
                    "tag": text("Only pages or operations with this tag.", MAX_NAME),
                }),
                &["query"],
            )
        },
        is_read_only: true,
        handler: Handler::Blocks(questions::search),
    },
    Tool {
        name: "get_page",
        title: "Read a page",
        description: "Returns one page of this documentation as Markdown, with its code, tables and links, or one section of it. \
            Use it with a `url` of `search` or of a link, as a path such as `/guides/quickstart` or a whole address; an \
            address with an anchor, such as `/guides/quickstart#install`, gives that section alone. The page of an API \
            operation has its OpenAPI definition too. A long page is cut; read on with `offset`.",
        input: || {
            object(
                json!({
                    "path": text("Path or address of the page, with `#` and the anchor of a section for that alone.", MAX_NAME),
                    "offset": number("Character to begin at, as the part before says.", 0, MAX_OFFSET, 0),
                }),
                &["path"],
            )
        },
        is_read_only: true,
        handler: Handler::Blocks(pages::page),
    },
    Tool {
        name: "list_operations",
        title: "List API operations",
        description: "Lists the endpoints, webhooks and channels of the documented APIs: method, path, `operationId`, title. Use it to \
            see what an API can do, narrowed by tag, method, specification or words; use `search` for a question. Without a \
            filter it also lists the tags.",
        input: || {
            object(
                json!({
                    "tag": text("Only operations with this tag.", MAX_NAME),
                    "method": text("Only this method, such as `GET`, or `WEBHOOK`, `CHANNEL`.", 20),
                    "spec": text("Only operations of this specification, by its path or name.", MAX_NAME),
                    "language": text("Only operations whose pages are in this language, by its code; otherwise in the first of the site.", MAX_NAME),
                    "contains": text("Only operations whose path, id or title contains this.", MAX_NAME),
                    "limit": number("Most operations to return.", 1, MAX_LISTED, 50),
                    "offset": number("How many to leave out, as the part before says.", 0, MAX_OFFSET, 0),
                }),
                &[],
            )
        },
        is_read_only: true,
        handler: Handler::Blocks(operations::list),
    },
    Tool {
        name: "get_operation",
        title: "Read an API operation",
        description: "Returns what a request to one endpoint has (parameters and fields of the body, the required ones first), its \
            responses and code that sends it; of a channel its AsyncAPI definition. Use it before you write a request. With \
            `detail` `full` it returns the OpenAPI definition with the components that it refers to. Name it by `operationId`, \
            by method and path such as `GET /users/{id}`, or by the path of its page.",
        input: || {
            object(
                json!({
                    "operation": text("The `operationId`, `METHOD /path`, `webhook NAME`, `channel NAME`, or the path of the page.", MAX_NAME),
                    "spec": text("The specification, by its path or name, if several have it.", MAX_NAME),
                    "language": text("The language of its page, by its code, if several have it; otherwise the first of the site.", MAX_NAME),
                    "detail": text("`brief` (the default), or `full` for its definition.", 20),
                }),
                &["operation"],
            )
        },
        is_read_only: true,
        handler: Handler::Blocks(operations::operation),
    },
    Tool {
        name: "get_schema",
        title: "Read a data model",
        description: "Returns one named data model of a specification (`components.schemas`), or another part by its reference, with \
            the parts that it names itself and the data models that extend it, one level deep; call it again for what those name. \
            Use it for names and for what the answers of `get_operation` leave out.",
        input: || {
            object(
                json!({
                    "name": text("The name of the data model, such as `User`, or a reference such as `#/components/schemas/User` or `#/components/responses/Gone`.", MAX_NAME),
                    "spec": text("The specification, by its path or name, if several have it.", MAX_NAME),
                }),
                &["name"],
            )
        },
        is_read_only: true,
        handler: Handler::Blocks(operations::schema),
    },
    Tool {
        name: "ask",
        title: "Ask the documentation",
        description: "Answers a question with passages quoted from this documentation, each with its source, and says so when \
            it holds no answer. Use it for a whole question (\"How do I rotate an API key?\"); use `search` to look around.",
        input: || {
            object(
                json!({
                    "question": text("The question, as a person would ask it.", MAX_QUERY),
                    "path": text("The path of the page that the question is about, if it is about one.", 200),
                    "version": text("Only pages of this version, by its label.", MAX_NAME),
                    "language": text("Only pages in this language, by its code.", MAX_NAME),
                }),
                &["question"],
            )
        },
        is_read_only: true,
        handler: Handler::Waits(|tools, arguments, synced| {
            Box::pin(questions::ask(tools, arguments, synced))
        }),
    },
    Tool {
        name: "submit_feedback",
        title: "Say what is wrong with the documentation",
        description: "Tells the authors of this documentation what is wrong, missing or unclear on a page, or that it helped. \
            Use it when a page turned out to be wrong or did not answer the question; say nothing of the person you work for.",
        input: || {
            object(
                json!({
                    "path": text("Path or address of the page; leave it out for the documentation as a whole.", MAX_NAME),
                    "helpful": { "type": "boolean", "description": "Whether the page helped." },
                    "text": text("What to tell the authors.", MAX_FEEDBACK),
                }),
                &[],
            )
        },
        is_read_only: false,
        handler: Handler::Blocks(questions::feedback),
    },
];

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn text(description: &str, most: usize) -> Value {
    json!({ "type": "string", "description": description, "maxLength": most })
}

fn number(description: &str, min: usize, most: usize, default: usize) -> Value {
    json!({ "type": "integer", "description": description, "minimum": min, "maximum": most, "default": default })
}
