//! The foot of an article: what readers can say of it here, and where its source is.

use super::{PageOptions, is_served};
use crate::config::theme_config;
use crate::db::Db;
use crate::head::PageHead;
use crate::inputs::Site;
use crate::navigation::PageId;
use base::path::encode_path;
use theme::article::LastModified;
use theme::page_foot::PageFoot;

/// Path that takes feedback about a page, or an answer.
pub(super) const FEEDBACK: &str = "/_quire/feedback";

/// Addresses of a repository on the web, in which `{path}` stands for the path of a page in its folder, `{title}` and `{body}`
/// for what is said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryLinks {
    /// URL to edit the file.
    pub edit: Option<String>,
    /// URL to raise an issue.
    pub issue: Option<String>,
}

/// The foot of `page`.
pub(super) fn page_foot(
    db: &dyn Db,
    site: Site,
    page: PageId,
    head: &PageHead<'_>,
    options: &PageOptions,
) -> PageFoot {
    let theme = theme_config(db, site);
    let telemetry = theme.integrations.telemetry.as_ref();
    // Whoever wants nothing counted wants no feedback.
    let is_wanted = telemetry.is_none_or(|telemetry| telemetry.enabled);
    let settings = Some(&theme.feedback).filter(|_| is_wanted);
    let links = options.repository.as_ref();
    let edit = links
        .filter(|_| settings.is_some_and(|settings| settings.edits))
        .and_then(|links| links.edit.as_ref())
        .zip(page.file());
    let issue = links
        .filter(|_| settings.is_some_and(|settings| settings.issues))
        .and_then(|links| links.issue.as_ref());
    let has_thumbs = is_served(options) && settings.is_some_and(|settings| settings.thumbs);
    PageFoot {
        feedback: has_thumbs.then(|| (FEEDBACK.to_owned(), head.href.clone())),
        edit: edit.map(|(edit, file)| {
            let path = encode_path(file.path(db).as_str());
            edit.replace("{path}", &path)
        }),
        issue: issue.map(|issue| {
            let body = match page.file() {
                Some(file) => file.path(db).to_string(),
                None => head.route.to_string(),
            };
            // Neither can hold the sign of the other: both are encoded.
            issue
                .replace("{title}", &super::menu::component(&head.title))
                .replace("{body}", &super::menu::component(&body))
        }),
        last_modified: head.timestamp.as_deref().map(LastModified::of_text),
    }
}
