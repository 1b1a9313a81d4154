//! Documents that are written slowly: readers see the last whole one until the new one is whole. Who writes waits for what the
//! site shows, piece by piece.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;

use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::route_table;
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::unfinished::Adoption;
use quire_source::sources::{FileState, Sources};
use quire_storage::store::Store;

use crate::support::folder::Folder;
use crate::support::preview::Preview;
use crate::support::wait_until;

const DOCS: &str = r##"{"theme": "mint", "name": "Before", "colors": {"primary": "#0a7"},
    "navigation": {"groups": [{"group": "G", "pages": ["start"]}, {"group": "API", "openapi": "api.json"}, {"group": "YAML", "openapi": {"source": "api.yaml", "directory": "yaml"}}]}}"##;

/// How many operations the documents have.
const COUNT: usize = 60;

/// A document whose pages show `words`; of about `COUNT` KiB.
fn json(words: &str) -> String {
    let filler = "Something is said of it. ".repeat(40);
    let paths: serde_json::Map<String, serde_json::Value> = (0..COUNT)
        .map(|n| {
            let operation = serde_json::json!({
                "summary": format!("Thing {n}"), "description": format!("{words} {n}. {filler}"),
                "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
            });
            (format!("/things/{n}"), serde_json::json!({ "get": operation }))
        })
        .collect();
    let document = serde_json::json!({
        "openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "paths": paths,
        "components": {"schemas": {"Thing": {"type": "object", "properties": {"id": {"type": "string"}}}}},
    });
    serde_json::to_string_pretty(&document).expect("JSON")
}

fn yaml(words: &str) -> String {
    let mut text = "openapi: 3.1.0\ninfo:\n  title: Things\n  version: '1'\npaths:\n".to_owned();
    for n in 0..COUNT {
        text.push_str(&format!(
            "  /things/{n}:\n    get:\n      summary: Thing {n}\n      description: {words} {n}.\n      responses:\n        '200':\n          description: OK\n"
        ));
    }
    text.push_str("components:\n  schemas:\n    Thing:\n      type: object\n");
    text
}

fn site() -> Folder {
    Folder::new(&[
        ("docs.json", DOCS),
        ("start.mdx", "---\ntitle: Start\n---\n\nWords.\n"),
        ("api.json", &json("before")),
        ("api.yaml", &yaml("before")),
    ])
}

/// Where the file at `path` ends that is held back, as line and column.
fn held_at(preview: &Preview, path: &str) -> Option<(u32, u32)> {
    let held = preview.publisher().host().held_back();
    let held = held.get(&SitePath::new(path).expect("a path"))?;
    Some((held.report.located.line, held.report.located.column))
}

/// Where a text ends, as line and column of its last sign.
fn end_of(text: &str) -> (u32, u32) {
    let text = text.trim_end();
    let last = text.lines().last().expect("a line");
    (text.lines().count() as u32, last.chars().count() as u32)
}

#[track_caller]
fn assert_all_show(preview: &Preview, directory: &str, words: &str) {
    let mut connection = preview.connect();
    for n in 0..COUNT {
        let reply = connection.get(&format!("/{directory}/thing-{n}"));
        assert_eq!(reply.status, 200, "{directory}/thing-{n}");
        assert!(
            reply.text().contains(&format!("{words} {n}.")),
            "{words} {n}"
        );
    }
}

/// Writes `text` to `path` in pieces that end at `cuts`, waiting after each until the preview says that the file ends there.
/// Meanwhile `check` must hold.
#[track_caller]
fn write_in_pieces(
    folder: &Folder,
    preview: &Preview,
    path: &str,
    text: &str,
    cuts: &[usize],
    check: impl Fn(),
) {
    let mut file = File::create(folder.at(path)).expect("truncate");
    let mut from = 0;
    for cut in cuts {
        file.write_all(&text.as_bytes()[from..*cut]).expect("write");
        from = *cut;
        let end = end_of(&text[..*cut]);
        wait_until("the file is known to end there", || {
            held_at(preview, path) == Some(end)
        });
        check();
    }
    file.write_all(&text.as_bytes()[from..]).expect("write");
}

#[test]
fn a_specification_in_json_is_followed_when_it_is_whole() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_all_show(&preview, "api-reference", "before");
    let revision = preview.revision();
    let text = json("after");
    // In the first key, in the middle of operations, behind a comma, before the last bracket.
    let comma = text[text.len() / 2..].find(",\n").expect("one") + text.len() / 2 + 2;
    let cuts = [
        3,
        text.len() / 3,
        text.len() / 3 + 1,
        comma,
        text.trim_end().len() - 1,
    ];
    write_in_pieces(&folder, &preview, "api.json", &text, &cuts, || {
        assert_eq!(preview.revision(), revision);
        assert_all_show(&preview, "api-reference", "before");
        let sent = preview.get("/api.json").text();
        assert_eq!(sent, json("before"), "the file itself is sent as it was");
    });
    assert_all_show(&preview, "api-reference", "after");
    assert_eq!(held_at(&preview, "api.json"), None);
    assert_eq!(preview.get("/api.json").text(), text);
    preview.wait_for_line("api.json:1:");
}

#[test]
fn a_specification_in_yaml_is_followed_when_its_file_is_closed() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_all_show(&preview, "yaml", "before");
    let text = yaml("after");
    // Within a line, and where a line ends: there it could be a whole document.
    let line = text.find("  /things/30:").expect("it is there");
    let last = text.find("components:").expect("it is there");
    let cuts = [line - 4, line, line + 6, last, text.len() - 3];
    write_in_pieces(&folder, &preview, "api.yaml", &text, &cuts, || {
        assert_all_show(&preview, "yaml", "before");
    });
    assert_all_show(&preview, "yaml", "after");
    assert_eq!(held_at(&preview, "api.yaml"), None);
}

#[test]
fn a_configuration_is_followed_when_it_is_whole() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert!(preview.page("/start").contains("Before"));
    let text = DOCS.replace("Before", "After");
    let cuts = [20, text.len() / 2, text.len() - 1];
    write_in_pieces(&folder, &preview, "docs.json", &text, &cuts, || {
        assert!(preview.page("/start").contains("Before"));
        assert_eq!(preview.status("/api-reference/thing-1"), 200);
    });
    assert!(preview.page("/start").contains("After"));
    assert_eq!(held_at(&preview, "docs.json"), None);
}

/// Where and what is said of the file at `path` that is held back.
fn told(preview: &Preview, path: &str) -> Option<(u32, String)> {
    let held = preview.publisher().host().held_back();
    let report = &held.get(&SitePath::new(path).expect("a path"))?.report;
    Some((report.located.line, report.diagnostic.message.clone()))
}

#[test]
fn a_specification_that_cannot_be_read_leaves_the_last_one_in_force() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_all_show(&preview, "api-reference", "before");
    let api = json("after");
    folder.write("api.json", &api[..api.len() / 2]);
    let end = end_of(&api[..api.len() / 2]);
    wait_until("it is held back", || {
        held_at(&preview, "api.json") == Some(end)
    });
    // However much else is written meanwhile.
    folder.write("start.mdx", "---\ntitle: Start\n---\n\nOther words.\n");
    assert!(preview.page("/start").contains("Other words"));
    assert_all_show(&preview, "api-reference", "before");
    assert_eq!(held_at(&preview, "api.json"), Some(end));
    folder.write("api.json", &api);
    assert_all_show(&preview, "api-reference", "after");
    assert_eq!(held_at(&preview, "api.json"), None);
}

#[test]
fn what_is_typed_into_a_specification_takes_no_page_away() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_all_show(&preview, "yaml", "before");
    let whole = yaml("before");
    let line = "      description: before 30.\n";
    let number = whole[..whole.find(line).expect("it is there")]
        .lines()
        .count() as u32
        + 1;
    // What stands there while somebody types, and whether the document can be read then.
    let typed = [
        (" description: before 30.\n", false),
        ("     description: before 30.\n", false),
        ("       description: before 30.\n", false),
        ("      description: \"before 30.\n", false),
        ("      descript\n", false),
        ("      description\n", false),
        ("\tdescription: before 30.\n", false),
        ("      description: before: 30.\n", false),
        ("      description: [before 30.\n", false),
        ("      description: before 30. And more\n", true),
        ("      description:\n", true),
        ("", true),
    ];
    for (now, can_be_read) in typed {
        folder.write("api.yaml", whole.replace(line, now));
        for n in [0, 29, 30, 31, COUNT - 1] {
            let status = preview.connect().get(&format!("/yaml/thing-{n}")).status;
            assert_eq!(status, 200, "{now:?}: thing-{n}");
        }
        let told = told(&preview, "api.yaml");
        assert_eq!(told.is_none(), can_be_read, "{now:?}: {told:?}");
        if let Some((at, message)) = told {
            assert!(at >= number, "{now:?}: {at} {message}");
            assert!(
                message.starts_with("not valid YAML: "),
                "{now:?}: {message}"
            );
            assert!(
                message.ends_with("; its last whole version stays in use"),
                "{message}"
            );
        }
    }
    folder.write("api.yaml", &whole);
    assert_all_show(&preview, "yaml", "before");
    assert_eq!(told(&preview, "api.yaml"), None);
}

#[test]
fn a_specification_that_is_none_any_more_stays_until_it_is_removed() {
    let folder = site();
    let preview = Preview::of(&folder);
    assert_all_show(&preview, "yaml", "before");
    folder.write(
        "api.yaml",
        yaml("after").replacen("openapi: 3.1.0", "opena", 1),
    );
    assert_all_show(&preview, "yaml", "before");
    folder.write(
        "api.yaml",
        yaml("after").replacen("openapi: 3.1.0", "info2: {}", 1),
    );
    assert_all_show(&preview, "yaml", "before");
    let (_, message) = told(&preview, "api.yaml").expect("it is told");
    assert!(
        message.starts_with("the document is no specification any more"),
        "{message}"
    );
    folder.remove("api.yaml");
    assert_eq!(preview.connect().get("/yaml/thing-1").status, 404);
    assert_eq!(told(&preview, "api.yaml"), None);
}

#[test]
fn a_configuration_that_cannot_be_read_leaves_the_last_one_in_force() {
    let folder = site();
    let preview = Preview::of(&folder);
    let docs = DOCS.replace("Before", "After");
    // In the middle, and at the end: neither is taken for what the author means, however long it stays.
    for (broken, place) in [
        (docs.replacen(", \"name", " \"name", 1), (1, 18)),
        (
            docs[..docs.len() / 2].to_owned(),
            end_of(&docs[..docs.len() / 2]),
        ),
    ] {
        folder.write("docs.json", &broken);
        wait_until("it is held back", || {
            held_at(&preview, "docs.json") == Some(place)
        });
        // A specification beside it is held back and let go by itself.
        folder.write("api.json", "{\"openapi\": ");
        wait_until("the specification is held back", || {
            held_at(&preview, "api.json").is_some()
        });
        assert_eq!(preview.connect().get("/api-reference/thing-1").status, 200);
        folder.write("api.json", json("before"));
        assert_all_show(&preview, "api-reference", "before");
        assert!(preview.page("/start").contains("Before"));
        assert_eq!(held_at(&preview, "docs.json"), Some(place));
        let held = preview.publisher().host().held_back();
        let report = &held[&SitePath::new("docs.json").expect("a path")].report;
        let message = &report.diagnostic.message;
        assert!(
            message.ends_with("its last whole version stays in use"),
            "{message}"
        );
    }
    folder.write("docs.json", &docs);
    wait_until("it is taken", || preview.page("/start").contains("After"));
    assert_eq!(held_at(&preview, "docs.json"), None);
}

fn change(path: &str, text: &str) -> FileChange {
    FileChange {
        path: SitePath::new(path).expect("a path"),
        state: FileState::Text(text.into()),
    }
}

/// A host that has read the site once.
fn host() -> SiteHost {
    let host = SiteHost::new("", HostOptions::default());
    host.apply([
        change("docs.json", DOCS),
        change("start.mdx", "---\ntitle: Start\n---\n"),
        change("api.json", &json("before")),
        change("api.yaml", &yaml("before")),
    ]);
    host
}

fn held(host: &SiteHost) -> Vec<String> {
    host.held_back().keys().map(ToString::to_string).collect()
}

#[test]
fn what_is_held_back_changes_no_input_and_goes_when_the_file_is_whole_or_gone() {
    let host = host();
    let revision = host.revision();
    let closed = BTreeSet::new();
    let whole = json("after");
    let watched =
        |path: &str, text: &str| host.apply_as([change(path, text)], Adoption::WhenWhole(&closed));
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        assert!(watched("api.json", &whole[..end]).is_empty());
        assert_eq!(held(&host), ["api.json"]);
    }
    assert!(watched("docs.json", &DOCS[..DOCS.len() - 2]).is_empty());
    assert_eq!((held(&host).len(), host.revision()), (2, revision));
    // As it was, which is no change; as it will be, which is one; and no more.
    assert!(watched("docs.json", DOCS).is_empty());
    assert_eq!(held(&host), ["api.json"]);
    assert_eq!(watched("api.json", &whole).changed.len(), 1);
    assert_eq!(held(&host), [""; 0]);
    watched("api.json", "{");
    let gone = FileChange {
        path: SitePath::new("api.json").expect("a path"),
        state: FileState::Absent,
    };
    host.apply_as([gone], Adoption::WhenWhole(&closed));
    assert_eq!(held(&host), [""; 0]);
}

#[test]
fn what_is_taken_as_it_is_is_never_held_back() {
    let host = host();
    let half = &json("after")[..200];
    assert_eq!(
        host.apply([change("api.json", half), change("docs.json", "{")])
            .changed
            .len(),
        2
    );
    assert_eq!(held(&host), [""; 0]);
    // Neither was whole, so there is nothing to go on with.
    let closed = BTreeSet::new();
    let applied = host.apply_as(
        [
            change("api.json", &half[..100]),
            change("docs.json", "{\"a"),
        ],
        Adoption::WhenWhole(&closed),
    );
    assert_eq!(applied.changed.len(), 2);
    // A file that was never seen has nothing to go on with either, and other faults are no ends, but in the configuration.
    let applied = host.apply_as(
        [
            change("new.json", "{\"openapi\": "),
            change("docs.json", DOCS),
        ],
        Adoption::WhenWhole(&closed),
    );
    assert_eq!((applied.added.len(), applied.changed.len()), (1, 1));
    let broken = |text: &str| text.replacen(',', "", 1);
    let changes = [
        change("docs.json", &broken(DOCS)),
        change("api.json", &broken(&json("after"))),
    ];
    let applied = host.apply_as(changes, Adoption::WhenWhole(&closed));
    assert_eq!(applied.changed.len(), 1);
    assert_eq!(held(&host), ["docs.json"]);
}

/// A site whose specification has an operation that its overlay takes away, and one that it describes.
fn overlaid() -> SiteHost {
    let docs = DOCS.replace(
        r#""openapi": "api.json""#,
        r#""openapi": {"source": "api.json", "overlays": ["public.yaml"]}"#,
    );
    let host = SiteHost::new("", HostOptions::default());
    host.apply([
        change("docs.json", &docs),
        change("start.mdx", "---\ntitle: Start\n---\n"),
        change("api.json", &json("before")),
        change("api.yaml", &yaml("before")),
        change("public.yaml", OVERLAY),
    ]);
    host
}

const OVERLAY: &str = "\
overlay: 1.0.0
info: {title: Public, version: '1'}
actions:
  - target: $.paths['/things/1'].get
    update:
      description: Described anew.
  - target: $.paths['/things/2']
    remove: true
";

#[test]
fn half_an_overlay_takes_nothing_back() {
    let host = overlaid();
    let path = SitePath::new("public.yaml").expect("a path");
    let (open, closed) = (BTreeSet::from([path.clone()]), BTreeSet::new());
    let revision = host.revision();
    let why = |text: &str, open| {
        assert!(
            host.apply_as([change("public.yaml", text)], Adoption::WhenReadable(open))
                .is_empty()
        );
        assert_eq!(
            (held(&host), host.revision()),
            (vec!["public.yaml".to_owned()], revision)
        );
        let report = host.held_back()[&path].report.clone();
        assert!(
            report
                .diagnostic
                .message
                .ends_with("; its last whole version stays in use")
        );
        (report.diagnostic.code.name(), report.located.line)
    };
    let half = OVERLAY
        .find("  - target: $.paths['/things/2']")
        .expect("it is there");
    // Written in pieces; each of these could be read.
    assert_eq!(why("", Some(&closed)), ("truncated-file", 1));
    assert_eq!(why(&OVERLAY[..half], Some(&closed)), ("truncated-file", 6));
    assert_eq!(
        why(&OVERLAY.replace("anew", "again")[..half], Some(&open)),
        ("truncated-file", 6)
    );
    // Typed wrongly.
    assert_eq!(
        why(&OVERLAY.replacen("'1'}", "'1", 1), Some(&closed)).0,
        "invalid-yaml"
    );
    assert_eq!(why("- overlay: 1.0.0\n", None).0, "overlay-invalid");
    assert_eq!(why(" \n", None).0, "truncated-file");
    // What is said wrongly in an overlay that can be read counts, and so does a shorter one that is written no more.
    let shorter = [change("public.yaml", &OVERLAY[..half])];
    assert_eq!(
        host.apply_as(shorter, Adoption::WhenReadable(None))
            .changed
            .len(),
        1
    );
    assert_eq!(held(&host), [""; 0]);
    // What was none has nothing to go on with.
    host.apply([change("public.yaml", "nothing")]);
    let still = [change("public.yaml", "still nothing")];
    assert_eq!(
        host.apply_as(still, Adoption::WhenReadable(Some(&closed)))
            .changed
            .len(),
        1
    );
}

/// Texts are let go of and read again from their files; what is held back cannot be, as its file holds something else.
#[test]
fn an_overlay_is_held_back_on_a_site_of_more_texts_than_are_kept_in_memory() {
    let docs = DOCS.replace(
        r#""openapi": "api.json""#,
        r#""openapi": {"source": "api.json", "overlays": ["public.yaml"]}"#,
    );
    let folder = site();
    folder.write("docs.json", &docs);
    folder.write("public.yaml", OVERLAY);
    let store = Store::in_memory();
    let sources = Sources::open(folder.path()).expect("a folder");
    let host = SiteHost::new(
        "",
        HostOptions {
            store: store.clone(),
            reader: Some(quire_source::load::reader(&sources)),
            ..HostOptions::default()
        },
    );
    host.apply(sources.everything([]));
    // A text as large as all that is kept.
    let large = "Words. ".repeat(2 << 20);
    let digest = ContentHash::of(large.as_bytes());
    let place = folder.at("large.mdx");
    store
        .contents()
        .retain(digest, Some(large.as_str().into()), Some(place));
    folder.write("public.yaml", "overlay: [");
    folder.write("api.json", json("after"));
    let paths = ["public.yaml", "api.json"];
    let changes = paths.map(|path| {
        let path = SitePath::new(path).expect("a path");
        let state = sources.look(&path);
        FileChange { path, state }
    });
    host.apply_as(changes, Adoption::WhenReadable(Some(&BTreeSet::new())));
    assert_eq!(held(&host), ["public.yaml"]);
    let routes = host.read(|db, site| {
        let pages = route_table(db, site).pages.keys();
        pages.map(ToString::to_string).collect::<Vec<_>>()
    });
    let routes = routes.expect("an answer");
    // Those of the overlaid document.
    let shown = |name: &str| routes.iter().any(|route| route == name);
    let [shows, hides] = ["/api-reference/thing-1", "/api-reference/thing-2"].map(shown);
    assert!(shows && !hides, "{routes:?}");
}

#[test]
fn other_files_in_yaml_are_taken_as_they_are() {
    let host = host();
    host.apply([change("public.yaml", OVERLAY)]);
    let closed = BTreeSet::new();
    let changes = [change("public.yaml", "overlay: \"1")];
    let applied = host.apply_as(changes, Adoption::WhenReadable(Some(&closed)));
    assert_eq!((applied.changed.len(), held(&host).len()), (1, 0));
}

#[test]
fn yaml_that_is_open_for_writing_is_not_known_to_be_whole() {
    let host = host();
    let path = SitePath::new("api.yaml").expect("a path");
    let (open, closed) = (BTreeSet::from([path]), BTreeSet::new());
    let text = yaml("after");
    let lines = text.find("components:").expect("it is there");
    let applied = host.apply_as(
        [change("api.yaml", &text[..lines])],
        Adoption::WhenWhole(&open),
    );
    assert_eq!(
        (applied.is_empty(), held(&host)),
        (true, vec!["api.yaml".to_owned()])
    );
    // Who closes it after a whole line has removed the rest.
    let applied = host.apply_as(
        [change("api.yaml", &text[..lines])],
        Adoption::WhenWhole(&closed),
    );
    assert_eq!((applied.changed.len(), held(&host).len()), (1, 0));
}
