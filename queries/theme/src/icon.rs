//! The frame's own icons: simple strokes on a 24 px grid, in the color of the text around them.
//!
//! This is not an icon library; names that are not here draw nothing.

use maud::{Markup, PreEscaped, html};

use crate::html::find;
use crate::icon_library::{Library, has_icon, library_icon};

/// Draws the icon called `name`; `None` if the frame has no such icon.
///
/// Icons are decoration: they are hidden from assistive technology, and the control around them carries the label.
pub fn icon(name: &str) -> Option<Markup> {
    let at = SHAPES.binary_search_by_key(&name, |shape| shape.0).ok()?;
    Some(html! {
        svg.icon.icon-line viewBox="0 0 24 24" width="16" height="16" stroke-width="1.75" aria-hidden="true" { (PreEscaped(SHAPES[at].1)) }
    })
}

/// Draws what a user wrote as an icon: the address of an image, an SVG, `library/style:name` as [`qualified`] writes it,
/// or a name of the frame. Anything else draws nothing.
pub fn user_icon(value: Option<&str>) -> Markup {
    let Some(value) = value else {
        return html! {};
    };
    if value.starts_with('/') || value.starts_with("https://") || value.starts_with("http://") {
        return html! { img.icon src=(value) alt="" width="16" height="16"; };
    }
    if value.trim_start().starts_with("<svg") {
        let drawing = mdx::plain::drawing(value);
        return html! { @if let Some(drawing) = drawing { span.icon { (PreEscaped(drawing)) } } };
    }
    let markup = match value.split_once(':') {
        Some((library, name)) => {
            let (library, style) = match library.split_once('/') {
                Some((library, style)) => (library, Some(style)),
                None => (library, None),
            };
            let known = [Library::FontAwesome, Library::Lucide, Library::Tabler];
            let library = known.into_iter().find(|known| known.word() == library);
            library.and_then(|library| library_icon(library, style, name))
        }
        None => icon(value).or_else(|| library_icon(Library::FontAwesome, None, value)),
    };
    markup.unwrap_or_default()
}

/// The icon `name` with the library and the style it is looked up in; addresses and SVG stay as they are.
pub fn qualified(library: Library, style: Option<&str>, name: &str) -> String {
    if name.starts_with(['/', '<']) || name.contains("://") {
        return name.to_owned();
    }
    match style {
        Some(style) => format!("{}/{style}:{name}", library.word()),
        None => format!("{}:{name}", library.word()),
    }
}

/// Returns true if `value`, as [`qualified`] writes it, is a URL, an SVG or the exact name of an
/// icon of a set.
pub fn is_known(value: &str) -> bool {
    if value.starts_with(['/', '<']) || value.contains("://") {
        return true;
    }
    let Some((library, name)) = value.split_once(':') else {
        return is_drawn(Some(value));
    };
    let style = library.split_once('/').map(|(_, style)| style);
    let known = [Library::FontAwesome, Library::Lucide, Library::Tabler];
    known.into_iter().any(|known| has_icon(known, style, name))
}

/// Returns true if [`user_icon`] renders something for `value`; if not, no room is left for it.
pub fn is_drawn(value: Option<&str>) -> bool {
    !user_icon(value).0.is_empty()
}

/// Start of an icon of the frame or of a library; its end is [`END`].
const DRAWN: &str = r#"<svg class="icon"#;
const END: &str = "</svg>";
/// Text between [`DRAWN`] and the view box, without and with strokes (`css/base.css`).
const STROKES: [&str; 2] = [r#"" viewBox=""#, r#" icon-line" viewBox=""#];
/// Attributes that are on the use of an icon instead of its symbol.
const SAID: [&str; 2] = [r#" width="16" height="16""#, r#" aria-hidden="true""#];
/// Minimum number of uses for an icon to be written once as a symbol.
const OFTEN: usize = 3;

/// Returns the content between `<symbol` with its id and `</symbol>` of a rendered icon; `None` for
/// any other drawing.
pub fn symbol(markup: &str) -> Option<String> {
    let markup = markup.strip_prefix(DRAWN)?.strip_suffix(END)?;
    STROKES
        .iter()
        .find(|strokes| markup.starts_with(**strokes))?;
    let (strokes, rest) = markup.split_once('"')?;
    let rest = (SAID.iter()).fold(rest.to_owned(), |rest, word| rest.replacen(word, "", 1));
    Some(match strokes.trim_start() {
        "" => rest,
        strokes => format!(" class=\"{strokes}\"{rest}"),
    })
}

/// `html` whose icons that are drawn often are written once, at its end; as it is if none is.
pub fn with_table(html: String) -> String {
    let occurrences = memchr::memmem::find_iter(html.as_bytes(), DRAWN).filter_map(|at| {
        let rest = &html[at + DRAWN.len()..];
        STROKES.iter().find(|strokes| rest.starts_with(**strokes))?;
        let length = find(&html[at..], END)? + END.len();
        let icon = &html[at..at + length];
        // A drawing of an author may hold another.
        find(&icon[1..], "<svg").is_none().then_some((at, icon))
    });
    let occurrences: Vec<(usize, &str)> = occurrences.collect();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (_, icon) in &occurrences {
        match counts.iter_mut().find(|(known, _)| known == icon) {
            Some((_, count)) => *count += 1,
            None => counts.push((*icon, 1)),
        }
    }
    counts.retain(|(_, count)| *count >= OFTEN);
    if counts.is_empty() {
        return html;
    }
    let mut output = String::with_capacity(html.len());
    let mut from = 0;
    for (at, icon) in &occurrences {
        let Some(number) = counts.iter().position(|(known, _)| known == icon) else {
            continue;
        };
        output.push_str(&html[from..*at]);
        output.push_str(&format!(
            r##"<svg class="icon" width="16" height="16" aria-hidden="true"><use href="#quire-sign-{number}"></use></svg>"##
        ));
        from = at + icon.len();
    }
    output.push_str(&html[from..]);
    output.push_str(r#"<svg class="icon-table" aria-hidden="true">"#);
    for (number, (icon, _)) in counts.iter().enumerate() {
        let inner = symbol(icon).unwrap_or_default();
        output.push_str(&format!(
            "<symbol id=\"quire-sign-{number}\"{inner}</symbol>"
        ));
    }
    output.push_str("</svg>");
    output
}

/// Name and shape, sorted by name.
#[rustfmt::skip]
static SHAPES: &[(&str, &str)] = &[
    ("arrow-left", r#"<path d="M19 12H5m6-6-6 6 6 6"/>"#),
    ("arrow-right", r#"<path d="M5 12h14m-6-6 6 6-6 6"/>"#),
    ("arrow-up-right", r#"<path d="M7 17 17 7M8 7h9v9"/>"#),
    ("ask", r#"<path d="M12 3.500c.6 4.600 3.400 7.400 8 8-4.600.6-7.400 3.400-8 8-.6-4.600-3.400-7.400-8-8 4.600-.6 7.400-3.400 8-8z"/>"#),
    ("bell", r#"<path d="M6 16v-5a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4"/>"#),
    ("bolt", r#"<path d="M13 2.5 5 13.5h6l-1 8 8-11h-6z"/>"#),
    ("book", r#"<path d="M5 19.5V5a2 2 0 0 1 2-2h12v18H6.5a1.5 1.5 0 0 1 0-3H19"/>"#),
    ("book-open", r#"<path d="M12 6.5C10 5 7 4.5 3 4.5v14c4 0 7 .5 9 2 2-1.500 5-2 9-2v-14c-4 0-7 .5-9 2zm0 0v14"/>"#),
    ("box", r#"<path d="m12 3 8.500 4.500v9L12 21l-8.500-4.500v-9zM3.500 7.500 12 12l8.500-4.500M12 12v9"/>"#),
    ("calendar", r#"<rect x="4" y="5" width="16" height="15.500" rx="2"/><path d="M4 10h16M8 3v4m8-4v4"/>"#),
    ("check", r#"<path d="m5 12.500 4.500 4.500L19 7.500"/>"#),
    ("check-circle", r#"<circle cx="12" cy="12" r="9"/><path d="m8 12.300 2.700 2.700L16 9.500"/>"#),
    ("chevron-down", r#"<path d="m6 9.500 6 6 6-6"/>"#),
    ("chevron-right", r#"<path d="m9.500 6 6 6-6 6"/>"#),
    ("chevrons-down-up", r#"<path d="m7.500 19.500 4.500-4.500 4.500 4.500m-9-15L12 9l4.500-4.500"/>"#),
    ("chevrons-up-down", r#"<path d="m7.500 15 4.500 4.500 4.500-4.500m-9-6L12 4.500 16.500 9"/>"#),
    ("code", r#"<path d="m8 7-5 5 5 5m8-10 5 5-5 5"/>"#),
    ("copy", r#"<rect x="8.500" y="8.500" width="12" height="12" rx="2"/><path d="M15.500 8.500v-3a2 2 0 0 0-2-2h-8a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h3"/>"#),
    ("danger", r#"<path d="M8.300 3h7.400L21 8.300v7.400L15.700 21H8.300L3 15.700V8.300zM12 7.800v5m0 3.200v.1"/>"#),
    ("desktop", r#"<rect x="3" y="4" width="18" height="12.500" rx="2"/><path d="M8.500 20.500h7m-3.500-4v4"/>"#),
    ("download", r#"<path d="M12 4v11m-5-5 5 5 5-5M4.500 20h15"/>"#),
    ("external-link", r#"<path d="M13.500 4H20v6.500M20 4l-9 9M17.500 14v4.500a1.500 1.500 0 0 1-1.500 1.500H5.500A1.500 1.500 0 0 1 4 18.500V8a1.500 1.500 0 0 1 1.500-1.500H10"/>"#),
    ("file", r#"<path d="M13.500 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8.500zm0 0v5.500H19"/>"#),
    ("flag", r#"<path d="M5 21V4m0 .500c4-2.500 7 2 13-.500v9.500c-6 2.500-9-2-13 .500"/>"#),
    ("folder", r#"<path d="M3 18V6.500A1.500 1.500 0 0 1 4.500 5H9l2.500 3h8A1.500 1.500 0 0 1 21 9.500V18a1.500 1.500 0 0 1-1.500 1.500h-15A1.500 1.500 0 0 1 3 18z"/>"#),
    ("gear", r#"<circle cx="12" cy="12" r="3.200"/><path d="M12 2.800v3m0 12.400v3M2.800 12h3m12.400 0h3M5.500 5.500l2.100 2.100m8.800 8.800 2.100 2.100m0-13-2.100 2.100m-8.800 8.800-2.100 2.100"/>"#),
    ("github", r#"<circle cx="6.500" cy="5.500" r="2.300"/><circle cx="6.500" cy="18.500" r="2.300"/><circle cx="17.500" cy="8" r="2.300"/><path d="M6.500 7.800v8.400m11-5.900c0 4-5 3.200-9.500 6.200"/>"#),
    ("globe", r#"<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.700 2.500 4 5.500 4 9s-1.300 6.500-4 9c-2.700-2.500-4-5.500-4-9s1.300-6.500 4-9z"/>"#),
    ("heart", r#"<path d="M12 20C6 15.500 3 12.500 3 8.800 3 6 5 4.200 7.400 4.200c2 0 3.600 1.100 4.600 2.900 1-1.800 2.600-2.900 4.600-2.900C19 4.200 21 6 21 8.800c0 3.700-3 6.700-9 11.200z"/>"#),
    ("home", r#"<path d="m3.500 11 8.500-7.500 8.500 7.500M6 9v11h4.500v-6h3v6H18V9"/>"#),
    ("image", r#"<rect x="3.500" y="4.500" width="17" height="15" rx="2"/><circle cx="9" cy="10" r="1.600"/><path d="m5 18 5-4.500 3 2.500 3.500-3.500 4 3.500"/>"#),
    ("info", r#"<circle cx="12" cy="12" r="9"/><path d="M12 11v5m0-8.200v.1"/>"#),
    ("key", r#"<circle cx="8" cy="15.500" r="4.500"/><path d="m11.300 12.300 8.700-8.300m-4.500 4.500 3 3"/>"#),
    ("layers", r#"<path d="m12 3 9 4.500-9 4.500-9-4.500zM3 12l9 4.500 9-4.500M3 16.500 12 21l9-4.500"/>"#),
    ("lifebuoy", r#"<circle cx="12" cy="12" r="9"/><circle cx="12" cy="12" r="3.500"/><path d="m5.700 5.700 3.800 3.800m5 5 3.800 3.800m0-12.600-3.800 3.800m-5 5-3.800 3.800"/>"#),
    ("lightbulb", r#"<path d="M9 17.500c0-2-3-3.500-3-7.500a6 6 0 0 1 12 0c0 4-3 5.500-3 7.500zM10 21h4"/>"#),
    ("link", r#"<path d="M10 14a4 4 0 0 0 5.700 0l3.600-3.600a4 4 0 0 0-5.700-5.700L12 6.300M14 10a4 4 0 0 0-5.700 0l-3.600 3.600a4 4 0 0 0 5.700 5.700l1.600-1.600"/>"#),
    ("list", r#"<path d="M9 6.500h11M9 12h11M9 17.500h11M4.500 6.500v0m0 5.500v0m0 5.500v0"/>"#),
    ("lock", r#"<rect x="5" y="10.500" width="14" height="10" rx="2"/><path d="M8 10.500V7.500a4 4 0 0 1 8 0v3"/>"#),
    ("mail", r#"<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.500 7 8.500 6.500L20.500 7"/>"#),
    ("map", r#"<path d="m3.500 6 5.500-2.500 6 2.500 5.500-2.500V18L15 20.500 9 18l-5.500 2.500zM9 3.500V18m6-12v14.500"/>"#),
    ("menu", r#"<path d="M4 7h16M4 12h16M4 17h16"/>"#),
    ("message", r#"<path d="M4 5.500h16a1 1 0 0 1 1 1V16a1 1 0 0 1-1 1h-8l-4.500 4v-4H4a1 1 0 0 1-1-1V6.500a1 1 0 0 1 1-1z"/>"#),
    ("moon", r#"<path d="M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z"/>"#),
    ("more", r#"<path d="M12 5.500v.01M12 12v.01M12 18.500v.01" stroke-width="2.600"/>"#),
    ("package", r#"<path d="m12 3 8.500 4.500v9L12 21l-8.500-4.500v-9zM3.500 7.500 12 12l8.500-4.500M12 12v9"/>"#),
    ("pencil", r#"<path d="M4 20v-4L16 4l4 4L8 20zM13.500 6.500l4 4"/>"#),
    ("play", r#"<path d="M7 4.500v15l12-7.500z"/>"#),
    ("puzzle", r#"<path d="M9 5.500a2 2 0 1 1 4 0V7h4.500v4.500H19a2 2 0 1 1 0 4h-1.500V20h-13v-4.500H6a2 2 0 1 0 0-4H4.500V7H9z"/>"#),
    ("rocket", r#"<path d="M12 15.500 8.500 12c1-4.500 4.500-8.500 11.500-8.500 0 7-4 10.500-8.500 11.500zM8.500 12H4.800L7 8.500h3M12 15.500v3.700l3.500-2.200v-3M6 15.500c-1.500.5-2 2.500-2 4.500 2 0 4-.5 4.500-2"/><circle cx="14.700" cy="9" r="1.300"/>"#),
    ("search", r#"<circle cx="10.800" cy="10.800" r="6.300"/><path d="m15.500 15.500 5 5"/>"#),
    ("shield", r#"<path d="M12 3 4.500 6v5.500c0 4.500 3 7.700 7.500 9.500 4.500-1.800 7.500-5 7.500-9.500V6z"/>"#),
    ("star", r#"<path d="m12 3.500 2.600 5.400 5.900.8-4.300 4.100 1 5.900-5.200-2.800-5.200 2.800 1-5.900-4.300-4.100 5.900-.8z"/>"#),
    ("sun", r#"<circle cx="12" cy="12" r="4"/><path d="M12 2.500v2m0 15v2M2.500 12h2m15 0h2M5.300 5.300l1.400 1.400m10.600 10.600 1.400 1.400m0-13.400-1.400 1.400M6.700 17.300l-1.400 1.400"/>"#),
    ("terminal", r#"<rect x="3" y="4" width="18" height="16" rx="2"/><path d="m7 9 3 3-3 3m5.500 0H17"/>"#),
    ("thumbs-down", r#"<path d="M7 13.500V4H4v9.500zm0 0 4 7c1.500 0 2.500-1 2.500-2.500V15h5a1.800 1.800 0 0 0 1.700-2.200l-1.400-7A2.200 2.200 0 0 0 16.700 4H7"/>"#),
    ("thumbs-up", r#"<path d="M7 10.500V20H4v-9.500zm0 0 4-7c1.500 0 2.500 1 2.500 2.500V9h5a1.800 1.800 0 0 1 1.700 2.200l-1.400 7a2.200 2.200 0 0 1-2.100 1.800H7"/>"#),
    ("ticket", r#"<path d="M3 9V6.500A1.500 1.500 0 0 1 4.500 5h15A1.500 1.500 0 0 1 21 6.500V9a3 3 0 0 0 0 6v2.500a1.500 1.500 0 0 1-1.500 1.500h-15A1.500 1.500 0 0 1 3 17.500V15a3 3 0 0 0 0-6zM14 5v2.500m0 3v3m0 3V19"/>"#),
    ("user", r#"<circle cx="12" cy="8" r="4.200"/><path d="M4 20.500c.8-4 4-6 8-6s7.200 2 8 6"/>"#),
    ("users", r#"<circle cx="9" cy="8.500" r="3.700"/><path d="M2.500 20c.6-3.600 3-5.500 6.500-5.500s5.900 1.900 6.500 5.500M15.500 5a3.700 3.700 0 0 1 0 7m2.500 3c2 .8 3.100 2.500 3.500 5"/>"#),
    ("warning", r#"<path d="M12 4 2.800 20h18.400zM12 10v4.500m0 2.700v.1"/>"#),
    ("webhook", r#"<circle cx="12" cy="7" r="3.500"/><circle cx="6" cy="17" r="3.500"/><circle cx="18" cy="17" r="3.500"/><path d="m10.400 10.200-2.900 4M13.600 10.200l2.900 4M9.500 17h5"/>"#),
    ("x", r#"<path d="m6 6 12 12M18 6 6 18"/>"#),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_sorted_so_that_names_are_found() {
        assert!(SHAPES.is_sorted_by_key(|shape| shape.0));
        for (name, _) in SHAPES {
            assert!(icon(name).is_some(), "{name}");
        }
        assert!(icon("no-such-icon").is_none());
    }

    #[test]
    fn what_is_drawn_often_is_written_once() {
        let [copy, check] = ["copy", "check"].map(|name| icon(name).unwrap().into_string());
        let few = format!("<p>{copy}</p>{check}{copy}");
        assert_eq!(with_table(few.clone()), few);
        let html = with_table(format!("{few}<i>{copy}</i>end"));
        let used = r##"<svg class="icon" width="16" height="16" aria-hidden="true"><use href="#quire-sign-0"></use></svg>"##;
        let (shown, table) = html.split_once("end").unwrap();
        assert_eq!(shown, format!("<p>{used}</p>{check}{used}<i>{used}</i>"));
        let inner = copy.split_once("aria-hidden=\"true\">").unwrap().1;
        let symbol = format!(
            r#"<symbol id="quire-sign-0" class="icon-line" viewBox="0 0 24 24" stroke-width="1.75">{}</symbol>"#,
            inner.trim_end_matches("</svg>")
        );
        assert_eq!(
            table,
            format!(r#"<svg class="icon-table" aria-hidden="true">{symbol}</svg>"#)
        );
    }

    #[test]
    fn an_address_draws_an_image_and_nothing_else() {
        let image = user_icon(Some("/logo.svg\" onload=\"x")).into_string();
        assert!(image.contains("&quot;"));
        assert_eq!(user_icon(Some("javascript:x")).into_string(), "");
    }

    #[test]
    fn a_drawing_is_data() {
        let drawn = user_icon(Some(
            "<svg onload='x'><path d='M0'/><script>x</script></svg>",
        ));
        assert_eq!(
            drawn.into_string(),
            r#"<span class="icon"><svg><path d="M0"/></svg></span>"#
        );
        assert_eq!(
            user_icon(Some("<svgs><script>x</script>")).into_string(),
            ""
        );
    }
}
