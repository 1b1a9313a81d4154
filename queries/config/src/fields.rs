//! Descriptions of the fields of `docs.json`, for the manual and for editors.

use crate::unused::CONTAINERS;

/// Each field by its pointer and what it does, a line each, in the order of the manual.
const FIELDS: &str = include_str!("fields.txt");

/// Returns the fields with their descriptions. The pointers have no indices; `/navigation/…` is any
/// element of the navigation.
pub fn fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS.lines().filter_map(|line| line.split_once('\t'))
}

/// Returns what the field at `pointer` does. A field of an element of the navigation that the top of
/// the document has too, and the fields of icons and colors, are described once.
pub fn description(pointer: &str) -> Option<&'static str> {
    let description_of = |pointer: &str| {
        let mut all = fields();
        all.find(|(known, _)| *known == pointer)
            .map(|(_, about)| about)
    };
    if let Some(about) = description_of(pointer) {
        return Some(about);
    }
    let (within, last) = pointer.rsplit_once('/')?;
    if within.ends_with("/icon") {
        return Some(match last {
            "name" => "Name of the icon, or its address.",
            "style" => "Style of an icon of Font Awesome.",
            "library" => "Set that the name is looked up in.",
            _ => return None,
        });
    }
    if within == "/navigation/…/color" {
        return description_of(&format!("/background/color/{last}"));
    }
    let rest = pointer.strip_prefix("/navigation/…")?;
    let api = |name: &str, like: &str| rest.starts_with(name).then(|| rest.replacen(name, like, 1));
    let alike = api("/openapi/", "/api/openapi/")
        .or_else(|| api("/asyncapi/", "/api/asyncapi/"))
        .or_else(|| api("/graphql/", "/api/asyncapi/"));
    description_of(alike.as_deref().unwrap_or(rest))
}

/// The pointer of a field without the numbers of items, and without the way through the navigation.
pub fn field_of(pointer: &str) -> String {
    let segments = pointer.split('/').skip(1);
    // The one number that is a key.
    let is_key = |name: &&str| *name == "404" || name.parse::<usize>().is_err();
    let segments: Vec<&str> = segments.filter(is_key).collect();
    match &segments[..] {
        ["navigation", within @ .., last] => {
            let mut within = within.iter();
            let on_the_way = within.position(|name| !CONTAINERS.contains(name));
            let rest = on_the_way.map_or(&[][..], |at| &segments[1 + at..segments.len() - 1]);
            format!("/navigation/…/{}", [rest, &[*last]].concat().join("/"))
        }
        all => format!("/{}", all.join("/")),
    }
}
