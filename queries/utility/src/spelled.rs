//! Names of version 3 that the generator does not know, spelled out as names of which it has rules.

/// Classes that the generator does not know, as those of which it has rules.
pub(super) fn spelled_out(name: &str) -> Option<String> {
    let spelled = match name {
        "outline-none" => "[outline:2px_solid_transparent] [outline-offset:2px]",
        "antialiased" => "[-webkit-font-smoothing:antialiased] [-moz-osx-font-smoothing:grayscale]",
        "subpixel-antialiased" => "[-webkit-font-smoothing:auto] [-moz-osx-font-smoothing:auto]",
        "collapse" => "[visibility:collapse]",
        "list-image-none" => "[list-style-image:none]",
        "appearance-auto" => "[appearance:auto]",
        "accent-auto" => "[accent-color:auto]",
        "mix-blend-plus-darker" => "[mix-blend-mode:plus-darker]",
        "outline" => "[outline-style:solid]",
        "transition-none" => "[transition-property:none]",
        "line-clamp-none" => {
            "[overflow:visible] [display:block] [-webkit-box-orient:horizontal] [-webkit-line-clamp:none]"
        }
        "font-sans" => {
            "[font-family:ui-sans-serif,system-ui,sans-serif,\"Apple_Color_Emoji\",\"Segoe_UI_Emoji\",\"Segoe_UI_Symbol\",\"Noto_Color_Emoji\"]"
        }
        "font-serif" => "[font-family:ui-serif,Georgia,Cambria,\"Times_New_Roman\",Times,serif]",
        "font-mono" => {
            "[font-family:ui-monospace,SFMono-Regular,Menlo,Monaco,Consolas,\"Liberation_Mono\",\"Courier_New\",monospace]"
        }
        "-order-first" => "[order:9999]",
        "-order-last" => "[order:-9999]",
        "-tracking-tighter" => "[letter-spacing:0.05em]",
        "-tracking-tight" => "[letter-spacing:0.025em]",
        "-tracking-normal" => "[letter-spacing:0]",
        "-tracking-wide" => "[letter-spacing:-0.025em]",
        "-tracking-wider" => "[letter-spacing:-0.05em]",
        "-tracking-widest" => "[letter-spacing:-0.1em]",
        "shadow-inner" => "shadow-[inset_0_2px_4px_0_rgb(0_0_0/0.05)]",
        "ring-inset" => "[--en-ring-inset:inset]",
        "blur-0" => return Some(effect("", "blur", "blur(0)")),
        "backdrop-blur-0" => return Some(effect("backdrop-", "blur", "blur(0)")),
        "drop-shadow" => {
            let shadows =
                "drop-shadow(0_1px_2px_rgb(0_0_0/0.1))_drop-shadow(0_1px_1px_rgb(0_0_0/0.06))";
            return Some(effect("", "drop-shadow", shadows));
        }
        "object-left-top" => "[object-position:left_top]",
        "object-left-bottom" => "[object-position:left_bottom]",
        "object-right-top" => "[object-position:right_top]",
        "object-right-bottom" => "[object-position:right_bottom]",
        _ => {
            return of_steps(name)
                .or_else(|| negative(name))
                .or_else(|| transparent(name))
                .or_else(|| filter(name))
                .or_else(|| with_leading(name))
                .or_else(|| of_words(name))
                .or_else(|| of_own_value(name));
        }
    };
    Some(spelled.to_owned())
}

/// `-mt-[5px]`, `-mt-[calc(100%-1rem)]`: a length of the author's own the other way round.
fn negative(name: &str) -> Option<String> {
    const STEMS: &[&str] = &["inset", "scroll", "space", "translate", "indent"];
    let (stem, length) = name
        .strip_prefix('-')?
        .strip_suffix(']')?
        .split_once("-[")?;
    if length.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        let is_whole =
            ["order", "z", "col-start", "col-end", "row-start", "row-end"].contains(&stem);
        return match is_whole {
            true => of_own_value(&format!("{stem}-[-{length}]")),
            false => Some(format!("{stem}-[-{length}]")),
        };
    }
    let is_sum = ["calc(", "var(", "min(", "max(", "clamp("]
        .iter()
        .any(|sum| length.starts_with(sum));
    let is_side = ["top", "right", "bottom", "left", "start", "end"].contains(&stem)
        || stem.starts_with('m') && stem.len() <= 2
        || STEMS.contains(&stem.split('-').next().unwrap_or_default());
    (is_sum && is_side).then(|| format!("{stem}-[calc(0px-{length})]"))
}

/// `text-sm/6`, `text-[14px]/[20px]`: a size with the height of its lines.
fn with_leading(name: &str) -> Option<String> {
    const SIZES: &[&str] = &[
        "xs", "sm", "base", "lg", "xl", "2xl", "3xl", "4xl", "5xl", "6xl", "7xl", "8xl", "9xl",
    ];
    let (size, leading) = name.strip_prefix("text-")?.rsplit_once('/')?;
    let is_length = size.starts_with('[')
        && size[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && size.ends_with(']');
    let is_size = SIZES.contains(&size) || is_length;
    is_size.then(|| format!("text-{size} leading-{leading}"))
}

/// Utilities whose last part is a number.
fn of_steps(name: &str) -> Option<String> {
    let (stem, step) = name.rsplit_once('-')?;
    let own = step.strip_prefix('[').and_then(|own| own.strip_suffix(']'));
    if let Some(percent) = own.unwrap_or(step).strip_suffix('%') {
        let is_stop = matches!(stem, "from" | "via" | "to") && percent.parse::<u8>().is_ok();
        if is_stop {
            return Some(format!("[--en-{stem}-position:{percent}%]"));
        }
    }
    if let Some(z) = own {
        let sign = match stem {
            "z" => "",
            "-z" => "-",
            _ => return seen_through(name),
        };
        if z.parse::<i32>().is_ok() {
            return Some(format!("[z-index:{sign}{z}]"));
        }
        return None;
    }
    let Ok(step) = step.parse::<u16>() else {
        return seen_through(name);
    };
    Some(match stem {
        "max-w" if step > 0 => format!("max-w-[{}rem]", f32::from(step) / 4.0),
        "-outline-offset" => format!("[outline-offset:-{step}px]"),
        "backdrop-opacity" => effect("backdrop-", "opacity", &format!("opacity({step}%)")),
        "bg-opacity" | "text-opacity" | "border-opacity" | "ring-opacity" if step <= 100 => {
            format!("[--en-{stem}:{}]", f32::from(step) / 100.0)
        }
        "divide-opacity" if step <= 100 => {
            let opacity = f32::from(step) / 100.0;
            format!("[&>:not([hidden])~:not([hidden])]:[--en-divide-opacity:{opacity}]")
        }
        "-col-start" => format!("[grid-column-start:-{step}]"),
        "-col-end" => format!("[grid-column-end:-{step}]"),
        "-row-start" => format!("[grid-row-start:-{step}]"),
        "-row-end" => format!("[grid-row-end:-{step}]"),
        _ => return None,
    })
}

/// `bg-white/[.06]`, a color of the palette that is seen through by a number of the author's own.
fn seen_through(name: &str) -> Option<String> {
    let (color, alpha) = name.rsplit_once("/[")?;
    let alpha = alpha.strip_suffix(']')?;
    let percent = match alpha.strip_suffix('%') {
        Some(percent) => percent.parse::<f32>().ok()?,
        None => alpha.parse::<f32>().ok()? * 100.0,
    };
    let is_color = !color.contains('[') && (0.0..=100.0).contains(&percent);
    is_color.then(|| format!("{color}/{}", (percent * 100.0).round() / 100.0))
}

/// Utilities whose last part is a value of their property.
fn of_words(name: &str) -> Option<String> {
    const PROPERTIES: &[(&str, &str, &[&str])] = &[
        ("place-content", "place-content", &["baseline", "stretch"]),
        ("place-items", "place-items", &["baseline"]),
        (
            "content",
            "align-content",
            &["normal", "baseline", "stretch"],
        ),
        ("justify", "justify-content", &["normal", "stretch"]),
        ("self", "align-self", &["baseline"]),
        ("justify-self", "justify-self", &["start", "end"]),
        ("place-self", "place-self", &["start", "end"]),
        ("overflow", "overflow", &["clip"]),
        ("overflow-x", "overflow-x", &["clip"]),
        ("overflow-y", "overflow-y", &["clip"]),
        ("hyphens", "hyphens", &["none", "manual", "auto"]),
        ("decoration", "box-decoration-break", &["slice", "clone"]),
        ("decoration", "text-decoration-style", &["double"]),
        ("fill", "fill", &["none"]),
        ("stroke", "stroke", &["none"]),
        ("grid-cols", "grid-template-columns", &["subgrid"]),
        ("grid-rows", "grid-template-rows", &["subgrid"]),
        (
            "forced-color-adjust",
            "forced-color-adjust",
            &["auto", "none"],
        ),
        (
            "contain",
            "contain",
            &[
                "none",
                "content",
                "strict",
                "size",
                "inline-size",
                "layout",
                "paint",
                "style",
            ],
        ),
    ];
    PROPERTIES.iter().find_map(|(stem, property, values)| {
        let value = name.strip_prefix(stem)?.strip_prefix('-')?;
        values
            .contains(&value)
            .then(|| format!("[{property}:{value}]"))
    })
}

/// `bg-[#f1f1f1]/95`, a color of the author's own that is seen through: in percent, or as a number in brackets.
fn transparent(name: &str) -> Option<String> {
    let (color, alpha) = name.rsplit_once('/')?;
    let (stem, digits) = color.strip_suffix(']')?.split_once("-[#")?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let channel = |at: usize| match digits.len() {
        3 => u8::from_str_radix(&digits[at..=at].repeat(2), 16).ok(),
        6 => u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok(),
        _ => None,
    };
    let (red, green, blue) = (channel(0)?, channel(1)?, channel(2)?);
    let alpha = match alpha
        .strip_prefix('[')
        .and_then(|own| own.strip_suffix(']'))
    {
        Some(own) => own.to_owned(),
        None => format!("{}%", alpha.parse::<f32>().ok()?),
    };
    Some(format!("{stem}-[rgb({red}_{green}_{blue}/{alpha})]"))
}

/// `brightness-[1.1]`, `backdrop-blur-[2px]`: filter effects with arbitrary amounts.
fn filter(name: &str) -> Option<String> {
    let (written, amount) = name.strip_suffix(']')?.split_once("-[")?;
    let (behind, effect_name) = match written.strip_prefix("backdrop-") {
        Some(effect) => ("backdrop-", effect),
        None => ("", written),
    };
    let is_effect = match effect_name {
        "brightness" | "contrast" | "grayscale" | "invert" | "saturate" | "sepia" => true,
        "opacity" => !behind.is_empty(),
        _ => false,
    };
    let is_amount = (amount.bytes()).all(|byte| byte.is_ascii_digit() || b".%".contains(&byte));
    (is_effect && is_amount && !amount.is_empty())
        .then(|| effect(behind, effect_name, &format!("{effect_name}({amount})")))
}

/// Classes that give an element `value` for one of its effects, beside those that it has.
fn effect(utility: &str, name: &str, value: &str) -> String {
    let last = if utility.is_empty() {
        "drop-shadow"
    } else {
        "opacity"
    };
    let names = [
        "blur",
        "brightness",
        "contrast",
        "grayscale",
        "hue-rotate",
        "invert",
        "saturate",
        "sepia",
        last,
    ];
    let all: Vec<String> = (names.iter())
        .map(|name| format!("var(--en-{utility}{name})"))
        .collect();
    let all = all.join("_");
    let own = format!("[--en-{utility}{name}:{value}] [{utility}filter:{all}]");
    match utility.is_empty() {
        true => own,
        false => format!("{own} [-webkit-{utility}filter:{all}]"),
    }
}

/// `order-[13]`, `rounded-[var(--r)]`: utilities with a value in brackets that the generator knows by its names only.
fn of_own_value(name: &str) -> Option<String> {
    /// Utilities that take any value.
    const ANY: &[(&str, &str)] = &[
        ("order", "order"),
        ("grow", "flex-grow"),
        ("flex-grow", "flex-grow"),
        ("shrink", "flex-shrink"),
        ("flex-shrink", "flex-shrink"),
        ("opacity", "opacity"),
        ("z", "z-index"),
        ("columns", "columns"),
        ("col-start", "grid-column-start"),
        ("col-end", "grid-column-end"),
        ("row-start", "grid-row-start"),
        ("row-end", "grid-row-end"),
        ("align", "vertical-align"),
        ("list", "list-style-type"),
        ("list-image", "list-style-image"),
    ];
    /// Utilities that take a color, where it is a variable.
    const COLOR: &[(&str, &str)] = &[
        ("border", "border-color"),
        ("border-t", "border-top-color"),
        ("border-r", "border-right-color"),
        ("border-b", "border-bottom-color"),
        ("border-l", "border-left-color"),
        ("border-x", "border-inline-color"),
        ("border-y", "border-block-color"),
        ("decoration", "text-decoration-color"),
        ("outline", "outline-color"),
        ("outline-offset", "outline-offset"),
        ("ring", "--en-ring-color"),
        ("ring-offset", "--en-ring-offset-color"),
        ("stroke", "stroke"),
        ("text", "color"),
    ];
    let (stem, value) = name.strip_suffix(']')?.split_once("-[")?;
    let value = &spaced(value);
    let property = |table: &[(&str, &'static str)]| {
        let row = table.iter().find(|(known, _)| *known == stem);
        row.map(|(_, property)| *property)
    };
    if let Some(property) = property(ANY) {
        return Some(format!("[{property}:{value}]"));
    }
    let (is_variable, is_sum) = (value.starts_with("var("), value.starts_with("calc("));
    if let Some(corners) = stem
        .strip_prefix("rounded")
        .filter(|_| is_variable || is_sum)
    {
        return rounded_to(corners, value);
    }
    if let Some(property) = property(COLOR).filter(|_| is_variable) {
        return Some(format!("[{property}:{value}]"));
    }
    if let Some(color) = property(COLOR).filter(|_| is_sum && stem.starts_with("border")) {
        return Some(format!("[{}:{value}]", color.replace("-color", "-width")));
    }
    match stem {
        "bg" => Some(format!(
            "[background-size:{}]",
            value.strip_prefix("size:")?
        )),
        "line-clamp" => Some(format!(
            "[overflow:hidden] [display:-webkit-box] [-webkit-box-orient:vertical] [-webkit-line-clamp:{value}]"
        )),
        "transition" if !is_variable => {
            Some(format!("transition-all [transition-property:{value}]"))
        }
        "divide-x" | "divide-y" if is_variable || is_sum => Some(divided(stem, value)),
        "grid-cols" | "grid-rows" => {
            let tracks = split_at_commas(value);
            let property = if stem == "grid-cols" {
                "columns"
            } else {
                "rows"
            };
            (tracks.len() > 1).then(|| format!("[grid-template-{property}:{}]", tracks.join("_")))
        }
        _ => None,
    }
}

/// Classes that draw a line of `width` between children.
fn divided(stem: &str, width: &str) -> String {
    let axis = if stem == "divide-x" {
        "inline"
    } else {
        "block"
    };
    let reverse = format!("var(--en-{stem}-reverse)");
    let children = "[&>:not([hidden])~:not([hidden])]";
    // The generator has the sides the other way round, and so has this until they are all put right.
    format!(
        "{children}:[--en-{stem}-reverse:0] {children}:[border-{axis}-start-width:calc({width}*{reverse})] \
         {children}:[border-{axis}-end-width:calc({width}*calc(1_-_{reverse}))]"
    )
}

/// `value` with the blanks that signs need in a sum (CSS Values 4, 10.1).
fn spaced(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    // Of each bracket that is open, whether it holds a sum.
    let mut open: Vec<bool> = Vec::new();
    for c in value.chars() {
        match c {
            '(' => {
                let start = out
                    .rfind(|c: char| !c.is_ascii_alphanumeric())
                    .map_or(0, |at| at + 1);
                let is_sum = match &out[start..] {
                    "" => open.last() == Some(&true),
                    name => ["calc", "min", "max", "clamp"].contains(&name),
                };
                open.push(is_sum);
            }
            ')' => drop(open.pop()),
            _ => {}
        }
        let follows = out.ends_with(|c: char| c.is_ascii_alphanumeric() || "%)".contains(c));
        match open.last() == Some(&true) && "+-*/".contains(c) && follows {
            true => out.extend(['_', c, '_']),
            false => out.push(c),
        }
    }
    out
}

/// `value` parted at its commas outside of brackets.
fn split_at_commas(value: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = value.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.collect()
}

/// Classes that round `corners`, written as in names of utilities, by `radius`.
fn rounded_to(corners: &str, radius: &str) -> Option<String> {
    let corners: &[&str] = match corners {
        "" => return Some(format!("[border-radius:{radius}]")),
        "-t" => &["top-left", "top-right"],
        "-r" => &["top-right", "bottom-right"],
        "-b" => &["bottom-right", "bottom-left"],
        "-l" => &["top-left", "bottom-left"],
        "-s" => &["start-start", "end-start"],
        "-e" => &["start-end", "end-end"],
        "-tl" => &["top-left"],
        "-tr" => &["top-right"],
        "-br" => &["bottom-right"],
        "-bl" => &["bottom-left"],
        "-ss" => &["start-start"],
        "-se" => &["start-end"],
        "-ee" => &["end-end"],
        "-es" => &["end-start"],
        _ => return None,
    };
    let classes = (corners.iter()).map(|corner| format!("[border-{corner}-radius:{radius}]"));
    Some(classes.collect::<Vec<_>>().join(" "))
}

/// `rounded`, `rounded-sm` and what they are called for some corners only.
pub(super) fn rounded(name: &str) -> Option<String> {
    let corners = name.strip_prefix("rounded")?;
    let (corners, radius) = match corners.strip_suffix("-sm") {
        Some(corners) => (corners, "0.125rem"),
        None => (corners, "0.25rem"),
    };
    let is_known = matches!(
        corners,
        "" | "-t"
            | "-r"
            | "-b"
            | "-l"
            | "-s"
            | "-e"
            | "-tl"
            | "-tr"
            | "-br"
            | "-bl"
            | "-ss"
            | "-se"
            | "-ee"
            | "-es"
    );
    is_known.then(|| format!("rounded{corners}-[{radius}]"))
}
