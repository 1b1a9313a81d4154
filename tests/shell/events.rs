//! What an open page is told: that it changed, and what is wrong with it. Nothing else wakes it.

use crate::support::client::Connection;
use crate::support::folder::Folder;
use crate::support::preview::Preview;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"tabs":[
                {"tab":"One","pages":["first","second"]},{"tab":"Two","pages":["third"]}]}}"##,
        ),
        ("first.mdx", "---\ntitle: First\n---\n\nWords.\n"),
        ("second.mdx", "---\ntitle: Second\n---\n\nWords.\n"),
        ("third.mdx", "---\ntitle: Third\n---\n\nWords.\n"),
    ])
}

/// The meta element that a previewed page carries.
#[track_caller]
fn preview_of(page: &str) -> serde_json::Value {
    let (_, after) = page
        .split_once("name=\"quire-preview\" content=\"")
        .expect("the page is previewed");
    let (content, _) = after.split_once('"').expect("a value");
    serde_json::from_str(&content.replace("&quot;", "\"").replace("&amp;", "&")).expect("JSON")
}

/// An open page.
struct Stream(Connection);

impl Stream {
    #[track_caller]
    fn open(preview: &Preview, route: &str) -> Self {
        let info = preview_of(&preview.page(route));
        let (events, digest) = (
            info["events"].as_str().expect("an address"),
            info["digest"].as_str().expect("a digest"),
        );
        let mut connection = preview.connect();
        connection.request("GET", &format!("{events}&digest={digest}"), &[]);
        let (status, headers) = connection.try_head().expect("a reply");
        assert_eq!(status, 200);
        assert!(headers.contains(&("content-type".to_owned(), "text/event-stream".to_owned())));
        Self(connection)
    }

    /// The name and the data of the next event.
    #[track_caller]
    fn next(&mut self) -> (String, serde_json::Value) {
        loop {
            let chunk = self.0.chunk().expect("the stream goes on");
            let text = String::from_utf8(chunk).expect("UTF-8");
            if text.starts_with(':') {
                continue;
            }
            let text = text.strip_prefix("event: ").expect("an event");
            let (name, data) = text.split_once("\ndata: ").expect("with data");
            return (
                name.to_owned(),
                serde_json::from_str(data.trim_end()).expect("JSON"),
            );
        }
    }

    /// The next event, which must be of a changed page; returns the digest.
    #[track_caller]
    fn next_page(&mut self) -> String {
        let (name, data) = self.next();
        assert_eq!(name, "page", "{data}");
        data["digest"].as_str().expect("a digest").to_owned()
    }
}

#[test]
fn only_pages_of_this_run_are_told_anything() {
    let folder = site();
    let preview = Preview::of(&folder);
    for target in [
        "/_quire/events",
        "/_quire/events?token=&route=/first",
        "/_quire/events?route=/first",
    ] {
        let reply = preview.get(target);
        assert_eq!(reply.status, 401, "{target}");
        assert!(reply.text().contains("\"bad-token\""));
    }
    let other = Preview::of(&folder);
    let info = preview_of(&other.page("/first"));
    check_is_told_to_reload(&preview, info["events"].as_str().unwrap());
    check_is_told_to_reload(&preview, "/_quire/events?token=0000&route=/first");
}

/// The stream at `target` says that the page must be loaded again, nothing else, and ends.
#[track_caller]
fn check_is_told_to_reload(preview: &Preview, target: &str) {
    let reply = preview.get(target);
    assert_eq!(reply.status, 200, "{target}");
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.text(), "event: reload\ndata: {}\n\n");
}

#[test]
fn a_page_of_the_run_before_is_told_to_load_itself_again() {
    let folder = site();
    let first = Preview::of(&folder);
    let port = first.address.port();
    let page = first.get("/first");
    let old = preview_of(&page.text());
    let tag = page.header("etag").expect("a tag").to_owned();
    drop(first);
    let second = Preview::again_at(port, &folder);
    assert_eq!(second.address.port(), port);
    check_is_told_to_reload(&second, old["events"].as_str().unwrap());
    // What it loads then is of this run, which tells it of changes: what the browser has kept is not current.
    let mut connection = second.connect();
    connection.request("GET", "/first", &[("if-none-match", &tag)]);
    assert_eq!(connection.reply().status, 200);
    let mut stream = Stream::open(&second, "/first");
    folder.write("first.mdx", "---\ntitle: First\n---\n\nOther words.\n");
    stream.next_page();
}

#[test]
fn an_open_page_is_told_that_pictures_changed() {
    let folder = site();
    let picture = |color: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="{color}"/></svg>"#
        )
    };
    folder.write("images/a.svg", picture("red"));
    folder.write(
        "first.mdx",
        "---\ntitle: First\n---\n\n<img src=\"/images/a.svg\" />\n",
    );
    let preview = Preview::of(&folder);
    let mut stream = Stream::open(&preview, "/first");
    for (count, color) in [(1, "blue"), (2, "green")] {
        folder.write("images/a.svg", picture(color));
        let (mut name, mut data) = stream.next();
        if name == "page" {
            (name, data) = stream.next();
        }
        assert_eq!((name.as_str(), &data["count"]), ("pictures", &count.into()));
        // At the address that the script of the page asks then.
        let reply = preview.get(&format!("/images/a.svg?quire-at={count}"));
        assert!(reply.text().contains(color));
    }
    // Other files are none.
    folder.write("notes.txt", "Words.");
    folder.write("first.mdx", "---\ntitle: First\n---\n\nWords.\n");
    stream.next_page();
}

#[test]
fn a_page_that_moves_takes_those_who_look_at_it_along() {
    let api = |summary: &str| {
        format!(
            r#"{{"openapi": "3.1.0", "info": {{"title": "A", "version": "1"}}, "paths": {{"/things": {{"get": {{"summary": "{summary}", "responses": {{"200": {{"description": "Fine"}}}}}}}}}}}}"#
        )
    };
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"groups":[{"group":"API","openapi":"api.json"}]}}"##,
        ),
        ("api.json", &api("List")),
    ]);
    let preview = Preview::of(&folder);
    let mut stream = Stream::open(&preview, "/api-reference/list");
    // With each letter of its summary it is elsewhere.
    for (summary, slug) in [
        ("List t", "list-t"),
        ("List th", "list-th"),
        ("List things", "list-things"),
    ] {
        folder.write("api.json", api(summary));
        let (name, data) = stream.next();
        let at = format!("/api-reference/{slug}");
        assert_eq!(
            (name.as_str(), &data["href"]),
            ("moved", &at.as_str().into())
        );
        let told = stream.next_page();
        assert_eq!(preview_of(&preview.page(&at))["digest"], *told);
    }
    // It goes where nobody can follow.
    folder.write("api.json", api("List").replace("/things", "/others"));
    assert!(stream.next_page().starts_with("absent-"));
}

#[test]
fn only_the_page_that_changed_is_told() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut first = Stream::open(&preview, "/first");
    let mut second = Stream::open(&preview, "/second");
    folder.write("second.mdx", "---\ntitle: Second\n---\n\nOther words.\n");
    let told = second.next_page();
    assert_eq!(preview_of(&preview.page("/second"))["digest"], *told);
    // The first event of the other page is the one of its own edit: the edit before told it nothing.
    folder.write("first.mdx", "---\ntitle: First\n---\n\nOther words.\n");
    let told = first.next_page();
    assert_eq!(preview_of(&preview.page("/first"))["digest"], *told);
}

#[test]
fn a_new_title_is_told_to_who_shows_it_in_the_sidebar() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut first = Stream::open(&preview, "/first");
    let mut third = Stream::open(&preview, "/third");
    folder.write("second.mdx", "---\ntitle: Renamed\n---\n\nWords.\n");
    first.next_page();
    assert!(preview.page("/first").contains("Renamed"));
    // Another tab shows another sidebar.
    folder.write("third.mdx", "---\ntitle: Third\n---\n\nOther words.\n");
    let told = third.next_page();
    assert_eq!(preview_of(&preview.page("/third"))["digest"], *told);
}

#[test]
fn a_page_that_was_edited_before_it_listened_is_told_at_once() {
    let folder = site();
    let preview = Preview::of(&folder);
    let info = preview_of(&preview.page("/first"));
    folder.write("first.mdx", "---\ntitle: First\n---\n\nOther words.\n");
    let now = preview_of(&preview.page("/first"))["digest"].clone();
    let mut connection = preview.connect();
    let target = format!(
        "{}&digest={}",
        info["events"].as_str().unwrap(),
        info["digest"].as_str().unwrap()
    );
    connection.request("GET", &target, &[]);
    connection.try_head().expect("a reply");
    assert_eq!(Stream(connection).next_page(), now);
}

#[track_caller]
fn check_diagnostics(broken: &str, expected: &serde_json::Value, width: u64) {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut first = Stream::open(&preview, "/first");
    let mut diagnostics = || loop {
        let (name, data) = first.next();
        if name == "diagnostics" {
            return data;
        }
    };
    folder.write("first.mdx", broken);
    let told = diagnostics();
    let entry = &told[0];
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(entry[name], *value, "{name} of {entry:#}");
    }
    let line = entry["line"].as_u64().expect("a line");
    let frame = &entry["frame"];
    let text = broken.lines().nth(line as usize - 1).expect("that line");
    assert_eq!(frame["line_number"], line);
    assert_eq!(frame["text"], text);
    assert_eq!(frame["column"], entry["column"]);
    assert_eq!(frame["width"], width);
    folder.write("first.mdx", "---\ntitle: First\n---\n\nWords.\n");
    assert_eq!(diagnostics(), serde_json::json!([]));
}

#[test]
fn broken_frontmatter_is_told_with_its_place_and_forgotten_when_mended() {
    check_diagnostics(
        "---\ntitle: First\ndescription: [\n---\n\nWords.\n",
        &serde_json::json!({ "path": "first.mdx", "severity": "error" }),
        1,
    );
}

#[test]
fn broken_jsx_is_told_with_its_place_and_forgotten_when_mended() {
    check_diagnostics(
        "---\ntitle: First\n---\n\nWords.\n\n  <Card title=\"x\">\n\nMore.\n",
        &serde_json::json!({ "path": "first.mdx", "line": 7, "column": 3 }),
        16,
    );
}

#[test]
fn a_configuration_that_ends_in_the_middle_is_told_with_its_place_and_forgotten_when_whole() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut first = Stream::open(&preview, "/first");
    let mut diagnostics = || loop {
        let (name, data) = first.next();
        if name == "diagnostics" {
            return data;
        }
    };
    let text = folder.read("docs.json");
    folder.write("docs.json", text[..text.len() - 4].trim_end());
    let told = diagnostics();
    let expected = serde_json::json!(["truncated-file", "docs.json", 2]);
    assert_eq!(
        serde_json::json!([told[0]["code"], told[0]["path"], told[0]["line"]]),
        expected
    );
    assert!(told[0]["hint"].is_string());
    folder.write("docs.json", &text);
    assert_eq!(diagnostics(), serde_json::json!([]));
}

#[test]
fn a_page_that_is_removed_and_comes_back_is_told_both() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut third = Stream::open(&preview, "/third");
    let text = folder.read("third.mdx");
    folder.remove("third.mdx");
    assert!(third.next_page().starts_with("absent"));
    folder.write("third.mdx", text);
    let told = third.next_page();
    assert_eq!(preview_of(&preview.page("/third"))["digest"], *told);
}

#[test]
fn streams_end_when_the_server_stops() {
    let folder = site();
    let mut preview = Preview::of(&folder);
    let mut first = Stream::open(&preview, "/first");
    preview.ask_to_stop();
    assert_eq!(first.0.chunk(), None, "a proper end");
    crate::support::wait_until("the server ends", || preview.has_ended());
}

#[test]
fn the_terminal_is_told_what_was_edited() {
    let folder = site();
    let preview = Preview::of(&folder);
    // What was there before the first survey ended is only counted.
    preview.wait_for_line("3 pages: ");
    folder.write("first.mdx", "---\ntitle: First\n---\n\n[x](/nowhere)\n");
    preview.wait_for_line("changed first.mdx");
    preview.wait_for_line("`/nowhere`");
}

#[test]
fn an_open_page_is_told_what_the_change_cost_and_why() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut stream = Stream::open(&preview, "/first");
    // The first may be seen by the look that begins a stream, which is told of no change.
    folder.write("first.mdx", "---\ntitle: First\n---\n\nOther words.\n");
    stream.next_page();
    folder.write("first.mdx", "---\ntitle: First\n---\n\nLast words.\n");
    let (name, data) = stream.next();
    assert_eq!(name, "page");
    assert_eq!(data["because"], "first.mdx changed");
    assert!(data["queries"].as_u64() >= Some(2), "{data}");
    assert!(data["ms"].as_f64() > Some(0.0), "{data}");
}
