//! Ids that sites style by and scripts of sites look for: the names of the reference product, as a contract.
//!
//! What a page says itself comes first: a heading "Pagination" is linked to as `#pagination`, so on its page nothing else has
//! that id.

/// Where an element stands in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the text.
    Before,
    /// After the text.
    After,
    /// In the text, where its tag begins so.
    Within(&'static str),
    /// Made by a script when a reader asks for it.
    Script,
}

/// An id with a promise.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The id.
    pub id: &'static str,
    /// Where its element stands.
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
    hook("panel", Place::Within("<aside class=\"page-aside\"")),
    hook(
        "request-example",
        Place::Within("<section class=\"reference-panel samples\""),
    ),
    hook(
        "response-example",
        Place::Within("<section class=\"reference-panel responses\""),
    ),
    hook("pagination", Place::After),
    hook("footer", Place::After),
    hook("table-of-contents-layout", Place::After),
    hook("table-of-contents", Place::After),
    hook("table-of-contents-content", Place::After),
    hook("search-input", Place::Script),
    hook("api-playground-input", Place::Script),
    hook("chat-assistant-sheet", Place::Script),
    hook("chat-assistant-textarea", Place::Script),
    hook("text-selection-tooltip-button", Place::Script),
];

/// Takes the ids that `content` uses itself from the elements around it, in the whole page `html`.
pub fn without_taken(mut html: String, content: &str) -> String {
    let ids = content.match_indices(" id=\"").map(|(at, start)| {
        let rest = &content[at + start.len()..];
        &rest[..rest.find('"').unwrap_or(0)]
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
            Place::Before if count > 0 => html.find(&attribute),
            Place::After if count > 0 => html.rfind(&attribute),
            // Its own is one of them.
            Place::Within(tag) if count > 1 => {
                let tag = format!("{tag}{attribute}");
                html.find(&tag).map(|at| at + tag.len() - attribute.len())
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
