//! Addresses that moved.

use crate::config::decode::{Decode, Log, Node};
use crate::diagnostic::Code;
use crate::place::Part;

/// An address that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The old address; may hold `:name` and `*`.
    pub source: String,
    /// The new one.
    pub destination: String,
    /// Whether readers may remember it (308 rather than 307).
    pub permanent: bool,
}

/// The redirects of a site, each source once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirects(pub Vec<Redirect>);

impl Decode for Redirects {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut redirects: Vec<Redirect> = Vec::new();
        let mut sources = std::collections::BTreeSet::new();
        for item in node.items(log)? {
            let Some(mut fields) = item.fields(log) else {
                continue;
            };
            let source = fields.required::<String>("source");
            let destination = fields.required::<String>("destination");
            let permanent = fields.optional("permanent").unwrap_or(true);
            fields.finish();
            let (Some(source), Some(destination)) = (source, destination) else {
                continue;
            };
            if !sources.insert(source.clone()) {
                log.report(
                    Code::DuplicateRedirect,
                    &format!("{}/source", item.pointer),
                    Part::Value,
                    format!("`{source}` is redirected above; this one is never used"),
                    Some("remove one of the two".to_owned()),
                );
                continue;
            }
            redirects.push(Redirect {
                source,
                destination,
                permanent,
            });
        }
        Some(Self(redirects))
    }
}
