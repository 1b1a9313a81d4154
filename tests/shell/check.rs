//! `quire check`: formats of code hosts, and what is known already.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::run;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##;

#[track_caller]
fn check(arguments: &[&str], folder: &Folder) -> (i32, String) {
    let (code, out, _) = run(&[&["check", "docs"], arguments].concat(), folder);
    (code, out)
}

#[track_caller]
fn git(arguments: &[&str], folder: &Folder) {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=Author",
            "-c",
            "user.email=author@example.org",
        ])
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("git is there");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

/// A repository whose folder `docs` is a site with one broken link.
fn repository() -> Folder {
    let folder = Folder::new(&[
        ("docs/docs.json", CONFIG),
        ("docs/start.mdx", "---\ntitle: Start\n---\n\n[a](/none)\n"),
    ]);
    git(&["init", "--quiet", "--initial-branch=main"], &folder);
    git(&["add", "."], &folder);
    git(&["commit", "--quiet", "-m", "one"], &folder);
    folder
}

#[test]
fn code_hosts_show_findings_beside_the_lines_of_a_change() {
    let folder = repository();
    folder.write(
        "docs/start.mdx",
        "---\ntitle: Start\n---\n\n[a](/none) [a](/none)\n",
    );
    let (_, out) = check(&["--format", "github"], &folder);
    assert_eq!(
        out,
        "::warning file=docs/start.mdx,line=5,col=5,endColumn=10,title=broken-link::`/none` does not exist\n\
         1 page: 0 errors, 1 warning, 0 remarks\n"
    );
    let (_, out) = check(&["--format", "gitlab"], &folder);
    let issues: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(issues[0]["location"]["path"], "docs/start.mdx");
    assert_eq!(issues[0]["severity"], "minor");
    // The name of a finding stays when lines move.
    folder.write(
        "docs/start.mdx",
        "---\ntitle: Start\n---\n\nMore.\n\n[a](/none)\n",
    );
    let (_, out) = check(&["--format", "gitlab"], &folder);
    let moved: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(moved[0]["fingerprint"], issues[0]["fingerprint"]);
    let (_, out) = check(&["--format", "sarif"], &folder);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "docs/start.mdx");
}

#[test]
fn only_what_a_branch_brings_is_reported() {
    let folder = repository();
    git(&["checkout", "--quiet", "-b", "topic"], &folder);
    let (code, out) = check(&["--since", "main", "--strict"], &folder);
    assert_eq!(
        (code, out.as_str()),
        (0, "1 page: 0 errors, 0 warnings, 0 remarks\n")
    );
    folder.write(
        "docs/start.mdx",
        "---\ntitle: Start\n---\n\nMore.\n\n[a](/none) [b](/nowhere)\n",
    );
    let (code, out) = check(&["--since", "main", "--strict"], &folder);
    assert!(
        code == 1 && out.contains("/nowhere`") && !out.contains("`/none`"),
        "{out}"
    );
    let (code, _) = check(&["--since", "no-such-branch"], &folder);
    assert_eq!(code, 2);
}

#[test]
fn a_baseline_holds_what_is_known() {
    let folder = repository();
    let (_, known) = check(&["--format", "json"], &folder);
    fs::write(folder.path().join("known.json"), known).expect("it is written");
    folder.write(
        "docs/start.mdx",
        "---\ntitle: Start\n---\n\n[b](/nowhere) [a](/none)\n",
    );
    let (_, out) = check(&["--baseline", "known.json"], &folder);
    assert!(
        out.contains("/nowhere`") && !out.contains("`/none`"),
        "{out}"
    );
    fs::write(folder.path().join("known.json"), "{\n").expect("it is written");
    assert_eq!(check(&["--baseline", "known.json"], &folder).0, 2);
}

#[test]
fn a_comment_leaves_out_what_is_found_on_the_next_line() {
    let folder = repository();
    for (comment, is_shown) in [
        ("{/* quire-ignore broken-link */}", false),
        ("{/* quire-ignore */}", false),
        ("<!-- quire-ignore: broken-anchor, broken-link -->", false),
        ("{/* quire-ignore broken-anchor */}", true),
        ("{/* ignore */}", true),
    ] {
        let page = format!("---\ntitle: Start\n---\n\n{comment}\n[a](/none)\n");
        folder.write("docs/start.mdx", &page);
        let (_, out) = check(&[], &folder);
        assert_eq!(out.contains("`/none`"), is_shown, "{comment}: {out}");
        for _ in 0..2 {
            let (_, again) = check(&["--state", "state"], &folder);
            assert_eq!(again, out, "{comment}, with a state folder");
        }
    }
}

/// A site in which one word of each kind of file is misspelt.
fn misspelt() -> Folder {
    let folder = Folder::new(&[
        (
            "docs/docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},
  "favicn":"/a.svg", "navigation":{"pages":["strat"]}}"##,
        ),
        (
            "docs/start.mdx",
            "\u{feff}---\r\ntitle: Start\r\nsidebartitle: 'S' # short\r\n---\r\n\r\n\
             [a](/strat#words) [b](/none)\r\n\r\n## Words\r\n\r\n<Crad titel=\"A\">\r\n\r\nText.\r\n\r\n</Crad>\r\n",
        ),
        ("docs/a.svg", "<svg/>"),
        ("outside.mdx", "[a](/strat)\n"),
    ]);
    std::os::unix::fs::symlink("../outside.mdx", folder.path().join("docs/linked.mdx"))
        .expect("it is linked");
    folder
}

#[test]
fn misspelt_words_are_corrected_in_place() {
    let folder = misspelt();
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).expect("it is there");
    let (config, page) = (read("docs/docs.json"), read("docs/start.mdx"));
    let (code, out) = check(&["--fix", "--dry-run"], &folder);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("--- a/docs.json\n+++ b/docs.json\n@@ -2 +2 @@\n-  \"favicn\"")
            && out.contains(
                "\n@@ -6 +6 @@\n-[a](/strat#words) [b](/none)\n+[a](/start#words) [b](/none)\n"
            )
            && out.contains("\nnothing was written\n"),
        "{out}"
    );
    assert_eq!(
        (read("docs/docs.json"), read("docs/start.mdx")),
        (config.clone(), page.clone())
    );

    let (_, out) = check(&["--fix"], &folder);
    let corrected = config
        .replace("favicn", "favicon")
        .replace("strat", "start");
    assert_eq!(read("docs/docs.json"), corrected);
    let corrected = page
        .replace("sidebartitle", "sidebarTitle")
        .replace("strat", "start")
        .replace("Crad", "Card")
        .replace("titel", "title");
    assert_eq!(read("docs/start.mdx"), corrected);
    assert!(
        out.starts_with("docs.json: 2 places changed\nstart.mdx: 4 places changed\n\n")
            && out.contains("`/none` does not exist")
            && !out.contains("did you mean"),
        "{out}"
    );
    assert_eq!(read("outside.mdx"), "[a](/strat)\n");
    let (_, again) = check(&["--fix"], &folder);
    assert_eq!(again, out.split_once("\n\n").expect("a report").1);
}

#[test]
fn programs_are_told_what_belongs_in_the_place_of_a_word() {
    let folder = Folder::new(&[
        ("docs/docs.json", CONFIG),
        ("docs/start.mdx", "---\ntitle: Start\n---\n\n[a](/strat)\n"),
    ]);
    let (_, out) = check(&["--format", "json"], &folder);
    let found: Value = serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(found["replacement"], "/start");
    assert_eq!(
        (&found["column"], &found["end_column"]),
        (&5.into(), &11.into())
    );
    let (_, out) = check(&["--format", "sarif"], &folder);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let change = &log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "start.mdx");
    assert_eq!(
        change["replacements"][0]["insertedContent"]["text"],
        "/start"
    );
    let region = &change["replacements"][0]["deletedRegion"];
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&5.into(), &11.into())
    );
}
