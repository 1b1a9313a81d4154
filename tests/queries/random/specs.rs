//! Seeded edits of specifications: after each, everything the site shows is what a fresh build shows, and exactly the pages
//! that reach what was edited are drawn again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use queries::body::model_reference;
use queries::inputs::Spec;
use queries::navigation::{generated_pages, generated_place};
use queries::openapi::{SpecNode, slices_by_key};
use queries::page::is_introduction;
use queries::site::documented_operations;
use salsa::plumbing::AsId;

use crate::artifacts::Artifacts;
use crate::random_numbers::Random;
use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7a5a"}, "navigation": {"tabs": [
    {"tab": "Guide", "pages": ["index", "stub", "model"]},
    {"tab": "One", "openapi": "one.yaml"}, {"tab": "Two", "openapi": {"source": "two.json", "directory": "two"}}]}}"##;

/// A document as the script knows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    server: usize,
    operations: BTreeMap<String, Endpoint>,
    schemas: BTreeMap<String, Schema>,
    /// A webhook `pet`, and what it says.
    pub(super) webhook: Option<usize>,
    /// Text that is no document, put behind it.
    pub(super) broken: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Endpoint {
    summary: usize,
    words: usize,
    schema: String,
    tag: usize,
    hidden: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Schema {
    words: usize,
    /// The schemas of its properties.
    parts: BTreeSet<String>,
}

impl Model {
    fn new(random: &mut Random) -> Self {
        Self::of(random, 8, 6)
    }

    /// A document with so many operations and data models.
    pub(super) fn of(random: &mut Random, operations: usize, models: usize) -> Self {
        let schemas: Vec<String> = (0..models).map(|n| format!("S{n}")).collect();
        let parts = |random: &mut Random| {
            (0..random.below(3))
                .map(|_| schemas[random.below(models)].clone())
                .collect()
        };
        Self {
            server: 0,
            operations: (0..operations)
                .map(|n| {
                    let endpoint = Endpoint {
                        summary: n,
                        words: 0,
                        schema: schemas[random.below(models)].clone(),
                        tag: random.below(3),
                        hidden: false,
                    };
                    (format!("/p{n}"), endpoint)
                })
                .collect(),
            schemas: (schemas.iter())
                .map(|name| {
                    let schema = Schema {
                        words: 0,
                        parts: parts(random),
                    };
                    (name.clone(), schema)
                })
                .collect(),
            webhook: None,
            broken: false,
        }
    }

    pub(super) fn edit(&mut self, random: &mut Random) -> &'static str {
        let paths: Vec<String> = self.operations.keys().cloned().collect();
        let path = paths[random.below(paths.len())].clone();
        let names: Vec<String> = self.schemas.keys().cloned().collect();
        let name = names[random.below(names.len())].clone();
        let operation = self.operations.get_mut(&path).unwrap();
        self.broken = false;
        match random.below(12) {
            0..=2 => {
                operation.words += 1;
                "description"
            }
            3 => {
                operation.summary = 100 + random.below(50);
                "summary"
            }
            4 => {
                operation.tag = random.below(3);
                "tag"
            }
            5 => {
                operation.hidden = !operation.hidden;
                "hidden"
            }
            6 | 7 => {
                self.schemas.get_mut(&name).unwrap().words += 1;
                "schema"
            }
            8 => {
                let parts = &mut self.schemas.get_mut(&name).unwrap().parts;
                let other = names[random.below(names.len())].clone();
                if !parts.remove(&other) {
                    parts.insert(other);
                }
                "references of a schema"
            }
            9 if paths.len() > 3 => {
                self.operations.remove(&path);
                "an operation goes"
            }
            10 if paths.len() < 12 => {
                let copy = operation.clone();
                let new = format!("/n{}", random.below(1000));
                self.operations.insert(new, copy);
                "an operation comes"
            }
            _ => {
                self.server += 1;
                "server"
            }
        }
    }

    /// The schemas that an operation reaches.
    fn reached(&self, operation: &Endpoint) -> BTreeSet<String> {
        self.reached_from(&operation.schema)
    }

    /// A schema and those that it reaches.
    fn reached_from(&self, name: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(name) = open.pop() {
            if reached.insert(name.clone()) {
                open.extend(
                    self.schemas
                        .get(&name)
                        .into_iter()
                        .flat_map(|s| s.parts.clone()),
                );
            }
        }
        reached
    }

    /// The paths of the operations with a page that shows something else than it did in `before`. `bound` has a page of the
    /// author's, hidden or not.
    fn drawn_again(&self, before: &Self, bound: &str) -> BTreeSet<String> {
        let all = self.server != before.server;
        let is_shown = |path: &str, operation: &Endpoint| !operation.hidden || path == bound;
        let is_other = |(path, operation): &(&String, &Endpoint)| {
            let old = before.operations.get(*path);
            let old = old.filter(|old| is_shown(path, old));
            let Some(old) = old else { return true };
            let schemas = self
                .reached(operation)
                .into_iter()
                .chain(before.reached(old));
            let mut schemas =
                schemas.filter(|name| self.schemas.get(name) != before.schemas.get(name));
            all || *old != **operation || schemas.next().is_some()
        };
        let shown = self.operations.iter();
        let shown = shown.filter(|(path, operation)| is_shown(path, operation));
        shown
            .filter(is_other)
            .map(|(path, _)| path.clone())
            .collect()
    }

    pub(super) fn yaml(&self) -> String {
        let mut text = format!(
            "openapi: 3.1.0\ninfo:\n  title: T\n  version: '1'\nservers:\n  - url: https://s{}.example.org\npaths:\n",
            self.server
        );
        for (path, operation) in &self.operations {
            let _ = write!(
                text,
                "  {path}:\n    get:\n      summary: Summary {}\n      description: Words {} of it.\n      tags: [t{}]\n{}      responses:\n        '200':\n          description: ok\n          content:\n            application/json:\n              schema:\n                $ref: '#/components/schemas/{}'\n",
                operation.summary,
                operation.words,
                operation.tag,
                if operation.hidden {
                    "      x-hidden: true\n"
                } else {
                    ""
                },
                operation.schema
            );
        }
        if let Some(n) = self.webhook {
            let _ = write!(
                text,
                "webhooks:\n  pet:\n    post:\n      summary: Hook {n}\n      responses:\n        '200':\n          description: ok\n"
            );
        }
        text.push_str("components:\n  schemas:\n");
        for (name, schema) in &self.schemas {
            let _ = write!(
                text,
                "    {name}:\n      type: object\n      description: Version {} of {name}.\n      properties:\n        id:\n          type: string\n",
                schema.words
            );
            for part in &schema.parts {
                let _ = write!(
                    text,
                    "        of_{part}:\n          $ref: '#/components/schemas/{part}'\n"
                );
            }
        }
        if self.broken {
            text.push_str("x-odd: [\n");
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let whole = base::data::yaml::parse_document(
            &Self {
                broken: false,
                ..self.clone()
            }
            .yaml(),
        )
        .unwrap();
        let text = serde_json::to_string_pretty(&whole.value).unwrap();
        if self.broken { text + "]" } else { text }
    }
}

/// What the site knows about its pages, where a query is woken by another whose answer changed.
struct PageFacts {
    /// Where each generated page is.
    places: BTreeMap<String, String>,
    /// What the page of the data model shows.
    model: String,
}

impl PageFacts {
    fn of(site: &TestSite) -> Self {
        let (db, names) = (&site.db, site.names());
        let pages = generated_pages(db, site.site).pages.values();
        let places = pages.map(|page| {
            let place = format!("{:?}", generated_place(db, *page));
            (names.of(page.as_id()).expect("it has a name"), place)
        });
        let model = model_reference(db, node(site, "two.json", "/components/schemas/S0"));
        Self {
            places: places.collect(),
            model: format!("{model:?}"),
        }
    }
}

fn spec(site: &TestSite, path: &str) -> Spec {
    let specs = site.site.specs(&site.db).iter();
    let mut named = specs.filter(|spec| spec.path(&site.db).as_str() == path);
    *named.next().expect("the specification is there")
}

fn node(site: &TestSite, path: &str, pointer: &str) -> SpecNode {
    SpecNode::new(&site.db, spec(site, path), pointer.to_owned())
}

fn at(path: &str) -> String {
    format!("/paths/{}/get", path.replace('/', "~1"))
}

/// Which of the facts about operations and data models were asked for needlessly, or should have been asked for and were
/// not. An operation that comes back may be remembered from an earlier time.
fn wrong_facts(
    site: &TestSite,
    edits: &[(&str, &Model, &Model)],
    before: &PageFacts,
    after: &PageFacts,
    executed: &BTreeMap<String, Vec<String>>,
) -> String {
    let mut should: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut may: BTreeSet<String> = BTreeSet::new();
    let names = site.names();
    let id = |id: &dyn Fn() -> salsa::Id| names.of(id()).expect("it has a name");
    for (path, old, new) in edits {
        let spec = spec(site, path);
        let mut is_other_list = old.operations.len() != new.operations.len();
        for (name, operation) in &new.operations {
            let slice = slices_by_key(&site.db, spec).get(&at(name));
            let slice = slice.expect("every operation is a slice");
            let meta = id(&|| slice.as_id());
            let Some(known) = old.operations.get(name) else {
                is_other_list = true;
                may.insert(meta);
                continue;
            };
            if known != operation {
                should.entry("slice_meta").or_default().insert(meta);
            }
            let listed = |one: &Endpoint| (one.summary, one.tag, one.hidden);
            is_other_list |= listed(known) != listed(operation);
        }
        if is_other_list {
            let list = should.entry("operation_index").or_default();
            list.insert(id(&|| spec.as_id()));
        }
        // No description has a link: what is checked is the list of parts.
        if !old.operations.keys().eq(new.operations.keys()) {
            let checked = should.entry("spec_link_diagnostics").or_default();
            checked.insert(id(&|| spec.as_id()));
        }
        for page in generated_pages(&site.db, site.site).pages.values() {
            let operation = page.operation(&site.db);
            // What opens the reference rests on `info`, which is never edited here.
            if operation.spec(&site.db) != spec || is_introduction(&site.db, operation) {
                continue;
            }
            let key = id(&|| page.as_id());
            let name = operation.key(&site.db).split('/').nth(2).unwrap();
            let name = name.replace("~1", "/");
            let Some(place) = before.places.get(&key) else {
                may.insert(key);
                continue;
            };
            let is_other = old.operations.get(&name) != new.operations.get(&name);
            if is_other || after.places.get(&key) != Some(place) {
                should
                    .entry("generated_front_matter")
                    .or_default()
                    .insert(key);
            }
        }
    }
    let (_, old, new) = edits[1];
    let model = id(&|| node(site, "two.json", "/components/schemas/S0").as_id());
    let reached = |model: &Model| model.reached_from("S0");
    let mut names = reached(old).into_iter().chain(reached(new));
    if names.any(|name| old.schemas.get(&name) != new.schemas.get(&name)) {
        let drawn = should.entry("model_reference").or_default();
        drawn.insert(model.clone());
    }
    if before.model != after.model {
        let drawn = should.entry("model_anchors").or_default();
        drawn.insert(model.clone());
    }
    let users = |model: &Model| -> Vec<(String, String)> {
        let all = model.operations.iter();
        all.map(|(path, operation)| (path.clone(), operation.schema.clone()))
            .collect()
    };
    let parts = |model: &Model| -> Vec<BTreeSet<String>> {
        model
            .schemas
            .values()
            .map(|one| one.parts.clone())
            .collect()
    };
    if users(old) != users(new) || parts(old) != parts(new) {
        let all = should.entry("spec_users").or_default();
        all.insert(id(&|| spec(site, "two.json").as_id()));
    }
    if users(old) != users(new) {
        should.entry("schema_users").or_default().insert(model);
    }
    let mut wrong = String::new();
    for query in [
        "generated_front_matter",
        "model_anchors",
        "model_reference",
        "operation_index",
        "schema_users",
        "slice_meta",
        "spec_link_diagnostics",
        "spec_users",
    ] {
        let ran: BTreeSet<String> = executed.get(query).into_iter().flatten().cloned().collect();
        let should = should.remove(query).unwrap_or_default();
        let missing: Vec<_> = should.difference(&ran).collect();
        let needless = ran.difference(&should).filter(|key| !may.contains(*key));
        let needless: Vec<_> = needless.collect();
        if !missing.is_empty() || !needless.is_empty() {
            let _ = writeln!(
                wrong,
                "{query}: not asked {missing:?}, needlessly {needless:?}"
            );
        }
    }
    wrong
}

#[test]
fn edits_of_specifications_draw_what_reaches_them_and_leave_nothing_stale() {
    let seeds = if cfg!(debug_assertions) { 3 } else { 20 };
    for seed in 1..=seeds {
        let mut random = Random::new(seed);
        let mut one = Model::new(&mut random);
        let mut two = Model::new(&mut random);
        let artifacts = Arc::new(Artifacts::default());
        let files = [
            ("docs.json", DOCS.to_owned()),
            (
                "index.mdx",
                "---\ntitle: Home\n---\n\n[Its id](/model#S0-id)\n".to_owned(),
            ),
            (
                "model.mdx",
                "---\nopenapi-schema: two.json S0\n---\n".to_owned(),
            ),
            (
                "stub.mdx",
                "---\nopenapi: two.json GET /p0\n---\n\nWords.\n".to_owned(),
            ),
            ("one.yaml", one.yaml()),
            ("two.json", two.json()),
        ];
        let mut site = TestSite::keeping(&files, &artifacts);
        site.outputs();
        site.touch_specs();
        // Another one, which finds everything that the first one makes.
        let mut follower = TestSite::keeping(&files, &artifacts);
        follower.outputs();
        for step in 0..60 {
            let (before_one, before_two) = (one.clone(), two.clone());
            let shown_before = PageFacts::of(&site);
            let is_first = random.below(2) == 0;
            let kind = match random.below(8) {
                // What cannot be read for a moment, and is mended.
                0 => {
                    let model = if is_first { &mut one } else { &mut two };
                    let whole = model.clone();
                    model.broken = true;
                    let (path, text) = if is_first {
                        ("one.yaml", model.yaml())
                    } else {
                        ("two.json", model.json())
                    };
                    site.set(path, text);
                    let is = site.outputs();
                    let should = site.fresh().outputs();
                    assert_eq!(
                        differences(&is, &should),
                        "",
                        "broken (seed {seed}, step {step})"
                    );
                    *model = whole;
                    site.take();
                    "mended"
                }
                _ if is_first => one.edit(&mut random),
                _ => two.edit(&mut random),
            };
            site.set("one.yaml", one.yaml());
            site.set("two.json", two.json());
            let is = site.outputs();
            let executed = site.take_keys();
            let ids: BTreeMap<String, (String, String)> =
                documented_operations(&site.db, site.site)
                    .into_iter()
                    .filter(|operation| !is_introduction(&site.db, *operation))
                    .map(|operation| {
                        let spec = operation.spec(&site.db).path(&site.db).to_string();
                        let path = operation
                            .key(&site.db)
                            .split('/')
                            .nth(2)
                            .unwrap()
                            .replace("~1", "/");
                        (
                            site.names().of(operation.as_id()).expect("it has a name"),
                            (spec, path),
                        )
                    })
                    .collect();
            let keys = executed.get("operation_reference").into_iter().flatten();
            let ran: BTreeSet<(String, String)> =
                keys.filter_map(|id| ids.get(id).cloned()).collect();
            if kind != "mended" {
                let shown = PageFacts::of(&site);
                let edits = [
                    ("one.yaml", &before_one, &one),
                    ("two.json", &before_two, &two),
                ];
                let wrong = wrong_facts(&site, &edits, &shown_before, &shown, &executed);
                assert_eq!(wrong, "", "{kind} (seed {seed}, step {step})");
                let named = |spec: &str, paths: BTreeSet<String>| {
                    let spec = spec.to_owned();
                    paths.into_iter().map(move |path| (spec.clone(), path))
                };
                let mut should: BTreeSet<(String, String)> =
                    named("one.yaml", one.drawn_again(&before_one, "")).collect();
                should.extend(named("two.json", two.drawn_again(&before_two, "/p0")));
                // An operation that was hidden before may be remembered from an earlier time.
                let came_back = |(spec, path): &(String, String)| {
                    let before = if spec == "one.yaml" {
                        &before_one
                    } else {
                        &before_two
                    };
                    before.operations.get(path).is_none_or(|old| old.hidden)
                };
                let missing: Vec<_> = should
                    .iter()
                    .filter(|key| !ran.contains(*key) && !came_back(key))
                    .collect();
                let needless: Vec<_> = ran.difference(&should).collect();
                assert!(
                    missing.is_empty() && needless.is_empty(),
                    "{kind} (seed {seed}, step {step}): not drawn {missing:?}, needlessly drawn {needless:?}"
                );
            }
            let should = site.fresh().outputs();
            let place = format!("{kind} (seed {seed}, step {step})");
            assert_eq!(differences(&is, &should), "", "{place}");
            artifacts.take();
            follower.set("one.yaml", one.yaml());
            follower.set("two.json", two.json());
            let found = follower.outputs();
            assert_eq!(differences(&found, &should), "", "found: {place}");
            assert_eq!(artifacts.take_made(), [""; 0], "made twice: {place}");
        }
    }
}
