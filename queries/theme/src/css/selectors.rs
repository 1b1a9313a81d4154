//! Selectors of a site's own stylesheets, as they apply to pages of this theme.
//!
//! Names of elements that the reference product documents (`callout`, `toc-item`) are classes here.
//! Rules for plain HTML elements (`h2 {…}`, `.dark a:hover {…}`) apply to the text of pages and to
//! their titles: header, sidebar and footer are made of the same elements and are not meant.

use std::borrow::Cow;

use crate::hooks::{HookSupport, NAMES};

/// What rules for plain elements apply to.
const TEXT: &str = ":where(.mdx-content *,.article-header h1,.lead,.lead *)";

/// Elements of HTML that are places of a page. A rule for one of them means the frame.
const LANDMARKS: &[&str] = &["aside", "body", "footer", "header", "html", "main", "nav"];

/// Elements of HTML (4, without those that are never shown) and the parts of a picture.
const ELEMENTS: &str = "\
    a abbr address article audio b blockquote br button canvas caption circle cite code \
    col colgroup dd del details dfn dialog div dl dt em embed fieldset figcaption figure \
    form h1 h2 h3 h4 h5 h6 hr i iframe img input ins kbd label legend li line mark menu \
    meter ol optgroup option output p path picture polygon pre progress q rect s samp \
    section select small span strong sub summary sup svg table tbody td textarea tfoot \
    th thead time tr u ul use var video";

/// Returns true if `name` is one of [`ELEMENTS`].
fn is_element(name: &str) -> bool {
    ELEMENTS.split(' ').any(|element| element == name)
}

/// Ids, classes and attributes of the reference that another one has the place of, with what is
/// written instead.
const ALIASES: &[(&str, &str)] = &[
    (
        "#navigation-items",
        ":is(#navigation-items,#sidebar-content)",
    ),
    (
        ".line-highlight",
        ":is(.line-highlight,[data-mark=highlight])",
    ),
    (
        "#content-container",
        ":is(#content-container,#content-area)",
    ),
    ("#mdx-content", ":is(#mdx-content,#content)"),
    ("[data-callout-type", "[data-kind"),
];

/// Attributes with a value that elements have in the reference, with what is written instead.
const ATTRIBUTES: &[(&str, &str, &str)] = &[
    // Of a tab, "page" is said by the reference on every page of its section.
    (
        "aria-current",
        "page",
        ":is([aria-current=page],:where(.nav-tabs-item)[aria-current])",
    ),
    ("data-component-part", "callout-icon", ".callout-icon"),
    ("data-component-part", "card-content", ".card-text"),
    ("data-component-part", "card-icon", ".card-icon"),
    ("data-component-part", "card-title", ".card-title"),
];

/// Variables of the reference that rules of sites read, with their declarations.
const READ: &[(&str, &str)] = &[
    ("--gray-50", "--gray-50:249 250 251"),
    ("--gray-100", "--gray-100:243 244 246"),
    ("--gray-200", "--gray-200:229 231 235"),
    ("--gray-300", "--gray-300:209 213 219"),
    ("--gray-400", "--gray-400:156 163 175"),
    ("--gray-500", "--gray-500:107 114 128"),
    ("--gray-600", "--gray-600:75 85 99"),
    ("--gray-700", "--gray-700:55 65 81"),
    ("--gray-800", "--gray-800:31 41 55"),
    ("--gray-900", "--gray-900:17 24 39"),
    ("--gray-950", "--gray-950:3 7 18"),
    ("--font-inter", "--font-inter:var(--font-sans)"),
    (
        "--font-jetbrains-mono",
        "--font-jetbrains-mono:var(--font-mono)",
    ),
];

/// Variables of the reference that sites set for code in the theme "css-variables", with what of
/// ours has their value.
const SET: &[(&str, &str)] = &[
    (
        "--mint-color-background",
        "--code-ground:var(--mint-color-background)",
    ),
    (
        "--mint-color-text",
        "--code-ink:var(--mint-color-text);--t-variable:var(--mint-color-text);\
         --t-property:var(--mint-color-text)",
    ),
    (
        "--mint-token-comment",
        "--t-comment:var(--mint-token-comment)",
    ),
    (
        "--mint-token-constant",
        "--t-constant:var(--mint-token-constant);--t-number:var(--mint-token-constant)",
    ),
    (
        "--mint-token-function",
        "--t-function:var(--mint-token-function);--t-type:var(--mint-token-function)",
    ),
    (
        "--mint-token-keyword",
        "--t-keyword:var(--mint-token-keyword)",
    ),
    ("--mint-token-string", "--t-string:var(--mint-token-string)"),
];

/// At-rules that hold rules.
const GROUPS: &[&str] = &[
    "container",
    "document",
    "layer",
    "media",
    "scope",
    "starting-style",
    "supports",
];

/// Pseudo-classes that take selectors.
const OF_SELECTORS: &[&str] = &[":has(", ":is(", ":not(", ":where("];

/// Deepest nesting of pseudo-classes that is looked into.
const MAX_DEPTH: usize = 8;

/// Block of a stylesheet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Rules.
    Rules,
    /// Declarations, and rules that are relative to the selector.
    Style,
    /// Anything else, such as the steps of an animation.
    Other,
}

/// `css` with selectors that match elements of this theme. Everything else stays as it is, byte for
/// byte; so does what is no stylesheet.
pub fn adapted(css: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(byte) = css.as_bytes().get(at) {
        match byte {
            b'{' => {
                let around = blocks.last().copied().unwrap_or(Block::Rules);
                let block = block_of(&css[start..at], around);
                if block == Block::Style
                    && let Cow::Owned(selector) = selectors(&css[start..at], around)
                {
                    out.push_str(&css[copied..start]);
                    out.push_str(&selector);
                    copied = at;
                }
                blocks.push(block);
                at += 1;
                start = at;
            }
            b'}' | b';' => {
                if *byte == b'}' {
                    blocks.pop();
                }
                at += 1;
                start = at;
            }
            _ => at = skip_token(css, at),
        }
    }
    let variables = variables(css);
    match copied {
        0 if variables.is_empty() => Cow::Borrowed(css),
        _ => Cow::Owned(out + &css[copied..] + &variables),
    }
}

/// Rules for the variables that `css` names and the theme does not have: those that a site reads,
/// unless it sets them itself, and those of code that it sets.
fn variables(css: &str) -> String {
    let is_of_name = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_\\".contains(c);
    let is_named = |name: &str| {
        let mut behind = css
            .match_indices(name)
            .map(|(at, _)| &css[at + name.len()..]);
        behind.any(|rest| !rest.starts_with(is_of_name))
    };
    let mut out = String::new();
    for (selector, rows) in [(":where(:root)", READ), (":root", SET)] {
        let rows = rows.iter().filter(|(name, _)| is_named(name));
        let rows: Vec<&str> = rows.map(|(_, declarations)| *declarations).collect();
        if !rows.is_empty() {
            out.push_str(&format!("\n{selector}{{{}}}", rows.join(";")));
        }
    }
    out
}

/// Returns the block behind `prelude`, in a block `enclosing`.
fn block_of(prelude: &str, enclosing: Block) -> Block {
    let prelude = without_comments(prelude);
    match prelude.trim_start().strip_prefix('@') {
        _ if enclosing == Block::Other => Block::Other,
        None => Block::Style,
        Some(rule) => {
            let name = rule.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            let name = name.map(str::to_ascii_lowercase).next().unwrap_or_default();
            match GROUPS.contains(&name.trim_start_matches("-moz-")) {
                // Rules in a group in a rule are relative as well.
                true => enclosing,
                false => Block::Other,
            }
        }
    }
}

/// Returns the index behind what begins at `at`: a comment, a string, an escape, something in
/// brackets, or a character.
fn skip_token(css: &str, at: usize) -> usize {
    let mut closing = Vec::new();
    let mut i = at;
    loop {
        let Some(byte) = css.as_bytes().get(i) else {
            return css.len();
        };
        match byte {
            b'(' if is_address(&css[..i]) => i = behind_address(css, i),
            b'(' => closing.push(b')'),
            b'[' => closing.push(b']'),
            b')' | b']' if closing.last() == Some(byte) => {
                closing.pop();
            }
            _ => {}
        }
        i = match byte {
            b'(' | b')' | b'[' | b']' => (i + 1).min(css.len()),
            _ => behind_token(css, i),
        };
        if closing.is_empty() {
            return i;
        }
    }
}

/// Returns the index behind the comment, string, escape or character at `at`.
fn behind_token(css: &str, at: usize) -> usize {
    let rest = &css[at..];
    let next = |rest: &str| rest.chars().next().map_or(0, char::len_utf8);
    match rest.as_bytes().first() {
        Some(b'/') if rest.starts_with("/*") => {
            rest[2..].find("*/").map_or(css.len(), |end| at + end + 4)
        }
        Some(b'\\') => at + 1 + next(&rest[1..]),
        Some(quote @ (b'"' | b'\'')) => {
            let mut i = at + 1;
            while let Some(byte) = css.as_bytes().get(i) {
                match byte {
                    // A line ends a string that is not closed.
                    b'\n' => return i,
                    _ if byte == quote => return i + 1,
                    b'\\' => i += 1 + next(&css[i + 1..]),
                    _ => i += 1,
                }
            }
            css.len()
        }
        _ => at + next(rest),
    }
}

/// Returns true if `before` ends with the name of the function whose argument needs no quotes.
fn is_address(before: &str) -> bool {
    let bytes = before.as_bytes();
    let name = bytes.len().checked_sub(3).and_then(|at| bytes.get(at..));
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"url"))
}

/// Returns the index of the last byte of the address in parentheses at `at`: the one before the end
/// if it is not closed. One in quotes is a string, which may hold parentheses.
fn behind_address(css: &str, at: usize) -> usize {
    let inner = css[at + 1..].trim_start();
    let start = css.len() - inner.len();
    let from = match inner.as_bytes().first() {
        Some(b'"' | b'\'') => behind_token(css, start),
        _ => start,
    };
    let end = css[from..].find(')').map_or(css.len(), |end| from + end);
    end.min(css.len().saturating_sub(1))
}

/// Rewrites a list of selectors before a block that stands in `enclosing`.
fn selectors(list: &str, enclosing: Block) -> Cow<'_, str> {
    let mut out = String::new();
    let mut is_changed = false;
    for (i, selector) in parts(list, b',').into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let renamed = with_classes(selector, 0);
        let is_of_text = enclosing == Block::Rules && matches!(renamed, Cow::Borrowed(_));
        let subject = is_of_text.then(|| plain_subject(selector)).flatten();
        is_changed |= subject.is_some() || matches!(renamed, Cow::Owned(_));
        match subject {
            Some(end) => {
                out.push_str(&selector[..end]);
                out.push_str(TEXT);
                out.push_str(&selector[end..]);
            }
            None => out.push_str(&renamed),
        }
    }
    match is_changed {
        true => Cow::Owned(out),
        false => Cow::Borrowed(list),
    }
}

/// The parts of `list` between the separators that stand in no brackets.
fn parts(list: &str, separator: u8) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(byte) = list.as_bytes().get(at) {
        if *byte == separator {
            found.push(&list[start..at]);
            start = at + 1;
        }
        at = skip_token(list, at);
    }
    found.push(&list[start..]);
    found
}

/// `selector` in which documented names of elements match the classes of that name, too.
fn with_classes(selector: &str, depth: usize) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for compound in compounds(selector) {
        let (start, name_end) = (compound.start, compound.name_end);
        let name = selector[start..name_end].to_ascii_lowercase();
        let is_known = |known: &&crate::hooks::Name| {
            known.name == name && !matches!(known.drawn, HookSupport::Not(_))
        };
        let is_html = LANDMARKS.contains(&&*name) || is_element(&name);
        if !is_html && let Some(known) = NAMES.iter().find(is_known) {
            out.push_str(&selector[copied..start]);
            out.push_str(&format!(":is({name},.{})", known.name));
            copied = name_end;
        }
        let mut at = name_end;
        while at < compound.end && depth < MAX_DEPTH {
            let (next, inner) = (
                skip_token(selector, at),
                arguments(selector, at, compound.end),
            );
            if let Some(ours) = attribute_alias(&selector[at..next]) {
                out.push_str(&selector[copied..at]);
                out.push_str(ours);
                copied = next;
                at = next;
                continue;
            }
            if let Some((theirs, ours)) = alias(&selector[at..compound.end]) {
                out.push_str(&selector[copied..at]);
                out.push_str(ours);
                copied = at + theirs.len();
                // What an attribute must be is behind its name, in brackets.
                at = if theirs.starts_with('[') {
                    next
                } else {
                    copied
                };
                continue;
            }
            if let Some((from, to)) = inner
                && let Cow::Owned(inner) = each_with_classes(&selector[from..to], depth + 1)
            {
                out.push_str(&selector[copied..from]);
                out.push_str(&inner);
                copied = to;
            }
            at = inner.map_or(next, |(_, to)| to + 1);
        }
    }
    match copied {
        0 => Cow::Borrowed(selector),
        _ => Cow::Owned(out + &selector[copied..]),
    }
}

/// What is written instead of `token`, `[name="value"]`, by [`ATTRIBUTES`].
fn attribute_alias(token: &str) -> Option<&'static str> {
    let inner = token.strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once('=')?;
    let (name, value) = (name.trim(), value.trim().trim_matches(['"', '\'']));
    let mut rows = ATTRIBUTES.iter();
    let row = rows.find(|(theirs, of, _)| *theirs == name && *of == value);
    row.map(|(_, _, ours)| *ours)
}

/// The row of [`ALIASES`] that `rest` begins with.
fn alias(rest: &str) -> Option<(&'static str, &'static str)> {
    let sign = rest.chars().next().filter(|sign| "#.[".contains(*sign))?;
    let is_of_name = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_\\".contains(c);
    let name = &rest[sign.len_utf8()..];
    let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
    let alias = ALIASES.iter();
    let mut alias = alias.filter(|(theirs, _)| *theirs == &rest[..end + sign.len_utf8()]);
    alias.next().copied()
}

/// Like [`with_classes`], of a list of selectors.
fn each_with_classes(list: &str, depth: usize) -> Cow<'_, str> {
    let each = parts(list, b',').into_iter();
    let each: Vec<Cow<'_, str>> = each.map(|part| with_classes(part, depth)).collect();
    match each.iter().any(|part| matches!(part, Cow::Owned(_))) {
        true => Cow::Owned(each.join(",")),
        false => Cow::Borrowed(list),
    }
}

/// The range of the selectors that the pseudo-class at `at` takes, if one begins there.
fn arguments(selector: &str, at: usize, end: usize) -> Option<(usize, usize)> {
    let rest = selector.get(at..end)?;
    let name = OF_SELECTORS.iter().find(|name| {
        let start = rest.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    })?;
    let from = at + name.len();
    let to = skip_token(selector, from - 1).checked_sub(1)?;
    (selector.as_bytes().get(to) == Some(&b')') && from <= to).then_some((from, to))
}

/// The end of the name of the element that `selector` is a rule for, if it says nothing of what
/// text or frame have alone: neither a class nor an id, apart from the theme of the page.
fn plain_subject(selector: &str) -> Option<usize> {
    let compounds = compounds(selector);
    let mut is_above = true;
    for compound in &compounds {
        let name = selector[compound.start..compound.name_end].to_ascii_lowercase();
        let rest = without_comments(&selector[compound.name_end..compound.end]);
        let is_page = matches!(&*name, "" | "html" | "body")
            && PAGES
                .iter()
                .fold(rest.clone(), |rest, part| rest.replace(part, ""))
                .is_empty();
        is_above &= is_page;
        let is_plain = !rest.contains(['.', '#', '&'])
            && !rest.contains("[class")
            && !rest.contains("[data-")
            && !rest.contains("[id");
        if !is_above && !is_plain {
            return None;
        }
    }
    let subject = compounds.last()?;
    let name = selector[subject.start..subject.name_end].to_ascii_lowercase();
    let is_plain = match name.as_str() {
        "" => match arguments(selector, subject.start, subject.end)? {
            (from, to)
                if ANY
                    .iter()
                    .any(|any| selector[subject.start..].starts_with(any)) =>
            {
                let all = parts(&selector[from..to], b',').into_iter();
                let mut all = all.map(|part| part.trim().to_ascii_lowercase());
                all.all(|name| is_element(&name))
            }
            _ => false,
        },
        name => is_element(name),
    };
    is_plain.then_some(subject.name_end)
}

/// What is said of the page as a whole: its theme.
const PAGES: &[&str] = &[
    ":root",
    ".dark",
    ".light",
    "[data-theme=\"dark\"]",
    "[data-theme=\"light\"]",
    "[data-theme=dark]",
    "[data-theme=light]",
    ":is()",
    ":where()",
    ":not()",
];

/// Pseudo-classes that match what one of their selectors matches.
const ANY: &[&str] = &[":is(", ":where("];

/// What is said of one element: its name, which may be empty, and everything else up to `end`.
struct Compound {
    start: usize,
    name_end: usize,
    end: usize,
}

/// The elements that `selector` speaks of, in their order.
fn compounds(selector: &str) -> Vec<Compound> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b">+~|".contains(byte);
    let bytes = selector.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if is_between(byte) || selector[at..].starts_with("/*") {
            at = skip_token(selector, at);
            continue;
        }
        let start = at;
        let mut name_end = None;
        while let Some(byte) = bytes.get(at).filter(|byte| !is_between(byte)) {
            let is_of_name =
                !byte.is_ascii() || byte.is_ascii_alphanumeric() || b"-_\\*".contains(byte);
            if !is_of_name && name_end.is_none() {
                name_end = Some(at);
            }
            at = skip_token(selector, at);
        }
        found.push(Compound {
            start,
            name_end: name_end.unwrap_or(at),
            end: at,
        });
    }
    found
}

/// `text` without its comments.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < text.len() {
        let end = behind_token(text, at);
        if !text[at..].starts_with("/*") {
            out.push_str(&text[at..end]);
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(css: &str, expected: &str) {
        let expected = expected.replace("TEXT", TEXT);
        assert_eq!(adapted(css), expected);
    }

    #[track_caller]
    fn check_same(css: &str) {
        assert!(
            matches!(adapted(css), Cow::Borrowed(same) if same == css),
            "{css}: {}",
            adapted(css)
        );
    }

    #[test]
    fn documented_names_are_classes() {
        check("callout{}", ":is(callout,.callout){}");
        check(
            "@media print { a, .x > Toc-Item:hover { color: red } }",
            "@media print { aTEXT, .x > :is(toc-item,.toc-item):hover { color: red } }",
        );
        check(
            "callout.note sidebar-title::after{}",
            ":is(callout,.callout).note :is(sidebar-title,.sidebar-title)::after{}",
        );
        check(
            ".a { callout { color: red } }",
            ".a { :is(callout,.callout) { color: red } }",
        );
        check(
            ".x:not(callout, .y):has(> :is(step)){}",
            ".x:not(:is(callout,.callout), .y):has(> :is(:is(step,.step))){}",
        );
        check(
            "#content-container p, #content-containers{}",
            ":is(#content-container,#content-area) p, #content-containers{}",
        );
        check(
            ".callout[data-callout-type=\"a]b\"]:hover #mdx-content h2{}",
            ".callout[data-kind=\"a]b\"]:hover :is(#mdx-content,#content) h2{}",
        );
        check(
            "#navigation-items code .line-highlight, .line-highlighted{}",
            ":is(#navigation-items,#sidebar-content) \
             code :is(.line-highlight,[data-mark=highlight]), .line-highlighted{}",
        );
        check(
            ".a[data-component-part=\"card-title\"]::before > [ data-component-part = 'callout-icon' ]{}",
            ".a.card-title::before > .callout-icon{}",
        );
        check(
            ".dark a.nav-tabs-item[aria-current=\"page\"]{}",
            ".dark a.nav-tabs-item:is([aria-current=page],:where(.nav-tabs-item)[aria-current]){}",
        );
        check_same(
            "[aria-current=true]{} [data-component-part]{} [data-component-part=other]{} [data-part=card-title]{}",
        );
        // `link` and `footer` are elements of HTML.
        check_same("footer{} link{} .callout{} my-callout{} #callout{} [callout]{} :callout{}");
    }

    #[test]
    fn rules_for_plain_elements_are_for_the_text() {
        check("h2{}", "h2TEXT{}");
        check(" a:hover::before , ul>li", " a:hover::before , ul>li");
        check(
            " a:hover::before , ul>li{}",
            " aTEXT:hover::before , ul>liTEXT{}",
        );
        check(
            "* + p{} body p{} html.dark p{}",
            "* + pTEXT{} body pTEXT{} html.dark pTEXT{}",
        );
        check(
            "table /* wide */ td[colspan='2']:first-child{}",
            "table /* wide */ tdTEXT[colspan='2']:first-child{}",
        );
        check(
            "@layer a{@supports (x:y){.dark p{}}}",
            "@layer a{@supports (x:y){.dark pTEXT{}}}",
        );
        check(":is(h1, h2):hover{}", "TEXT:is(h1, h2):hover{}");
        check("@import 'a'; h2{}", "@import 'a'; h2TEXT{}");
        check("a{b:url(data:x;{y})}p{}", "aTEXT{b:url(data:x;{y})}pTEXT{}");
        check("a{b:'}'}p{}", "aTEXT{b:'}'}pTEXT{}");
        for same in [
            "",
            "#sidebar a{} .card p{} a.x{} a#y{} [data-page] p{} :root{} html{} body{} *{}",
            "main{} nav a.b{} header{} ::selection{} :focus-visible{}",
            "@keyframes a{from{p:q}to{p:r}}",
            "@font-face{font-family:a}@page{margin:1px}",
            ".a{p{color:red}&:hover{}}",
            "my-element{} x|y{} :is(.a, p){} :not(p){}",
        ] {
            check_same(same);
        }
    }

    #[test]
    fn variables_that_are_named_have_a_value() {
        check(
            ".a{color:rgb(var(--gray-50)/.5);font:var(--font-inter)}",
            ".a{color:rgb(var(--gray-50)/.5);font:var(--font-inter)}\n\
             :where(:root){--gray-50:249 250 251;--font-inter:var(--font-sans)}",
        );
        check(
            ":root{--mint-token-string:red}",
            ":root{--mint-token-string:red}\n:root{--t-string:var(--mint-token-string)}",
        );
        check_same(":root{--gray-5:red;--gray-500a:red;--mint-token-string-expression:red}");
    }

    #[test]
    fn what_is_no_stylesheet_stays() {
        for same in [
            "}", "{", "{}{", "a", "'", "\"{", "\\", "/*", "/* p{}", "(", "url(", "p", ",", "{,}",
            "ü", "@", "@{p{}}", "url('", "a[", ")", "]", "url(\\",
        ] {
            check_same(same);
        }
        let deep = "(".repeat(100_000);
        check_same(&deep);
        let deep = "@media x{".repeat(10_000);
        check_same(&deep);
    }
}
