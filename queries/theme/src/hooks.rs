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
pub enum HookSupport {
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
    pub drawn: HookSupport,
}

const fn name(name: &'static str, support: HookSupport) -> Name {
    Name {
        name,
        drawn: support,
    }
}

/// Ids of the reference that no element has, and why.
pub const OTHER_IDS: &[Name] = &[
    name(
        "search-bar-entry-mobile",
        HookSupport::Not("one button serves every width: `#search-bar-entry`"),
    ),
    name(
        "assistant-entry-mobile",
        HookSupport::Not("one button serves every width: `#assistant-entry`"),
    ),
    name(
        "content-container",
        HookSupport::Not("rules for it apply to `#content-area`"),
    ),
    name(
        "mdx-content",
        HookSupport::Not("rules for it apply to `#content`"),
    ),
    name(
        "endpoints-menu-trigger",
        HookSupport::Not("a page documents one endpoint"),
    ),
    name(
        "code-snippet-feedback-button",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-textarea",
        HookSupport::Not("nobody is asked about code"),
    ),
];

/// All names of elements, in the order of the reference.
pub const NAMES: &[Name] = &[
    name("accordion", HookSupport::InPage),
    name("accordion-group", HookSupport::InPage),
    name("callout", HookSupport::InPage),
    name("card", HookSupport::InPage),
    name("card-group", HookSupport::InPage),
    name("columns", HookSupport::InPage),
    name("code-block", HookSupport::InPage),
    name("code-block-icon", HookSupport::InPage),
    name("code-block-copy-button", HookSupport::InPage),
    name(
        "code-block-fade-overlay",
        HookSupport::Not("folded code is masked, nothing lies over it"),
    ),
    name("code-group", HookSupport::InPage),
    name("expandable", HookSupport::InPage),
    name("frame", HookSupport::InPage),
    name("icon", HookSupport::InPage),
    name("mermaid", HookSupport::InPage),
    name("step", HookSupport::InPage),
    name("steps", HookSupport::InPage),
    name("tab-icon", HookSupport::InPage),
    name("tabs", HookSupport::InPage),
    name("tile", HookSupport::InPage),
    name("tooltip", HookSupport::InPage),
    name("update", HookSupport::InPage),
    name("mdx-content", HookSupport::InPage),
    name("panel", HookSupport::InPage),
    name("eyebrow", HookSupport::InPage),
    name(
        "link",
        HookSupport::Not("links of the text are `.mdx-content a`"),
    ),
    name("breadcrumb-list", HookSupport::InPage),
    name("breadcrumb-item", HookSupport::InPage),
    name("nav-logo", HookSupport::InPage),
    name("navbar-link", HookSupport::InPage),
    name("nav-anchors", HookSupport::InPage),
    name("nav-anchor", HookSupport::InPage),
    name("nav-tabs", HookSupport::InPage),
    name("nav-tabs-item", HookSupport::InPage),
    name("mobile-nav-tabs-item", HookSupport::InPage),
    name("topbar-right-container", HookSupport::InPage),
    name("nav-tag-pill", HookSupport::InPage),
    name("nav-tag-pill-text", HookSupport::InPage),
    name("nav-dropdown-trigger", HookSupport::InPage),
    name("nav-dropdown-content", HookSupport::InPage),
    name("nav-dropdown-item", HookSupport::InPage),
    name("nav-dropdown-item-text-container", HookSupport::InPage),
    name("nav-dropdown-item-title", HookSupport::InPage),
    name("nav-dropdown-item-description", HookSupport::InPage),
    name("nav-dropdown-item-icon", HookSupport::InPage),
    name(
        "nav-dropdown-products-selector-trigger",
        HookSupport::InPage,
    ),
    name(
        "nav-dropdown-products-selector-content",
        HookSupport::InPage,
    ),
    name("nav-dropdown-products-selector-item", HookSupport::InPage),
    name(
        "nav-dropdown-products-selector-item-title",
        HookSupport::InPage,
    ),
    name(
        "nav-dropdown-products-selector-item-description",
        HookSupport::InPage,
    ),
    name(
        "nav-dropdown-products-selector-item-icon",
        HookSupport::InPage,
    ),
    name("sidebar-group", HookSupport::InPage),
    name("sidebar-group-icon", HookSupport::InPage),
    name("sidebar-group-header", HookSupport::InPage),
    name("sidebar-title", HookSupport::InPage),
    name(
        "sidebar-nav-group-divider",
        HookSupport::Not("groups stand apart by space alone"),
    ),
    name("toc", HookSupport::InPage),
    name("toc-item", HookSupport::InPage),
    name("footer", HookSupport::InPage),
    name("advanced-footer", HookSupport::InPage),
    name("pagination-prev", HookSupport::InPage),
    name("pagination-next", HookSupport::InPage),
    name("pagination-title", HookSupport::InPage),
    name("api-section", HookSupport::InPage),
    name("api-section-heading", HookSupport::InPage),
    name("api-section-heading-title", HookSupport::InPage),
    name("api-section-heading-subtitle", HookSupport::InPage),
    name("field", HookSupport::InPage),
    name("option-dropdown", HookSupport::InPage),
    name("tryit-button", HookSupport::InPage),
    name("method-pill", HookSupport::InPage),
    name("method-nav-pill", HookSupport::InPage),
    name("prompt", HookSupport::InPage),
    name("chat-assistant-sheet", HookSupport::ByScript),
    name("chat-assistant-sheet-header", HookSupport::ByScript),
    name("chat-assistant-sheet-content", HookSupport::ByScript),
    name("chat-assistant-input", HookSupport::ByScript),
    name(
        "chat-assistant-floating-input",
        HookSupport::Not("the assistant is asked in its panel"),
    ),
    name("chat-assistant-send-button", HookSupport::ByScript),
    name("chat-assistant-disclaimer-text", HookSupport::ByScript),
    name("chat-assistant-payload-item", HookSupport::ByScript),
    name("starter-question-text", HookSupport::ByScript),
    name("feedback-toolbar", HookSupport::InPage),
    name("contextual-feedback-container", HookSupport::InPage),
    name("contextual-feedback-form", HookSupport::InPage),
    name("contextual-feedback-form-title", HookSupport::InPage),
    name("contextual-feedback-input", HookSupport::InPage),
    name("contextual-feedback-button", HookSupport::InPage),
    name(
        "contextual-feedback-form-submit-button",
        HookSupport::InPage,
    ),
    name(
        "code-snippet-feedback-popover-content",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-textarea",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-title",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-description",
        HookSupport::Not("nobody is asked about code"),
    ),
    name(
        "code-snippet-feedback-form-submit-button",
        HookSupport::Not("nobody is asked about code"),
    ),
    name("login-link", HookSupport::Not("readers do not log in")),
    name("logout-link", HookSupport::Not("readers do not log in")),
    name("multi-view-item", HookSupport::InPage),
    name("multi-view-dropdown", HookSupport::InPage),
    name(
        "multi-view-dropdown-trigger",
        HookSupport::Not("views are chosen in a row that is always open"),
    ),
    name(
        "multi-view-dropdown-content",
        HookSupport::Not("views are chosen in a row that is always open"),
    ),
    name("multi-view-dropdown-item", HookSupport::InPage),
    name(
        "directory",
        HookSupport::Not("no page lists what is below it"),
    ),
    name(
        "directory-group",
        HookSupport::Not("no page lists what is below it"),
    ),
    name(
        "directory-page",
        HookSupport::Not("no page lists what is below it"),
    ),
    name(
        "directory-card",
        HookSupport::Not("no page lists what is below it"),
    ),
    name("not-found-container", HookSupport::InPage),
    name("not-found-status-code", HookSupport::InPage),
    name("not-found-title", HookSupport::InPage),
    name("not-found-description", HookSupport::InPage),
    name("not-found-recommended-pages-list", HookSupport::InPage),
    name("not-found-recommended-page-link", HookSupport::InPage),
    name("color", HookSupport::InPage),
    name("color-row", HookSupport::InPage),
    name("color-item", HookSupport::InPage),
    name("tree", HookSupport::InPage),
    name("tree-folder", HookSupport::InPage),
    name("tree-file", HookSupport::InPage),
];

/// Attributes that the reference uses as selectors; names of elements are classes here.
pub const ATTRIBUTES: &[Name] = &[
    name(".nav-dropdown-item[data-active]", HookSupport::InPage),
    name(".mobile-nav-tabs-item[data-active]", HookSupport::InPage),
    name(".sidebar-group[data-active]", HookSupport::InPage),
    name("#sidebar-content li[data-active]", HookSupport::InPage),
    name(".nav-tabs-item[data-active]", HookSupport::InPage),
    name(".toc-item[data-active]", HookSupport::ByScript),
    name(".toc-item[data-active-deepest]", HookSupport::ByScript),
    name(
        r#"[data-component-name="mermaid-container"]"#,
        HookSupport::InPage,
    ),
    name(
        r#"[data-component-name="mermaid-controls-wrapper"]"#,
        HookSupport::Not("a diagram has no controls: it is enlarged in a dialog"),
    ),
    name(
        r#"[data-component-name="primary-header-button"]"#,
        HookSupport::InPage,
    ),
    name(
        r#"[data-component-name="theme-toggle"]"#,
        HookSupport::InPage,
    ),
    name(
        r#"[data-component-part="contact-support-button"]"#,
        HookSupport::Not("the panel offers no other support"),
    ),
    name(
        r#"[data-component-part="contact-support-icon"]"#,
        HookSupport::Not("the panel offers no other support"),
    ),
    name(
        r#"[data-component-part="contact-support-text"]"#,
        HookSupport::Not("the panel offers no other support"),
    ),
    name("[data-badge]", HookSupport::InPage),
    name(r#"[data-badge][data-color="blue"]"#, HookSupport::InPage),
    name(r#"[data-badge][data-size="sm"]"#, HookSupport::InPage),
    name("html[data-current-path]", HookSupport::InPage),
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
