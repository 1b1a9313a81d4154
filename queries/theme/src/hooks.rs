//! Ids that sites style by and scripts of sites look for: the names of the reference product, as a contract.
//!
//! What a page says itself comes first: a heading "Pagination" is linked to as `#pagination`, so on its page nothing else has
//! that id.

use crate::html::find;

/// Place of an element in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the text.
    Before,
    /// After the text.
    After,
    /// Within the text, as a tag with this beginning.
    Within(&'static str),
    /// Made by a script when a reader asks for it.
    Script,
}

/// An id with a promise.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The id.
    pub id: &'static str,
    /// Place of its element.
    pub place: Place,
}

const fn hook(id: &'static str, place: Place) -> Hook {
    Hook { id, place }
}

/// All of them.
pub const HOOKS: &[Hook] = &[
    hook("background-color", Place::Before),
    hook("banner", Place::Before),
    hook("navbar", Place::Before),
    hook("topbar-cta-button", Place::Before),
    hook("search-bar-entry", Place::Before),
    hook("assistant-entry", Place::Before),
    hook("localization-select-trigger", Place::Before),
    hook("localization-select-content", Place::Before),
    hook("localization-select-item", Place::Before),
    hook("body-content", Place::Before),
    hook("mobile-nav", Place::Before),
    hook("mobile-nav-content", Place::Before),
    hook("sidebar", Place::Before),
    hook("sidebar-content", Place::Before),
    hook("content-area", Place::Before),
    hook("header", Place::Before),
    hook("page-title", Place::Before),
    hook("content", Place::Before),
    hook("page-context-menu", Place::Before),
    hook("page-context-menu-button", Place::Before),
    hook(
        "multi-view-dropdown",
        Place::Within("<div class=\"choices multi-view-dropdown\""),
    ),
    hook("changelog-filters", Place::Within("<div")),
    hook(
        "changelog-filters-content",
        Place::Within("<div class=\"choices\""),
    ),
    hook("panel", Place::Within("<aside class=\"page-aside\"")),
    hook(
        "request-example",
        Place::Within("<section class=\"reference-panel samples\""),
    ),
    hook(
        "response-example",
        Place::Within("<section class=\"reference-panel responses\""),
    ),
    hook("feedback-thumbs-up", Place::After),
    hook("feedback-thumbs-down", Place::After),
    hook("feedback-form", Place::After),
    hook("feedback-form-input", Place::After),
    hook("feedback-form-submit", Place::After),
    hook("feedback-form-cancel", Place::After),
    hook("pagination", Place::After),
    hook("footer", Place::After),
    hook("table-of-contents-layout", Place::After),
    hook("content-side-layout", Place::After),
    hook("table-of-contents", Place::After),
    hook("table-of-contents-content", Place::After),
    hook("search-input", Place::Script),
    hook("api-playground-input", Place::Script),
    hook("chat-assistant-sheet", Place::Script),
    hook("chat-assistant-textarea", Place::Script),
    hook("text-selection-tooltip", Place::Script),
    hook("text-selection-tooltip-button", Place::Script),
    hook("ask-assistant-code-block-button", Place::Script),
];

/// Support for a name of the reference that is an id or an element there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Rendered in a page.
    InPage,
    /// Created by a script when a reader asks for it.
    ByScript,
    /// Not supported, with the reason.
    Not(&'static str),
}

/// A name that the reference gives to elements of one kind. Ours have it as a class.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name.
    pub name: &'static str,
    /// Support.
    pub drawn: Drawn,
}

const fn name(name: &'static str, support: Drawn) -> Name {
    Name {
        name,
        drawn: support,
    }
}

/// Ids of the reference that no element has, and why.
pub const OTHER_IDS: &[Name] = &[
    name(
        "search-bar-entry-mobile",
        Drawn::Not("one button serves every width: `#search-bar-entry`"),
    ),
    name(
        "assistant-entry-mobile",
        Drawn::Not("one button serves every width: `#assistant-entry`"),
    ),
    name(
        "content-container",
        Drawn::Not("rules for it apply to `#content-area`"),
    ),
    name(
        "mdx-content",
        Drawn::Not("rules for it apply to `#content`"),
    ),
    name(
        "endpoints-menu-trigger",
        Drawn::Not("a page documents one endpoint"),
    ),
    name(
        "code-snippet-feedback-button",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-textarea",
        Drawn::Not("nobody is asked about code"),
    ),
];

/// All names of elements, in the order of the reference.
pub const NAMES: &[Name] = &[
    name("accordion", Drawn::InPage),
    name("accordion-group", Drawn::InPage),
    name("callout", Drawn::InPage),
    name("card", Drawn::InPage),
    name("card-group", Drawn::InPage),
    name("columns", Drawn::InPage),
    name("code-block", Drawn::InPage),
    name("code-block-icon", Drawn::InPage),
    name("code-block-copy-button", Drawn::InPage),
    name(
        "code-block-fade-overlay",
        Drawn::Not("folded code is masked, nothing lies over it"),
    ),
    name("code-group", Drawn::InPage),
    name("expandable", Drawn::InPage),
    name("frame", Drawn::InPage),
    name("icon", Drawn::InPage),
    name("mermaid", Drawn::InPage),
    name("step", Drawn::InPage),
    name("steps", Drawn::InPage),
    name("tab-icon", Drawn::InPage),
    name("tabs", Drawn::InPage),
    name("tile", Drawn::InPage),
    name("tooltip", Drawn::InPage),
    name("update", Drawn::InPage),
    name("mdx-content", Drawn::InPage),
    name("panel", Drawn::InPage),
    name("eyebrow", Drawn::InPage),
    name("link", Drawn::Not("links of the text are `.mdx-content a`")),
    name("breadcrumb-list", Drawn::InPage),
    name("breadcrumb-item", Drawn::InPage),
    name("nav-logo", Drawn::InPage),
    name("navbar-link", Drawn::InPage),
    name("nav-anchors", Drawn::InPage),
    name("nav-anchor", Drawn::InPage),
    name("nav-tabs", Drawn::InPage),
    name("nav-tabs-item", Drawn::InPage),
    name("mobile-nav-tabs-item", Drawn::InPage),
    name("topbar-right-container", Drawn::InPage),
    name("nav-tag-pill", Drawn::InPage),
    name("nav-tag-pill-text", Drawn::InPage),
    name("nav-dropdown-trigger", Drawn::InPage),
    name("nav-dropdown-content", Drawn::InPage),
    name("nav-dropdown-item", Drawn::InPage),
    name("nav-dropdown-item-text-container", Drawn::InPage),
    name("nav-dropdown-item-title", Drawn::InPage),
    name("nav-dropdown-item-description", Drawn::InPage),
    name("nav-dropdown-item-icon", Drawn::InPage),
    name("nav-dropdown-products-selector-trigger", Drawn::InPage),
    name("nav-dropdown-products-selector-content", Drawn::InPage),
    name("nav-dropdown-products-selector-item", Drawn::InPage),
    name("nav-dropdown-products-selector-item-title", Drawn::InPage),
    name(
        "nav-dropdown-products-selector-item-description",
        Drawn::InPage,
    ),
    name("nav-dropdown-products-selector-item-icon", Drawn::InPage),
    name("sidebar-group", Drawn::InPage),
    name("sidebar-group-icon", Drawn::InPage),
    name("sidebar-group-header", Drawn::InPage),
    name("sidebar-title", Drawn::InPage),
    name(
        "sidebar-nav-group-divider",
        Drawn::Not("groups stand apart by space alone"),
    ),
    name("toc", Drawn::InPage),
    name("toc-item", Drawn::InPage),
    name("footer", Drawn::InPage),
    name("advanced-footer", Drawn::InPage),
    name("pagination-prev", Drawn::InPage),
    name("pagination-next", Drawn::InPage),
    name("pagination-title", Drawn::InPage),
    name("api-section", Drawn::InPage),
    name("api-section-heading", Drawn::InPage),
    name("api-section-heading-title", Drawn::InPage),
    name("api-section-heading-subtitle", Drawn::InPage),
    name("field", Drawn::InPage),
    name("option-dropdown", Drawn::InPage),
    name("tryit-button", Drawn::InPage),
    name("method-pill", Drawn::InPage),
    name("method-nav-pill", Drawn::InPage),
    name("prompt", Drawn::InPage),
    name("chat-assistant-sheet", Drawn::ByScript),
    name("chat-assistant-sheet-header", Drawn::ByScript),
    name("chat-assistant-sheet-content", Drawn::ByScript),
    name("chat-assistant-input", Drawn::ByScript),
    name(
        "chat-assistant-floating-input",
        Drawn::Not("the assistant is asked in its panel"),
    ),
    name("chat-assistant-send-button", Drawn::ByScript),
    name("chat-assistant-disclaimer-text", Drawn::ByScript),
    name("chat-assistant-payload-item", Drawn::ByScript),
    name("starter-question-text", Drawn::ByScript),
    name("feedback-toolbar", Drawn::InPage),
    name("contextual-feedback-container", Drawn::InPage),
    name("contextual-feedback-form", Drawn::InPage),
    name("contextual-feedback-form-title", Drawn::InPage),
    name("contextual-feedback-input", Drawn::InPage),
    name("contextual-feedback-button", Drawn::InPage),
    name("contextual-feedback-form-submit-button", Drawn::InPage),
    name(
        "code-snippet-feedback-popover-content",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-textarea",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-title",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-description",
        Drawn::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-submit-button",
        Drawn::Not("nobody is asked about code"),
    ),
    name("login-link", Drawn::Not("readers do not log in")),
    name("logout-link", Drawn::Not("readers do not log in")),
    name("multi-view-item", Drawn::InPage),
    name("multi-view-dropdown", Drawn::InPage),
    name(
        "multi-view-dropdown-trigger",
        Drawn::Not("views are chosen in a row that is always open"),
    ),
    name(
        "multi-view-dropdown-content",
        Drawn::Not("views are chosen in a row that is always open"),
    ),
    name("multi-view-dropdown-item", Drawn::InPage),
    name("directory", Drawn::Not("no page lists what is below it")),
    name(
        "directory-group",
        Drawn::Not("no page lists what is below it"),
    ),
    name(
        "directory-page",
        Drawn::Not("no page lists what is below it"),
    ),
    name(
        "directory-card",
        Drawn::Not("no page lists what is below it"),
    ),
    name("not-found-container", Drawn::InPage),
    name("not-found-status-code", Drawn::InPage),
    name("not-found-title", Drawn::InPage),
    name("not-found-description", Drawn::InPage),
    name("not-found-recommended-pages-list", Drawn::InPage),
    name("not-found-recommended-page-link", Drawn::InPage),
    name("color", Drawn::InPage),
    name("color-row", Drawn::InPage),
    name("color-item", Drawn::InPage),
    name("tree", Drawn::InPage),
    name("tree-folder", Drawn::InPage),
    name("tree-file", Drawn::InPage),
];

/// Attributes that the reference uses as selectors; names of elements are classes here.
pub const ATTRIBUTES: &[Name] = &[
    name(".nav-dropdown-item[data-active]", Drawn::InPage),
    name(".mobile-nav-tabs-item[data-active]", Drawn::InPage),
    name(".sidebar-group[data-active]", Drawn::InPage),
    name("#sidebar-content li[data-active]", Drawn::InPage),
    name(".nav-tabs-item[data-active]", Drawn::InPage),
    name(".toc-item[data-active]", Drawn::ByScript),
    name(".toc-item[data-active-deepest]", Drawn::ByScript),
    name(
        r#"[data-component-name="mermaid-container"]"#,
        Drawn::InPage,
    ),
    name(
        r#"[data-component-name="mermaid-controls-wrapper"]"#,
        Drawn::Not("a diagram has no controls: it is enlarged in a dialog"),
    ),
    name(
        r#"[data-component-name="primary-header-button"]"#,
        Drawn::InPage,
    ),
    name(r#"[data-component-name="theme-toggle"]"#, Drawn::InPage),
    name(
        r#"[data-component-part="contact-support-button"]"#,
        Drawn::Not("the panel offers no other support"),
    ),
    name(
        r#"[data-component-part="contact-support-icon"]"#,
        Drawn::Not("the panel offers no other support"),
    ),
    name(
        r#"[data-component-part="contact-support-text"]"#,
        Drawn::Not("the panel offers no other support"),
    ),
    name("[data-badge]", Drawn::InPage),
    name(r#"[data-badge][data-color="blue"]"#, Drawn::InPage),
    name(r#"[data-badge][data-size="sm"]"#, Drawn::InPage),
    name("html[data-current-path]", Drawn::InPage),
];

/// Takes the ids that `content` uses itself from the elements around it, in the whole page `html`.
pub fn without_taken(mut html: String, content: &str) -> String {
    let start = " id=\"";
    let ids = memchr::memmem::find_iter(content.as_bytes(), start).map(|at| {
        let rest = &content[at + start.len()..];
        &rest[..find(rest, "\"").unwrap_or(0)]
    });
    let mut seen = [0_u32; HOOKS.len()];
    for id in ids {
        if let Some(at) = HOOKS.iter().position(|hook| hook.id == id) {
            seen[at] += 1;
        }
    }
    for (hook, count) in HOOKS.iter().zip(seen) {
        let attribute = format!(" id=\"{}\"", hook.id);
        let at = match hook.place {
            Place::Before if count > 0 => find(&html, &attribute),
            Place::After if count > 0 => html.rfind(&attribute),
            // Its own is one of them.
            Place::Within(tag) if count > 1 => {
                let tag = format!("{tag}{attribute}");
                find(&html, &tag).map(|at| at + tag.len() - attribute.len())
            }
            _ => None,
        };
        if let Some(at) = at {
            html.replace_range(at..at + attribute.len(), "");
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, left: &str) {
        let html = |content: &str| {
            format!("<i id=\"header\"></i><i id=\"content\">{content}</i><i id=\"pagination\"></i>")
        };
        assert_eq!(without_taken(html(content), content), left);
    }

    #[test]
    fn a_heading_keeps_its_id() {
        check(
            "<h2 id=\"pagination\">",
            "<i id=\"header\"></i><i id=\"content\"><h2 id=\"pagination\"></i><i></i>",
        );
        check(
            "<h2 id=\"header\"><h3 id=\"content\">",
            "<i></i><i><h2 id=\"header\"><h3 id=\"content\"></i><i id=\"pagination\"></i>",
        );
    }

    #[test]
    fn what_stands_in_the_text_gives_way_to_a_heading() {
        let own = "<aside class=\"page-aside\" id=\"panel\">";
        check(
            own,
            &format!("<i id=\"header\"></i><i id=\"content\">{own}</i><i id=\"pagination\"></i>"),
        );
        check(
            &format!("<h2 id=\"panel\">{own}"),
            "<i id=\"header\"></i><i id=\"content\"><h2 id=\"panel\"><aside class=\"page-aside\"></i><i id=\"pagination\"></i>",
        );
    }

    #[test]
    fn ids_are_named_once() {
        for (i, hook) in HOOKS.iter().enumerate() {
            assert!(
                HOOKS[..i].iter().all(|other| other.id != hook.id),
                "{}",
                hook.id
            );
        }
    }
}
