//! What sites style by and scripts of sites look for: the ids, names and attributes of the reference, on pages that have one
//! of everything.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use theme::assets::ASSETS;
use theme::hooks::{ATTRIBUTES, HOOKS, HookSupport, NAMES, OTHER_IDS, Place};

use crate::support::TestSite;
use crate::themes::all_pages;

const SPEC: &str = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
    "servers": [{"url": "https://a.example"}, {"url": "https://b.example"}],
    "paths": {"/things": {"post": {"summary": "Make",
    "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}}},
    "responses": {"200": {"description": "All.", "content": {"application/json": {"example": {"a": 1}}}}}}}}}"#;

const COMPONENTS: &str = r##"## One

### Two

<AccordionGroup>
<Accordion title="A" icon="bolt">Words.</Accordion>
</AccordionGroup>

<Note>Words.</Note>

<CardGroup cols={2}>
<Card title="C" icon="bolt" href="/start">Words.</Card>
</CardGroup>

```js main.js icon="js"
1
```

<CodeGroup>
```js One
1
```
```js Two
2
```
</CodeGroup>

<ResponseField name="a" type="string">
<Expandable title="more">
<ParamField query="b" type="string">Words.</ParamField>
</Expandable>
</ResponseField>

<Frame>![a](/a.png)</Frame>

<Icon icon="bolt" /> <Badge color="blue" size="sm">New</Badge> <Tooltip tip="T">word</Tooltip>

```mermaid
graph TD
  A --> B
```

<Steps>
<Step title="S">Words.</Step>
</Steps>

<Tabs>
<Tab title="T" icon="bolt">Words.</Tab>
</Tabs>

<Tile href="/start" title="T">Words.</Tile>

<Update label="1.0" tags={["New"]}>Words.</Update>

<Update label="0.9" tags={["Mended"]}>Words.</Update>

<View title="JavaScript" icon="js">Words.</View>

<View title="Rust">Words.</View>

<Color variant="table">
<Color.Row title="R">
<Color.Item name="n" value="#fff" />
</Color.Row>
</Color>

<Tree>
<Tree.Folder name="src">
<Tree.File name="a.ts" />
</Tree.Folder>
</Tree>

<Prompt description="P">Words.</Prompt>

<Panel>Beside.</Panel>
"##;

/// A site with this navigation.
fn site(navigation: Value) -> TestSite {
    let text = |front: &str, text: &str| format!("---\ntitle: A page\n{front}---\n\n{text}\n");
    let eyebrows = match navigation.get("products") {
        Some(_) => "breadcrumbs",
        None => "section",
    };
    let docs = json!({
        "theme": "mint", "name": "Sample", "logo": "https://example.org/logo.svg", "colors": {"primary": "#00aa77"},
        "banner": {"content": "News"}, "styling": {"eyebrows": eyebrows},
        "feedback": {"thumbs": true, "edits": true},
        "footer": {"links": [{"header": "More", "items": [{"label": "Blog", "href": "https://blog.example"}]}]},
        "navbar": {"links": [{"label": "Blog", "href": "https://blog.example"}],
            "primary": {"type": "button", "label": "Go", "href": "/start"}},
        "navigation": navigation,
    });
    TestSite::new(&[
        ("docs.json", docs.to_string()),
        ("api.json", SPEC.to_owned()),
        ("start.mdx", text("tag: New\nicon: bolt\n", COMPONENTS)),
        ("center.mdx", text("mode: center\n", "## One\n\nWords.")),
        (
            "pagination.mdx",
            text(
                "",
                "## Pagination\n\n## Sidebar\n\n## Panel\n\n<Panel>\n\nBeside.\n\n</Panel>",
            ),
        ),
        ("de/start.mdx", text("", "Wörter.")),
    ])
}

/// Languages, tabs, a group with an icon and a tag.
fn languages() -> TestSite {
    let group = json!({"group": "G", "icon": "bolt", "tag": "New", "pages": ["start", "center", "pagination"]});
    site(json!({"languages": [
        {"language": "en", "tabs": [{"tab": "Guides", "groups": [group]}, {"tab": "API", "openapi": "api.json"}]},
        {"language": "de", "groups": [{"group": "G", "pages": ["de/start"]}]},
    ], "global": {"anchors": [{"anchor": "Community", "icon": "users", "href": "https://c.example"}]}}))
}

/// The pages of sites that have between them one of everything.
fn pages() -> Vec<String> {
    let group = |pages: &[&str]| json!([{"group": "G", "pages": pages}]);
    let menu = json!({"tabs": [{"tab": "T", "menu": [
        {"item": "One", "description": "D", "icon": "bolt", "groups": group(&["start"])},
        {"item": "Two", "groups": group(&["pagination"])},
    ]}]});
    let dropdowns = json!({"dropdowns": [
        {"dropdown": "One", "description": "D", "icon": "bolt", "groups": group(&["start"])},
        {"dropdown": "Two", "groups": group(&["pagination"])},
    ]});
    let products = json!({"products": [
        {"product": "One", "description": "D", "icon": "bolt", "groups": group(&["start"])},
        {"product": "Two", "groups": group(&["pagination"])},
    ]});
    let mut pages: Vec<String> = [menu, dropdowns, products]
        .into_iter()
        .flat_map(|navigation| all_pages(&site(navigation)).into_values())
        .collect();
    pages.extend(all_pages(&languages()).into_values());
    pages
}

fn scripts() -> String {
    let scripts = ASSETS
        .iter()
        .filter(|asset| asset.name.ends_with(".js") && !asset.is_gzip);
    scripts
        .map(|asset| std::str::from_utf8(asset.bytes).unwrap())
        .collect()
}

fn ids(html: &str) -> Vec<&str> {
    let starts = html
        .match_indices(" id=\"")
        .map(|(at, start)| &html[at + start.len()..]);
    starts.filter_map(|rest| rest.split('"').next()).collect()
}

fn classes(html: &str) -> impl Iterator<Item = &str> {
    let lists = html.split("class=\"").skip(1);
    lists.flat_map(|rest| rest.split('"').next().unwrap_or_default().split(' '))
}

/// Whether one of the tags of `html` is selected: `.class` or `element` first, then any `[attributes]`.
fn selects(html: &str, selector: &str) -> bool {
    let selector = selector.rsplit(' ').next().unwrap_or(selector);
    let (first, attributes) = selector.split_at(selector.find('[').unwrap_or(selector.len()));
    let attributes: Vec<&str> = (attributes.split('[').skip(1))
        .map(|one| one.trim_end_matches(']'))
        .collect();
    let mut tags = html
        .split('<')
        .filter_map(|rest| Some(&rest[..rest.find('>')?]));
    tags.any(|tag| {
        let is_it = match first.strip_prefix('.') {
            Some(class) => classes(tag).any(|one| one == class),
            None => first.is_empty() || tag.split(' ').next() == Some(first),
        };
        let has = |attribute: &&str| {
            let written = format!(" {attribute}");
            let mut places = tag.match_indices(&written);
            places.any(|(at, _)| !tag[at + written.len()..].starts_with('-'))
        };
        is_it && attributes.iter().all(has)
    })
}

#[test]
fn each_id_is_on_a_page_or_in_a_script() {
    let pages = pages();
    let scripts = scripts();
    let found: BTreeSet<&str> = pages.iter().flat_map(|html| ids(html)).collect();
    for hook in HOOKS {
        let is_there = match hook.place {
            Place::Script => scripts.contains(&format!("\"{}\"", hook.id)),
            _ => found.contains(hook.id),
        };
        assert!(is_there, "{}", hook.id);
    }
    for other in OTHER_IDS {
        assert!(!found.contains(other.name), "{}", other.name);
    }
    // Those that every page has.
    for (route, html) in all_pages(&languages()) {
        let found = ids(&html);
        for id in [
            "background-color",
            "banner",
            "navbar",
            "search-bar-entry",
            "assistant-entry",
            "topbar-cta-button",
            "body-content",
            "mobile-nav",
            "content-area",
            "footer",
        ] {
            assert!(found.contains(&id), "{route} has no {id}");
        }
    }
}

#[test]
fn each_name_is_a_class_on_a_page_or_in_a_script() {
    let pages = pages();
    let scripts = scripts();
    let found: BTreeSet<&str> = pages.iter().flat_map(|html| classes(html)).collect();
    let in_script = |name: &str| {
        let mut places = scripts.match_indices(name);
        places.any(|(at, _)| {
            let after = scripts.as_bytes().get(at + name.len());
            scripts[..at].ends_with(['"', ' ']) && matches!(after, Some(b'"' | b' '))
        })
    };
    let wrong: Vec<_> = NAMES
        .iter()
        .filter(|name| match name.drawn {
            HookSupport::InPage => !found.contains(name.name),
            HookSupport::ByScript => !in_script(name.name),
            HookSupport::Not(reason) => reason.is_empty() || found.contains(name.name),
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_attribute_is_on_a_page_or_set_by_a_script() {
    let pages = pages();
    let scripts = scripts();
    for selector in ATTRIBUTES {
        let is_there = pages.iter().any(|html| selects(html, selector.name));
        match selector.drawn {
            HookSupport::InPage => assert!(is_there, "{}", selector.name),
            HookSupport::ByScript => {
                let (_, attribute) = selector.name.split_once('[').expect("an attribute");
                let attribute = attribute.trim_end_matches(']');
                assert!(scripts.contains(attribute), "{}", selector.name);
            }
            HookSupport::Not(reason) => {
                assert!(!is_there && !reason.is_empty(), "{}", selector.name);
            }
        }
    }
}

/// Reads the page of the reference that lists them, where the corpus is.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn all_that_the_reference_lists_is_in_the_contract() {
    let Some(corpus) = crate::corpus::corpus() else {
        eprintln!("SKIPPED all_that_the_reference_lists_is_in_the_contract: no corpus");
        return;
    };
    let page = corpus.join("sites/mintlify/customize/custom-scripts.mdx");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("- `")?;
        rest.split('`').next()
    });
    let ids: BTreeSet<&str> = (HOOKS.iter().map(|hook| hook.id))
        .chain(OTHER_IDS.iter().map(|id| id.name))
        .collect();
    let elements: BTreeSet<&str> = NAMES.iter().map(|name| name.name).collect();
    let selectors: BTreeSet<&str> = (ATTRIBUTES.iter())
        .map(|selector| selector.name.trim_start_matches('.'))
        .collect();
    let is_known = |name: &str| match name.strip_prefix('#') {
        _ if name.starts_with("html[data-current-path") => {
            selectors.contains("html[data-current-path]")
        }
        _ if name.contains('[') => selectors.contains(name.trim_start_matches('.')),
        Some(id) => ids.contains(id),
        None => elements.contains(name),
    };
    // Above the list it names classes of Tailwind CSS.
    let names: Vec<&str> = names
        .skip_while(|name| !name.starts_with('#'))
        .filter(|name| !name.ends_with("-*"))
        .collect();
    let unknown: Vec<&&str> = names.iter().filter(|name| !is_known(name)).collect();
    assert!(names.len() > 170 && unknown.is_empty(), "{unknown:?}");
}

#[test]
fn no_id_is_on_a_page_twice_and_headings_keep_theirs() {
    for html in pages() {
        let mut all = ids(&html);
        all.sort_unstable();
        let twice: Vec<_> = all.windows(2).filter(|two| two[0] == two[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
    let html = &all_pages(&languages())["/pagination"];
    for id in ["pagination", "sidebar", "panel"] {
        assert!(html.contains(&format!("<h2 id=\"{id}\"")), "{id}");
    }
}
