//! Which specifications have overlays: what the configuration says of it, as the writer of inputs needs it.
//!
//! The cut of a document depends on its overlays, and is made before inputs are set: the configuration is read here too, but
//! only where it can name an overlay at all.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem::find;

use base::content::TextBytes;
use base::data::json;
use base::path::SitePath;
use config::api::SpecSource;
use config::{legacy, reference, site};

/// A document as the configuration wants it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SpecKey {
    /// Path or address of the document.
    pub(super) path: SitePath,
    /// The overlays that are applied to it.
    pub(super) overlays: Vec<SitePath>,
    /// Name.
    pub(super) name: SitePath,
}

impl SpecKey {
    /// The document at `path` as it is.
    pub(super) fn plain(path: &SitePath) -> Self {
        Self {
            path: path.clone(),
            overlays: Vec::new(),
            name: path.clone(),
        }
    }
}

/// The documents for which the configuration names overlays, by their paths. A document that is not among them is shown as it
/// is.
pub(super) type SpecOverlays = BTreeMap<SitePath, Vec<SpecKey>>;

/// Overlays named by the configuration, whose files `read` reads.
pub(super) fn configured_overlays(
    read: &mut dyn FnMut(&SitePath) -> Option<TextBytes>,
) -> SpecOverlays {
    let names = ["docs.json", "mint.json"].into_iter();
    let mut found = names.filter_map(|name| {
        let path = SitePath::new(name)?;
        let bytes = read(&path)?;
        Some((path, bytes))
    });
    let Some((path, bytes)) = found.next() else {
        return SpecOverlays::new();
    };
    drop(found);
    let names_overlays = |bytes: &[u8]| find(bytes, b"\"overlays\"").is_some();
    let mut is_named = names_overlays(&bytes);
    if !is_named && find(&bytes, b"$ref").is_none() {
        return SpecOverlays::new();
    }
    let parse = |path: &SitePath, bytes: &[u8]| json::parse(path, &String::from_utf8_lossy(bytes));
    let value = parse(&path, &bytes).value;
    let resolved = reference::resolve(&path, value, &mut |path| {
        let bytes = read(path)?;
        is_named |= names_overlays(&bytes);
        Some(parse(path, &bytes))
    });
    if !is_named {
        return SpecOverlays::new();
    }
    let mut document = resolved.value;
    if path.file_name() == "mint.json" {
        document = legacy::upgrade(&document);
    }
    let config = site::decode(&document).value;
    let navigation = config.navigation.openapi().into_iter();
    let references = navigation.chain(&config.api.openapi);
    overlay_names(references.map(|reference| &reference.spec))
}

/// The documents that `sources` name, with names by which they are told apart.
fn overlay_names<'a>(sources: impl Iterator<Item = &'a SpecSource>) -> SpecOverlays {
    let mut lists: BTreeMap<SitePath, Vec<Vec<SitePath>>> = BTreeMap::new();
    for source in sources {
        let Some(path) = source.path() else { continue };
        let of_path = lists.entry(path).or_default();
        let overlays = source.overlay_paths();
        if !of_path.contains(&overlays) {
            of_path.push(overlays);
        }
    }
    let mut used_paths: BTreeSet<SitePath> = lists.keys().cloned().collect();
    lists.retain(|_, lists| lists.iter().any(|overlays| !overlays.is_empty()));
    let mut keys_by_path = SpecOverlays::new();
    for (path, lists) in lists {
        // The document as it is has its own name; without it the first one has.
        let first = lists.iter().position(Vec::is_empty).unwrap_or_default();
        let keys = lists.into_iter().enumerate().map(|(i, overlays)| {
            let name = match i == first {
                true => path.clone(),
                false => other_name(&path, &overlays, &mut used_paths),
            };
            SpecKey {
                path: path.clone(),
                overlays,
                name,
            }
        });
        keys_by_path.insert(path.clone(), keys.collect());
    }
    keys_by_path
}

/// A name for one more document at `path`: `api/openapi.partners.yaml` with the overlay `partners.overlay.yaml`.
fn other_name(
    path: &SitePath,
    overlays: &[SitePath],
    used_paths: &mut BTreeSet<SitePath>,
) -> SitePath {
    let text = path.as_str();
    let start = text.rfind('/').map_or(0, |at| at + 1);
    let end = text[start..].rfind('.').map_or(text.len(), |at| start + at);
    let stems = overlays.iter().map(|overlay| {
        let name = overlay.file_name();
        name.split('.').next().unwrap_or(name)
    });
    let stems = stems.collect::<Vec<_>>().join(".");
    let mut count = 1;
    loop {
        let number = match count {
            1 => String::new(),
            count => format!("-{count}"),
        };
        let name = format!("{}.{stems}{number}{}", &text[..end], &text[end..]);
        let name = match path.is_url() {
            true => Some(SitePath::of_url(&name)),
            false => SitePath::new(&name),
        };
        let name = name.unwrap_or_else(|| path.clone());
        if used_paths.insert(name.clone()) || count > 1000 {
            return name;
        }
        count += 1;
    }
}

/// The documents of `overlays` that have overlays.
pub(super) fn overlaid(overlays: &SpecOverlays) -> impl Iterator<Item = &SpecKey> {
    let keys = overlays.values().flatten();
    keys.filter(|key| !key.overlays.is_empty())
}
