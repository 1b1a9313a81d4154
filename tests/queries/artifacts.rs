//! What was made once is found again, after a restart and after a revert; and who found it wakes like one who made it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::content::ContentHash;
use queries::store::{ArtifactStore, Kind, Outcome};

use crate::support::{Shown, TestSite, differences};

/// Artifacts in memory, and how each kind was come by.
#[derive(Default)]
pub(crate) struct Artifacts {
    values: Mutex<BTreeMap<ContentHash, Arc<[u8]>>>,
    notes: Mutex<Vec<(Kind, Outcome)>>,
}

impl ArtifactStore for Artifacts {
    fn get(&self, key: ContentHash) -> Option<Arc<[u8]>> {
        self.values.lock().unwrap().get(&key).cloned()
    }

    fn stores(&self, _: Kind) -> bool {
        true
    }

    fn put(&self, key: ContentHash, value: Vec<u8>, _: Option<ContentHash>) {
        self.values.lock().unwrap().insert(key, value.into());
    }

    fn note(&self, kind: Kind, outcome: Outcome) {
        self.notes.lock().unwrap().push((kind, outcome));
    }
}

impl Artifacts {
    /// Loses each value for which `is_lost` says so, in order of the keys.
    pub(crate) fn lose(&self, mut is_lost: impl FnMut() -> bool) {
        self.values.lock().unwrap().retain(|_, _| !is_lost());
    }

    /// How many values of each kind were made and found since the last look: `page body: 2 made, 3 found`.
    pub(crate) fn take(&self) -> Vec<String> {
        let notes = std::mem::take(&mut *self.notes.lock().unwrap());
        let count = |kind: Kind, outcome: Outcome| {
            let same = notes.iter().filter(|note| **note == (kind, outcome));
            same.count()
        };
        let lines = Kind::ALL.iter().filter_map(|kind| {
            let made = count(*kind, Outcome::Made);
            let found = count(*kind, Outcome::Found);
            (made + found > 0).then(|| format!("{}: {made} made, {found} found", kind.name()))
        });
        lines.collect()
    }

    /// How many values of each kind were made since the last look.
    pub(crate) fn take_counts(&self) -> BTreeMap<Kind, usize> {
        let mut counts = BTreeMap::new();
        for (kind, outcome) in std::mem::take(&mut *self.notes.lock().unwrap()) {
            if outcome == Outcome::Made {
                *counts.entry(kind).or_default() += 1;
            }
        }
        counts
    }

    /// The values that were made since the last look.
    pub(crate) fn take_made(&self) -> Vec<String> {
        let mut lines = self.take();
        lines.retain(|line| !line.contains(": 0 made"));
        lines
    }
}

/// Finds what another store has, and keeps what is made to itself.
pub(crate) struct Overlay {
    below: Arc<Artifacts>,
    pub(crate) own: Artifacts,
}

impl Overlay {
    pub(crate) fn new(below: Arc<Artifacts>) -> Self {
        let own = Artifacts::default();
        Self { below, own }
    }
}

impl ArtifactStore for Overlay {
    fn get(&self, key: ContentHash) -> Option<Arc<[u8]>> {
        self.own.get(key).or_else(|| self.below.get(key))
    }

    fn stores(&self, kind: Kind) -> bool {
        self.below.stores(kind)
    }

    fn put(&self, key: ContentHash, value: Vec<u8>, text: Option<ContentHash>) {
        self.own.put(key, value, text);
    }

    fn note(&self, kind: Kind, outcome: Outcome) {
        self.own.note(kind, outcome);
    }
}

const DOCS: &str = r##"{
  "theme": "mint", "name": "Museum", "colors": {"primary": "#0a7a5a"},
  "variables": {"room": "12"},
  "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index", "visits", "formulas", "send"]},
    {"tab": "API", "openapi": "api.json"}
  ]}
}"##;

const API: &str = r##"{
  "openapi": "3.1.0", "info": {"title": "Museum", "version": "1"},
  "paths": {
    "/pets": {"get": {"summary": "List pets", "description": "All of them.", "responses": {"200": {"description": "Pets",
      "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}},
    "/visits": {"post": {"operationId": "visit", "summary": "Visit", "requestBody": {"content": {"application/json":
      {"schema": {"$ref": "#/components/schemas/Visit"}}}}, "responses": {"204": {"description": "Done"}}}}
  },
  "components": {"schemas": {
    "Pet": {"type": "object", "properties": {"name": {"type": "string", "description": "Its name."}, "age": {"type": "integer"}}},
    "Visit": {"type": "object", "properties": {"room": {"type": "string"}}}
  }}
}"##;

/// A site whose pages ask every question that a page can ask.
pub(crate) fn museum() -> Vec<(String, String)> {
    let files = [
        ("docs.json", DOCS),
        ("api.json", API),
        (
            "index.mdx",
            "---\ntitle: Home\nrank: 2.50\n---\n\n![Spoon](/images/spoon.png)\n\n<Icon icon=\"star\" />\n\n```clojure\n(+ 1 2)\n```\n",
        ),
        (
            "visits.mdx",
            "import Note from '/snippets/note.mdx'\n\n# Visits\n\nIn room {{room}}.\n\n<Note/> <Crad/>\n",
        ),
        (
            "formulas.mdx",
            "# Formulas\n\nIt costs $5 or $one two$, or $$x^2$$.\n",
        ),
        (
            "send.mdx",
            "---\napi: POST https://api.example.org/send\n---\n\n<ParamField body=\"to\" type=\"string\">Whom.</ParamField>\n",
        ),
        ("model.mdx", "---\nopenapi-schema: Pet\n---\n"),
        ("snippets/note.mdx", "Ask at the desk.\n"),
        ("images/spoon.png", "640x480"),
    ];
    let owned = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    owned.to_vec()
}

/// Another process: nothing but the artifacts is left.
fn restarted(site: &TestSite, artifacts: &Arc<Artifacts>) -> TestSite {
    TestSite::keeping(&site.contents(), artifacts)
}

#[test]
fn a_restart_draws_nothing_and_shows_the_same() {
    let artifacts = Arc::new(Artifacts::default());
    let site = TestSite::keeping(&museum(), &artifacts);
    let before = site.outputs();
    assert_eq!(
        differences(&before, &site.fresh().outputs()),
        "",
        "a first start"
    );
    assert_eq!(
        artifacts.take(),
        [
            "page body: 5 made, 0 found",
            "operation reference: 3 made, 0 found",
            "model reference: 1 made, 0 found",
            "manual reference: 1 made, 0 found",
            "operation meta: 2 made, 0 found",
            "front matter: 5 made, 0 found",
            "import words: 2 made, 0 found",
            "grammar spans: 1 made, 0 found",
        ]
    );
    let again = restarted(&site, &artifacts).outputs();
    assert_eq!(differences(&again, &before), "");
    assert_eq!(
        artifacts.take(),
        [
            "page body: 0 made, 5 found",
            "operation reference: 0 made, 3 found",
            "model reference: 0 made, 1 found",
            "manual reference: 0 made, 1 found",
            "operation meta: 0 made, 2 found",
            "front matter: 0 made, 5 found",
            "import words: 0 made, 2 found",
        ]
    );
}

/// Makes `edit` after a restart, where everything was found: what is shown is what a fresh site shows, and only `made`
/// was made. Then it is taken back, and nothing is.
#[track_caller]
fn check_edit(path: &str, from: &str, to: &str, made: &[&str]) {
    let artifacts = Arc::new(Artifacts::default());
    TestSite::keeping(&museum(), &artifacts).outputs();
    let mut site = TestSite::keeping(&museum(), &artifacts);
    let before = site.outputs();
    artifacts.take();
    let text = site.text(path);
    assert!(text.contains(from), "{path} has no `{from}`");
    site.set(path, text.replacen(from, to, 1));
    let is = site.outputs();
    assert_ne!(differences(&is, &before), "", "the edit shows");
    assert_eq!(differences(&is, &site.fresh().outputs()), "", "stale");
    assert_eq!(artifacts.take_made(), made);
    site.set(path, text);
    let is = site.outputs();
    assert_eq!(differences(&is, &before), "", "stale after the revert");
    assert_eq!(artifacts.take_made(), [""; 0], "a revert draws nothing");
}

const ONE_BODY: &str = "page body: 1 made, 0 found";

#[test]
fn an_image_of_another_size_wakes_who_found_its_body() {
    check_edit("images/spoon.png", "640x480", "320x240", &[ONE_BODY]);
}

#[test]
fn a_snippet_wakes_who_found_its_body() {
    check_edit(
        "snippets/note.mdx",
        "desk",
        "counter",
        &[ONE_BODY, "import words: 1 made, 1 found"],
    );
}

#[test]
fn a_variable_wakes_who_found_its_body() {
    check_edit("docs.json", "\"12\"", "\"13\"", &[ONE_BODY]);
}

#[test]
fn what_dollars_mean_wakes_who_found_its_body() {
    let to = "{\"styling\": {\"latex\": true},";
    check_edit("docs.json", "{", to, &[ONE_BODY]);
}

#[test]
fn a_library_of_icons_wakes_all_who_found_their_bodies() {
    let to = "{\"icons\": {\"library\": \"lucide\"},";
    check_edit("docs.json", "{", to, &["page body: 5 made, 0 found"]);
}

#[test]
fn a_shared_schema_wakes_who_found_its_references() {
    let made = [
        "operation reference: 1 made, 0 found",
        "model reference: 1 made, 0 found",
    ];
    check_edit("api.json", "Its name.", "What it is called.", &made);
}

/// Two JSON objects are equal whatever the order of their members; a page is not.
#[test]
fn properties_in_another_order_wake_who_shows_them() {
    let (name, age) = (
        r#""name": {"type": "string", "description": "Its name."}"#,
        r#""age": {"type": "integer"}"#,
    );
    let made = [
        "operation reference: 1 made, 0 found",
        "model reference: 1 made, 0 found",
    ];
    let (from, to) = (format!("{name}, {age}"), format!("{age}, {name}"));
    check_edit("api.json", &from, &to, &made);
}

#[test]
fn a_server_wakes_who_found_the_endpoint_in_a_page() {
    let to = "{\"api\": {\"mdx\": {\"auth\": {\"method\": \"bearer\"}}},";
    check_edit("docs.json", "{", to, &["manual reference: 1 made, 0 found"]);
}

#[test]
fn an_edit_of_words_draws_its_page() {
    let made = [
        ONE_BODY,
        "front matter: 1 made, 0 found",
        "import words: 1 made, 1 found",
    ];
    check_edit("visits.mdx", "# Visits", "# All visits", &made);
}

/// A question that led elsewhere: what is found depends on who answers.
#[test]
fn branches_that_differ_in_what_a_page_asks_find_their_own() {
    let artifacts = Arc::new(Artifacts::default());
    let with = |note: &str| {
        let mut files = museum();
        for (path, text) in &mut files {
            if path == "snippets/note.mdx" {
                note.clone_into(text);
            }
        }
        let site = TestSite::keeping(&files, &artifacts);
        let is = site.outputs();
        assert_eq!(differences(&is, &site.fresh().outputs()), "", "{note}");
        artifacts.take_made()
    };
    let notes = [
        "Ask.\n",
        "![Fork](/images/fork.png) {{room}}\n",
        "It is $5$.\n",
        "import N from './none.mdx'\n\n<N/>\n",
    ];
    for note in notes {
        assert!(
            with(note).contains(&ONE_BODY.replace("1 made, 0", "1 made, 4")) || note == notes[0]
        );
    }
    for note in notes {
        assert_eq!(with(note), [""; 0], "{note}");
    }
}

/// What was kept and cannot be read any more is made again.
#[test]
fn a_store_that_forgets_costs_time_only() {
    let artifacts = Arc::new(Artifacts::default());
    let site = TestSite::keeping(&museum(), &artifacts);
    let before = site.outputs();
    for share in 2..6 {
        let mut values = artifacts.values.lock().unwrap();
        let mut n = 0;
        values.retain(|_, _| {
            n += 1;
            n % share != 0
        });
        drop(values);
        let again = restarted(&site, &artifacts).outputs();
        assert_eq!(differences(&again, &before), "", "one in {share} forgotten");
    }
}

/// What an edit wakes that changes what every body reads, and one body; made after `ask` was asked, and everything.
fn woken_by_icons(artifacts: &Arc<Artifacts>, ask: impl FnOnce(&mut TestSite)) -> String {
    let mut site = TestSite::keeping(&museum(), artifacts);
    ask(&mut site);
    site.outputs();
    site.take();
    let docs = site.text("docs.json");
    let icons = "{\"icons\": {\"library\": \"lucide\"},";
    site.set("docs.json", docs.replacen('{', icons, 1));
    let is = site.outputs();
    let woken = site.take_full_keys();
    assert_eq!(differences(&is, &site.fresh().outputs()), "", "stale");
    assert_eq!(woken["page_body"].len(), 5, "what every body reads");
    format!("{woken:#?}")
}

/// A page may be asked for what is known of its body before its body was drawn, after, or when the store has lost what it knew: it
/// wakes the same way.
#[test]
fn invalidation_does_not_depend_on_read_order() {
    let ask_bodies = |site: &mut TestSite| {
        Shown::Pages.of(&site.db, site.site);
    };
    let ask_facts = |site: &mut TestSite| {
        Shown::Survey.of(&site.db, site.site);
    };
    let artifacts = Arc::new(Artifacts::default());
    let bodies_first = woken_by_icons(&artifacts, ask_bodies);
    let facts_first = woken_by_icons(&Arc::default(), ask_facts);
    assert_eq!(facts_first, bodies_first, "facts first");
    let known = woken_by_icons(&artifacts, ask_facts);
    assert_eq!(known, bodies_first, "all was known");
    let losing = Arc::new(Artifacts::default());
    let woken = woken_by_icons(&losing, |site| {
        ask_bodies(site);
        losing.lose(|| true);
        ask_facts(site);
    });
    assert_eq!(woken, bodies_first, "the store lost all");
}
