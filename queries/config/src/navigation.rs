//! The navigation as it is written: elements of every kind, with their exact places.
//!
//! Nothing is resolved here: page entries are texts, nothing is inherited. An element holds children of one kind only;
//! which, when several are written, is decided by [`child_keys`]. A bad element does not lose its siblings.

pub(crate) mod read;

use crate::api::SpecSource;
use crate::appearance::{Icon, ModeColors};
use crate::chrome::{Banner, Footer, Navbar};
use crate::decode::{Decode, Href, Log, Node, Thousandths, record, words};
use base::data::pointer;
use base::place::{Part, Place};

words! {
    /// The kinds of navigation elements; `page` and `link` are entries of a group or a container.
    pub enum NodeKind {
        Page = "page",
        Link = "link",
        Group = "group",
        Tab = "tab",
        Item = "item",
        Anchor = "anchor",
        Dropdown = "dropdown",
        Product = "product",
        Version = "version",
        Language = "language",
    }
}

/// Maximum number of tabs, versions or other choices side by side. Every page holds them: without a
/// limit a site would grow with the square of their number.
pub const MAX_CHOICES: usize = 200;

impl NodeKind {
    /// Returns true if readers switch between elements of this kind; groups and pages are listed
    /// below each other.
    pub fn is_switch(self) -> bool {
        !matches!(self, Self::Page | Self::Link | Self::Group)
    }

    /// The kind of the elements listed under `key`.
    fn listed_under(key: &str) -> Option<Self> {
        Some(match key {
            "groups" => Self::Group,
            "tabs" => Self::Tab,
            "menu" => Self::Item,
            "anchors" => Self::Anchor,
            "dropdowns" => Self::Dropdown,
            "products" => Self::Product,
            "versions" => Self::Version,
            "languages" => Self::Language,
            _ => return None,
        })
    }
}

/// The keys that can hold the children of an element (`None` for the root), the one that wins first.
pub fn child_keys(kind: Option<NodeKind>) -> &'static [&'static str] {
    match kind {
        None => &[
            "products",
            "languages",
            "versions",
            "tabs",
            "dropdowns",
            "anchors",
            "groups",
            "pages",
        ],
        Some(NodeKind::Tab) => &[
            "menu",
            "languages",
            "versions",
            "dropdowns",
            "anchors",
            "products",
            "tabs",
            "groups",
            "pages",
            "href",
        ],
        Some(NodeKind::Group | NodeKind::Page | NodeKind::Link) => &["pages", "groups"],
        Some(_) => &[
            "href",
            "languages",
            "versions",
            "dropdowns",
            "tabs",
            "anchors",
            "products",
            "groups",
            "pages",
        ],
    }
}

words! {
    /// The side of the bar a tab stands on.
    pub enum Align { Start = "start", End = "end" }
}

words! {
    /// Listing of child pages on the root page of a group.
    pub enum Directory { None = "none", Accordion = "accordion", Card = "card" }
}

words! {
    /// The tool that wrote the reference of a library.
    pub enum SdkFormat {
        Typedoc = "typedoc",
        Docfx = "docfx",
        Javadoc = "javadoc",
        Sphinx = "sphinx",
        Phpdoc = "phpdoc",
    }
}

record! {
    /// The generated reference of a library.
    pub struct Sdk {
        /// The tool that wrote it.
        pub format: SdkFormat = required "format",
        /// Path or URL.
        pub source: String = required "source",
        /// The folder of the generated pages.
        pub directory: Option<String> = optional "directory",
    }
}

/// A specification named in the navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecReference {
    /// The specification.
    pub spec: SpecSource,
    /// Place of its name.
    pub place: Place,
    /// Places of the names of its overlays.
    pub overlays: Vec<Place>,
}

/// Settings of an element for itself and everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The specifications; empty to inherit.
    pub openapi: Vec<SpecReference>,
    /// The AsyncAPI documents; empty to inherit.
    pub asyncapi: Vec<SpecReference>,
    /// The GraphQL schemas.
    pub graphql: Vec<SpecReference>,
    /// The reference of a library.
    pub sdk: Option<Sdk>,
    /// The version its endpoints belong to.
    pub version: Option<String>,
    /// Whether it is left out of the sidebar.
    pub hidden: Option<bool>,
    /// Whether it can be read without a login.
    pub public: Option<bool>,
    /// Boost of its pages in search.
    pub boost: Option<Thousandths>,
    /// Whether its pages are found although hidden.
    pub searchable: Option<bool>,
    /// Listing of child pages on root pages.
    pub directory: Option<Directory>,
}

/// The navigation as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavigationConfig {
    /// Settings for everything.
    pub scope: Scope,
    /// Links that are shown everywhere.
    pub global: Vec<Element>,
    /// The elements, all of one kind unless they are pages and groups.
    pub children: Vec<Child>,
}

/// A child of an element, or children that are only text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Child {
    /// Consecutive entries.
    Pages(PageEntries),
    /// An element.
    Element(Box<Element>),
}

/// Consecutive pages, endpoints and webhooks of a list, as they are written.
///
/// All of them share one string and one place: a site lists thousands, and all are decoded after
/// every edit of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntries {
    /// Texts of all entries, with nothing between them.
    text: String,
    /// Byte offsets in `text` where each entry ends.
    ends: Vec<usize>,
    /// Place of the first entry. The others are the following items of the list.
    first: Place,
}

impl PageEntries {
    /// Returns a list with the one entry `text`, which was read from `place`.
    pub(crate) fn new(text: &str, place: Place) -> Self {
        Self {
            text: text.to_owned(),
            ends: vec![text.len()],
            first: place,
        }
    }

    /// Adds the text of the next item.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let text = &self.text[start..*end];
            start = *end;
            text
        })
    }

    /// The entry whose text is `text`, at `index` of these.
    pub fn entry(&self, index: usize, text: &str) -> PageEntry {
        let mut place = self.first.clone();
        if let (1.., Place::Pointer { pointer, .. }) = (index, &mut place)
            && let Some((list, first)) = pointer.rsplit_once('/')
            && let Ok(first) = first.parse::<usize>()
        {
            *pointer = pointer::item(list, first + index);
        }
        PageEntry {
            text: text.to_owned(),
            place,
        }
    }
}

/// A page, an endpoint or a webhook, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The text.
    pub text: String,
    /// Place.
    pub place: Place,
}

impl Decode for PageEntry {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let text = String::decode(node, log)?;
        let place = log.document.place(&node.pointer, Part::Value);
        Some(Self { text, place })
    }
}

/// One element of the navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Kind.
    pub kind: NodeKind,
    /// Visible label; the code of a language.
    pub label: String,
    /// The name of a product.
    pub name: Option<String>,
    /// Icon.
    pub icon: Option<Icon>,
    /// The page of a group itself.
    pub root: Option<PageEntry>,
    /// Destination, if it is only a link.
    pub href: Option<Href>,
    /// A word beside the label.
    pub tag: Option<String>,
    /// Whether a group is initially open.
    pub expanded: Option<bool>,
    /// The side of the bar a tab stands on.
    pub align: Option<Align>,
    /// The color of an anchor.
    pub color: Option<ModeColors>,
    /// A sentence below the label.
    pub description: Option<String>,
    /// Whether it is the product, version or language shown first.
    pub default: Option<bool>,
    /// A language's own banner.
    pub banner: Option<Banner>,
    /// A language's own footer.
    pub footer: Option<Footer>,
    /// A language's own navigation bar.
    pub navbar: Option<Navbar>,
    /// Settings for it and everything below it.
    pub scope: Scope,
    /// Links that are shown everywhere below it.
    pub global: Vec<Self>,
    /// Children.
    pub children: Vec<Child>,
}

impl NavigationConfig {
    /// Every OpenAPI document named in the navigation, in the order of the configuration.
    pub fn openapi(&self) -> Vec<&SpecReference> {
        self.gathered(|scope| &scope.openapi)
    }

    /// Every AsyncAPI document named in the navigation, in the order of the configuration.
    pub fn asyncapi(&self) -> Vec<&SpecReference> {
        self.gathered(|scope| &scope.asyncapi)
    }

    fn gathered(&self, of: fn(&Scope) -> &Vec<SpecReference>) -> Vec<&SpecReference> {
        fn gather<'a>(
            children: &'a [Child],
            of: fn(&Scope) -> &Vec<SpecReference>,
            found: &mut Vec<&'a SpecReference>,
        ) {
            for child in children {
                if let Child::Element(element) = child {
                    found.extend(of(&element.scope));
                    gather(&element.children, of, found);
                }
            }
        }
        let mut found: Vec<&SpecReference> = of(&self.scope).iter().collect();
        gather(&self.children, of, &mut found);
        found
    }
}
