use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::content::TextBytes;
use crate::data::split::{Format, SplitDocument};
use crate::data::yaml;

fn site_path(path: &str) -> SitePath {
    SitePath::new(path).unwrap()
}

/// Applies `overlay`, in YAML, to `document`; returns the result and the diagnostics.
fn applied(document: &Value, overlay: &str) -> (Value, Vec<String>) {
    let (path, source) = (site_path("a.overlay.yaml"), site_path("openapi.yaml"));
    let overlay = Overlay::parse(&path, overlay.as_bytes(), &source);
    let mut root = document.clone();
    let mut problems = overlay.problems.clone();
    problems.extend(overlay.apply(&source, &mut root, &mut ChangedPointers::new()));
    (root, problems.iter().map(summary).collect())
}

fn summary(problem: &Diagnostic) -> String {
    let at = match &problem.place {
        Place::Pointer { pointer, .. } => pointer.as_str(),
        _ => "text",
    };
    format!("{at}: {}: {}", problem.code.name(), problem.message)
}

#[track_caller]
fn check(document: Value, actions: &str, expected: Value) {
    let overlay =
        format!("overlay: 1.0.0\ninfo: {{title: T, version: 1.0.0}}\nactions:\n{actions}");
    let (root, problems) = applied(&document, &overlay);
    assert_eq!((root, problems), (expected, Vec::new()));
}

#[track_caller]
fn check_problems(overlay: &str, expected: &[&str]) {
    let document = json!({"openapi": "3.1.0", "info": {"title": "T"}, "tags": [{"name": "a"}]});
    let (root, problems) = applied(&document, overlay);
    assert_eq!(problems, expected);
    assert_eq!(root, document, "the document stays as it is");
}

#[test]
fn an_overlay_may_have_the_structure_of_its_document() {
    check(
        json!({"info": {"title": "T"}, "paths": {"/": {"get": {"summary": "Old"}}}, "components": {"schemas": {"A": true}}, "tags": []}),
        "- target: $\n  update:\n    info:\n      x-overlay-applied: structured-overlay\n    paths:\n      /:\n        summary: The root resource\n        get:\n          summary: Retrieve the root resource\n          x-rate-limit: 100\n      /pets:\n        get:\n          summary: Retrieve a list of pets\n    components:\n    tags:\n",
        json!({
            "info": {"title": "T", "x-overlay-applied": "structured-overlay"},
            "paths": {
                "/": {
                    "get": {"summary": "Retrieve the root resource", "x-rate-limit": 100},
                    "summary": "The root resource",
                },
                "/pets": {"get": {"summary": "Retrieve a list of pets"}},
            },
            "components": {"schemas": {"A": true}},
            "tags": [],
        }),
    );
}

#[test]
fn targets_name_what_they_update() {
    check(
        json!({"paths": {"/foo": {"get": {"description": "Old"}}, "/bar": {"get": {}, "post": {"description": "Old", "tags": ["a"]}}}}),
        "- target: $.paths['/foo'].get\n  update:\n    description: New\n- target: $.paths['/bar']\n  update:\n    post:\n      description: Of a child\n      x-safe: false\n      tags: [b]\n",
        json!({"paths": {
            "/foo": {"get": {"description": "New"}},
            "/bar": {"get": {}, "post": {"description": "Of a child", "tags": ["a", "b"], "x-safe": false}},
        }}),
    );
}

#[test]
fn wildcards_and_filters_select_many() {
    check(
        json!({"paths": {
            "/a": {"get": {"parameters": [{"name": "filter", "in": "query"}, {"name": "filter", "in": "header"}]}},
            "/b": {"get": {}, "post": {}},
        }}),
        "- target: $.paths.*.get\n  update:\n    x-safe: true\n- target: $.paths.*.get.parameters[?@.name=='filter' && @.in=='query']\n  update:\n    schema:\n      $ref: '#/components/schemas/filterSchema'\n",
        json!({"paths": {
            "/a": {"get": {
                "parameters": [
                    {"name": "filter", "in": "query", "schema": {"$ref": "#/components/schemas/filterSchema"}},
                    {"name": "filter", "in": "header"},
                ],
                "x-safe": true,
            }},
            "/b": {"get": {"x-safe": true}, "post": {}},
        }}),
    );
}

#[test]
fn an_entry_is_appended_to_a_list() {
    check(
        json!({"paths": {"/a": {"get": {"parameters": [{"name": "old"}]}}}, "tags": []}),
        "- target: $.paths.*.get.parameters\n  update:\n    name: newParam\n    in: query\n- target: $.tags\n  update: [{name: a}, {name: b}]\n",
        json!({"paths": {"/a": {"get": {"parameters": [{"name": "old"}, {"name": "newParam", "in": "query"}]}}},
            "tags": [{"name": "a"}, {"name": "b"}]}),
    );
}

#[test]
fn what_is_removed_moves_nothing_that_is_still_to_go() {
    check(
        json!({"paths": {"/a": {"get": {"parameters": [{"name": "dummy"}, {"name": "x"}, {"name": "dummy"}, {"name": "dummy"}]}}, "/b": {}, "/c": {}}}),
        "- target: $.paths.*.get.parameters[?@.name == 'dummy']\n  remove: true\n  update: {has: no impact}\n- target: $.paths['/b']\n  remove: true\n",
        json!({"paths": {"/a": {"get": {"parameters": [{"name": "x"}]}}, "/c": {}}}),
    );
}

#[test]
fn actions_see_what_those_before_them_made() {
    check(
        json!({"info": {"description": {"long": "winded"}}}),
        "- target: $.info.description\n  remove: true\n- target: $.info\n  update: {description: Short}\n",
        json!({"info": {"description": "Short"}}),
    );
}

#[test]
fn an_overlay_that_is_none_says_why() {
    check_problems(
        "[]",
        &[": overlay-invalid: the document is no overlay: it is a list"],
    );
    check_problems(
        "a: [",
        &["text: invalid-yaml: not valid YAML: did not find expected node content"],
    );
    check_problems(
        "overlay: 2.0.0\nactions: [{target: $, update: {x: 1}}]\n",
        &["/overlay: overlay-invalid: `overlay: 2.0.0` is no version that can be read"],
    );
    check_problems(
        "overlay: 1.0.0\ninfo: {title: T}\nextends: ../other.yaml\nactions: []\n",
        &[
            "/info: spec-field-missing: the overlay has no `info.version`",
            "/extends: overlay-extends: the overlay extends `../other.yaml`, and is applied to `openapi.yaml`",
            "/actions: overlay-invalid: the overlay has no actions",
        ],
    );
}

#[test]
fn an_action_that_is_none_says_why_and_where() {
    check_problems(
        "overlay: 1.0.0\ninfo: {title: T, version: '1'}\nextends: ./openapi.yaml\nactions:\n- words\n- update: {}\n- target: $.info\n  udpate: {}\n- target: $.paths[\n  remove: true\n- target: info\n  update: {}\n- target: $.info\n  remove: yes please\n- target: $.get[?@.x-traits]\n  update: {}\n",
        &[
            "/actions/0: overlay-invalid: an action must be an object, not a text",
            "/actions/1: overlay-invalid: the action has no `target`",
            "/actions/2/udpate: spec-field-unknown: Overlays have no field `udpate` here",
            "/actions/2: overlay-invalid: the action has neither `update` nor `remove: true`",
            "/actions/3/target: overlay-invalid: `$.paths[` is not a JSONPath: `[` cannot be read",
            "/actions/4/target: overlay-invalid: `info` is not a JSONPath: `info` cannot be read",
            "/actions/5/remove: overlay-invalid: `remove` must be `true` or `false`, not a text",
            "/actions/6/target: overlay-invalid: `$.get[?@.x-traits]` is not a JSONPath: `-traits]` cannot be read",
        ],
    );
}

#[test]
fn what_cannot_be_done_is_said_at_the_target() {
    check_problems(
        "overlay: 1.0.0\ninfo: {title: T, version: '1'}\nactions:\n- target: $.paths\n  update: {}\n- target: $.info.title\n  update: {x: 1}\n- target: $.info\n  update: words\n- target: $\n  remove: true\n",
        &[
            "/actions/0/target: overlay-unmatched: `$.paths` selects nothing in `openapi.yaml`",
            "/actions/1/target: overlay-invalid: the target selects a text, which cannot be updated",
            "/actions/2/target: overlay-invalid: the target selects an object, and `update` is a text",
            "/actions/3/target: overlay-invalid: the document as a whole cannot be removed",
        ],
    );
}

#[test]
fn a_target_that_nests_without_end_is_refused() {
    let target = format!("$[?{}@.a{}]", "(".repeat(5000), ")".repeat(5000));
    let overlay = format!(
        "overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nactions:\n- target: \"{target}\"\n  update: {{}}\n"
    );
    check_problems(
        &overlay,
        &["/actions/0/target: overlay-invalid: the target is longer or deeper than what is read"],
    );
}

#[test]
fn a_filter_that_reads_the_document_for_each_node_is_for_small_ones() {
    let names: Vec<Value> = (0..9000).map(|i| json!({"name": i})).collect();
    let small = json!({"info": {"title": "T"}, "tags": names[..9]});
    let large = json!({"info": {"title": "T"}, "tags": names});
    let problems_of = |document: &Value, target: &str| {
        let overlay = format!(
            "overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nactions:\n- target: \"{target}\"\n  update: {{x: 1}}\n"
        );
        applied(document, &overlay).1
    };
    let searching = "$.tags[?count($..name) > 0]";
    assert_eq!(problems_of(&small, searching), [""; 0]);
    assert_eq!(
        problems_of(&large, searching),
        [
            "/actions/0/target: overlay-invalid: the filter reads the document once for each node, and there are too many"
        ]
    );
    assert_eq!(
        problems_of(&large, "$.tags[?@.name == 7 && $.info.title]"),
        [""; 0]
    );
}

#[test]
fn the_beginning_of_a_target_tells_what_it_reaches() {
    let prefix = |target| read::static_prefix(target);
    let whole = |pointer: &str| (pointer.to_owned(), true);
    let part = |pointer: &str| (pointer.to_owned(), false);
    assert_eq!(prefix("$"), whole(""));
    assert_eq!(prefix("$.paths['/a~b'].get"), whole("/paths/~1a~0b/get"));
    assert_eq!(prefix("$[\"info\"]"), whole("/info"));
    assert_eq!(prefix("$.paths.*.get"), part("/paths"));
    assert_eq!(prefix("$.paths[?@.get]"), part("/paths"));
    assert_eq!(prefix("$..description"), part(""));
    assert_eq!(prefix("$.tags[0]"), part("/tags"));
    assert_eq!(prefix("$.paths[?@.x == $.info.x]"), part(""));
    assert_eq!(prefix("$.naïve.x"), part(""));
}

const DOCUMENT: &str = "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n    get: {summary: A, tags: [x]}\n    post: {summary: B}\n  /b:\n    get: {summary: C}\n  /e: {}\ncomponents:\n  schemas:\n    A: {type: string}\n    B: {type: object}\ntags: [{name: x}]\n";

/// Overlays with what they say of [`DOCUMENT`].
const OVERLAYS: &[&str] = &[
    "- {target: $.info, update: {title: New, description: D}}",
    "- {target: \"$.paths['/a'].get\", update: {summary: New}}",
    "- {target: $.paths, update: {/c: {get: {summary: New}}, /a: {delete: {}}}}",
    "- {target: $.paths.*.get, update: {deprecated: true}}",
    "- {target: $.components.schemas.A, remove: true}",
    "- {target: $.components.schemas.*, remove: true}",
    "- {target: $.paths, remove: true}",
    "- {target: \"$.paths['/e']\", update: {get: {}}}",
    "- {target: \"$.paths['/a']['get','post']\", remove: true}",
    "- {target: $, update: {webhooks: {w: {post: {}}}, servers: [{url: /}]}}",
    "- {target: $..summary, remove: true}",
    "- {target: $.tags, update: {name: y}}\n- {target: \"$.tags[0]\", remove: true}",
    "- {target: $.paths, update: {/a: {get: words}, /b: words}}",
    "- {target: $.components, update: {schemas: {A: {}, C: {}}, responses: {R: {}}}}",
];

/// The slices are those of the changed document, though most of it is never read, and slices that stay are the same.
#[test]
fn a_changed_document_is_cut_as_if_it_were_written_so() {
    let path = site_path("openapi.yaml");
    let text: TextBytes = DOCUMENT.as_bytes().into();
    let base = SplitDocument::split(&path, Format::Yaml, text);
    for actions in OVERLAYS {
        let text =
            format!("overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nactions:\n{actions}\n");
        let overlay = site_path("a.yaml");
        let files = [(overlay.clone(), Some(text.as_str().into()))];
        let overlaid = base.overlaid(&files);
        assert_eq!(overlaid.problems, []);
        let mut root = yaml::parse(DOCUMENT).unwrap();
        let read = Overlay::parse(&overlay, text.as_bytes(), &path);
        read.apply(&path, &mut root, &mut ChangedPointers::new());
        let reference_split =
            SplitDocument::split(&path, Format::Json, root.to_string().as_bytes().into());
        let slice_lines = |document: &SplitDocument| {
            let slices = document.slices.iter();
            let mut lines: Vec<String> = slices
                .map(|slice| {
                    format!(
                        "{} {}",
                        slice.key,
                        slice.json.replace(", ", ",").replace(": ", ":")
                    )
                })
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(
            slice_lines(&overlaid),
            slice_lines(&reference_split),
            "{actions}"
        );
        for slice in &overlaid.slices {
            let old = base.slices.iter().find(|old| old.key == slice.key);
            let is_same = old.is_some_and(|old| old.digest == slice.digest);
            assert_eq!(
                is_same,
                old.is_some_and(|old| Arc::ptr_eq(&old.json, &slice.json)),
                "{}",
                slice.key
            );
        }
        let items = overlaid.slices.iter().map(|slice| {
            let mut names = slice.key.splitn(4, '/');
            (names.nth(1), names.next())
        });
        let mut items: Vec<_> = items.collect();
        items.dedup();
        let mut once = items.clone();
        once.sort();
        once.dedup();
        assert_eq!(
            items.len(),
            once.len(),
            "members of one item stand together: {items:?}"
        );
    }
}

#[test]
fn what_was_changed_is_known_by_its_overlay() {
    let path = site_path("openapi.yaml");
    let base = SplitDocument::split(&path, Format::Yaml, DOCUMENT.as_bytes().into());
    let text = "overlay: 1.0.0\ninfo: {title: T, version: '1'}\nactions:\n- {target: $.paths.*.get, update: {x: {y: 1}, tags: [z]}}\n";
    let overlaid = base.overlaid(&[(site_path("a.yaml"), Some(text.as_bytes().into()))]);
    let origins = overlaid.origins.iter().map(|(at, place)| match place {
        Place::Pointer { pointer, .. } => format!("{at} < {pointer}"),
        _ => at.clone(),
    });
    let origins: Vec<String> = origins.collect();
    assert_eq!(
        origins,
        [
            "/paths/~1a/get/tags/1 < /actions/0/update/tags/0",
            "/paths/~1a/get/x < /actions/0/update/x",
            "/paths/~1b/get/tags < /actions/0/update/tags",
            "/paths/~1b/get/x < /actions/0/update/x",
        ]
    );
}

#[test]
fn a_document_of_swagger_2_is_changed_before_it_is_converted() {
    let path = site_path("swagger.yaml");
    let text = "swagger: '2.0'\ninfo: {title: T, version: '1'}\nhost: a.example\npaths:\n  /a:\n    get: {responses: {'200': {description: D}}}\ndefinitions:\n  A: {type: string}\n";
    let base = SplitDocument::split(&path, Format::Yaml, text.as_bytes().into());
    let overlay = "overlay: 1.0.0\ninfo: {title: T, version: '1'}\nactions:\n- {target: $.definitions.A, update: {description: D}}\n- {target: $, update: {host: b.example}}\n";
    let overlaid = base.overlaid(&[(site_path("a.yaml"), Some(overlay.as_bytes().into()))]);
    assert_eq!(overlaid.problems, []);
    let json = |key: &str| {
        let slice = overlaid
            .slices
            .iter()
            .find(|slice| &*slice.key == key)
            .unwrap();
        serde_json::from_str::<Value>(&slice.json).unwrap()
    };
    assert_eq!(
        json("/components/schemas/A"),
        json!({"type": "string", "description": "D"})
    );
    assert_eq!(json("/servers")[0]["url"], "https://b.example");
}
