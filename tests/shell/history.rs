//! What pages take from the repository that they are in: when they were changed last, where they can be edited.

use std::path::Path;
use std::process::Command;

use quire_export::{Plan, build};

use crate::support::folder::{Folder, files_of};
use crate::support::preview::Preview;
use crate::support::wait_until;

const DOCS: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"metadata":{"timestamp":true},
    "feedback":{"thumbs":true,"edits":true,"issues":true},"navigation":{"pages":["start","other"]}}"##;

fn git(folder: &Path, day: &str, arguments: &[&str]) {
    let date = format!("{day}T12:00:00Z");
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .expect("git is there");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaint}");
}

fn commit(folder: &Folder, day: &str) {
    git(folder.path(), day, &["add", "--all"]);
    git(folder.path(), day, &["commit", "--quiet", "-m", "change"]);
}

fn repository() -> Folder {
    let page = |title: &str| format!("---\ntitle: {title}\n---\n\nWords.\n");
    let folder = Folder::new(&[
        ("docs/docs.json", DOCS),
        ("docs/start.mdx", &page("Start & go")),
        ("docs/other.mdx", &page("Other")),
    ]);
    git(
        folder.path(),
        "2020-01-01",
        &["init", "--quiet", "-b", "main"],
    );
    let remote = "https://user:secret@github.com/owner/name.git";
    git(
        folder.path(),
        "2020-01-01",
        &["remote", "add", "origin", remote],
    );
    commit(&folder, "2021-02-03");
    folder.write("docs/other.mdx", page("Other one"));
    commit(&folder, "2022-03-04");
    folder
}

#[test]
fn an_export_says_when_pages_were_changed_and_where_they_are_edited() {
    let folder = repository();
    let out = Folder::new(&[]);
    let plan = |name: &str| Plan {
        folder: folder.at("docs"),
        out: out.at(name),
        base_path: String::new(),
        base_url: Some("https://docs.example".to_owned()),
        trailing_slash: true,
        clean: false,
        force: false,
        cards: true,
        state: None,
    };
    for name in ["one", "two"] {
        build(&plan(name), &|_, _| {}).expect("it builds");
    }
    let files = files_of(&out.at("one"));
    assert_eq!(files, files_of(&out.at("two")));
    for file in files.iter().filter(|file| !file.starts_with('.')) {
        let read = |name: &str| std::fs::read(out.at(name).join(file)).unwrap();
        assert!(read("one") == read("two"), "{file}");
    }
    let start = out.read("one/start/index.html");
    assert!(start.contains("<time datetime=\"2021-02-03\">3 February 2021</time>"));
    assert!(start.contains("\"dateModified\":\"2021-02-03\""));
    let edit = "href=\"https://github.com/owner/name/edit/main/docs/start.mdx\"";
    assert!(start.contains(edit), "{start}");
    let issue = "href=\"https://github.com/owner/name/issues/new?title=Start%20%26%20go&amp;body=start.mdx\"";
    assert!(start.contains(issue), "{start}");
    assert!(!start.contains("secret"));
    assert!(!start.contains("data-page-feedback"), "nobody would answer");
    let map = out.read("one/sitemap.xml");
    assert!(map.contains("<lastmod>2021-02-03</lastmod>"), "{map}");
    assert!(map.contains("<lastmod>2022-03-04</lastmod>"), "{map}");
}

/// No commit is made when a page comes back, or an ignored one is shown.
#[test]
fn a_page_that_appears_gets_its_day() {
    let folder = repository();
    let other = folder.read("docs/other.mdx");
    folder.remove("docs/other.mdx");
    let preview = Preview::start(&folder.at("docs"), quire_http::server::Limits::default());
    let shows = |path: &str, day: &str| {
        let day = format!("<time datetime=\"{day}\">");
        wait_until(&day, || preview.page(path).contains(&day));
    };
    shows("/start", "2021-02-03");
    folder.write("docs/other.mdx", &other);
    shows("/other", "2022-03-04");
    // What no commit has has no day.
    folder.write("docs/new.mdx", "---\ntitle: New\n---\n\nnew-words\n");
    wait_until("the new page", || {
        preview.page("/new").contains("new-words")
    });
    assert!(!preview.page("/new").contains("<time datetime"));
    shows("/start", "2021-02-03");
}

#[test]
fn a_preview_takes_up_the_day_of_a_commit_by_itself() {
    let folder = repository();
    let preview = Preview::start(&folder.at("docs"), quire_http::server::Limits::default());
    let shows = |path: &str, day: &str| {
        let day = format!("<time datetime=\"{day}\">");
        wait_until(&day, || preview.page(path).contains(&day));
    };
    shows("/start", "2021-02-03");
    shows("/other", "2022-03-04");
    let page = preview.page("/start");
    assert!(page.contains("data-page-feedback") && page.contains("Suggest edits"));
    folder.write("docs/start.mdx", "---\ntitle: Start\n---\n\nOther words.\n");
    commit(&folder, "2023-04-05");
    shows("/start", "2023-04-05");
    shows("/other", "2022-03-04");
}
