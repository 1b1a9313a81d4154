//! Kinds of pages: a reader who asks in words wants prose, one who looks something up wants the
//! reference.

use serde::{Deserialize, Serialize};

use super::Passage;

/// Kind of a page.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// Instructions, step by step; the default.
    #[default]
    Guide,
    /// Explanations.
    Concept,
    /// Reference: pages of an SDK, of a command line, lists of identifiers.
    Reference,
    /// An operation of an API.
    Operation,
    /// A data model of an API.
    Schema,
    /// Changes by date.
    Changelog,
    /// Overviews: the home page, pages of cards.
    Landing,
}

impl PageKind {
    /// All kinds, in order.
    pub const ALL: [Self; 7] = [
        Self::Guide,
        Self::Concept,
        Self::Reference,
        Self::Operation,
        Self::Schema,
        Self::Changelog,
        Self::Landing,
    ];

    /// The name in answers of the search.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::Concept => "concept",
            Self::Reference => "reference",
            Self::Operation => "operation",
            Self::Schema => "schema",
            Self::Changelog => "changelog",
            Self::Landing => "landing",
        }
    }

    /// Returns true if it is looked up rather than read.
    pub fn is_looked_up(self) -> bool {
        matches!(self, Self::Reference | Self::Operation | Self::Schema)
    }
}

/// Words of labels and addresses that say what the pages below them are for.
const CHANGES: &[&str] = &["changelog", "changelogs", "releases"];
const LOOKED_UP: &[&str] = &["reference", "references"];
const UNDERSTOOD: &[&str] = &["concept", "concepts", "architecture", "fundamentals"];

/// Kind of the pages below a label of the navigation, or a part of an address.
pub fn said_by(label: &str) -> Option<PageKind> {
    let words = label.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&&word[..]));
    let is = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
    if has(CHANGES) || is(["release", "notes"]) {
        Some(PageKind::Changelog)
    } else if has(LOOKED_UP) {
        Some(PageKind::Reference)
    } else if has(UNDERSTOOD) || is(["how", "it"]) && has(&["works"]) {
        Some(PageKind::Concept)
    } else {
        None
    }
}

/// Shape of the text of a page, from which its kind is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// About an operation.
    Operation,
    /// About a data model.
    Schema,
    /// Identifiers for every other heading.
    Identifiers,
    /// Anything else.
    Prose,
}

impl Shape {
    /// The shape of a text with these `names` of an endpoint or a data model.
    pub(super) fn of(names: &[String], passages: &[Passage]) -> Self {
        match names {
            [_, path, ..] if path.starts_with('/') => return Self::Operation,
            [_, ..] => return Self::Schema,
            [] => {}
        }
        let own = passages
            .iter()
            .filter_map(|passage| passage.headings.last());
        let own: Vec<&String> = own.collect();
        let identifiers = own.iter().filter(|heading| is_identifier(heading)).count();
        match own.len() >= 4 && identifiers * 2 >= own.len() {
            true => Self::Identifiers,
            false => Self::Prose,
        }
    }
}

/// Facts about a page that decide its kind.
pub(super) struct Page<'a> {
    /// Title.
    pub(super) title: &'a str,
    /// Address.
    pub(super) route: &'a str,
    /// Kind by the labels above it in the navigation, the nearest that says something.
    pub(super) placed: Option<PageKind>,
    /// Shape of its text.
    pub(super) shape: Shape,
    /// Whether its author lays it out without the frame of a page (`mode: custom`), or it is the home page.
    pub(super) is_front: bool,
}

/// Kind of a page: by its specification, then its author, the navigation, the address, its shape.
pub(super) fn kind(page: &Page<'_>) -> PageKind {
    match page.shape {
        Shape::Operation => return PageKind::Operation,
        Shape::Schema => return PageKind::Schema,
        Shape::Identifiers | Shape::Prose => {}
    }
    if page.is_front {
        return PageKind::Landing;
    }
    let declared = said_by(page.title).filter(|kind| *kind == PageKind::Changelog);
    let own = page.route.rsplit('/').next().and_then(said_by);
    let own = own.filter(|kind| *kind == PageKind::Changelog);
    let declared = declared.or(own).or(page.placed);
    if let Some(kind) = declared.filter(|kind| *kind != PageKind::Concept) {
        return kind;
    }
    if page.shape == Shape::Identifiers || is_identifier(page.title) {
        return PageKind::Reference;
    }
    let above = page.route.split('/').rev().filter_map(said_by);
    declared
        .or_else(|| above.into_iter().next())
        .unwrap_or_default()
}

/// Returns true if a text is one word of code: `list_tickets`, `createClient()`, `--flag`, `a.b`.
fn is_identifier(text: &str) -> bool {
    let text = text.trim().trim_matches('`');
    let is_code = |c: char| c.is_ascii_alphanumeric() || "_-.$/:()[]<>@".contains(c);
    if text.is_empty() || !text.chars().all(is_code) {
        return false;
    }
    let is_camel = text
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    is_camel || text.starts_with("--") || text.contains(['_', '(', '$']) || {
        let inner = text.trim_end_matches('.');
        inner.contains('.') && !inner.ends_with(|c: char| c.is_ascii_digit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(title: &'a str, route: &'a str) -> Page<'a> {
        Page {
            title,
            route,
            placed: None,
            shape: Shape::Prose,
            is_front: false,
        }
    }

    #[test]
    fn labels_say_what_pages_are_for() {
        for (label, expected) in [
            ("API Reference", Some(PageKind::Reference)),
            ("api-reference", Some(PageKind::Reference)),
            ("Core concepts", Some(PageKind::Concept)),
            ("How it works", Some(PageKind::Concept)),
            ("Release notes", Some(PageKind::Changelog)),
            ("Notes on a release", None),
            ("Preferences", None),
            ("Get started", None),
            ("", None),
        ] {
            assert_eq!(said_by(label), expected, "{label}");
        }
    }

    #[test]
    fn the_specification_says_more_than_the_navigation() {
        let names = ["GET".to_owned(), "/things".to_owned()];
        let mut of = page("Things", "/changelog/things");
        of.shape = Shape::of(&names, &[]);
        assert_eq!(kind(&of), PageKind::Operation);
        of.shape = Shape::of(&names[..1], &[]);
        assert_eq!(kind(&of), PageKind::Schema);
    }

    #[test]
    fn a_page_is_what_it_says_it_is() {
        assert_eq!(kind(&page("Keys", "/guides/keys")), PageKind::Guide);
        assert_eq!(kind(&page("Keys", "/concepts/keys")), PageKind::Concept);
        assert_eq!(kind(&page("Changelog", "/a")), PageKind::Changelog);
        assert_eq!(kind(&page("createClient()", "/a")), PageKind::Reference);
        let mut front = page("Welcome", "/");
        front.is_front = true;
        assert_eq!(kind(&front), PageKind::Landing);
        let mut placed = page("Keys", "/concepts/keys");
        placed.placed = Some(PageKind::Reference);
        assert_eq!(kind(&placed), PageKind::Reference);
    }

    #[test]
    fn headings_of_code_make_a_reference() {
        let passages = ["list_things", "`readThing()`", "--all", "Errors"].map(|heading| Passage {
            anchor: None,
            headings: vec![heading.to_owned()],
            body: String::new(),
            code: String::new(),
        });
        let mut of = page("Things", "/concepts/things");
        of.shape = Shape::of(&[], &passages);
        assert_eq!(kind(&of), PageKind::Reference);
        of.shape = Shape::of(&[], &passages[2..]);
        assert_eq!(kind(&of), PageKind::Concept);
    }
}
