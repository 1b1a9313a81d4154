//! MDX pages: frontmatter, and one pass over the body that separates JSX and expressions from Markdown.
//!
//! The scanner walks the text once. Every element and expression becomes a node, and leaves a
//! placeholder tag in the Markdown around it; the Markdown of each element's children is its own
//! [`Fragment`]. So pulldown-cmark sees every byte once, whatever the nesting, and knows nothing of
//! JSX. Reading is lenient: anything that is not MDX is text, with a diagnostic, and never costs
//! the rest of the page.

mod autolink;
mod container;
mod foreign;
mod formula;
pub mod front_matter;
pub mod heading;
pub mod imports;
mod indent;
pub mod js;
pub mod link;
pub mod markdown;
pub mod plain;
mod scan;
mod tag;
pub mod value;

use serde::Serialize;

use base::diagnostic::Diagnostic;
use base::path::SitePath;

/// Body of a page: fragments of Markdown, and the nodes that their placeholders represent.
#[derive(Debug, Default)]
pub struct Document {
    /// The Markdown outside of every element.
    pub root: Fragment,
    /// Elements and expressions; a placeholder names one by its index.
    pub nodes: Vec<Node>,
    /// Targets of its references, wherever in it they are defined.
    pub definitions: markdown::Definitions,
    /// The `import` and `export` statements at the top level, as written.
    pub modules: Vec<String>,
    /// Diagnostics of lenient parsing.
    pub diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// Returns the elements of `fragment` itself, in order, without nested ones.
    pub fn elements_in(&self, fragment: &Fragment) -> impl Iterator<Item = &Element> {
        let indexes = markdown::node_indexes(&fragment.text);
        indexes.filter_map(|index| match self.nodes.get(index)? {
            Node::Element(element) => Some(element),
            Node::Formula { .. } | Node::Expression { .. } => None,
        })
    }
}

/// Markdown with placeholders, without common indentation.
#[derive(Debug, Default)]
pub struct Fragment {
    /// The text for pulldown-cmark.
    pub text: String,
    /// Whether it is within a line of the element's own tags: then its paragraphs are not wrapped.
    pub is_inline: bool,
}

/// Node that a placeholder represents.
#[derive(Debug)]
pub enum Node {
    /// `<Name …>…</Name>`.
    Element(Element),
    /// A formula in dollar signs.
    Formula {
        /// Source between them.
        source: String,
        /// Whether it had two on either side: it is a block, in display style.
        is_display: bool,
        /// The byte offset of the first dollar sign in the file: for diagnostics only, never part of a result.
        at: usize,
    },
    /// `{…}`, without its braces.
    Expression {
        /// The source between the braces.
        source: String,
        /// The byte offset of the opening brace in the file: for diagnostics only, never part of a result.
        at: usize,
    },
}

/// A JSX element.
#[derive(Debug)]
pub struct Element {
    /// Name, with dots; empty for a fragment `<>…</>`.
    pub name: String,
    /// Attributes in order.
    pub attributes: Vec<Attribute>,
    /// Content between its tags.
    pub children: Fragment,
    /// The byte offset of its opening tag in the file: for diagnostics only, never part of a result.
    pub at: usize,
    /// Set when the element was never closed: message for the reader in its place.
    pub fault: Option<String>,
}

impl Element {
    /// The file that `<Snippet file="…">` names.
    pub fn snippet_file(&self) -> Option<&str> {
        let file = self
            .attributes
            .iter()
            .find(|attribute| attribute.name == "file");
        match &file.filter(|_| self.name == "Snippet")?.value {
            AttributeValue::Text(name) => Some(name),
            AttributeValue::Absent | AttributeValue::Expression(_) => None,
        }
    }
}

/// One attribute of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name; empty for a spread `{...x}`.
    pub name: String,
    /// Value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// No value: `true`.
    Absent,
    /// A quoted string, with character references resolved.
    Text(String),
    /// `{…}`, the source without its braces.
    Expression(String),
}

/// The length of the `{…}` at the start of `text`, as JavaScript matches brackets; `None` if it never ends.
pub fn expression_len(text: &str) -> Option<usize> {
    tag::expression_len(text)
}

/// Offset of the attribute `name` in the tag that `text` begins with.
pub fn attribute_offset(text: &str, name: &str) -> Option<usize> {
    let tag = tag::tag(text)?;
    let mut attributes = tag.attributes.iter().zip(&tag.starts);
    let (_, start) = attributes.find(|(attribute, _)| attribute.name == name)?;
    Some(*start)
}

/// How an element ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With its opening tag: `<A />`.
    Own,
    /// With a closing tag whose name is at this offset.
    Tag(usize),
}

/// The end of the element whose opening tag `text` begins with; `None` if it has none.
pub fn element_ending(text: &str) -> Option<Ending> {
    let opening = tag::tag(text)?;
    if opening.kind != tag::TagKind::Opening {
        return (opening.kind == tag::TagKind::SelfClosing).then_some(Ending::Own);
    }
    let (mut depth, mut is_code) = (1, false);
    let mut at = opening.len;
    for line in base::place::lines(&text[opening.len..]) {
        is_code ^= line.trim_start().starts_with("```");
        let signs = line.match_indices('<').filter(|_| !is_code);
        for (sign, _) in signs {
            let Some(tag) = tag::tag(&text[at + sign..]).filter(|tag| tag.name == opening.name)
            else {
                continue;
            };
            match tag.kind {
                tag::TagKind::Opening => depth += 1,
                tag::TagKind::SelfClosing => {}
                tag::TagKind::Closing => depth -= 1,
            }
            if depth == 0 {
                let name = text[at + sign..].find(&opening.name)?;
                return Some(Ending::Tag(at + sign + name));
            }
        }
        at += line.len();
    }
    None
}

/// Meaning of `$` in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Dollars {
    /// A plain dollar sign.
    Text,
    /// `$$…$$` is a formula, and so is `$…$` if its content looks like one; other dollar signs are
    /// plain.
    #[default]
    Detected,
    /// `$…$` and `$$…$$` are formulas.
    Formulas,
}

/// Reads the body of `path`: the part of `text` after its frontmatter.
pub fn parse(path: &SitePath, text: &str) -> Document {
    parse_with(path, text, Dollars::default())
}

/// Reads the body of `path`, in which dollar signs mean `dollars`.
pub fn parse_with(path: &SitePath, text: &str, dollars: Dollars) -> Document {
    scan::scan(path, text, front_matter::body_start(text), dollars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_where_they_are_written() {
        let at = |text: &str, name| attribute_offset(text, name).map(|at| text[at..].to_owned());
        let text = "<A title=\"iconn\"\n  {...x} iconn={1} />";
        assert_eq!(at(text, "iconn").as_deref(), Some("iconn={1} />"));
        assert_eq!(at(text, "icon"), None);
    }

    #[test]
    fn elements_end_with_their_own_tag() {
        assert_eq!(element_ending("<A b=\"</A>\" /> </A>"), Some(Ending::Own));
        assert_eq!(element_ending("<A><A>b</A>\n</A>"), Some(Ending::Tag(14)));
        assert_eq!(
            element_ending("<A>\n```\n</A>\n```\n</ A>"),
            Some(Ending::Tag(20))
        );
        assert_eq!(element_ending("<A>b"), None);
    }
}
