//! A site of some 120 pages, and an endless script of edits to it. Everything follows from the seed.

use std::collections::BTreeMap;

use crate::random_numbers::Random;

impl Random {
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// What kind of edit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Words,
    Heading,
    Code,
    Link,
    Title,
    FrontMatter,
    Jsx,
    Delete,
    Undelete,
    Add,
    Rename,
    Color,
    NavLabel,
    MovePage,
    Json,
    ListMissing,
    Snippet,
    Stylesheet,
    Image,
    Revert,
    Save,
    Promote,
}

impl Kind {
    pub(super) const ALL: &[Self] = &[
        Self::Words,
        Self::Heading,
        Self::Code,
        Self::Link,
        Self::Title,
        Self::FrontMatter,
        Self::Jsx,
        Self::Delete,
        Self::Undelete,
        Self::Add,
        Self::Rename,
        Self::Color,
        Self::NavLabel,
        Self::MovePage,
        Self::Json,
        Self::ListMissing,
        Self::Snippet,
        Self::Stylesheet,
        Self::Image,
        Self::Revert,
        Self::Save,
        Self::Promote,
    ];
}

/// One edit: what it writes and what it removes.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) kind: Kind,
    pub(super) written: Vec<(String, String)>,
    pub(super) removed: Vec<String>,
}

/// What a page is made of.
#[derive(Clone)]
struct Page {
    title: Option<String>,
    words: u64,
    headings: Vec<String>,
    links: Vec<String>,
    has_snippet: bool,
    /// A number in code that a grammar colors.
    code: Option<u64>,
    has_image: bool,
    is_front_matter_broken: bool,
    is_jsx_broken: bool,
}

impl Page {
    fn text(&self) -> String {
        let mut text = String::new();
        if self.title.is_some() || self.is_front_matter_broken {
            text.push_str("---\n");
            if let Some(title) = &self.title {
                text.push_str(&format!("title: {title}\n"));
            }
            if self.is_front_matter_broken {
                text.push_str("icon: [open\n");
            }
            text.push_str("---\n\n");
        }
        if self.has_snippet {
            text.push_str(&format!("import Note from \"/{SNIPPET}\"\n\n<Note />\n\n"));
        }
        text.push_str(&format!("The {}th version of these words.\n\n", self.words));
        if let Some(n) = self.code {
            text.push_str("It costs $5, or $$x^2$$.\n\n");
            text.push_str(&format!("```lua\nlocal a = {n}\n```\n\n"));
        }
        if self.has_image {
            text.push_str(&format!("![A spoon](/{IMAGE})\n\n"));
        }
        if self.is_jsx_broken {
            text.push_str("<Note>Never closed, {and} not said.\n\n");
        }
        for heading in &self.headings {
            text.push_str(&format!("## {heading}\n\n- A *list* of `code`.\n\n"));
        }
        for link in &self.links {
            text.push_str(&format!("See [there]({link}).\n"));
        }
        text
    }
}

struct Group {
    label: String,
    is_hidden: bool,
    pages: Vec<String>,
    below: Vec<Group>,
}

/// The site as its author sees it, and what to do to it next.
pub(super) struct Script {
    random: Random,
    pages: BTreeMap<String, Page>,
    /// Pages that were deleted.
    gone: BTreeMap<String, Page>,
    /// Earlier texts of pages that were edited; what is reverted leaves [`Page`] behind.
    earlier: BTreeMap<String, Vec<Page>>,
    tabs: Vec<(String, Vec<Group>)>,
    color: u32,
    image_width: u64,
    is_json_broken: bool,
    /// For new names.
    counter: u64,
    /// Whose turn it was last, among all kinds of edits.
    turn: usize,
}

/// The file that some pages import.
pub(super) const SNIPPET: &str = "snippets/note.mdx";

/// The file that every page includes.
pub(super) const STYLESHEET: &str = "style.css";

fn stylesheet(n: u64) -> String {
    format!("main {{ --n: {n} }}\n")
}

/// The picture that some pages show.
pub(super) const IMAGE: &str = "images/spoon.svg";

/// As the tests read it: a size, and pixels.
fn image(width: u64, n: u64) -> String {
    format!("{width}x10 {n}")
}

fn snippet(n: u64) -> String {
    let link = match n % 3 {
        0 => "[there](/nowhere)",
        1 => "[here](/)",
        _ => "",
    };
    format!("## Note\n\nSnippet {n}. {link}\n")
}

const FOLDERS: &[&str] = &["guides", "concepts", "api", "recipes", "admin"];

impl Script {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut paths = vec!["index.mdx".to_owned()];
        for folder in FOLDERS {
            paths.push(format!("{folder}/index.mdx"));
            paths.extend((0..22).map(|n| format!("{folder}/page-{n}.mdx")));
        }
        let mut script = Self {
            random: Random::new(random.next()),
            pages: BTreeMap::new(),
            gone: BTreeMap::new(),
            earlier: BTreeMap::new(),
            tabs: Vec::new(),
            color: 0x00aa77,
            image_width: 10,
            is_json_broken: false,
            counter: 0,
            turn: 0,
        };
        for path in &paths {
            let mut page = Page {
                title: (random.below(5) > 0).then(|| format!("Title of {path}")),
                words: 0,
                headings: vec!["Alpha".to_owned(), "Beta".to_owned()],
                links: Vec::new(),
                has_snippet: random.below(12) == 0,
                code: (random.below(3) == 0).then_some(0),
                has_image: random.below(12) == 0,
                is_front_matter_broken: random.below(40) == 0,
                is_jsx_broken: random.below(40) == 0,
            };
            for _ in 0..random.below(4) {
                page.links.push(link(&mut random, &paths));
            }
            script.pages.insert(path.clone(), page);
        }
        for (tab, folders) in [
            ("Guides", &FOLDERS[..2]),
            ("API", &FOLDERS[2..3]),
            ("More", &FOLDERS[3..]),
        ] {
            let groups = folders.iter().map(|folder| {
                // The last pages of each folder are in no navigation.
                let stem = |n: usize| format!("{folder}/page-{n}");
                Group {
                    label: format!("All of {folder}"),
                    is_hidden: false,
                    pages: [(*folder).to_owned()]
                        .into_iter()
                        .chain((0..10).map(stem))
                        .collect(),
                    below: vec![Group {
                        label: format!("Deep in {folder}"),
                        is_hidden: *folder == "admin",
                        pages: (10..18).map(stem).collect(),
                        below: Vec::new(),
                    }],
                }
            });
            script.tabs.push((tab.to_owned(), groups.collect()));
        }
        script.tabs[0].1[0].pages.insert(0, "index".to_owned());
        script
    }

    /// All files as they are.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let pages = self.pages.iter();
        let mut files: Vec<_> = pages
            .map(|(path, page)| (path.clone(), page.text()))
            .collect();
        files.push(("docs.json".to_owned(), self.docs()));
        files.push((SNIPPET.to_owned(), snippet(0)));
        files.push((STYLESHEET.to_owned(), stylesheet(0)));
        files.push((IMAGE.to_owned(), image(self.image_width, 0)));
        files
    }

    /// The pages that `docs.json` lists, as written there; none while it is broken.
    pub(super) fn listed(&self) -> Vec<String> {
        fn gather(groups: &[Group], listed: &mut Vec<String>) {
            for group in groups {
                listed.extend(group.pages.iter().cloned());
                gather(&group.below, listed);
            }
        }
        let mut listed = Vec::new();
        if !self.is_json_broken {
            for (_, groups) in &self.tabs {
                gather(groups, &mut listed);
            }
        }
        listed
    }

    fn docs(&self) -> String {
        fn groups_json(groups: &[Group]) -> String {
            let groups = groups.iter().map(|group| {
                let pages = group.pages.iter().map(|page| format!("\"{page}\""));
                let mut pages: Vec<String> = pages.collect();
                if !group.below.is_empty() {
                    pages.push(groups_json(&group.below));
                }
                let hidden = if group.is_hidden {
                    "\"hidden\": true, "
                } else {
                    ""
                };
                format!(
                    "{{\"group\": \"{}\", {hidden}\"pages\": [{}]}}",
                    group.label,
                    pages.join(", ")
                )
            });
            groups.collect::<Vec<_>>().join(", ")
        }
        let tabs = self.tabs.iter().map(|(label, groups)| {
            format!(
                "{{\"tab\": \"{label}\", \"groups\": [{}]}}",
                groups_json(groups)
            )
        });
        let tabs = tabs.collect::<Vec<_>>().join(",\n");
        let end = if self.is_json_broken { "" } else { "}" };
        format!(
            "{{\"theme\": \"mint\", \"name\": \"Random\", \"colors\": {{\"primary\": \"#{:06x}\"}},\n\
             \"redirects\": [{{\"source\": \"/old\", \"destination\": \"/\"}}],\n\"navigation\": {{\"tabs\": [{tabs}]}}{end}\n",
            self.color
        )
    }

    /// The next edit; the script then takes it as done.
    pub(super) fn next(&mut self) -> Edit {
        loop {
            // Half of all edits are words, as in life; now and then it is the turn of a kind, so that none is left out.
            let kind = match self.random.below(10) {
                0..5 => *self
                    .random
                    .pick(&[Kind::Words, Kind::Heading, Kind::Link, Kind::Title]),
                5 => {
                    self.turn += 1;
                    Kind::ALL[self.turn % Kind::ALL.len()]
                }
                _ => *self.random.pick(Kind::ALL),
            };
            if let Some((written, removed)) = self.edit(kind) {
                return Edit {
                    kind,
                    written,
                    removed,
                };
            }
        }
    }

    #[expect(
        clippy::type_complexity,
        reason = "the two halves of an edit, used once"
    )]
    fn edit(&mut self, kind: Kind) -> Option<(Vec<(String, String)>, Vec<String>)> {
        self.counter += 1;
        let n = self.counter;
        let written = match kind {
            Kind::Words => self.rewrite(|page, _, _| page.words = n),
            Kind::Heading => self.rewrite(|page, random, _| match random.below(3) {
                0 => page.headings.push(format!("Heading {n}")),
                1 => page.headings[0] = format!("Other {n}"),
                _ => {
                    page.headings = vec!["Alpha".to_owned(), "Beta".to_owned(), format!("New {n}")];
                }
            }),
            Kind::Code => self.rewrite(|page, random, _| {
                page.code = (random.below(4) > 0).then_some(n);
            }),
            Kind::Link => self.rewrite(|page, random, paths| match random.below(3) {
                0 if !page.links.is_empty() => drop(page.links.remove(0)),
                1 => page.links.insert(0, link(random, paths)),
                _ => page.links.push(link(random, paths)),
            }),
            Kind::Title => self.rewrite(|page, random, _| {
                page.title = (random.below(6) > 0).then(|| format!("Title {n}"));
            }),
            Kind::FrontMatter => self
                .rewrite(|page, _, _| page.is_front_matter_broken = !page.is_front_matter_broken),
            Kind::Jsx => self.rewrite(|page, _, _| page.is_jsx_broken = !page.is_jsx_broken),
            Kind::Save => self.rewrite(|_, _, _| {}),
            Kind::Revert => {
                let edited: Vec<String> = self.earlier.keys().cloned().collect();
                if edited.is_empty() {
                    return None;
                }
                let path = self.random.pick(&edited).clone();
                let page = self.random.pick(&self.earlier[&path]).clone();
                // A revert of a deleted page is an undelete.
                let slot = self.pages.get_mut(&path)?;
                *slot = page;
                vec![(path.clone(), slot.text())]
            }
            Kind::Snippet => vec![(SNIPPET.to_owned(), snippet(n))],
            Kind::Stylesheet => vec![(STYLESHEET.to_owned(), stylesheet(n))],
            // Other pixels, and now and then another size.
            Kind::Image => {
                self.image_width += u64::from(self.random.below(2) == 0);
                vec![(IMAGE.to_owned(), image(self.image_width, n))]
            }
            Kind::Promote => Vec::new(),
            Kind::Delete => {
                if self.pages.len() < 100 {
                    return None;
                }
                let path = self.some_page();
                let page = self.pages.remove(&path)?;
                self.gone.insert(path.clone(), page);
                return Some((Vec::new(), vec![path]));
            }
            Kind::Undelete => {
                let gone: Vec<String> = self.gone.keys().cloned().collect();
                if gone.is_empty() {
                    return None;
                }
                let path = self.random.pick(&gone).clone();
                let mut page = self.gone.remove(&path)?;
                if self.random.below(2) == 0 {
                    page.words = n;
                }
                let text = page.text();
                self.pages.insert(path.clone(), page);
                vec![(path, text)]
            }
            Kind::Add => {
                if self.pages.len() > 140 {
                    return None;
                }
                let folder = *self.random.pick(FOLDERS);
                let path = match self.random.below(8) {
                    // It takes the address of the folder's index page.
                    0 => format!("{folder}.mdx"),
                    _ => format!("{folder}/new-{n}.mdx"),
                };
                if self.pages.contains_key(&path) {
                    return None;
                }
                let model = self.some_page();
                let mut page = self.pages[&model].clone();
                page.words = n;
                self.gone.remove(&path);
                let text = page.text();
                self.pages.insert(path.clone(), page);
                vec![(path, text)]
            }
            Kind::Rename => {
                let path = self.some_page();
                let page = self.pages.remove(&path)?;
                let renamed = format!("{}-{n}.mdx", path.trim_end_matches(".mdx"));
                let text = page.text();
                self.gone.insert(path.clone(), page.clone());
                self.pages.insert(renamed.clone(), page);
                return Some((vec![(renamed, text)], vec![path]));
            }
            Kind::Color => {
                self.color = (self.random.next() & 0xff_ffff) as u32;
                self.written_docs()
            }
            Kind::NavLabel => {
                let tab = self.random.below(self.tabs.len());
                let (label, groups) = &mut self.tabs[tab];
                match self.random.below(3) {
                    0 => *label = format!("Tab {n}"),
                    1 => groups[0].label = format!("Group {n}"),
                    _ => groups[0].below[0].label = format!("Deep group {n}"),
                }
                self.written_docs()
            }
            Kind::MovePage => {
                let (from, to) = (
                    self.random.below(self.tabs.len()),
                    self.random.below(self.tabs.len()),
                );
                let pages = &mut self.tabs[from].1[0].pages;
                if pages.len() < 3 {
                    return None;
                }
                let page = pages.remove(self.random.below(pages.len()));
                let pages = &mut self.tabs[to].1[0].pages;
                let at = self.random.below(pages.len() + 1);
                pages.insert(at, page);
                self.written_docs()
            }
            Kind::Json => {
                self.is_json_broken = !self.is_json_broken;
                self.written_docs()
            }
            Kind::ListMissing => {
                // Missing now; a later undelete may fill it.
                let gone: Vec<&String> = self.gone.keys().collect();
                let name = match gone.is_empty() {
                    true => format!("guides/missing-{n}"),
                    false => gone[self.random.below(gone.len())]
                        .trim_end_matches(".mdx")
                        .to_owned(),
                };
                let tab = self.random.below(self.tabs.len());
                self.tabs[tab].1[0].pages.push(name);
                self.written_docs()
            }
        };
        Some((written, Vec::new()))
    }

    fn written_docs(&self) -> Vec<(String, String)> {
        vec![("docs.json".to_owned(), self.docs())]
    }

    /// A page that exists.
    fn some_page(&mut self) -> String {
        let at = self.random.below(self.pages.len());
        self.pages.keys().nth(at).expect("below the length").clone()
    }

    /// Edits some page, often one that was edited before.
    fn rewrite(
        &mut self,
        edit: impl FnOnce(&mut Page, &mut Random, &[String]),
    ) -> Vec<(String, String)> {
        let again: Vec<String> = self.earlier.keys().rev().take(8).cloned().collect();
        let path = match again.is_empty() || self.random.below(2) == 0 {
            true => self.some_page(),
            false => self.random.pick(&again).clone(),
        };
        let paths: Vec<String> = self.pages.keys().cloned().collect();
        let Some(page) = self.pages.get_mut(&path) else {
            return self.rewrite(edit);
        };
        let earlier = self.earlier.entry(path.clone()).or_default();
        earlier.push(page.clone());
        if earlier.len() > 5 {
            earlier.remove(0);
        }
        edit(page, &mut self.random, &paths);
        vec![(path, page.text())]
    }
}

/// A link as authors write them: to a page, to a heading, to a file, away, and now and then to nothing.
fn link(random: &mut Random, paths: &[String]) -> String {
    let stem = random.pick(paths).trim_end_matches(".mdx").to_owned();
    match random.below(12) {
        0 => format!("/{stem}#alpha"),
        1 => format!("/{stem}#nowhere"),
        2 => format!("/{stem}-typo"),
        3 => "#beta".to_owned(),
        4 => "https://example.org/".to_owned(),
        5 => "/images/spoon.svg".to_owned(),
        6 => "/old".to_owned(),
        7 => format!("/{stem}.md"),
        _ => format!("/{stem}"),
    }
}
