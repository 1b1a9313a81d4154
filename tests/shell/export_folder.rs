//! The folder that `build` writes to: what of it is whose, and what a build that was killed leaves there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use quire_export::{Outcome, Plan, build};

use crate::export::{built, contents, plan};
use crate::support::folder::{Folder, files_of};
use crate::support::museum;

fn refusal(plan: &Plan) -> String {
    let error = build(plan, &|_, _| {}).map(|built| built.pages);
    format!("{:#}", error.expect_err("it is refused"))
}

#[test]
fn a_removed_page_takes_its_file_and_empty_folders_along() {
    let (site, out) = (Folder::copy_of(&museum()), Folder::new(&[]));
    site.write("deep/er/page.mdx", "---\ntitle: Deep\n---\n");
    let plan = plan(site.path(), out.path());
    built(&plan);
    assert!(out.at("deep/er/page/index.html").exists());
    out.write("deep/mine.txt", "not from a build");
    site.remove("deep/er/page.mdx");
    let again = built(&plan);
    // The page and its Markdown, and what led from its two folders to it.
    assert_eq!(again.count(Outcome::Removed), 4);
    assert!(!out.at("deep/er").exists());
    // What no build wrote stays.
    assert_eq!(out.read("deep/mine.txt"), "not from a build");
}

#[test]
fn a_list_that_was_tampered_with_removes_nothing_outside() {
    let (site, around) = (Folder::copy_of(&museum()), Folder::new(&[]));
    let plan = plan(site.path(), &around.at("out"));
    built(&plan);
    around.write("precious.txt", "precious");
    let list = around.read("out/.quire-files");
    let absolute = around.at("precious.txt");
    around.write(
        "out/.quire-files",
        format!("{list}../precious.txt\n{}\n", absolute.display()),
    );
    built(&plan);
    assert_eq!(around.read("precious.txt"), "precious");
}

#[test]
fn the_output_never_goes_over_the_site() {
    let site = Folder::copy_of(&museum());
    let before = contents(site.path());
    let parent = site.path().parent().expect("a parent");
    for out in [site.path(), &site.at("."), parent] {
        let refusal = refusal(&plan(site.path(), out));
        assert!(refusal.contains("holds the site itself"), "{refusal}");
    }
    assert_eq!(contents(site.path()), before);
}

/// A site of three pages, one of them in a folder.
fn small_site() -> Folder {
    let page = "---\ntitle: Page\n---\n\nWords.\n";
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start","other","deep/page"]}}"##,
        ),
        ("start.mdx", page),
        ("other.mdx", page),
        ("deep/page.mdx", page),
    ])
}

#[test]
fn a_folder_with_files_of_others_is_asked_about() {
    let (out, site) = (Folder::new(&[("index.html", "by hand")]), small_site());
    let wanted = plan(site.path(), out.path());
    let said = refusal(&wanted);
    assert!(said.contains("--force"), "{said}");
    assert_eq!(files_of(out.path()), ["index.html"]);
    assert_eq!(out.read("index.html"), "by hand");
    let forced = Plan {
        force: true,
        ..wanted
    };
    built(&forced);
    assert_ne!(out.read("index.html"), "by hand");
    // From now on it is an export.
    out.write("notes.txt", "by hand");
    built(&plan(site.path(), out.path()));
    assert_eq!(out.read("notes.txt"), "by hand");
}

/// Builds of two sites into one folder, side by side: whichever comes second, the folder is all its.
#[test]
fn builds_into_one_folder_at_once_follow_each_other() {
    let sites = [small_site(), small_site()];
    sites[1].remove("other.mdx");
    for number in 0..20 {
        let text = format!("---\ntitle: Page {number}\n---\n\nWords.\n");
        sites[1].write(&format!("more/{number}.mdx"), text);
    }
    let expected = sites.each_ref().map(|site| {
        let whole = Folder::new(&[]);
        built(&plan(site.path(), whole.path()));
        contents(whole.path())
    });
    let out = Folder::new(&[]);
    for round in 0..10 {
        std::thread::scope(|scope| {
            let builds = sites.each_ref().map(|site| {
                let plan = plan(site.path(), out.path());
                scope.spawn(move || build(&plan, &|_, _| {}))
            });
            for build in builds {
                let built = build.join().expect("no panic");
                let built = built.unwrap_or_else(|error| panic!("round {round}: {error:#}"));
                assert_eq!(built.unwritten, [], "round {round}");
            }
        });
        let found = contents(out.path());
        assert!(expected.contains(&found), "round {round}");
    }
}

/// The points of a build at which it can be killed.
pub(crate) const BUILD_POINTS: [&str; 4] = [
    "output-written",
    "output-replaced",
    "outputs-written",
    "outputs-replaced",
];

#[test]
fn a_build_that_was_killed_leaves_nothing_behind_after_the_next() {
    let site = small_site();
    let whole = Folder::new(&[]);
    built(&plan(site.path(), whole.path()));
    for point in BUILD_POINTS {
        // The list of files, a page, one in a folder below.
        let times = match point.starts_with("outputs") {
            true => &[1][..],
            false => &[1, 2, 4, 8],
        };
        for time in times {
            let (out, state) = (Folder::new(&[]), Folder::new(&[]));
            let build = |armed: Option<String>| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
                let command = command
                    .arg("build")
                    .arg(site.path())
                    .args(["--quiet", "--out"]);
                let command = command.arg(out.path()).arg("--state").arg(state.path());
                command.env("TMPDIR", state.path());
                command.env_remove("QUIRE_CRASH_AT");
                command.envs(armed.map(|armed| ("QUIRE_CRASH_AT", armed)));
                command.status().expect("it runs")
            };
            let killed = build(Some(format!("{point}:{time}")));
            assert_eq!(killed.signal(), Some(9), "{point}:{time}");
            let left = |folder: &Folder| {
                let mut files = files_of(folder.path());
                files.retain(|file| file.contains(".quire-") && file != ".quire-files");
                files
            };
            // Files are written side by side: once one has been replaced, another may still be unfinished.
            if point == "output-written" {
                assert_ne!(left(&out), [""; 0], "{point}:{time}");
            }
            assert!(build(None).success(), "{point}:{time}");
            assert!(
                contents(out.path()) == contents(whole.path()),
                "{point}:{time}"
            );
            assert_eq!(left(&state), [""; 0], "{point}:{time}");
        }
    }
}

/// Files are written in one folder and given their names in others, which may be on other disks.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
#[test]
fn folders_on_other_disks_are_written_to() {
    let (site, whole, out) = (small_site(), Folder::new(&[]), Folder::new(&[]));
    built(&plan(site.path(), whole.path()));
    let other = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    let disk = |path: &Path| fs::metadata(path).expect("it is there").dev();
    if disk(other.path()) == disk(out.path()) {
        eprintln!("SKIPPED folders_on_other_disks_are_written_to: /dev/shm is no other disk");
        return;
    }
    let expected = contents(whole.path());
    let below = expected.keys().find_map(|file| file.split_once('/'));
    let (below, _) = below.expect("a file in a folder");
    std::os::unix::fs::symlink(other.path(), out.at(below)).expect("a link");
    let mut plan = plan(site.path(), out.path());
    plan.force = true;
    built(&plan);
    assert!(fs::symlink_metadata(out.at(below)).unwrap().is_symlink());
    for (file, bytes) in &expected {
        assert!(fs::read(out.at(file)).unwrap() == *bytes, "{file}");
    }
    assert!(!out.at(".quire-unfinished").exists());
    for file in files_of(other.path()) {
        assert!(whole.at(below).join(&file).exists(), "{file}");
    }
}

#[test]
fn clean_empties_only_what_a_build_has_written() {
    let out = Folder::new(&[("thesis.txt", "years of work")]);
    let mut plan = plan(&museum(), out.path());
    plan.clean = true;
    let refusal = refusal(&plan);
    assert!(refusal.contains("no build has written to it"), "{refusal}");
    assert_eq!(files_of(out.path()), ["thesis.txt"]);
    out.remove("thesis.txt");
    built(&plan);
    out.write("stray/old.html", "old");
    built(&plan);
    assert!(!out.at("stray").exists());
}
