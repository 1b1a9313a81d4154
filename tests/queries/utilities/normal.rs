//! Normal form of rules, in which those of Tailwind and ours can be compared.

use std::collections::BTreeMap;

/// Declarations by the conditions and the selector that they hold under.
pub(super) type Declarations = BTreeMap<String, BTreeMap<String, String>>;

/// One rule with the conditions around it.
pub(super) struct Rule<'a> {
    conditions: Vec<&'a str>,
    selector: &'a str,
    pub(super) body: &'a str,
}

/// Rules of `sheet`, those of animations and of readers without scripts left out.
pub(super) fn rules(sheet: &str) -> Vec<Rule<'_>> {
    let mut found = Vec::new();
    collect(sheet, &[], &mut found);
    found
}

fn collect<'a>(sheet: &'a str, conditions: &[&'a str], found: &mut Vec<Rule<'a>>) {
    let mut rest = sheet.trim();
    while let Some((head, inner, after)) = block(rest) {
        let head = head.trim();
        rest = after;
        if head.contains("keyframes") || head.contains("prefers-color-scheme:dark") {
            continue;
        }
        if head.starts_with('@') {
            collect(inner, &[conditions, &[head]].concat(), found);
        } else {
            found.push(Rule {
                conditions: conditions.to_vec(),
                selector: head,
                body: inner,
            });
        }
    }
}

/// Head, content and rest of the first block of `text`.
fn block(text: &str) -> Option<(&str, &str, &str)> {
    let (mut depth, mut open, mut quote, mut is_escaped) = (0, None, None, false);
    for (at, byte) in text.bytes().enumerate() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (quote, byte) {
            (_, b'\\') => is_escaped = true,
            (Some(begun), _) if begun == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') => {
                open.get_or_insert(at);
                depth += 1;
            }
            (None, b'}') => {
                depth -= 1;
                if depth == 0 {
                    let open = open?;
                    return Some((&text[..open], &text[open + 1..at], &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

impl Rule<'_> {
    /// Places that the rule holds in: its conditions, and each of its selectors with `&` instead of `class`.
    pub(super) fn places(&self, class: &str) -> Vec<String> {
        let conditions: Vec<String> = self.conditions.iter().map(|one| condition(one)).collect();
        let selectors = unescaped(self.selector).replace(&format!(".{class}"), "&");
        let mut places = Vec::new();
        for selector in split(&selectors, ',') {
            let light = selector.replace(":is(.dark *)", "");
            let mark = if light == selector { "" } else { ".dark " };
            let selector = format!("{mark}{}", squeezed(&light)).replace(['"', '\''], "");
            // An older name of the pseudo-element.
            if !selector.contains("::-webkit-file-upload-button") {
                places.push(
                    format!("{} {selector}", conditions.join(" "))
                        .trim()
                        .to_owned(),
                );
            }
        }
        places
    }
}

/// `condition` with widths in pixels, compared by signs.
fn condition(condition: &str) -> String {
    let plain = condition.replace("not all and (min-width: ", "(width < ");
    let plain = plain.replace("(min-width: ", "(width >= ");
    let plain = plain.replace("(max-width: ", "(width <= ");
    let mut out = String::new();
    for word in plain.split(' ') {
        let number = word.trim_end_matches(')').strip_suffix("rem");
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(rem) => out.push_str(&format!("{}px)", rem * 16.0)),
            None => out.push_str(word),
        }
    }
    out
}

/// `selector` without escapes.
fn unescaped(selector: &str) -> String {
    let mut out = String::new();
    let mut rest = selector;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = after
            .bytes()
            .take_while(u8::is_ascii_hexdigit)
            .count()
            .min(6);
        // Only of digits at the beginning: `\[` and `\.` stand for themselves.
        let code = u32::from_str_radix(&after[..digits.min(2)], 16).ok();
        match code.and_then(char::from_u32).filter(|_| digits > 0) {
            Some(sign) => {
                out.push(sign);
                let after = &after[digits.min(2)..];
                rest = after.strip_prefix(' ').unwrap_or(after);
            }
            None => {
                let sign = after.chars().next().unwrap_or_default();
                out.push(sign);
                rest = &after[sign.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// `text` without blanks beside signs.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = words.join(" ");
    for sign in [',', '(', ')', '>', '~', '/', ':', '*'] {
        for (from, to) in [
            (format!(" {sign}"), sign.to_string()),
            (format!("{sign} "), sign.to_string()),
        ] {
            // A blank behind a bracket parts values.
            if !(sign == ')' && from.ends_with(' ') || sign == '(' && from.starts_with(' ')) {
                out = out.replace(&from, &to);
            }
        }
    }
    out
}

/// Declarations of `body` with its custom properties resolved.
pub(super) fn declarations(
    body: &str,
    defaults: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let written: Vec<(&str, &str)> = split(body, ';')
        .into_iter()
        .filter_map(|declaration| declaration.trim().split_once(':'))
        .map(|(property, value)| (property.trim(), value.trim()))
        .collect();
    let mut custom = BTreeMap::new();
    for (property, value) in &written {
        if property.starts_with("--") {
            custom.insert(own_name(property), (*value).to_owned());
        }
    }
    let lookup = |name: &str| {
        let own = custom.get(&own_name(name)).cloned();
        own.or_else(|| defaults.get(name).cloned())
    };
    let has_real = written
        .iter()
        .any(|(property, _)| !property.starts_with("--"));
    let is_alone = written.len() == 1;
    let is_between = body.contains("-reverse");
    let mut out = BTreeMap::new();
    for (property, value) in &written {
        if property.starts_with("--") {
            let is_generated = property.starts_with("--tw-") || property.starts_with("--en-");
            if is_generated && has_real {
                continue;
            }
            let name = own_name(property);
            let value = simplified(&resolved(value, &lookup, 0));
            match name.as_str() {
                // Beside a color it says that all of it shows.
                _ if name.ends_with("-opacity") && value == "1" && !is_alone => {}
                "content" => drop(out.insert(name, value)),
                _ => drop(out.insert(format!("--{name}"), value)),
            }
            continue;
        }
        let is_prefixed = |prefix: &str| {
            let plain = property.strip_prefix(prefix);
            plain.is_some_and(|plain| written.iter().any(|(other, _)| *other == plain))
        };
        if is_prefixed("-webkit-") || is_prefixed("-moz-") || is_prefixed("-ms-") {
            continue;
        }
        let value = simplified(&resolved(value, &lookup, 0));
        // Of a value with a prefix the last one counts.
        for (property, value) in sides(property, &value, is_between) {
            out.insert(property, value);
        }
    }
    out
}

/// Name of a custom property without the mark of its generator.
fn own_name(name: &str) -> String {
    let name = name.trim_start_matches("--tw-").trim_start_matches("--en-");
    match name.trim_start_matches("--") {
        "from-position" => "gradient-from-position",
        "via-position" => "gradient-via-position",
        "to-position" => "gradient-to-position",
        name => name,
    }
    .to_owned()
}

/// `text` split at `sign` outside of brackets and quotes.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut quote, mut start, mut parts) = (0_i32, None, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(begun), _) if begun == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, _) if c == sign && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// `value` with `var(--tw-…)` replaced by what is declared or given to every element.
fn resolved(value: &str, lookup: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("var(--") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 4..];
        let mut open = 1;
        let end = inner.char_indices().find(|(_, c)| {
            open += i32::from(*c == '(') - i32::from(*c == ')');
            open == 0
        });
        let Some((end, _)) = end else { break };
        let (content, after) = (&inner[..end], &inner[end + 1..]);
        let (name, fallback) = content.split_once(',').unwrap_or((content, ""));
        let is_generated = name.starts_with("--tw-") || name.starts_with("--en-");
        let known = if is_generated {
            lookup(name.trim())
        } else {
            None
        };
        let value = match known {
            Some(value) => value,
            None if is_generated => fallback.trim().to_owned(),
            None => {
                out.push_str(&format!("var({content})"));
                rest = after;
                continue;
            }
        };
        let value = if depth < 8 {
            resolved(&value, lookup, depth + 1)
        } else {
            value
        };
        out.push_str(&value);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `value` with numbers, colors and sums in one form.
fn simplified(value: &str) -> String {
    let (value, important) = match value.strip_suffix("!important") {
        Some(value) => (value.trim(), " !important"),
        None => (value, ""),
    };
    // `calc(0px - X)` is how X is turned around, as is `calc(X * -1)`.
    let mut value = squeezed(value);
    if let Some((before, turned)) = value.split_once("calc(0px - ") {
        let mut depth = 1;
        let end = turned.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        if let Some((end, _)) = end {
            value = format!("{before}calc({}*-1{}", &turned[..end], &turned[end..]);
        }
    }
    loop {
        let next = calculated(&value);
        if next == value {
            break;
        }
        value = next;
    }
    let parts: Vec<String> = split(&value, ',')
        .into_iter()
        .map(|part| {
            let words = split(part.trim(), ' ').into_iter().map(word);
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            words.join(" ")
        })
        // A shadow of no extent.
        .filter(|part| {
            !part.starts_with("0 0 rgba(") && !part.starts_with("0 0 0 0 ") && !part.is_empty()
        })
        .collect();
    format!("{}{important}", parts.join(","))
}

/// One word of a value: a number, a color, a function, or what it is.
fn word(word: &str) -> String {
    if let Some(color) = color(word) {
        return color;
    }
    if let Some((name, arguments)) = word.strip_suffix(')').and_then(|word| word.split_once('(')) {
        let arguments: Vec<String> = (split(arguments, ',').into_iter())
            .map(|argument| {
                split(argument.trim(), ' ')
                    .into_iter()
                    .map(self::word)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        return function(name, &arguments);
    }
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    let (number, unit) = word.split_at(end.unwrap_or(word.len()));
    match number.parse::<f64>() {
        Ok(number) if number == 0.0 && ["px", "s", "ms", "em", "deg"].contains(&unit) => {
            "0".to_owned()
        }
        Ok(0.0) => format!("0{unit}"),
        Ok(number) => format!("{}{unit}", (number * 1e6).round() / 1e6),
        Err(_) => word.to_owned(),
    }
}

/// A function and what it takes; nothing if it leaves an element as it is.
fn function(name: &str, arguments: &[String]) -> String {
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let fraction = |amount: &str| {
        let percent = amount
            .strip_suffix('%')
            .and_then(|percent| percent.parse::<f64>().ok());
        percent.map_or(amount.to_owned(), |percent| (percent / 100.0).to_string())
    };
    match (name, given.as_slice()) {
        ("translate" | "translateZ", ["0"] | ["0", "0"])
        | ("translate3d", ["0", "0", "0"])
        | ("rotate" | "rotateX" | "rotateY" | "rotateZ" | "skewX" | "skewY" | "blur", ["0"])
        | ("scaleX" | "scaleY", ["1"])
        | ("scale3d", ["1", "1", "1"]) => String::new(),
        ("translate3d", [x, y, "0"]) => format!("translate({x},{y})"),
        ("rotateZ", [angle]) => format!("rotate({angle})"),
        ("scale3d", [x, y, "1"]) => {
            let axis = |name: &str, by: &str| match by {
                "1" => String::new(),
                _ => format!("{name}({by})"),
            };
            format!("{} {}", axis("scaleX", x), axis("scaleY", y))
                .trim()
                .to_owned()
        }
        (
            "grayscale" | "invert" | "sepia" | "opacity" | "saturate" | "brightness" | "contrast",
            [amount],
        ) => {
            format!("{name}({})", fraction(amount))
        }
        ("hsl", [all]) => format!("hsl({})", all.strip_suffix("/1").unwrap_or(all)),
        ("hsl", _) => format!("hsl({})", given.join(" ")),
        _ => format!("{name}({})", given.join(",")),
    }
}

/// `word` as a color of four channels.
fn color(word: &str) -> Option<String> {
    let four = |red: f64, green: f64, blue: f64, alpha: f64| {
        let alpha = (alpha * 1e4).round() / 1e4;
        Some(format!("rgba({red},{green},{blue},{alpha})"))
    };
    match word.to_ascii_lowercase().as_str() {
        "transparent" => return four(0.0, 0.0, 0.0, 0.0),
        "currentcolor" => return Some("currentcolor".to_owned()),
        _ => {}
    }
    if let Some(digits) = word.strip_prefix('#') {
        let channel = |at: usize| match digits.len() {
            3 | 4 => u8::from_str_radix(&digits.get(at..=at)?.repeat(2), 16).ok(),
            6 | 8 => u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok(),
            _ => None,
        };
        let alpha = channel(3).map_or(1.0, |alpha| f64::from(alpha) / 255.0);
        return four(
            channel(0)?.into(),
            channel(1)?.into(),
            channel(2)?.into(),
            alpha,
        );
    }
    if let Some(inner) = word.strip_prefix("color-mix(in oklab,") {
        let (mixed, other) = inner.strip_suffix(')')?.rsplit_once(',')?;
        let (mixed, percent) = mixed.trim().rsplit_once(' ')?;
        let percent: f64 = percent.strip_suffix('%')?.parse().ok()?;
        let opaque = color(mixed)?;
        let opaque = opaque
            .strip_suffix(",1)")
            .filter(|_| other.trim() == "transparent")?;
        return Some(format!("{opaque},{})", percent / 100.0));
    }
    let inner = word.strip_prefix("rgba(").or(word.strip_prefix("rgb("))?;
    let inner = inner.strip_suffix(')')?;
    let numbers: Vec<&str> = (inner.split([' ', ',', '/']))
        .filter(|number| !number.is_empty())
        .collect();
    let number = |at: usize| -> Option<f64> {
        let text = numbers.get(at)?;
        match text.strip_suffix('%') {
            Some(percent) => Some(percent.parse::<f64>().ok()? / 100.0),
            None => text.parse().ok(),
        }
    };
    let alpha = if numbers.len() > 3 { number(3)? } else { 1.0 };
    four(number(0)?, number(1)?, number(2)?, alpha)
}

/// `value` with the first sum that can be worked out as its result.
fn calculated(value: &str) -> String {
    let mut from = 0;
    while let Some(at) = value[from..].find("calc(").map(|at| from + at) {
        from = at + 5;
        let inner = &value[from..];
        let mut open = 1;
        let end = inner.char_indices().find(|(_, c)| {
            open += i32::from(*c == '(') - i32::from(*c == ')');
            open == 0
        });
        let Some((end, _)) = end else {
            return value.to_owned();
        };
        let Some(result) = product(&inner[..end]) else {
            continue;
        };
        return format!("{}{result}{}", &value[..at], &inner[end + 1..]);
    }
    value.to_owned()
}

/// Result of two numbers with a sign between them.
fn product(text: &str) -> Option<String> {
    let text = text.replace('*', " * ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let [left, sign, right] = words[..] else {
        return None;
    };
    let parsed = |word: &str| -> Option<(f64, String)> {
        let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        let (number, unit) = word.split_at(end.unwrap_or(word.len()));
        Some((number.parse().ok()?, unit.to_owned()))
    };
    let ((left, unit), (right, other)) = (parsed(left)?, parsed(right)?);
    let both = if unit.is_empty() {
        other.clone()
    } else {
        unit.clone()
    };
    let result = match sign {
        "*" => left * right,
        "+" if unit == other || left == 0.0 || right == 0.0 => left + right,
        "-" if unit == other => left - right,
        _ => return None,
    };
    let result = (result * 1e6).round() / 1e6;
    Some(match result == 0.0 {
        true => "0".to_owned(),
        false => format!("{result}{both}"),
    })
}

/// `property` as those of its sides.
fn sides(property: &str, value: &str, is_between: bool) -> Vec<(String, String)> {
    let (bare, important) = match value.strip_suffix(" !important") {
        Some(bare) => (bare, " !important"),
        None => (value, ""),
    };
    let values = split(bare, ' ');
    let at = |index: usize| {
        let value = match (values.len(), index) {
            (1, _) => values[0],
            (2, index) => values[index % 2],
            (4, index) => values[index],
            _ => bare,
        };
        format!("{value}{important}")
    };
    let named = |names: &[&str]| -> Vec<(String, String)> {
        names
            .iter()
            .enumerate()
            .map(|(index, name)| ((*name).to_owned(), at(index)))
            .collect()
    };
    match property {
        "inset" => named(&["top", "right", "bottom", "left"]),
        "inset-inline" => named(&["left", "right"]),
        "inset-block" => named(&["top", "bottom"]),
        "padding" => named(&[
            "padding-top",
            "padding-right",
            "padding-bottom",
            "padding-left",
        ]),
        "padding-inline" => named(&["padding-left", "padding-right"]),
        "padding-block" => named(&["padding-top", "padding-bottom"]),
        "margin" => named(&["margin-top", "margin-right", "margin-bottom", "margin-left"]),
        "margin-inline" => named(&["margin-left", "margin-right"]),
        "margin-block" => named(&["margin-top", "margin-bottom"]),
        "border-width" => named(&[
            "border-top-width",
            "border-right-width",
            "border-bottom-width",
            "border-left-width",
        ]),
        "border-inline-width" => named(&["border-left-width", "border-right-width"]),
        "border-block-width" => named(&["border-top-width", "border-bottom-width"]),
        "border-color" => named(&[
            "border-top-color",
            "border-right-color",
            "border-bottom-color",
            "border-left-color",
        ]),
        "border-inline-color" => named(&["border-left-color", "border-right-color"]),
        "border-block-color" => named(&["border-top-color", "border-bottom-color"]),
        "scroll-margin-inline" => named(&["scroll-margin-left", "scroll-margin-right"]),
        "scroll-margin-block" => named(&["scroll-margin-top", "scroll-margin-bottom"]),
        "scroll-padding-inline" => named(&["scroll-padding-left", "scroll-padding-right"]),
        "scroll-padding-block" => named(&["scroll-padding-top", "scroll-padding-bottom"]),
        // Between children, where words run from left to right.
        "margin-inline-start" | "border-inline-start-width" if is_between => {
            named(&[&property.replace("inline-start", "left")])
        }
        "margin-inline-end" | "border-inline-end-width" if is_between => {
            named(&[&property.replace("inline-end", "right")])
        }
        "margin-block-start" | "border-block-start-width" => {
            named(&[&property.replace("block-start", "top")])
        }
        "margin-block-end" | "border-block-end-width" => {
            named(&[&property.replace("block-end", "bottom")])
        }
        "gap" => named(&["row-gap", "column-gap"]),
        "overflow" => named(&["overflow-x", "overflow-y"]),
        _ => vec![(property.to_owned(), value.to_owned())],
    }
}
