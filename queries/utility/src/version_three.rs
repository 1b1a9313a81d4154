//! Rules of the generator, which writes those of version 4, as version 3 has them.
//!
//! Authors see the same page as with Tailwind 3: what turns, turns in its plane, lines between children are between them, a ring
//! may be inside, and `bg-opacity-50` is heard. Each rule is read by itself: a class holds no brace and no semicolon.

use std::borrow::Cow;

/// Names of classes that say how much of a color shows, and the property that says it.
const OPACITIES: &[(&str, &str)] = &[
    ("bg-opacity-", "--en-bg-opacity"),
    ("text-opacity-", "--en-text-opacity"),
    ("border-opacity-", "--en-border-opacity"),
    ("divide-opacity-", "--en-divide-opacity"),
    ("placeholder-opacity-", "--en-placeholder-opacity"),
    ("ring-opacity-", "--en-ring-opacity"),
];

/// Selector of all children but the first, after the class of their parent.
const BETWEEN: &str = "> :not([hidden]) ~ :not([hidden])";

/// Returns true if `rule` says how much of a color shows.
pub(super) fn is_opacity(rule: &str) -> bool {
    rule.contains("-opacity: ") && !rule.contains("backdrop-opacity: ")
}

/// `sheet`, whose rules are written without blanks, with the rules of version 3. `classes` are those of its page.
pub(super) fn as_in_version_three(sheet: String, classes: &[&str]) -> String {
    let opacity_properties: Vec<&str> = (OPACITIES.iter())
        .filter(|(stem, _)| classes.iter().any(|class| class.contains(stem)))
        .map(|(_, property)| *property)
        .collect();
    let mut out = String::with_capacity(sheet.len() + 64);
    let mut rest = sheet.as_str();
    while let Some(open) = rest.find('{') {
        let (head, after) = (&rest[..open], &rest[open + 1..]);
        // Within a condition rules follow.
        let end = after.find(['{', '}']).unwrap_or(after.len());
        if after[end..].starts_with('}') {
            let start = head.rfind('}').map_or(0, |at| at + 1);
            out.push_str(&head[..start]);
            push_rule(&mut out, &head[start..], &after[..end], &opacity_properties);
            rest = &after[end..];
        } else {
            out.push_str(head);
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    match out.contains("-position:") {
        true => with_positions(&out),
        false => out,
    }
}

/// Appends a rule, up to the brace that ends it.
fn push_rule(out: &mut String, selector: &str, body: &str, opacity_properties: &[&str]) {
    match selector.strip_suffix("> :not(:last-child)") {
        Some(parent) if body.contains("--en-space-") => {
            out.push_str(parent);
            out.push_str(BETWEEN);
        }
        _ => out.push_str(selector),
    }
    out.push('{');
    let mut turned: Option<String> = None;
    for (i, declaration) in body.split(';').enumerate() {
        let Some((property, value)) = declaration.split_once(':') else {
            out.push_str(declaration);
            continue;
        };
        let value = &*with_names(value);
        // Turned around both axes of the plane it would be turned out of it.
        if property == "--en-rotate-y" && turned.as_deref() == Some(value) {
            continue;
        }
        if i > 0 {
            out.push(';');
        }
        if property == "--en-rotate-x" && body.contains(&format!(";--en-rotate-y:{value};")) {
            turned = Some(value.to_owned());
            out.push_str("--en-rotate-z");
        } else if value.contains("-reverse)") {
            out.push_str(&other_side(property));
        } else if let Some(opacity) = opacity_of(selector, property).filter(|opacity| {
            opacity_properties.contains(opacity)
                && (value.starts_with('#') || value.starts_with("var(--"))
                && !value.contains("--en-")
        }) {
            let (color, important) = match value.strip_suffix(" !important") {
                Some(color) => (color, " !important"),
                None => (value, ""),
            };
            out.push_str(&format!(
                "{opacity}:1;{property}:color-mix(in oklab, {color} calc(var({opacity})*100%), transparent){important}"
            ));
            continue;
        } else {
            out.push_str(property);
        }
        out.push(':');
        match property {
            "--en-ring-shadow" if value.starts_with("0 0 0 ") => {
                out.push_str("var(--en-ring-inset) ");
                out.push_str(value);
            }
            "background-image" => out.push_str(&value.replace(" in oklab,", ",")),
            _ => out.push_str(value),
        }
    }
}

/// `value` with the names of custom properties in one piece: within a sum the generator takes their hyphens for signs.
fn with_names(value: &str) -> Cow<'_, str> {
    const TORN: &str = "var( -";
    if !value.contains(TORN) {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, name)) = rest.split_once(TORN) {
        let (name, after) = name.split_at(name.find([',', ')']).unwrap_or(name.len()));
        out.push_str(before);
        out.push_str("var(-");
        out.extend(name.chars().filter(|c| *c != ' '));
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// `property` of the side across: what stands between children is before each but the first.
fn other_side(property: &str) -> String {
    match property.contains("-start") {
        true => property.replace("-start", "-end"),
        false => property.replace("-end", "-start"),
    }
}

/// Property that says how much of the color in `property` shows.
fn opacity_of(selector: &str, property: &str) -> Option<&'static str> {
    Some(match property {
        "background-color" => "--en-bg-opacity",
        "color" if selector.ends_with("::placeholder") => "--en-placeholder-opacity",
        "color" => "--en-text-opacity",
        "--en-ring-color" => "--en-ring-opacity",
        _ if property.starts_with("border-") && property.ends_with("-color")
            || property == "border-color" =>
        {
            match selector.ends_with(BETWEEN) {
                true => "--en-divide-opacity",
                false => "--en-border-opacity",
            }
        }
        _ => return None,
    })
}

/// Adds the positions of the colors of gradients to the stops of `sheet`, which have colors alone.
fn with_positions(sheet: &str) -> String {
    const BEFORE: &str = "--en-gradient-stops:var(--en-gradient-from), ";
    const END: &str = "var(--en-gradient-to, transparent)";
    let mut out = String::with_capacity(sheet.len() + 256);
    let mut rest = sheet;
    while let Some(at) = rest.find(BEFORE) {
        let after = &rest[at + BEFORE.len()..];
        let Some(end) = after.find(END) else { break };
        out.push_str(&rest[..at]);
        out.push_str("--en-gradient-stops:var(--en-gradient-from) var(--en-from-position,),");
        if let Some(color) = after[..end].trim_end().strip_suffix(',') {
            out.push_str(color);
            out.push_str(" var(--en-via-position,),");
        }
        out.push_str(END);
        out.push_str(" var(--en-to-position,)");
        rest = &after[end + END.len()..];
    }
    out + rest
}
