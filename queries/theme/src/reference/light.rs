//! Pages that stay light: what is folded deep in a large page is left for the moment at which it is opened.
//!
//! The rows of a response can be ten thousand elements, nearly all of them folded or in a branch that is not chosen. Beyond
//! [`MAX_BYTES`] and [`MAX_ELEMENTS`] a page holds what is shown and as many of the folds nearest to it as there is room for;
//! in the others stands a link to the page with all of them, which a script reads and takes the rows from (`js/rows.js`).
//! Samples that are not chosen are text without colors there until they are: a script colors them then. Punctuation has none.

use std::collections::HashSet;
use std::ops::Range;

use crate::html::{find, push_escaped};
use crate::icon::with_table;
use crate::words::Word;

/// Maximum number of bytes of content of a page before folds are left out.
const MAX_BYTES: usize = 120 << 10;

/// Maximum number of elements of content of a page before folds are left out.
const MAX_ELEMENTS: usize = 2000;

/// The languages that the script colors (`js/playground/colors.js`): those of samples, and that of what comes back. Code in others
/// keeps its colors.
const COLORED: &[&str] = &[
    "bash",
    "c",
    "csharp",
    "dart",
    "go",
    "http",
    "java",
    "javascript",
    "json",
    "kotlin",
    "php",
    "powershell",
    "python",
    "ruby",
    "rust",
    "swift",
    "typescript",
];

const FOLD: &str = r#"<details class="expandable row-children">"#;
const FOLD_BODY: &str = r#"<div class="expandable-body">"#;
const FOLD_END: &str = "</div>";
/// Content of a fold whose rows are already on a page of their own.
const SHARED: &str = r#"<p class="elsewhere"><a data-rows=""#;
/// A branch of a schema; those of samples have no id.
const BRANCH: &str = r#"<section class="tab-panel" id=""#;
const BRANCH_BODY: &str = "</p>";
const SAMPLE: &str = r#"<section class="tab-panel" data-tab=""#;
/// The elements that color words of code, and those that color punctuation: half of them, and the color of text does.
const COLORS: &str = "<span class=\"t-";
const PUNCTUATION: &str = "<span class=\"t-u\"";
const CHOSEN: &str = " data-active";
/// Start of the class of code in a language.
const LANGUAGE: &str = "class=\"language-";

/// A fold: what is in it, from where to where.
#[derive(Debug)]
struct Fold {
    start: usize,
    end: usize,
    /// Bytes and elements of what is in it, without what is folded there in turn.
    own_size: Size,
    /// The folds right in it, by their numbers.
    inner: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: usize,
    elements: usize,
}

/// Starts of the elements of a text, so that parts of it can be measured without scanning them.
struct Elements(Vec<usize>);

impl Elements {
    fn of(html: &str) -> Self {
        let bytes = html.as_bytes();
        let begins = memchr::memchr_iter(b'<', bytes);
        let begins = begins.filter(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic));
        Self(begins.collect())
    }

    fn size(&self, range: Range<usize>) -> Size {
        let before = |end: usize| self.0.partition_point(|at| *at < end);
        Size {
            bytes: range.len(),
            elements: before(range.end) - before(range.start),
        }
    }
}

impl Size {
    fn of(html: &str) -> Self {
        Elements::of(html).size(0..html.len())
    }

    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            elements: self.elements + other.elements,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            bytes: self.bytes - other.bytes,
            elements: self.elements - other.elements,
        }
    }

    fn fits(self) -> bool {
        self.bytes <= MAX_BYTES && self.elements <= MAX_ELEMENTS
    }
}

/// A page that was made light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Light {
    /// Content.
    pub content: String,
    /// Whether it leads to the page with all that was left out.
    pub has_whole: bool,
}

/// `content` without the folds that there is no room for, each of which leads to `whole` instead; none if there is room for
/// all. Those that are nearer to what is open, and then those that come first, stay. `colors` is the address of the script that
/// colors what has no colors.
pub fn light(content: &str, whole: &str, colors: &str) -> Option<Light> {
    if Size::of(content).fits() {
        return None;
    }
    let length = content.len();
    let bare = without_colors(content, colors);
    let content = bare.as_str();
    let elements = Elements::of(content);
    let all = elements.size(0..content.len());
    let folds = folds(content, &elements);
    let inner: HashSet<usize> = (folds.iter())
        .flat_map(|fold| fold.inner.iter().copied())
        .collect();
    let mut level: Vec<usize> = (0..folds.len())
        .filter(|number| !inner.contains(number))
        .collect();
    let folded = level
        .iter()
        .map(|number| whole_size(&elements, &folds[*number]));
    let mut size = all.without(folded.fold(Size::default(), Size::and));
    let mut left_out = Vec::new();
    while !level.is_empty() {
        let mut next = Vec::new();
        for number in level {
            let with = size.and(folds[number].own_size);
            match with.fits() {
                true => {
                    size = with;
                    next.extend_from_slice(&folds[number].inner);
                }
                false => left_out.push(number),
            }
        }
        level = next;
    }
    if left_out.is_empty() && all.bytes == length {
        return None;
    }
    let has_whole = !left_out.is_empty();
    left_out.sort_unstable();
    let mut address = String::new();
    push_escaped(&mut address, whole);
    let mut light = String::with_capacity(size.bytes + left_out.len() * (address.len() + 96));
    let mut from = 0;
    for number in left_out {
        let fold = &folds[number];
        light.push_str(&content[from..fold.start]);
        light.push_str("<p class=\"elsewhere\"><a data-rows href=\"");
        light.push_str(&address);
        light.push_str("\">");
        light.push_str(Word::ShowAll.marker());
        light.push_str("</a></p>");
        from = fold.end;
    }
    light.push_str(&content[from..]);
    Some(Light {
        content: light,
        has_whole,
    })
}

/// Minimum size, in bytes, of a page that is shortened.
const SHORTENED: usize = 32 << 10;

/// A quote as it is escaped.
const QUOTE: &str = "&quot;";

/// Returns shorter HTML for a long page: each icon is written once, and `&quot;` in code becomes
/// `"`. After `=` it stays escaped, so that a search for attributes in the HTML does not match
/// text.
pub fn shortened(html: String) -> String {
    if html.len() < SHORTENED {
        return html;
    }
    let html = with_table(html);
    let quotes = memchr::memmem::Finder::new(QUOTE);
    let mut output = String::with_capacity(html.len());
    let mut rest = html.as_str();
    while let Some(at) = find(rest, "<code") {
        let end = find(&rest[at..], "</code>").map_or(rest.len(), |end| at + end);
        let text = find(&rest[at..end], ">").map_or(end, |tag| at + tag + 1);
        output.push_str(&rest[..text]);
        let mut is_tag = false;
        let mut from = text;
        for quote in quotes.find_iter(&rest.as_bytes()[text..end]) {
            let piece = &rest[from..text + quote];
            output.push_str(piece);
            is_tag = match memchr::memrchr2(b'<', b'>', piece.as_bytes()) {
                Some(at) => piece[at..].starts_with('<'),
                None => is_tag,
            };
            let is_kept = is_tag || output.ends_with('=');
            output.push_str(if is_kept { QUOTE } else { "\"" });
            from = text + quote + QUOTE.len();
        }
        output.push_str(&rest[from..end]);
        rest = &rest[end..];
    }
    output.push_str(rest);
    output
}

fn whole_size(elements: &Elements, fold: &Fold) -> Size {
    elements.size(fold.start..fold.end)
}

/// `content` whose samples that are not chosen are words without colors, with a mark that says by what they are colored.
fn without_colors(content: &str, colors: &str) -> String {
    let mut bare = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = find(rest, SAMPLE) {
        let end = find(&rest[at..], "</section>").map_or(rest.len(), |end| at + end);
        let tag = find(&rest[at..end], ">").map_or(end, |tag| at + tag);
        bare.push_str(&rest[..tag]);
        let sample = &rest[tag..end];
        match (
            rest[at..tag].contains(CHOSEN),
            find(sample, "<code"),
            sample.rfind("</code>"),
        ) {
            (false, Some(code), Some(code_end))
                if code < code_end && is_colored(&sample[code..code_end]) =>
            {
                bare.push_str(" data-plain=\"");
                push_escaped(&mut bare, colors);
                bare.push('"');
                bare.push_str(&sample[..code]);
                without_spans(&sample[code..code_end], COLORS, &mut bare);
                bare.push_str(&sample[code_end..]);
            }
            (true, Some(code), Some(code_end)) if code < code_end => {
                bare.push_str(&sample[..code]);
                without_spans(&sample[code..code_end], PUNCTUATION, &mut bare);
                bare.push_str(&sample[code_end..]);
            }
            _ => bare.push_str(sample),
        }
        rest = &rest[end..];
    }
    bare.push_str(rest);
    bare
}

/// Returns true if `code` is in a language that the script colors.
fn is_colored(code: &str) -> bool {
    let name = code
        .split_once('>')
        .and_then(|(tag, _)| tag.split_once(LANGUAGE));
    let name = name.map(|(_, name)| name.split(['"', ' ']).next().unwrap_or_default());
    name.is_some_and(|name| COLORED.contains(&name))
}

/// Writes `code` without the elements that begin like `left_out`.
fn without_spans(code: &str, left_out: &str, bare: &mut String) {
    let mut rest = code;
    let mut around = Vec::new();
    while let Some(at) = find(rest, "<") {
        let end = find(&rest[at..], ">").map_or(rest.len(), |end| at + end + 1);
        let goes = match &rest[at..end] {
            "</span>" => around.pop().unwrap_or(false),
            tag if tag.starts_with("<span") => {
                around.push(tag.starts_with(left_out));
                tag.starts_with(left_out)
            }
            _ => false,
        };
        bare.push_str(&rest[..if goes { at } else { end }]);
        rest = &rest[end..];
    }
    bare.push_str(rest);
}

/// The folds of rows in `content` and the branches that are not chosen, in the order of their beginnings.
fn folds(content: &str, elements: &Elements) -> Vec<Fold> {
    let mut folds: Vec<Fold> = Vec::new();
    // Of each element around the place that can be one: its number, if it is.
    let mut around: Vec<Option<usize>> = Vec::new();
    let mut at = 0;
    while let Some(next) = find(&content[at..], "<") {
        at += next;
        let tag = &content[at..];
        if tag.starts_with("<details") || tag.starts_with("<section") {
            let open = find(tag, ">").map_or(tag.len(), |end| end + 1);
            let body = match () {
                () if tag.starts_with(FOLD) => {
                    let body = find(tag, FOLD_BODY).map(|body| body + FOLD_BODY.len());
                    body.filter(|body| !tag[*body..].starts_with(SHARED))
                }
                () if tag.starts_with(BRANCH) && !tag[..open].contains(CHOSEN) => {
                    find(tag, BRANCH_BODY).map(|body| body + BRANCH_BODY.len())
                }
                () => None,
            };
            let number = body.map(|body| {
                let number = folds.len();
                if let Some(outer) = around.iter().rev().copied().flatten().next() {
                    folds[outer].inner.push(number);
                }
                folds.push(Fold {
                    start: at + body,
                    end: at + body,
                    own_size: Size::default(),
                    inner: Vec::new(),
                });
                number
            });
            around.push(number);
        } else if (tag.starts_with("</details") || tag.starts_with("</section"))
            && let Some(Some(number)) = around.pop()
        {
            let start = folds[number].start;
            let is_fold = tag.starts_with("</details");
            let body = content[start..at]
                .strip_suffix(FOLD_END)
                .filter(|_| is_fold);
            folds[number].end = start + body.map_or(at - start, str::len);
        }
        at += 1;
    }
    for number in (0..folds.len()).rev() {
        let inner = folds[number].inner.iter();
        let inner = inner.map(|inner| whole_size(elements, &folds[*inner]));
        let inner = inner.fold(Size::default(), Size::and);
        folds[number].own_size = whole_size(elements, &folds[number]).without(inner);
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(name: &str, inner: &str) -> String {
        format!(
            r#"<li class="row" id="{name}">{FOLD}<summary>{name}</summary>{FOLD_BODY}{inner}{FOLD_END}</details></li>"#
        )
    }

    fn rows(count: usize) -> String {
        "<p><code>row</code></p>".repeat(count)
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(light(&fold("a", &rows(900)), "/w", "/c"), None);
        // Nothing is folded: nothing can be left out.
        assert_eq!(light(&rows(9000), "/w", "/c"), None);
    }

    #[test]
    fn folds_near_to_what_is_open_stay_and_deeper_ones_go() {
        let deep = fold("deep", &rows(900));
        let content = format!(
            "{}{}",
            fold("first", &format!("{}{deep}", rows(300))),
            fold("second", &rows(300))
        );
        let light = light(&content, "/w?a&b", "/c")
            .expect("it is too much")
            .content;
        for kept in ["first", "second", "deep"] {
            assert!(
                light.contains(&format!("<summary>{kept}</summary>")),
                "{kept}"
            );
        }
        assert_eq!(light.matches("<code>").count(), 600);
        assert_eq!(
            light.matches(r#"<a data-rows href="/w?a&amp;b">"#).count(),
            1
        );
        assert!(Size::of(&light).fits());
        for name in ["li", "details", "div", "p"] {
            let (open, close) = (format!("<{name}"), format!("</{name}>"));
            assert_eq!(
                light.matches(&open).count(),
                light.matches(&close).count(),
                "{name}"
            );
        }
    }

    #[test]
    fn branches_and_samples_that_are_not_chosen_wait() {
        let branch = |name: &str, attribute: &str, inner: &str| {
            format!(
                r#"{BRANCH}{name}" data-tab="{name}"{attribute}><p class="tab-title">{name}</p>{inner}</section>"#
            )
        };
        let sample = |name: &str, attribute: &str| {
            let code = r#"<code class="language-go"><span class="t-k">let</span> <mark>a &lt; b</mark><span class="t-u">;</span></code>"#;
            format!(r#"{SAMPLE}{name}"{attribute}><pre>{code}</pre></section>"#)
        };
        let content = [
            sample("one", CHOSEN),
            sample("two", ""),
            branch("a", CHOSEN, &rows(500)),
            branch("b", "", &fold("deep", &rows(800))),
        ];
        let light = light(&content.concat(), "/w", "/c")
            .expect("it is too much")
            .content;
        let first = content[0].replace("<span class=\"t-u\">;</span>", ";");
        assert!(light.starts_with(&first), "{light}");
        let plain = r#"<section class="tab-panel" data-tab="two" data-plain="/c"><pre><code class="language-go">let <mark>a &lt; b</mark>;</code>"#;
        assert!(light.contains(plain), "{light}");
        assert!(light.contains(&content[2]));
        // What is folded in the branch costs nothing until it is opened.
        let waiting = r#"<p class="tab-title">b</p><li class="row" id="deep">"#;
        assert!(light.contains(waiting), "{light}");
        assert_eq!(light.matches("data-rows").count(), 1);
        assert_eq!(
            light.matches("<section").count(),
            light.matches("</section>").count()
        );
    }

    #[test]
    fn folds_that_an_author_wrote_are_no_folds_of_rows() {
        let own = format!("<details><summary>more</summary>{}</details>", rows(200));
        let content = format!("{own}{}", fold("a", &format!("{own}{}", rows(900))));
        let light = light(&content, "/w", "/c").expect("it is too much").content;
        assert_eq!(light.matches("<code>").count(), 200);
        assert!(light.starts_with(&own));
    }

    #[test]
    fn samples_lead_nowhere_and_rows_on_pages_of_their_own_stay() {
        let sample = |language: &str, attribute: &str| {
            let code = format!(
                r#"<code class="language-{language}"><span class="t-k">let</span>{}</code>"#,
                "a ".repeat(9)
            );
            format!(r#"{SAMPLE}a"{attribute}>{code}</section>"#)
        };
        let shared = fold("a", &format!(r#"{SHARED}rows" href="/r/">all</a></p>"#));
        // No script knows the colors of the last one.
        let samples = [
            sample("go", CHOSEN),
            sample("go", ""),
            sample("json", ""),
            sample("xml", ""),
        ];
        let content = format!("{}{}{shared}", samples.concat(), rows(2100));
        let light = light(&content, "/w", "/c").expect("it is too much");
        assert!(!light.has_whole, "{}", light.content);
        assert_eq!(light.content.matches("t-k").count(), 2);
        assert_eq!(light.content.matches("data-plain").count(), 2);
        assert!(light.content.contains(&samples[3]), "{}", light.content);
        assert!(light.content.ends_with(&shared));
    }

    #[test]
    fn long_texts_are_written_shorter() {
        let code = r#"<p title="a&quot;b">&quot;</p><code class="x">{&quot;a&quot;: <span title="&quot;">&quot;b&quot;</span>, c=&quot;d&quot;}</code>&quot;"#;
        assert_eq!(shortened(code.to_owned()), code);
        let long = format!("{code}{}", rows(2000));
        let expected = r#"<p title="a&quot;b">&quot;</p><code class="x">{"a": <span title="&quot;">"b"</span>, c=&quot;d"}</code>&quot;"#;
        assert_eq!(shortened(long), format!("{expected}{}", rows(2000)));
    }

    #[test]
    fn the_script_knows_what_is_left_to_it() {
        let script = include_str!("../../js/playground/colors.js");
        for name in COLORED {
            let known = [format!("  {name}: "), format!("language === \"{name}\"")];
            assert!(known.iter().any(|known| script.contains(known)), "{name}");
        }
        for language in openapi::code::LANGUAGES.iter() {
            assert!(COLORED.contains(&language.highlight), "{}", language.id);
        }
    }
}
