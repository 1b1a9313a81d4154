//! The HTML of components with state: comments mark where a script goes on with it.

use super::Island;

/// Begins the comment in front of a use; its number follows.
const USE: &str = "<!--quire:use ";
/// Begins every mark.
const MARKS: [&str; 2] = ["<!--quire:", "<!--/quire:"];

/// The HTML of the use `number`, marked.
pub(super) fn marked(number: usize, html: &str) -> String {
    format!("{USE}{number}-->{html}{}", end_mark(number))
}

fn end_mark(number: usize) -> String {
    format!("<!--/quire:use {number}-->")
}

/// Offset of the first use in `html`.
pub(super) fn next_use(html: &str) -> Option<usize> {
    html.find(USE)
}

/// Length of the use that `html` begins with, its marks included.
pub(super) fn use_len(html: &str) -> Option<usize> {
    let (_, _, later) = taken(html)?;
    Some(html.len() - later.len())
}

/// The comments around children that are not the component's own.
pub(super) fn slot_marks(number: usize) -> [String; 2] {
    let start = format!("<!--quire:slot {number}-->");
    let end = format!("<!--/quire:slot {number}-->");
    [start, end]
}

/// `html` without the marks of `slots`.
pub(super) fn without_slots(html: String, slots: &[usize]) -> String {
    let marks = slots.iter().flat_map(|slot| slot_marks(*slot));
    marks.fold(html, |html, mark| html.replace(&mark, ""))
}

/// `html` as a page has it whose script goes on with the uses that are live: each as it is at first, and with all that
/// its states show where no script runs. Other uses lose their marks.
pub fn placed(html: &str, islands: &[Island], is_live: &[bool]) -> String {
    if !is_live.contains(&true) {
        return without_marks(html);
    }
    let mut out = String::with_capacity(html.len() * 2);
    let mut rest = html;
    while let Some(at) = rest.find(USE) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((number, inner, later)) = taken(rest) else {
            break;
        };
        let live = is_live.get(number).is_some_and(|is_live| *is_live);
        let first = islands.get(number).and_then(|island| island.first.as_ref());
        // An element for readers without scripts ends at the first one within it.
        match first.filter(|_| live && !inner.contains("</noscript")) {
            Some(first) => {
                out.push_str(&marked(number, &placed(first, islands, is_live)));
                out.push_str("<noscript>");
                out.push_str(inner);
                out.push_str("</noscript>");
            }
            None if live => out.push_str(&marked(number, &placed(inner, islands, is_live))),
            None => out.push_str(&placed(inner, islands, is_live)),
        }
        rest = later;
    }
    out + rest
}

/// The number of the use whose mark `html` begins with, its HTML, and what follows.
fn taken(html: &str) -> Option<(usize, &str, &str)> {
    let (number, inner) = html.strip_prefix(USE)?.split_once("-->")?;
    let number = number.parse().ok()?;
    let (inner, later) = inner.split_once(&end_mark(number))?;
    Some((number, inner, later))
}

/// `html` without marks.
pub fn without_marks(html: &str) -> String {
    MARKS.iter().fold(html.to_owned(), |html, start| {
        let mut out = String::with_capacity(html.len());
        let mut rest = html.as_str();
        while let Some(at) = rest.find(start) {
            out.push_str(&rest[..at]);
            rest = rest[at..].split_once("-->").map_or("", |(_, rest)| rest);
        }
        out + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::diagnostic::{Code, Diagnostic};
    use base::path::SitePath;
    use base::place::Place;

    fn island(first: Option<&str>) -> Island {
        let file = SitePath::new("a.mdx").unwrap();
        Island {
            name: "A".to_owned(),
            source: String::new(),
            locals: Vec::new(),
            first: first.map(str::to_owned),
            parts: Vec::new(),
            otherwise: Diagnostic::new(Code::StaticComponent, Place::File(file.clone()), ""),
            file,
        }
    }

    #[test]
    fn all_states_are_for_readers_without_scripts() {
        let inner = marked(0, "<b>inner</b>");
        let html = format!(
            "<p>{}</p>{}",
            marked(1, &format!("<i>{inner}</i>")),
            marked(2, "c")
        );
        let first = format!("<u>{inner}</u>");
        let islands = [island(Some("<b>0</b>")), island(Some(&first)), island(None)];
        assert_eq!(
            placed(&html, &islands, &[true, true, false]),
            "<p><!--quire:use 1--><u><!--quire:use 0--><b>0</b><!--/quire:use 0--><noscript><b>inner</b></noscript></u>\
             <!--/quire:use 1--><noscript><i><!--quire:use 0--><b>inner</b><!--/quire:use 0--></i></noscript></p>c"
        );
        assert_eq!(
            placed(&html, &islands, &[false, false, true]),
            "<p><i><b>inner</b></i></p><!--quire:use 2-->c<!--/quire:use 2-->"
        );
        assert_eq!(placed(&html, &islands, &[]), "<p><i><b>inner</b></i></p>c");
    }
}
