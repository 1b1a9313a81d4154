//! Web address of a repository, built from the address it was cloned from, the branch and a folder
//! in it.

use std::path::Path;

use queries::base::path::{encode_address, encode_path};
use queries::site::RepositoryLinks;

use super::{Checkout, Repository, run};

/// Programs that serve repositories, by how their addresses look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forge {
    Github,
    Gitlab,
    Bitbucket,
    Forgejo,
}

impl Forge {
    /// The program behind `host`, as far as its name says so.
    fn of(host: &str) -> Option<Self> {
        let host = host.to_ascii_lowercase();
        let has = |name: &str| host.split(['.', '-']).any(|part| part == name);
        Some(if has("github") {
            Self::Github
        } else if has("gitlab") {
            Self::Gitlab
        } else if host == "bitbucket.org" {
            Self::Bitbucket
        } else if has("codeberg") || has("forgejo") || has("gitea") {
            Self::Forgejo
        } else {
            return None;
        })
    }

    /// The links of the repository at `base`: of the files below `folder` of `branch`.
    fn links(self, base: &str, branch: Option<&str>, folder: &str) -> RepositoryLinks {
        let place = branch.map(|branch| {
            let branch = encode_path(branch);
            let folder = encode_path(folder);
            let slash = if folder.is_empty() { "" } else { "/" };
            format!("{branch}/{folder}{slash}{{path}}")
        });
        let edit = place.map(|place| match self {
            Self::Github => format!("{base}/edit/{place}"),
            Self::Gitlab => format!("{base}/-/edit/{place}"),
            Self::Bitbucket => format!("{base}/src/{place}?mode=edit"),
            Self::Forgejo => format!("{base}/_edit/{place}"),
        });
        let issue = match self {
            Self::Github | Self::Forgejo => {
                format!("{base}/issues/new?title={{title}}&body={{body}}")
            }
            Self::Gitlab => format!(
                "{base}/-/issues/new?issue%5Btitle%5D={{title}}&issue%5Bdescription%5D={{body}}"
            ),
            Self::Bitbucket => format!("{base}/issues/new?title={{title}}"),
        };
        RepositoryLinks {
            edit,
            issue: Some(issue),
        }
    }
}

/// Host and path of the repository at `remote`, in any of the forms that `git` takes; none of a folder of this machine. Names
/// and passwords are left out.
fn parts(remote: &str) -> Option<(&str, &str)> {
    let (authority, path) = match remote.split_once("://") {
        Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        // `git@host:owner/name`; what has a slash before the colon is a folder.
        None => (remote.split_once(':')).filter(|(host, _)| !host.contains(['/', '\\']))?,
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_host = host.contains('.')
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let is_path = path.contains('/') && !path.contains(['?', '#', '"', '<', '>', '\\', '{', '}']);
    let is_path = is_path && !path.contains("..") && !path.contains(char::is_whitespace);
    (is_host && is_path).then_some((host, path))
}

/// The links of the repository that was cloned from `remote`.
fn links(remote: &str, branch: Option<&str>, folder: &str) -> Option<RepositoryLinks> {
    let (host, path) = parts(remote.trim())?;
    let base = format!("https://{host}/{}", encode_address(path));
    Some(Forge::of(host)?.links(&base, branch, folder))
}

impl Repository {
    fn line(&self, arguments: &[&str]) -> Option<String> {
        let mut ask = self.git();
        ask.args(arguments);
        let text = String::from_utf8(run(&mut ask).ok()?).ok()?;
        let line = text.lines().next().unwrap_or_default().trim();
        (!line.is_empty()).then(|| line.to_owned())
    }

    /// Web address of the files of `folder`; `branch` replaces the one that is checked out.
    pub fn links(&self, folder: &str, branch: Option<&str>) -> Option<RepositoryLinks> {
        let remote = self.line(&["config", "--get", "remote.origin.url"])?;
        let current = || {
            let known = |name| self.line(&["symbolic-ref", "--quiet", "--short", name]);
            // A commit is checked out by itself: the branch that others see first.
            let first = || {
                let name = known("refs/remotes/origin/HEAD")?;
                name.strip_prefix("origin/").map(str::to_owned)
            };
            known("HEAD").or_else(first)
        };
        let branch = branch.map(str::to_owned).or_else(current);
        links(&remote, branch.as_deref(), folder)
    }
}

/// Web address of the files of `folder`; `None` without a repository, or for a host that is not
/// known.
pub fn links_in(folder: &Path) -> Option<RepositoryLinks> {
    Checkout::containing(folder)?;
    let (repository, prefix) = Repository::containing(folder).ok()??;
    repository.links(&prefix, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(remote: &str) -> String {
        let links = links(remote, Some("main"), "docs site");
        links.and_then(|links| links.edit).unwrap_or_default()
    }

    #[test]
    fn every_form_of_an_address_is_read() {
        let expected = "https://github.com/owner/name/edit/main/docs%20site/{path}";
        for remote in [
            "https://github.com/owner/name.git",
            "https://user:secret@github.com/owner/name",
            "git@github.com:owner/name.git",
            "ssh://git@github.com:22/owner/name.git/",
            "git://github.com/owner/name",
        ] {
            assert_eq!(edit(remote), expected, "{remote}");
        }
    }

    #[test]
    fn each_forge_has_its_addresses() {
        assert_eq!(
            edit("https://gitlab.example.org/a/b/c.git"),
            "https://gitlab.example.org/a/b/c/-/edit/main/docs%20site/{path}"
        );
        assert_eq!(
            edit("git@bitbucket.org:a/b.git"),
            "https://bitbucket.org/a/b/src/main/docs%20site/{path}?mode=edit"
        );
        assert_eq!(
            edit("https://codeberg.org/a/b"),
            "https://codeberg.org/a/b/_edit/main/docs%20site/{path}"
        );
        let issue = links("https://codeberg.org/a/b", None, "").unwrap();
        assert_eq!(issue.edit, None, "no branch is known");
        let issue = issue.issue.unwrap();
        assert_eq!(
            issue,
            "https://codeberg.org/a/b/issues/new?title={title}&body={body}"
        );
    }

    #[test]
    fn what_is_not_on_the_web_has_no_address() {
        for remote in [
            "/srv/git/name.git",
            "file:///srv/git/name.git",
            "../name",
            "C:\\git\\name",
            "https://git.example.org/a/b",
            "https://github.com/name",
            "https://github.com/a/b\"><script>",
            "https://github.com/a/../b",
            "ext::sh -c x",
            "",
        ] {
            assert_eq!(edit(remote), "", "{remote}");
        }
    }
}
