//! Names that files can have everywhere: without what Windows takes in no name, and GitHub's `actions/upload-artifact` refuses.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use queries::base::path::Route;
use queries::site::RouteTable;

/// Characters in no name of a file on Windows; `actions/upload-artifact` refuses all of them but the last.
const REFUSED: [char; 8] = ['"', ':', '<', '>', '|', '*', '?', '\\'];

/// Names of devices on Windows, in any case and with whatever follows behind a dot.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Returns true if each segment of `path` is a valid file name on every system.
pub(super) fn is_safe(path: &str) -> bool {
    path.split('/')
        .all(|name| matches!(safe_name(name), Cow::Borrowed(_)))
}

/// Returns the paths of `files`, relative to the output folder, that Windows cannot have, and those
/// that differ from one before only in case, so that one overwrites the other on Windows and macOS:
/// each with why, in the order of `files`.
pub(super) fn unportable<'f>(files: impl Iterator<Item = &'f str>) -> Vec<String> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let mut unportable = Vec::new();
    for path in files {
        if !is_safe(path) {
            unportable.push(format!("{path}: Windows has no file of that name"));
        }
        match first.entry(path.to_lowercase()) {
            Entry::Vacant(free) => drop(free.insert(path)),
            Entry::Occupied(other) if *other.get() == path => {}
            Entry::Occupied(other) => unportable.push(format!(
                "{path}: differs from {} only in case, so one overwrites the other on Windows and macOS",
                other.get()
            )),
        }
    }
    unportable
}

/// `name` with a hyphen for each character that is in no name of a file, for a dot or a space at its end, and behind the name of
/// a device.
fn safe_name(name: &str) -> Cow<'_, str> {
    let is_refused = |c: char| c.is_control() || REFUSED.contains(&c);
    let stem = name.split('.').next().unwrap_or_default();
    let is_device = is_device(stem.trim_end());
    if !name.contains(is_refused) && !name.ends_with(['.', ' ']) && !is_device {
        return Cow::Borrowed(name);
    }
    let mut safe = match is_device {
        true => format!("{stem}-{}", &name[stem.len()..]),
        false => name.to_owned(),
    };
    safe = safe.replace(is_refused, "-");
    let kept = safe.trim_end_matches(['.', ' ']).len();
    let end = "-".repeat(safe.len() - kept);
    safe.truncate(kept);
    Cow::Owned(safe + &end)
}

fn is_device(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_port = |name: &str| matches!(name.strip_prefix("COM").or(name.strip_prefix("LPT")), Some(rest) if matches!(rest.as_bytes(), [b'1'..=b'9']));
    DEVICES.contains(&&*name) || is_port(&name)
}

/// Pages whose names no file has everywhere, by their routes.
#[derive(Debug, Default)]
pub(super) struct Names {
    safe: HashMap<String, Route>,
    /// Routes whose names follow from those of others, with these: sorted.
    numbered: Vec<String>,
}

impl Names {
    /// The names of the pages in `routes`. One that another page has gets a number.
    pub(super) fn new(routes: &RouteTable) -> Self {
        let mut names = Self::default();
        let mut used_names = HashSet::new();
        for route in routes.pages.keys().filter(|route| !is_safe(route.as_str())) {
            let segments = route.as_str().split('/').map(safe_name);
            let plain = segments.collect::<Vec<_>>().join("/");
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let is_free = |name: &String| {
                let is_page = Route::new(name).is_none_or(|name| routes.pages.contains_key(&name));
                !is_page && !used_names.contains(name)
            };
            let mut candidates = std::iter::once(plain.clone()).chain(numbered);
            let Some(safe) = candidates.find(is_free) else {
                continue;
            };
            if safe != plain {
                names.numbered.push(format!("{route} {safe}"));
            }
            let Some(of_page) = Route::new(&safe) else {
                continue;
            };
            used_names.insert(safe);
            names.safe.insert(route.as_str().to_owned(), of_page);
        }
        names
    }

    /// The name of the page at `route`, if it has another here.
    pub(super) fn of(&self, route: &str) -> Option<&Route> {
        self.safe.get(route)
    }

    /// Returns true if all pages have their own names.
    pub(super) fn is_empty(&self) -> bool {
        self.safe.is_empty()
    }

    /// Routes of the pages whose files have other names, with these names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Route)> {
        self.safe.iter().map(|(route, safe)| (&**route, safe))
    }

    /// Names with a number, which depend on other pages as well as on the route.
    pub(super) fn numbered(&self) -> &[String] {
        &self.numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_not_every_system_has_are_listed() {
        let files = [
            "a.html",
            "A.html",
            "img/x:y.png",
            "img/aux.png",
            "B/c",
            "b/d",
            "\u{c9}t\u{e9}",
            "\u{e9}t\u{e9}",
        ];
        let unportable_names = unportable(files.into_iter());
        let paths: Vec<&str> = unportable_names
            .iter()
            .filter_map(|it| Some(it.split_once(": ")?.0))
            .collect();
        assert_eq!(
            paths,
            ["A.html", "img/x:y.png", "img/aux.png", "\u{e9}t\u{e9}"]
        );
        assert!(
            unportable_names[0].contains("differs from a.html only in case"),
            "{unportable_names:?}"
        );
    }

    #[test]
    fn names_are_those_that_files_can_have_everywhere() {
        for (name, safe) in [
            ("get-files:batchget", "get-files-batchget"),
            ("a<b>|c*?\"\\\n", "a-b--c-----"),
            ("end. .", "end---"),
            ("con", "con-"),
            ("Aux.v1", "Aux-.v1"),
            ("com1", "com1-"),
            ("com10", "com10"),
            ("console", "console"),
            ("v1.2", "v1.2"),
            ("ü & é'", "ü & é'"),
        ] {
            assert_eq!(safe_name(name), safe);
            assert!(is_safe(safe), "{safe}");
            assert_eq!(is_safe(&format!("/a/{name}")), name == safe);
        }
    }
}
