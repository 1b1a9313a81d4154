//! `build` over what an earlier one left: the files of a first build, for less.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use queries::base::diagnostic::Code;
use quire_export::{BuildResult, Outcome, Plan, build};

use crate::export::{built, contents, plan};
use crate::export_folder::BUILD_POINTS;
use crate::random_numbers::Random;
use crate::support::folder::{Folder, files_of};
use crate::support::museum;

/// A plan that keeps what it knows in `state`.
fn keeping(site: &Path, out: &Path, state: &Path) -> Plan {
    Plan {
        state: Some(state.to_owned()),
        ..plan(site, out)
    }
}

/// What a first build with this plan writes, and says.
fn clean(of: &Plan) -> (BTreeMap<String, Vec<u8>>, BuildResult) {
    let out = Folder::new(&[]);
    let clean = Plan {
        out: out.path().to_owned(),
        state: None,
        folder: of.folder.clone(),
        base_path: of.base_path.clone(),
        base_url: of.base_url.clone(),
        ..*of
    };
    let said = built(&clean);
    (contents(out.path()), said)
}

/// Builds, and holds it against a first build.
#[track_caller]
fn built_as_clean(plan: &Plan) -> BuildResult {
    let again = built(plan);
    let (files, said) = clean(plan);
    let written = contents(&plan.out);
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&written), names(&files));
    for (path, bytes) in &files {
        assert!(written[path] == *bytes, "{path}");
    }
    let paths = |built: &BuildResult| -> Vec<String> {
        let there = built.files.iter();
        let there = there.filter(|(_, outcome)| *outcome != Outcome::Removed);
        there.map(|(path, _)| path.clone()).collect()
    };
    assert_eq!(paths(&again), paths(&said));
    assert_eq!(again.reports, said.reports);
    assert_eq!(again.left_out, said.left_out);
    assert_eq!((again.pages, again.bytes), (said.pages, said.bytes));
    again
}

#[test]
fn an_unchanged_site_composes_nothing() {
    let (out, state) = (Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(&museum(), out.path(), state.path());
    let first = built_as_clean(&plan);
    assert_eq!(first.composed, first.pages);
    assert!(!first.reports.is_empty());
    for _ in 0..2 {
        let again = built_as_clean(&plan);
        assert_eq!(again.composed, 0);
        assert_eq!(again.count(Outcome::Unchanged), again.files.len());
    }
    // In another folder nothing is there yet, whatever is known of this one.
    let other = Folder::new(&[]);
    let into_other = keeping(&museum(), other.path(), state.path());
    let built = built_as_clean(&into_other);
    assert_eq!(built.count(Outcome::Added), built.files.len());
    assert_eq!(built_as_clean(&plan).composed, 0);
    assert_eq!(built_as_clean(&into_other).composed, 0);
}

#[test]
fn an_edit_composes_the_pages_that_follow_from_it() {
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    let all = built_as_clean(&plan).pages;
    let composed_after = |path: &str, from: &str, to: &str| {
        let text = site.read(path);
        assert!(text.contains(from), "{path} has {from}");
        site.write(path, text.replace(from, to));
        built_as_clean(&plan).composed
    };
    // Its own words, and what is only said of its links.
    assert_eq!(composed_after("water.mdx", "Daily", "Weekly"), 1);
    assert_eq!(composed_after("soil.mdx", "## Clay", "## Loam"), 1);
    assert_eq!(composed_after("news.mdx", "New beds", "More beds"), 1);
    assert_eq!(composed_after("beds.mdx", "Mind", "Watch"), 1);
    // Who imports it.
    assert_eq!(composed_after("snippets/tip.mdx", "sand", "compost"), 1);
    // Other pixels of the same size.
    assert_eq!(composed_after("soil.svg", "/>", " />"), 0);
    // What others show of a page, and what all of them rest on.
    assert_eq!(
        composed_after("water.mdx", "title: Water", "title: Rain"),
        all
    );
    assert_eq!(composed_after("docs.json", "#116633", "#661133"), all);
    assert_eq!(
        composed_after("api.json", "List plants", "Show plants"),
        all
    );
    // A page that others have touched, and nothing else.
    out.write("water/index.html", "theirs");
    assert_eq!(built_as_clean(&plan).composed, 1);
    out.write("water.md", "theirs");
    assert_eq!(built_as_clean(&plan).composed, 0);
}

#[test]
fn what_is_wrong_is_asked_of_pages_where_it_may_be_something_else() {
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    built_as_clean(&plan);
    let after = |path: &str, from: &str, to: &str| {
        let text = site.read(path);
        assert!(text.contains(from), "{path} has {from}");
        site.write(path, text.replace(from, to));
        let built = built_as_clean(&plan);
        let broken = |code| {
            let reports = built.reports.iter();
            reports
                .filter(|found| found.diagnostic.code == code)
                .count()
        };
        (
            built.checked,
            broken(Code::BrokenAnchor),
            broken(Code::BrokenLink),
        )
    };
    // Two pages lead to a heading, one by a redirect; one link is broken; one page is in no navigation.
    let unsound = 4;
    assert_eq!(after("notes.mdx", "In no", "Not in a"), (unsound, 0, 1));
    assert_eq!(after("beds.mdx", "Mind", "Watch"), (unsound + 1, 0, 1));
    // The heading goes, and comes back.
    assert_eq!(after("soil.mdx", "## Clay", "## Loam"), (unsound + 1, 2, 1));
    assert_eq!(after("beds.mdx", "Watch", "Mind"), (unsound + 1, 2, 1));
    assert_eq!(after("soil.mdx", "## Loam", "## Clay"), (unsound + 1, 0, 1));
    // The page that a link lacks comes: every page is made again, and all are sound but those that lead to headings, and the one
    // in no navigation, with which the new one is now.
    site.write("gone.mdx", "---\ntitle: Gone\n---\n\nBack.\n");
    let built = built_as_clean(&plan);
    assert_eq!(built.checked, 7);
    assert_eq!(after("water.mdx", "Daily", "Weekly"), (5, 0, 0));
}

#[test]
fn another_plan_is_another_site() {
    let (out, state) = (Folder::new(&[]), Folder::new(&[]));
    let plan = || keeping(&museum(), out.path(), state.path());
    built_as_clean(&plan());
    for changed in [
        Plan {
            base_path: "/docs".to_owned(),
            ..plan()
        },
        Plan {
            base_url: Some("https://docs.example.org".to_owned()),
            ..plan()
        },
        Plan {
            trailing_slash: false,
            ..plan()
        },
        Plan {
            base_url: Some("https://docs.example.org".to_owned()),
            cards: false,
            ..plan()
        },
        Plan {
            clean: true,
            ..plan()
        },
    ] {
        built_as_clean(&changed);
        built_as_clean(&plan());
    }
}

/// What others do to the file at a path between two builds.
type Harm = fn(&Folder, &str);

const HARMS: &[Harm] = &[
    |out, path| out.remove(path),
    |out, path| out.write(path, ""),
    |out, path| {
        let mut bytes = fs::read(out.at(path)).expect("read");
        bytes.push(b'x');
        out.write(path, bytes);
    },
    // As long as before, with the time of before.
    |out, path| {
        let modified = fs::metadata(out.at(path)).and_then(|known| known.modified());
        let mut bytes = fs::read(out.at(path)).expect("read");
        if let Some(byte) = bytes.first_mut() {
            *byte ^= 1;
        }
        out.write(path, bytes);
        let file = fs::File::options().write(true).open(out.at(path));
        let file = file.expect("open");
        file.set_modified(modified.expect("a time")).expect("set");
    },
    |out, path| out.write_by_rename(path, "another"),
    |out, path| {
        out.remove(path);
        symlink("/dev/null", out.at(path)).expect("link");
    },
    // The same again: nothing is written, and all is well.
    |out, path| {
        let bytes = fs::read(out.at(path)).expect("read");
        out.remove(path);
        out.write(path, bytes);
    },
];

#[test]
fn a_file_that_others_have_touched_is_written_again() {
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    built_as_clean(&plan);
    let search = files_of(&out.at("_search"));
    let piece = search.iter().find(|name| name.starts_with("texts-"));
    let piece = format!("_search/{}", piece.expect("a piece"));
    let paths = [
        &piece,
        "soil/index.html",
        "soil.md",
        "soil.svg",
        "_search/index.json",
        "404.html",
        "llms-full.txt",
    ];
    for (i, path) in paths.into_iter().enumerate() {
        for (j, harm) in HARMS.iter().enumerate() {
            harm(&out, path);
            built_as_clean(&plan);
            // Its name follows from what it holds.
            if path == piece {
                continue;
            }
            harm(&out, path);
            let words = format!("---\ntitle: Water\n---\n\nDaily {i} {j}.\n");
            site.write("water.mdx", words);
            built_as_clean(&plan);
        }
    }
    out.remove(".quire-files");
    out.remove("404.html");
    let refused = build(&plan, &|_, _| {}).map(|built| built.pages);
    assert!(refused.is_err(), "what nobody has written is not ours");
    let forced = Plan {
        force: true,
        ..keeping(site.path(), out.path(), state.path())
    };
    built_as_clean(&forced);
    // A list that claims more than was written.
    let list = out.read(".quire-files");
    out.write("stray.txt", "of an older build");
    out.write(".quire-files", format!("{list}stray.txt\n"));
    built_as_clean(&plan);
}

#[test]
fn what_is_kept_may_be_damaged() {
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    built_as_clean(&plan);
    let mut known = files_of(&state.at("outputs"));
    known.retain(|name| name != ".lock");
    let [known] = &known[..] else {
        panic!("{known:?}")
    };
    let known = state.at("outputs").join(known);
    let whole = fs::read(&known).expect("read");
    for at in [0, 10, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&known, bytes).expect("write");
        let again = built_as_clean(&plan);
        assert_eq!(again.composed, again.pages, "{at}");
        assert_eq!(built_as_clean(&plan).composed, 0);
    }
    for length in [0, 7, whole.len() / 2] {
        fs::write(&known, &whole[..length]).expect("write");
        built_as_clean(&plan);
    }
    fs::remove_file(&known).expect("remove");
    built_as_clean(&plan);
}

#[test]
fn what_is_found_is_joined_for_the_pages_around_an_edit_only() {
    let names: Vec<String> = (0..560).map(|i| format!("page-{i:03}")).collect();
    let text = |i: usize, word: &str| {
        format!(
            "---\ntitle: Page {i}\n---\n\n## Part {word}\n\nSeed {} {word}.\n",
            i % 7
        )
    };
    let settings = |names: &[String]| {
        let navigation = serde_json::json!({"groups": [{"group": "Start", "pages": names}]});
        serde_json::json!({"name": "Garden", "theme": "mint", "navigation": navigation}).to_string()
    };
    let (site, out, state) = (Folder::new(&[]), Folder::new(&[]), Folder::new(&[]));
    site.write("docs.json", settings(&names));
    for (i, name) in names.iter().enumerate() {
        site.write(&format!("{name}.mdx"), text(i, "clay"));
    }
    let plan = keeping(site.path(), out.path(), state.path());
    let first = built_as_clean(&plan);
    assert_eq!(first.joined, first.pages);
    // A word that was nowhere and one that goes; a page that goes.
    let joined = |step: &str| {
        let joined = built_as_clean(&plan).joined;
        assert!((1..=450).contains(&joined), "{step}: {joined} of 560");
    };
    site.write("page-450.mdx", text(450, "loam"));
    joined("words");
    site.remove("page-100.mdx");
    joined("a page goes");
    // A file of another segment that others have taken away or changed is written as it was.
    let pieces = files_of(&out.at("_search"));
    let mut texts = pieces.iter().filter(|name| name.starts_with("texts-"));
    let (one, other) = (
        texts.next().expect("texts"),
        texts.next_back().expect("texts"),
    );
    fs::remove_file(out.at("_search").join(one)).expect("removed");
    fs::write(out.at("_search").join(other), "theirs").expect("written");
    assert_eq!(built_as_clean(&plan).joined, 0);
    // Without what was kept all is joined once more.
    fs::remove_file(state.at("artifacts.pack")).expect("removed");
    site.write("page-450.mdx", text(450, "silt"));
    assert_eq!(built_as_clean(&plan).joined, 559);
}

/// A site in which anything may change.
fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name": "Garden", "theme": "mint", "colors": {"primary": "#116633"},
                "navigation": {"tabs": [
                    {"tab": "Guides", "groups": [{"group": "Start", "pages": ["index", "soil", "water", "news", "beds"]}]},
                    {"tab": "API", "openapi": "api.json"}]},
                "markdown": {"instructions": "Be brief."},
                "redirects": [
                    {"source": "/old/:name", "destination": "/:name"},
                    {"source": "/loam", "destination": "/soil#clay"}]}"##,
        ),
        (
            "index.mdx",
            "---\ntitle: Home\n---\n\nSee [soil](/soil#clay) and [old](/old/water).\n",
        ),
        (
            "soil.mdx",
            "---\ntitle: Soil\n---\n\n## Clay\n\nHeavy. <Snippet file=\"tip.mdx\" />\n\n![Soil](/soil.svg)\n",
        ),
        (
            "water.mdx",
            "---\ntitle: Water\ndescription: How much.\n---\n\nDaily, see [gone](/gone).\n",
        ),
        (
            "news.mdx",
            "---\ntitle: News\nrss: true\n---\n\n<Update label=\"2026-01-02\">New beds, see [old](/old/soil) and [loam](/loam).</Update>\n",
        ),
        (
            "beds.mdx",
            "---\nopenapi: GET /beds\n---\n\nMind the frost.\n",
        ),
        ("notes.mdx", "---\ntitle: Notes\n---\n\nIn no navigation.\n"),
        ("snippets/tip.mdx", "Add sand.\n"),
        (
            "soil.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>",
        ),
        ("style.css", "h1 { color: green }\n"),
        (
            "api.json",
            r#"{"openapi": "3.1.0", "info": {"title": "API", "version": "1"}, "paths": {
                "/plants": {"get": {"summary": "List plants", "tags": ["Plants"], "responses": {"200": {"description": "All"}}}},
                "/beds": {"get": {"summary": "List beds", "tags": ["Beds"], "responses": {"200": {"description": "All"}}}}}}"#,
        ),
    ])
}

/// Changes the site in some way.
fn edit(site: &Folder, random: &mut Random, step: usize) {
    let replaced = |path: &str, from: &str, to: &str| {
        if site.at(path).exists() {
            let text = site.read(path);
            match text.contains(from) {
                true => site.write(path, text.replacen(from, to, 1)),
                false => site.write(path, text.replacen(to, from, 1)),
            }
        }
    };
    let new = format!("word{step}");
    match random.below(19) {
        0 => replaced("water.mdx", "Daily", &format!("Daily {new}")),
        1 => replaced("water.mdx", "title: Water", &format!("title: Water {new}")),
        2 => replaced("soil.mdx", "## Clay", "## Loam"),
        3 => site.write("snippets/tip.mdx", format!("Add {new}.\n")),
        4 => replaced("docs.json", "#116633", "#661133"),
        5 => replaced("docs.json", "\"tab\": \"Guides\"", "\"tab\": \"Manuals\""),
        6 => replaced("docs.json", "\"soil\", \"water\"", "\"water\", \"soil\""),
        7 => replaced("docs.json", "/old/:name", "/older/:name"),
        8 => replaced("api.json", "List plants", "List all plants"),
        9 => replaced("api.json", "/beds", "/rows"),
        10 => site.write("style.css", format!("h1 {{ color: green }} /* {new} */\n")),
        11 => replaced("soil.svg", "width=\"4\"", "width=\"5\""),
        12 => match site.at("notes.mdx").exists() {
            true => site.remove("notes.mdx"),
            false => site.write("notes.mdx", format!("---\ntitle: Notes\n---\n\n{new}\n")),
        },
        13 => match site.at("gone.mdx").exists() {
            true => site.remove("gone.mdx"),
            false => site.write("gone.mdx", "---\ntitle: Gone\nmode: wide\n---\n\nBack.\n"),
        },
        14 => replaced("index.mdx", "/old/water", "/older/soil"),
        15 => replaced("news.mdx", "New beds", &format!("New beds {new}")),
        16 => replaced("beds.mdx", "Mind", "Watch"),
        17 => replaced("docs.json", "Be brief", "Be very brief"),
        _ => {}
    }
}

#[test]
fn whatever_changes_between_builds_the_files_are_those_of_a_first_one() {
    let mut random = Random::new(22);
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    built_as_clean(&plan);
    for step in 0..60 {
        for _ in 0..random.below(3) {
            edit(&site, &mut random, step);
        }
        if random.below(4) == 0 {
            let files = files_of(out.path());
            let path = &files[random.below(files.len())];
            if path != ".quire-files" {
                HARMS[random.below(HARMS.len())](&out, path);
            }
        }
        built_as_clean(&plan);
    }
}

#[test]
fn a_picture_that_looks_as_before_from_outside_is_copied() {
    let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = keeping(site.path(), out.path(), state.path());
    built_as_clean(&plan);
    let modified = fs::metadata(site.at("soil.svg")).and_then(|known| known.modified());
    let text = site.read("soil.svg").replace("\"4\"", "\"6\"");
    site.write("soil.svg", text);
    let file = fs::File::options().write(true).open(site.at("soil.svg"));
    let set = file.and_then(|file| file.set_modified(modified.expect("a time")));
    set.expect("set");
    built(&plan);
    assert!(out.read("soil.svg").contains("\"6\""));
}

#[test]
fn a_build_that_was_killed_over_an_earlier_one_is_made_good() {
    for point in BUILD_POINTS {
        let times = match point.starts_with("outputs") {
            true => &[1][..],
            false => &[1, 3],
        };
        for time in times {
            let (site, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
            let plan = keeping(site.path(), out.path(), state.path());
            built(&plan);
            let text = site.read("water.mdx").replace("Daily", "Weekly");
            site.write("water.mdx", text);
            let killed = Command::new(env!("CARGO_BIN_EXE_quire"))
                .arg("build")
                .arg(site.path())
                .args(["--quiet", "--out"])
                .arg(out.path())
                .arg("--state")
                .arg(state.path())
                .env("QUIRE_CRASH_AT", format!("{point}:{time}"))
                .status();
            assert_eq!(killed.expect("it runs").signal(), Some(9), "{point}:{time}");
            built_as_clean(&plan);
        }
    }
}
