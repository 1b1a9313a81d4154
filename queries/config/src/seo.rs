//! Settings for search engines.

use crate::decode::{Decode, Log, Node, Pairs, record, words};
use serde_json::Value;

words! {
    /// Pages that search engines may list.
    pub enum Indexing { Navigable = "navigable", All = "all" }
}

/// The content of a `<meta>` tag; numbers and booleans are taken as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaContent(pub String);

impl Decode for MetaContent {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        match node.value {
            Value::String(text) => Some(Self(text.clone())),
            Value::Bool(_) | Value::Number(_) => Some(Self(node.value.to_string())),
            _ => {
                node.reject(log, "a text");
                None
            }
        }
    }
}

record! {
    /// Tags for the pages of one folder; the longest path wins.
    pub struct SeoPath {
        /// The folder.
        pub path: String = required "path",
        /// Tags.
        pub metatags: Pairs<MetaContent> = required "metatags",
    }
}

record! {
    /// Publisher of the site.
    pub struct Organization: Default {
        /// Identifier, a URL.
        pub id: Option<String> = optional "id",
        /// Name.
        pub name: Option<String> = optional "name",
        /// Name in law.
        pub legal_name: Option<String> = optional "legalName",
        /// Home page.
        pub url: Option<String> = optional "url",
        /// Logo.
        pub logo: Option<String> = optional "logo",
        /// Profiles elsewhere.
        pub same_as: Vec<String> = standard "sameAs",
    }
}

record! {
    /// Settings for search engines.
    pub struct Seo: Default {
        /// Pages that may be listed.
        pub indexing: Indexing = standard "indexing",
        /// Tags of every page.
        pub metatags: Pairs<MetaContent> = standard "metatags",
        /// Tags by folder.
        pub paths: Vec<SeoPath> = standard "paths",
        /// Publisher of the site.
        pub organization: Option<Organization> = optional "organization",
        /// Whether canonical addresses end with a slash.
        pub trailing_slash: bool = standard "trailingSlash",
    }
}
