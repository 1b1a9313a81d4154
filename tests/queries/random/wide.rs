//! Random edits of a small site that has one of everything: pages about operations, data models and endpoints of the
//! author's own, webhooks, several specifications, redirects, snippets, pictures, versions and languages.
//!
//! After each step every output equals that of a fresh database, exactly the predicted queries ran ([`super::engine`]),
//! each of them reads what the table says ([`super::table`]), and so does a second site that keeps what it makes, is
//! restarted now and then, and forgets all but one value of each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use queries::{openapi, search};
use salsa::Database;

use super::engine::{Engine, Facts, inputs, names, node_of};
use super::number;
use super::recorded::{recorded, while_listening};
use super::specs::Model;
use super::surprise;
use super::table::{Table, tracked_functions};
use crate::artifacts::Artifacts;
use crate::random_numbers::Random;
use crate::support::{TestSite, differences};

const SNIPPET: &str = "snippets/note.mdx";
const IMAGE: &str = "images/spoon.svg";

/// What a page says that it is about.
#[derive(Clone, Debug)]
enum Subject {
    Nothing,
    Operation(String),
    Schema(String),
    Manual(u64),
}

#[derive(Clone, Debug)]
struct Page {
    title: Option<u64>,
    sidebar_title: Option<u64>,
    is_hidden: bool,
    subject: Subject,
    words: u64,
    headings: Vec<String>,
    links: Vec<String>,
    has_snippet: bool,
    has_image: bool,
    has_formula: bool,
    has_variable: bool,
    is_jsx_broken: bool,
}

impl Page {
    fn new(n: u64) -> Self {
        Self {
            title: Some(n),
            sidebar_title: None,
            is_hidden: false,
            subject: Subject::Nothing,
            words: n,
            headings: vec!["Alpha".to_owned()],
            links: Vec::new(),
            has_snippet: false,
            has_image: false,
            has_formula: false,
            has_variable: false,
            is_jsx_broken: false,
        }
    }

    fn text(&self) -> String {
        let mut text = "---\n".to_owned();
        if let Some(n) = self.title {
            let _ = writeln!(text, "title: Title {n}");
        }
        if let Some(n) = self.sidebar_title {
            let _ = writeln!(text, "sidebarTitle: Short {n}");
        }
        if self.is_hidden {
            text += "hidden: true\n";
        }
        let _ = match &self.subject {
            Subject::Nothing => Ok(()),
            Subject::Operation(name) => writeln!(text, "openapi: {name}"),
            Subject::Schema(name) => writeln!(text, "openapi-schema: {name}"),
            Subject::Manual(n) => writeln!(text, "api: POST /own/{n}"),
        };
        text += "---\n\n";
        if self.has_snippet {
            let _ = writeln!(text, "import Note from '/{SNIPPET}'\n\n<Note />\n");
        }
        let _ = writeln!(text, "Words {} of the page.\n", self.words);
        for heading in &self.headings {
            let _ = writeln!(text, "## {heading}\n\nMore about it.\n");
        }
        for link in &self.links {
            let _ = writeln!(text, "See [there]({link}).\n");
        }
        if self.has_image {
            let _ = writeln!(text, "![spoon](/{IMAGE})\n");
        }
        if self.has_formula {
            text += "It is $x^2$.\n\n";
        }
        if self.has_variable {
            text += "Room {{room}}.\n\n";
        }
        if let Subject::Manual(n) = self.subject {
            let _ = writeln!(text, "<ParamField body=\"day{n}\" required />\n");
        }
        if self.is_jsx_broken {
            text += "<Note\n";
        }
        text
    }
}

/// What `docs.json` says besides the lists of pages.
#[derive(Clone, Debug)]
struct Docs {
    color: u64,
    labels: BTreeMap<&'static str, u64>,
    /// The pages of each list.
    lists: BTreeMap<&'static str, Vec<String>>,
    redirects: BTreeSet<u64>,
    server: u64,
    room: u64,
    prompt: u64,
    latex: Option<bool>,
    finds_all: bool,
    /// The specification of the group of bound pages, and of the tab that has one.
    scope: &'static str,
    inherited: &'static str,
    with_third: bool,
    is_broken: bool,
}

impl Docs {
    fn text(&self) -> String {
        let label = |what: &str| format!("{what} {}", self.labels[what]);
        let list = |name: &str| format!("{:?}", self.lists[name]);
        let redirects: Vec<String> = (self.redirects.iter())
            .map(|n| format!(r#"{{"source": "/old-{n}", "destination": "/guides/a"}}"#))
            .collect();
        let latex = match self.latex {
            Some(latex) => format!(r#""styling": {{"latex": {latex}}},"#),
            None => String::new(),
        };
        let third = match self.with_third {
            true => r#", {"tab": "Third", "openapi": "three.yaml"}"#,
            false => "",
        };
        let end = if self.is_broken { "" } else { "}" };
        format!(
            r##"{{"theme": "mint", "name": "Wide", "colors": {{"primary": "#{:06x}"}}, {latex}
            "variables": {{"room": "{}"}}, "search": {{"prompt": "Ask {}"}}, "seo": {{"indexing": "{}"}},
            "api": {{"mdx": {{"server": "https://s{}.example.org"}}}}, "redirects": [{}],
            "navigation": {{"languages": [
                {{"language": "en", "tabs": [
                    {{"tab": "{}", "groups": [
                        {{"group": "{}", "root": "guides/index", "pages": {}}},
                        {{"group": "{}", "openapi": "{}", "pages": {}}}]}},
                    {{"tab": "One", "openapi": "one.yaml"}},
                    {{"tab": "Extra", "openapi": {{"source": "extra.yaml", "directory": "extra"}}}},
                    {{"tab": "Two", "openapi": {{"source": "two.json", "directory": "two"}}}},
                    {{"tab": "{}", "openapi": "{}", "groups": [{{"group": "Own", "pages": {}}}]}},
                    {{"tab": "Versions", "versions": [
                        {{"version": "v2", "groups": [{{"group": "{}", "pages": {}}}]}},
                        {{"version": "v1", "groups": [{{"group": "Then", "pages": {}}}]}}]}}{third}]}},
                {{"language": "de", "groups": [{{"group": "{}", "pages": {}}}]}}]}}{end}
            "##,
            self.color & 0xff_ffff,
            self.room,
            self.prompt,
            if self.finds_all { "all" } else { "navigable" },
            self.server,
            redirects.join(", "),
            label("tab"),
            label("group"),
            list("guides"),
            label("bound"),
            self.scope,
            list("bound"),
            label("scoped"),
            self.inherited,
            list("scoped"),
            label("version"),
            list("v2"),
            list("v1"),
            label("german"),
            list("de"),
        )
    }
}

/// Knows the site as it is, and writes one edit after the other.
struct Script {
    random: Random,
    pages: BTreeMap<String, Page>,
    gone: BTreeMap<String, Page>,
    docs: Docs,
    one: Model,
    two: Model,
    three: Option<Model>,
    /// What the odd parts of the third specification say.
    extra: [u64; 6],
    image: (u64, u64),
    snippet: u64,
    style: u64,
    n: u64,
}

/// What the script does: a name for reports.
type Kind = &'static str;

const KINDS: &[Kind] = &[
    "words",
    "words of another",
    "heading",
    "title",
    "sidebar title",
    "hidden",
    "subject",
    "link",
    "parts",
    "jsx",
    "save",
    "delete",
    "undelete",
    "add",
    "rename",
    "home",
    "snippet",
    "style",
    "picture",
    "color",
    "label",
    "move",
    "redirect",
    "server",
    "room",
    "prompt",
    "latex",
    "indexing",
    "scope",
    "inherited",
    "docs broken",
    "promote",
    "one",
    "two",
    "three",
    "extra",
    "webhook",
    "specification broken",
    "specification comes or goes",
];

impl Script {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut pages = BTreeMap::new();
        let mut lists: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (list, names) in [
            ("guides", &["guides/a", "guides/b", "guides/c"][..]),
            ("bound", &["bound/a", "bound/b"]),
            ("scoped", &["scoped/a", "scoped/model", "scoped/own"]),
            ("v2", &["v2/a", "v2/b"]),
            ("v1", &["v1/a"]),
            ("de", &["de/guides/a", "de/b"]),
        ] {
            lists.insert(list, names.iter().map(|name| (*name).to_owned()).collect());
            for name in names {
                pages.insert(format!("{name}.mdx"), Page::new(random.next() % 100));
            }
        }
        for name in ["index", "guides/index", "lost", "hidden"] {
            pages.insert(format!("{name}.mdx"), Page::new(random.next() % 100));
        }
        let mut subject = |name: &str, subject: Subject| {
            let page = pages.get_mut(&format!("{name}.mdx")).unwrap();
            page.subject = subject;
            page.title = None;
        };
        subject("bound/a", Subject::Operation("GET /p0".to_owned()));
        subject("bound/b", Subject::Operation("two.json GET /p1".to_owned()));
        subject("scoped/a", Subject::Operation("GET /p2".to_owned()));
        subject("scoped/model", Subject::Schema("two.json S0".to_owned()));
        subject("scoped/own", Subject::Manual(0));
        let guides = pages.get_mut("guides/a.mdx").unwrap();
        (guides.has_snippet, guides.has_image) = (true, true);
        (guides.has_formula, guides.has_variable) = (true, true);
        // Every kind of anchor is asked for from the beginning.
        pages.get_mut("guides/b.mdx").unwrap().links = [
            "/scoped/model#S0-id",
            "/extra/cats/list-cats#nowhere",
            "/guides/a#alpha",
        ]
        .map(str::to_owned)
        .to_vec();
        let labels = ["tab", "group", "bound", "scoped", "version", "german"];
        let (mut one, mut two) = (Model::new(&mut random), Model::new(&mut random));
        (one.webhook, two.webhook) = (Some(0), None);
        Self {
            docs: Docs {
                color: 0x00_aa77,
                labels: labels.into_iter().map(|label| (label, 0)).collect(),
                lists,
                redirects: [1].into(),
                server: 0,
                room: 12,
                prompt: 0,
                latex: None,
                finds_all: false,
                scope: "two.json",
                inherited: "one.yaml",
                with_third: false,
                is_broken: false,
            },
            random,
            pages,
            gone: BTreeMap::new(),
            one,
            two,
            three: None,
            extra: [0; 6],
            image: (10, 0),
            snippet: 0,
            style: 0,
            n: 100,
        }
    }

    fn files(&self) -> BTreeMap<String, String> {
        let pages = self.pages.iter();
        let mut files: BTreeMap<String, String> = pages
            .map(|(path, page)| (path.clone(), page.text()))
            .collect();
        let mut add = |path: &str, text: String| drop(files.insert(path.to_owned(), text));
        add("docs.json", self.docs.text());
        add("one.yaml", self.one.yaml());
        add("two.json", self.two.json());
        add("extra.yaml", extra(&self.extra));
        if let Some(three) = &self.three {
            add("three.yaml", three.yaml());
        }
        add(
            SNIPPET,
            format!("## Note\n\nSnippet {}. [a](/guides/a)\n", self.snippet),
        );
        add("style.css", format!(".a {{ order: {} }}\n", self.style));
        add(IMAGE, format!("{}x10 {}", self.image.0, self.image.1));
        files
    }

    /// Makes one edit; `None` if there is nothing to do of this kind.
    fn edit(&mut self, kind: Kind) -> Option<()> {
        self.n += 1;
        let n = self.n;
        let random = &mut self.random;
        let paths: Vec<String> = self.pages.keys().cloned().collect();
        let path = random.pick(&paths).clone();
        let link = link(random, &paths);
        let page = self.pages.get_mut(&path)?;
        let docs = &mut self.docs;
        match kind {
            "words" | "words of another" => page.words = n,
            "heading" => match random.below(3) {
                0 => page.headings.push(format!("Heading {n}")),
                1 => page.headings = vec![format!("Other {n}")],
                _ => page.headings = vec!["Alpha".to_owned()],
            },
            "title" => page.title = (random.below(4) > 0).then_some(n),
            "sidebar title" => page.sidebar_title = (random.below(3) > 0).then_some(n),
            "hidden" => page.is_hidden = !page.is_hidden,
            "subject" => {
                let operation = format!("/p{}", random.below(9));
                page.subject = match random.below(7) {
                    0 => Subject::Nothing,
                    1 => Subject::Operation(format!("GET {operation}")),
                    2 => Subject::Operation(format!("two.json GET {operation}")),
                    3 => Subject::Operation("webhook pet".to_owned()),
                    4 => Subject::Schema(format!("S{}", random.below(7))),
                    5 => Subject::Schema(format!("one.yaml S{}", random.below(6))),
                    _ => Subject::Manual(n),
                };
            }
            "link" => match random.below(3) {
                0 if !page.links.is_empty() => drop(page.links.remove(0)),
                _ => page.links.push(link),
            },
            "parts" => match random.below(4) {
                0 => page.has_snippet = !page.has_snippet,
                1 => page.has_image = !page.has_image,
                2 => page.has_formula = !page.has_formula,
                _ => page.has_variable = !page.has_variable,
            },
            "jsx" => page.is_jsx_broken = !page.is_jsx_broken,
            "save" | "promote" => {}
            "delete" if paths.len() > 12 => {
                let page = self.pages.remove(&path)?;
                self.gone.insert(path, page);
            }
            "undelete" => {
                let gone: Vec<String> = self.gone.keys().cloned().collect();
                let path = gone.get(random.below(gone.len().max(1)))?.clone();
                let page = self.gone.remove(&path)?;
                self.pages.insert(path, page);
            }
            "add" if paths.len() < 30 => {
                let new = match random.below(5) {
                    0 => "guides.mdx".to_owned(),
                    _ => format!("guides/new-{n}.mdx"),
                };
                let page = page.clone();
                self.gone.remove(&new);
                self.pages.insert(new, page);
            }
            "home" => match self.pages.remove("index.mdx") {
                Some(page) => drop(self.gone.insert("index.mdx".to_owned(), page)),
                None => drop(self.pages.insert("index.mdx".to_owned(), Page::new(n))),
            },
            "rename" => {
                let page = self.pages.remove(&path)?;
                let new = format!("{}-{n}.mdx", path.trim_end_matches(".mdx"));
                self.gone.insert(path, page.clone());
                self.pages.insert(new, page);
            }
            "snippet" => self.snippet = n,
            "style" => self.style = n,
            "picture" => self.image = (self.image.0 + (n & 1), n),
            "color" => docs.color = random.next(),
            "label" => {
                let labels: Vec<&str> = docs.labels.keys().copied().collect();
                *docs.labels.get_mut(random.pick(&labels))? = n;
            }
            "move" => {
                let lists: Vec<&str> = docs.lists.keys().copied().collect();
                let (from, to) = (*random.pick(&lists), *random.pick(&lists));
                let list = docs.lists.get_mut(from)?;
                if list.len() < 2 {
                    return None;
                }
                let page = list.remove(random.below(list.len()));
                let list = docs.lists.get_mut(to)?;
                let at = random.below(list.len() + 1);
                list.insert(at, page);
                if random.below(4) == 0 {
                    list.push(path.trim_end_matches(".mdx").to_owned());
                }
            }
            "redirect" => {
                let one = random.next() % 4;
                if !docs.redirects.remove(&one) {
                    docs.redirects.insert(one);
                }
            }
            "server" => docs.server = n,
            "room" => docs.room = n,
            "prompt" => docs.prompt = n,
            "latex" => docs.latex = *random.pick(&[None, Some(true), Some(false)]),
            "indexing" => docs.finds_all = !docs.finds_all,
            "scope" => docs.scope = *random.pick(&["one.yaml", "two.json", "nowhere.yaml"]),
            "inherited" => docs.inherited = *random.pick(&["one.yaml", "two.json"]),
            "docs broken" => docs.is_broken = !docs.is_broken,
            "one" => drop(self.one.edit(random)),
            "two" => drop(self.two.edit(random)),
            "three" => drop(self.three.as_mut()?.edit(random)),
            "extra" => self.extra[random.below(6)] = n,
            "webhook" => {
                let model = if random.below(2) == 0 {
                    &mut self.one
                } else {
                    &mut self.two
                };
                model.webhook = (random.below(3) > 0).then_some(n as usize);
            }
            "specification broken" => {
                let model = if random.below(2) == 0 {
                    &mut self.one
                } else {
                    &mut self.two
                };
                model.broken = !model.broken;
            }
            "specification comes or goes" => {
                self.three = match self.three {
                    Some(_) => None,
                    None => Some(Model::new(random)),
                };
                docs.with_third = self.three.is_some() && random.below(4) > 0;
            }
            _ => return None,
        }
        Some(())
    }
}

/// A specification with what is rare: an operation behind a reference, one that leads to another, a schema by its anchor
/// and its address, one that says which others are of its kind.
fn extra([n0, n1, n2, n3, n4, n5]: &[u64; 6]) -> String {
    format!(
        "openapi: 3.1.0
info: {{title: Extra, version: '1'}}
paths:
  /cats:
    get:
      operationId: listCats
      summary: List cats
      description: Words {n0}. See [model](/scoped/model).
      tags: [cats]
      responses:
        '200':
          description: ok
          content: {{application/json: {{schema: {{$ref: '#/components/schemas/Animal'}}}}}}
          links:
            next: {{operationId: showDog, description: Words {n1}}}
  /dogs:
    $ref: '#/components/x-paths/dogs'
  /trees:
    get:
      summary: Trees {n5}
      tags: [cats]
      responses:
        '200':
          description: ok
          content: {{application/json: {{schema: {{$ref: '#leaf'}}}}}}
        '201':
          description: ok
          content: {{application/json: {{schema: {{$ref: 'https://e.example.org/stone'}}}}}}
components:
  x-paths:
    dogs:
      get:
        operationId: showDog
        summary: Dogs {n2}
        tags: [cats]
        responses: {{'200': {{description: ok}}}}
  schemas:
    Animal:
      type: object
      description: Words {n3}.
      discriminator: {{propertyName: kind}}
      properties: {{kind: {{type: string}}}}
    Cat:
      allOf: [{{$ref: '#/components/schemas/Animal'}}, {{type: object, properties: {{age: {{type: integer, description: Age {n4}}}}}}}]
    Leaf: {{$anchor: leaf, type: object, properties: {{green: {{type: string, description: Leaf {n4}}}}}}}
    Stone: {{$id: 'https://e.example.org/stone', type: object, properties: {{hard: {{type: string}}}}}}
"
    )
}

/// A link to a page, a heading, a data model, a generated page, a file, away, and to nothing.
fn link(random: &mut Random, paths: &[String]) -> String {
    let stem = random.pick(paths).trim_end_matches(".mdx").to_owned();
    match random.below(12) {
        0 => format!("/{stem}#alpha"),
        1 => format!("/{stem}#nowhere"),
        2 => format!("/{stem}-typo"),
        3 => "#alpha".to_owned(),
        4 => "https://example.org/".to_owned(),
        5 => format!("/{IMAGE}"),
        6 => format!("/old-{}", random.below(4)),
        7 => "/scoped/model#S0-id".to_owned(),
        8 => "/api-reference/t0/summary-1".to_owned(),
        9 => "/extra/cats/list-cats#nowhere".to_owned(),
        _ => format!("/{stem}"),
    }
}

/// Writes what differs.
fn write(site: &mut TestSite, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        site.remove(path);
    }
    for (path, text) in after {
        match before.get(path) {
            Some(old) if old == text => {}
            Some(_) => drop(site.set(path, text)),
            None => drop(site.add(path, text)),
        }
    }
}

/// The queries that forget values, and how many the test leaves them. (Those that keep bodies and references forget, too;
/// how many is known to their module alone.)
const FORGETFUL: &[&str] = &[
    "page_text",
    "passage_embeddings",
    "passage_windows",
    "slice_value",
];
const KEPT: usize = 3;

fn forget_early(site: &mut TestSite) {
    search::set_cache_capacity(&mut site.db, KEPT);
    openapi::set_cache_capacity(&mut site.db, KEPT);
}

#[test]
fn a_site_of_everything_runs_what_is_predicted_and_shows_what_a_fresh_one_shows() {
    let (steps, seed) = (
        number("QUIRE_RANDOM_STEPS", 120),
        number("QUIRE_RANDOM_SEED", 1) + 1000,
    );
    let table = Table::new();
    let mut script = Script::new(seed);
    let mut files = script.files();
    let contents: Vec<(String, String)> = files.clone().into_iter().collect();
    let mut site = TestSite::new(&contents);
    let artifacts = Arc::new(Artifacts::default());
    let mut keeping = TestSite::keeping(&contents, &artifacts);
    for site in [&mut site, &mut keeping] {
        forget_early(site);
    }
    let mut engine = Engine::default();
    let mut executions: BTreeMap<String, usize> = BTreeMap::new();
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for step in 0..=steps {
        let mut kind = "the first build";
        if step > 0 {
            // In turns and at random, so that none is left out and all follow each other.
            kind = match step % 2 {
                0 => KINDS[(step / 2) as usize % KINDS.len()],
                _ => *script.random.pick(KINDS),
            };
            if script.edit(kind).is_none() {
                continue;
            }
            *counts.entry(kind).or_default() += 1;
            let after = script.files();
            write(&mut site, &files, &after);
            write(&mut keeping, &files, &after);
            files = after;
        }
        site.db.trigger_lru_eviction();
        engine.evict(FORGETFUL, KEPT);
        let place = format!("{kind} (seed {seed}, step {step})");
        engine.write(inputs(&site));
        site.take();
        if kind == "promote" {
            engine.promoted(&site.promote());
            keeping.promote();
        }
        let (outputs, backdated) = while_listening(&site);
        let executed = site.take_full_keys();
        let mut fresh = site.fresh();
        let should = fresh.outputs();
        assert_eq!(differences(&outputs, &should), "", "stale after {place}");
        let all = fresh.take_full_keys();
        let recorded = recorded(&mut fresh);
        let facts = Facts::new(&fresh, all, &recorded);
        let unknown = facts.unknown(&table);
        assert!(
            unknown.is_empty(),
            "not in the table: {unknown:#?} ({place})"
        );
        let names = names(&site);
        let backdated = backdated
            .iter()
            .map(|query| node_of(&names, query))
            .collect();
        let predicted = engine.predict(&facts, &backdated);
        let surprise = surprise(&executed, &predicted);
        assert_eq!(surprise, "", "after {place}");
        for (query, keys) in executed {
            *executions.entry(query).or_default() += keys.len();
        }
        keeping.db.trigger_lru_eviction();
        let kept = keeping.outputs();
        for (query, keys) in keeping.take_full_keys() {
            *executions.entry(query).or_default() += keys.len();
        }
        assert_eq!(differences(&kept, &should), "", "kept after {place}");
        if step % 11 == 10 {
            keeping = TestSite::keeping(&keeping.contents(), &artifacts);
            forget_early(&mut keeping);
            let again = keeping.outputs();
            keeping.take();
            assert_eq!(differences(&again, &should), "", "restarted after {place}");
        }
    }
    // What never happened proves nothing.
    if steps >= 120 {
        for kind in KINDS {
            assert!(
                counts.contains_key(kind),
                "{kind} never happened (seed {seed})"
            );
        }
        for function in table.functions() {
            let has_run = executions.contains_key(function);
            assert!(has_run, "{function} never ran (seed {seed})");
        }
    }
    println_counts(steps, executions.values().sum(), &counts);
}

#[expect(clippy::print_stdout, reason = "shown with --nocapture, for reports")]
fn println_counts(steps: u64, executions: usize, counts: &BTreeMap<Kind, usize>) {
    println!("{steps} steps, {executions} executions, {counts:?}");
}

#[test]
fn the_table_names_every_tracked_function_and_no_other() {
    let site = TestSite::new(&[("index.mdx", "Hello.\n")]);
    assert_eq!(tracked_functions(&site.db), Table::new().functions());
}
