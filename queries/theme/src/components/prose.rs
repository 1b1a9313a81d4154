//! The parts of prose that need more than their own element.

use crate::words::Word;
use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

/// A heading.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Whether the page has an `<h1>` above: level 1 is then an `<h2>` that looks like one.
    pub is_below_title: bool,
    /// Depth, where it differs from the level: authors skip levels.
    pub depth: Option<u8>,
    /// Id; without one it has no link.
    pub id: Option<String>,
    /// Other names that links may use.
    pub aliases: Vec<String>,
    /// Text, for the label of the link.
    pub text: String,
}

/// Makes `name` an anchor of the heading or the component around it.
pub fn alias(name: &str) -> Markup {
    html! { span.anchor-alias id=(name) {} }
}

/// `html` without the first that was rendered of each of the `names`, of as many as it is named.
pub fn without_aliases(html: &str, names: &[&String]) -> String {
    let mut lost_counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *lost_counts.entry(alias(name).into_string()).or_default() += 1;
    }
    let end = "></span>";
    let mut output = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("<span class=\"anchor-alias\" id=") {
        let Some(len) = rest[at..].find(end).map(|len| len + end.len()) else {
            break;
        };
        let (before, after) = rest.split_at(at + len);
        match lost_counts
            .get_mut(&before[at..])
            .filter(|count| **count > 0)
        {
            Some(count) => {
                *count -= 1;
                output.push_str(&before[..at]);
            }
            None => output.push_str(before),
        }
        rest = after;
    }
    output + rest
}

/// Renders a heading around its rendered inline content, with a link to itself.
pub fn heading(view: &Heading, children: PreEscaped<&str>) -> Markup {
    let id = view.id.as_deref();
    let inner = html! {
        @for name in &view.aliases { (alias(name)) }
        (children)
        @if let Some(id) = id {
            a.anchor href={ "#" (id) } aria-label=(Word::LinkTo.of(&view.text)) {}
        }
    };
    let depth = view.depth;
    html! {
        @match view.level {
            0 | 1 if view.is_below_title => { h2.h1 id=[id] aria-level=[depth] { (inner) } }
            0 | 1 => { h1 id=[id] aria-level=[depth] { (inner) } }
            2 => { h2 id=[id] aria-level=[depth] { (inner) } }
            3 => { h3 id=[id] aria-level=[depth] { (inner) } }
            4 => { h4 id=[id] aria-level=[depth] { (inner) } }
            5 => { h5 id=[id] aria-level=[depth] { (inner) } }
            _ => { h6 id=[id] aria-level=[depth] { (inner) } }
        }
    }
}

/// Renders the source of a formula that could not be rendered, and why.
pub fn invalid_formula(source: &str, fault: &str) -> Markup {
    html! { code.formula-invalid title=(fault) { (source) } }
}

/// Renders a table's rows in a box that scrolls sideways.
pub fn table(children: PreEscaped<&str>) -> Markup {
    html! { div.table-scroll tabindex="0" role="group" aria-label=(Word::Table) { table { (children) } } }
}

/// Renders an item of a task list.
pub fn task_item(done: bool, children: PreEscaped<&str>) -> Markup {
    html! {
        li.task {
            input type="checkbox" disabled checked[done] aria-label=(if done { Word::Done } else { Word::ToDo });
            div.task-body { (children) }
        }
    }
}

/// Renders the number in the text that leads to footnote `name`, its `reference`-th mention.
pub fn footnote_reference(number: usize, name: &str, reference: usize) -> Markup {
    html! {
        sup.footnote-reference {
            a id={ "footnote-ref-" (name) "-" (reference) } href={ "#footnote-" (name) } aria-label=(Word::Footnote.of(number.to_string())) {
                (number)
            }
        }
    }
}

/// Renders the footnotes at the end of a page: name and rendered content, in the order of their
/// numbers.
pub fn footnotes(notes: &[(String, String)]) -> Markup {
    html! {
        section.footnotes aria-label=(Word::Footnotes) {
            ol {
                @for (name, body) in notes {
                    li id={ "footnote-" (name) } {
                        (PreEscaped(body))
                        a.footnote-back href={ "#footnote-ref-" (name) "-1" } aria-label=(Word::BackToText) { "↩" }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_links_to_itself() {
        let view = Heading {
            is_below_title: false,
            level: 2,
            depth: None,
            id: Some("a\"b".into()),
            aliases: Vec::new(),
            text: "A".into(),
        };
        let html = heading(&view, PreEscaped("<em>A</em>")).into_string();
        assert!(
            html.starts_with("<h2 id=\"a&quot;b\"><em>A</em><a class=\"anchor\""),
            "{html}"
        );
    }
}
