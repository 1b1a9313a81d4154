//! Files of a site that are links out of its folder: what is said to be missing because of one says so.

use queries::base::diagnostic::{Code, Diagnostic};
use queries::base::path::SitePath;

use crate::sources::Sources;

/// Text of diagnostics about missing files.
const MISSING: &str = "is not there";

/// Adds to each diagnostic about a missing file that a symbolic link out of the folder of `sources`
/// has its name.
pub fn say(sources: &Sources, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        if !matches!(
            diagnostic.code,
            Code::MissingConfig
                | Code::MissingRef
                | Code::MissingPage
                | Code::MissingSpec
                | Code::MissingOverlay
                | Code::UnsupportedComponent
                | Code::MissingImport
                | Code::BrokenLink
                | Code::MissingFile
        ) {
            continue;
        }
        let Some(path) = link_out(sources, diagnostic) else {
            continue;
        };
        let why = "a link out of the folder of the site, which is not followed";
        diagnostic.message = match diagnostic.message.contains(MISSING) {
            true => (diagnostic.message).replace(MISSING, &format!("is {why}")),
            false => format!("{}: `{path}` is {why}", diagnostic.message),
        };
        diagnostic.hint = Some("put the file itself in place of the link".to_owned());
        diagnostic.replacement = None;
    }
}

/// The link out of the folder that `diagnostic` names, if there is one.
fn link_out(sources: &Sources, diagnostic: &Diagnostic) -> Option<SitePath> {
    let hint = diagnostic.hint.as_deref().unwrap_or_default();
    let about = [&diagnostic.message, hint].map(|text| text.split('`').skip(1).step_by(2));
    let from = diagnostic.place.path();
    about.into_iter().flatten().find_map(|name| {
        let name = name.split(['?', '#']).next().unwrap_or_default();
        let name = name.trim_end_matches('/');
        let names = [name.to_owned(), format!("{name}.mdx"), format!("{name}.md")];
        let paths = names
            .iter()
            .flat_map(|name| [SitePath::new(name), from.resolve(name)]);
        paths
            .flatten()
            .find(|path| !path.is_url() && sources.leads_out(path))
    })
}
