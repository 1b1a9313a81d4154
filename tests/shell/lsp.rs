//! `quire lsp`: what an editor gets while pages are written.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::editor::{Editor, offset};
use crate::support::folder::Folder;
use crate::support::program::run;

const CONFIG: &str = r##"{
  "name": "T",
  "theme": "mint",
  "colors": { "primary": "#000000" },
  "navigation": {
    "groups": [
      { "group": "Guides", "pages": ["start", "guides/first", "guides/second"] },
      { "group": "API", "openapi": "api.json" }
    ]
  }
}
"##;

const API: &str = r##"{
  "openapi": "3.1.0",
  "info": { "title": "Pets", "version": "1" },
  "paths": {
    "/pets": {
      "get": {
        "summary": "List pets",
        "description": "All of them, by name.",
        "responses": { "200": { "description": "Pets", "content": { "application/json": {
          "schema": { "$ref": "#/components/schemas/Pet" } } } } }
      }
    }
  },
  "components": { "schemas": { "Pet": { "type": "object", "properties": { "name": { "type": "string" } } } } }
}
"##;

const START: &str = "---\ntitle: Start\n---\nimport Part from '/snippets/part.mdx';\nimport { Button } from '/snippets/button.jsx';\n\n\
    Words with 🎈 and [first](/guides/first#part-one).\n\n<Card title=\"A\" icon=\"rocket\" href=\"/guides/second\">Text</Card>\n\n\
    <Part />\n\n<Button />\n";

const FIRST: &str = "---\ntitle: First page\ndescription: The first.\n---\n\n## Part one\n\nIt begins.\n\n### Inner\n\n## Part two\n\n[second](./second)\n";

fn site() -> Folder {
    Folder::new(&[
        ("docs/docs.json", CONFIG),
        ("docs/api.json", API),
        ("docs/start.mdx", START),
        ("docs/guides/first.mdx", FIRST),
        (
            "docs/guides/second.mdx",
            "---\ntitle: Second\n---\n\n[up](first#part-one) and [start](/start)\n",
        ),
        ("docs/api/pets.mdx", "---\nopenapi: GET /pets\n---\n"),
        (
            "docs/snippets/part.mdx",
            "Shared words, see [second](/guides/second).\n",
        ),
        (
            "docs/snippets/button.jsx",
            "// A button.\nexport const Button = () => <button>Press</button>;\n",
        ),
    ])
}

fn labels(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list").iter();
    items
        .map(|item| item["label"].as_str().expect("a label"))
        .collect()
}

/// Replaces the text of a document, and returns the completions at `|` of the new one.
#[track_caller]
fn completions(editor: &mut Editor, path: &str, marked: &str) -> Value {
    let at = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let whole = 0..editor.open[path].len();
    editor.edit(path, whole, &text);
    let params = editor.at(path, at);
    editor.request("textDocument/completion", params)
}

#[test]
fn completion_knows_components_pages_and_fields() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("start.mdx");
    let page = |body: &str| format!("---\ntitle: T\n---\n\n{body}");
    let list = completions(&mut editor, "start.mdx", &page("<Ca|"));
    let names = labels(&list);
    assert!(
        names.contains(&"Card") && names.contains(&"Tabs"),
        "{names:?}"
    );
    let card = list["items"].as_array().expect("a list").iter();
    let card = card
        .into_iter()
        .find(|item| item["label"] == "Card")
        .expect("a card");
    assert_eq!(card["textEdit"]["newText"], "Card$1>$0</Card>");
    assert_eq!(card["textEdit"]["range"]["start"]["character"], 1);
    let about = card["documentation"]["value"].as_str().expect("a text");
    assert!(about.contains("`href`"), "{about}");

    let list = completions(
        &mut editor,
        "start.mdx",
        &page("<Tabs>\n<Tab title=\"a\">\n</|"),
    );
    assert_eq!(labels(&list), ["Tab"]);
    assert_eq!(list["items"][0]["textEdit"]["newText"], "Tab>");

    let list = completions(&mut editor, "start.mdx", &page("<Tabs>\n<|"));
    assert_eq!(labels(&list)[0], "Tab", "children come first");

    let list = completions(&mut editor, "start.mdx", &page("<Card title=\"a\" |"));
    let names = labels(&list);
    assert!(
        names.contains(&"icon") && !names.contains(&"title"),
        "{names:?}"
    );

    let list = completions(&mut editor, "start.mdx", &page("<Card icon=\"rock|\" />"));
    assert!(labels(&list).contains(&"rocket"));

    let list = completions(&mut editor, "start.mdx", &page("[a](/gui|)"));
    assert_eq!(labels(&list), ["/guides/first", "/guides/second"]);
    assert_eq!(list["items"][0]["detail"], "First page");

    let list = completions(&mut editor, "start.mdx", &page("[a](/guides/first#|)"));
    assert_eq!(
        labels(&list),
        [
            "/guides/first#inner",
            "/guides/first#part-one",
            "/guides/first#part-two"
        ]
    );

    let list = completions(&mut editor, "start.mdx", &page("[a](./gui|)"));
    assert_eq!(labels(&list), ["./guides/first", "./guides/second"]);

    let list = completions(&mut editor, "start.mdx", "import A from '/snip|'\n");
    assert_eq!(
        labels(&list),
        ["/snippets/button.jsx", "/snippets/part.mdx"]
    );

    let list = completions(&mut editor, "start.mdx", "---\ntitle: T\n|\n---\n");
    let names = labels(&list);
    assert!(
        names.contains(&"description") && !names.contains(&"title"),
        "{names:?}"
    );

    let list = completions(&mut editor, "start.mdx", "---\nopenapi: |\n---\n");
    assert_eq!(labels(&list), ["GET /pets"]);

    let list = completions(
        &mut editor,
        "start.mdx",
        "---\nopenapi-schema: \"P|\"\n---\n",
    );
    assert_eq!(labels(&list), ["Pet"]);

    let list = completions(&mut editor, "start.mdx", "---\nmode: |\n---\n");
    assert!(labels(&list).contains(&"wide"));
    assert!(editor.end());
}

#[test]
fn completion_knows_the_configuration_and_references() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("docs.json");
    editor.open("api.json");
    let list = completions(&mut editor, "docs.json", "{ \"name\": \"T\", | }");
    let names = labels(&list);
    assert!(
        names.contains(&"theme") && !names.contains(&"name"),
        "{names:?}"
    );
    let theme = list["items"].as_array().expect("a list").iter();
    let theme = theme
        .into_iter()
        .find(|item| item["label"] == "theme")
        .expect("a field");
    assert_eq!(theme["textEdit"]["newText"], "\"theme\": ");
    assert!(theme["documentation"]["value"].is_string());

    let list = completions(&mut editor, "docs.json", "{ \"theme\": \"m|\" }");
    assert!(labels(&list).contains(&"maple"));

    let list = completions(
        &mut editor,
        "docs.json",
        "{ \"navigation\": { \"groups\": [{ \"group\": \"A\", \"|\" }] } }",
    );
    let names = labels(&list);
    assert!(
        names.contains(&"pages") && names.contains(&"icon"),
        "{names:?}"
    );

    let list = completions(
        &mut editor,
        "docs.json",
        "{ \"navigation\": { \"groups\": [{ \"group\": \"A\", \"pages\": [\"gui|\"] }] } }",
    );
    assert_eq!(labels(&list), ["guides/first", "guides/second"]);

    let list = completions(
        &mut editor,
        "api.json",
        &API.replace("#/components/schemas/Pet", "#/comp|"),
    );
    assert_eq!(labels(&list), ["#/components/schemas/Pet"]);
    assert!(editor.end());
}

#[test]
fn hover_says_what_a_thing_is() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    for path in ["start.mdx", "guides/first.mdx", "api/pets.mdx", "docs.json"] {
        editor.open(path);
    }
    let cases = [
        ("start.mdx", "<Ca", "A box with a title"),
        ("start.mdx", "ti", "title"),
        ("start.mdx", "icon=\"roc", "data:image/svg+xml;base64,"),
        ("start.mdx", "(/guides/fi", "## Part one\n\nIt begins."),
        (
            "start.mdx",
            "href=\"/guides/se",
            "**Second** · `/guides/second`",
        ),
        ("start.mdx", "<Par", "Shared words"),
        ("start.mdx", "<But", "export const Button"),
        ("guides/first.mdx", "## Part o", "2 links lead here"),
        ("guides/first.mdx", "desc", "`description`"),
        ("api/pets.mdx", "GET /p", "All of them, by name."),
        ("docs.json", "\"the", "Design of the site"),
        ("docs.json", "\"guides/fi", "**First page**"),
    ];
    for (path, words, expected) in cases {
        let params = editor.after(path, words);
        let hover = editor.request("textDocument/hover", params);
        let said = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(said.contains(expected), "{path} {words}: {said}");
    }
    let params = editor.after("start.mdx", "Words w");
    assert!(editor.request("textDocument/hover", params).is_null());
    assert!(editor.end());
}

#[test]
fn definitions_and_references_lead_to_files_and_back() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    for path in ["start.mdx", "guides/first.mdx", "api/pets.mdx", "docs.json"] {
        editor.open(path);
    }
    let cases = [
        ("start.mdx", "(/guides/fi", "guides/first.mdx", 5),
        ("start.mdx", "href=\"/guides/se", "guides/second.mdx", 0),
        ("start.mdx", "<Par", "snippets/part.mdx", 0),
        ("start.mdx", "<But", "snippets/button.jsx", 1),
        ("start.mdx", "from '/snippets/part", "snippets/part.mdx", 0),
        ("api/pets.mdx", "GET /p", "api.json", 5),
        ("docs.json", "\"guides/fi", "guides/first.mdx", 0),
        ("docs.json", "\"api.j", "api.json", 0),
    ];
    for (path, words, file, line) in cases {
        let params = editor.after(path, words);
        let found = editor.request("textDocument/definition", params);
        assert_eq!(found["uri"], editor.uri(file), "{path} {words}");
        assert_eq!(found["range"]["start"]["line"], line, "{path} {words}");
    }
    let references = |editor: &mut Editor, path: &str, words: &str| {
        let mut params = editor.after(path, words);
        params["context"] = json!({ "includeDeclaration": false });
        let root = editor.uri("");
        let found = editor.request("textDocument/references", params);
        let found = found.as_array().expect("a list").iter().map(|place| {
            let uri = place["uri"].as_str().expect("an address");
            let line = &place["range"]["start"]["line"];
            format!("{}:{line}", uri.strip_prefix(&root).expect("a file"))
        });
        found.collect::<Vec<_>>()
    };
    // The heading, the page as a whole, a snippet, an operation.
    assert_eq!(
        references(&mut editor, "guides/first.mdx", "## Part o"),
        ["guides/second.mdx:4", "start.mdx:6"]
    );
    assert_eq!(
        references(&mut editor, "guides/first.mdx", "It be"),
        ["docs.json:6", "guides/second.mdx:4", "start.mdx:6"]
    );
    assert_eq!(
        references(&mut editor, "start.mdx", "<Par"),
        ["start.mdx:3"]
    );
    editor.open("api.json");
    assert_eq!(
        references(&mut editor, "api.json", "\"summary"),
        ["api/pets.mdx:0"]
    );
    let params = json!({ "textDocument": { "uri": editor.uri("start.mdx") } });
    let links = editor.request("textDocument/documentLink", params);
    let targets = links.as_array().expect("a list").iter();
    let targets: Vec<&str> = targets
        .map(|link| link["target"].as_str().expect("an address"))
        .collect();
    assert_eq!(
        targets,
        [
            editor.uri("guides/first.mdx"),
            editor.uri("guides/second.mdx")
        ]
    );
    let symbols = editor.request("workspace/symbol", json!({ "query": "pets" }));
    let names = symbols.as_array().expect("a list").iter();
    let names: Vec<&str> = names
        .map(|symbol| symbol["name"].as_str().expect("a name"))
        .collect();
    assert!(names.contains(&"GET /pets"), "{names:?}");
    assert!(editor.end());
}

/// Runs `check --strict` on the site, which must find nothing.
#[track_caller]
fn check(folder: &Folder) {
    let (code, out, err) = run(&["check", "docs", "--strict"], folder);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_renamed_heading_takes_its_links_along() {
    let folder = site();
    check(&folder);
    let mut editor = Editor::start(&folder, "docs");
    editor.open("guides/first.mdx");
    let mut params = editor.after("guides/first.mdx", "## Part o");
    let prepared = editor.request("textDocument/prepareRename", params.clone());
    assert_eq!(prepared["placeholder"], "Part one");
    params["newName"] = "The beginning".into();
    let edit = editor.request("textDocument/rename", params);
    assert!(editor.apply(&edit).is_empty());
    assert!(editor.end());
    assert!(
        folder
            .read("docs/guides/first.mdx")
            .contains("## The beginning\n")
    );
    assert!(
        folder
            .read("docs/start.mdx")
            .contains("(/guides/first#the-beginning)")
    );
    assert!(
        folder
            .read("docs/guides/second.mdx")
            .contains("(first#the-beginning)")
    );
    check(&folder);
}

#[test]
fn a_renamed_page_takes_everything_along_that_names_it() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("start.mdx");
    let mut params = editor.after("start.mdx", "(/guides/fi");
    let prepared = editor.request("textDocument/prepareRename", params.clone());
    assert_eq!(prepared["placeholder"], "guides/first.mdx");
    params["newName"] = "guides/second.mdx".into();
    let refused = editor.ask("textDocument/rename", params.clone());
    let why = refused["error"]["message"].as_str().expect("a reason");
    assert!(
        why.contains("there is a file of this name already"),
        "{why}"
    );
    params["newName"] = "begin/here".into();
    let edit = editor.request("textDocument/rename", params);
    let renamed = editor.apply(&edit);
    assert_eq!(
        renamed,
        [("guides/first.mdx".to_owned(), "begin/here.mdx".to_owned())]
    );
    editor.close("start.mdx");
    // The same as the explorer of an editor does it, for a folder.
    let uris = |path: &str| editor.uri(path);
    let files = json!({ "files": [{ "oldUri": uris("snippets"), "newUri": uris("shared") }] });
    let mut editor = editor;
    editor.wait_for("the moved page is seen", |_| true);
    let edit = editor.request("workspace/willRenameFiles", files);
    editor.apply(&edit);
    std::fs::rename(folder.at("docs/snippets"), folder.at("docs/shared")).expect("it is moved");
    assert!(editor.end());
    assert!(
        folder
            .read("docs/start.mdx")
            .contains("(/begin/here#part-one)")
    );
    assert!(
        folder
            .read("docs/start.mdx")
            .contains("from '/shared/button.jsx'")
    );
    check(&folder);
}

#[test]
fn findings_follow_what_is_typed_and_what_is_written_elsewhere() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("start.mdx");
    editor.replace("start.mdx", "/guides/first#part-one", "/guides/firs");
    editor.wait_for("a dead link", |found| {
        Editor::codes(found, "start.mdx") == ["broken-link"]
    });
    // A target that is written by another program.
    folder.write(
        "docs/guides/firs.mdx",
        "---\ntitle: Firs\nhidden: true\n---\n",
    );
    editor.wait_for("the link leads somewhere", |found| {
        Editor::codes(found, "start.mdx").is_empty()
    });
    // What the editor has open counts, whatever is on disk.
    folder.write("docs/start.mdx", "[x](/nowhere)\n");
    editor.replace("start.mdx", "Words", "[y](/no-page) Words");
    editor.wait_for("the text of the editor", |found| {
        let found = found.get("start.mdx").map(Vec::as_slice).unwrap_or_default();
        matches!(found, [one] if one["message"].as_str().is_some_and(|message| message.contains("/no-page")))
    });
    editor.close("start.mdx");
    editor.wait_for("the text of the disk", |found| {
        let found = found
            .get("start.mdx")
            .map(Vec::as_slice)
            .unwrap_or_default();
        found.iter().any(|one| {
            one["message"]
                .as_str()
                .is_some_and(|message| message.contains("/nowhere"))
        })
    });
    assert!(editor.end());
}

#[test]
fn a_configuration_that_is_being_typed_keeps_the_site() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("docs.json");
    editor.open("start.mdx");
    editor.replace("docs.json", "\"theme\": \"mint\",", "\"theme\": ");
    editor.wait_for("a fault of the configuration", |found| {
        Editor::codes(found, "docs.json") == ["invalid-json"]
    });
    let list = completions(&mut editor, "start.mdx", "[a](/gui|)");
    assert_eq!(labels(&list), ["/guides/first", "/guides/second"]);
    editor.replace("docs.json", "\"theme\": ", "\"theme\": \"mint\",");
    editor.wait_for("no fault", |found| {
        Editor::codes(found, "docs.json").is_empty()
    });
    assert!(editor.end());
}

#[test]
fn actions_mend_and_ignore_findings_and_open_the_preview() {
    let folder = site();
    let mut editor = Editor::start_with(&folder, "docs", &["--preview", "http://localhost:4000/"]);
    editor.open("start.mdx");
    editor.replace("start.mdx", "Words with", "<Crad /> Words with");
    editor.wait_for("an unknown component", |found| {
        Editor::codes(found, "start.mdx").contains(&"unknown-component".to_owned())
    });
    let found = editor.findings("start.mdx");
    let range = found[0]["range"].clone();
    let params = json!({
        "textDocument": { "uri": editor.uri("start.mdx") },
        "range": range, "context": { "diagnostics": found },
    });
    let actions = editor.request("textDocument/codeAction", params);
    let titles = actions.as_array().expect("a list").iter();
    let titles: Vec<&str> = titles
        .map(|action| action["title"].as_str().expect("a title"))
        .collect();
    assert!(
        titles.contains(&"Ignore `unknown-component` here"),
        "{titles:?}"
    );
    let last = actions.as_array().and_then(|all| all.last()).expect("one");
    assert_eq!(last["kind"], "source");
    let command = json!({
        "command": last["command"]["command"], "arguments": last["command"]["arguments"],
    });
    editor.request("workspace/executeCommand", command);
    let shown = editor.others.iter();
    let shown = shown
        .into_iter()
        .find(|message| message["method"] == "window/showDocument")
        .expect("a request");
    assert_eq!(shown["params"]["uri"], "http://localhost:4000/start");
    // A finding that is ignored is none.
    let ignore = actions.as_array().expect("a list").iter();
    let ignore = ignore
        .into_iter()
        .find(|action| action["title"] == "Ignore `unknown-component` here")
        .expect("an action");
    let edit = &ignore["edit"]["documentChanges"][0]["edits"][0];
    let at = offset(&editor.open["start.mdx"], &edit["range"]["start"]);
    let comment = edit["newText"].as_str().expect("a text").to_owned();
    editor.edit("start.mdx", at..at, &comment);
    editor.wait_for("it is ignored", |found| {
        Editor::codes(found, "start.mdx").is_empty()
    });
    assert!(editor.end());
}

#[test]
fn a_misspelt_word_is_replaced_in_both_tags() {
    let folder = site();
    let mut editor = Editor::start(&folder, "docs");
    editor.open("start.mdx");
    editor.replace(
        "start.mdx",
        "Words with",
        "🎈 <Calout>Text</Calout> Words with",
    );
    editor.wait_for("an unknown component", |found| {
        Editor::codes(found, "start.mdx") == ["unknown-component"]
    });
    let found = editor.findings("start.mdx");
    let params = json!({
        "textDocument": { "uri": editor.uri("start.mdx") },
        "range": found[0]["range"], "context": { "diagnostics": found },
    });
    let actions = editor.request("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "Replace with `Callout`");
    let edits = actions[0]["edit"]["documentChanges"][0]["edits"].clone();
    for edit in edits.as_array().expect("a list").iter().rev() {
        let at = |end: &str| offset(&editor.open["start.mdx"], &edit["range"][end]);
        let range = at("start")..at("end");
        let text = edit["newText"].as_str().expect("a text").to_owned();
        editor.edit("start.mdx", range, &text);
    }
    assert!(editor.open["start.mdx"].contains("🎈 <Callout>Text</Callout> Words"));
    editor.wait_for("no finding", |found| {
        Editor::codes(found, "start.mdx").is_empty()
    });
    assert!(editor.end());
}

#[test]
fn sites_are_found_below_the_folder_and_around_a_document() {
    let folder = site();
    folder.write("README.md", "# Not a page\n\n[x](/nowhere)\n");
    folder.write("other/docs.json", CONFIG);
    folder.write("other/start.mdx", "[x](/nowhere)\n");
    // The folder of the client is the repository: both sites are found.
    let mut editor = Editor::start(&folder, "");
    editor.wait_for("the other site", |found| {
        Editor::codes(found, "other/start.mdx").contains(&"broken-link".to_owned())
    });
    editor.open("README.md");
    let params = editor.after("README.md", "[x](/now");
    assert!(editor.request("textDocument/hover", params).is_null());
    assert!(editor.end());
    // The folder is within the site: it is found from the document.
    let mut editor = Editor::start(&folder, "docs/guides");
    editor.open("first.mdx");
    let params = editor.after("first.mdx", "(./sec");
    let hover = editor.request("textDocument/hover", params);
    assert!(hover["contents"]["value"].is_string(), "{hover}");
    let unknown = editor.ask("textDocument/nothing", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert!(editor.end());
}

/// Findings as `check` has them, on the texts that the editor has.
#[track_caller]
fn checked(folder: &Folder, editor: &Editor) -> BTreeMap<String, Vec<String>> {
    let copy = Folder::copy_of(&folder.at("docs"));
    for (path, text) in &editor.open {
        copy.write(path, text);
    }
    let (_, out, err) = run(&["check", ".", "--format", "json"], &copy);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in out.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}{err}"));
        if line.get("summary").is_some() {
            continue;
        }
        let path = line["path"].as_str().expect("a path").to_owned();
        let hint = line["hint"].as_str();
        let hint = hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
        let message = line["message"].as_str().expect("a message");
        let code = line["code"].as_str().expect("a code");
        let entry = format!("{}:{} {code} {message}{hint}", line["line"], line["column"]);
        found.entry(path).or_default().push(entry);
    }
    found.values_mut().for_each(|found| found.sort());
    found
}

/// Findings as the editor got them, columns in characters.
fn published(
    found: &BTreeMap<String, Vec<Value>>,
    open: &BTreeMap<String, String>,
) -> BTreeMap<String, Vec<String>> {
    let found = found.iter().filter(|(_, found)| !found.is_empty());
    let found = found.map(|(path, found)| {
        let entries = found.iter().map(|one| {
            let start = &one["range"]["start"];
            let line = start["line"].as_u64().expect("a line");
            let column = match open.get(path) {
                Some(text) => {
                    let at = offset(text, start);
                    let from = text[..at].rfind('\n').map_or(0, |at| at + 1);
                    text[from..at].chars().count()
                }
                None => start["character"].as_u64().expect("a column") as usize,
            };
            let (code, message) = (one["code"].as_str(), one["message"].as_str());
            let (code, message) = (code.expect("a code"), message.expect("a message"));
            format!("{}:{} {code} {message}", line + 1, column + 1)
        });
        let mut entries: Vec<String> = entries.collect();
        entries.sort();
        (path.clone(), entries)
    });
    found.collect()
}

#[test]
fn after_any_edits_the_findings_are_those_of_check() {
    let pieces = [
        "[a](/guides/first#part-one) ",
        "[b](/nowhere) ",
        "<Card title=\"x\">",
        "</Card>",
        "\n\n## Part one\n\n",
        "{missing} ",
        "🎈é ",
        "<Unknown /> ",
        "\n:::tip\n",
        "---\n",
        "\"",
        "\n\n",
        "[c](second#part-two)",
        "title: New\n",
        "![](/images/none.png)",
        "{/* quire-ignore */}\n",
    ];
    for seed in 0..3 {
        let folder = site();
        let mut editor = Editor::start(&folder, "docs");
        let mut random = fastrand::Rng::with_seed(seed);
        let paths = [
            "start.mdx",
            "guides/first.mdx",
            "guides/second.mdx",
            "snippets/part.mdx",
        ];
        for path in paths {
            editor.open(path);
        }
        editor.open("docs.json");
        editor.open("api.json");
        for step in 0..8 {
            for _ in 0..random.usize(1..6) {
                let path = paths[random.usize(0..paths.len())];
                let text = &editor.open[path];
                let mut at = random.usize(0..=text.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                let mut end = at + random.usize(0..=(text.len() - at).min(12));
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                let end = end.max(at);
                match random.bool() {
                    true => {
                        let piece = pieces[random.usize(0..pieces.len())];
                        editor.edit(path, at..at, piece);
                    }
                    false => editor.edit(path, at..end, ""),
                }
            }
            match random.u8(0..4) {
                0 if editor.open["docs.json"].contains("guides/second") => {
                    editor.replace("docs.json", "guides/second", "guides/secnd");
                }
                1 if editor.open["docs.json"].contains("secnd") => {
                    editor.replace("docs.json", "guides/secnd", "guides/second");
                }
                2 if editor.open["api.json"].contains("\"type\": \"string\"") => {
                    editor.replace("api.json", "\"type\": \"string\"", "\"type\": \"strng\"");
                }
                _ => {}
            }
            let expected = checked(&folder, &editor);
            let open = editor.open.clone();
            editor.wait_for(
                &format!("seed {seed}, step {step}: {expected:#?}"),
                |found| published(found, &open) == expected,
            );
        }
        assert!(editor.end());
    }
}
