//! Paths that other software serves below the address of the site: `external` of `[check]` in `quire.toml`.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use base::diagnostic::{Advice, Code, Diagnostic, Parsed, near};
use base::path::SitePath;
use base::place::Place;

/// Fields of `[check]`.
const FIELDS: [&str; 1] = ["external"];

/// Beginnings of paths, without a slash at their end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalPaths(Vec<String>);

impl ExternalPaths {
    /// Returns true if `path`, which begins with a slash, is one of them or below one.
    pub fn covers(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let mut below = self
            .0
            .iter()
            .filter_map(|known| path.strip_prefix(&**known));
        below.any(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The paths of the `quire.toml` at `path` with the content `text`. What is no TOML is said where its rules are read.
    pub fn of_toml(path: &SitePath, text: &str) -> Parsed<Self> {
        let mut parsed = Parsed::<Self>::default();
        let mut say = |code, span: Range<usize>, message: String, advice: Option<Advice>| {
            let place = Place::in_text(path, text, span.start, span.len().max(1));
            let diagnostic = Diagnostic::new(code, place, message);
            parsed.diagnostics.push(diagnostic.advise(advice));
        };
        let (file, _) = DeTable::parse_recoverable(text);
        let Some(check) = file.get_ref().get("check") else {
            return parsed;
        };
        let Some(table) = check.get_ref().as_table() else {
            let hint = "write a table: `[check]`, and below it `external = [\"/blog\"]`";
            let message = "`check` must be a table".to_owned();
            say(Code::InvalidField, check.span(), message, Some(hint.into()));
            return parsed;
        };
        let mut paths = Vec::new();
        for (name, value) in table {
            if name.get_ref() != "external" {
                let message = format!("`{}` is not known here and is ignored", name.get_ref());
                let near = near(name.get_ref(), FIELDS);
                let advice = near.map(|near| near.advice());
                say(Code::UnknownField, name.span(), message, advice);
                continue;
            }
            let DeValue::Array(items) = value.get_ref() else {
                let message = "`external` must be a list of paths".to_owned();
                let hint = "write `external = [\"/blog\"]`";
                say(Code::InvalidField, value.span(), message, Some(hint.into()));
                continue;
            };
            for item in items.iter() {
                match item.get_ref().as_str().filter(|path| path.starts_with('/')) {
                    // All of them would leave nothing to check.
                    Some(path) if path.trim_end_matches(['/', '*']).is_empty() => {
                        let message = "`external` cannot be the whole site".to_owned();
                        say(Code::InvalidField, item.span(), message, None);
                    }
                    Some(path) => paths.push(path.trim_end_matches(['/', '*']).to_owned()),
                    None => {
                        let message = "each item of `external` must be a path that begins with `/`";
                        say(Code::InvalidField, item.span(), message.to_owned(), None);
                    }
                }
            }
        }
        parsed.value = Self(paths);
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (ExternalPaths, Vec<String>) {
        let path = SitePath::new("quire.toml").unwrap();
        let Parsed { value, diagnostics } = ExternalPaths::of_toml(&path, text);
        (
            value,
            diagnostics.into_iter().map(|found| found.message).collect(),
        )
    }

    #[test]
    fn external_paths_cover_what_is_below_them() {
        let (paths, diagnostics) = parsed("[check]\nexternal = [\"/blog/\", \"/app/*\"]\n");
        assert!(diagnostics.is_empty());
        for path in ["/blog", "/blog/", "/blog/a", "/app/a/b"] {
            assert!(paths.covers(path), "{path}");
        }
        for path in ["/", "/blogs", "/guide/blog"] {
            assert!(!paths.covers(path), "{path}");
        }
        assert!(!parsed("[rules]\n").0.covers("/blog"));
    }

    #[test]
    fn external_paths_that_cannot_be_meant_are_reported() {
        for (text, message) in [
            ("check = 1", "`check` must be a table"),
            (
                "[check]\nextrenal = []",
                "`extrenal` is not known here and is ignored",
            ),
            (
                "[check]\nexternal = \"/a\"",
                "`external` must be a list of paths",
            ),
            (
                "[check]\nexternal = [\"a\"]",
                "each item of `external` must be a path that begins with `/`",
            ),
            (
                "[check]\nexternal = [\"/\"]",
                "`external` cannot be the whole site",
            ),
        ] {
            let (paths, diagnostics) = parsed(text);
            assert_eq!(diagnostics, [message], "{text}");
            assert!(!paths.covers("/a"));
        }
    }
}
