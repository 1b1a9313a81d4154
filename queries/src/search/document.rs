//! Turns passages of pages into those of search documents.

use super::Passage;

/// Returns true if a passage, or one below it, repeats the title of the page.
fn is_title(passage: &Passage, title: &str) -> bool {
    passage.headings.first().is_some_and(|first| first == title)
}

/// The place of the passage whose heading repeats the title of the page, if the first heading does.
pub(crate) fn repeated_title(passages: &[Passage], title: &str) -> Option<usize> {
    let at = passages
        .iter()
        .position(|passage| passage.anchor.is_some())?;
    (passages[at].headings.len() == 1 && is_title(&passages[at], title)).then_some(at)
}

/// Returns the passages of a page without a first heading that repeats its title. The text below
/// that heading joins the beginning of the page.
pub(crate) fn without_title(passages: &[Passage], title: &str) -> Vec<Passage> {
    let Some(at) = repeated_title(passages, title) else {
        return passages.to_vec();
    };
    let mut beginning = Passage {
        anchor: None,
        headings: Vec::new(),
        body: String::new(),
        code: String::new(),
    };
    for passage in &passages[..=at] {
        if !beginning.body.is_empty() && !passage.body.is_empty() {
            beginning.body.push('\n');
        }
        beginning.body.push_str(&passage.body);
        beginning.code.push_str(&passage.code);
    }
    let mut result = Vec::with_capacity(passages.len());
    if !beginning.body.is_empty() || !beginning.code.is_empty() {
        result.push(beginning);
    }
    let mut is_below = true;
    for passage in &passages[at + 1..] {
        let mut passage = passage.clone();
        // The passages below it have it above them; one with the same words further down is a heading of its own.
        is_below &= passage.headings.len() > 1 && is_title(&passage, title);
        if is_below {
            passage.headings.remove(0);
        }
        result.push(passage);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let passages = without_title(&super::super::html::passages(html), "T");
        let lines: Vec<String> = passages
            .iter()
            .map(|passage| {
                let anchor = passage.anchor.as_deref().unwrap_or("-");
                format!(
                    "{anchor} {}: {}",
                    passage.headings.join(" > "),
                    passage.body
                )
            })
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_first_heading_that_repeats_the_title_is_none() {
        check(
            "a<h1 id=\"t\">T</h1>b<h2 id=\"c\">C</h2>d<h1 id=\"e\">E</h1>f<h1 id=\"t-2\">T</h1>g",
            &["- : a\nb", "c C: d", "e E: f", "t-2 T: g"],
        );
        check("<h1 id=\"t\">T</h1><h2 id=\"c\">C</h2>", &["c C: "]);
    }

    #[test]
    fn other_headings_stay() {
        check(
            "a<h2 id=\"b\">B</h2>c<h2 id=\"t\">T</h2>d",
            &["- : a", "b B: c", "t T: d"],
        );
        check("a", &["- : a"]);
    }
}
