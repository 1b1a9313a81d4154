//! Utility classes of Tailwind that a page uses, as a stylesheet of its own.
//!
//! Authors write them in MDX, in snippets and in components of their own; each page carries the
//! rules of its own classes and no others, in its head. So a page needs no other page to be
//! rendered, and an edit costs what the page uses: of 5,686 files of real sites 332 use any; half
//! of these need at most 252 bytes, nine in ten at most 443, the largest 9 KB. A sheet for the
//! whole site would have to know every page before the first one could be served.
//!
//! The rules come from `encre-css`, which knows version 4 of Tailwind; sites are written for version 3. Where a name
//! means something else there it is spelled out here. Rules weigh as much as Tailwind's, one class, and stand after the
//! theme and before the site's own stylesheets. No class of the theme has the name of a utility (a test holds it), so
//! they stay within the text they were written in. A class that is no utility is the author's own and gives nothing.

mod palette;
mod spelled;
mod version_three;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use encre_css::config::{DarkMode, MaxShortcutDepth};
use encre_css::{Config, Preflight, Scanner};

use palette::{PALETTE, STEPS};
use spelled::{rounded, spelled_out};
use version_three::{as_in_version_three, is_opacity};

/// Longest class that is looked at, in bytes.
const MAX_CLASS: usize = 200;

/// The colors of a site, by the names its authors use for them.
const COLORS: &[(&str, &str)] = &[
    ("primary", "rgb(var(--primary))"),
    ("primary-light", "rgb(var(--primary-light))"),
    ("primary-dark", "rgb(var(--primary-dark))"),
    ("background-light", "rgb(var(--background-light))"),
    ("background-dark", "rgb(var(--background-dark))"),
];

/// Base configuration of every page.
static CONFIG: LazyLock<Config> = LazyLock::new(|| {
    let mut config = Config::default();
    config.preflight = Preflight::None;
    // The script in the head keeps this class in step with the reader's choice, before the first paint.
    config.theme.dark_mode = DarkMode::new_class(".dark");
    for (name, value) in COLORS {
        config.theme.colors.add(*name, *value);
    }
    for (name, values) in PALETTE {
        for (step, value) in STEPS.iter().zip(values) {
            config.theme.colors.add(format!("{name}-{step}"), *value);
        }
    }
    config.max_shortcut_depth = MaxShortcutDepth::new(2);
    config.scanner = Scanner::from_fn(|classes| classes.split('\n').collect());
    config
});

/// The stylesheet of `classes`, for a site below `base_path`; empty if none of them is a utility. The order of rules is
/// Tailwind's, whatever the order of the classes.
pub fn stylesheet(classes: &BTreeSet<String>, base_path: &str) -> String {
    let known: Vec<&str> = classes
        .iter()
        .map(String::as_str)
        .filter(|class| is_safe(class))
        .collect();
    if known.is_empty() {
        return String::new();
    }
    let renamed: Vec<(&str, String)> = known
        .iter()
        .filter_map(|class| Some((*class, in_version_four(class)?)))
        .collect();
    let mut config = Cow::Borrowed(&*CONFIG);
    for (class, name) in renamed {
        config.to_mut().shortcuts.add(class.to_owned(), name);
    }
    let generated = |classes: &[&str]| encre_css::generate([classes.join("\n").as_str()], &config);
    let together = generated(&known);
    let one_by_one = match blocks(&together) {
        Some(_) => Vec::new(),
        // A rule that is not whole would swallow what follows: only its own class goes without.
        None => known.iter().map(|class| generated(&[class])).collect(),
    };
    let mut rules: Vec<&str> = match blocks(&together) {
        Some(rules) => rules,
        None => one_by_one
            .iter()
            .filter_map(|rule| blocks(rule))
            .flatten()
            .collect(),
    };
    // How much of a color shows is said after the color.
    rules.sort_by_key(|rule| (condition(rule), is_opacity(rule)));
    let mut sheet = compact(rules.iter().copied());
    sheet = as_in_version_three(sheet, &known);
    // Where no script runs the mark of the theme is not set, and the system alone decides.
    let dark = rules.iter().filter(|rule| is_dark(rule));
    let dark: Vec<String> = dark
        .map(|rule| rule.replace(".dark .", WITHOUT_SCRIPT))
        .collect();
    if !dark.is_empty() {
        sheet.push_str("@media (prefers-color-scheme:dark){");
        let dark = compact(dark.iter().map(String::as_str));
        sheet.push_str(&as_in_version_three(dark, &known));
        sheet.push('}');
    }
    rebase_urls(base_path, sheet)
}

/// Returns true if `class` is written as only a utility is, with a variant or a value in brackets,
/// and has no rule in `sheet`, the stylesheet of its page.
pub fn is_without_rule(class: &str, sheet: &str) -> bool {
    let (variants, name) = class.split_at(variants_end(class));
    let has_value = name.contains("-[") && name.ends_with(']');
    if !has_value && (variants.is_empty() || name.is_empty()) {
        return false;
    }
    // As selectors have it. What is written there in another way is made once more, alone.
    let mut selector = String::from(".");
    for sign in class.chars() {
        if !sign.is_ascii_alphanumeric() && !matches!(sign, '-' | '_') {
            selector.push('\\');
        }
        selector.push(sign);
    }
    !sheet.contains(&selector) && stylesheet(&BTreeSet::from([class.to_owned()]), "").is_empty()
}

/// The blocks of a sheet, each whole: what it opens it closes. `None` if one is not.
fn blocks(sheet: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    let (mut quote, mut is_escaped, mut start) = (None, false, 0);
    for (at, byte) in sheet.bytes().enumerate() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (quote, byte) {
            (_, b'\\') => is_escaped = true,
            (Some(_), b'\n') => return None,
            (Some(begun), _) if byte == begun => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'{') => open.push(b'}'),
            (None, b'(') => open.push(b')'),
            (None, b'[') => open.push(b']'),
            (None, b'}' | b')' | b']') if open.pop() != Some(byte) => return None,
            (None, b'}') if open.is_empty() => {
                found.push(sheet[start..=at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let is_whole = open.is_empty() && quote.is_none() && sheet[start..].trim().is_empty();
    is_whole.then_some(found)
}

/// `sheet` with the addresses of files of the site, as in `bg-[url(/ground.png)]`, below `base_path`. In selectors the
/// bracket is escaped, so they stay.
fn rebase_urls(base_path: &str, sheet: String) -> String {
    let base_path = base_path.trim_end_matches('/');
    if base_path.is_empty() || !sheet.contains("url(") {
        return sheet;
    }
    let mut out = String::with_capacity(sheet.len() + base_path.len());
    let mut rest = sheet.as_str();
    while let Some(at) = rest.find("url(") {
        let (before, address) = rest.split_at(at + 4);
        out.push_str(before);
        let quotes = address.len() - address.trim_start_matches(['"', '\'']).len();
        let (quote, address) = address.split_at(quotes);
        out.push_str(quote);
        if address.starts_with('/') && !address.starts_with("//") {
            out.push_str(base_path);
        }
        rest = address;
    }
    out + rest
}

/// Sort key of `rule`: those for any width, for less than a width from the widest down, for a width
/// and more from the narrowest up, under any other condition. More specific widths come later, and
/// so win.
fn condition(rule: &str) -> (u8, i64) {
    let Some(condition) = rule.strip_prefix('@') else {
        return (0, 0);
    };
    let pixels = |width: &str| {
        let end = width.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = width.split_at(end.unwrap_or(width.len()));
        let factor = if unit.starts_with("rem") { 16.0 } else { 1.0 };
        number
            .parse::<f64>()
            .map_or(0, |number| (number * factor) as i64)
    };
    if let Some(width) = condition.strip_prefix("media (width < ") {
        (1, -pixels(width))
    } else if let Some(width) = condition.strip_prefix("media (width >= ") {
        (2, pixels(width))
    } else {
        (3, 0)
    }
}

/// Selector prefix that replaces the mark of the dark theme: no script has run, and the site has
/// chosen no theme.
const WITHOUT_SCRIPT: &str = "html:not(.js,[data-theme]) .";

/// Returns true if `rule` applies in the dark theme only.
fn is_dark(rule: &str) -> bool {
    rule.lines()
        .any(|line| line.trim_start().starts_with(".dark ."))
}

/// Returns true if `class` can become a rule without reaching out of it: brackets and quotes are
/// closed, and nothing ends the rule, the element that holds it, or begins a comment. Non-ASCII
/// letters are allowed in quotes only.
fn is_safe(class: &str) -> bool {
    let is_sign =
        |c: char| c.is_ascii_graphic() || !c.is_ascii() && !c.is_control() && !c.is_whitespace();
    if class.is_empty()
        || class.len() > MAX_CLASS
        || !class.chars().all(is_sign)
        || class.contains(['<', '{', '}', ';', '\\'])
        || class.contains("/*")
    {
        return false;
    }
    let mut open = Vec::new();
    let mut quote = None;
    for byte in class.bytes() {
        match (quote, byte) {
            (Some(begun), _) if byte == begun => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, _) if !byte.is_ascii() => return false,
            (None, b'(' | b'[') => open.push(byte),
            (None, b')') if open.pop() != Some(b'(') => return false,
            (None, b']') if open.pop() != Some(b'[') => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none()
}

/// Returns the name in version 4 of `class` of version 3, if it differs. Names that version 4 uses
/// for something else are spelled out, so that no name leads to another one of the table.
fn in_version_four(class: &str) -> Option<String> {
    let (written, name) = class.split_at(variants_end(class));
    let variants = dark_outermost(written);
    let (name, important) = match (name.strip_prefix('!'), name.strip_suffix('!')) {
        (Some(name), _) | (None, Some(name)) => (name, "!"),
        (None, None) => (name, ""),
    };
    let value = |stem: &str| name.strip_prefix(stem).filter(|value| !value.is_empty());
    if let Some(value) = value("size-") {
        return Some(format!(
            "{variants}{important}w-{value} {variants}{important}h-{value}"
        ));
    }
    if let Some(color) = value("placeholder-") {
        let text = match color.strip_prefix("opacity-").map(str::parse::<u8>) {
            Some(percent) => {
                let opacity = f32::from(percent.ok().filter(|percent| *percent <= 100)?) / 100.0;
                format!("[--en-placeholder-opacity:{opacity}]")
            }
            None => {
                let text = format!("text-{color}");
                spelled_out(&text).unwrap_or(text)
            }
        };
        return Some(format!("{variants}placeholder:{important}{text}"));
    }
    let name = match name {
        "shadow-sm" => "shadow-[0_1px_2px_0_rgb(0_0_0/0.05)]".to_owned(),
        "shadow" => "shadow-[0_1px_3px_0_rgb(0_0_0/0.1),0_1px_2px_-1px_rgb(0_0_0/0.1)]".to_owned(),
        "drop-shadow-sm" => "drop-shadow-[0_1px_1px_rgb(0_0_0/0.05)]".to_owned(),
        "blur-sm" => "blur-[4px]".to_owned(),
        "blur" => "blur-[8px]".to_owned(),
        "backdrop-blur-sm" => "backdrop-blur-[4px]".to_owned(),
        "backdrop-blur" => "backdrop-blur-[8px]".to_owned(),
        "ring" => "ring-[3px]".to_owned(),
        "flex-shrink" => "shrink".to_owned(),
        "flex-grow" => "grow".to_owned(),
        "overflow-ellipsis" => "text-ellipsis".to_owned(),
        _ => {
            if let Some(spelled) = spelled_out(name) {
                let spelled = spelled.split(' ');
                let spelled = spelled.map(|name| format!("{variants}{important}{name}"));
                return Some(spelled.collect::<Vec<_>>().join(" "));
            } else if let Some(value) = value("flex-shrink-") {
                format!("shrink-{value}")
            } else if let Some(value) = value("flex-grow-") {
                format!("grow-{value}")
            } else {
                match rounded(name) {
                    Some(name) => name,
                    None if variants != written => name.to_owned(),
                    None => return None,
                }
            }
        }
    };
    Some(format!("{variants}{important}{name}"))
}

/// The variants with `dark:` behind those of a group or a neighbor: the last one stands outermost in the selector, and
/// the mark of the theme is outside of all text.
fn dark_outermost(variants: &str) -> Cow<'_, str> {
    let is_around = |variant: &str| {
        ["group-", "peer-", "in-"]
            .iter()
            .any(|prefix| variant.starts_with(prefix))
    };
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = variants;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(first_variant_end(rest));
        parts.push(part);
        rest = after;
    }
    let dark = parts.iter().position(|part| *part == "dark:");
    let last = parts.iter().rposition(|part| is_around(part));
    match (dark, last) {
        (Some(dark), Some(last)) if dark < last => {
            parts[dark..=last].rotate_left(1);
            Cow::Owned(parts.concat())
        }
        _ => Cow::Borrowed(variants),
    }
}

/// Returns the start of the name in `class`, after its variants.
fn variants_end(class: &str) -> usize {
    let mut end = 0;
    loop {
        match first_variant_end(&class[end..]) {
            0 => return end,
            len => end += len,
        }
    }
}

/// Returns the end of the first variant in `class`, after its colon; 0 if it has none.
fn first_variant_end(class: &str) -> usize {
    let mut depth = 0_usize;
    for (i, byte) in class.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return i + 1,
            _ => {}
        }
    }
    0
}

/// `rules` without what only people need; neighbors under the same condition share it.
fn compact<'a>(rules: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    let mut condition = "";
    for rule in rules {
        let (first, rest) = rule.split_once('\n').unwrap_or((rule, ""));
        let next = if first.starts_with('@') { first } else { "" };
        if next != condition {
            if !condition.is_empty() {
                out.push('}');
            }
            if !next.is_empty() {
                push_line(&mut out, next);
            }
            condition = next;
        }
        let body = if next.is_empty() {
            rule
        } else {
            rest.trim_end().strip_suffix('}').unwrap_or(rest)
        };
        for line in body.lines() {
            push_line(&mut out, line);
        }
    }
    if !condition.is_empty() {
        out.push('}');
    }
    out
}

/// Appends a line: the head of a rule, a declaration, or the end of a rule.
fn push_line(out: &mut String, line: &str) {
    let line = line.trim();
    if let Some(head) = line.strip_suffix(" {") {
        out.push_str(head);
        out.push('{');
    } else if line == "}" {
        // The last declaration needs no end of its own.
        if out.ends_with(';') {
            out.pop();
        }
        out.push('}');
    } else if let Some((property, value)) = line.split_once(": ") {
        out.push_str(property);
        out.push(':');
        out.push_str(value);
    } else {
        out.push_str(line);
    }
}

#[cfg(test)]
mod tests;
