//! The stylesheets and scripts of a site's own: whatever `.css` and `.js` stands in its folder is on every page.
//!
//! The reference product includes each such file on all pages (documentation of custom scripts). Files come in the order
//! of their paths, after the theme and after the rules of utility classes, so that they win. Their addresses hold the
//! digest of their content, so that a browser may keep them.

use crate::db::Db;
use crate::inputs::{FileBucket, Site, SourceFile};
use base::content::ContentHash;
use base::path::{SitePath, encode_path};

/// The addresses of a site's own stylesheets and scripts, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFiles {
    /// Stylesheets.
    pub styles: Vec<String>,
    /// Scripts.
    pub scripts: Vec<String>,
}

/// Whether the file at `path` is a stylesheet or a script of the site: not a snippet, and nothing that a tool has made.
pub fn is_own_file(path: &SitePath) -> bool {
    let is_of_tool = |folder: &str| {
        matches!(
            folder,
            "snippets" | "_snippets" | "build" | "dist" | "coverage" | "tmp" | "temp"
        )
    };
    matches!(path.extension().as_str(), "css" | "js") && !path.folder().split('/').any(is_of_tool)
}

/// The stylesheets and scripts of one bucket. Wakes when a file of the bucket appears or vanishes.
#[salsa::tracked]
pub fn bucket_own_files(db: &dyn Db, bucket: FileBucket) -> Vec<SourceFile> {
    let files = bucket.files(db).iter();
    let own = files.filter(|(path, _)| is_own_file(path));
    own.map(|(_, file)| *file).collect()
}

/// What every page includes of the site's own.
///
/// Read by every page while it is composed, outside of any query. Wakes when a stylesheet or a script appears, vanishes
/// or changes; no memo rests on it, so that no page is drawn again for it.
#[salsa::tracked]
pub fn own_files(db: &dyn Db, site: Site) -> OwnFiles {
    let mut files: Vec<SourceFile> = site
        .buckets(db)
        .iter()
        .flat_map(|bucket| bucket_own_files(db, *bucket))
        .copied()
        .collect();
    files.sort_by(|a, b| a.path(db).cmp(b.path(db)));
    let mut own = OwnFiles::default();
    for file in files {
        let (path, digest) = (file.path(db), file.digest(db));
        let url = format!(
            "{}/{}?{}",
            site.base_path(db),
            encode_path(path.as_str()),
            own_file_query(digest)
        );
        if path.extension() == "css" {
            own.styles.push(url);
        } else if !is_module(&String::from_utf8_lossy(&db.bytes(digest))) {
            own.scripts.push(url);
        }
    }
    own
}

/// The query in the address of a file whose content has `digest`.
pub fn own_file_query(digest: ContentHash) -> String {
    format!("v={}", digest.short())
}

/// Whether `text` imports or exports: such a file is a module, for a page or another module to import, or the configuration
/// of a tool, and as a script by itself it would be an error.
fn is_module(text: &str) -> bool {
    text.lines().any(|line| {
        let word = |word: &str| {
            line.strip_prefix(word)
                .is_some_and(|rest| rest.starts_with([' ', '{', '*', '"', '\'']))
        };
        word("export")
            || word("import")
            || line.starts_with("module.exports")
            || line.starts_with("exports.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_own(path: &str, expected: bool) {
        assert_eq!(
            is_own_file(&SitePath::new(path).unwrap()),
            expected,
            "{path}"
        );
    }

    #[test]
    fn any_stylesheet_and_script_is_of_the_site() {
        check_own("style.css", true);
        check_own("assets/deep/Custom.CSS", true);
        check_own("scripts/analytics.js", true);
        check_own("snippets/box.js", false);
        check_own("es/snippets/a/box.css", false);
        check_own("dist/bundle.js", false);
        check_own("component.jsx", false);
        check_own("style.css.mdx", false);
    }

    #[test]
    fn what_exports_is_a_module() {
        assert!(is_module("// x\nexport const a = 1;"));
        assert!(is_module("import {a} from './a.js'\n"));
        assert!(is_module("import'./a.js'\n"));
        assert!(is_module("module.exports = {\n};\n"));
        assert!(!is_module("!function(e){module.exports=e()}(1)"));
        assert!(!is_module(
            "const exported = 1; // export\nimports();\nimport('./a.js');"
        ));
    }
}
