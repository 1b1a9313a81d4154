//! A small site that has one of everything, and an endless script of edits to it: pages about
//! operations, data models and endpoints of the author's own, webhooks, several specifications,
//! redirects, snippets, pictures, versions and languages. Everything follows from the seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use openapi::shared::LARGE;

use super::specs::Model;
use crate::random_numbers::Random;

impl Random {
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// File that some pages import.
pub(super) const SNIPPET: &str = "snippets/note.mdx";
/// A component with state, which the same pages import.
pub(super) const COMPONENT: &str = "snippets/fold.jsx";

/// Picture that some pages show. Tests write its size in words, and pixels after it.
pub(super) const IMAGE: &str = "images/spoon.svg";

/// File that every page includes.
pub(super) const STYLESHEET: &str = "style.css";

/// What a page says that it is about.
#[derive(Clone, Debug)]
enum Subject {
    Nothing,
    Operation(String),
    Schema(String),
    Channel(String),
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
    /// A number in code that a grammar colors.
    code: Option<u64>,
    is_jsx_broken: bool,
    is_front_matter_broken: bool,
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
            code: None,
            is_jsx_broken: false,
            is_front_matter_broken: false,
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
            Subject::Channel(name) => writeln!(text, "asyncapi: {name}"),
            Subject::Manual(n) if n % 2 == 1 => {
                writeln!(text, "api: POST https://p{n}.example.org/own")
            }
            Subject::Manual(n) => writeln!(text, "api: POST /own/{n}"),
        };
        if self.is_front_matter_broken {
            text += "icon: [open\n";
        }
        text += "---\n\n";
        if self.has_snippet {
            let _ = writeln!(
                text,
                "import Note from '/{SNIPPET}'\nimport {{ Fold }} from '/{COMPONENT}'\n\n<Note />\n"
            );
            text += "<Fold title={1 + 1}>\nFolded *words*.\n</Fold>\n\n";
        }
        let _ = writeln!(text, "Words {} of the page.\n", self.words);
        for heading in &self.headings {
            let _ = writeln!(text, "## {heading}\n\nMore about it.\n");
        }
        for link in &self.links {
            let _ = writeln!(text, "See [there]({link}).\n");
        }
        if self.has_image {
            let _ = writeln!(
                text,
                "<Update label=\"2026-01-02\">\n![spoon](/{IMAGE})\n</Update>\n"
            );
        }
        if self.has_formula {
            text += "It is $x^2$.\n\n<Unheard />\n\n";
        }
        if let Some(n) = self.code {
            let _ = write!(
                text,
                "It costs $5, or $$x^2$$.\n\n```lua\nlocal a = {n}\n```\n\n"
            );
        }
        match self.words % 8 {
            3 => text += ":::tip Read\nInside of it.\n:::\n\n!!! note\n    Indented.\n\n",
            5 => text += "{% hint %}\n\nSee [there](other.html).\n\n",
            _ => {}
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
    /// Whether a group within a group is hidden.
    hides_deep: bool,
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
            "api": {{"models": true, "mdx": {{"server": "https://s{}.example.org"}}}}, "redirects": [{}],
            "navigation": {{"languages": [
                {{"language": "en", "tabs": [
                    {{"tab": "{}", "groups": [
                        {{"group": "{}", "root": "guides/index", "pages": {}}},
                        {{"group": "Around", "pages": [{{"group": "Deep", "hidden": {}, "pages": {}}}]}},
                        {{"group": "{}", "openapi": "{}", "pages": {}}}]}},
                    {{"tab": "One", "openapi": "one.yaml"}},
                    {{"tab": "Live", "asyncapi": "live.yaml"}},
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
            self.hides_deep,
            list("deep"),
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
pub(super) struct Script {
    random: Random,
    pages: BTreeMap<String, Page>,
    gone: BTreeMap<String, Page>,
    /// Earlier states of pages that were edited.
    earlier: BTreeMap<String, Vec<Page>>,
    docs: Docs,
    one: Model,
    two: Model,
    three: Option<Model>,
    /// What the odd parts of the third specification say.
    extra: [u64; 6],
    /// What the AsyncAPI document says.
    live: [u64; 6],
    image: (u64, u64),
    snippet: u64,
    component: u64,
    style: u64,
    /// For new names and words.
    n: u64,
    /// Last turn among the kinds of edits.
    turn: usize,
}

/// What the script does: a name for reports.
pub(super) type Kind = &'static str;

/// Kinds of edits of the text of one page.
const OF_PAGE: &[Kind] = &[
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
    "code",
    "front matter",
];

/// Kinds of edits of everything else.
const OF_SITE: &[Kind] = &[
    "revert",
    "save",
    "delete",
    "undelete",
    "add",
    "rename",
    "home",
    "snippet",
    "component",
    "style",
    "picture",
    "color",
    "label",
    "move",
    "list missing",
    "hidden group",
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
    "channels",
    "webhook",
    "specification broken",
    "specification comes or goes",
];

/// Every kind of edit.
pub(super) fn kinds() -> Vec<Kind> {
    [OF_PAGE, OF_SITE].concat()
}

impl Script {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut pages = BTreeMap::new();
        let mut lists: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (list, names) in [
            ("guides", &["guides/a", "guides/b", "guides/c"][..]),
            ("deep", &["deep/a", "deep/b"]),
            ("bound", &["bound/a", "bound/b", "bound/c"]),
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
        subject("bound/c", Subject::Channel("live.yaml chat".to_owned()));
        subject("scoped/a", Subject::Operation("GET /p2".to_owned()));
        subject("scoped/model", Subject::Schema("two.json S0".to_owned()));
        subject("scoped/own", Subject::Manual(0));
        subject("lost", Subject::Schema("extra.yaml Animal".to_owned()));
        let guides = pages.get_mut("guides/a.mdx").unwrap();
        (guides.has_snippet, guides.has_image) = (true, true);
        (guides.has_formula, guides.has_variable) = (true, true);
        // Every kind of anchor is asked for from the beginning.
        pages.get_mut("guides/b.mdx").unwrap().links = [
            "/scoped/model#S0-id",
            "/lost#wood-ring3",
            "/extra/cats/list-cats#nowhere",
            "/guides/a#alpha",
        ]
        .map(str::to_owned)
        .to_vec();
        let labels = ["tab", "group", "bound", "scoped", "version", "german"];
        let (mut one, mut two) = (Model::of(&mut random, 4, 4), Model::of(&mut random, 3, 3));
        (one.webhook, two.webhook) = (Some(0), None);
        pages.get_mut("guides/c.mdx").unwrap().code = Some(0);
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
                hides_deep: false,
                scope: "two.json",
                inherited: "one.yaml",
                with_third: false,
                is_broken: false,
            },
            random,
            pages,
            gone: BTreeMap::new(),
            earlier: BTreeMap::new(),
            one,
            two,
            three: None,
            extra: [0; 6],
            live: [0; 6],
            image: (10, 0),
            snippet: 0,
            component: 0,
            style: 0,
            n: 100,
            turn: 0,
        }
    }

    /// All files as they are.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let pages = self.pages.iter();
        let mut files: BTreeMap<String, String> = pages
            .map(|(path, page)| (path.clone(), page.text()))
            .collect();
        let mut add = |path: &str, text: String| drop(files.insert(path.to_owned(), text));
        add("docs.json", self.docs.text());
        add("one.yaml", self.one.yaml());
        add("two.json", self.two.json());
        add("extra.yaml", extra(&self.extra));
        add("live.yaml", live(&self.live));
        if let Some(three) = &self.three {
            add("three.yaml", three.yaml());
        }
        add(SNIPPET, snippet(self.snippet));
        add(COMPONENT, component(self.component));
        add(STYLESHEET, format!("p {{ order: {} }}\n", self.style));
        add(IMAGE, format!("{}x10 {}", self.image.0, self.image.1));
        files
    }

    /// Makes the next edit and returns its kind.
    pub(super) fn next(&mut self) -> Kind {
        let kinds = kinds();
        loop {
            // Words half of the time, as in life; in turns and at random, so that no kind is left
            // out and all follow each other.
            let kind = match self.random.below(10) {
                0..3 => *self.random.pick(&["words", "heading", "link", "title"]),
                3..6 => {
                    self.turn += 1;
                    match kinds[self.turn % kinds.len()] {
                        // What is not there comes before it is edited.
                        "three" if self.three.is_none() => {
                            self.turn -= 1;
                            "specification comes or goes"
                        }
                        kind => kind,
                    }
                }
                _ => *self.random.pick(&kinds),
            };
            if self.edit(kind).is_some() {
                return kind;
            }
        }
    }

    /// Makes one edit; `None` if there is nothing to do of this kind.
    fn edit(&mut self, kind: Kind) -> Option<()> {
        self.n += 1;
        let n = self.n;
        let random = &mut self.random;
        let paths: Vec<String> = self.pages.keys().cloned().collect();
        // Who edited a page edits it again.
        let again: Vec<&String> = self.earlier.keys().rev().take(6).collect();
        let path = match again.is_empty() || random.below(2) == 0 {
            true => random.pick(&paths).clone(),
            false => (*random.pick(&again)).clone(),
        };
        let link = link(random, &paths);
        let page = self.pages.get_mut(&path)?;
        if OF_PAGE.contains(&kind) {
            let earlier = self.earlier.entry(path.clone()).or_default();
            earlier.push(page.clone());
            if earlier.len() > 4 {
                earlier.remove(0);
            }
        }
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
                let operation = format!("/p{}", random.below(5));
                page.subject = match random.below(7) {
                    0 => Subject::Nothing,
                    1 => Subject::Operation(format!("GET {operation}")),
                    2 => Subject::Operation(format!("two.json GET {operation}")),
                    3 => Subject::Operation("webhook pet".to_owned()),
                    4 => Subject::Schema(format!("S{}", random.below(5))),
                    5 => Subject::Schema(format!("one.yaml S{}", random.below(4))),
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
            "code" => page.code = (random.below(4) > 0).then_some(n),
            "front matter" => page.is_front_matter_broken = !page.is_front_matter_broken,
            "revert" => *page = random.pick(self.earlier.get(&path)?).clone(),
            "jsx" => page.is_jsx_broken = !page.is_jsx_broken,
            "save" | "promote" => {}
            "delete" if paths.len() > 10 => {
                let page = self.pages.remove(&path)?;
                self.gone.insert(path, page);
            }
            "undelete" => {
                let gone: Vec<String> = self.gone.keys().cloned().collect();
                let path = gone.get(random.below(gone.len().max(1)))?.clone();
                let page = self.gone.remove(&path)?;
                self.pages.insert(path, page);
            }
            "add" if paths.len() < 22 => {
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
                let stem = path.trim_end_matches(".mdx").split('-').next()?;
                self.pages.insert(format!("{stem}-{n}.mdx"), page.clone());
                self.gone.insert(path, page);
            }
            "snippet" => self.snippet = n,
            "component" => self.component = n,
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
            "list missing" => {
                // Missing now; a page that comes back may fill it.
                let gone: Vec<&String> = self.gone.keys().collect();
                let name = match gone.get(random.below(gone.len().max(1))) {
                    Some(path) => path.trim_end_matches(".mdx").to_owned(),
                    None => format!("guides/missing-{n}"),
                };
                let lists: Vec<&str> = docs.lists.keys().copied().collect();
                let list = docs.lists.get_mut(*random.pick(&lists))?;
                list.push(name);
                // Lists do not grow for ever.
                if list.len() > 5 {
                    list.remove(0);
                }
            }
            "hidden group" => docs.hides_deep = !docs.hides_deep,
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
            "channels" => self.live[random.below(6)] = n,
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
                    None => Some(Model::of(random, 2, 2)),
                };
                docs.with_third = self.three.is_some() && random.below(4) > 0;
            }
            _ => return None,
        }
        // What is remembered of the past stays small, however long the script is.
        while self.gone.len() > 16 {
            self.gone.pop_first();
        }
        while self.earlier.len() > 40 {
            self.earlier.pop_first();
        }
        Some(())
    }
}

/// What the snippet says, now and then with a link that is broken on every page that imports it.
/// A component with state; every fifth one is no script.
fn component(n: u64) -> String {
    let end = if n.is_multiple_of(5) {
        "const a = 1; const a = 2;"
    } else {
        ""
    };
    format!(
        "export const Fold = ({{ title, children }}) => {{\n  const [open, setOpen] = useState(false)\n  \
         return <Card title={{'Card {n}'}}><button onClick={{() => setOpen(!open)}}>Fold {{title}} {n}</button>\
         {{open && children}}</Card>\n}}\n{end}\n"
    )
}

fn snippet(n: u64) -> String {
    let link = match n % 3 {
        0 => "[a](/guides/a)",
        1 => "[there](/nowhere)",
        _ => "",
    };
    format!("## Note\n\nSnippet {n}. {link}\n")
}

/// A specification with what is rare: an operation behind a reference, one that leads to another, a
/// schema by its anchor and its address, one that says which others are of its kind, one with more rows than a
/// page shows of what others show too, an answer that is too long to be told with each page.
fn extra([n0, n1, n2, n3, n4, n5]: &[u64; 6]) -> String {
    let rings: Vec<String> = (0..=LARGE)
        .map(|n| format!("ring{n}: {{type: string, description: Ring {n4}}}"))
        .collect();
    let rings = rings.join(", ");
    let gone = format!("Gone {n4}. ").repeat(600);
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
        '404': {{$ref: '#/components/responses/Gone'}}
  /dogs:
    $ref: '#/components/x-paths/dogs'
  /trees:
    get:
      summary: Trees {n5}
      tags: [cats]
      servers: [{{url: 'https://trees{n5}.example.org'}}]
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
  responses: {{Gone: {{description: '{gone}'}}}}
  schemas:
    Animal:
      type: object
      description: Words {n3}.
      discriminator: {{propertyName: kind}}
      properties: {{kind: {{type: string}}, wood: {{$ref: '#/components/schemas/Wood'}}}}
    Wood: {{type: object, properties: {{{rings}, knot: {{$ref: '#/components/schemas/Wood'}}}}}}
    Cat:
      allOf: [{{$ref: '#/components/schemas/Animal'}}, {{type: object, properties: {{age: {{type: integer, description: Age {n4}}}}}}}]
    Leaf: {{$anchor: leaf, type: object, properties: {{green: {{type: string, description: Leaf {n4}}}}}}}
    Stone: {{$id: 'https://e.example.org/stone', type: object, properties: {{hard: {{type: string}}}}}}
"
    )
}

/// An AsyncAPI document: two channels that share a message, one of them behind a reference, and operations that move between
/// them and answer each other.
fn live([n0, n1, n2, n3, n4, n5]: &[u64; 6]) -> String {
    let of = ["chat", "news"][(n3 % 2) as usize];
    let protocol = ["wss", "kafka"][(n4 % 2) as usize];
    format!(
        "asyncapi: 3.0.0
info: {{title: Live, version: '1'}}
servers:
  main: {{host: live.example.org, protocol: {protocol}}}
channels:
  chat:
    title: Chat {n5}
    address: /chat
    description: Words {n0}.
    messages:
      said: {{$ref: '#/components/messages/Said'}}
  news: {{$ref: '#/components/channels/news'}}
operations:
  say:
    action: receive
    channel: {{$ref: '#/channels/{of}'}}
    summary: Say {n1}
    reply: {{channel: {{$ref: '#/channels/chat'}}}}
  hear:
    action: send
    channel: {{$ref: '#/channels/chat'}}
components:
  channels:
    news:
      address: /news
      messages: {{said: {{$ref: '#/components/messages/Said'}}}}
  messages:
    Said:
      description: Words {n2}.
      payload: {{type: object, properties: {{text: {{type: string}}}}}}
"
    )
}

/// A link to a page, a heading, a data model, a generated page, a file, away, and to nothing.
fn link(random: &mut Random, paths: &[String]) -> String {
    let stem = random.pick(paths).trim_end_matches(".mdx").to_owned();
    match random.below(14) {
        13 => "/extra/cats/list-cats#response-200-wood-ring3".to_owned(),
        12 => format!("/{stem}.md"),
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
