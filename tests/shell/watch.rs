//! Read your writes: once a write has returned, the next request sees it, however the file was written.

use std::fs;
use std::process::{Command, Stdio};

use queries::frame::{self, PageOptions};
use queries::theme::search::SearchSource;
use quire_engine::publish::Publisher;
use quire_http::server::Limits;
use quire_settings::SiteSettings;
use quire_source::load::load;

use crate::random_numbers::Random;
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::wait_until;

const CONFIG: &str = r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other"]}}"##;

fn page(body: &str) -> String {
    format!("---\ntitle: A page\n---\n\n{body}\n")
}

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", CONFIG),
        ("start.mdx", &page("first-words")),
        ("other.mdx", &page("other-words")),
    ])
}

#[track_caller]
fn assert_shows(preview: &Preview, target: &str, words: &str) {
    let text = preview.page(target);
    assert!(text.contains(words), "{target} does not show {words}");
}

#[test]
fn a_save_in_place_is_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    for i in 0..100 {
        folder.write("start.mdx", page(&format!("words-{i}-end")));
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
    }
}

#[test]
fn a_save_by_rename_is_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    for i in 0..50 {
        folder.write_by_rename("start.mdx", &page(&format!("words-{i}-end")));
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
    }
}

#[test]
fn a_file_removed_and_written_again_is_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    for i in 0..20 {
        folder.remove("start.mdx");
        if i % 2 == 0 {
            assert_eq!(preview.status("/start"), 404);
        }
        folder.write("start.mdx", page(&format!("words-{i}-end")));
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
    }
}

#[test]
fn a_file_truncated_and_then_written_is_seen() {
    use std::io::Write;
    let folder = site();
    let preview = Preview::of(&folder);
    for i in 0..20 {
        let mut file = fs::File::create(folder.at("start.mdx")).expect("truncate");
        assert!(!preview.page("/start").contains("first-words"));
        file.write_all(page(&format!("words-{i}-end")).as_bytes())
            .expect("write");
        // The file is still open: what has been written is there all the same.
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
        drop(file);
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
    }
}

#[test]
fn many_files_in_new_nested_folders_are_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    for round in 0..5 {
        for i in 0..50 {
            folder.write(&format!("n{round}/b/c/p{i}.mdx"), page("deep-words"));
        }
        let mut connection = preview.connect();
        for i in 0..50 {
            let target = format!("/n{round}/b/c/p{i}");
            assert_eq!(connection.get(&target).status, 200, "{target}");
        }
        // The new folders are watched from now on.
        folder.write(&format!("n{round}/b/c/p7.mdx"), page("new-deep-words"));
        assert_shows(&preview, &format!("/n{round}/b/c/p7"), "new-deep-words");
    }
}

#[test]
fn a_folder_that_is_renamed_or_moved_takes_its_pages_along() {
    let folder = site();
    folder.write("a/x/one.mdx", page("one"));
    folder.write("b/two.mdx", page("two"));
    let preview = Preview::of(&folder);
    let mut now = "a".to_owned();
    for i in 0..10 {
        let next = if i % 2 == 0 {
            format!("b/m{i}")
        } else {
            format!("r{i}")
        };
        folder.rename(&now, &next);
        assert_eq!(preview.status(&format!("/{now}/x/one")), 404);
        assert_shows(&preview, &format!("/{next}/x/one"), "one");
        // It is watched where it is now, and not taken for where it was.
        folder.write(&format!("{next}/x/one.mdx"), page(&format!("one-{i}-end")));
        assert_shows(&preview, &format!("/{next}/x/one"), &format!("one-{i}-end"));
        folder.write(&format!("{next}/x/new{i}.mdx"), page("new"));
        assert_eq!(preview.status(&format!("/{next}/x/new{i}")), 200);
        assert_eq!(preview.status(&format!("/{now}/x/new{i}")), 404);
        now = next;
    }
}

#[test]
fn a_folder_that_leaves_the_site_is_gone() {
    let folder = Folder::new(&[
        ("site/docs.json", CONFIG),
        ("site/start.mdx", &page("start")),
        ("site/a/b/one.mdx", &page("one")),
    ]);
    let preview = Preview::start(&folder.at("site"), Limits::default());
    assert_eq!(preview.status("/a/b/one"), 200);
    folder.rename("site/a", "gone");
    assert_eq!(preview.status("/a/b/one"), 404);
    folder.rename("gone", "site/a");
    assert_eq!(preview.status("/a/b/one"), 200);
    folder.write("site/a/b/one.mdx", page("one-again"));
    assert_shows(&preview, "/a/b/one", "one-again");
}

#[test]
fn a_folder_removed_and_made_again_is_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    for i in 0..20 {
        folder.write("again/deep/one.mdx", page(&format!("one-{i}-end")));
        folder.write(&format!("again/two{i}.mdx"), page("two"));
        assert_shows(&preview, "/again/deep/one", &format!("one-{i}-end"));
        folder.write("again/deep/one.mdx", page(&format!("edited-{i}-end")));
        assert_shows(&preview, "/again/deep/one", &format!("edited-{i}-end"));
        folder.remove("again");
        if i % 2 == 0 {
            assert_eq!(preview.status(&format!("/again/two{i}")), 404);
        }
    }
    folder.write("again/last.mdx", page("last"));
    assert_eq!(preview.status("/again/last"), 200);
    assert_eq!(preview.status("/again/two3"), 404);
}

#[test]
fn a_folder_replaced_by_a_file_is_gone() {
    let folder = site();
    folder.write("a/one.mdx", page("one"));
    let preview = Preview::of(&folder);
    folder.remove("a");
    folder.write("a", "no folder");
    assert_eq!(preview.status("/a/one"), 404);
    folder.remove("a");
    folder.write("a/one.mdx", page("one-again"));
    assert_shows(&preview, "/a/one", "one-again");
}

#[test]
fn a_rename_that_changes_only_the_case_is_seen() {
    let folder = site();
    folder.write("guide.mdx", page("words"));
    let preview = Preview::of(&folder);
    folder.rename("guide.mdx", "Guide.mdx");
    assert_eq!(
        (preview.status("/guide"), preview.status("/Guide")),
        (404, 200)
    );
    folder.rename("Guide.mdx", "guide.mdx");
    assert_eq!(
        (preview.status("/guide"), preview.status("/Guide")),
        (200, 404)
    );
}

#[test]
fn a_link_shows_what_it_leads_to_now() {
    let folder = site();
    folder.write("parts/one.mdx", page("link-one"));
    folder.write("parts/two.mdx", page("link-two"));
    let link = |to: &str| {
        std::os::unix::fs::symlink(to, folder.at("link.tmp")).expect("a link");
        folder.rename("link.tmp", "link.mdx");
    };
    let preview = Preview::of(&folder);
    link("parts/one.mdx");
    assert_shows(&preview, "/link", "link-one");
    link("parts/two.mdx");
    assert_shows(&preview, "/link", "link-two");
    folder.write("parts/two.mdx", page("link-edited"));
    assert_shows(&preview, "/link", "link-edited");
    folder.remove("parts/two.mdx");
    assert_eq!(preview.status("/link"), 404);
    folder.write("parts/two.mdx", page("link-again"));
    assert_shows(&preview, "/link", "link-again");
    link("../outside.mdx");
    assert_eq!(preview.status("/link"), 404);
}

#[test]
fn a_link_that_was_there_from_the_start_follows_its_target() {
    let folder = site();
    std::os::unix::fs::symlink("start.mdx", folder.at("link.mdx")).expect("a link");
    std::os::unix::fs::symlink("later.mdx", folder.at("dangling.mdx")).expect("a link");
    let preview = Preview::of(&folder);
    folder.write("start.mdx", page("new-words"));
    assert_shows(&preview, "/link", "new-words");
    assert_eq!(preview.status("/dangling"), 404);
    folder.write("later.mdx", page("later-words"));
    assert_shows(&preview, "/dangling", "later-words");
}

#[test]
fn ignore_rules_work_when_they_are_written() {
    let folder = site();
    folder.write("drafts/a/one.mdx", page("one"));
    let preview = Preview::of(&folder);
    assert_eq!(preview.status("/drafts/a/one"), 200);
    folder.write(".mintignore", "drafts/\n");
    assert_eq!(preview.status("/drafts/a/one"), 404);
    folder.write("drafts/a/two.mdx", page("two"));
    assert_eq!(preview.status("/drafts/a/two"), 404);
    folder.write(".mintignore", "nothing/\n");
    assert_shows(&preview, "/drafts/a/two", "two");
    folder.write("drafts/a/two.mdx", page("two-again"));
    assert_shows(&preview, "/drafts/a/two", "two-again");
    folder.remove(".mintignore");
    assert_eq!(preview.status("/drafts/a/one"), 200);
}

#[test]
fn the_configuration_can_be_edited_broken_and_mended() {
    let folder = site();
    let preview = Preview::of(&folder);
    folder.write("docs.json", CONFIG.replace("\"T\"", "\"Renamed site\""));
    assert_shows(&preview, "/start", "Renamed site");
    folder.write("docs.json", "{ \"name\": ");
    assert_shows(&preview, "/start", "first-words");
    folder.remove("docs.json");
    assert_shows(&preview, "/start", "first-words");
    folder.write("docs.json", CONFIG.replace("\"T\"", "\"Mended site\""));
    assert_shows(&preview, "/start", "Mended site");
}

#[test]
fn an_edit_that_keeps_size_and_time_is_seen() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_shows(&preview, "/start", "first-words");
    let path = folder.at("start.mdx");
    let time = fs::metadata(&path).and_then(|metadata| metadata.modified());
    folder.write("start.mdx", page("fresh-words"));
    let file = fs::File::options().write(true).open(&path).expect("open");
    file.set_modified(time.expect("a time")).expect("set it");
    drop(file);
    assert_shows(&preview, "/start", "fresh-words");
}

#[test]
fn a_burst_like_a_checkout_is_seen_whole() {
    let folder = site();
    for i in 0..500 {
        folder.write(
            &format!("d{}/p{i}.mdx", i % 20),
            page(&format!("old-{i}-end")),
        );
    }
    let preview = Preview::of(&folder);
    for i in 0..500 {
        let path = format!("d{}/p{i}.mdx", i % 20);
        if i % 5 == 0 {
            folder.remove(&path);
        } else {
            folder.write_by_rename(&path, &page(&format!("new-{i}-end")));
        }
    }
    let mut connection = preview.connect();
    for i in 0..500 {
        let target = format!("/d{}/p{i}", i % 20);
        let reply = connection.get(&target);
        if i % 5 == 0 {
            assert_eq!(reply.status, 404, "{target}");
        } else {
            assert!(reply.text().contains(&format!("new-{i}-end")), "{target}");
        }
    }
}

#[test]
fn saving_what_is_there_already_starts_no_revision() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_eq!(preview.status("/start"), 200);
    let before = preview.revision();
    folder.write("start.mdx", page("first-words"));
    folder.write_by_rename("other.mdx", &page("other-words"));
    folder.write("docs.json", CONFIG);
    folder.write(".hidden/file.mdx", page("hidden"));
    assert_eq!(preview.status("/start"), 200);
    assert_eq!(preview.revision(), before);
    folder.write("start.mdx", page("second-words"));
    assert_shows(&preview, "/start", "second-words");
    assert_eq!(preview.revision(), before + 1);
}

/// Every address of the preview and what it sends, but for what the preview adds.
#[track_caller]
fn assert_like_a_fresh_load(preview: &Preview, folder: &Folder) {
    let fresh = load(folder.path(), "").expect("the site loads").host;
    // Only the preview knows what it calls the site; each of its pages says it.
    let first = fresh
        .read(|db, site| {
            let routes = queries::site::route_table(db, site);
            routes.pages.keys().next().map(|route| route.href())
        })
        .expect("it can be asked");
    let shown = first.map(|first| preview.get(&first).text());
    let shown = shown.unwrap_or_default();
    let told = |name: &str| {
        shown
            .split(&format!("<meta name=\"quire-{name}\" content=\""))
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .map(str::to_owned)
    };
    let search = told("search").map(SearchSource::Service);
    let options = PageOptions {
        cards: true,
        preview_token: None,
        base_url: None,
        search,
        assistant: told("assistant"),
        mock: Some(queries::site::MOCK.to_owned()),
        mcp: Some("/mcp".to_owned()),
        vendors: false,
        is_untrusted: false,
        counts: None,
        repository: None,
    };
    let expected = fresh
        .read(|db, site| {
            let routes = queries::site::route_table(db, site).clone();
            let pages: Vec<_> = routes
                .pages
                .iter()
                .map(|(route, file)| {
                    let page = frame::page_html(db, site, *file, &options);
                    (route.clone(), page.digest)
                })
                .collect();
            let diagnostics = queries::site::site_diagnostics(db, site);
            let files: Vec<String> = routes.files.keys().cloned().collect();
            (pages, files, routes.home.clone(), diagnostics)
        })
        .expect("it can be asked");
    // The request makes sure that everything has been seen.
    preview.get("/");
    let snapshot = preview.publisher().snapshot();
    let routes: Vec<_> = snapshot.routes.pages.keys().cloned().collect();
    let found = (
        preview.publisher().digests(&routes).into_iter().collect(),
        snapshot.routes.files.keys().cloned().collect::<Vec<_>>(),
        snapshot.routes.home.clone(),
        preview
            .publisher()
            .host()
            .read(|db, site| queries::site::site_diagnostics(db, site))
            .expect("it can be asked"),
    );
    assert_eq!(found, expected);
}

#[test]
fn after_a_storm_of_edits_everything_is_as_if_loaded_afresh() {
    for seed in 1..=4 {
        let folder = site();
        let preview = Preview::of(&folder);
        let mut numbers = Random::new(seed);
        for step in 0..300 {
            random_edit(&folder, &mut numbers, step);
            match numbers.below(12) {
                0 => {
                    preview.get("/start");
                }
                1 => {
                    preview.get("/a/p1");
                }
                2 if step % 3 == 0 => assert_like_a_fresh_load(&preview, &folder),
                _ => {}
            }
        }
        assert_like_a_fresh_load(&preview, &folder);
    }
}

fn random_edit(folder: &Folder, numbers: &mut Random, step: usize) {
    const FOLDERS: &[&str] = &["", "a/", "b/", "a/c/", "b/d/e/"];
    let mut file = || {
        let at = FOLDERS[numbers.below(FOLDERS.len())];
        format!("{at}p{}.mdx", numbers.below(4))
    };
    let (one, two) = (file(), file());
    let title = format!(
        "---\ntitle: Title {}\n---\n\nBody {step} with a [link](/{}).\n",
        numbers.below(3),
        two.trim_end_matches(".mdx")
    );
    let top = ["a", "b", "a/c", "b/d"][numbers.below(4)];
    let is_there = |path: &str| folder.at(path).exists();
    match numbers.below(16) {
        0..5 => folder.write(&one, title),
        5 | 6 => folder.write_by_rename(&one, &title),
        7 if is_there(&one) => folder.remove(&one),
        8 if is_there(&one) && one != two => {
            let parent = folder.at(&two);
            fs::create_dir_all(parent.parent().expect("below")).expect("make folders");
            folder.rename(&one, &two);
        }
        9 if is_there(top) => folder.remove(top),
        10 if is_there(top) && !is_there("moved") => folder.rename(top, "moved"),
        11 if is_there("moved") && !is_there(top) => {
            let parent = folder.at(top);
            fs::create_dir_all(parent.parent().expect("below")).expect("make folders");
            folder.rename("moved", top);
        }
        12 => folder.write(&one, "---\ntitle: [\n---\n<Card>\n"),
        13 => folder.write(&format!("{top}/image.png"), format!("{step}")),
        14 => {
            let pages = format!("[\"start\", \"{}\"]", one.trim_end_matches(".mdx"));
            folder.write("docs.json", CONFIG.replace("[\"start\",\"other\"]", &pages));
        }
        15 => folder.write(".mintignore", ["a/\n", "p1.mdx\n", "\n"][numbers.below(3)]),
        _ => {}
    }
}

/// Everything changes at once, more than the queue of the kernel holds: what is served is what a fresh start would serve.
#[test]
fn a_checkout_of_ten_thousand_files_is_followed() {
    const FILES: usize = 10_000;
    let folder = Folder::new(&[(
        "docs.json",
        r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["a/page-0"]}}"##,
    )]);
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.org",
                "-c",
                "commit.gpgsign=false",
                // Ten thousand objects are enough for git to tidy up behind our back.
                "-c",
                "gc.auto=0",
                "-c",
                "maintenance.auto=false",
            ])
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .expect("git is there");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
    };
    let write = |words: &str, first: usize| {
        for n in first..first + FILES {
            let name = format!("{}/page-{n}.mdx", char::from(b'a' + (n % 20) as u8));
            folder.write(
                &name,
                format!("---\ntitle: Page {n}\n---\n\n{words}-{n}-words\n"),
            );
        }
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    write("main", 0);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "one"]);
    git(&["checkout", "--quiet", "-b", "other"]);
    // Half of the pages go, half change, and as many are new.
    for n in 0..FILES / 2 {
        folder.remove(&format!(
            "{}/page-{n}.mdx",
            char::from(b'a' + (n % 20) as u8)
        ));
    }
    write("other", FILES / 2);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "two"]);
    git(&["checkout", "--quiet", "main"]);
    let preview = Preview::of(&folder);
    assert!(preview.page("/a/page-0").contains("main-0-words"));
    git(&["checkout", "--quiet", "other"]);
    // A request that comes after the checkout sees all of it.
    assert_eq!(preview.status("/a/page-0"), 404);
    for n in [
        FILES / 2,
        FILES / 2 + 1,
        FILES - 1,
        FILES,
        FILES + FILES / 2 - 1,
    ] {
        let route = format!("/{}/page-{n}", char::from(b'a' + (n % 20) as u8));
        assert!(
            preview.page(&route).contains(&format!("other-{n}-words")),
            "{route}"
        );
    }
    let pages = |publisher: &Publisher| publisher.snapshot().routes.pages.len();
    assert_eq!(pages(preview.publisher()), FILES);
    git(&["checkout", "--quiet", "main"]);
    assert!(preview.page("/a/page-0").contains("main-0-words"));
    let fresh = Preview::of(&folder);
    assert_eq!(pages(preview.publisher()), pages(fresh.publisher()));
    for n in (0..FILES).step_by(997) {
        let route = format!("/{}/page-{n}", char::from(b'a' + (n % 20) as u8));
        let digests = [&preview, &fresh].map(|preview| {
            let route = queries::base::path::Route::new(&route).expect("a route");
            preview
                .publisher()
                .digests(std::slice::from_ref(&route))
                .remove(&route)
        });
        assert!(digests[0].is_some() && digests[0] == digests[1], "{route}");
    }
}

/// Removes the folder of the site and puts another one in its place.
fn replace(around: &Folder, words: &str) {
    if around.at("docs").exists() {
        around.remove("docs");
    }
    for (path, text) in [
        ("docs/start.mdx", page(words)),
        ("docs/other.mdx", page("other-words")),
        ("docs/docs.json", CONFIG.to_owned()),
    ] {
        around.write(path, text);
    }
}

#[test]
fn a_site_that_is_removed_and_copied_anew_is_followed() {
    let around = Folder::new(&[("docs/docs.json", CONFIG)]);
    replace(&around, "words-0");
    let preview = Preview::start(&around.at("docs"), Limits::default());
    for i in 1..10 {
        replace(&around, &format!("copied-{i}-end"));
        assert_shows(&preview, "/start", &format!("copied-{i}-end"));
        around.write("docs/start.mdx", page(&format!("edited-{i}-end")));
        assert_shows(&preview, "/start", &format!("edited-{i}-end"));
        around.write("docs/new/page.mdx", page(&format!("new-{i}-end")));
        assert_shows(&preview, "/new/page", &format!("new-{i}-end"));
    }
}

#[test]
fn a_site_that_is_moved_away_stays_and_is_followed_when_it_is_back() {
    let around = Folder::new(&[("docs/docs.json", CONFIG)]);
    replace(&around, "first-words");
    let preview = Preview::start(&around.at("docs"), Limits::default());
    for i in 0..5 {
        around.rename("docs", "aside");
        assert_eq!(preview.status("/start"), 200);
        assert_eq!(preview.status("/other"), 200);
        // What is done to it there is not done to the site, yet.
        around.write("aside/start.mdx", page(&format!("aside-{i}-end")));
        assert!(!preview.page("/start").contains(&format!("aside-{i}-end")));
        let held = preview.publisher().host().held_back();
        let told: Vec<_> = held
            .values()
            .map(|held| &held.report.diagnostic.message)
            .collect();
        assert!(
            told.iter()
                .any(|told| told.contains("docs, the folder of the site, is gone")),
            "{told:?}"
        );
        around.rename("aside", "docs");
        assert_shows(&preview, "/start", &format!("aside-{i}-end"));
        around.write("docs/start.mdx", page(&format!("back-{i}-end")));
        assert_shows(&preview, "/start", &format!("back-{i}-end"));
        assert!(preview.publisher().host().held_back().is_empty());
    }
    preview.wait_for_line("the folder of the site, is gone");
}

#[test]
fn a_link_to_releases_is_followed() {
    let around = Folder::new(&[]);
    let release = |name: &str, words: &str| {
        around.write(&format!("{name}/docs.json"), CONFIG);
        around.write(&format!("{name}/start.mdx"), page(words));
        around.write(&format!("{name}/other.mdx"), page("other-words"));
        let dot = format!("<svg><!-- {words} --></svg>");
        around.write(&format!("{name}/dot.svg"), dot);
    };
    release("release-1", "words-1-end");
    std::os::unix::fs::symlink("release-1", around.at("current")).expect("a link");
    let preview = Preview::start(&around.at("current"), Limits::default());
    assert_shows(&preview, "/start", "words-1-end");
    for i in 2..8 {
        let (now, before) = (format!("release-{i}"), format!("release-{}", i - 1));
        release(&now, &format!("words-{i}-end"));
        if i % 2 == 0 {
            std::os::unix::fs::symlink(&now, around.at("next")).expect("a link");
            around.rename("next", "current");
        } else {
            around.remove("current");
            std::os::unix::fs::symlink(&now, around.at("current")).expect("a link");
        }
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
        around.remove(&before);
        assert_shows(&preview, "/start", &format!("words-{i}-end"));
        assert_shows(&preview, "/dot.svg", &format!("words-{i}-end"));
        around.write(
            &format!("{now}/start.mdx"),
            page(&format!("edited-{i}-end")),
        );
        assert_shows(&preview, "/start", &format!("edited-{i}-end"));
    }
}

/// Visitors of a published site ask for no look at the files: nobody but the kernel and the clock tell of them.
#[test]
fn a_published_site_never_empties() {
    let (around, state) = (Folder::new(&[("docs/docs.json", CONFIG)]), Folder::new(&[]));
    replace(&around, "first-words");
    for i in 0..200 {
        around.write(&format!("docs/p{i}.mdx"), page("some-words"));
    }
    let site = SiteSettings::of_folder(&around.at("docs"));
    let daemon = Daemon::start(settings(state.path(), &[("one", site)]));
    assert!(daemon.page("localhost", "/start").contains("first-words"));
    around.remove("docs");
    let status = || {
        let text = daemon.ask("localhost", "/_quire/status").text();
        let status: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        status["sites"][0].clone()
    };
    wait_until("it is said", || {
        status()["held_back"][0]["message"]
            .as_str()
            .is_some_and(|message| message.contains("the folder of the site, is gone"))
    });
    assert_eq!(status()["state"], "degraded");
    assert_eq!(status()["pages"], 202);
    for i in 0..200 {
        assert_eq!(
            daemon.get("localhost", &format!("/p{i}")).status,
            200,
            "{i}"
        );
    }
    // It is put out of memory by nobody while it could not be read again.
    daemon.sites.sweep(std::time::Duration::from_nanos(1));
    replace(&around, "second-words");
    wait_until("it is followed", || {
        daemon.page("localhost", "/start").contains("second-words")
    });
    wait_until("pages that are gone are", || {
        daemon.get("localhost", "/p7").status == 404
    });
    wait_until("nothing is said", || status()["state"] == "ready");
    around.write("docs/start.mdx", page("third-words"));
    wait_until("it is watched", || {
        daemon.page("localhost", "/start").contains("third-words")
    });
}

/// `quire dev . > dev.log` in the folder of the site: what the program says of a change is no change.
#[test]
fn log_file_inside_the_site_does_not_trigger_rebuilds() {
    let folder = site();
    let log = fs::File::create(folder.at("dev.log")).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_quire"))
        .args(["dev", "--port", "0", "--no-state"])
        .arg(folder.path())
        .env_remove("QUIRE_LOG")
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file"))
        .stderr(log)
        .spawn()
        .expect("it starts");
    let says = |words: &str| wait_until(words, || folder.read("dev.log").contains(words));
    says("ready in");
    folder.write("start.mdx", page("second-words"));
    says("changed start.mdx");
    folder.write("other.mdx", page("second-words"));
    says("changed other.mdx");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let log = folder.read("dev.log");
    assert!(!log.contains("dev.log"), "{log}");
}
