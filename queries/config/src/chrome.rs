//! Chrome around every page: navigation bar, footer, banner, page menu, search box, feedback, the
//! page for unknown addresses.

use serde_json::Value;

use crate::appearance::{Icon, ModeColors, Texts};
use crate::decode::{Decode, Href, Log, Node, OneOrMany, Pairs, record, word, words};
use crate::reference::Document;
use base::diagnostic::{Code, Parsed};
use base::path::SitePath;
use base::place::Part;

words! {
    /// Kind of a link of the navigation bar.
    pub enum NavbarType { Link = "link", Button = "button", Github = "github", Discord = "discord" }
}

record! {
    /// A link in the navigation bar.
    pub struct NavbarLink {
        /// Text; may be empty beside an icon.
        pub label: String = standard "label",
        /// Destination.
        pub href: Href = required "href",
        /// Icon.
        pub icon: Option<Icon> = optional "icon",
        /// Stars of a repository, readers of a server, or nothing.
        pub kind: NavbarType = standard "type",
    }
}

record! {
    /// The button of the navigation bar.
    pub struct NavbarPrimary {
        /// Kind.
        pub kind: NavbarType = or(NavbarType::Button) "type",
        /// Text.
        pub label: Option<String> = optional "label",
        /// Destination.
        pub href: Href = required "href",
    }
}

record! {
    /// The navigation bar.
    pub struct Navbar: Default {
        /// Links.
        pub links: Vec<NavbarLink> = standard "links",
        /// Button.
        pub primary: Option<NavbarPrimary> = optional "primary",
    }
}

record! {
    /// A link in the footer.
    pub struct FooterLink {
        /// Text.
        pub label: String = required "label",
        /// Destination.
        pub href: Href = required "href",
    }
}

record! {
    /// A column of the footer.
    pub struct FooterColumn {
        /// Heading.
        pub header: Option<String> = optional "header",
        /// Links.
        pub items: Vec<FooterLink> = standard "items",
    }
}

record! {
    /// The footer.
    pub struct Footer: Default {
        /// Profiles elsewhere, by the name of the service.
        pub socials: Pairs<Href> = standard "socials",
        /// Columns.
        pub links: Vec<FooterColumn> = standard "links",
    }
}

words! {
    /// Urgency of a banner.
    pub enum BannerType { Info = "info", Warning = "warning", Critical = "critical" }
}

record! {
    /// A line above the page.
    pub struct Banner {
        /// Content, in basic MDX.
        pub content: String = required "content",
        /// Whether readers may close it.
        pub dismissible: bool = standard "dismissible",
        /// Urgency.
        pub kind: BannerType = standard "type",
        /// Color.
        pub color: Option<ModeColors> = optional "color",
    }
}

record! {
    /// Behavior of the sidebar.
    pub struct Interaction: Default {
        /// Whether opening a group navigates to its first page; decided by the theme when absent.
        pub drilldown: Option<bool> = optional "drilldown",
    }
}

words! {
    /// A built-in entry of the page menu.
    pub enum ContextualAction {
        Copy = "copy",
        View = "view",
        Assistant = "assistant",
        DownloadPdf = "download-pdf",
        DownloadSpec = "download-spec",
        Chatgpt = "chatgpt",
        Claude = "claude",
        Perplexity = "perplexity",
        Grok = "grok",
        Aistudio = "aistudio",
        Devin = "devin",
        DevinDesktop = "devin-desktop",
        DevinMcp = "devin-mcp",
        Windsurf = "windsurf",
        Mcp = "mcp",
        AddMcp = "add-mcp",
        Cursor = "cursor",
        Vscode = "vscode",
    }
}

/// An entry of the page menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextualOption {
    /// One of ours.
    Action(ContextualAction),
    /// One of the site.
    Custom(CustomOption),
}

impl Decode for ContextualOption {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if node.value.is_object() {
            return CustomOption::decode(node, log).map(Self::Custom);
        }
        word(node, log, ContextualAction::ALL).map(Self::Action)
    }
}

record! {
    /// An entry of the page menu that the site brings.
    pub struct CustomOption {
        /// Name.
        pub title: String = required "title",
        /// Description.
        pub description: Option<String> = optional "description",
        /// Icon.
        pub icon: Option<Icon> = optional "icon",
        /// Destination.
        pub href: CustomHref = required "href",
    }
}

/// Destination of an entry of the page menu; `$page`, `$path` and `$mcp` are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomHref {
    /// The address without its query.
    pub base: String,
    /// The query.
    pub query: Vec<QueryParameter>,
}

record! {
    /// A parameter of the query of an address.
    pub struct QueryParameter {
        /// Name.
        pub key: String = required "key",
        /// Value.
        pub value: String = required "value",
    }
}

impl Decode for CustomHref {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let Value::Object(_) = node.value else {
            let Href(base) = Href::decode(node, log)?;
            let query = Vec::new();
            return Some(Self { base, query });
        };
        let mut fields = node.fields(log)?;
        let base = fields.required::<Href>("base");
        let query = fields.optional("query").unwrap_or_default();
        fields.finish();
        let Href(base) = base?;
        Some(Self { base, query })
    }
}

words! {
    /// Position of the page menu.
    pub enum ContextualDisplay { Header = "header", Toc = "toc" }
}

record! {
    /// The menu of each page.
    pub struct Contextual: Default {
        /// Entries, in order; those of [`Contextual::STANDARD`] if the site names none.
        pub options: Option<Vec<ContextualOption>> = optional "options",
        /// Position.
        pub display: ContextualDisplay = standard "display",
    }
}

impl Contextual {
    /// Entries of a site that names none.
    pub const STANDARD: &[ContextualOption] = &[
        ContextualOption::Action(ContextualAction::Copy),
        ContextualOption::Action(ContextualAction::View),
        ContextualOption::Action(ContextualAction::Chatgpt),
        ContextualOption::Action(ContextualAction::Claude),
    ];

    /// The entries that are shown, in order.
    pub fn entries(&self) -> &[ContextualOption] {
        self.options.as_deref().unwrap_or(Self::STANDARD)
    }

    /// Leaves out entries that stand in the menu twice.
    fn remove_doubles(&mut self) {
        let Some(options) = &mut self.options else {
            return;
        };
        let mut seen: Vec<ContextualOption> = Vec::new();
        options.retain(|option| {
            let is_new = !seen.contains(option);
            if is_new {
                seen.push(option.clone());
            }
            is_new
        });
    }
}

/// Reads the page menu in the frontmatter of the page at `path`, written there as `json`. With something
/// wrong in it there is none, and the page has that of the site.
pub fn contextual_of_page(path: &SitePath, json: &str) -> Parsed<Option<Contextual>> {
    let value: Value = serde_json::from_str(json).unwrap_or_default();
    if value.is_null() {
        return Parsed::default();
    }
    let document = Document::new(path, serde_json::json!({ "contextual": value }));
    let mut log = Log::new(&document);
    let fields = Node::root(&document).fields(&mut log);
    let read = fields.and_then(|mut fields| fields.optional::<Contextual>("contextual"));
    let mut is_whole = true;
    for found in &mut log.diagnostics {
        if matches!(found.code, Code::InvalidField | Code::MissingField) {
            is_whole = false;
            found.code = Code::InvalidFrontMatterField;
        }
    }
    let read = read.filter(|_| is_whole).map(|mut contextual| {
        contextual.remove_doubles();
        contextual
    });
    Parsed {
        value: read,
        diagnostics: log.diagnostics,
    }
}

record! {
    /// The search box.
    pub struct Search: Default {
        /// Placeholder.
        pub prompt: Option<String> = optional "prompt",
        /// Words that mean the same.
        pub synonyms: Synonyms = standard "synonyms",
        /// Whether meanings are compared too; on unless `false`.
        pub semantic: Option<bool> = optional "semantic",
    }
}

/// Groups of words that mean the same on a site, each of two or more, none of them empty. Our own: written as a list of
/// lists of words, or as an object from a word to those (or the one) that mean the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms(pub Vec<Vec<String>>);

impl Decode for Synonyms {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        if node.value.is_object() {
            for (word, others) in &node.members(log)? {
                let others = OneOrMany::<String>::decode(others, log)
                    .unwrap_or_default()
                    .0;
                let group = std::iter::once((*word).to_owned()).chain(others);
                groups.push(group.collect());
            }
        } else if node.value.is_array() {
            for item in &node.items(log)? {
                if item.value.as_array().is_some_and(|words| words.len() < 2) {
                    let message = format!(
                        "{} must hold two or more words that mean the same",
                        item.subject()
                    );
                    item.complain(log, message, None);
                    continue;
                }
                let group = Vec::<String>::decode(item, log).unwrap_or_default();
                groups.push(group);
            }
        } else {
            node.reject(
                log,
                "a list of lists of words, or an object from words to words",
            );
        }
        for group in &mut groups {
            let mut seen = std::collections::HashSet::new();
            for word in &mut *group {
                *word = word.trim().to_lowercase();
            }
            group.retain(|word| !word.is_empty() && seen.insert(word.clone()));
        }
        groups.retain(|group| group.len() > 1);
        Some(Self(groups))
    }
}

/// Kinds of feedback that readers can give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// Whether readers can answer "Was this page helpful?".
    pub thumbs: bool,
    /// Whether a link "Suggest edits" is shown.
    pub edits: bool,
    /// Whether a link "Raise issue" is shown.
    pub issues: bool,
}

impl Decode for Feedback {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut fields = node.fields(log)?;
        // The long names are those of `mint.json`, and still common.
        let mut either = |short, long| {
            let long = fields.optional::<bool>(long);
            fields.optional::<bool>(short).or(long).unwrap_or_default()
        };
        let feedback = Self {
            thumbs: either("thumbs", "thumbsRating"),
            edits: either("edits", "suggestEdit"),
            issues: either("issues", "raiseIssue"),
        };
        fields.finish();
        Some(feedback)
    }
}

record! {
    /// Page for unknown addresses.
    pub struct NotFound: Default {
        /// Whether the reader is sent to the home page.
        pub redirect: bool = or(true) "redirect",
        /// The heading.
        pub title: Option<String> = optional "title",
        /// The text, in MDX.
        pub description: Option<String> = optional "description",
    }
}

record! {
    /// Error pages.
    pub struct ErrorPages {
        /// Page for unknown addresses.
        pub not_found: NotFound = required "404",
    }
}

record! {
    /// Facts shown on each page.
    pub struct Metadata: Default {
        /// Whether pages say when they were last changed.
        pub timestamp: bool = standard "timestamp",
    }
}

record! {
    /// The Markdown twins of pages.
    pub struct Markdown: Default {
        /// Whether those of API pages hold the specification.
        pub schema: bool = or(true) "schema",
        /// Text appended to each.
        pub instructions: Texts = standard "instructions",
    }
}

/// Reports what cannot be told from one field alone: a footer of more than four columns, and a menu entry that is
/// there twice.
pub fn review(footer: &Footer, contextual: &mut Contextual, log: &mut Log<'_>) {
    if footer.links.len() > 4 {
        let message = format!("the footer has {} columns; four fit", footer.links.len());
        log.report(
            Code::InvalidField,
            "/footer/links/4",
            Part::Value,
            message,
            None,
        );
    }
    contextual.remove_doubles();
}
