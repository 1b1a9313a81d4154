//! `quire mv`: what is moved, what names it, and what redirects.

use std::fs;

use crate::support::folder::Folder;
use crate::support::program::run;

const CONFIG: &str = r##"{
  "name": "T",
  "theme": "mint",
  "colors": { "primary": "#000000" },
  "navigation": { "pages": ["start", "guides/first", "guides/second"] }
}
"##;

fn site() -> Folder {
    Folder::new(&[
        ("docs/docs.json", CONFIG),
        (
            "docs/start.mdx",
            "---\ntitle: Start\n---\nimport Part from '/snippets/part.mdx';\n\n[first](/guides/first#part) \
             ![](/images/a.png)\n\n<Part />\n",
        ),
        (
            "docs/guides/first.mdx",
            "---\ntitle: First\n---\n\n## Part\n\n[second](./second) ![](../images/a.png)\n",
        ),
        (
            "docs/guides/second.mdx",
            "---\ntitle: Second\n---\n\n[first](first.mdx) and `[first](first.mdx)`\n",
        ),
        ("docs/snippets/part.mdx", "[second](/guides/second)\n"),
        ("docs/images/a.png", ""),
    ])
}

#[track_caller]
fn read(folder: &Folder, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).expect("it is there")
}

/// Checks that the site has nothing wrong.
#[track_caller]
fn check(folder: &Folder) {
    let (code, out, err) = run(&["check", "docs", "--strict"], folder);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_page_takes_its_links_and_its_address_along() {
    let folder = site();
    check(&folder);
    let (code, out, err) = run(&["mv", "docs/guides/first.mdx", "docs/begin"], &folder);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        out,
        "guides/first.mdx -> begin.mdx\n\
         docs.json: 1 place changed\n\
         begin.mdx: 2 places changed\n\
         guides/second.mdx: 1 place changed\n\
         start.mdx: 1 place changed\n\
         docs.json: 1 redirect added\n"
    );
    let begin = read(&folder, "docs/begin.mdx");
    assert!(
        begin.contains("[second](./guides/second) ![](images/a.png)"),
        "{begin}"
    );
    let second = read(&folder, "docs/guides/second.mdx");
    assert!(
        second.contains("[first](../begin.mdx) and `[first](first.mdx)`"),
        "{second}"
    );
    let start = read(&folder, "docs/start.mdx");
    assert!(start.contains("[first](/begin#part)"), "{start}");
    let config = read(&folder, "docs/docs.json");
    let redirect = "{ \"source\": \"/guides/first\", \"destination\": \"/begin\" }";
    assert!(
        config.contains(redirect) && config.contains("[\"start\", \"begin\","),
        "{config}"
    );
    check(&folder);
}

#[test]
fn folders_snippets_and_pictures_are_moved_too() {
    let folder = site();
    for arguments in [
        ["mv", "docs/guides", "docs/learn/more"],
        ["mv", "docs/snippets/part.mdx", "docs/snippets/whole.mdx"],
        ["mv", "docs/images/a.png", "docs/images/b.png"],
    ] {
        let (code, out, err) = run(&arguments, &folder);
        assert_eq!(code, 0, "{out}{err}");
    }
    check(&folder);
    let first = read(&folder, "docs/learn/more/first.mdx");
    assert!(
        first.contains("[second](./second) ![](../../images/b.png)"),
        "{first}"
    );
    let start = read(&folder, "docs/start.mdx");
    assert!(start.contains("'/snippets/whole.mdx'"), "{start}");
    // A second move leads both old addresses to the new one.
    run(
        &["mv", "docs/learn/more/first.mdx", "docs/first.mdx"],
        &folder,
    );
    let config = read(&folder, "docs/docs.json");
    assert_eq!(
        config.matches("\"destination\": \"/first\"").count(),
        2,
        "{config}"
    );
    check(&folder);
}

#[test]
fn what_another_program_has_moved_is_followed() {
    let folder = site();
    let rename = |old: &str, new: &str| {
        fs::rename(folder.at(old), folder.at(new)).expect("it is moved");
    };
    rename("docs/guides/first.mdx", "docs/begin.mdx");
    let (code, out, err) = run(
        &["mv", "--moved", "docs/guides/first.mdx", "docs/begin"],
        &folder,
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(
        out,
        "guides/first.mdx -> begin.mdx (moved already)\n\
         docs.json: 1 place changed\n\
         begin.mdx: 2 places changed\n\
         guides/second.mdx: 1 place changed\n\
         start.mdx: 1 place changed\n\
         docs.json: 1 redirect added\n"
    );
    check(&folder);
    rename("docs/snippets", "docs/parts");
    let (code, out, err) = run(&["mv", "docs/snippets", "docs/parts", "--moved"], &folder);
    assert_eq!(code, 0, "{out}{err}");
    assert!(read(&folder, "docs/start.mdx").contains("'/parts/part.mdx'"));
    check(&folder);
    let before = read(&folder, "docs/docs.json");
    for (arguments, message) in [
        (&["mv", "docs/none.mdx", "docs/a.mdx"][..], "--moved says"),
        (
            &["mv", "--moved", "docs/start.mdx", "docs/a.mdx"],
            "it was not moved yet",
        ),
        (
            &["mv", "--moved", "docs/none.mdx", "docs/a.mdx"],
            "this is not where it was moved to",
        ),
    ] {
        let (code, _, err) = run(arguments, &folder);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
    assert_eq!(read(&folder, "docs/docs.json"), before);
}

#[test]
fn what_cannot_be_moved_is_refused_and_nothing_is_written() {
    let folder = site();
    let before = read(&folder, "docs/docs.json");
    for (old, new, message) in [
        (
            "docs/none.mdx",
            "docs/a.mdx",
            "there is no such file or folder",
        ),
        (
            "docs/start.mdx",
            "docs/guides/first.mdx",
            "there is a file of this name already",
        ),
        ("docs/start.mdx", "elsewhere.mdx", "it would leave the site"),
        (
            "docs/guides",
            "docs/guides/inner",
            "a folder cannot be moved into itself",
        ),
    ] {
        let (code, _, err) = run(&["mv", old, new], &folder);
        assert!(code == 2 && err.contains(message), "{old}: {err}");
    }
    let (code, out, _) = run(
        &["mv", "docs/start.mdx", "docs/begin.mdx", "--dry-run"],
        &folder,
    );
    assert!(code == 0 && out.ends_with("nothing was written\n"), "{out}");
    assert_eq!(read(&folder, "docs/docs.json"), before);
    assert!(folder.path().join("docs/start.mdx").is_file());
}
